"""eRRBP, eRDCG and eRAP: recall base, ties, undefined topics, and what is refused."""

import io
import itertools
import math

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError, MeasureError
from hungjury.measures.catalogue import CATALOGUE
from oracles import expected as loops

NAMES = ["eRRBP", "eRDCG", "eRAP"]
SUMS = ["eRRBP", "eRDCG"]  # nothing to divide by: never undefined


def close(expected):
    return pytest.approx(expected, rel=1e-10, abs=1e-12)


# The recall base

SOFT = {"q": {"a": 0.5, "b": 0.25, "c": 0.9}}
ONE = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
TWO = {"q": {"y": 3.0, "x": 2.0, "z": 1.0, "c": 0.0}}


@pytest.mark.parametrize(("depth", "others"), [(1, 1), (2, 2), (3, 3), (50, 3)])
@pytest.mark.parametrize("files", [False, True])
def test_unjudged_documents_in_the_recall_base(depth, others, files):
    runs = {"one": ONE, "two": TWO}
    given = {s: [f"q Q0 {d} 0 {v} {s}\n" for d, v in r["q"].items()] for s, r in runs.items()}
    source = [io.StringIO("".join(lines)) for lines in given.values()] if files else runs
    name = f'eRAP(unjudged=0.2, recall_base="retrieved", base_depth={depth})'
    scores = hj.evaluate(SOFT, source, name)
    assert scores.measures == [str(hj.measure(name))]  # what was done stands in the result
    for j, system in enumerate(scores.systems):
        labels = [SOFT["q"].get(d) for d in runs[system]["q"]]
        expected = loops.erap(
            labels, list(SOFT["q"].values()), None, 0.2, None, 1.65 + 0.2 * others
        )
        assert scores.values[0, j, 0] == pytest.approx(expected)


def test_several_recall_bases_at_once():
    runs = {"one": ONE, "two": TWO}
    names = [
        f'eRAP(unjudged=0.2, recall_base="retrieved", base_depth={depth})' for depth in (1, 2, 50)
    ]
    together = hj.evaluate(SOFT, runs, ["eRAP(unjudged=0.2)", *names])
    assert len(set(together.values[:, 0, 0])) == 4
    for i, name in enumerate(names, 1):
        assert (together.values[i] == hj.evaluate(SOFT, runs, name).values[0]).all()


def test_the_recall_base_holds_only_ranks_that_are_looked_at():
    name = 'eRAP(unjudged=0.2, recall_base="retrieved")'
    cut = hj.evaluate(SOFT, {"one": ONE, "two": TWO}, name, depth=2)
    short = [{"q": dict(list(run["q"].items())[:2])} for run in (ONE, TWO)]
    whole = hj.evaluate(SOFT, dict(zip(("one", "two"), short, strict=True)), name)
    assert (cut.values == whole.values).all()


def test_the_recall_base_where_every_retrieved_document_is_judged():
    run = {"q": {"a": 1.0, "c": 0.0}}
    name = 'eRAP(unjudged=0.2, recall_base="retrieved")'
    assert hj.evaluate(SOFT, run, name).values == hj.evaluate(SOFT, run, "eRAP").values


def test_a_number_as_recall_base():
    whole = hj.evaluate(SOFT, ONE, ["eRAP(recall_base=1)", "eRAP(recall_base=4)"])
    assert whole.values[1] == pytest.approx(whole.values[0] / 4)
    assert whole.variance[1] == pytest.approx(whole.variance[0] / 16)


def test_a_score_does_not_depend_on_the_other_runs():
    names = ["eRAP(unjudged=0.2)", "eRRBP(unjudged=0.2)", "eRDCG(unjudged=0.2)"]
    alone = hj.evaluate(SOFT, {"one": ONE}, names)
    among = hj.evaluate(SOFT, {"one": ONE, "two": TWO}, names)
    assert (alone.values[:, 0] == among.values[:, 0]).all()
    assert (alone.variance[:, 0] == among.variance[:, 0]).all()


def test_the_recall_base_of_the_runs_is_unknown_for_a_list():
    with pytest.raises(MeasureError, match=r"evaluate\(\)"):
        hj.score_list('eRAP(recall_base="retrieved")', [0.5, 0.2])


def test_the_recall_base_is_that_of_the_whole_pool_at_a_cutoff():
    """By hand: ranks 1 and 2 of three, p = 0.5 and 0 (unjudged), expected relevant 1.65."""
    assert hj.evaluate(SOFT, ONE, "eRAP@2").values[0, 0, 0] == pytest.approx(0.5 / 1.65)


# Errors


@pytest.mark.parametrize(
    "name",
    [
        "eRAP(recall_base=0)",
        "eRAP(recall_base=-1)",
        "eRAP(recall_base=everything)",
        "eRAP(base_depth=0)",
        "eRAP(prob=[0, 1.5])",
        "eRAP(prob=[-0.1, 1])",
        "eRAP(prob=0.5)",
        "eRAP(unjudged=1.1)",
        "eRAP(rel=0)",
        "eRRBP(p=1)",
        "eRDCG(base=1)",
        "eRDCG@0",
    ],
)
def test_parameters_out_of_range(name):
    with pytest.raises(MeasureError) as caught:
        hj.measure(name)
    assert caught.value.remedy


@pytest.mark.parametrize("name", NAMES)
def test_prob_has_to_have_one_value_a_grade(name):
    labels = hj.read_qrels({"q": {"a": 2, "b": 0}})
    for prob in ([0, 1], [0, 0.2, 0.5, 1]):
        with pytest.raises(MeasureError, match=f"prob has {len(prob)} values.*grades are 0 to 2"):
            hj.evaluate(labels, ONE, f"{name}(prob={prob})")


def test_prob_and_rel_exclude_each_other():
    with pytest.raises(MeasureError, match="exclude"):
        hj.evaluate({"q": {"a": 1}}, ONE, "eRAP(prob=[0, 1], rel=1)")


def test_a_rel_above_the_scale():
    with pytest.raises(MeasureError, match="rel=2"):
        hj.evaluate({"q": {"a": 1}}, ONE, "eRAP(rel=2)")


def test_erap_of_ties_is_the_mean_over_orders():
    tied = hj.read_runs({"q": {"a": 1.0, "b": 1.0}}, ties="expected")
    orders = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0, "b": 2.0}}]
    values = [hj.evaluate(SOFT, run, "eRAP").values[0, 0, 0] for run in orders]
    assert hj.evaluate(SOFT, tied, "eRAP").values[0, 0, 0] == pytest.approx(np.mean(values))


# Ties

TIED = [["c"], ["a", "x", "b"], ["y"]]  # by falling score


@pytest.mark.parametrize("cutoff", [None, 1, 2, 3])
@pytest.mark.parametrize("unjudged", [0.0, 0.3])
@pytest.mark.parametrize("name", SUMS)
def test_ties_have_the_mean_over_all_orders(name, unjudged, cutoff):
    run = {"q": {d: float(-i) for i, tie in enumerate(TIED) for d in tie}}
    runs = hj.read_runs(run, ties="expected")
    scores = hj.evaluate(SOFT, runs, CATALOGUE[name](unjudged=unjudged, cutoff=cutoff))
    loop = {"eRRBP": loops.errbp, "eRDCG": loops.erdcg}[name]
    pool = list(SOFT["q"].values())
    found = [
        loop([SOFT["q"].get(d) for d in ("c", *order, "y")], pool, unjudged=unjudged, cutoff=cutoff)
        for order in itertools.permutations(TIED[1])
    ]
    assert scores.values[0, 0, 0] == close(sum(found) / len(found))


@pytest.mark.parametrize("name", SUMS)
def test_the_variance_inside_ties(name):
    """Every order at once: a document has the mean weight of the ranks of its tie. Unjudged
    documents that may be relevant leave it unknown."""
    runs = hj.read_runs({"q": {"c": 2.0, "a": 1.0, "b": 1.0}}, ties="expected")
    scores = hj.evaluate(SOFT, runs, [name, f"{name}(unjudged=0.3)"])
    first, second, third = {"eRRBP": (0.2, 0.16, 0.128), "eRDCG": (1, 1, 1)}[name]
    tied = (second + third) / 2
    expected = first**2 * 0.9 * 0.1 + tied**2 * (0.5 * 0.5 + 0.25 * 0.75)
    assert scores.variance[0, 0, 0] == close(expected)
    assert math.isnan(scores.variance[1, 0, 0])


# What Scores say

TOPICS = {"1": {"a": 0.5, "b": 0.2}, "2": {"a": 0.3, "c": 0.9}, "3": {"b": 0.7}}
PART = {"1": {"a": 2.0, "b": 1.0}, "3": {"b": 1.0, "x": 0.5}}


def test_the_std_of_a_mean_over_topics():
    scores = hj.evaluate(TOPICS, {"all": TOPICS, "part": PART}, NAMES)
    assert scores.std == pytest.approx(np.sqrt(scores.variance))
    for i in range(len(NAMES)):
        for j in range(2):
            expected = loops.std_of_topic_mean(scores.variance[i, j])
            assert scores.mean_std()[i, j] == pytest.approx(expected)
    # A missing list is a certain 0.
    assert scores.variance[:, 1, 1].tolist() == [0, 0, 0]


def test_the_std_of_a_mean_over_the_topics_of_a_run():
    scores = hj.evaluate(TOPICS, PART, NAMES, topics="retrieved")
    for i in range(len(NAMES)):
        expected = loops.std_of_topic_mean(scores.variance[i, 0, [0, 2]])
        assert scores.mean_std()[i, 0] == pytest.approx(expected)


def test_measures_without_a_variance():
    labels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 1.0}}
    plain = hj.evaluate(labels, run, "AP")
    assert (plain.variance, plain.std, plain.mean_std(), plain.draws) == (None, None, None, {})
    mixed = hj.evaluate(labels, run, ["AP", "eRAP"])
    assert np.isnan(mixed.mean_std()[0, 0])
    assert mixed.mean_std()[1, 0] == 0


NOTHING_IN_2 = {"1": {"a": 0.5, "b": 0.2}, "2": {"a": 0.0, "b": 0.0}}
BOTH = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "x": 1.0}}


@pytest.mark.parametrize("name", [*NAMES, "eRAP(unjudged=0.5)"])
def test_a_topic_without_relevance_that_scores_0_adds_no_variance(name):
    scores = hj.evaluate(NOTHING_IN_2, BOTH, name, undefined="zero")
    assert scores.values[0, 0, 1] == 0
    first = scores.variance[0, 0, 0]
    assert first > 0
    assert scores.mean_std()[0, 0] == pytest.approx(math.sqrt(first) / 2)


@pytest.mark.parametrize("undefined", ["zero", "drop", "nan"])
@pytest.mark.parametrize(("name", "weight"), [("eRRBP", 0.16), ("eRDCG", 1.0)])
def test_a_sum_over_a_topic_without_relevance_is_what_unjudged_documents_add(
    name, weight, undefined
):
    """By hand: p = 0 at rank 1 and 1/2 (unjudged) at rank 2, of some weight."""
    scores = hj.evaluate(NOTHING_IN_2, BOTH, f"{name}(unjudged=0.5)", undefined=undefined)
    assert scores.values[0, 0, 1] == pytest.approx(weight / 2)
    assert scores.variance[0, 0, 1] == pytest.approx(weight**2 / 4)
    assert scores.variance[0, 0, 0] > 0
    expected = loops.std_of_topic_mean(scores.variance[0, 0])
    assert scores.mean_std()[0, 0] == pytest.approx(expected)


def test_an_undefined_topic_that_is_dropped():
    scores = hj.evaluate(NOTHING_IN_2, BOTH, "eRAP", undefined="drop")
    assert scores.mean_std()[0, 0] == pytest.approx(math.sqrt(scores.variance[0, 0, 0]))


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_over_a_topic_without_relevance_is_not_dropped(name):
    scores = hj.evaluate(NOTHING_IN_2, BOTH, name, undefined="drop")
    assert scores.values[0, 0, 1] == scores.variance[0, 0, 1] == 0
    assert scores.variance[0, 0, 0] > 0
    assert scores.mean_std()[0, 0] == pytest.approx(math.sqrt(scores.variance[0, 0, 0]) / 2)


def test_a_soft_topic_without_relevance_is_noted():
    assert "nothing-relevant" in [note.kind for note in hj.read_qrels(NOTHING_IN_2).notes]


def test_an_unknown_choice_is_refused_before_any_work():
    with pytest.raises(InputError, match="unjudged"):
        hj.evaluate(SOFT, ONE, "eRAP", unjudged="relevant")
