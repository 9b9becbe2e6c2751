"""Who is told apart from draws of mean scores: all pairs together, or pair by pair."""

import numpy as np
import pytest

from hungjury.leaderboard.standing import standing
from hungjury.stats.multiple import of_differences
from oracles import leaderboard as naive


def draws_of(seed, systems=5, number=61):
    """Correlated draws of different spread, the last two systems identical."""
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(number, systems)) @ rng.normal(size=(systems, systems)) * 0.1
    mixed[:, -1] = mixed[:, -2]
    return mixed + rng.normal(size=systems) * [1, 1, 1, 0, 0]


def test_standing_is_the_loop():
    rng = np.random.default_rng(0)
    draws = np.round(rng.normal(size=(200, 4)) + [0, 0.3, 0.3, 1], 1)  # rounded: there are ties
    found = standing(draws.mean(axis=0), draws, level=0.9)
    best, beats, _, _ = naive.standing([*draws.tolist(), [0.0] * 4])  # and a draw of equals
    _, _, first, last = naive.standing(draws.tolist())
    assert found.p_best == pytest.approx(best)
    assert found.p_best.sum() == pytest.approx(1)
    assert found.beats == pytest.approx(np.array(beats))
    assert found.rank_low.tolist() == [naive.smallest_with_share(v, 0.05) for v in first]
    assert found.rank_high.tolist() == [naive.smallest_with_share(v, 0.95) for v in last]


def test_identical_systems_share_everything():
    one = np.random.default_rng(1).normal(size=(100, 1))
    found = standing(np.zeros(3), np.repeat(one, 3, axis=1))
    assert found.p_best == pytest.approx([1 / 3] * 3)
    assert (found.beats == 0.5).all()
    assert not found.apart.any()
    assert found.rank_low.tolist() == [1, 1, 1]
    assert found.rank_high.tolist() == [3, 3, 3]


def test_systems_of_equal_quality_are_rarely_told_apart():
    """All pairs taken together, a false alarm in about one of twenty leaderboards."""
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(200):
        mean = rng.normal(size=8)
        draws = mean + rng.normal(size=(400, 8))
        alarms += standing(mean, draws).apart.any()
    assert 2 <= alarms <= 20


@pytest.mark.parametrize(("level", "stretch"), [(0.95, 1.0), (0.8, 1.0), (0.95, 1.3)])
def test_all_pairs_together_are_the_loop(level, stretch):
    seen = 0
    for seed in range(40):
        draws = draws_of(seed)
        mean = draws.mean(axis=0)
        found = standing(mean, draws, level, together=True, stretch=stretch).apart
        expected = naive.told_apart(mean.tolist(), draws.tolist(), level, stretch)
        assert found.tolist() == expected
        seen += int(found.sum())
    assert 100 < seen < 40 * 20 - 100  # of both kinds


def test_just_above_the_difference_needed_and_just_below():
    """Two systems: the largest standardised difference is their own."""
    draws = np.array([[x, -x] for x in np.linspace(-1, 1, 41)])
    off = np.sort(np.abs(draws[:, 0] - draws[:, 1]))
    needed = np.quantile(off, 0.95)  # the standard deviation cancels
    assert standing(np.array([1.001 * needed, 0]), draws).apart[0, 1]
    assert not standing(np.array([0.999 * needed, 0]), draws).apart[0, 1]
    assert not standing(np.array([1.001 * needed, 0]), draws, stretch=1.01).apart[0, 1]
    assert standing(np.array([1.011 * needed, 0]), draws, stretch=1.01).apart[0, 1]


@pytest.mark.parametrize(("level", "wins"), [(0.95, 196), (0.9, 191)])
def test_pair_by_pair_a_system_has_to_win_in_all_but_half_of_the_tail(level, wins):
    """200 draws and one in which all are equal: 196.5 wins of 201 are a share above 0.975."""
    for won, apart in ((wins, True), (wins - 1, False)):
        draws = np.array([[1.0, 0.0]] * won + [[0.0, 1.0]] * (200 - won))
        found = standing(draws.mean(axis=0), draws, level, together=False)
        share = (won + 0.5) / 201
        assert found.beats[0, 1] == pytest.approx(share)
        assert (share >= 1 - (1 - level) / 2) == apart
        assert found.apart[0, 1] == found.apart[1, 0] == apart


def test_draws_without_spread_are_certain():
    draws = np.tile([0.3, 0.2, 0.2], (50, 1))
    found = standing(draws[0], draws, together=True)
    assert found.p_best.tolist() == [1, 0, 0]
    assert found.beats[0].tolist() == [0.5, 1, 1]
    assert found.apart.tolist() == [[False, True, True], [True, False, False], [True, False, False]]


def test_rounding_tells_nobody_apart():
    draws = np.tile([0.3, 0.3 + 1e-13], (50, 1)) + np.linspace(0, 1, 50)[:, None]
    assert not standing(draws[0], draws, together=True).apart.any()


def test_variances_of_differences():
    covariance = np.array([[4.0, 1.0, 4.5], [1.0, 9.0, 0.0], [4.5, 0.0, 5.0]])
    # Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b), never below 0.
    assert of_differences(covariance).tolist() == [[0, 11, 0], [11, 0, 14], [0, 14, 0]]
