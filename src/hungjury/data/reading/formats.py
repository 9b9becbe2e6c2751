"""Formats of input tables: CSV and TSV, JSON, Parquet, Excel, the label database."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from hungjury.base.errors import InputError, check_installed, few
from hungjury.base.files import once
from hungjury.base.plugins import load_plugins
from hungjury.base.records import Record
from hungjury.data.reading.columns import (
    KNOWN,
    InputTable,
    frame_table,
    nested_table,
    object_columns,
    without_nesting,
)
from hungjury.data.reading.lines import MARKS, header_names
from hungjury.data.reading.sources import Source, Stop, raise_error
from hungjury.data.reading.values import ROLES

if TYPE_CHECKING:
    from sqlite3 import Connection

MAGIC = b"SQLite format 3\x00"
APPLICATION = 0x68756E67  # "hung", in the file's header
VERSION = 2
Found = tuple[dict[str, list[Any]], list[int]]  # columns, and the line of every row


def not_ours(path: str) -> InputError:
    """Return the error for a database of another program."""
    said, remedy = "this is not a database of labels", "give one that hungjury label wrote"
    return Source(path).error(said, "not-labels", remedy)


def is_database(path: object) -> bool:
    """Tell whether a file is a database, such as that of labels."""
    try:
        with open(str(path), "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):  # names with NUL or half a character are not of files either
        return False


@contextmanager
def open_labels(path: str) -> Iterator[Connection]:
    """Open the database for reading."""
    import sqlite3
    from pathlib import Path

    if not Path(path).is_file():
        raise Source(str(path)).error("no such file", "no-file", "check the path")
    # Without a log no process is writing: then open it immutable, which works on read-only disks
    # and leaves no empty log behind.
    how = "mode=ro" if Path(f"{Path(path).resolve()}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?{how}", uri=True)) as base:
            if base.execute("pragma application_id").fetchone()[0] != APPLICATION:
                raise not_ours(str(path))
            yield base
    except sqlite3.OperationalError as error:
        said = f"cannot be read: {error}"
        raise Source(str(path)).error(said, "unreadable", "check the folder") from None
    except sqlite3.DatabaseError:
        raise not_ours(str(path)) from None


def labelled_columns(path: str, view: str) -> dict[str, list[object]]:
    """Return the columns of a view: `gold` has the labels that count, `votes` those of every
    person, `labels` all."""
    with open_labels(path) as base:
        found = base.execute(f"select * from {view}")
        names = [column[0] for column in found.description]
        rows = found.fetchall()
    if not rows:
        said = "nothing has been labelled yet"
        raise Source(str(path)).error(said, "no-label", "label some documents first")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


Columns = tuple[tuple[str, str], ...]  # role and column, as the user has named them


def grade_columns(table: InputTable) -> list[str]:
    """Return the columns p0, p1, ... of a table that gives the probability of every grade."""
    names: list[str] = []
    while (name := f"p{len(names)}") in table.columns:
        names.append(name)
    return names if len(names) > 1 else []


class Format(Record):
    """A format of tables that the first line of a file tells."""

    name: str
    begins: Callable[[bytes], bool]  # is this the first line of such a file?
    # From the file, columns that the user has named by role, whether there are several judges, and
    # the function that is called with every row that cannot be read.
    read: Callable[[Source, Mapping[str, str], bool, Stop], InputTable]


def table_format(source: Source, columns: Columns = ()) -> str | None:
    """Return the name of one of `FORMATS`, or a delimiter; None for a file in TREC's columns."""
    head = source.head(then_read=True)
    for one in FORMATS:
        if one.begins(head):
            return one.name
    given = {part for _, column in columns for part in (column, *column.split("+"))}
    for mark in MARKS:
        names = header_names(head, mark)
        known = sum(n.lower() in KNOWN for n in names)
        if len(names) > 1 and (known >= 2 or given & set(names)):
            return mark
    return None


def read_table(
    source: Source,
    kind: str,
    columns: Columns = (),
    by_judge: bool = False,
    stop: Stop = raise_error,
    layout: str | None = None,
) -> InputTable:
    """Return a file as a table; of a database, the labels of every judge, or those that count.

    stop: called with every row that cannot be read; where it returns, the row is left out. layout:
    the tool whose export it is.
    """
    table = table_as_written(source, kind, columns, by_judge, stop)
    if layout is not None:
        from hungjury.data.reading.nested import laid_out  # few files are exports

        return laid_out(table, layout)
    return _by_topic(table) or without_nesting(table)


def table_as_written(
    source: Source, kind: str, columns: Columns = (), by_judge: bool = False,
    stop: Stop = raise_error,
) -> InputTable:  # fmt: skip
    """Return a file as a table, with the lists and objects that are in it."""
    read = next((one.read for one in FORMATS if one.name == kind), partial(_text, kind))
    return read(source, dict(columns), by_judge, stop)


def _by_topic(table: InputTable) -> InputTable | None:
    """Return the table of a JSON object {topic: {document: value}} or {topic: [document, ...]}."""
    values = [one for (one,) in table.columns.values()] if len(table) == 1 else []
    kinds = {isinstance(one, Mapping) for one in values}
    if len(kinds) != 1 or not all(map(_flat, values)) or table.given:
        return None
    if any(name.lower() in KNOWN for name in table.columns):
        return None
    topics = dict(zip(table.columns, values, strict=True))
    return nested_table(topics, "score", table.name, table.stem)


def _flat(value: Any) -> bool:
    """Tell values by document, or a list of documents, from what paths lead into."""
    if isinstance(value, Mapping):
        return not any(isinstance(one, (Mapping, list)) for one in value.values())
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _labelled(source: Source, given: Mapping[str, str], by_judge: bool, _stop: Stop) -> InputTable:
    if source.path is None:
        raise source.error(
            "a database of labels cannot be read from a pipe", "from-pipe", "give its path"
        )
    columns = labelled_columns(source.path, "votes" if by_judge else "gold")
    own = {role: role for role in ROLES if role in columns}
    return InputTable(source.name, columns, given={**own, **given}, stem=source.stem)


def _parquet(source: Source, given: Mapping[str, str], _by_judge: bool, _stop: Stop) -> InputTable:
    check_installed("pyarrow", "tables", f"reading {source.name}")
    import pyarrow.parquet

    content = source.content()
    try:
        frame = pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError) as error:
        raise source.error(
            f"not a readable Parquet file: {error}", "not-parquet", "write the file again"
        ) from None
    return frame_table(frame, source.name, given, source.stem)


def _excel(source: Source, given: Mapping[str, str], _by_judge: bool, _stop: Stop) -> InputTable:
    check_installed("openpyxl", "tables", f"reading {source.name}")
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(source.content()), read_only=True, data_only=True)
        sheets = {s.title: list(enumerate(s.values, 1)) for s in book}
    except Exception as error:  # of many kinds, for archives of other programs
        raise source.error(
            f"not a readable Excel file: {error}", "not-excel", "save it as .xlsx or CSV"
        ) from None
    found = {name: [r for r in rows if set(r[1]) - {None}] for name, rows in sheets.items()}
    filled = [name for name, rows in found.items() if rows]
    if len(filled) != 1:
        said = f"{len(filled)} sheets have rows" + (f": {few(filled)}" if filled else "")
        raise source.error(said, "many-sheets", "keep one sheet, with a header in its first row")
    (_, header), *rows = found[filled[0]]
    names = _names(source, ["" if name is None else str(name) for name in header])
    columns = {n: [_cell(row[i]) for _, row in rows] for i, n in enumerate(names) if n}
    lines = [line for line, _ in rows]
    return InputTable(source.name, columns, lines, given, source.stem)


def _cell(value: Any) -> Any:
    """Return what a cell shows: whole numbers, which Excel stores as decimal ones, are integers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _begins_array(head: bytes) -> bool:
    start = head.strip()
    return start == b"[" or start[:1] + start[1:].lstrip()[:1] == b"[{"


def _text(
    kind: str, source: Source, given: Mapping[str, str], _by_judge: bool, stop: Stop
) -> InputTable:
    """Read a table in text; kind: "jsonl", "json" or a delimiter."""
    text = decoded(source, stop)
    columns, lines = (_separated if kind in MARKS else _objects)(source, text, kind, stop)
    return InputTable(source.name, columns, lines, given, source.stem)


def header_table(source: Source, mark: str, given: Mapping[str, str]) -> InputTable:
    """Return the columns of a separated table, without its rows."""
    from csv import Error

    try:
        names = _names(source, next(_rows(source.head().decode("utf-8", "replace"), mark), []))
    except Error as error:
        raise source.error(str(error), "not-csv", "fix the quotes", 1) from None
    columns = {name: [""] for name in names}
    return without_nesting(InputTable(source.name, columns, [1], given, source.stem))


def decoded(source: Source, stop: Stop = raise_error) -> str:
    """Return the text of a file in UTF-8."""
    content = source.content()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    lines = content.split(b"\n")
    for i, line in enumerate(lines):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            stop(source.error("not UTF-8 text", "not-utf8", "save the file as UTF-8", i + 1))
            lines[i] = b""
    return b"\n".join(lines).decode("utf-8")


def _separated(source: Source, text: str, mark: str, stop: Stop) -> Found:
    from csv import Error

    rows = _rows(text, mark)
    names: list[str] = []
    columns: list[list[str]] = []
    lines: list[int] = []
    try:
        names = _names(source, next(rows))
        columns = [[] for _ in names]
        for row in filter(None, rows):
            if len(row) != len(names):
                said = f"expected {len(names)} columns ({', '.join(names)}), found {len(row)}"
                remedy = "fix or remove this line"
                stop(source.error(said, "wrong-columns", remedy, rows.line_num))
                continue
            lines.append(rows.line_num)
            if row[0].startswith("\ufeff"):
                said, remedy = "there is a byte-order mark inside the file", "remove it"
                stop(source.error(said, "byte-order-mark", remedy, rows.line_num))
            for column, value in zip(columns, row, strict=True):
                column.append(value.strip())
    except Error as error:
        stop(source.error(str(error), "not-csv", "fix the quotes", rows.line_num))
    return dict(zip(names, columns, strict=True)), lines


def _rows(text: str, mark: str) -> Any:
    """Return a reader of rows, which knows its line."""
    import csv  # not for TREC's columns, like json

    # TSV files of the field are not quoted: a quote in an id is an ordinary character.
    how: Any = {"quoting": csv.QUOTE_NONE} if mark == "\t" else {}
    return csv.reader(io.StringIO(text, newline=""), delimiter=mark, **how)


def _names(source: Source, header: list[str]) -> list[str]:
    names = [name.strip() for name in header]
    twice = next((n for n in names if n and names.count(n) > 1), None)
    if twice is not None:
        said = f"two columns are called '{twice}'"
        raise source.error(said, "same-column", "rename one", 1)
    return names


def _objects(source: Source, text: str, kind: str, stop: Stop) -> Found:
    """Return the columns of JSON objects, and the line of each; of an array, its place."""
    good: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, item in _json_items(source, text, kind, stop):
        if isinstance(item, dict):
            good.append(item)
            lines.append(number)
        else:
            said = f"expected a JSON object, got {type(item).__name__}"
            remedy = 'write objects such as {"topic": "1", "document": "a", "label": 2}'
            stop(source.error(said, "not-an-object", remedy, number))
    return object_columns(good), lines


def _json_items(source: Source, text: str, kind: str, stop: Stop) -> Iterator[tuple[int, Any]]:
    """Yield what is on each line, the only object of a file, or the items of an array."""
    if kind == "json":
        whole = _parsed(text)
        if isinstance(whole, Exception):
            line = getattr(whole, "lineno", None)
            raise source.error(_not_json(whole), "not-json", "fix the JSON", line)
        yield from enumerate(whole, 1)
        return
    first, _, more = text.strip().partition("\n")
    if not more or isinstance(_parsed(first), Exception):  # one object, perhaps over many lines
        whole = _parsed(text)
        if whole and isinstance(whole, dict):
            yield 1, whole
            return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            found = _parsed(line)
            if isinstance(found, Exception):
                remedy = "write one JSON object per line, or one array of objects"
                stop(source.error(_not_json(found), "not-json", remedy, number))
            else:
                yield number, found


def _parsed(text: str) -> Any:
    """Return what a text in JSON says, or the exception."""
    import json

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:  # also numbers too long, lists too deep
        return error


def _not_json(error: Exception) -> str:
    return f"not JSON: {getattr(error, 'msg', error)}"


FORMATS = [  # the first that a file begins like
    Format("labels", lambda head: head.startswith(MAGIC), _labelled),
    Format("parquet", lambda head: head.startswith(b"PAR1"), _parquet),
    Format("excel", lambda head: head.startswith(b"PK\x03\x04"), _excel),
    Format("jsonl", lambda head: head.lstrip().startswith(b"{"), partial(_text, "jsonl")),
    Format("json", _begins_array, partial(_text, "json")),
]


load_plugins("hungjury.formats")
