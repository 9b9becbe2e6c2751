"""Rank-biased overlap against loops, published values and its own laws."""

import importlib
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hungjury.base.errors import InputError
from hungjury.stats.overlap import rbo
from oracles import stats as naive_stats

VARIANTS = ("a", "b", "w")


@st.composite
def rankings(draw, most=6):
    """A ranking as groups of ties, of items out of 0..7."""
    items = draw(st.lists(st.integers(0, 7), min_size=1, max_size=most, unique=True))
    cuts = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    groups = [[items[0]]]
    for item, cut in zip(items[1:], cuts[1:], strict=True):
        if cut:
            groups.append([item])
        else:
            groups[-1].append(item)
    return groups


persistence = st.floats(0.01, 0.99)


def flat(groups):
    return list(itertools.chain(*groups))


@given(rankings(8), rankings(8), persistence, st.sampled_from(VARIANTS))
def test_it_is_the_loop(one, other, p, ties):
    expected = naive_stats.rbo(one, other, p, ties)
    assert rbo(one, other, p, ties) == pytest.approx(expected, abs=1e-12)


@given(rankings(8), rankings(8), persistence)
def test_without_ties_all_variants_are_the_printed_formula(one, other, p):
    expected = naive_stats.rbo_untied(flat(one), flat(other), p)
    for ties in VARIANTS:
        assert rbo(flat(one), flat(other), p, ties) == pytest.approx(expected, abs=1e-12)


@given(rankings(5), rankings(5), persistence)
def test_variant_a_is_the_mean_over_all_orders(one, other, p):
    length = min(len(flat(one)), len(flat(other)))
    # To one length: below the end of the shorter list the published rule is another one.
    one, other = cut_to(one, length), cut_to(other, length)
    expected = naive_stats.rbo_over_orders(one, other, p)
    assert rbo(one, other, p) == pytest.approx(expected, abs=1e-12)


@given(rankings(4), st.lists(st.integers(0, 7), min_size=4, max_size=8, unique=True), persistence)
def test_variant_a_is_the_mean_over_orders_if_the_longer_list_is_untied(one, other, p):
    expected = naive_stats.rbo_over_orders(one, [[item] for item in other], p)
    assert rbo(one, other, p) == pytest.approx(expected, abs=1e-12)


def cut_to(groups, length):
    result = []
    for group in groups:
        result.append(group[:length])
        length -= len(result[-1])
    return [group for group in result if group]


def test_published_values():
    """Corsi and Urbano's own software on these rankings, six decimals."""
    one = ["r", {"b", "g"}, "y", "p"]
    other = [("b", "r"), "w", ["y", "k", "u"], "g"]
    assert [round(rbo(one, other, 0.95, ties), 6) for ties in VARIANTS] == [
        *(0.692285, 0.720713, 0.706826)
    ]
    # The longer list ends in ties, below the end of the shorter one.
    one = [[3, 5, 6, 8, 9]]
    other = [[1, 6], [8, 10], 11, 2, [3, 4]]
    assert [round(rbo(one, other, 0.946588158477176, ties), 6) for ties in VARIANTS] == [
        *(0.456505, 0.482684, 0.481478)
    ]
    one = [[4, 9, 10, 11, 14, 15]]
    other = [[4, 5, 11], [1, 2, 3, 6, 7, 8]]
    assert [round(rbo(one, other, 0.918979851032563, ties), 6) for ties in VARIANTS] == [
        *(0.305858, 0.391164, 0.331300)
    ]


@given(rankings(), rankings(), persistence, st.sampled_from(VARIANTS))
def test_laws(one, other, p, ties):
    value = rbo(one, other, p, ties)
    assert isinstance(value, float)
    assert 0 <= value <= 1
    assert rbo(other, one, p, ties) == pytest.approx(value, abs=1e-12)
    renamed = [[[f"d{item}" for item in group] for group in ranking] for ranking in (one, other)]
    assert rbo(*renamed, p, ties) == pytest.approx(value, abs=1e-12)
    turned = [[group[::-1] for group in ranking] for ranking in (one, other)]
    assert rbo(*turned, p, ties) == pytest.approx(value, abs=1e-12)
    if not set(flat(one)) & set(flat(other)):
        assert value == 0


@given(rankings(), rankings(), persistence)
def test_variant_b_is_never_below_a(one, other, p):
    assert rbo(one, other, p, "b") >= rbo(one, other, p, "a") - 1e-12


@given(rankings(), persistence)
def test_a_ranking_agrees_with_itself(ranking, p):
    assert rbo(ranking, ranking, p, "b") == pytest.approx(1, abs=1e-12)
    assert rbo(ranking, ranking, p, "w") == pytest.approx(1, abs=1e-12)
    assert rbo(flat(ranking), flat(ranking), p) == pytest.approx(1, abs=1e-12)
    tied = any(len(group) > 1 for group in ranking)
    assert (rbo(ranking, ranking, p, "a") < 1 - 1e-9) == tied or p < 0.05


@given(rankings(), rankings(), st.sampled_from(VARIANTS))
def test_scores_say_the_same_as_groups(one, other, ties):
    scores = [
        {item: -float(place) for place, group in enumerate(ranking) for item in group}
        for ranking in (one, other)
    ]
    assert rbo(*scores, ties=ties) == pytest.approx(rbo(one, other, ties=ties), abs=1e-12)
    assert rbo(scores[0], other, ties=ties) == pytest.approx(rbo(one, other, ties=ties), abs=1e-12)


def test_the_top_weighs_more():
    truth = list("abcdef")
    assert rbo(truth, list("abcdfe")) > rbo(truth, list("bacdef"))
    assert rbo(["a"], ["b"]) == 0
    assert rbo(["a", "b"], ["c"]) == 0


def test_small_blocks_change_nothing(monkeypatch):
    one, other = [[1, 2], 3, [4, 5, 6]], [2, [7, 1], 8, [9, 3, 10], 4]
    whole = [rbo(one, other, 0.9, ties) for ties in VARIANTS]
    monkeypatch.setattr(importlib.import_module("hungjury.stats.overlap"), "CELLS_AT_ONCE", 3)
    assert [rbo(one, other, 0.9, ties) for ties in VARIANTS] == pytest.approx(whole, abs=1e-15)


@pytest.mark.parametrize(
    ("one", "other", "options", "words"),
    [
        (["a"], ["a"], {"p": 0}, "p is 0"),
        (["a"], ["a"], {"p": 1}, "p is 1"),
        (["a"], ["a"], {"p": math.nan}, "p is nan"),
        (["a"], ["a"], {"ties": "c"}, "'c' for ties"),
        ([], ["a"], {}, "ranking a is empty"),
        (["a"], {}, {}, "ranking b is empty"),
        (["a"], ["b", ["c", "b"]], {}, "ranking b holds 'b' more than once"),
        (["a", []], ["b"], {}, "empty group"),
        ({"a": 1.0, "b": math.nan}, ["b"], {}, "score of 'b' is NaN"),
        ("abc", ["b"], {}, "one string"),
    ],
)
def test_bad_input_is_named(one, other, options, words):
    with pytest.raises(InputError, match=words):
        rbo(one, other, **options)
