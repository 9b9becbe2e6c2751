"""Many comparisons: letters of those not told apart, and several looks at growing data."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import hungjury as hj
from builders.examples import examples
from hungjury.stats.multiple import letter_groups, nominal_levels


def symmetric(size, pairs):
    apart = np.zeros((size, size), dtype=bool)
    for a, b in pairs:
        apart[a, b] = apart[b, a] = True
    return apart


@examples(40)
@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.sets(st.sampled_from(list(itertools.combinations(range(n), 2)) or [(0, 0)])),
        )
    )
)
def test_two_share_a_letter_exactly_if_they_are_not_told_apart(case):
    size, pairs = case
    pairs = {p for p in pairs if p[0] != p[1]}
    groups = [set(g.tolist()) for g in letter_groups(symmetric(size, pairs))]
    for a, b in itertools.combinations(range(size), 2):
        assert any({a, b} <= group for group in groups) == ((a, b) not in pairs)
    assert set().union(*groups) == set(range(size))
    for group in groups:  # each has a reason
        others = [g for g in groups if g is not group]
        alone = len(group) == 1
        held = all(any({a, b} <= g for g in others) for a, b in itertools.combinations(group, 2))
        assert alone or not held
    assert groups == sorted(groups, key=sorted)


def test_a_chain_gives_overlapping_groups():
    apart = symmetric(4, [(0, 2), (0, 3), (1, 3)])
    assert [g.tolist() for g in letter_groups(apart)] == [[0, 1], [1, 2], [2, 3]]


def test_a_gap_inside_a_group_is_kept():
    """The first is not told apart from the third, but the second is told apart from both."""
    apart = symmetric(3, [(0, 1), (1, 2)])
    assert [g.tolist() for g in letter_groups(apart)] == [[0, 2], [1]]


def test_a_group_whose_pairs_are_all_in_others_is_dropped():
    """Grown greedily, 0, 2 and 5 would be a group; later ones hold all of its pairs."""
    apart = symmetric(6, [(0, 3), (1, 3), (1, 4), (1, 5), (2, 4)])
    expected = [[0, 1, 2], [0, 4, 5], [2, 3, 5], [3, 4, 5]]
    assert [g.tolist() for g in letter_groups(apart)] == expected


@pytest.mark.parametrize("density", [0.02, 0.5, 0.98])
def test_many_are_grouped_in_a_moment(density):
    rng = np.random.default_rng(0)
    score = np.sort(rng.normal(size=250))
    gap = np.abs(score[:, None] - score)
    apart = gap > np.quantile(gap, density) * rng.uniform(0.8, 1.2, (250, 250))
    apart = apart | apart.T
    np.fill_diagonal(apart, False)
    groups = letter_groups(apart)
    covered = np.zeros_like(apart)
    for group in groups:
        covered[np.ix_(group, group)] = True
    assert (covered == ~apart).all()


# Looks that come early, or close to each other.


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("share", [0.3, 0.1, 0.04, 0.01])
def test_a_first_look_has_what_is_spent_by_then(share):
    """4 (1 - Phi(z / sqrt(t))), z the normal quantile at 1 - alpha / 4, however small that is."""
    early, last = nominal_levels([share, 1])
    spent = 4 * norm.sf(norm.isf(0.05 / 4) / math.sqrt(share))
    assert norm.isf(early / 2) == pytest.approx(norm.isf(spent / 2), rel=5e-3)
    assert 0.048 < last <= 0.05


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("apart", [1e-3, 1e-4, 1e-5, 1e-6])
def test_a_look_right_after_another_costs_next_to_nothing(apart):
    assert nominal_levels([0.5, 0.5 + apart, 1])[-1] == pytest.approx(
        nominal_levels([0.5, 1])[-1], abs=2e-4
    )


@pytest.mark.filterwarnings("error")
def test_a_board_at_a_look_that_comes_too_early():
    made = hj.simulate(systems=3, topics=6, documents=40, depth=20, seed=2)
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 20)
    truth, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    given = {"gold": gold, "plan": plan, "draws": 100}
    needed = []
    for budget in (40, 1000, 10**6):
        found = hj.leaderboard(made.judgments, made.runs, "nDCG@10", looks=[20, budget], **given)
        needed.append(found.correction.stretch)
    assert not found.apart.any()
    assert np.isfinite(needed).all()
    assert needed == sorted(needed)
