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
    assert board.mean == pytest.approx(means, abs=1e-12)
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


@pytest.mark.long
def test_intervals_by_gold_labels_cover_what_people_say() -> None:
    """Judges share errors and over-rate one system; people label 100 of 240 planned answers. The
    intervals on exactly these topics cover the mean of what people would say of all answers, and
    those of pairs their differences."""
    covered, apart, wrong, rounds = [], 0, 0, 20
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        people: dict[str, dict[str, int]] = {}
        rows = []
        for q in range(60):
            hard = rng.normal(0, 0.6)
            for s, mean in enumerate((3.0, 3.4, 3.1, 2.7)):
                truth = mean + hard + rng.normal(0, 0.7)
                people.setdefault(f"q{q}", {})[f"s{s}:q{q}"] = int(np.clip(round(truth), 1, 5))
                shared = rng.normal(0, 0.4) + 0.6 * (s == 2)
                for judge in "xyz":
                    score = int(np.clip(round(truth + shared + rng.normal(0, 0.5)), 1, 5))
                    rows.append(
                        {"system": f"s{s}", "topic": f"q{q}", "judge": judge, "score": score}
                    )
        answers = hj.read_answers(rows, scale="1-5")
        given = answers.judgments, answers.runs, "Mean@1"
        plan = hj.plan(*given, budget=100, seed=seed)
        labels: dict[str, dict[str, int]] = {}
        for topic, document in zip(plan.topics, plan.documents, strict=True):
            labels.setdefault(topic, {})[document] = people[topic][document]
        board = hj.leaderboard(*given, gold=hj.read_qrels(labels, grades=range(6)), plan=plan,
                               target="topics", draws=400, outlook=False, seed=seed)  # fmt: skip
        truths = [np.mean([people[t][f"{s}:{t}"] for t in people]) for s in board.systems]
        covered += [low <= one <= high for low, one, high in
                    zip(board.low, truths, board.high, strict=True)]  # fmt: skip
        for i, j in np.argwhere(np.triu(board.apart)):
            apart, wrong = apart + 1, wrong + bool(truths[i] < truths[j])
    assert np.mean(covered) >= 0.9
    assert apart > rounds  # most pairs are told apart
    assert wrong / apart <= 0.025


def test_names_with_blanks_and_colons_stay_apart(tmp_path: Path) -> None:
    named = [
        ("a:b", "c"),
        ("a", "b:c"),
        ("a:b", "b:c"),
        ("a", "c"),
        ("my bot", "c"),
        ("my bot", "b:c"),
    ]
    rows = [
        {"system": s, "topic": t, "judge": j, "score": n % 3, "text": f"{s} on {t}"}
        for n, (s, t) in enumerate(named)
        for j in ("x", "y")
    ]  # fmt: skip
    found = hj.read_answers(rows, scale="0-2")
    assert sorted(found.texts.values()) == sorted(f"{s} on {t}" for s, t in named)
    found.judgments.qrels_of("x").write(tmp_path / "x.qrels")
    assert hj.read_qrels(tmp_path / "x.qrels").to_dict() == found.judgments.qrels_of("x").to_dict()


def test_whole_scores_are_the_grades_up_to_the_end_of_the_scale():
    rows = [{"system": "x", "topic": str(t), "score": t} for t in range(3)]
    assert hj.read_answers(rows, scale="0-3").judgments.grades == (0, 1, 2, 3)
