"""Tables in text files: CSV and TSV, JSON lines, JSON arrays; columns and the line of each row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from hungjury.base.errors import InputError
from hungjury.base.files import once
from hungjury.data.reading.bad_lines import Stop
from hungjury.data.reading.sources import Source

__all__ = ["read_text_table", "text_columns"]

Found = tuple[dict[str, list[Any]], list[int]]


def read_text_table(source: Source, kind: str, stop: Stop) -> Found:
    """The columns of a table and the line of every row.

    kind: "jsonl", "json" or a delimiter. stop: called with every row that cannot be read; where it
    returns, the table goes on without that row.
    """
    text = _decoded(source, stop)
    if kind == "jsonl":
        return _objects(source, _json_lines(source, text, stop), stop)
    if kind == "json":
        return _objects(source, _json_array(source, text), stop)
    return _separated(source, text, kind, stop)


def text_columns(source: Source, mark: str) -> list[str]:
    """The names in the first line of a table."""
    text = source.head().decode("utf-8", "replace")
    try:
        return _names(source, next(_rows(text, mark), []))
    except csv.Error as error:
        raise _bad(source, 1, "not-csv", str(error), "fix the quotes") from None


def _decoded(source: Source, stop: Stop) -> str:
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
            stop(_bad(source, i + 1, "not-utf8", "not UTF-8 text", "save the file as UTF-8"))
            lines[i] = b""
    return b"\n".join(lines).decode("utf-8")


def _separated(source: Source, text: str, mark: str, stop: Stop) -> Found:
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
                stop(_bad(source, rows.line_num, "wrong-columns", said, remedy))
                continue
            lines.append(rows.line_num)
            for column, value in zip(columns, row, strict=True):
                column.append(value.strip())
    except csv.Error as error:
        stop(_bad(source, rows.line_num, "not-csv", str(error), "fix the quotes"))
    return dict(zip(names, columns, strict=True)), lines


def _rows(text: str, mark: str) -> Any:
    """A reader of rows, which knows its line."""
    content = io.StringIO(text, newline="")
    # TSV files of the field are not quoted: a quote in an id is an ordinary character.
    if mark == "\t":
        return csv.reader(content, delimiter=mark, quoting=csv.QUOTE_NONE)
    return csv.reader(content, delimiter=mark)


def _names(source: Source, header: list[str]) -> list[str]:
    names = [name.strip() for name in header]
    twice = next((n for n in names if n and names.count(n) > 1), None)
    if twice is not None:
        said = f"two columns are called '{twice}'"
        raise _bad(source, 1, "same-column", said, "rename one")
    return names


def _json_lines(source: Source, text: str, stop: Stop) -> Iterator[tuple[int, Any]]:
    remedy = "write one JSON object per line, or one array of objects"
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line, object_pairs_hook=once)
        except (ValueError, RecursionError) as error:  # also numbers too long, lists too deep
            said = f"not JSON: {getattr(error, 'msg', error)}"
            stop(_bad(source, number, "not-json", said, remedy))
        else:
            yield number, found


def _json_array(source: Source, text: str) -> Iterator[tuple[int, Any]]:
    """The items of an array and their places in it."""
    try:
        found = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        said, line = f"not JSON: {getattr(error, 'msg', error)}", getattr(error, "lineno", None)
        raise _bad(source, line, "not-json", said, "fix the JSON") from None
    yield from enumerate(found, 1)


def _objects(source: Source, items: Iterator[tuple[int, Any]], stop: Stop) -> Found:
    """Columns of JSON objects; a key that an object does not have is a missing value."""
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    for number, item in items:
        if not isinstance(item, dict):
            said = f"expected a JSON object, got {type(item).__name__}"
            remedy = 'write objects such as {"topic": "1", "document": "a", "label": 2}'
            stop(_bad(source, number, "not-an-object", said, remedy))
            continue
        for key in item.keys() - columns.keys():
            columns[key] = [None] * len(lines)
        for key, column in columns.items():
            column.append(item.get(key))
        lines.append(number)
    return columns, lines


def _bad(source: Source, line: int | None, code: str, message: str, remedy: str) -> InputError:
    return InputError(message, code=code, file=source.name, line=line, remedy=remedy)
