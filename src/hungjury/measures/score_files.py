"""read_scores: values per system and topic that were computed elsewhere.

Whatever the form, it ends as rows of system, topic, measure, value and, where several judges scored
the same thing, judge. From the rows follow the axes, in the order of first appearance, and one
place checks what is missing, twice there or outside of a scale.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import MissingScores, RepeatedScores
from hungjury.base.errors import (
    Argument,
    HungjuryError,
    InputError,
    Note,
    check_choice,
    few,
    plural,
)
from hungjury.base.records import Record
from hungjury.base.text import decimal_of
from hungjury.data.reading.sources import Source, expand
from hungjury.measures.catalogue import Measure
from hungjury.measures.catalogue import measure as find_measure
from hungjury.measures.scores import NOT_RETRIEVED, SCORED, Scores

ALL = "all"  # the topic of summaries, in the output of trec_eval and ir_measures
ROLES = {
    "system": ("system", "run", "name", "model", "model_name", "system_name", "run_name"),
    "topic": ("topic", "qid", "query_id", "query", "q_id", "question", "question_id", "task",
              "task_name", "dataset"),
    "measure": ("measure", "metric", "metric_name"),
    "value": ("value", "score", "scores", "main_score"),
    "text": ("text", "answer", "response", "output"),
    "judge": ("judge", "assessor", "annotator", "worker", "rater", "evaluator", "judge_model"),
}  # fmt: skip


class Cell(NamedTuple):
    """One value as it was read, and where."""

    system: str
    topic: str
    measure: str
    value: float
    judge: str = ""
    place: str = ""
    text: str = ""  # of an answer


class JudgeScores(Record, eq=False):
    """Scores of systems on topics by several judges, one measure.

    Attributes
    ----------
    measure : str
        What the judges scored.
    judges, systems, topics : list of str
        Names along the axes of `values`.
    values : ndarray
        [judge, system, topic]; NaN where a judge did not score.
    scale : tuple of float
        Lowest and highest possible score.
    smaller : bool
        Smaller is better.
    notes : tuple of Note
        What was left out.

    Examples
    --------
    >>> import hungjury as hj
    >>> rows = [{"system": s, "topic": t, "judge": j, "score": v}
    ...         for s, t, j, v in [("a", "1", "x", 3), ("a", "1", "y", 4), ("b", "1", "x", 1),
    ...                            ("b", "1", "y", 2)]]
    >>> hj.read_scores(rows, scale=(1, 5)).values[:, :, 0].tolist()
    [[3.0, 1.0], [4.0, 2.0]]
    """

    measure: str
    judges: list[str]
    systems: list[str]
    topics: list[str]
    values: Floats
    scale: tuple[float, float]
    smaller: bool = False
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        j, s, t = self.values.shape
        parts = plural(j, "judge"), plural(s, "system"), plural(t, "topic")
        return f"JudgeScores({', '.join(parts)})"

    def of(self, judge: str) -> Scores:
        """Return the scores that one judge gave."""
        values = self.values[self.judges.index(judge)]
        status = np.where(np.isnan(values), NOT_RETRIEVED, SCORED).astype(np.uint8)
        return Scores([self.measure], self.systems, self.topics, values[None], status[None],
                      smaller=[self.smaller])  # fmt: skip


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
        Tables with the columns system, topic, measure and value (CSV, TSV, JSON lines, frames,
        lists of dictionaries), or with one column per measure; the output of ``trec_eval -q`` and
        ``ir_measures -q`` (a file is one system); dictionaries of pytrec_eval and ranx, also of
        several systems; folders of MTEB results, whose tasks are the topics; and what hungjury
        wrote as CSV or JSON.
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
    check_choice("missing", missing, get_args(MissingScores))
    check_choice("duplicates", duplicates, get_args(RepeatedScores))
    if isinstance(source, (Scores, JudgeScores)):
        return source
    named = named_columns(columns)
    cells = [cell for cell in cells_of(source, named) if cell.topic != ALL]
    if not cells:
        raise InputError(
            "no score per topic was found", code="no-scores",
            remedy="give values per topic, such as the output of trec_eval -q",
        )  # fmt: skip
    limits = limits_of(scale)
    check_scale(cells, limits)
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
    known = [_catalogued(name) for name in measures]
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
    if len(measures) > 1:
        raise InputError(
            f"judges scored {plural(len(measures), 'measure')}: {few(measures)}",
            code="several-measures",
            remedy="keep the rows of one measure",
        )
    if limits is None:
        raise InputError(
            "scores of several judges need their scale", code="no-scale", argument="scale",
            remedy=("say the lowest and the highest score,", Argument("scale", "1-5")),
        )  # fmt: skip
    seen = np.asarray(~np.isnan(values[..., 0]).all(axis=2))  # [judge, system]
    few_systems = [j for j, one in zip(judges, seen, strict=True) if one.sum() < 2]
    if few_systems and len(systems) > 1:
        raise InputError(
            f"{plural(len(few_systems), 'judge')} scored one system only: {few(few_systems)}",
            code="one-system-judge",
            remedy="leave them out: what they say of it cannot be compared with others",
        )
    return JudgeScores(
        measures[0], judges, systems, topics, values[..., 0], limits, smaller[0], notes
    )


def named_columns(columns: Mapping[str, str] | str | None) -> dict[str, str]:
    if isinstance(columns, str):
        pairs = [part.partition("=") for part in columns.split(",")]
        columns = {role.strip(): name.strip() for role, _, name in pairs}
    named = dict(columns or {})
    if unknown := set(named) - set(ROLES):
        raise InputError(
            f"unknown role of a column: {few(sorted(unknown))}", code="unknown-role",
            argument="columns", remedy=f"the roles are {', '.join(ROLES)}",
        )  # fmt: skip
    return named


def limits_of(scale: tuple[float, float] | str | None) -> tuple[float, float] | None:
    if scale is None:
        return None
    ends = scale.split("-") if isinstance(scale, str) else scale
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError):
        low = high = 0.0
    if not low < high:
        raise InputError(
            f"scale is {scale!r}", code="bad-scale", argument="scale",
            remedy="give the lowest and the highest score, such as 1-5",
        )  # fmt: skip
    return low, high


def check_scale(cells: Sequence[Cell], limits: tuple[float, float] | None) -> None:
    if limits is None:
        return
    low, high = limits
    outside = [cell for cell in cells if not low <= cell.value <= high]
    if outside:
        shown = few([f"{c.value:g} ({c.place or f'{c.system}, {c.topic}'})" for c in outside])
        raise InputError(
            f"{plural(len(outside), 'score')} outside of {low:g} to {high:g}: {shown}",
            code="outside-scale",
            argument="scale",
            remedy="fix the scale or these scores",
        )


def _catalogued(name: str) -> Measure | None:
    try:
        return find_measure(name)
    except HungjuryError:  # a measure of another tool
        return None


def _arranged(
    cells: Sequence[Cell], axes: list[list[str]], duplicates: RepeatedScores
) -> tuple[Floats, list[Note]]:
    """Return values [judge, system, topic, measure], NaN where there is none."""
    places = [{name: i for i, name in enumerate(axis)} for axis in axes]
    values = np.full([len(axis) for axis in axes], np.nan)
    counts = np.zeros(values.shape, dtype=np.int64)
    repeated: list[Cell] = []
    for cell in cells:
        names = (cell.judge, cell.system, cell.topic, cell.measure)
        at = tuple(place[name] for place, name in zip(places, names, strict=True))
        if counts[at]:
            repeated.append(cell)
        if not counts[at] or duplicates == "last":
            values[at] = cell.value
        elif duplicates == "mean":
            values[at] += (cell.value - values[at]) / (counts[at] + 1)
        counts[at] += 1
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


# From a source to cells.


def cells_of(source: Any, named: Mapping[str, str]) -> Iterator[Cell]:
    """Read the cells of any source; `named` has the columns that a user named."""
    if isinstance(source, (str, os.PathLike)):
        yield from _path_cells(os.fspath(source), named)
    elif isinstance(source, Mapping):
        yield from _nested_cells(source)
    elif isinstance(source, (list, tuple)) and source and isinstance(source[0], Mapping):
        yield from _row_cells(source, named, "row")
    elif isinstance(source, (list, tuple)):
        for one in source:
            yield from cells_of(one, named)
    else:
        import narwhals as nw

        try:
            frame: Any = nw.from_native(source, eager_only=True)
        except TypeError:
            raise InputError(
                f"{type(source).__name__} is not a source of scores", code="not-scores",
                remedy="give a path, a frame, a dictionary or a list of dictionaries",
            ) from None  # fmt: skip
        yield from _row_cells(frame.iter_rows(named=True), named, "row")


def _path_cells(path: str, named: Mapping[str, str]) -> Iterator[Cell]:
    if os.path.isdir(path):
        yield from _mteb_cells(Path(path))
        return
    for source in expand([path], "scores"):
        yield from _file_cells(source, named)


def _file_cells(source: Source, named: Mapping[str, str]) -> Iterator[Cell]:
    """Read one file, whose form its beginning tells."""
    with source.open() as stream:
        text = stream.read().decode("utf-8-sig", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise source.error("the file is empty", "empty-file", "check the command that produced it")
    if lines[0].startswith(("{", "[")):
        yield from _json_cells(source, text, lines, named)
        return
    mark = next((m for m in ("\t", ",", ";") if len(lines[0].split(m)) > 1), None)
    header = [name.strip().lower() for name in lines[0].split(mark)] if mark else []
    known = {name for names in ROLES.values() for name in names} | {
        n.lower() for n in named.values()
    }
    if mark and len(known & set(header)) >= 2:
        rows = csv.DictReader(io.StringIO(text), delimiter=mark)
        yield from _row_cells(cast("Iterable[Mapping[str, Any]]", rows), named, source.name)
    else:
        yield from _evaluator_cells(source, lines)


def _json_cells(
    source: Source, text: str, lines: list[str], named: Mapping[str, str]
) -> Iterator[Cell]:
    try:
        content = json.loads(text)
    except ValueError:
        try:
            content = [json.loads(line) for line in lines]
        except ValueError as error:
            raise source.error(
                f"not JSON: {error}", "bad-json", "fix or remove this line"
            ) from None
    if isinstance(content, list):
        yield from _row_cells(content, named, source.name)
    elif "measures" in content and "mean" in content:  # hungjury's own
        if "topics" not in content:
            raise source.error(
                "this result has means only", "no-topics",
                "write it with values per topic: hungjury evaluate -q --format json",
            )  # fmt: skip
        yield from _nested_cells(content["topics"])
    elif "task_name" in content:
        yield from _task_cells(content, source.stem, source.name)
    else:
        yield from _nested_cells(content, source.stem)


def _evaluator_cells(source: Source, lines: list[str]) -> Iterator[Cell]:
    """Read trec_eval's `measure topic value`, or ir_measures' `topic measure value`."""
    rows = [line.split() for line in lines]
    bad = next((i for i, row in enumerate(rows) if len(row) != 3), None)
    if bad is not None:
        raise source.error(
            f"expected a measure, a topic and a value, got {lines[bad][:60]!r}", "not-scores",
            "give a table with a header, or the output of trec_eval -q or ir_measures -q", bad + 1,
        )  # fmt: skip
    system = next((row[2] for row in rows if row[0] == "runid"), source.stem)
    firsts, seconds = ({row[i] for row in rows} for i in (0, 1))
    topic_first = sum(map(_is_measure, seconds)) > sum(map(_is_measure, firsts))
    for number, (first, second, value) in enumerate(rows, 1):
        if first == "runid" or value.startswith("'"):  # a name, or trec_eval's string of labels
            continue
        topic, measure = (first, second) if topic_first else (second, first)
        place = f"{source.name}:{number}"
        yield Cell(system, topic, measure, _number(value, place), place=place)


def _is_measure(name: str) -> bool:
    return _catalogued(name) is not None


def _row_cells(
    rows: Iterable[Mapping[str, Any]], named: Mapping[str, str], place: str
) -> Iterator[Cell]:
    """Read rows with a value each, or with a column per measure."""
    roles: dict[str, str] = {}
    measures: list[str] = []
    for number, row in enumerate(rows, 2):
        if not roles:
            roles = _roles(row, named, place)
            measures = [
                name for name, value in row.items()
                if name not in roles.values() and _numeric(value) is not None
            ]  # fmt: skip
        where = f"{place}:{number}" if place != "row" else f"row {number - 1}"
        system, topic = str(row[roles["system"]]), str(row[roles["topic"]])
        judge = str(row[roles["judge"]]) if "judge" in roles else ""
        if "value" in roles:
            measure = str(row[roles["measure"]]) if "measure" in roles else roles["value"]
            cells = [(measure, row[roles["value"]])]
        else:
            cells = [(name, row[name]) for name in measures]
        text = str(row[roles["text"]] or "") if "text" in roles else ""
        for measure, value in cells:
            if value is not None and value != "":
                yield Cell(system, topic, measure, _number(value, where), judge, where, text)


def _roles(row: Mapping[str, Any], named: Mapping[str, str], place: str) -> dict[str, str]:
    """Find the columns of system, topic, measure, value and judge."""
    roles = {}
    lower = {str(name).lower(): str(name) for name in row}
    for role, names in ROLES.items():
        asked = named.get(role)
        found = (
            lower.get(asked.lower())
            if asked
            else next((lower[n] for n in names if n in lower), None)
        )
        if asked and found is None:
            raise InputError(
                f"no column '{asked}'", code="no-column", file=place, argument="columns",
                remedy=f"the columns are {few(list(map(str, row)))}",
            )  # fmt: skip
        if found is not None:
            roles[role] = found
    for role in ("system", "topic"):
        if role not in roles:
            raise InputError(
                f"no column of the {role}", code="no-column", file=place,
                remedy=("name it with", Argument("columns", f"{role}=NAME"),
                        f"; the columns are {few(list(map(str, row)))}"),
            )  # fmt: skip
    if "measure" in roles and "value" not in roles:
        raise InputError(
            "no column of the value", code="no-column", file=place,
            remedy=("name it with", Argument("columns", "value=NAME")),
        )  # fmt: skip
    return roles


def _nested_cells(content: Mapping[str, Any], system: str = "run") -> Iterator[Cell]:
    """Read {topic: {measure: value}} of pytrec_eval or {measure: {topic: value}} of ranx, or
    either for several systems."""
    inner = next(iter(content.values()), None)
    if not isinstance(inner, Mapping):
        raise InputError(
            "a dictionary of scores has values per topic and measure", code="not-scores",
            remedy="give {system: {topic: {measure: value}}}",
        )  # fmt: skip
    if isinstance(next(iter(inner.values()), None), Mapping):
        for name, scores in content.items():
            yield from _nested_cells(scores, str(name))
        return
    topic_outside = sum(map(_is_measure, inner)) >= sum(map(_is_measure, content))
    for outer, values in content.items():
        for key, value in values.items():
            topic, measure = (outer, key) if topic_outside else (key, outer)
            place = f"{system}, {topic}, {measure}"
            if value is not None:
                yield Cell(system, str(topic), str(measure), _number(value, place), place=place)


def _mteb_cells(folder: Path) -> Iterator[Cell]:
    """Read results of MTEB: MODEL/REVISION/TASK.json; several revisions are several systems."""
    files = sorted(p for p in folder.rglob("*.json") if p.name != "model_meta.json")
    if not files:
        raise InputError(
            "no result in this folder", code="no-scores", file=str(folder),
            remedy="give a folder of MTEB results, or a pattern such as 'scores/*.csv'",
        )  # fmt: skip
    models: dict[str, set[str]] = {}
    found = []
    for path in files:
        parts = path.relative_to(folder).parts
        model = parts[-3] if len(parts) > 2 else parts[-2] if len(parts) > 1 else folder.name
        revision = parts[-2] if len(parts) > 2 else ""
        models.setdefault(model, set()).add(revision)
        found.append((path, model, revision))
    for path, model, revision in found:
        name = model if len(models[model]) == 1 else f"{model}@{revision}"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            raise InputError(
                f"not a result of MTEB: {error}", code="bad-json", file=str(path),
                remedy="remove this file or fix it",
            ) from None  # fmt: skip
        if isinstance(content, dict) and "task_name" in content:
            yield from _task_cells(content, name, str(path))


def _task_cells(content: Mapping[str, Any], system: str, place: str) -> Iterator[Cell]:
    """The main score of a task: the mean over the subsets of its test split, or of the first."""
    splits = content.get("scores") or {}
    split = "test" if "test" in splits else next(iter(splits), None)
    if split is None:
        return
    scores = [_number(one["main_score"], place) for one in splits[split] if "main_score" in one]
    if scores:
        yield Cell(
            system, str(content["task_name"]), "main_score", sum(scores) / len(scores), "", place
        )


def _numeric(value: Any) -> float | None:
    if isinstance(value, str):
        return decimal_of(value.strip())
    ordinary = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return float(value) if ordinary else None


def _number(value: Any, place: str) -> float:
    number = _numeric(value)
    if number is None or not math.isfinite(number):
        raise InputError(
            f"{value!r} is not a finite number ({place})", code="bad-score",
            remedy="fix or remove this value; leave out what was not scored",
        )  # fmt: skip
    return number
