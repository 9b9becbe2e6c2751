"""Input tables: columns of a file or frame, and which of them is the topic, the document, ...

Column names are those of other tools of the field, whose files and frames can be read as they are.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from numbers import Integral
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import Argument, HungjuryError, InputError, Note, Remedy
from hungjury.base.files import is_open_file
from hungjury.base.records import Record
from hungjury.base.text import decimal_of, integer_of
from hungjury.data.reading.sources import Source, Stop, raise_error

with open(os.path.join(os.path.dirname(__file__), "column_names.txt"), encoding="utf-8") as _file:
    _LINES = [line.replace("|", ":").split(":") for line in _file if line[0] != "#"]
SYNONYMS = {role: tuple(usual.split()) for role, usual, _ in _LINES}
FALLBACKS = {role: tuple(others.split()) for role, _, others in _LINES}
KNOWN = {name for kind in (SYNONYMS, FALLBACKS) for names in kind.values() for name in names}
TEXTS = {"id", "index", "text", "title", "passage", "url", "prompt", "reason", "explanation",
         "comment", "rationale", "unnamed: 0", ""}  # fmt: skip


class InputTable(Record):
    """Columns by their own names.

    lines: the line of the file for every row. given: columns that the user has named, by role.
    stem: the name of the judge or system, where the table does not say it. usual: names of columns
    by role.
    """

    name: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int] | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    stem: str = ""
    usual: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: SYNONYMS, repr=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def error(self, message: str, code: str, remedy: Remedy, line: int | None = None) -> InputError:
        """Make an error about the table, or a line of it."""
        return InputError(message, code=code, file=self.name, line=line, remedy=remedy)

    @property
    def without_topic(self) -> Note:
        """Note that rows without a topic are those of one topic."""
        text = "no topic column: all rows are read as one topic"
        return Note("no-topic", 1, text, self.name)

    def line(self, row: int) -> int:
        return row + 1 if self.lines is None else self.lines[row]

    def line_numbers(self) -> Ints:
        return np.array([self.line(i) for i in range(len(self))], dtype=np.int64)

    def find(self, role: str) -> str | None:
        """Return the column for a role (topic, document, label, judge, ...), or None."""
        if role in self.given:
            wanted = self.given[role]
            if wanted in self.columns:
                return wanted
            found = self._called((wanted.lower(),))
            if not found:
                said = f"no column '{wanted}'; the columns are {self._listed()}"
                raise self.error(said, "unknown-column", Argument("columns", f"{role}=NAME"))
        else:
            taken = {part for name in self.given.values() for part in (name, *name.split("+"))}
            found = [c for c in self._called(self.usual[role]) if c not in taken]
            if not found:
                found = [c for c in self._called(FALLBACKS.get(role, ())) if c not in taken][:1]
        if len(found) == 2 and role == "document":
            found = self._without_numbers_of_pyterrier(found)
        if len(found) > 1:
            said = f"{len(found)} columns may be the {role}: {', '.join(found)}"
            remedy = ("choose one:", Argument("columns", f"{role}={found[0]}"))
            raise self.error(said, "ambiguous-column", remedy)
        if found and role == "label":
            self._check_not_a_run(found[0])
        return found[0] if found else None

    def _called(self, names: Iterable[str]) -> list[str]:
        """Return the columns with some names, whatever their case, in the order of the names."""
        return [c for name in names for c in self.columns if str(c).strip().lower() == name]

    def known(self, role: str) -> str | None:
        """Return the first column that is named for a role, or has a usual name of it."""
        return self.given.get(role) or next(iter(self._called(self.usual[role])), None)

    def _without_numbers_of_pyterrier(self, found: list[str]) -> list[str]:
        """Drop `docid`, PyTerrier's own number for the document; `docno` is the id."""
        by_name = {str(c).strip().lower(): c for c in found}
        if by_name.keys() != {"docno", "docid"}:
            return found
        numbers = all(isinstance(v, Integral) for v in self.columns[by_name["docid"]])
        return [by_name["docno"]] if numbers else found

    def _check_not_a_run(self, label: str) -> None:
        others = [c for role in ("rank", "tag") for c in self._called(self.usual[role])]
        if label.strip().lower() == "score" and others:
            said = f"this is a run: it has the columns {label} and {', '.join(others)}"
            remedy = (
                "labels come before runs; if the scores are labels,",
                Argument("columns", f"label={label}"),
            )
            raise self.error(said, "run-as-labels", remedy)

    def need(self, role: str) -> str:
        found = self.find(role)
        if found is None:
            named = Argument("columns", f"{role}=NAME")
            rename = f"or rename it to one of {', '.join(self.usual[role])}"
            if role == "score":
                rename += "; ranks in a column rank are enough"
            wide = f"{rename}; if every judge has a column, use"
            said = f"no column for the {role}; the columns are {self._listed()}"
            remedy = (named, wide, Argument("wide")) if role == "judge" else (named, rename)
            raise self.error(said, "missing-column", remedy)
        return found

    def _listed(self) -> str:
        return ", ".join(map(str, self.columns))

    def keep(self, rows: Sequence[int]) -> InputTable:
        """Return some of the rows, with the lines they came from."""
        columns = {name: [values[i] for i in rows] for name, values in self.columns.items()}
        return replace(self, columns=columns, lines=[self.line(i) for i in rows])

    def readable(self, stop: Stop, read: Callable[[InputTable], object]) -> InputTable:
        """Return the table without rows that `read` refuses; `stop` is called with each."""
        if stop is raise_error:  # reading will find the first one itself
            return self
        good = []
        try:
            read(self)
            return self
        except InputError:
            for row in range(len(self)):
                try:
                    read(self.keep([row]))
                    good.append(row)
                except InputError as error:
                    stop(error)
        return self.keep(good)

    def texts(self, column: str) -> list[str]:
        """Return a column of ids; integers are ids too, missing values are not."""
        return [self._text(v, column, i) for i, v in enumerate(self.columns[column])]

    def _text(self, value: object, column: str, row: int) -> str:
        if isinstance(value, str) and value.isascii() and value:
            return value
        remedy = "give every row an id, as text or an integer"
        try:
            if isinstance(value, str) and value.encode("utf-8"):
                return value
            if isinstance(value, bytes) and value:
                return value.decode("utf-8")
        except UnicodeError:
            said = f"the {column} {value!r} is not UTF-8"
            raise self.error(said, "not-utf8", remedy, self.line(row)) from None
        if isinstance(value, Integral) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, float) and math.isfinite(value):
            said = f"the {column} {value!r} is a decimal number"
            raise self.error(said, "decimal-id", remedy, self.line(row))
        said = f"the {column} is missing: {value!r} is not an id"
        raise self.error(said, "missing-id", remedy, self.line(row))

    def numbers(self, column: str, what: str) -> Floats:
        """Return a column of finite numbers."""
        numbers, words = self.labels(column)
        for row in words:
            said = f"the {what} {self.columns[column][row]!r} is not a finite number"
            raise self.error(said, "not-a-number", f"fix the {what}", self.line(row))
        return numbers

    def labels(self, column: str) -> tuple[Floats, dict[int, str]]:
        """Return a column of labels: numbers, and by row the text of those that are not (empty
        where there is none)."""
        values = self.columns[column]
        numbers = np.array([_number(v) for v in values], dtype=float)
        bad = np.flatnonzero(~np.isfinite(numbers)).tolist()
        numbers[bad] = np.nan
        return numbers, {row: _word(values[row]) for row in bad}

    def check_integers(self, column: str, what: str) -> None:
        """Refuse a column that has anything but integers."""
        for row, value in enumerate(self.columns[column]):
            number = integer_of(value) if isinstance(value, str) else value
            if not (isinstance(number, (Integral, float)) and number == number // 1):
                said = f"the {what} {value!r} is not an integer"
                raise self.error(said, "not-an-integer", f"fix the {what}", self.line(row))


def _number(value: Any) -> float:
    """Return a number, NaN for anything else."""
    try:
        number = decimal_of(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return math.nan if number is None else number


def _word(value: object) -> str:
    """Return a label that is not a number, as text; empty where there is none."""
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    text = "" if missing else str(value).strip()
    return "" if text in ("<NA>", "NaT", "None") and not isinstance(value, str) else text


def without_nesting(table: InputTable) -> InputTable:
    """Return a table with the columns that the user has named, and without lists in them."""
    from hungjury.data.reading.nested import prepared  # which needs these columns

    return prepared(table)


def is_frame(source: object) -> bool:
    """Return a data frame of any kind that narwhals knows."""
    # Accessing its attributes would make a lazy frame compute its columns.
    return hasattr(type(source), "columns") or hasattr(type(source), "column_names")


def as_frame(frame: object) -> Any:
    """Return a frame of pandas, polars or pyarrow as narwhals has it; a lazy one is collected."""
    import narwhals as nw

    native: Any = nw.from_native(_plain_frame(frame), pass_through=True, allow_series=False)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if isinstance(native, nw.DataFrame):
        return native
    said = f"cannot read from {type(frame).__name__}"
    remedy = "give a pandas, polars or pyarrow frame"
    raise InputError(said, code="unsupported-source", remedy=remedy)


@contextmanager
def reading_columns(name: str) -> Iterator[None]:
    """Refuse a frame whose columns its library cannot hand over: a column twice, text that is not
    UTF-8, values of types that tables do not have."""
    try:
        yield
    except (HungjuryError, MemoryError):
        raise
    except Exception as error:  # each library has errors of its own
        said = f"the columns cannot be read: {error}"
        raise Source(name).error(said, "unreadable-columns", "fix the columns") from None


def frame_table(
    frame: object, name: str = "<frame>", given: Mapping[str, str] | None = None, stem: str = ""
) -> InputTable:
    """Return the table of a frame."""
    with reading_columns(name):
        native = as_frame(frame)
        columns = {c: native[c].to_list() for c in native.columns}
    return without_nesting(InputTable(name, columns, given=given or {}, stem=stem))


def _plain_frame(frame: Any) -> Any:
    """Return a frame of pandas with its index as columns, unless it only counts rows, and with
    names that are text; other frames as they are."""
    index: Any = getattr(frame, "index", None)
    if not hasattr(index, "names"):
        return frame
    if any(name is not None for name in index.names) or index.dtype.kind not in "iu":
        frame = frame.reset_index()
    if all(isinstance(name, str) for name in frame.columns):
        return frame
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def table_or_files(
    source: object, value: str, given: Mapping[str, str], stem: str = ""
) -> InputTable | object:
    """Return the table of a frame, of a list of dictionaries or of named tuples such as
    ir_measures', or of ``{topic: {document: value}}``; anything else names files."""
    if isinstance(source, Mapping):
        return nested_table(source, value, stem=stem)
    if is_frame(source):
        return frame_table(source, given=given, stem=stem)
    if isinstance(source, (str, bytes)) or is_open_file(source):
        return source
    if not isinstance(source, Iterable) or getattr(source, "ndim", 1) == 0:
        return source
    rows = list(source)
    if len({getattr(row, "_fields", None) for row in rows}) > 1:
        said = "the list mixes named tuples of different kinds"
        raise Source("<list>").error(said, "mixed-sources", "use one kind")
    if rows and hasattr(rows[0], "_fields"):
        columns = {name: [getattr(row, name) for row in rows] for name in rows[0]._fields}
        return InputTable("<list>", columns, given=given, stem=stem)
    if rows and all(isinstance(row, Mapping) for row in rows):
        columns = object_columns(rows)
        return without_nesting(InputTable("<list>", columns, given=given, stem=stem))
    return rows


def nested_table(source: object, value: str, name: str = "<dict>", stem: str = "") -> InputTable:
    """Turn ``{topic: {document: value}}`` into a table."""
    topics: list[str] = []
    documents: list[str] = []
    values: list[Any] = []
    for topic, inner in _mapping(source, name, "expected a dictionary, got {}").items():
        if value == "score" and isinstance(inner, (list, tuple)):  # a ranking, best document first
            inner = _ranking(inner, topic, name)
        found = _mapping(inner, name, f"the dictionary contains {{}} under {topic!r}")
        topics += [topic] * len(found)
        documents += found.keys()
        values += found.values()
    return InputTable(name, {"topic": topics, "document": documents, value: values}, stem=stem)


def _ranking(documents: Sequence[Any], topic: str, name: str) -> dict[Any, int]:
    """Return scores for a list of ids: less for every rank."""
    found = {document: -rank for rank, document in enumerate(documents, 1)}
    if len(found) < len(documents):
        said = f"a document appears twice in the list of topic '{topic}'"
        raise Source(name).error(said, "duplicate-document", "keep one item per document")
    return found


def _mapping(given: object, name: str, otherwise: str) -> Mapping[Any, Any]:
    if isinstance(given, Mapping):
        return given
    said = otherwise.replace("{}", type(given).__name__)
    raise Source(name).error(said, "not-a-dictionary", "give {topic: {document: value}}")


def object_columns(objects: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return columns of objects; a key that an object does not have is a missing value."""
    listed = list(objects)
    keys = dict.fromkeys(key for one in listed for key in one)
    return {str(key): [one.get(key) for one in listed] for key in keys}
