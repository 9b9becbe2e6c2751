"""What single labels do to scores: blocks of work, and documents without a label."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.data.alignment import align
from hungjury.leaderboard.effects import contributions, effects, scores_under
from hungjury.measures.batch import Scorer


@pytest.fixture(scope="module")
def aligned():
    made = hj.simulate(systems=3, topics=3, documents=14, depth=10, grades=3, seed=2)
    return align(made.runs, made.judgments.pool)


def drawn(aligned, share=0.0, sets=2):
    """Label sets in which some documents have none."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, (sets, len(aligned.pool))).astype(np.int16)
    labels[rng.random(labels.shape) < share] = -1
    return labels


def loop(scorer, labels, grades, documents):
    """Every document at every grade, one after the other."""
    out = np.zeros((scorer.alignment.shape[0], len(documents), len(grades)))
    for one in labels:
        for i, d in enumerate(documents):
            for g, grade in enumerate(grades):
                changed = one.copy()
                changed[d] = grade
                out[:, i, g] += scores_under(scorer, changed[None])[0].mean(axis=1) / len(labels)
    return out - out[:, :, :1]


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "ERR@5", "RBP(p=0.8)", "RR", "Bpref"])
def test_documents_without_a_label_are_worth_nothing(measure, aligned):
    scorer, labels = Scorer(measure, aligned, 2), drawn(aligned, 0.4)
    everything = np.arange(len(aligned.pool))
    found = effects(scorer, labels, (0, 1, 2), everything)
    np.testing.assert_allclose(found, loop(scorer, labels, (0, 1, 2), everything), atol=1e-12)


@pytest.mark.parametrize("numbers", [1, 300, 500])
def test_effects_are_the_same_in_blocks_of_any_size(aligned, monkeypatch, numbers):
    scorer, labels = Scorer("RR", aligned, 2), drawn(aligned)
    everything = np.arange(len(aligned.pool))
    expected = effects(scorer, labels, (0, 1, 2), everything)
    monkeypatch.setattr("hungjury.leaderboard.effects.NUMBERS_AT_ONCE", numbers)
    np.testing.assert_array_equal(effects(scorer, labels, (0, 1, 2), everything), expected)


@pytest.mark.parametrize("measure", ["P@5", "RBP(p=0.8)", "DCG@5", "RR"])
def test_contributions_where_documents_have_no_label(measure, aligned):
    """The score minus the score with the document not relevant, in label sets with gaps."""
    scorer, labels = Scorer(measure, aligned, 2), drawn(aligned, 0.4, 3)
    weights = np.random.default_rng(1).dirichlet(np.ones(3), 3).T  # [set, topic]
    everything, pool = np.arange(len(aligned.pool)), aligned.pool
    for topic, found in contributions(scorer, labels, weights, everything):
        expected = np.zeros_like(found)
        for one, weight in zip(labels, weights[:, topic], strict=True):
            whole = scores_under(scorer, one[None])[0][:, topic]
            for i, d in enumerate(range(pool.offsets[topic], pool.offsets[topic + 1])):
                without = one.copy()
                without[d] = 0
                less = scores_under(scorer, without[None])[0][:, topic]
                expected[:, i] += weight * (whole - less)
        np.testing.assert_allclose(found, expected, atol=1e-12)
