"""Bootstrap, paired tests, intervals, effect sizes and adjustments, against loops and scipy."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

from builders.examples import examples
from hungjury.base.errors import InputError
from hungjury.stats import paired as paired_sizes
from hungjury.stats import paired as paired_tests
from hungjury.stats import resampling as bootstrap
from hungjury.stats.multiple import benjamini_hochberg, bonferroni, holm, randomised_tukey
from hungjury.stats.paired import (
    bootstrap_interval,
    bootstrap_test,
    cohens_d,
    randomisation_interval,
    randomisation_test,
    rank_biserial,
    studentised_bootstrap,
    t_interval,
    t_test,
    wilcoxon,
)
from hungjury.stats.resampling import bootstrap_means, interval, resample_counts
from oracles import stats as naive_stats

TESTS = [t_test, wilcoxon, randomisation_test, bootstrap_test]

tenths = st.integers(-5, 5).map(lambda n: n / 10)
few_differences = st.lists(tenths, min_size=2, max_size=9)
pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def some_differences(shape=(2, 3, 25), seed=3):
    """Ordinary rows, one with ties and zeros, one without any difference."""
    table = np.random.default_rng(seed).normal(0.1, 0.3, shape)
    table[0, 1] = np.round(table[0, 1], 1)
    table[1, 2] = 0
    return table


# Bootstrap


def test_counts_draw_every_topic_alike():
    counts = resample_counts(7, 4000, rng=1)
    assert counts.shape == (4000, 7)
    assert (counts.sum(axis=1) == 7).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.06)
    np.testing.assert_allclose(counts.var(axis=0), 6 / 7, atol=0.1)


@pytest.mark.parametrize("cells", [2**22, 11])
def test_bootstrap_means_are_means_of_drawn_topics(cells, monkeypatch):
    monkeypatch.setattr(bootstrap, "CELLS_AT_ONCE", cells)
    values = np.random.default_rng(2).random((2, 3, 5))
    means = bootstrap_means(values, draws=21, rng=9)
    assert means.shape == (21, 2, 3)
    counts = resample_counts(5, 21, rng=9)
    for draw, s, m in np.ndindex(21, 2, 3):
        sample = naive_stats.drawn(values[s, m], counts[draw])
        assert means[draw, s, m] == pytest.approx(np.mean(sample))


def test_bootstrap_means_spread_as_the_standard_error():
    values = np.random.default_rng(4).random(40)
    means = bootstrap_means(values, draws=4000, rng=np.random.default_rng(1))
    assert means.std() == pytest.approx(values.std() / math.sqrt(40), rel=0.05)
    assert means.mean() == pytest.approx(values.mean(), abs=0.005)


def test_interval():
    assert interval(np.arange(101), 0.9) == (pytest.approx(5), pytest.approx(95))
    samples = np.random.default_rng(0).random((50, 3))
    low, high = interval(samples, 0.8)
    np.testing.assert_allclose(low, np.percentile(samples, 10, axis=0))
    np.testing.assert_allclose(high, np.percentile(samples, 90, axis=0))
    np.testing.assert_allclose(interval(samples.T, 0.8, axis=1), (low, high))


# Tests on differences


def test_t_test_is_scipys():
    table = some_differences()
    expected = scipy.stats.ttest_1samp(table, 0, axis=-1).pvalue
    expected[1, 2] = 1
    np.testing.assert_allclose(t_test(table), expected, rtol=1e-9)


@pytest.mark.parametrize("topics", [6, 25, 60])
def test_wilcoxon_is_scipys_one_row_at_a_time(topics):
    table = some_differences((2, 3, topics))
    values = wilcoxon(table)
    for index in np.ndindex(2, 3):
        alone = 1.0 if index == (1, 2) else scipy.stats.wilcoxon(table[index]).pvalue
        assert values[index] == pytest.approx(alone, rel=1e-12)


@examples(40)
@given(few_differences)
def test_small_randomisation_tests_list_all_patterns(differences):
    expected = naive_stats.randomisation(differences)
    assert randomisation_test(differences) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cells", [2**21, 1])
def test_large_randomisation_tests_sample(cells, monkeypatch):
    monkeypatch.setattr(paired_tests, "CELLS_AT_ONCE", cells)
    differences = np.random.default_rng(5).normal(0.4, 1, (3, 12))
    exact = [naive_stats.randomisation(row) for row in differences]
    sampled = randomisation_test(differences, samples=4000, rng=1)
    np.testing.assert_allclose(sampled, exact, atol=0.025)
    assert (sampled != randomisation_test(differences, samples=4000, rng=2)).any()
    # The observed pattern is one of the samples: p is never 0.
    assert randomisation_test(np.ones(30), samples=99) == 0.01


@examples(40)
@given(few_differences, st.integers(0, 99))
@example([0.1, 0.2, -0.3], 0)  # a mean that is 0 but for rounding
@example([0.1, 0.0, 0.0], 0)  # a sample with the first topic twice has the same t, but for rounding
@example([0.3, 0.0, 0.0], 1)
@example([0.0, 0.7, 0.0], 2)
def test_the_studentised_bootstrap_is_the_loop(differences, seed):
    counts = resample_counts(len(differences), 40, seed)
    expected = naive_stats.studentised_bootstrap(differences, counts, alpha=0.1)
    assert bootstrap_test(differences, samples=40, rng=seed) == pytest.approx(expected[0])


@pytest.mark.parametrize("cells", [2**21, 1])
def test_the_difference_needed_is_the_loop(cells, monkeypatch):
    monkeypatch.setattr(paired_tests, "CELLS_AT_ONCE", cells)
    table = np.random.default_rng(6).normal(0.2, 1, (4, 15))
    counts = resample_counts(15, 80, rng=3)
    result = studentised_bootstrap(table, samples=80, rng=3)
    expected = np.array([naive_stats.studentised_bootstrap(row, counts) for row in table])
    np.testing.assert_allclose(result.p, expected[:, 0])
    np.testing.assert_allclose(result.needed, expected[:, 1])


def test_the_bootstrap_test_agrees_with_the_t_test_on_ordinary_data():
    table = np.random.default_rng(7).normal(0.25, 1, (6, 60))
    np.testing.assert_allclose(bootstrap_test(table, samples=4000), t_test(table), atol=0.03)


@pytest.mark.parametrize("test", TESTS)
def test_laws_of_tests(test):
    table = some_differences()
    values = test(table)
    assert values.shape == (2, 3)
    assert ((values >= 0) & (values <= 1)).all()
    for index in np.ndindex(2, 3):
        alone = test(table[index])
        assert isinstance(alone, float)
        assert alone == pytest.approx(values[index], abs=1e-12)
    np.testing.assert_allclose(test(-table), values, atol=1e-12)
    np.testing.assert_allclose(test(table * 7), values, atol=1e-12)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("topics", [2, 5, 40])
def test_identical_systems_have_p_one(test, topics):
    assert test(np.zeros(topics)) == 1


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3])
def test_a_constant_difference_is_sure(value):
    assert t_test([value] * 7) == 0
    assert bootstrap_test([value] * 7) == 1 / 1001  # none of 1000 samples reaches it
    assert randomisation_test([value] * 7) == 2 / 2**7


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([0.1], "2 needed"),
        ([], "2 needed"),
        ([0.1, math.nan], "nan at index \\(1,\\)"),
        ([0.1, math.inf], "inf at index"),
        (0.1, "single number"),
    ],
)
def test_bad_differences_are_named(test, differences, words):
    with pytest.raises(InputError, match=words):
        test(differences)


# Many tests


@examples(40)
@given(pvalues)
def test_adjustments_are_the_loops(values):
    np.testing.assert_allclose(holm(values), naive_stats.holm(values), atol=1e-12)
    fdr = benjamini_hochberg(values)
    np.testing.assert_allclose(fdr, naive_stats.benjamini_hochberg(values), atol=1e-12)
    np.testing.assert_allclose(fdr, scipy.stats.false_discovery_control(values), atol=1e-12)
    np.testing.assert_allclose(bonferroni(values), [min(1, p * len(values)) for p in values])


@examples(40)
@given(pvalues, st.randoms(use_true_random=False))
def test_laws_of_adjustments(values, random):
    values = np.array(values)
    order = random.sample(range(len(values)), len(values))
    for adjust in (bonferroni, holm, benjamini_hochberg):
        np.testing.assert_allclose(adjust(values[order]), adjust(values)[order], atol=1e-12)
        np.testing.assert_allclose(adjust([values, values[order]])[0], adjust(values), atol=1e-12)
    assert (values <= benjamini_hochberg(values) + 1e-12).all()
    assert (benjamini_hochberg(values) <= holm(values) + 1e-12).all()
    assert (holm(values) <= bonferroni(values) + 1e-12).all()


def test_known_adjustments():
    values = [0.01, 0.04, 0.03, 0.005]
    np.testing.assert_allclose(bonferroni(values), [0.04, 0.16, 0.12, 0.02])
    np.testing.assert_allclose(holm(values), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(benjamini_hochberg(values), [0.02, 0.04, 0.04, 0.02])


def test_bad_choices_are_named():
    with pytest.raises(InputError, match="draws must be an integer from 1"):
        bootstrap_means([1, 2], draws=0)
    with pytest.raises(InputError, match="topics must be an integer from 1"):
        resample_counts(0, 5)
    with pytest.raises(InputError, match="level is 1"):
        interval([1, 2], level=1)
    with pytest.raises(InputError, match="0 draw"):
        interval([])
    with pytest.raises(InputError, match="samples must be an integer from 1"):
        randomisation_test([1, 2], samples=0)
    with pytest.raises(InputError, match="alpha is 0"):
        studentised_bootstrap([1, 2], alpha=0)


def test_p_values_of_samples_are_never_zero():
    """(b + 1) / (n + 1): the sample that was observed is one of those that reach it."""
    clear = np.array([[0.9, 0.8, 0.95, 0.85, 0.9, 0.99], [0.1, 0.2, 0.15, 0.1, 0.3, 0.2]])
    assert randomised_tukey(np.vstack([clear, clear[1:] / 2]), samples=50).p.min() >= 1 / 51
    assert bootstrap_test(clear[0] - clear[1], samples=50) == 1 / 51
    assert randomisation_test(np.arange(1.0, 30.0), samples=50) == 1 / 51


def test_exchanging_two_systems_on_one_topic_leaves_their_difference():
    for samples in (1, 2, 7):
        found = randomised_tukey([[0.75], [0.25]], samples=samples, rng=samples)
        assert found.needed == 0.5
        assert found.p.tolist() == [1.0]


def test_a_zero_does_not_make_other_pairs_approximate():
    """Rows with a zero and rows without have the p-values that scipy gives each alone."""
    table = np.random.default_rng(8).normal(0.2, 1, (3, 25))
    table[1, 4] = 0
    expected = [scipy.stats.wilcoxon(row).pvalue for row in table]
    np.testing.assert_allclose(wilcoxon(table), expected)


def test_few_samples_need_the_largest_statistic():
    """5 percent of 20 samples is one sample, and of 10 samples no less than one."""
    differences = np.random.default_rng(9).normal(0.2, 1, 12)
    for samples in (10, 20):
        counts = resample_counts(12, samples, rng=3)
        shifted = differences - differences.mean()
        drawn = [naive_stats.drawn(shifted.tolist(), row) for row in counts]
        largest = max(drawn, key=naive_stats.t_statistic)
        found = studentised_bootstrap(differences, samples, rng=3, alpha=0.05).needed
        assert found == pytest.approx(abs(sum(largest) / 12))


# Intervals and effect sizes of paired differences, against scipy, loops and known truth.


INTERVALS = [t_interval, randomisation_interval, bootstrap_interval]


differences_of_some_topics = st.lists(tenths, min_size=6, max_size=9)
alphas = st.sampled_from([0.05, 0.1, 0.25])


def test_students_interval_is_scipys():
    table = np.random.default_rng(3).normal(0.1, 0.3, (2, 3, 25))
    expected = scipy.stats.ttest_1samp(table, 0, axis=-1).confidence_interval(0.9)
    low, high = t_interval(table, alpha=0.1)
    np.testing.assert_allclose(low, expected.low, rtol=1e-12)
    np.testing.assert_allclose(high, expected.high, rtol=1e-12)


@examples(40)
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


@examples(24)
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


@examples(40)
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
    for function in (bootstrap_interval, randomisation_interval):
        assert function(differences, samples=300) == function(differences, 0.05, samples=300)
