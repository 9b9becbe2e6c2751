"""read_scores and read_answers: what other tools and judges said of systems.

Scores are values per system and topic. Answers are texts that judges scored: a system's answer to a
topic is a document that only this system returns, at rank 1; the scores that judges gave it are its
labels, and the mean score is the measure `Mean@1`. Leaderboards, plans, gold labels, gates and the
labelling page then work on answers as on documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import MissingScores, RepeatedScores
from hungjury.base.errors import Argument, InputError, Note, few, plural
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.results import Table
from hungjury.data.labels import read_judgments
from hungjury.data.qrels import Judgments
from hungjury.data.reading.values import columns_by_role
from hungjury.data.runs import Runs, read_runs
from hungjury.measures.score_forms import ROLES, Cell, catalogued, cells_of, within_scale
from hungjury.measures.scores import LEFT_OUT, NOT_RETRIEVED, SCORED, Scores

FLAGS = {"missing": "missing_scores", "duplicates": "repeated_scores", "columns": "score_columns"}
ALL = "all"  # the topic of summaries, in the output of trec_eval and ir_measures


class JudgeScores(Scores, eq=False, kw_only=True):
    """Scores of systems on topics that several judges gave: every judge has the place of a measure.

    Plots, tables and correlations therefore compare judges as they compare measures;
    `leaderboard_of_scores`, `aware_of_scores` and `gate` combine them.

    Attributes
    ----------
    judges, systems, topics : list of str
        Names along the axes of `values`; `measures` are the judges.
    values : ndarray
        [judge, system, topic]; NaN where a judge did not score.
    measure : str
        What the judges scored.
    scale : tuple of float
        Lowest and highest possible score.

    Examples
    --------
    >>> import hungjury as hj
    >>> rows = [{"system": s, "topic": t, "judge": j, "score": v}
    ...         for s, t, j, v in [("a", "1", "x", 3), ("a", "1", "y", 4), ("b", "1", "x", 1),
    ...                            ("b", "1", "y", 2)]]
    >>> hj.read_scores(rows, scale=(1, 5)).values[:, :, 0].tolist()
    [[3.0, 1.0], [4.0, 2.0]]
    """

    axis = "judge"
    measure: str
    scale: tuple[float, float]

    @property
    def judges(self) -> list[str]:
        """The judges, who have the place of measures."""
        return self.measures


def read_scores(
    source: Any,
    *,
    columns: Mapping[str, str] | str | None = None,
    missing: MissingScores = "error",
    duplicates: RepeatedScores = "error",
    smaller: str | Iterable[str] = (),
    scale: tuple[float, float] | str | None = None,
) -> Scores | JudgeScores:
    """Read scores per system and topic that another tool computed.

    Scores that were read are compared, plotted and ranked as those that `evaluate` computes.
    Measures, systems and topics keep the order in which they first appear.

    Parameters
    ----------
    source : path, pattern, folder, list, frame or dict
        Tables with the columns system, topic, measure and value (CSV, TSV, JSON, Parquet, Excel,
        frames, lists of dictionaries), or with one column per measure; the output of
        ``trec_eval -q`` and ``ir_measures -q`` (a file is one system); dictionaries of pytrec_eval
        and ranx, also of several systems; folders of MTEB results, whose tasks are the topics; and
        what hungjury wrote as CSV or JSON.
    columns : dict or str
        Names of columns by role, such as ``{"system": "model"}`` or ``"system=model"``.
    missing : {"error", "drop", "zero"}
        What to do where a system has no value on a topic: stop, leave out the topic, or take 0.
    duplicates : {"error", "first", "last", "mean"}
        What to do with several values of one system on one topic.
    smaller : str or list of str
        Measures that are better when smaller. Measures of hungjury know it themselves.
    scale : tuple of float or str
        Lowest and highest possible value, such as ``(1, 5)`` or ``"1-5"``; values outside are an
        error. Needed where several judges scored.

    Returns
    -------
    Scores or JudgeScores
        `JudgeScores` where the table has a column of judges.

    Examples
    --------
    >>> import hungjury as hj
    >>> scores = hj.read_scores({"bm25": {"1": {"ndcg_cut_10": 0.4}, "2": {"ndcg_cut_10": 0.6}}})
    >>> scores.measures, scores.mean()[0].round(2).tolist()
    (['ndcg_cut_10'], [0.5])
    """
    if isinstance(source, (Scores, JudgeScores)):
        return source
    named = dict(columns_by_role(columns, ROLES, "system=model,value=score"))
    cells = [cell for cell in cells_of(source, named) if cell.topic != ALL]
    if not cells:
        raise InputError(
            "no score per topic was found", code="no-scores",
            remedy="give values per topic, such as the output of trec_eval -q",
        )  # fmt: skip
    limits = None if scale is None else within_scale(cells, scale)
    axes = [list(dict.fromkeys(getattr(cell, axis) for cell in cells)) for axis in Cell._fields[:3]]
    judges = list(dict.fromkeys(cell.judge for cell in cells))
    values, notes = _arranged(cells, [judges, *axes], duplicates)
    values, axes[1], more = _complete(values, axes, missing)
    systems, topics, measures = axes
    less = {smaller} if isinstance(smaller, str) else set(smaller)
    if unknown := less - set(measures):
        raise InputError(
            f"no measure {few(sorted(unknown))} in these scores", code="unknown-measure",
            argument="smaller", remedy=f"the measures are {few(measures)}",
        )  # fmt: skip
    known = [catalogued(name) for name in measures]
    turned = [
        n in less or bool(m and m.smaller_is_better) for n, m in zip(measures, known, strict=True)
    ]
    if judges != [""]:
        return _by_judge(values, judges, axes, limits, turned, (*notes, *more))
    averages = ["mean" if m is None else str(m.average) for m in known]
    status = np.where(np.isnan(values[0]), NOT_RETRIEVED, SCORED).astype(np.uint8)
    moved = np.moveaxis(values[0], 2, 0), np.moveaxis(status, 2, 0)
    return Scores(measures, systems, topics, *moved, averages=averages, smaller=turned,
                  notes=(*notes, *more))  # fmt: skip


def _by_judge(
    values: Floats, judges: list[str], axes: list[list[str]],
    limits: tuple[float, float] | None, smaller: list[bool], notes: tuple[Note, ...],
) -> JudgeScores:  # fmt: skip
    systems, topics, measures = axes
    cells = values[..., 0]
    if len(measures) > 1:
        said = f"judges scored {plural(len(measures), 'measure')}: {few(measures)}"
        raise InputError(said, code="several-measures", remedy="keep the rows of one measure")
    if limits is None:
        seen = f"{np.nanmin(cells):g}-{np.nanmax(cells):g}"
        raise InputError(
            "scores of several judges need their scale", code="no-scale", argument="scale",
            remedy=("say the lowest and the highest score,", Argument("scale", seen)),
        )  # fmt: skip
    scored = np.asarray(~np.isnan(cells).all(axis=2))  # [judge, system]
    few_systems = [j for j, one in zip(judges, scored, strict=True) if one.sum() < 2]
    if few_systems and len(systems) > 1:
        said = f"{plural(len(few_systems), 'judge')} scored one system only: {few(few_systems)}"
        remedy = "leave them out: what they say of it cannot be compared with others"
        raise InputError(said, code="one-system-judge", remedy=remedy)
    status = np.where(np.isnan(cells), LEFT_OUT, SCORED).astype(np.uint8)
    return JudgeScores(judges, systems, topics, cells, status, smaller=smaller * len(judges),
                       measure=measures[0], scale=limits, notes=notes)  # fmt: skip


def _arranged(
    cells: Sequence[Cell], axes: list[list[str]], duplicates: RepeatedScores
) -> tuple[Floats, list[Note]]:
    """Return values [judge, system, topic, measure], NaN where there is none."""
    places = [{name: i for i, name in enumerate(axis)} for axis in axes]
    values = np.full([len(axis) for axis in axes], np.nan)
    found: dict[tuple[int, ...], list[Cell]] = {}
    for cell in cells:
        names = (cell.judge, cell.system, cell.topic, cell.measure)
        at = tuple(place[name] for place, name in zip(places, names, strict=True))
        found.setdefault(at, []).append(cell)
    for at, several in found.items():
        used = several if duplicates == "mean" else several[-1 if duplicates == "last" else 0 :][:1]
        values[at] = sum(cell.value for cell in used) / len(used)
    repeated = [cell for several in found.values() for cell in several[1:]]
    if not repeated:
        return values, []
    shown = few([f"{c.system}, {c.topic}, {c.measure} {c.place}".rstrip() for c in repeated])
    text = f"{plural(len(repeated), 'repeated score')}: {shown}"
    if duplicates == "error":
        raise InputError(
            text, code="repeated-scores",
            remedy=("choose", Argument("duplicates", "first", "last", "mean")),
        )  # fmt: skip
    return values, [Note("repeated-scores", len(repeated), f"{text}; took the {duplicates}")]


def _complete(
    values: Floats, axes: list[list[str]], missing: MissingScores
) -> tuple[Floats, list[str], list[Note]]:
    """Apply the policy on missing values; a judge need not score everything."""
    systems, topics, _ = axes
    there = np.asarray(~np.isnan(values).all(axis=0))  # [system, topic, measure], by any judge
    if there.all():
        return values, topics, []
    gaps = int((~there).sum())
    whole = np.asarray(there.all(axis=2))  # [system, topic]
    named = [
        f"{systems[s]} {whole[s].sum()} of {len(topics)} topics"
        for s in np.argsort(whole.sum(axis=1), kind="stable")
        if not whole[s].all()
    ]
    text = f"{plural(gaps, 'missing score')}: {few(named)}"
    if missing == "error":
        raise InputError(
            text, code="missing-scores",
            remedy=("leave out incomplete topics with", Argument("missing", "drop"),
                    "or count them as 0 with", Argument("missing", "zero")),
        )  # fmt: skip
    if missing == "zero":
        note = Note("missing-scores", gaps, f"{text}; counted as 0", about="result")
        return np.where(there, values, 0.0), topics, [note]
    kept = np.flatnonzero(whole.all(axis=0))
    if not len(kept):
        raise InputError(
            "no topic has a score of every system", code="no-common-topic",
            remedy="leave out the systems with the fewest topics",
        )  # fmt: skip
    told = f"{text}; {plural(len(topics) - len(kept), 'topic')} left out"
    note = Note("missing-scores", gaps, told, about="result")
    return values[:, :, kept], [topics[t] for t in kept], [note]


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
        runs, judges = self.runs, len(self.judgments.judges)
        parts = plural(len(runs.systems), "system"), plural(len(runs.topics), "topic")
        return f"Answers({', '.join(parts)}, {plural(judges, 'judge')})"

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
        judged = Table(["judge", "topic", "document", "label"], labels)
        ranked = Table(["system", "topic", "document", "score"], lists)
        write_whole(folder / "judges.csv", judged.to_csv())
        write_whole(folder / "runs.csv", ranked.to_csv())
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
    named = dict(columns_by_role(columns, ROLES, "system=model,value=score"))
    cells = list(cells_of(source, named))
    if not cells:
        raise InputError(
            "no answer was found", code="no-answers", remedy="give a table with scores"
        )
    low, high = within_scale(cells, scale)
    whole = all(c.value == int(c.value) for c in cells) and low >= 0 and high <= MOST_GRADES
    how: dict[str, Any] = {"grades": range(int(high) + 1)}
    notes = []
    if not whole:
        how = {"scaling": f"linear(low={low:g}, high={high:g})"}
        text = f"scores from {low:g} to {high:g} are taken as shares of this scale, from 0 to 1"
        notes.append(Note("share-of-scale", 1, text))
    runs: dict[str, dict[str, dict[str, float]]] = {}
    labels: dict[str, dict[str, dict[str, float]]] = {}
    texts, repeated = {}, []
    for cell in cells:
        document, judge = _document(cell), cell.judge or NOBODY
        runs.setdefault(cell.system, {}).setdefault(cell.topic, {})[document] = 1.0
        given = labels.setdefault(judge, {}).setdefault(cell.topic, {})
        if document in given:
            repeated.append(f"{judge} on {cell.system}, {cell.topic}")
        given[document] = cell.value
        if cell.text:
            texts[document] = cell.text
    if repeated:
        raise InputError(
            f"{plural(len(repeated), 'answer')} scored more than once by a judge: {few(repeated)}",
            code="repeated-scores",
            remedy="keep one score, or their mean",
        )
    notes += _missing(runs)
    return Answers(read_judgments(labels, **how), read_runs(runs), texts, (low, high), tuple(notes))


def _document(cell: Cell) -> str:
    """The id of an answer, which no other system and topic has."""
    from urllib.parse import quote  # blanks and colons in names

    return f"{quote(cell.system, safe='')}:{quote(cell.topic, safe='')}"


def _missing(runs: Mapping[str, Mapping[str, Any]]) -> list[Note]:
    """A note on systems that did not answer every topic: there they score 0."""
    topics = {topic for lists in runs.values() for topic in lists}
    gaps = {name: len(topics) - len(lists) for name, lists in runs.items()}
    short = [f"{name} {gap}" for name, gap in gaps.items() if gap]
    if not short:
        return []
    text = f"{plural(len(short), 'system')} without an answer on some topics, where they score 0"
    number = sum(gaps.values())
    return [Note("missing-answers", number, text, subjects=tuple(short), about="result")]
