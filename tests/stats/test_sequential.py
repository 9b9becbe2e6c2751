"""Looks that come early, or close to each other."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import hungjury as hj
from hungjury.stats.sequential import nominal_levels

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("share", [0.3, 0.1, 0.04, 0.01])
def test_a_first_look_has_what_is_spent_by_then(share):
    """4 (1 - Phi(z / sqrt(t))), z the normal quantile at 1 - alpha / 4, however small that is."""
    early, last = nominal_levels([share, 1])
    spent = 4 * norm.sf(norm.isf(0.05 / 4) / math.sqrt(share))
    assert norm.isf(early / 2) == pytest.approx(norm.isf(spent / 2), rel=5e-3)
    assert 0.048 < last <= 0.05


@pytest.mark.parametrize("apart", [1e-3, 1e-4, 1e-5, 1e-6])
def test_a_look_right_after_another_costs_next_to_nothing(apart):
    assert nominal_levels([0.5, 0.5 + apart, 1])[-1] == pytest.approx(
        nominal_levels([0.5, 1])[-1], abs=2e-4
    )


def test_a_board_at_a_look_that_comes_too_early():
    made = hj.simulate(systems=3, topics=6, documents=40, depth=20, seed=2)
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 20)
    truth, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    given = {"gold": gold, "plan": plan, "draws": 200}
    needed = []
    for budget in (40, 100, 1000, 10**6):
        found = hj.leaderboard(made.judgments, made.runs, "nDCG@10", looks=[20, budget], **given)
        needed.append(found.correction.stretch)
    assert not found.apart.any()
    assert np.isfinite(needed).all()
    assert needed == sorted(needed)
