"""Paired tests against scipy, loops and known truth: baselines, equivalence, which topics count."""

import itertools
import json
import math
import re
import statistics
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

import hungjury as hj
from builders.scores import TESTS, scores_of, some_scores
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.measures.scores import LEFT_OUT, SCORED, UNDEFINED
from hungjury.stats.multiple import randomised_tukey
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
    scores, samples = some_scores(), 600 if test == "randomisation" else 150  # 2^9 are all
    found = hj.compare(scores, baseline, test, "holm", samples=samples, seed=4)
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
        assert row.p == pytest.approx(expected_p(test, differences, samples, 4))
        assert row.wins == sum(a > b for a, b in zip(one, other, strict=True))
        assert row.ties == sum(a == b for a, b in zip(one, other, strict=True))
        assert row.wins + row.ties + row.losses == row.topics == 9
        effect = naive_stats.rank_biserial if test == "wilcoxon" else naive_stats.cohens_d
        assert row.effect == pytest.approx(effect(list(differences)))
        interval = expected_interval(test, differences, samples, 4)
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
    for _ in range(40):
        scores = scores_of(np.clip(rng.normal(0.5, 0.2, (1, 5, 25)), 0, 1))
        for correction in alarms:
            found = hj.compare(scores, test=test, correction=correction, samples=200)
            alarms[correction] += any(map(found.significant, found))
    # Five in a hundred families expected with the correction, 40 x 0.05 = 2; far more without.
    assert alarms["holm"] <= 6
    assert alarms["none"] >= 7


def test_a_better_system_is_found():
    sim = hj.simulate(seed=3, systems=4, topics=40)
    found = hj.compare(hj.evaluate(sim.gold, sim.runs, ["nDCG@10", "AP"]), "system1")
    worst = [row for row in found if row.system == "system4"]
    assert all(found.significant(row) and row.difference < 0 for row in worst)


# compare: several baselines, and equivalence.


def test_several_baselines_are_one_family():
    scores = some_scores()
    found = hj.compare(scores, ["s1", "s0", "s1"])
    pairs = [(row.system, row.versus) for row in found.rows if row.measure == "m0"]
    others = [s for s in found.systems if s in ("s2", "s3")]
    assert pairs == [(s, "s1") for s in others] + [(s, "s0") for s in others]
    rows = [row for row in found.rows if row.measure == "m0"]
    for row in rows:
        ours, theirs = (scores.values[0, int(name[1])] for name in (row.system, row.versus))
        assert row.p == pytest.approx(scipy.stats.ttest_rel(ours, theirs).pvalue)
    by_size = sorted(rows, key=lambda row: row.p)
    worst = 0.0
    for place, row in enumerate(by_size):
        worst = max(worst, min(1.0, row.p * (len(rows) - place)))
        assert row.p_corrected == pytest.approx(worst)
    assert json.loads(found.to_json())["baselines"] == ["s1", "s0"]
    lines = found.to_text().splitlines()
    assert sum("(baseline)" in line for line in lines) == 2 * len(found.measures)
    assert "against s1, s0" in lines[0]


def test_every_system_a_baseline_is_refused():
    with pytest.raises(InputError, match="every system is a baseline"):
        hj.compare(some_scores(systems=2), ["s0", "s1"])
    with pytest.raises(UnknownName, match="no system 'x'"):
        hj.compare(some_scores(), ["s0", "x"])


@pytest.mark.parametrize("test", TESTS)
def test_equivalence_is_two_one_sided_t_tests(test):
    scores = some_scores(topics=20)
    found = hj.compare(scores, "s1", test, "bonferroni", margin=0.05, samples=200)
    for row in found.rows:
        m = int(row.measure[1])
        gap = scores.values[m, int(row.system[1])] - scores.values[m, 1]
        above = scipy.stats.ttest_1samp(gap, -0.05, alternative="greater").pvalue
        below = scipy.stats.ttest_1samp(gap, 0.05, alternative="less").pvalue
        assert row.p_equivalent == pytest.approx(max(above, below), rel=1e-9)
        assert row.p_equivalent_corrected == pytest.approx(min(1.0, 3 * max(above, below)))
        assert found.equivalent(row) == (row.p_equivalent_corrected < 0.05)


def test_equal_systems_are_equivalent_and_constant_gaps_are_told():
    table = np.full((1, 3, 5), 0.5)
    table[0, 1] = 0.52
    table[0, 2] = 0.6
    found = hj.compare(scores_of(table), "s0", margin=0.05)
    assert {row.system: row.p_equivalent for row in found.rows} == {"s1": 0.0, "s2": 1.0}
    assert [found.equivalent(row) for row in found.rows] == [False, True]
    text = found.to_text()
    assert "p within ±0.05" in text
    assert "<0.0001=" in text
    assert "^{=}" in found.to_latex()
    assert "p_equivalent" in found.to_csv().splitlines()[0]
    assert "p_equivalent" not in hj.compare(scores_of(table), "s0").to_csv()


@pytest.mark.parametrize("margin", [0, -0.1, math.inf, math.nan])
def test_a_margin_is_a_positive_number(margin):
    with pytest.raises(InputError, match="margin must be a positive number"):
        hj.compare(some_scores(), margin=margin)


def test_significant_is_strictly_below_alpha():
    """All four topics on one side: 2 of 16 sign patterns are as extreme, p = 0.125 exactly."""
    given = scores_of([[[0.5, 0.6, 0.7, 0.8], [0.1, 0.3, 0.5, 0.7]]])
    found = hj.compare(given, test="randomisation", correction="none", alpha=0.125)
    (row,) = found.rows
    assert row.p == 0.125
    assert not found.significant(row)
    assert replace(found, alpha=0.1251).significant(row)
    for p, expected in ((0.125, False), (0.1249, True), (None, False)):
        assert found.equivalent(replace(row, p_equivalent_corrected=p)) is expected


# compare: which topics count, and what cannot be compared.


# Topics


def test_topics_that_one_system_lacks_are_left_out_for_all_with_a_note():
    values = np.random.default_rng(2).random((2, 3, 6))
    status = np.full(values.shape, SCORED, dtype=np.uint8)
    status[:, 1, 4] = LEFT_OUT
    values[:, 1, 4] = np.nan
    found = hj.compare(scores_of(values, status=status, topics="retrieved"))
    whole = hj.compare(scores_of(np.delete(values, 4, axis=2)))
    assert found.rows == whole.rows
    assert found.rows[0].topics == 5
    assert [note.count for note in found.notes] == [1, 1]
    assert "5 topics that all systems have, 1 left out" in str(found.notes[0])


def test_undefined_topics_are_dropped_or_refused():
    values = np.random.default_rng(2).random((1, 2, 6))
    values[:, :, 2] = np.nan
    status = np.where(np.isnan(values), UNDEFINED, SCORED).astype(np.uint8)
    found = hj.compare(scores_of(values, status=status, undefined="drop"))
    assert found.rows == hj.compare(scores_of(np.delete(values, 2, axis=2))).rows
    assert found.notes == ()
    with pytest.raises(InputError, match=r'no value on 1 topic: q2\n.*undefined="drop"'):
        hj.compare(scores_of(values, status=status, undefined="nan"))


def test_measures_may_have_different_topics():
    values = np.random.default_rng(2).random((2, 2, 6))
    values[1, 0, 2] = np.nan
    status = np.where(np.isnan(values), UNDEFINED, SCORED).astype(np.uint8)
    found = hj.compare(scores_of(values, status=status, undefined="drop"))
    assert [row.topics for row in found] == [6, 5]
    assert "paired over 5 to 6 topics" in str(found)


def test_counts_are_compared_by_their_sums():
    values = np.random.default_rng(2).integers(0, 9, (1, 2, 12)).astype(float)
    found = hj.compare(scores_of(values, ["sum"]), "s0").rows[0]
    by_mean = hj.compare(scores_of(values), "s0").rows[0]
    assert found.mean == values[0, 1].sum()
    assert found.difference == pytest.approx(12 * by_mean.difference)
    assert (found.low, found.high) == pytest.approx((12 * by_mean.low, 12 * by_mean.high))
    assert (found.p, found.effect) == pytest.approx((by_mean.p, by_mean.effect))
    assert f" {values[0, 1].sum():.0f} " in str(hj.compare(scores_of(values, ["sum"]), "s0"))


def test_uncertain_labels_are_told():
    sim = hj.simulate(seed=1, systems=2, topics=4)
    soft = hj.merge(sim.judgments, "binmv", rel=1)
    found = hj.compare(hj.evaluate(soft, sim.runs, ["eRAP"]))
    assert "labels behind eRAP are uncertain" in str(found.notes[-1])
    sure = hj.compare(hj.evaluate(sim.gold, sim.runs, ["AP"]))
    assert not any("uncertain" in str(note) for note in sure.notes)


# What cannot be compared


@pytest.mark.parametrize(
    ("scores", "arguments", "error", "said"),
    [
        (some_scores(systems=2).to_dict(), {}, InputError, "scores must be a Scores"),
        (scores_of(np.zeros((1, 1, 5))), {}, InputError, "1 system to compare"),
        (scores_of(np.zeros((1, 0, 5))), {}, InputError, "0 systems to compare"),
        (scores_of(np.zeros((1, 2, 1))), {}, InputError, "1 topic in common; .*\n.*more topics"),
        (scores_of(np.zeros((1, 2, 0))), {}, InputError, "0 topics in common"),
        (some_scores(), {"baseline": "S1"}, UnknownName, "no system 'S1' .*\n.*did you mean 's1'"),
        (some_scores(), {"baseline": "bm25"}, UnknownName, "the systems are s0, s1, s2, s3"),
        (some_scores(), {"baseline": 1}, InputError, "baseline must be text"),
        (some_scores(), {"test": "anova"}, InputError, "invalid value 'anova'.*\n.*randomisation"),
        (some_scores(), {"correction": "fdr"}, InputError, "invalid value 'fdr'.*\n.*bh"),
        (some_scores(), {"alpha": 1.5}, InputError, "alpha is 1.5"),
        (
            some_scores(),
            {"test": "bootstrap", "samples": 0},
            InputError,
            "samples must be an integer",
        ),
        (scores_of(np.ones((1, 2, 5)), ["gmean"]), {}, MeasureError, "differ by a factor"),
        (scores_of(np.full((1, 2, 5), np.inf)), {}, InputError, "no value on 5 topics"),
    ],
)
def test_clear_errors(scores, arguments, error, said):
    with pytest.raises(error, match=said) as caught:
        hj.compare(scores, **arguments)
    assert caught.value.remedy


def test_the_system_that_lacks_most_topics_is_named():
    status = np.full((1, 3, 5), SCORED, dtype=np.uint8)
    status[0, 1, 1:] = LEFT_OUT
    with pytest.raises(InputError, match=r"1 topic in common.*\n.*leave out 's1'"):
        hj.compare(scores_of(np.random.default_rng(0).random((1, 3, 5)), status=status))


def clear_winner(topics):
    """One system is best on every topic, by amounts that are all different."""
    return scores_of([[np.linspace(0.5, 0.9, topics), np.zeros(topics), np.zeros(topics)]])


@pytest.mark.parametrize(
    ("test", "topics", "samples", "correction", "said"),
    [
        ("randomisation", 30, 59, "holm", "59 samples are too few.*less than 60"),
        ("randomisation", 30, 60, "holm", None),
        ("randomisation", 30, 19, "none", "19 samples are too few for p-values below 0.05; "),
        ("randomisation", 30, 30, "bh", None),
        ("randomisation", 6, 100, "bonferroni", "6 topics are too few.*for 3 comparisons"),
        ("randomisation", 7, 200, "bonferroni", None),
        ("wilcoxon", 6, 100, "holm", "6 topics are too few"),
        ("wilcoxon", 7, 100, "holm", None),
        ("t", 2, 100, "holm", None),
    ],
)
def test_tests_that_can_reject_nothing_say_so(test, topics, samples, correction, said):
    found = hj.compare(clear_winner(topics), None, test, correction, samples=samples)
    if said is None:
        assert found.notes == ()
        assert test == "t" or found.beaten()["m0", "s0"] == ["s1", "s2"]
    else:
        assert not any(found.beaten().values())
        (note,) = found.notes
        assert re.search(said, str(note))


# All pairs at once


def test_tukey_equals_statsmodels_and_scipy():
    rng = np.random.default_rng(2)
    values = rng.random((4, 12)) + np.linspace(0, 0.4, 4)[:, None] + rng.random(12)
    found = hj.compare(scores_of(values[None]), test="tukey")
    oracle = naive_stats.two_way_anova(values.tolist())
    for row in found.anova["m0"][:2]:
        assert (row.f, row.omega2) == pytest.approx(oracle[row.source])
    df = 3 * 11
    assert found.anova["m0"][0].p == pytest.approx(scipy.stats.f.sf(found.anova["m0"][0].f, 3, df))
    error = found.anova["m0"][2].mean_square
    half = scipy.stats.studentized_range.ppf(0.95, 4, df) * math.sqrt(error / 12)
    for row in found:
        q = abs(row.difference) / math.sqrt(error / 12)
        assert row.p == pytest.approx(scipy.stats.studentized_range.sf(q, 4, df), abs=1e-9)
        assert row.p == row.p_corrected
        assert (row.low, row.high) == pytest.approx((row.difference - half, row.difference + half))
        assert (row.p < 0.05) == (row.low > 0 or row.high < 0)


def test_p_values_of_many_pairs_are_interpolated():
    values = np.random.default_rng(0).normal(0, 1, (13, 8)) + np.linspace(0, 2, 13)[:, None]
    found = hj.compare(scores_of(values[None]), test="tukey")
    error, df = found.anova["m0"][2].mean_square, 12 * 7
    for row in found.rows[::26]:
        q = abs(row.difference) / math.sqrt(error / 8)
        assert row.p == pytest.approx(scipy.stats.studentized_range.sf(q, 13, df), abs=1e-4)


def test_randomised_tukey_against_a_baseline_is_over_all_pairs():
    scores = some_scores(measures=1)
    every = hj.compare(scores, test="randomised-tukey", samples=500)
    some = hj.compare(scores, "s1", "randomised-tukey", samples=500)
    p = {frozenset((row.system, row.versus)): row.p for row in every}
    assert all(row.p == p[frozenset((row.system, row.versus))] for row in some)
    naive = randomised_tukey(scores.values[0], 500, 0)
    assert sorted(p.values()) == pytest.approx(sorted(naive.p))
    with pytest.raises(InputError, match="already hold"):
        hj.compare(scores, test="tukey", correction="holm")


def test_systems_without_any_difference():
    same = hj.compare(scores_of(np.full((1, 3, 5), 0.5)), test="tukey")
    assert [row.p for row in same] == [1.0] * 3
    shifted = np.full((1, 2, 5), 0.5) + np.array([0.1, 0.0])[None, :, None]
    assert hj.compare(scores_of(shifted), test="tukey").rows[0].p == 0


def test_reciprocal_rank_with_few_topics_has_a_note():
    made = hj.simulate(systems=3, topics=10)
    scores = hj.evaluate(made.gold, made.runs, ["RR", "AP"])
    (note,) = [n for n in hj.compare(scores).notes if n.kind == "reciprocal-rank"]
    assert "bootstrap" in str(note)
    for ours, test in ((scores, "bootstrap"), (hj.evaluate(made.gold, made.runs, "AP"), "t")):
        assert not [n for n in hj.compare(ours, test=test).notes if n.kind == "reciprocal-rank"]
