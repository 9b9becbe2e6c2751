"""Shares of votes beside shares that are relevant by gold: bins by loop, intervals by Wilson."""

import numpy as np
import pytest
from scipy.stats import binomtest

from hungjury.leaderboard.against_gold import reliability


def test_bins_are_the_loop():
    rng = np.random.default_rng(1)
    stated = rng.integers(0, 11, 80) / 10  # ends of bins, 0 and 1 among them
    relevant, weight = rng.integers(0, 3, 80) / 2, rng.uniform(1, 3, 80)
    found = reliability(stated, relevant, weight)
    assert [one.low for one in found] == [k / 10 for k in range(10)]
    for k, one in enumerate(found):
        mine = [i for i in range(80) if min(round(10 * stated[i]), 9) == k]
        total = sum(weight[i] for i in mine)
        assert one.documents == len(mine)
        assert one.high == (k + 1) / 10
        assert one.stated == pytest.approx(sum(weight[i] * stated[i] for i in mine) / total)
        assert one.relevant == pytest.approx(sum(weight[i] * relevant[i] for i in mine) / total)
        assert 0 <= one.relevant_low <= one.relevant <= one.relevant_high <= 1


@pytest.mark.parametrize(("relevant", "number"), [(0, 5), (3, 10), (9, 12), (7, 7), (40, 100)])
def test_intervals_are_wilsons(relevant, number):
    (found,) = reliability(
        np.full(number, 0.45), (np.arange(number) < relevant).astype(float), np.full(number, 2.0)
    )
    expected = binomtest(relevant, number).proportion_ci(0.95, "wilson")
    assert (found.relevant_low, found.relevant_high) == pytest.approx(tuple(expected), abs=1e-12)


def test_weights_leave_fewer_documents():
    """With weights 2, 1, 1, 1 the effective number is the squared sum over the sum of squares."""
    weight, relevant = np.array([2.0, 1, 1, 1]), np.array([1.0, 1, 0, 0])
    (found,) = reliability(np.full(4, 0.25), relevant, weight)
    number = 25 / 7
    z2 = 1.959963984540054**2
    middle = (0.6 + z2 / (2 * number)) / (1 + z2 / number)
    reach = np.sqrt(z2 * (0.24 / number + z2 / (4 * number**2))) / (1 + z2 / number)
    assert (found.relevant_low, found.relevant_high) == pytest.approx(
        (middle - reach, middle + reach)
    )
