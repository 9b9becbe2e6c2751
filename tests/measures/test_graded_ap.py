"""Graded average precision: GAP, xGAP and eGAP against their loops and the paper's numbers (XG)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from hungjury.base.errors import MeasureError
from hungjury.data.judged import many_lists
from hungjury.measures.catalogue import CATALOGUE
from oracles import graded as naive_graded
from oracles import measures as naive

NAMES = ["GAP", "xGAP", "eGAP"]
LOOPS = {"GAP": naive_graded.gap, "xGAP": naive_graded.xgap, "eGAP": naive_graded.egap}


@st.composite
def laws(draw, size):
    """Probabilities of the thresholds 1 to `size`, often 0."""
    weights = draw(st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=size, max_size=size))
    weights = weights if any(weights) else [1] * size
    return [w / sum(weights) for w in weights]


def same(value, expected):
    if expected is None:
        return math.isnan(value)
    return math.isclose(value, expected, rel_tol=1e-11, abs_tol=1e-12)


def text(name, g):
    return f"{name}(g={list(g)})"


# Against the loops


@pytest.mark.parametrize("name", NAMES)
@examples(50)
@given(data=st.data(), top=st.integers(1, 4), cutoff=st.none() | st.integers(1, 12))
def test_one_list(name, data, top, cutoff):
    g = data.draw(laws(top))
    labels = data.draw(st.lists(st.none() | st.integers(-2, top), max_size=12))
    pool = [label for label in labels if label is not None]
    pool += data.draw(st.lists(st.integers(-2, top), max_size=6))
    m = CATALOGUE[name](g=g, cutoff=cutoff)
    assert same(hj.score_list(m, labels, pool), LOOPS[name](labels, pool, g, cutoff)), m


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
@examples(25)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_collection(simulate, unjudged, data, seed):
    made = simulate(seed)
    cutoff = data.draw(st.none() | st.integers(1, 12))
    chosen = [CATALOGUE[name](g=data.draw(laws(4)), cutoff=cutoff) for name in NAMES]
    qrels = hj.read_qrels(made.labels, grades=range(5))
    scores = hj.evaluate(qrels, made.runs, chosen, undefined="nan", unjudged=unjudged)
    for i, m in enumerate(chosen):
        for j, system in enumerate(scores.systems):
            for k, topic in enumerate(scores.topics):
                labels = made.ranked(system, topic)
                if unjudged == "condensed":
                    labels = naive.condensed(labels)
                expected = LOOPS[m.name](labels, made.pool(topic), m.g, cutoff)
                assert same(scores.values[i, j, k], expected), (m, system, topic)


# Laws

lists_of_grades = st.lists(st.none() | st.integers(-1, 3), min_size=1, max_size=10)


@pytest.mark.parametrize("name", NAMES)
@examples(40)
@given(labels=lists_of_grades, more=st.lists(st.integers(0, 3), max_size=4), k=st.integers(1, 3))
def test_users_of_one_threshold_give_ap_at_it(name, labels, more, k):
    """XG section 6.2: with a single g_i = 1 the three measures are one; g_1 = 1 is AP."""
    pool = [label for label in labels if label is not None] + [*more, 3]
    g = [float(i == k) for i in (1, 2, 3)]
    assert same(hj.score_list(text(name, g), labels, pool), naive.ap(labels, pool, rel=k))


@examples(40)
@given(labels=lists_of_grades, data=st.data())
def test_expected_graded_ap_is_the_mean_of_ap_over_users(labels, data):
    """XG equation 6; users to whom nothing in the pool is relevant see 0."""
    g = data.draw(laws(3))
    pool = [label for label in labels if label is not None] + [3]
    expected = sum(share * (naive.ap(labels, pool, rel=k) or 0) for k, share in enumerate(g, 1))
    assert same(hj.score_list(text("eGAP", g), labels, pool), expected)


@pytest.mark.parametrize("name", NAMES)
@examples(30)
@given(counts=st.lists(st.integers(0, 3), min_size=3, max_size=3), data=st.data())
def test_the_best_list_scores_1(name, counts, data):
    g = data.draw(laws(3))
    best = [3] * (counts[2] + 1) + [2] * counts[1] + [1] * counts[0]
    assert hj.score_list(text(name, g), [*best, 0, 0], [*best, 0, 0, 0]) == pytest.approx(1)


@pytest.mark.parametrize("name", NAMES)
@examples(30)
@given(labels=st.lists(st.none() | st.integers(0, 1), min_size=1, max_size=8))
def test_two_grades_are_ap(name, labels):
    pool = [label for label in labels if label is not None] + [1]
    assert same(hj.score_list(text(name, [1]), labels, pool), naive.ap(labels, pool))


# Corners


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("g", [[0, 0, 1], [0, 0.5, 0.5]])
def test_nothing_for_any_user_is_undefined(name, g):
    """The lowest threshold that anybody holds lies above the best grade of the pool."""
    labels = {"1": {"a": 1, "b": 0}, "2": {"a": 3, "b": 2, "c": 1}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    scores = hj.evaluate(labels, run, text(name, g), undefined="nan")
    assert math.isnan(scores.values[0, 0, 0])
    assert scores.values[0, 0, 1] > 0
    assert hj.evaluate(labels, run, text(name, g)).values[0, 0, 0] == 0
    assert math.isnan(hj.score_list(text(name, g), [1, 0, 1]))


@pytest.mark.parametrize("name", NAMES)
def test_users_beyond_the_pool_do_not_make_it_undefined(name):
    """g_3 > 0 without a document of grade 3: those users find nothing, the others are served."""
    labels, pool, g = [1, 0, 2], [1, 0, 2, 1], [0.2, 0.3, 0.5]
    expected = LOOPS[name](labels, pool, g)
    value = hj.score_list(text(name, g), labels, pool)
    assert value == pytest.approx(expected)
    assert value > 0


def test_grades_below_every_threshold_take_up_ranks():
    """By hand, g = (0, 1): (1, 2) has its only document of grade 2 at rank 2."""
    assert [hj.score_list(text(name, [0, 1]), [1, 2]) for name in NAMES] == [0.5, 0.5, 0.5]


def test_an_example_by_hand():
    """(1, 2), g = (0.4, 0.6), no other documents: G = 0.4, 1; RB = 2, 1."""
    value = {name: hj.score_list(text(name, [0.4, 0.6]), [1, 2]) for name in NAMES}
    assert value["GAP"] == pytest.approx((0.4 + (0.4 + 1) / 2) / 1.4)
    assert value["xGAP"] == pytest.approx(0.2 / 0.4 * 0.4 + (0.2 + 0.6) / 1 * (0.4 + 1) / 2)
    assert value["eGAP"] == pytest.approx(0.4 * 1 + 0.6 / 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_cutoff_leaves_the_recall_base_whole(name):
    whole = [2, 1, 0, 1]
    found = hj.score_list(f"{text(name, [0.4, 0.6])}@2", whole)
    assert found == pytest.approx(LOOPS[name](whole[:2], whole, [0.4, 0.6]))


# Numbers of the paper


def one_key_document_at_the_end(name, n, g):
    labels = np.array([[1] * n + [2]], dtype=np.int16)
    return float(hj.measure(text(name, g))(many_lists(labels, labels[0], 2))[0])


@pytest.mark.parametrize(("name", "value"), [("xGAP", 0.1971), ("eGAP", 0.1089), ("GAP", 0.9190)])
def test_many_documents_of_grade_1_before_one_of_grade_2(name, value):
    """The run of XG section 3 (end) and section 4 (after equation 5), at n = 100."""
    found = one_key_document_at_the_end(name, 100, [0.1, 0.9])
    assert found == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("g2", [0.1, 0.5, 0.9])
def test_its_limits(g2):
    """XG section 3: GAP tends to 1 whatever g; section 4: xGAP to 1 - g_2^2; eGAP to g_1."""
    g = [1 - g2, g2]
    limits = {"GAP": 1, "xGAP": 1 - g2**2, "eGAP": 1 - g2}
    for name, limit in limits.items():
        error = [abs(one_key_document_at_the_end(name, n, g) - limit) for n in (100, 1000, 100_000)]
        assert error[0] > error[1] > error[2]
        assert error[2] < 2e-4


# Real lists


def test_real_lists(shared_data):
    folder = shared_data / "dl21"
    runs = hj.read_runs(sorted((folder / "runs").glob("*.gz"))[:6], score_precision="single")
    qrels = hj.read_qrels(folder / "qrels.nist.txt")
    g = [0.2, 0.3, 0.5]
    names = [text("eGAP", g), *(f"AP(rel={k})" for k in (1, 2, 3))]
    names += [text(name, [0, 1, 0]) for name in NAMES]
    values = hj.evaluate(qrels, runs, names).values
    np.testing.assert_allclose(values[0], np.tensordot(g, values[1:4], 1), rtol=1e-11, atol=1e-12)
    for one in values[4:]:
        np.testing.assert_allclose(one, values[2], rtol=1e-11, atol=1e-12)


# Errors


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "g", [[0.5, 0.4], [0.5, 0.5, 0.5], [1.5, -0.5], [-1, 2], [0, 0], [], 0.5, "half", [math.nan, 1]]
)
def test_thresholds_that_are_no_law(name, g):
    with pytest.raises(MeasureError) as caught:
        CATALOGUE[name](g=g)
    assert "g is" in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("name", NAMES)
def test_sums_may_be_rounded(name):
    assert CATALOGUE[name](g=[0.1] * 10).g == (0.1,) * 10


@pytest.mark.parametrize("name", NAMES)
def test_thresholds_are_needed(name):
    with pytest.raises(MeasureError, match=r"needs g\n.*g=\.\.\."):
        hj.measure(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("g", [[1], [0.2, 0.3, 0.5]])
def test_one_threshold_a_grade(name, g):
    with pytest.raises(MeasureError, match=f"g has {len(g)} value.*largest grade is 2") as caught:
        hj.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1.0}}, text(name, g))
    assert "a probability for each grade above 0" in caught.value.remedy


@pytest.mark.parametrize("name", NAMES)
def test_a_declared_scale_counts(name):
    labels = hj.read_qrels({"q": {"a": 2, "b": 1}}, grades=range(4))
    value = hj.evaluate(labels, {"q": {"b": 1.0, "a": 0.5}}, text(name, [0.2, 0.3, 0.5])).values
    assert value[0, 0, 0] == pytest.approx(LOOPS[name]([1, 2], [2, 1], [0.2, 0.3, 0.5]))


@pytest.mark.parametrize("name", NAMES)
def test_written_and_read_back(name):
    m = CATALOGUE[name](g=[0.1, 0.9], cutoff=10)
    assert str(m) == f"{name}(g=[0.1, 0.9])@10"
    assert hj.measure(str(m)) == m
