"""Answers as documents: the mean score by a loop, boards, plans, gates and gold on answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError

SYSTEMS, TOPICS, JUDGES = "abc", range(12), "xyz"


def table(seed: int = 0, whole: bool = True) -> list[dict[str, Any]]:
    """Scores from 1 to 5 of three systems, the first the best."""
    rng = np.random.default_rng(seed)
    rows = []
    for s, system in enumerate(SYSTEMS):
        for topic in TOPICS:
            truth = 4.2 - s + rng.normal(0, 0.4)
            for judge in JUDGES:
                score = float(np.clip(truth + rng.normal(0, 0.5), 1, 5))
                rows.append({"system": system, "topic": f"q{topic}", "judge": judge,
                             "score": round(score) if whole else score,
                             "text": f"answer of {system}"})  # fmt: skip
    return rows


def loop_means(rows: list[dict[str, Any]]) -> list[float]:
    """The mean over topics of the mean over judges, by loops."""
    means = []
    for system in SYSTEMS:
        of_topics = []
        for topic in TOPICS:
            given = [
                r["score"] for r in rows if r["system"] == system and r["topic"] == f"q{topic}"
            ]
            of_topics.append(sum(given) / len(given))
        means.append(sum(of_topics) / len(of_topics))
    return means


@pytest.mark.parametrize("whole", [True, False])
def test_the_board_shows_the_mean_scores(whole: bool) -> None:
    rows = table(whole=whole)
    answers = hj.read_answers(rows, scale="1-5")
    board = hj.leaderboard(answers.judgments, answers.runs, "Mean@1", draws=200)
    means = [one if whole else (one - 1) / 4 for one in loop_means(rows)]
    assert board.systems == list(SYSTEMS)
    assert np.allclose(board.mean, means, atol=0.02)  # a mean over draws
    assert bool(answers.notes) != whole


def test_the_mean_of_longer_lists() -> None:
    scores = hj.evaluate({"1": {"a": 2, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}, ["Mean@1", "Mean@4"])
    assert scores.values.ravel().tolist() == [2, 0.75]


def test_plan_gold_and_gate_take_answers_as_they_are() -> None:
    answers = hj.read_answers(table(), scale=(1, 5))
    plan = hj.plan(answers.judgments, answers.runs, "Mean@1", 10, seed=1)
    assert len(plan.documents) == 10
    gold = {row["topic"]: {} for row in table()}  # type: ignore[var-annotated]
    for row in table(seed=1):
        gold[row["topic"]][f"{row['system']}:{row['topic']}"] = row["score"]
    (verdict,) = hj.gate(gold, answers.runs, "c", "a", "Mean@1")
    assert verdict.passed


def test_written_files_come_back(tmp_path: Path) -> None:
    answers = hj.read_answers(table(), scale=(1, 5))
    answers.write(tmp_path)
    judgments = hj.read_judgments(tmp_path / "judges.csv", grades=range(6))
    runs = hj.read_runs(tmp_path / "runs.csv")
    boards = [hj.leaderboard(j, r, "Mean@1", draws=200).mean
              for j, r in ((answers.judgments, answers.runs), (judgments, runs))]  # fmt: skip
    assert np.array_equal(*boards)
    assert "answer of a" in (tmp_path / "documents.jsonl").read_text()


def test_bad_answers_are_refused_or_noted() -> None:
    rows = table()
    with pytest.raises(InputError, match="outside of 1 to 4"):
        hj.read_answers(rows, scale="1-4")
    with pytest.raises(InputError, match="scored more than once"):
        hj.read_answers([*rows, rows[0]], scale="1-5")
    (note,) = hj.read_answers(rows[3:], scale="1-5").notes
    assert note.kind == "missing-answers"
    assert note.subjects == ("a 1",)
