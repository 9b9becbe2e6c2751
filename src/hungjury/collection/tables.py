"""Tables with a header (CSV, TSV, JSON lines, Parquet), frames and dictionaries as columns.

Column names are those that the tools of the field use, so that their files and frames can be
given as they are.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.labelled import MAGIC, labelled_columns
from hungjury.collection.sources import Source
from hungjury.errors import InputError, MissingExtra
from hungjury.numbers import decimal_of, integer_of

__all__ = ["Table", "frame_table", "grade_columns", "is_frame", "read_table", "table_format"]

SYNONYMS: dict[str, tuple[str, ...]] = {
    "topic": ("topic", "query_id", "qid", "q_id", "query-id", "topic_id", "query", "queryid"),
    "document": (
        "document",
        "doc_id",
        "docid",
        "docno",
        "doc",
        "corpus-id",
        "corpus_id",
        "task",
        "item",
        "passage_id",
        "pid",
    ),
    "label": ("label", "relevance", "rel", "grade", "judgment", "judgement", "p", "score"),
    "judge": ("judge", "assessor", "worker", "annotator", "performer"),
    "iteration": ("iteration", "iter"),
    "score": ("score", "sim"),
    "rank": ("rank",),
    "tag": ("tag", "run", "system", "run_id", "runid"),
}
_KNOWN = {name for names in SYNONYMS.values() for name in names}


@dataclass(frozen=True)
class Table:
    """Columns by their own names; `lines` is the line of each row in the file."""

    name: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def line(self, row: int) -> int:
        return row + 1 if self.lines is None else self.lines[row]

    def line_numbers(self) -> NDArray[np.int64]:
        return np.array([self.line(i) for i in range(len(self))], dtype=np.int64)

    def find(self, role: str) -> str | None:
        """The column that plays a role (topic, document, label, judge, ...)."""
        lower = {str(c).lower(): c for c in self.columns}
        return next((lower[n] for n in SYNONYMS[role] if n in lower), None)

    def need(self, role: str) -> str:
        found = self.find(role)
        if found is None:
            raise InputError(
                f"no column for the {role}; the columns are {', '.join(map(str, self.columns))}",
                file=self.name,
                remedy=f"name it one of {', '.join(SYNONYMS[role])}",
            )
        return found

    def texts(self, column: str) -> list[str]:
        """A column of ids; whole numbers are ids too, a missing value is not."""
        return [self._text(v, column, i) for i, v in enumerate(self.columns[column])]

    def _text(self, value: Any, column: str, row: int) -> str:
        if isinstance(value, str) and value.isascii() and value:
            return value
        remedy = "give every row an id, as text or an integer"
        try:
            if isinstance(value, str) and value.encode("utf-8"):
                return value
            if isinstance(value, bytes) and value:
                return value.decode("utf-8")
        except UnicodeError:
            raise self._bad(f"the {column} {value!r} is not UTF-8", row, remedy) from None
        if isinstance(value, Integral) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, float) and math.isfinite(value):
            raise self._bad(f"the {column} {value!r} is a decimal number", row, remedy)
        raise self._bad(f"the {column} is missing: {value!r} is not an id", row, remedy)

    def numbers(self, column: str, what: str) -> list[float]:
        return [self._number(v, what, i) for i, v in enumerate(self.columns[column])]

    def _number(self, value: Any, what: str, row: int) -> float:
        try:
            number = decimal_of(value) if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None or not math.isfinite(number):
            raise self._bad(f"the {what} {value!r} is not a finite number", row, f"fix the {what}")
        return number

    def check_integers(self, column: str, what: str) -> None:
        """Refuse a column that holds anything but integers."""
        for row, value in enumerate(self.columns[column]):
            number = integer_of(value) if isinstance(value, str) else value
            if not (isinstance(number, (Integral, float)) and number == number // 1):
                raise self._bad(f"the {what} {value!r} is not an integer", row, f"fix the {what}")

    def _bad(self, message: str, row: int, remedy: str) -> InputError:
        return InputError(message, file=self.name, line=self.line(row), remedy=remedy)


def grade_columns(table: Table) -> list[str]:
    """The columns p0, p1, ... of a table that gives the probability of every grade."""
    names: list[str] = []
    while (name := f"p{len(names)}") in table.columns:
        names.append(name)
    return names if len(names) > 1 else []


def table_format(source: Source) -> str | None:
    """'csv', 'tsv', 'jsonl', 'parquet' or 'labels'; None for a file in TREC's columns."""
    head = source.head()
    if head.startswith(MAGIC):
        return "labels"
    if head[:4] == b"PAR1":
        return "parquet"
    if head.lstrip()[:1] == b"{":
        return "jsonl"
    text = head.decode("utf-8", "replace").strip()
    for kind, mark in (("csv", ","), ("tsv", "\t")):
        names = [n.strip().strip('"').lower() for n in text.split(mark)]
        if len(names) > 1 and sum(n in _KNOWN for n in names) >= 2:
            return kind
    return None


def read_table(source: Source, kind: str, by_judge: bool = False) -> Table:
    """A file as a table; of a database of labels every judge's, or the ones that count."""
    if kind == "parquet":
        return _parquet(source)
    if kind == "labels":
        return _labelled(source, "labels" if by_judge else "gold")
    text = source.content()
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(
            "not UTF-8 text", file=source.name, line=line, remedy="save the file as UTF-8"
        ) from None
    return _json_lines(source, decoded) if kind == "jsonl" else _separated(source, decoded, kind)


def _separated(source: Source, text: str, kind: str) -> Table:
    mark = "," if kind == "csv" else "\t"
    # TSV files of the field are not quoted: a quote in an id is an ordinary character.
    content = io.StringIO(text, newline="")
    if kind == "csv":
        rows = csv.reader(content, delimiter=mark)
    else:
        rows = csv.reader(content, delimiter=mark, quoting=csv.QUOTE_NONE)
    try:
        return _rows(source, rows)
    except csv.Error as error:
        raise InputError(
            str(error), file=source.name, line=rows.line_num, remedy="fix the quotes"
        ) from None


def _rows(source: Source, rows: Any) -> Table:
    names = [n.strip() for n in next(rows)]
    twice = next((n for n in names if n and names.count(n) > 1), None)
    if twice is not None:
        raise InputError(
            f"two columns are called '{twice}'", file=source.name, line=1, remedy="rename one"
        )
    columns: list[list[str]] = [[] for _ in names]
    lines: list[int] = []
    for row in rows:
        if not row:
            continue
        lines.append(rows.line_num)
        if len(row) != len(names):
            raise InputError(
                f"expected {len(names)} columns ({', '.join(names)}), found {len(row)}",
                file=source.name,
                line=rows.line_num,
                remedy="fix this line",
            )
        for column, value in zip(columns, row, strict=True):
            column.append(value.strip())
    return Table(source.name, dict(zip(names, columns, strict=True)), lines)


def _json_lines(source: Source, text: str) -> Table:
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:  # also numbers too long, lists too deep
            raise InputError(
                f"not JSON: {getattr(error, 'msg', error)}",
                file=source.name,
                line=number,
                remedy="fix this line",
            ) from None
        if not isinstance(row, dict) or (columns and row.keys() != columns.keys()):
            raise InputError(
                "every line must be an object with the same keys",
                file=source.name,
                line=number,
                remedy=f"the first line has {', '.join(columns) or 'no object'}",
            )
        lines.append(number)
        for key, value in row.items():
            columns.setdefault(key, []).append(value)
    return Table(source.name, columns, lines)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two values under one key, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} appears twice")
    return found


def _labelled(source: Source, view: str) -> Table:
    if source.path is None:
        raise InputError(
            "a database of labels cannot be read from a pipe",
            file=source.name,
            remedy="give its path",
        )
    return Table(source.name, labelled_columns(source.path, view))


def _parquet(source: Source) -> Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "tables", f"reading {source.name}") from None
    content = source.content()
    try:
        frame = pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"not a readable Parquet file: {error}", file=source.name, remedy="write the file again"
        ) from None
    return frame_table(frame, source.name)


def is_frame(source: Any) -> bool:
    """A data frame of any kind that narwhals knows."""
    # Asking the frame itself would make a lazy one work out its columns.
    return hasattr(type(source), "columns") or hasattr(type(source), "column_names")


def frame_table(frame: Any, name: str = "<frame>") -> Table:
    import narwhals as nw

    try:
        native: Any = nw.from_native(frame, pass_through=True, allow_series=False, eager_only=True)
        if isinstance(native, nw.DataFrame):
            return Table(name, {str(c): native[c].to_list() for c in native.columns})
    except (KeyError, ValueError) as error:  # a column twice, or text that is not UTF-8
        raise InputError(
            f"the columns cannot be read: {error}", file=name, remedy="fix the columns"
        ) from None
    raise InputError(
        f"cannot read from {type(frame).__name__}",
        remedy="give an eager pandas, polars or pyarrow frame (collect a lazy one first)",
    )


def nested_table(source: Any, value: str, name: str = "<dict>") -> Table:
    """``{topic: {document: value}}`` as a table."""
    if not isinstance(source, Mapping):
        raise InputError(
            f"expected a dictionary, got {type(source).__name__}",
            file=name,
            remedy="give {topic: {document: value}}",
        )
    topics: list[str] = []
    documents: list[str] = []
    values: list[Any] = []
    for topic, inner in source.items():
        if not isinstance(inner, Mapping):
            raise InputError(
                f"the dictionary contains {type(inner).__name__} under {topic!r}",
                remedy="give {topic: {document: value}}",
            )
        topics += [topic] * len(inner)
        documents += inner.keys()
        values += inner.values()
    return Table(name, {"topic": topics, "document": documents, value: values})
