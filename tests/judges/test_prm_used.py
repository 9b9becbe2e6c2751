"""What the predicted relevance model is used for: counts, labels, measures."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hungjury as hj
from builders.prm_panels import GRADES, MODEL, ROWS, RUN, UNSEEN, cells, panel
from hungjury.base.errors import InputError, MeasureError
from hungjury.judges.prm import prm
from oracles import expected as loops
from oracles import gain as naive_gain
from oracles import prm as naive_prm


def test_labels_become_probabilities():
    made = {"1": {"a": 2, "b": -2, "c": 1}, "2": {"a": 0, "d": 2}}
    qrels = hj.read_qrels(made)
    soft = MODEL.soft_qrels(qrels)
    assert soft.soft
    assert (soft.grades, soft.topics) == ((0, 1), qrels.topics)
    expected = {
        t: {d: naive_prm.prm(ROWS, v, [1, 2]) for d, v in p.items()} for t, p in made.items()
    }
    for topic, pool in soft.to_dict().items():
        assert pool == pytest.approx(expected[topic])
    assert qrels.to_dict() == made  # the labels themselves stay as they were


def test_labels_of_an_unseen_level_do_not_become_probabilities():
    with pytest.raises(InputError, match="level 3"):
        MODEL.soft_qrels(hj.read_qrels({"1": {"a": 3, "b": 0}}))


def test_probabilities_stay_what_they_are():
    soft = hj.read_qrels({"1": {"a": 0.5}})
    for call in (MODEL.soft_qrels, MODEL.relevant_counts):
        with pytest.raises(InputError, match="probabilities"):
            call(soft)


@pytest.mark.parametrize(
    "name", ["eRAP", "eRAP@3", "eRRBP(p=0.5)", "eRDCG(base=2)", "AP", "AP@3", "RBP(p=0.5)", "P@3"]
)
def test_versions_of_expected_measures(name):
    prob = MODEL.prob(2)
    assert prob == pytest.approx([naive_prm.prm(ROWS, level, [1, 2]) for level in (0, 1, 2)])
    version = MODEL.version(name, 2)
    assert version.prob == tuple(prob)
    scores = hj.evaluate(GRADES, RUN, version)
    of = version.name
    loop = {"eRAP": loops.erap, "eRRBP": loops.errbp, "eRDCG": loops.erdcg, "eRP": loops.erp}[of]
    extra = {"eRAP": {}, "eRRBP": {"p": 0.5}, "eRDCG": {"base": 2}, "eRP": {}}[of]
    more = {"k": 3} if of == "eRP" else extra
    for k, labels, pool in cells():
        expected = loop(labels, pool, prob=prob, unjudged=0, cutoff=version.cutoff, **more)
        assert scores.values[0, 0, k] == pytest.approx(expected, rel=1e-12)
    soft = hj.evaluate(
        MODEL.soft_qrels(hj.read_qrels(GRADES)), RUN, type(version)(cutoff=version.cutoff, **extra)
    )
    np.testing.assert_allclose(soft.values, scores.values, rtol=1e-12)


@pytest.mark.parametrize("cutoff", [None, 3])
def test_versions_of_ndcg(cutoff):
    """PRM section 2: the disagreement parameters as gains, that of grade 0 included."""
    version = MODEL.version("nDCG" + (f"@{cutoff}" if cutoff else ""), 2)
    gains = dict(enumerate(MODEL.prob(2)))
    assert gains[0] > 0
    assert dict(version.gains) == gains
    scores = hj.evaluate(GRADES, RUN, version)
    for k, labels, pool in cells():
        expected = naive_gain.ndcg(labels, pool, cutoff, gains=gains)
        assert scores.values[0, 0, k] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["DCG", "CG@2", "nCG@2", "gRBP", "Q"])
def test_versions_of_other_measures_with_gains(name):
    gains = dict(enumerate(MODEL.prob(2)))
    loop = {
        "DCG": lambda x, pool: naive_gain.dcg(x, pool, gains=gains),
        "CG@2": lambda x, pool: naive_gain.cg(x, pool, 2, gains),
        "nCG@2": lambda x, pool: naive_gain.ncg(x, pool, 2, gains),
        "gRBP": lambda x, pool: naive_gain.grbp(x, pool, 2, gains=gains),
        "Q": lambda x, pool: naive_gain.q_measure(x, pool, gains=gains),
    }[name]
    scores = hj.evaluate(GRADES, RUN, MODEL.version(name, 2))
    for k, labels, pool in cells():
        assert scores.values[0, 0, k] == pytest.approx(loop(labels, pool), rel=1e-12)


def test_a_version_of_a_measure_with_a_threshold_is_refused():
    """The model says what is relevant; a threshold beside it would be a second one."""
    with pytest.raises(MeasureError, match="prob and rel exclude"):
        hj.evaluate(GRADES, RUN, MODEL.version("eRAP(rel=2)", 2))


def test_version_of_an_expectation():
    version = MODEL.version("E(nDCG)", 2)
    assert version.prob == tuple(MODEL.prob(2))
    assert version.chance_of_unjudged == 0


@pytest.mark.parametrize("name", ["AP(rel=2)", "RR", "Bpref", "ERR"])
def test_measures_without_a_version(name):
    with pytest.raises(MeasureError, match=f"{re.escape(name)} has no version for P") as caught:
        MODEL.version(name, 2)
    assert "E(X)" in caught.value.remedy


@settings(max_examples=40)
@given(labels=st.lists(st.sampled_from([-2, 0, 1, 2]), min_size=1, max_size=12))
def test_counts_of_relevant_documents(labels):
    """PRM equation 1."""
    qrels = hj.read_qrels({"1": {f"d{i}": v for i, v in enumerate(labels)}})
    binary, expected = MODEL.relevant_counts(qrels)
    chances = {level: naive_prm.prm(ROWS, level, [1, 2]) for level in (-2, 0, 1, 2)}
    assert binary == naive_prm.relevant_count_binary(labels, [1, 2])
    assert expected == pytest.approx(naive_prm.relevant_count_prm(labels, chances))


def test_counts_of_all_judgments():
    """PRM equation 1 over every label given; where all were given twice, both counts agree."""
    levels = [level for *_, level in ROWS]
    binary, expected = MODEL.relevant_counts()
    assert binary == naive_prm.relevant_count_binary(levels, [1, 2])
    assert expected == pytest.approx(binary)


def test_counts_need_seen_levels():
    with pytest.raises(InputError, match="level 3"):
        prm(panel(UNSEEN)).relevant_counts()


def test_rows_and_text():
    model = prm(panel(UNSEEN), smoothing=1)
    rows = model.rows()
    assert [row["level"] for row in rows] == [0, 1, 2, 3]
    assert [(row["pairs"], row["pairs_relevant"], row["labels"]) for row in rows] == [
        (3, 1, 3), (3, 2, 3), (0, 0, 0), (0, 0, 1)
    ]  # fmt: skip
    assert [row["p"] for row in rows] == pytest.approx(model.p)
    lines = str(model).splitlines()
    assert len(lines) == 5
    assert lines[2].split()[:2] == ["1", "0.600"]
