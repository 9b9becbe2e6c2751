"""Where uncertainty comes from: shares of the variance of a difference, by cause."""

import itertools

import numpy as np
import pytest

import hungjury as hj
from hungjury.leaderboard.draws import Parts, as_reported, people_parts


def covariance(seed, systems=4):
    root = np.random.default_rng(seed).normal(size=(systems, systems))
    return root @ root.T


def mean_over_pairs(matrix):
    """The mean variance of a difference between two systems."""
    pairs = list(itertools.combinations(range(len(matrix)), 2))
    return sum(matrix[a, a] + matrix[b, b] - 2 * matrix[a, b] for a, b in pairs) / len(pairs)


def parts(**given):
    """Topics 0, labels 1, shared 2."""
    given = {"population": True, "number": 10} | given
    shared = None if "panel" in given else covariance(2)
    return Parts(covariance(0), covariance(1), shared, **given)


@pytest.mark.parametrize(
    ("given", "seeds"),
    [
        ({}, {"topics": 0, "labels": 1, "judges": 2}),
        ({"population": False}, {"labels": 1, "judges": 2}),
        # Panel error takes the place of what judges share, gold of all but topics.
        ({"panel": covariance(3)}, {"topics": 0, "labels": 1, "panel": 3}),
        ({"gold": covariance(4)}, {"topics": 0, "gold": 4}),
        ({"gold": covariance(4), "population": False}, {"gold": 4}),
    ],
)
def test_shares_are_those_of_the_mean_difference(given, seeds):
    found = parts(**given)
    assert set(found.by_cause) == set(seeds)
    whole = sum(covariance(seed) for seed in seeds.values())
    assert found.total == pytest.approx(whole)
    for cause, seed in seeds.items():
        expected = mean_over_pairs(covariance(seed)) / mean_over_pairs(whole)
        assert found.shares()[cause] == pytest.approx(expected)


def test_what_all_systems_share_is_in_no_difference():
    level = np.ones((4, 4))
    found = Parts(level, covariance(1), 0 * level, population=True, number=5)
    assert found.shares() == pytest.approx({"topics": 0, "labels": 1, "judges": 0}, abs=1e-12)


def test_one_system_has_shares_of_its_own_variance():
    one = Parts(np.array([[3.0]]), np.array([[1.0]]), np.zeros((1, 1)), True, 5)
    assert one.shares() == {"topics": 0.75, "labels": 0.25, "judges": 0}
    nothing = Parts(*[np.zeros((2, 2))] * 3, True, 5)
    assert nothing.shares() == {"topics": 0, "labels": 0, "judges": 0}


def test_parts_of_corrected_means():
    cells = np.random.default_rng(1).normal(size=(3, 8))
    found = people_parts(covariance(2, 3), cells, population=True)
    expected = [[np.cov(a, b)[0, 1] / 8 for b in cells] for a in cells]
    assert found.topics == pytest.approx(np.array(expected))
    assert set(found.by_cause) == {"topics", "gold"}
    one_topic = people_parts(covariance(2, 3), cells[:, :1], population=False)
    assert not one_topic.topics.any()


def test_geometric_means_and_sums_are_reported_as_such():
    means = np.log([0.5, 0.25])
    assert as_reported(hj.measure("GMAP"), 4)(means) == pytest.approx([0.5, 0.25])
    assert as_reported(hj.measure("NumRelRet"), 4)(np.array([2.0, 3.0])).tolist() == [8, 12]
    assert as_reported(hj.measure("AP"), 4)(np.array([0.2, 0.3])).tolist() == [0.2, 0.3]


def test_geometric_means_are_never_above_the_largest_score():
    """Two topics leave one degree of freedom, whose draws of logarithms go far."""
    assert as_reported(hj.measure("GMAP"), 2)(np.array([3.0, 1e4])).tolist() == [1, 1]


@pytest.mark.parametrize("topics", [2, 3, 6])
def test_labels_that_leave_nothing_open_have_no_share(topics):
    """One judge has one label for a document: what remains is rounding, which is no cause."""
    made = hj.simulate(systems=4, topics=topics, documents=20, depth=10, accuracies=[0.7], seed=3)
    found = hj.leaderboard(
        made.judgments, made.runs, "RBP(p=0.8)", panel_error=0, target="topics", draws=100
    )
    assert set(found.shares.values()) == {0}
    assert found.outlook.difference == pytest.approx(0, abs=1e-12)
