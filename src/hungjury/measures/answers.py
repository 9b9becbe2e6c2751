"""read_answers: answers of systems, scored by judges, as documents.

A system's answer to a topic is a document that only this system returns, at rank 1; the scores that
judges gave it are its labels, and the mean score is the measure `Mean@1`. Leaderboards, plans, gold
labels, gates and the labelling page then work on answers as on documents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hungjury.base.errors import InputError, Note, few, plural
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.tables import Table
from hungjury.data.labels import read_judgments
from hungjury.data.qrels import Judgments
from hungjury.data.runs import Runs, read_runs
from hungjury.measures.score_files import Cell, cells_of, check_scale, limits_of, named_columns

MOST_GRADES = 100  # of an integer scale; more of them are taken as real numbers
NOBODY = "judge"  # who scored, where a table does not say


class Answers(Record, eq=False):
    """Answers as documents, and what judges said of them.

    Attributes
    ----------
    judgments : Judgments
        The scores: grades where all of them are integers, else shares of the scale.
    runs : Runs
        A list of one document for every system and topic.
    texts : dict
        The answers' texts by document, where the table has them.
    scale : tuple of float
        Lowest and highest possible score.
    notes : tuple of Note
        Answers that are missing, and how scores were read.

    Examples
    --------
    >>> import hungjury as hj
    >>> rows = [{"system": s, "topic": t, "judge": j, "score": v}
    ...         for s, t, j, v in [("a", "1", "x", 3), ("a", "1", "y", 5), ("b", "1", "x", 1),
    ...                            ("b", "1", "y", 2), ("a", "2", "x", 4), ("b", "2", "y", 4)]]
    >>> hj.read_answers(rows, scale="1-5")
    Answers(2 systems, 2 topics, 2 judges)
    """

    judgments: Judgments
    runs: Runs
    texts: Mapping[str, str]
    scale: tuple[float, float]
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        counts = len(self.runs.systems), len(self.runs.topics), len(self.judgments.judges)
        names = (
            plural(n, word) for n, word in zip(counts, ("system", "topic", "judge"), strict=True)
        )
        return f"Answers({', '.join(names)})"

    def write(self, folder: str | Path) -> None:
        """Write ``judges.csv``, ``runs.csv`` and, if there are texts, ``documents.jsonl``, for
        commands such as ``hungjury plan`` and ``hungjury label``."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        labels = [
            (judge, topic, document, label)
            for judge in self.judgments.judges
            for topic, given in self.judgments.qrels_of(judge).to_dict().items()
            for document, label in given.items()
        ]
        lists = [
            (system, topic, document, 1)
            for system in self.runs.systems
            for topic in self.runs.topics
            for document, _ in self.runs.ranked(system, topic)
        ]
        table = Table(["judge", "topic", "document", "label"], labels)
        write_whole(folder / "judges.csv", table.to_csv())
        write_whole(
            folder / "runs.csv", Table(["system", "topic", "document", "score"], lists).to_csv()
        )
        if self.texts:
            lines = [json.dumps({"_id": d, "text": t}) for d, t in self.texts.items()]
            write_whole(folder / "documents.jsonl", "\n".join(lines) + "\n")


def read_answers(
    source: Any,
    *,
    scale: tuple[float, float] | str,
    columns: Mapping[str, str] | str | None = None,
) -> Answers:
    """Read answers of systems that judges scored.

    Parameters
    ----------
    source : path, pattern, list or frame
        A table with the columns system, topic, judge and score, and with the text of the answer if
        people are to label it; a row for every score. Without a column of judges there is one.
    scale : tuple of float or str
        Lowest and highest possible score, such as ``(1, 5)`` or ``"0-1"``. Scores outside of it
        are an error. Integers from 0 up are used as grades; real numbers become shares of the
        scale, from 0 to 1.
    columns : dict or str
        Names of columns by role, such as ``"system=model,topic=question"``.

    Returns
    -------
    Answers
        `judgments` and `runs`, which `leaderboard`, `plan` and `gate` take as they are, with
        ``"Mean@1"`` as the measure.

    Examples
    --------
    >>> import hungjury as hj
    >>> rows = [{"system": s, "topic": str(t), "judge": j, "score": (s == "a") + t % 2}
    ...         for s in "ab" for t in range(9) for j in "xyz"]
    >>> answers = hj.read_answers(rows, scale=(0, 3))
    >>> board = hj.leaderboard(answers.judgments, answers.runs, "Mean@1", draws=200)
    >>> board.systems
    ['a', 'b']
    """
    named = named_columns(columns)
    cells = list(cells_of(source, named))
    if not cells:
        raise InputError(
            "no answer was found", code="no-answers", remedy="give a table with scores"
        )
    limits = limits_of(scale)
    check_scale(cells, limits)
    assert limits is not None  # a scale is required
    low, high = limits
    whole = all(c.value == int(c.value) for c in cells) and low >= 0 and high <= MOST_GRADES
    labels = _labels(cells)
    how: dict[str, Any] = {"grades": range(int(high) + 1)}
    notes = []
    if not whole:
        how = {"scaling": f"linear(low={low:g}, high={high:g})"}
        text = f"scores from {low:g} to {high:g} are taken as shares of this scale, from 0 to 1"
        notes.append(Note("share-of-scale", 1, text))
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for cell in cells:
        runs.setdefault(cell.system, {}).setdefault(cell.topic, {})[_document(cell)] = 1.0
    notes += _missing(runs)
    texts = {_document(cell): cell.text for cell in cells if cell.text}
    return Answers(read_judgments(labels, **how), read_runs(runs), texts, limits, tuple(notes))


def _document(cell: Cell) -> str:
    """The id of an answer, which no other system and topic has."""
    return f"{cell.system}:{cell.topic}"


def _labels(cells: list[Cell]) -> dict[str, dict[str, dict[str, float]]]:
    """{judge: {topic: {document: score}}}; a judge scores an answer once."""
    labels: dict[str, dict[str, dict[str, float]]] = {}
    repeated = []
    for cell in cells:
        given = labels.setdefault(cell.judge or NOBODY, {}).setdefault(cell.topic, {})
        if _document(cell) in given:
            repeated.append(f"{cell.judge or NOBODY} on {cell.system}, {cell.topic}")
        given[_document(cell)] = cell.value
    if repeated:
        raise InputError(
            f"{plural(len(repeated), 'answer')} scored more than once by a judge: {few(repeated)}",
            code="repeated-scores",
            remedy="keep one score, or their mean",
        )
    return labels


def _missing(runs: Mapping[str, Mapping[str, Any]]) -> list[Note]:
    """A note on systems that did not answer every topic: there they score 0."""
    topics = {topic for lists in runs.values() for topic in lists}
    gaps = {name: len(topics) - len(lists) for name, lists in runs.items()}
    short = [f"{name} {gap}" for name, gap in gaps.items() if gap]
    if not short:
        return []
    text = f"{plural(len(short), 'system')} without an answer on some topics, where they score 0"
    return [
        Note("missing-answers", sum(gaps.values()), text, subjects=tuple(short), about="result")
    ]
