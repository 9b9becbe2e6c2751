"""Probabilities that a merge learned from double judgments are uncertain on a leaderboard."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.judges.panel import Panel
from hungjury.judges.votes import PredictedRelevance

SAYS = np.array([[0.8, 0.15, 0.05], [0.4, 0.4, 0.2], [0.1, 0.3, 0.6]])  # [label, user's grade]
MERGE = PredictedRelevance(users="user")


def collection(seed, doubles, topics=15, documents=30, systems=4):
    """An LLM's labels, a user's of some documents, the same user's of all, and runs."""
    rng = np.random.default_rng(seed)
    label = rng.choice(3, (topics, documents), p=[0.6, 0.25, 0.15])
    grade = (rng.random((topics, documents, 1)) >= np.cumsum(SAYS, axis=1)[label]).sum(axis=2)
    known = rng.permuted(np.arange(topics * documents) < doubles).reshape(topics, documents)
    scores = [0.8 * label + rng.normal(0, 0.5 + 0.3 * s, label.shape) for s in range(systems)]

    everything = np.ones_like(known)

    def table(values, rows):
        found = {}
        for t, d in np.argwhere(rows):
            found.setdefault(f"t{t}", {})[f"d{d}"] = values[t, d].item()
        return found

    votes = {"llm": table(label, everything), "user": table(grade, known)}
    runs = {f"s{s}": table(one, everything) for s, one in enumerate(scores)}
    return votes, table(grade, everything), runs


def board_of(votes, runs, **options):
    options = {"target": "topics", "draws": 200, "grades": range(3)} | options
    return hj.leaderboard(votes, runs, "nDCG@10", MERGE, **options)


def width(board):
    return float((board.high - board.low).mean())


@pytest.mark.parametrize("panel_error", [0, None])
def test_few_double_judgments_make_intervals_wider(panel_error):
    """With and without an assumed error of the panel, and only for what was learned."""
    wide, narrow = (
        board_of(*collection(1, doubles)[::2], panel_error=panel_error) for doubles in (30, 400)
    )
    assert width(wide) > 2 * width(narrow)
    cause = "judges" if panel_error == 0 else "learned"
    assert wide.shares[cause] > narrow.shares[cause]
    votes, _, runs = collection(1, 30)
    plain = hj.leaderboard(votes, runs, "nDCG@10", target="topics", draws=200, grades=range(3))
    assert "learned" not in plain.shares


def test_what_was_learned_reaches_chances_too():
    """An error of the panel that is almost 0 leaves the uncertainty of what was learned."""
    few, many = (board_of(*collection(2, n)[::2], panel_error=1e-9) for n in (30, 400))
    spread = [(one.samples[:, 0] - one.samples[:, -1]).std() for one in (few, many)]
    assert spread[0] > 1.2 * spread[1]


@pytest.mark.long
def test_intervals_cover_what_the_user_says():
    """Of the user's own scores, with 30 double judgments."""
    covered = []
    for seed in range(60):
        votes, truth, runs = collection(seed, 30)
        board = board_of(votes, runs, outlook=False)
        scores = hj.evaluate(truth, runs, "nDCG@10")
        means = dict(zip(scores.systems, scores.mean()[0], strict=True))
        said = np.array([means[system] for system in board.systems])
        covered.append(((board.low <= said) & (said <= board.high)).mean())
    assert np.mean(covered) >= 0.9


def test_drawn_probabilities_are_the_bootstrap_by_loops():
    """Means and variances of draws are those of a Dirichlet distribution if every topic has one
    double judgment, widened for few topics."""
    topics, size = 12, 2
    rng = np.random.default_rng(3)
    label, grade = rng.integers(2, size=(2, topics))
    votes = {"llm": {}, "user": {}}
    for t in range(topics):
        votes["llm"][f"t{t}"] = {"a": int(label[t]), "b": 0, "c": 1}
        votes["user"][f"t{t}"] = {"a": int(grade[t])}
    panel = Panel.of(hj.read_judgments(votes))
    draw = MERGE.learner(panel)
    drawn = np.array([draw(rng)[1:3, 1] for _ in range(4000)])  # documents b and c of the first
    shape = 1 - 2 / topics
    for value, column in zip((0, 1), drawn.T, strict=True):
        hits = [g for v, g in zip(label, grade, strict=True) if v == value]
        # The sum of gamma variables of this shape, each divided by it, beside those of smoothing.
        expected = []
        for _ in range(4000):
            sums = [rng.standard_gamma(MERGE.smoothing / size) for _ in range(size)]
            for g in hits:
                sums[g] += rng.standard_gamma(shape) / shape
            expected.append(sums[1] / sum(sums))
        assert column.mean() == pytest.approx(np.mean(expected), abs=0.02)
        assert column.std() == pytest.approx(np.std(expected), rel=0.1)
    assert np.ptp([draw(rng)[0] for _ in range(5)], axis=0).max() == 0  # the user's own label
