"""What more topics and judges would buy: the curves against their definitions."""

import math

import numpy as np
import pytest

import hungjury as hj
from hungjury.leaderboard.evidence import judges_curve, topics_curve, typical

REACH = 1.959963984540054  # standard errors, at 95 %


def test_the_typical_pair_differs_by_as_much_as_its_interval_reaches():
    sd = np.array([[9.0, 1.0, 2.0], [7.0, 9.0, 4.0], [7.0, 7.0, 9.0]])  # pairs above the diagonal
    assert typical(sd**2, 0.95) == pytest.approx(REACH * 2)
    assert typical(np.ones((1, 1)), 0.95) == 0


def test_twice_the_topics_halve_what_shrinks():
    part, fixed = np.full((2, 2), 0.08), np.full((2, 2), 0.01)
    curve = dict(topics_curve(10, part, fixed, 0.95))
    assert curve[10] == pytest.approx(REACH * 0.3)
    assert curve[20] == pytest.approx(REACH * np.sqrt(0.05))
    assert sorted(curve) == [5, 10, 20, 40]


def test_more_judges_follow_the_smaller_panels():
    truth = {k: np.sqrt(0.04 + 0.1 / k) for k in range(1, 30)}
    curve, measured = judges_curve(12, truth[12], lambda k: truth[k])
    assert [k for k, _ in curve] == [3, 6, 9, 12, 18, 24]
    assert measured == 4
    assert dict(curve)[24] == pytest.approx(truth[24])
    assert judges_curve(1, 0.3, lambda k: truth[k]) == ([(1, 0.3)], 1)


def test_more_judges_never_make_it_worse_than_it_is():
    steep = {2: 4.4, 4: 1.1, 5: 0.2}
    curve, _ = judges_curve(5, 0.2, lambda k: steep[k])
    assert dict(curve)[8] == pytest.approx(0.2 * np.sqrt(5 / 8))
    rising = {2: 0.1, 4: 0.15, 5: 0.2}
    curve, _ = judges_curve(5, 0.2, lambda k: rising[k])
    assert dict(curve)[8] == pytest.approx(0.2)


def test_half_as_many_topics_to_four_times_as_many():
    """What is drawn anew with every topic shrinks with their number, the rest stays."""
    part, fixed = np.full((2, 2), 0.09), np.full((2, 2), 0.04)
    found = topics_curve(20, part, fixed, 0.95)
    expected = [(n, REACH * math.sqrt(0.09 * 20 / n + 0.04)) for n in (10, 20, 40, 80)]
    assert found == [(n, pytest.approx(value)) for n, value in expected]


def test_one_topic_cannot_be_halved():
    assert [n for n, _ in topics_curve(1, np.ones((2, 2)), np.zeros((2, 2)), 0.95)] == [1, 2, 4]


def test_rounding_below_0_counts_as_0():
    found = topics_curve(10, np.full((2, 2), -1e-18), np.full((2, 2), 0.04), 0.95)
    assert [value for _, value in found] == pytest.approx([REACH * 0.2] * 4)


def test_larger_panels_follow_the_line_in_one_over_judges():
    """Squares that lie on a + b / judges exactly are continued by it."""

    def square(judges):
        return 0.01 + 0.06 / judges

    curve, measured = judges_curve(12, math.sqrt(square(12)), lambda k: math.sqrt(square(k)))
    assert [k for k, _ in curve] == [3, 6, 9, 12, 18, 24]
    assert measured == 4
    assert [value for _, value in curve] == pytest.approx([math.sqrt(square(k)) for k, _ in curve])


def test_the_line_is_least_squares_through_the_present_panel():
    values = {3: 0.30, 6: 0.21, 9: 0.20}
    curve, _ = judges_curve(12, 0.15, values.get)
    x, y = 1 / np.array([3, 6, 9, 12]), np.array([0.30, 0.21, 0.20, 0.15]) ** 2
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    assert curve[4][1] == pytest.approx(math.sqrt(0.15**2 - slope / 12 + slope / 18))
    assert curve[5][1] == pytest.approx(math.sqrt(0.15**2 - slope / 12 + slope / 24))


def test_fewer_judges_never_need_a_smaller_difference():
    curve, measured = judges_curve(12, 0.2, {3: 0.1, 6: 0.25, 9: 0.15}.get)
    assert curve[:measured] == [(3, 0.25), (6, 0.25), (9, 0.2), (12, 0.2)]


def test_panels_that_support_no_model_are_left_out():
    curve, measured = judges_curve(12, 0.2, {3: math.nan, 6: 0.3, 9: math.nan}.get)
    assert curve[:measured] == [(6, 0.3), (12, 0.2)]
    assert len(curve) > measured  # two panels are enough to look at larger ones
    assert judges_curve(2, 0.2, lambda k: 0.3) == ([(2, 0.2)], 1)


def test_more_judges_cannot_do_better_than_no_judge_noise():
    """A line so steep that it would end below 0 ends at 0."""
    curve, _ = judges_curve(4, 0.1, {2: 0.9, 3: 0.6, 1: 2.0}.get)
    assert curve[-1][1] == pytest.approx(math.sqrt(0.1**2 * 4 / 8))


@pytest.mark.parametrize(("merge", "shrinks"), [("binmv", True), ("aware", False)])
def test_more_topics_help_wherever_judges_are_not_resampled(merge, shrinks):
    """With four times as many topics half the difference is enough, if all of it is learned from
    documents; a jury that is drawn anew leaves its part as it is."""
    made = hj.simulate(systems=4, topics=12, documents=30, depth=15, seed=3)
    found = hj.leaderboard(
        made.judgments, made.runs, "nDCG@10", merge, draws=200, panel_error=0
    ).outlook
    needed = dict(found.topics)
    assert (needed[48] == pytest.approx(needed[12] / 2)) is shrinks
    assert needed[12] / 2 <= needed[48] < needed[12]


@pytest.mark.parametrize(("steady", "unsure"), [(0.0, 4.0), (1.0, 3.0), (3.9, 0.1)])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_at_the_smallest_detectable_difference_the_rule_is_just_met(steady, unsure, level):
    """Two systems whose difference has this variance, a part of it with an unknown factor."""
    total, part = (np.array([[0.0, v], [v, 0.0]]) for v in (steady + unsure, unsure))
    needed = typical(total, level, part, 0.4)
    rng = np.random.default_rng(0)
    factor = np.exp(0.4 * rng.standard_normal(400_000) - 0.4**2)
    sd = np.sqrt(steady + unsure * factor**2)
    beats = (needed + sd * rng.standard_normal(len(sd)) > 0).mean()
    assert beats == pytest.approx(1 - (1 - level) / 2, abs=0.003)
