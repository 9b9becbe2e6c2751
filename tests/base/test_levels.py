"""Levels and margins that are none are refused in words, before any work."""

import pytest

import hungjury as hj
from hungjury.base.errors import InputError

MADE = hj.simulate(systems=3, topics=4, documents=40, depth=10)
SCORES = hj.evaluate(MADE.gold, MADE.runs, "nDCG@10")
NO_LEVEL = ["0.9", None, 0, 1, -0.5, 2, float("nan"), True]


@pytest.mark.parametrize("level", NO_LEVEL, ids=repr)
def test_levels(level):
    calls = (
        lambda: hj.leaderboard(MADE.judgments, MADE.runs, "nDCG@10", level=level),
        lambda: hj.gate(MADE.gold, MADE.runs, "system1", "system2", level=level),
        lambda: hj.compare(SCORES, alpha=level),
        lambda: hj.stats.rbo(["a", "b"], ["b", "a"], p=level),
    )
    for call in calls:
        with pytest.raises(InputError, match="between 0 and 1, both excluded") as caught:
            call()
        assert caught.value.code == "out-of-range"


@pytest.mark.parametrize("margin", ["0.1", -1, float("nan"), float("inf")], ids=repr)
def test_margins(margin):
    with pytest.raises(InputError, match="margin must be"):
        hj.gate(MADE.gold, MADE.runs, "system1", "system2", margin=margin)
    with pytest.raises(InputError, match="margin must be"):
        hj.compare(SCORES, margin=margin)
