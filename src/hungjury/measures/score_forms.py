"""The forms in which scores of other tools come, from any source to cells.

Whatever the form, it ends as cells: system, topic, measure, value and, where several judges scored
the same thing, judge. What is missing, twice there or outside of a scale is checked afterwards.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hungjury.base.errors import Argument, HungjuryError, InputError, few, plural
from hungjury.base.text import decimal_of
from hungjury.data.reading.columns import reading_columns
from hungjury.data.reading.formats import FORMATS, decoded, table_as_written
from hungjury.data.reading.lines import MARKS, header_names
from hungjury.data.reading.sources import Source, expand
from hungjury.measures.catalogue import Measure
from hungjury.measures.catalogue import measure as find_measure

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


def within_scale(cells: Sequence[Cell], scale: tuple[float, float] | str) -> tuple[float, float]:
    """Return the ends of a scale that all values are in."""
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
    outside = [cell for cell in cells if not low <= cell.value <= high]
    if outside:
        shown = few([f"{c.value:g} ({c.place or f'{c.system}, {c.topic}'})" for c in outside])
        said = f"{plural(len(outside), 'score')} outside of {low:g} to {high:g}: {shown}"
        remedy = "fix the scale or these scores"
        raise InputError(said, code="outside-scale", argument="scale", remedy=remedy)
    return low, high


def catalogued(name: str) -> Measure | None:
    try:
        return find_measure(name)
    except HungjuryError:  # a measure of another tool
        return None


def _known(names: Iterable[str]) -> int:
    """Count the names that are measures."""
    return sum(catalogued(name) is not None for name in names)


def cells_of(source: Any, named: Mapping[str, str]) -> Iterator[Cell]:
    """Read the cells of any source; `named` has the columns that a user named."""
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        yield from _mteb_cells(Path(source))
    elif isinstance(source, (str, os.PathLike)):
        for file in expand([os.fspath(source)], "scores"):
            yield from _file_cells(file, named)
    elif isinstance(source, Mapping):
        yield from _nested_cells(source)
    elif isinstance(source, (list, tuple)) and source and isinstance(source[0], Mapping):
        yield from _row_cells(source, named)
    elif isinstance(source, (list, tuple)):
        for one in source:
            yield from cells_of(one, named)
    else:
        import narwhals as nw

        with reading_columns("<frame>"):
            try:
                frame: Any = nw.from_native(source, eager_only=True)
            except TypeError:
                said = f"{type(source).__name__} is not a source of scores"
                remedy = "give a path, a frame, a dictionary or a list of dictionaries"
                raise InputError(said, code="not-scores", remedy=remedy) from None
        yield from _row_cells(frame.iter_rows(named=True), named)


def _file_cells(source: Source, named: Mapping[str, str]) -> Iterator[Cell]:
    """Read one file, whose form its beginning tells."""
    head = source.head(then_read=True)
    kind = next((one.name for one in FORMATS if one.begins(head)), None)
    known = {name.lower() for names in (*ROLES.values(), named.values()) for name in names}
    headers = {mark: {name.lower() for name in header_names(head, mark)} for mark in MARKS}
    kind = kind or next((mark for mark in MARKS if len(known & headers[mark]) >= 2), None)
    if kind is None:
        yield from _evaluator_cells(source)
        return
    table = table_as_written(source, kind)
    values = zip(*table.columns.values(), strict=True)
    rows = [dict(zip(table.columns, row, strict=True)) for row in values]
    if len(rows) == 1 and any(isinstance(value, Mapping) for value in rows[0].values()):
        yield from _object_cells(source, rows[0])
    else:
        places = [f"{source.name}:{line}" for line in table.line_numbers()]
        yield from _row_cells(rows, named, source.name, places)


def _object_cells(source: Source, content: Mapping[str, Any]) -> Iterator[Cell]:
    """Read a file that is one JSON object."""
    if "measures" in content and "mean" in content:  # hungjury's own
        if "topics" not in content:
            raise source.error(
                "this result has means only", "no-topics",
                "write it with values per topic: hungjury evaluate -q -o scores.json",
            )  # fmt: skip
        yield from _nested_cells(content["topics"])
    elif "task_name" in content:
        yield from _task_cells(content, source.stem, source.name)
    else:
        yield from _nested_cells(content, source.stem)


def _evaluator_cells(source: Source) -> Iterator[Cell]:
    """Read trec_eval's `measure topic value`, or ir_measures' `topic measure value`."""
    lines = {n: line for n, line in enumerate(decoded(source).splitlines(), 1) if line.strip()}
    rows = {number: line.split() for number, line in lines.items()}
    bad = next((number for number, row in rows.items() if len(row) != 3), None)
    if bad is not None:
        raise source.error(
            f"expected a measure, a topic and a value, got {lines[bad][:60]!r}", "not-scores",
            "give a table with a header, or the output of trec_eval -q or ir_measures -q", bad,
        )  # fmt: skip
    system = next((row[2] for row in rows.values() if row[0] == "runid"), source.stem)
    firsts, seconds = ({row[i] for row in rows.values()} for i in (0, 1))
    topic_first = _known(seconds) > _known(firsts)
    for number, (first, second, value) in rows.items():
        if first == "runid" or value.startswith("'"):  # a name, or trec_eval's string of labels
            continue
        topic, measure = (first, second) if topic_first else (second, first)
        place = f"{source.name}:{number}"
        yield Cell(system, topic, measure, _number(value, place), place=place)


def _row_cells(
    rows: Iterable[Mapping[str, Any]],
    named: Mapping[str, str],
    file: str = "",
    places: Iterable[str] | None = None,
) -> Iterator[Cell]:
    """Read rows with a value each, or with a column per measure."""
    roles: dict[str, str] = {}
    measures: list[str] = []
    places = (f"row {number}" for number in count(1)) if places is None else places
    for row, where in zip(rows, places, strict=False):
        if not roles:
            roles = _roles(row, named, file)
            measures = [
                name for name, value in row.items()
                if name not in roles.values() and _numeric(value) is not None
            ]  # fmt: skip
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


def _roles(row: Mapping[str, Any], named: Mapping[str, str], file: str) -> dict[str, str]:
    """Find the columns of system, topic, measure, value and judge."""
    roles = {}
    lower = {str(name).lower(): str(name) for name in row}
    for role, names in ROLES.items():
        asked = named.get(role)
        found = next((lower[n] for n in ([asked.lower()] if asked else names) if n in lower), None)
        if found is not None:
            roles[role] = found
        elif asked:
            raise InputError(
                f"no column '{asked}'", code="no-column", file=file or None, argument="columns",
                remedy=f"the columns are {few(lower.values())}",
            )  # fmt: skip
        elif role in ("system", "topic") or (role == "value" and "measure" in roles):
            raise InputError(
                f"no column of the {role}", code="no-column", file=file or None,
                remedy=("name it with", Argument("columns", f"{role}=NAME"),
                        f"; the columns are {few(lower.values())}"),
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
    topic_outside = _known(inner) >= _known(content)
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
    found: dict[Path, tuple[str, ...]] = {}  # model and revision
    for path in files:
        folders = path.relative_to(folder).parts[-3:-1] or (folder.name,)
        found[path] = (*folders, "")[:2]
    revisions = Counter(model for model, _ in set(found.values()))
    for path, (model, revision) in found.items():
        name = model if revisions[model] == 1 else f"{model}@{revision}"
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
        mean = sum(scores) / len(scores)
        yield Cell(system, str(content["task_name"]), "main_score", mean, "", place)


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
