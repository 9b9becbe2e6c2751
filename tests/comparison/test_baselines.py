"""compare: several baselines, and equivalence."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

import hungjury as hj
from builders.scores import TESTS, scores_of, some_scores
from hungjury.base.errors import InputError, UnknownName


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
