"""Strata of documents: heights, ridge regression and topic effects against slow definitions."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.data.alignment import align
from hungjury.leaderboard.label_model import RankStrata
from oracles import leaderboard as naive


class Noise:
    """Stands in for a generator, so that what is drawn is known."""

    def __init__(self, values):
        self.values = np.array(values)

    def standard_normal(self, size):
        assert size == len(self.values)
        return self.values


def made_up(seed, sizes, longest):
    """Grades by topic, and lists of some of the documents, of which some are very short."""
    rng = np.random.default_rng(seed)
    grades = {
        f"t{t}": {f"d{i}": int(rng.random() < 0.2 + 0.25 * (t % 3)) * 2 for i in range(size)}
        for t, size in enumerate(sizes)
    }
    runs = {}
    for s, most in enumerate(longest):
        runs[f"s{s}"] = {}
        for topic, documents in grades.items():
            taste = {d: g + rng.normal() * (1 + s) for d, g in documents.items()}
            first = sorted(taste, key=taste.get, reverse=True)[:most]
            runs[f"s{s}"][topic] = {d: float(len(first) - i) for i, d in enumerate(first)}
    return hj.read_qrels(grades), hj.read_runs(runs), runs


def expected_strata(gold, runs, known, noise):
    """By the definition: penalised least squares on centred heights, weights drawn around it."""
    pairs = [
        (topic, document)
        for topic in gold.topics
        for document in gold.pool.documents[gold.pool.slice(gold.topics.index(topic))]
    ]
    kept = [pair for pair, there in zip(pairs, known, strict=True) if there]
    height = np.zeros((len(kept), len(runs)))
    for s, lists in enumerate(runs.values()):
        for i, (topic, document) in enumerate(kept):
            order = sorted(lists[topic], key=lists[topic].get, reverse=True)
            if document in order:
                height[i, s] = naive.height(order.index(document) + 1, len(order))
    grades = gold.labels[known].astype(float)
    effect = np.array(naive.topic_effects([t for t, _ in kept], grades.tolist()))
    rest = grades - effect
    rest -= rest.mean()
    centred = height - height.mean(axis=0)
    # A ridge of 1 is one more observation of 0 for each system.
    design = np.vstack([centred, np.eye(len(runs))])
    weights = np.linalg.lstsq(design, np.append(rest, np.zeros(len(runs))), rcond=None)[0]
    penalised = ((rest - centred @ weights) ** 2).sum() + (weights**2).sum()
    root = np.linalg.cholesky(np.linalg.inv(centred.T @ centred + np.eye(len(runs))))
    drawn = weights + np.sqrt(penalised / len(rest)) * root @ noise
    promise = height @ drawn + effect
    number = min(max(len(kept) // 50, 1), 20)
    shares = [i / number for i in range(1, number)]
    return [int(sum(value > np.quantile(promise, share) for share in shares)) for value in promise]


@pytest.mark.parametrize(
    ("seed", "sizes", "longest"),
    [
        (1, (150, 120, 130), (130, 110, 4)),  # lists beyond rank 100, and of four documents
        (2, (40, 60), (3, 2, 3, 1)),  # so little that the ridge decides
        (3, (300, 250, 300, 300), (200, 20)),  # more than 20 times 50 documents
    ],
)
def test_strata_are_those_of_the_definition(seed, sizes, longest):
    gold, runs, lists = made_up(seed, sizes, longest)
    rng = np.random.default_rng(seed)
    for share in (1.0, 0.7):
        known = rng.random(len(gold.pool)) < share
        noise = rng.normal(size=len(longest))
        found = RankStrata(align(runs, gold.pool), known).of(gold.labels[known], Noise(noise))
        assert found.tolist() == expected_strata(gold, lists, known, noise)


def test_few_documents_are_one_stratum():
    gold, runs, _ = made_up(4, (50, 49), (10, 10))
    known = np.ones(99, dtype=bool)
    strata = RankStrata(align(runs, gold.pool), known)
    assert set(strata.of(gold.labels, np.random.default_rng(0)).tolist()) == {0}


def test_equal_grades_leave_nothing_to_fit():
    gold, runs, _ = made_up(5, (60, 60), (30, 30))
    known = np.ones(120, dtype=bool)
    found = RankStrata(align(runs, gold.pool), known).of(np.ones(120), Noise([3.0, -3.0]))
    assert set(found.tolist()) == {0}


def test_topics_that_differ_by_chance_have_no_effect_of_their_own():
    """Equal means have no effect; a mean of 1 beside one of 0.05 has."""
    assert set(naive.topic_effects([0] * 20 + [1] * 20, [0, 1] * 20)) == {0.0}
    gold = hj.read_qrels({t: {f"d{i}": i % 2 for i in range(20)} for t in ("a", "b")})
    runs = hj.read_runs({"s": {t: {"d0": 1.0} for t in ("a", "b")}})
    strata = RankStrata(align(runs, gold.pool), np.ones(40, dtype=bool))
    assert strata._topic_effects(gold.labels - 0.5) == pytest.approx(np.zeros(40))
    uneven = np.array([1.0] * 20 + [0.0] * 18 + [1.0, 0.0])
    expected = naive.topic_effects([0] * 20 + [1] * 20, uneven.tolist())
    assert strata._topic_effects(uneven - uneven.mean()) == pytest.approx(expected)
    assert max(expected) > 0.4
