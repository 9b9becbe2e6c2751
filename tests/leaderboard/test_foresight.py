"""Differences that a plan is expected to tell apart, against the sum over documents."""

import math

import numpy as np
import pytest

import hungjury as hj
from hungjury.data.alignment import align
from hungjury.judges.merge import merge
from hungjury.judges.panel import Panel
from hungjury.leaderboard.panel_error import exposure_kernel
from hungjury.leaderboard.plan import doubt, expected_differences
from hungjury.leaderboard.small_area import expected_contrasts


def chances_of_being_drawn(weight, number):
    """min(1, c weight) with the c that makes them add up, by bisection."""
    low, high = 0.0, number / min(weight)
    for _ in range(200):
        c = (low + high) / 2
        if sum(min(1.0, c * w) for w in weight) < number:
            low = c
        else:
            high = c
    return [min(1.0, high * w) for w in weight]


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=4, topics=4, documents=70, depth=20, seed=9)


def test_the_sum_over_documents(made):
    """P@5 adds 1 / 5 / topics for each relevant document in the first five ranks. A document is
    relevant by the share of votes, of which a part is left to the mean share of all."""
    pool, systems, topics = made.judgments.pool, made.runs.systems, made.judgments.topics
    votes = {a: made.judgments.qrels_of(a).to_dict() for a in made.judgments.judges}
    rows, share = [], []
    for d, document in enumerate(pool.documents):
        topic = topics[pool.topic_of[d]]
        first = [[name for name, _ in made.runs.ranked(system, topic)][:5] for system in systems]
        rows.append([(document in five) / 5 / len(topics) for five in first])
        labels = [given[topic][document] for given in votes.values() if document in given[topic]]
        share.append(sum(labels) / len(labels))
    usual = sum(share) / len(share)
    unknown = doubt(Panel.of(made.judgments))
    weight = np.random.default_rng(0).gamma(2, size=len(pool)) + 0.1
    aligned = align(made.runs, pool)
    merged = merge(made.judgments, "binmv", None, "all")
    found = expected_differences(hj.measure("P@5"), aligned, merged, weight, 60)
    assert [number for number, _ in found] == [n for n in (60, 100, 200) if n <= len(pool)]
    for number, difference in found:
        covariance = np.zeros((4, 4))
        drawn = chances_of_being_drawn(weight.tolist(), number)
        for effect, votes_for, pi in zip(rows, share, drawn, strict=True):
            p = (1 - unknown) * votes_for + unknown * usual
            off = [e - sum(effect) / 4 for e in effect]
            covariance += np.outer(off, off) * p * (1 - p) * (1 - pi) / pi
        left = expected_contrasts(covariance, exposure_kernel(aligned), 0.06)
        pairs = [
            math.sqrt(left[a, a] + left[b, b] - 2 * left[a, b])
            for a in range(4)
            for b in range(a + 1, 4)
        ]
        assert difference == pytest.approx(1.96 * np.median(pairs), rel=1e-6)


def test_doubt_is_most_likely_by_one_judge_given_the_others(made):
    votes = [made.judgments.qrels_of(a).to_dict() for a in made.judgments.judges]
    labels = [label for given in votes for rows in given.values() for label in rows.values()]
    usual = {label: labels.count(label) / len(labels) for label in set(labels)}
    pairs = []  # share of the other judges who say the same, share of all labels
    for k, given in enumerate(votes):
        for topic, rows in given.items():
            for document, label in rows.items():
                others = [v[topic][document] for i, v in enumerate(votes) if i != k]
                pairs.append((others.count(label) / len(others), usual[label]))

    def likelihood(share):
        return sum(math.log((1 - share) * told + share * chance) for told, chance in pairs)

    best = max((step / 1000 for step in range(1, 1000)), key=likelihood)
    assert doubt(Panel.of(made.judgments)) == pytest.approx(1 - (1 - best) ** 2, abs=0.002)


def test_one_system_has_no_differences(made):
    runs = hj.read_runs({"alone": made.runs.to_dict()[made.runs.systems[0]]})
    aligned = align(runs, made.judgments.pool)
    merged = merge(made.judgments, "binmv", None, "all")
    weight = np.ones(len(made.judgments.pool))
    assert expected_differences(hj.measure("P@5"), aligned, merged, weight, 60) == []
