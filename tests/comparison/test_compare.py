"""compare: tables of paired tests, against scipy, loops and collections where truth is known."""

import itertools
import statistics
import warnings

import numpy as np
import pytest
import scipy.stats

import hungjury as hj
from builders.scores import TESTS, scores_of, some_scores
from hungjury.stats.paired import bootstrap_interval, randomisation_interval, t_interval
from hungjury.stats.resampling import resample_counts
from oracles import stats as naive_stats


def expected_p(test, differences, samples, seed):
    """One pair at a time, by scipy or by loops."""
    if not any(differences):
        return 1.0
    if test == "t":
        return scipy.stats.ttest_1samp(differences, 0).pvalue
    if test == "wilcoxon":
        return scipy.stats.wilcoxon(differences).pvalue
    if test == "randomisation":
        return naive_stats.randomisation(list(differences))
    counts = resample_counts(len(differences), samples, seed)
    return naive_stats.studentised_bootstrap(list(differences), counts)[0]


def expected_interval(test, differences, samples, seed):
    if test == "randomisation":
        return randomisation_interval(differences, 0.05, samples, seed)
    if test == "bootstrap":
        return bootstrap_interval(differences, 0.05, samples, seed)
    return t_interval(differences)


# The numbers


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("baseline", [None, "s1"])
def test_every_number_is_that_of_loops_and_scipy(test, baseline):
    scores = some_scores()
    found = hj.compare(scores, baseline, test, "holm", samples=600, seed=4)
    pairs = 3 if baseline else 6
    assert len(found.rows) == 2 * pairs
    for row in found:
        m = scores.measures.index(row.measure)
        one = scores.values[m, scores.systems.index(row.system)]
        other = scores.values[m, scores.systems.index(row.versus)]
        differences = one - other
        assert row.mean == pytest.approx(statistics.fmean(one))
        assert row.versus_mean == pytest.approx(statistics.fmean(other))
        assert row.difference == pytest.approx(statistics.fmean(differences))
        assert row.p == pytest.approx(expected_p(test, differences, 600, 4))
        assert row.wins == sum(a > b for a, b in zip(one, other, strict=True))
        assert row.ties == sum(a == b for a, b in zip(one, other, strict=True))
        assert row.wins + row.ties + row.losses == row.topics == 9
        effect = naive_stats.rank_biserial if test == "wilcoxon" else naive_stats.cohens_d
        assert row.effect == pytest.approx(effect(list(differences)))
        interval = expected_interval(test, differences, 600, 4)
        assert (row.low, row.high) == pytest.approx(interval)
        assert row.low <= row.difference <= row.high
        if test != "wilcoxon":  # whose ranks say nothing of the mean
            assert (row.low > 0 or row.high < 0) == (row.p < 0.05)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
def test_the_family_is_the_comparisons_of_one_measure(correction):
    found = hj.compare(some_scores(), correction=correction)
    for measure in found.measures:
        mine = [row for row in found if row.measure == measure]
        raw = [row.p for row in mine]
        expected = {
            "holm": naive_stats.holm(raw),
            "bonferroni": [min(1, p * len(raw)) for p in raw],
            "bh": naive_stats.benjamini_hochberg(raw),
            "none": raw,
        }[correction]
        assert [row.p_corrected for row in mine] == pytest.approx(expected)


def test_pairs_come_best_system_first_and_each_once():
    found = hj.compare(some_scores(measures=1))
    assert found.systems == ["s2", "s3", "s1", "s0"]
    assert [(row.system, row.versus) for row in found] == list(
        itertools.combinations(found.systems, 2)
    )
    assert sorted(found.mean[0], reverse=True) == list(found.mean[0])


def test_a_difference_of_rounding_is_a_tie():
    exact = np.array([0.3, 0.6, 0.9])
    found = hj.compare(scores_of([[exact, [0.1 + 0.2, 0.6, 0.9]]]))
    assert (found.rows[0].wins, found.rows[0].ties, found.rows[0].p) == (0, 3, 1.0)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_the_same_seed_gives_the_same_numbers(test):
    scores = some_scores(topics=20)
    one, same, other = (hj.compare(scores, test=test, samples=200, seed=s) for s in (1, 1, 2))
    assert one.rows == same.rows
    assert [row.p for row in one] != [row.p for row in other]
    assert [row.low for row in one] != [row.low for row in other]
    assert (one.samples, one.seed) == (200, 1)
    assert hj.compare(scores).seed is None


@pytest.mark.parametrize("test", TESTS)
def test_equal_systems_have_p_1_and_no_warnings(test):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (np.zeros((1, 3, 5)), np.full((1, 3, 5), 0.5)):
            found = hj.compare(scores_of(value), test=test, samples=100)
            for row in found:
                assert (row.p, row.p_corrected, row.effect) == (1.0, 1.0, 0.0)
                assert (row.wins, row.ties, row.losses) == (0, 5, 0)
            assert not any(found.beaten().values())
            assert "0/5/0" in str(found)
            found.to_latex(), found.to_json(), found.to_csv()


# Where the truth is known


@pytest.mark.parametrize("test", TESTS)
def test_few_false_alarms_among_systems_of_equal_quality(test):
    rng = np.random.default_rng(6)
    alarms = {"holm": 0, "none": 0}
    for _ in range(60):
        scores = scores_of(np.clip(rng.normal(0.5, 0.2, (1, 5, 25)), 0, 1))
        for correction in alarms:
            found = hj.compare(scores, test=test, correction=correction, samples=400)
            alarms[correction] += any(map(found.significant, found))
    # Five in a hundred families expected with the correction, 60 x 0.05 = 3; far more without.
    assert alarms["holm"] <= 8
    assert alarms["none"] >= 10


def test_a_better_system_is_found():
    sim = hj.simulate(seed=3, systems=4, topics=40)
    found = hj.compare(hj.evaluate(sim.gold, sim.runs, ["nDCG@10", "AP"]), "system1")
    worst = [row for row in found if row.system == "system4"]
    assert all(found.significant(row) and row.difference < 0 for row in worst)
