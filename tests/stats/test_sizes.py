"""Intervals and effect sizes of paired differences, against scipy, loops and known truth."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hungjury.base.errors import InputError
from hungjury.stats import paired as paired_sizes
from hungjury.stats.paired import (
    bootstrap_interval,
    cohens_d,
    randomisation_interval,
    rank_biserial,
    t_interval,
)
from hungjury.stats.resampling import resample_counts
from oracles import stats as naive_stats

INTERVALS = [t_interval, randomisation_interval, bootstrap_interval]
tenths = st.integers(-5, 5).map(lambda n: n / 10)
differences_of_some_topics = st.lists(tenths, min_size=6, max_size=9)
alphas = st.sampled_from([0.05, 0.1, 0.25])


def test_students_interval_is_scipys():
    table = np.random.default_rng(3).normal(0.1, 0.3, (2, 3, 25))
    expected = scipy.stats.ttest_1samp(table, 0, axis=-1).confidence_interval(0.9)
    low, high = t_interval(table, alpha=0.1)
    np.testing.assert_allclose(low, expected.low, rtol=1e-12)
    np.testing.assert_allclose(high, expected.high, rtol=1e-12)


@given(differences_of_some_topics, alphas)
@example([0.1, 0.2, 0.3, 0.4, 0.5, 0.5], 0.05)
def test_randomisation_intervals_hold_what_the_test_does_not_reject(differences, alpha):
    low, high = randomisation_interval(differences, alpha)

    def p(mean):
        return naive_stats.randomisation([d - mean for d in differences])

    assert p(low) >= alpha
    assert p(high) >= alpha
    assert p(low - 1e-6) < alpha
    assert p(high + 1e-6) < alpha


@settings(max_examples=40)
@given(differences_of_some_topics, alphas, st.integers(0, 99))
@example([0.0, 0.0, 0.0, 0.0, 0.0, 0.1], 0.1, 0)  # a resample of equal values has no spread
def test_bootstrap_intervals_hold_what_the_test_does_not_reject(differences, alpha, seed):
    samples = 40
    counts = resample_counts(len(differences), samples, seed)
    low, high = bootstrap_interval(differences, alpha, samples, seed)

    def p(mean):
        return naive_stats.studentised_bootstrap([d - mean for d in differences], counts)[0]

    if math.isfinite(low):
        spread = max(differences) - min(differences)
        inside, outside = 1e-7 * spread, 1e-6 * (spread or 1)
        assert p(low + inside) >= alpha
        assert p(high - inside) >= alpha
        assert p(low - outside) < alpha
        assert p(high + outside) < alpha


@pytest.mark.parametrize("cells", [2**21, 1])
def test_large_randomisation_intervals_sample(cells, monkeypatch):
    monkeypatch.setattr(paired_sizes, "CELLS_AT_ONCE", cells)
    differences = np.random.default_rng(5).normal(0.4, 1, (2, 12))
    exact = randomisation_interval(differences, samples=5000)
    sampled = randomisation_interval(differences, samples=4000, rng=1)
    np.testing.assert_allclose(sampled, exact, atol=0.06)
    assert (np.array(sampled) != np.array(exact)).any()


def test_a_test_that_cannot_reject_has_an_infinite_interval():
    # 2 of 2**5 sign patterns are as extreme as five equal signs: more than 5 %.
    assert randomisation_interval([1, 2, 3, 4, 5.0]) == (-math.inf, math.inf)
    assert math.isfinite(randomisation_interval([1, 2, 3, 4, 5.0, 6])[0])
    assert randomisation_interval(np.arange(30.0), samples=9) == (-math.inf, math.inf)
    assert bootstrap_interval([1.0, 2.0]) == (-math.inf, math.inf)


@pytest.mark.parametrize("interval", INTERVALS)
def test_differences_without_spread_have_no_width(interval):
    assert interval(np.zeros(20)) == (0, 0)
    assert interval(np.full(20, 0.1)) == (pytest.approx(0.1), pytest.approx(0.1))


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("draw", ["normal", "skewed"])
def test_intervals_cover_the_truth(interval, draw):
    rng = np.random.default_rng(8)
    shape = (600, 50)
    noise = rng.normal(size=shape) if draw == "normal" else rng.exponential(size=shape) - 1
    extra = {} if interval is t_interval else {"samples": 999}
    low, high = interval(0.2 + noise, **extra)
    covered = np.mean((low <= 0.2) & (high >= 0.2))
    # Binomial noise of 600 repetitions is 0.9 %; skewness costs about one more.
    assert 0.92 <= covered <= 0.98


@given(st.lists(tenths, min_size=2, max_size=9))
@example([0.1, 0.1, 0.1])
@example([-0.3, -0.3])
@example([0.0, 0.0])
def test_effect_sizes_are_those_of_loops(differences):
    assert cohens_d(differences) == pytest.approx(naive_stats.cohens_d(differences))
    assert rank_biserial(differences) == pytest.approx(naive_stats.rank_biserial(differences))


def test_effects_of_many_pairs_are_those_of_each():
    table = np.round(np.random.default_rng(1).normal(0.1, 0.3, (2, 3, 12)), 1)
    for effect in (cohens_d, rank_biserial):
        found = effect(table)
        assert found.shape == (2, 3)
        assert found[1, 2] == effect(table[1, 2])
    assert rank_biserial([1, 2, 3.0]) == 1
    assert rank_biserial([-1, -2, 0.0]) == -1


@pytest.mark.parametrize("interval", INTERVALS)
def test_what_makes_no_sense_is_refused(interval):
    with pytest.raises(InputError, match="2 needed"):
        interval([1.0])
    with pytest.raises(InputError, match="alpha is 1"):
        interval([1.0, 2.0], 1)
    if interval is not t_interval:
        said = "samples must be an integer from 1 to 1,000,000, got 0"
        with pytest.raises(InputError, match=said):
            interval([1.0, 2.0], samples=0)


def test_intervals_are_at_95_percent_unless_told_otherwise():
    differences = np.random.default_rng(4).normal(0.1, 0.3, 20)
    assert t_interval(differences) == t_interval(differences, 0.05)
    for interval in (bootstrap_interval, randomisation_interval):
        assert interval(differences, samples=300) == interval(differences, 0.05, samples=300)
