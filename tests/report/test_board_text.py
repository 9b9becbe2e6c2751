"""The sentences of a leaderboard and of a comparison: what is assumed, and what to do next."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hungjury as hj

MADE = hj.simulate(systems=4, topics=8, documents=40, depth=20, accuracies=(0.9, 0.8, 0.7))


def text_of(families: Any = None, **options: Any) -> str:
    board = hj.leaderboard(
        MADE.judgments, MADE.runs, "nDCG@10", draws=100, families=families, **options
    )
    return str(board)


def test_who_errs_together_is_said() -> None:
    names = MADE.judgments.judges
    advice = "declare"
    alike, apart = text_of(), text_of({names[0]: "a", names[1]: "b", names[2]: "b"})
    assert "judges of one LLM are off by" in alike
    assert advice in alike
    assert "judges of 2 LLMs or kinds of people are off by" in apart
    assert "Judges of different LLMs err less together" not in apart
    one = hj.leaderboard(MADE.judgments.only(np.array([0])), MADE.runs, "nDCG@10", draws=100)
    assert "one judge is off by" in str(one)
    assert "Judges of different LLMs err less together" not in str(one)


def test_the_first_step_is_told_with_its_effect() -> None:
    board = hj.leaderboard(MADE.judgments, MADE.runs, "nDCG@10", draws=100)
    (line,) = (line for line in str(board).splitlines() if line.startswith("Next: "))
    assert board.steps[0].text in line
    if board.steps[0].pairs is not None:
        assert f"about {board.steps[0].pairs - board.pairs_apart} more pair" in line


@pytest.mark.parametrize("soft", [False, True])
def test_what_a_probability_of_being_better_is_over(soft: bool) -> None:
    rng = np.random.default_rng(0)
    labels = {
        t: {d: round(float(rng.uniform(0.1, 0.9)), 2) if soft else grade for d, grade in ds.items()}
        for t, ds in MADE.gold.to_dict().items()
    }
    measure = "E(nDCG@10, draws=200)" if soft else "nDCG@10"
    scores = hj.evaluate(labels, MADE.runs, measure, distribution=soft)
    found = hj.compare(scores)
    assert ("P(better): over uncertain labels, on exactly these topics" in found.to_text()) == soft
    for row in found.rows:
        if not soft:
            assert row.chance is None
            continue
        one, other = (scores.systems.index(name) for name in (row.system, row.versus))
        gaps = scores.draws[0][:, one].mean(axis=1) - scores.draws[0][:, other].mean(axis=1)
        better = (np.sum(gaps > 0) + np.sum(gaps == 0) / 2) / len(gaps)
        assert row.chance == pytest.approx(better, abs=0.01)
