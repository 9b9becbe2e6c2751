"""Kendall's tau, tau_ap, RMSE and rank-biased overlap against loops, scipy and their own laws."""

import importlib
import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from builders.examples import examples
from hungjury.base.errors import InputError
from hungjury.stats import kendall, rbo, rmse, tau_ap
from hungjury.stats.correlation import kendall_cross, tau_ap_cross
from oracles import stats as naive_stats

# Few levels and few items: ties are common and all orders can be listed.
level = st.integers(0, 3)
short_pair = st.integers(2, 5).flatmap(
    lambda n: st.tuples(st.lists(level, min_size=n, max_size=n), st.permutations(range(n)))
)
tied_pair = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*[st.lists(level, min_size=n, max_size=n)] * 2)
)
long_pair = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-20, 20), min_size=n, max_size=n)] * 2)
)


@examples(40)
@given(long_pair)
def test_kendall_is_the_loop_and_scipy(pair):
    x, y = pair
    assert kendall(x, y, "a") == pytest.approx(naive_stats.kendall(x, y, "a"), abs=1e-12)
    value = kendall(x, y)
    assert value == pytest.approx(naive_stats.kendall(x, y), abs=1e-12, nan_ok=True)
    assert value == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12, nan_ok=True)


@examples(40)
@given(tied_pair)
def test_tau_ap_is_the_mean_over_all_orders_of_both(pair):
    estimate, truth = pair
    assert tau_ap(estimate, truth) == pytest.approx(naive_stats.tau_ap(estimate, truth), abs=1e-12)


@examples(40)
@given(short_pair)
def test_tau_ap_with_ties_on_one_side_only(pair):
    tied, untied = pair
    assert tau_ap(tied, untied) == pytest.approx(naive_stats.tau_ap(tied, untied), abs=1e-12)
    assert tau_ap(untied, tied) == pytest.approx(naive_stats.tau_ap(untied, tied), abs=1e-12)


def test_known_values():
    assert tau_ap((3, 2, 2, 1), (4, 3, 3, 1)) == pytest.approx(5 / 6, abs=1e-12)
    # A swap at the top of four costs more than one at the bottom: 1/3 of 2 against 1/9 of 2.
    truth = (4, 3, 2, 1)
    assert tau_ap((3, 4, 2, 1), truth) == pytest.approx(1 / 3)
    assert tau_ap((4, 3, 1, 2), truth) == pytest.approx(7 / 9)
    assert kendall((3, 4, 2, 1), truth) == kendall((4, 3, 1, 2), truth) == pytest.approx(2 / 3)
    # The two arguments are not alike: this order is walked from the top of the estimate.
    assert tau_ap((2, 1, 3), (3, 2, 1)) != pytest.approx(tau_ap((3, 2, 1), (2, 1, 3)))


@examples(40)
@given(long_pair, st.randoms(use_true_random=False))
def test_laws(pair, random):
    x, y = np.array(pair[0], float), np.array(pair[1], float)
    order = np.array(random.sample(range(len(x)), len(x)))
    for function in (kendall, tau_ap):
        value = function(x, y)
        assert isinstance(value, float)
        assert math.isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12
        same = pytest.approx(value, abs=1e-12, nan_ok=True)
        assert function(x[order], y[order]) == same
        assert function(np.exp(x / 10), y**3) == same
        assert -function(x, -y) == same
    assert kendall(y, x) == pytest.approx(kendall(x, y), abs=1e-12, nan_ok=True)


@examples(40)
@given(st.integers(2, 200))
def test_perfect_orders(items):
    x = np.arange(items)
    assert kendall(x, x) == 1.0
    assert kendall(x, -x) == -1.0
    assert tau_ap(x, x) == pytest.approx(1, abs=1e-12)
    assert tau_ap(x, -x) == pytest.approx(-1, abs=1e-12)


def test_constant_vectors():
    varied, constant = [3, 1, 2], [5, 5, 5]
    assert math.isnan(kendall(varied, constant))
    assert math.isnan(kendall(constant, varied))
    assert kendall(varied, constant, "a") == 0
    assert tau_ap(varied, constant) == 0
    assert tau_ap(constant, varied) == 0


def test_infinities_are_ordinary_extremes():
    x = [math.inf, math.inf, 1, -math.inf]
    assert kendall(x, [9, 9, 1, 0]) == 1
    assert tau_ap(x, [9, 9, 1, 0]) == tau_ap([9, 9, 1, 0], [9, 9, 1, 0])


def test_broadcasting_is_one_at_a_time():
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 5, (3, 1, 6)), rng.integers(0, 5, (4, 6))
    for function in (kendall, tau_ap):
        table = function(first, second)
        assert table.shape == (3, 4)
        expected = [[function(x, y) for y in second] for x in first[:, 0]]
        np.testing.assert_allclose(table, expected, atol=1e-12)
        np.testing.assert_allclose(function(first, second[1]), table[:, 1:2], atol=1e-12)
        np.testing.assert_allclose(function(first[2, 0], second), table[2], atol=1e-12)
    loops = [[naive_stats.kendall(x, y) for y in second] for x in first[:, 0]]
    np.testing.assert_allclose(kendall(first, second), loops, atol=1e-12)


def test_rows_of_two_tables_are_compared_one_by_one():
    rng = np.random.default_rng(7)
    first, second = rng.integers(0, 5, (3, 6)), rng.integers(0, 5, (3, 6))
    for function, loop in ((kendall, naive_stats.kendall), (tau_ap, naive_stats.tau_ap)):
        expected = [loop(x, y) for x, y in zip(first.tolist(), second.tolist(), strict=True)]
        np.testing.assert_allclose(function(first, second), expected, atol=1e-12)


@pytest.mark.parametrize("variant", ["a", "b"])
def test_cross_compares_every_row_with_every_row(variant):
    rng = np.random.default_rng(6)
    first, second = rng.integers(0, 5, (2, 3, 6)), rng.integers(0, 5, (1, 4, 6))
    one, other = first[:, :, None], second[:, None]
    table = kendall_cross(first, second, variant)
    assert table.shape == (2, 3, 4)
    np.testing.assert_allclose(table, kendall(one, other, variant), atol=1e-12)
    np.testing.assert_allclose(tau_ap_cross(first, second), tau_ap(one, other), atol=1e-12)


def test_no_rows_give_no_values():
    assert kendall(np.empty((0, 4)), [1, 2, 3, 4]).shape == (0,)
    assert tau_ap_cross(np.empty((0, 4)), np.ones((2, 4))).shape == (0, 2)


def test_many_items_in_several_blocks():
    rng = np.random.default_rng(7)
    x, y = rng.integers(0, 900, 3000), rng.integers(0, 900, 3000)
    assert kendall(x, y) == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)


def test_sampled_ties_come_near_the_exact_value():
    rng = np.random.default_rng(8)
    estimate, truth = rng.integers(0, 4, (5, 20)), rng.integers(0, 4, 20)
    exact = tau_ap(estimate, truth)
    sampled = tau_ap(estimate, truth, ties="sampled", samples=2000, seed=1)
    np.testing.assert_allclose(sampled, exact, atol=0.02)
    few = tau_ap(estimate, truth, ties="sampled", samples=3, seed=1)
    assert (few != sampled).all()
    np.testing.assert_array_equal(few, tau_ap(estimate, truth, ties="sampled", samples=3, seed=1))
    assert (few != tau_ap(estimate, truth, ties="sampled", samples=3, seed=2)).any()


@examples(40)
@given(st.permutations(range(8)), st.permutations(range(8)))
def test_sampling_without_ties_changes_nothing(estimate, truth):
    sampled = tau_ap(estimate, truth, ties="sampled", samples=2)
    assert sampled == pytest.approx(tau_ap(estimate, truth), abs=1e-12)


@examples(40)
@given(long_pair)
def test_rmse_is_the_loop(pair):
    x, y = pair
    assert rmse(x, y) == pytest.approx(naive_stats.rmse(x, y), abs=1e-12)
    np.testing.assert_allclose(rmse([x, y], y), [rmse(x, y), 0], atol=1e-12)
    assert rmse(x, x) == 0


@pytest.mark.parametrize("function", [kendall, tau_ap, rmse])
@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([1, 2, 3], [1, 2], "3 items"),
        ([1, math.nan], [1, 2], "index \\(1,\\)"),
        ([1, 2], [[3, 4], [5, math.nan]], "index \\(1, 1\\)"),
        ([], [], "0 item"),
        (1, 2, "single number"),
        (["a", "b"], [1, 2], "not an array of numbers"),
        ([[1, 2], [3]], [1, 2], "not an array of numbers"),
        (np.ones((2, 4)), np.ones((3, 4)), "leading axes"),
    ],
)
def test_bad_input_is_named(function, x, y, words):
    with pytest.raises(InputError, match=words):
        function(x, y)


@pytest.mark.parametrize("function", [kendall, tau_ap])
def test_one_item_has_no_order(function):
    with pytest.raises(InputError, match="2 needed"):
        function([1], [1])
    assert rmse([1], [3]) == 2


def test_bad_choices_are_named():
    with pytest.raises(InputError, match="'c' for variant"):
        kendall([1, 2], [1, 2], "c")
    with pytest.raises(InputError, match="'none' for ties"):
        tau_ap([1, 2], [1, 2], ties="none")
    with pytest.raises(InputError, match="samples must be an integer from 1 to 1,000,000, got 0"):
        tau_ap([1, 2], [1, 2], ties="sampled", samples=0)
    with pytest.raises(InputError, match="one vector"):
        kendall_cross([1, 2], [[1, 2]])
    with pytest.raises(InputError, match="leading axes"):
        tau_ap_cross(np.ones((2, 3, 4)), np.ones((3, 3, 4)))
    with pytest.raises(InputError, match="inf at index"):
        rmse([1, math.inf], [1, 2])


# Rank-biased overlap against loops, published values and its own laws.


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


@examples(40)
@given(rankings(8), rankings(8), persistence, st.sampled_from(VARIANTS))
def test_it_is_the_loop(one, other, p, ties):
    expected = naive_stats.rbo(one, other, p, ties)
    assert rbo(one, other, p, ties) == pytest.approx(expected, abs=1e-12)


@examples(40)
@given(rankings(8), rankings(8), persistence)
def test_without_ties_all_variants_are_the_printed_formula(one, other, p):
    expected = naive_stats.rbo_untied(flat(one), flat(other), p)
    for ties in VARIANTS:
        assert rbo(flat(one), flat(other), p, ties) == pytest.approx(expected, abs=1e-12)


@examples(40)
@given(rankings(5), rankings(5), persistence)
def test_variant_a_is_the_mean_over_all_orders(one, other, p):
    length = min(len(flat(one)), len(flat(other)))
    # To one length: below the end of the shorter list the published rule is another one.
    one, other = cut_to(one, length), cut_to(other, length)
    expected = naive_stats.rbo_over_orders(one, other, p)
    assert rbo(one, other, p) == pytest.approx(expected, abs=1e-12)


@examples(40)
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


@examples(40)
@given(rankings(), rankings(), persistence, st.sampled_from(VARIANTS))
def test_laws_of_overlap(one, other, p, ties):
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


@examples(40)
@given(rankings(), rankings(), persistence)
def test_variant_b_is_never_below_a(one, other, p):
    assert rbo(one, other, p, "b") >= rbo(one, other, p, "a") - 1e-12


@examples(40)
@given(rankings(), persistence)
def test_a_ranking_agrees_with_itself(ranking, p):
    assert rbo(ranking, ranking, p, "b") == pytest.approx(1, abs=1e-12)
    assert rbo(ranking, ranking, p, "w") == pytest.approx(1, abs=1e-12)
    assert rbo(flat(ranking), flat(ranking), p) == pytest.approx(1, abs=1e-12)
    tied = any(len(group) > 1 for group in ranking)
    assert (rbo(ranking, ranking, p, "a") < 1 - 1e-9) == tied or p < 0.05


@examples(40)
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
        (["a"], ["b", ["c", "b"]], {}, "ranking b contains 'b' more than once"),
        (["a", []], ["b"], {}, "empty group"),
        ({"a": 1.0, "b": math.nan}, ["b"], {}, "score of 'b' is NaN"),
        ("abc", ["b"], {}, "invalid value 'abc' for a"),
    ],
)
def test_bad_rankings_are_named(one, other, options, words):
    with pytest.raises(InputError, match=words):
        rbo(one, other, **options)
