"""Tables in text files: CSV and TSV, JSON lines, JSON arrays; columns and the line of each row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hungjury.base.files import once
from hungjury.data.reading.bad_lines import Stop
from hungjury.data.reading.sources import Source

Found = tuple[dict[str, list[Any]], list[int]]


def read_text_table(source: Source, kind: str, stop: Stop) -> Found:
    """Return the columns of a table and the line of every row.

    kind: "jsonl", "json" or a delimiter. stop: called with every row that cannot be read; where it
    returns, the table goes on without that row.
    """
    text = _decoded(source, stop)
    if kind == "jsonl":
        whole = _json_document(text)
        items = iter([(1, whole)]) if whole else _json_lines(source, text, stop)
        return _objects(source, items, stop)
    if kind == "json":
        return _objects(source, _json_array(source, text), stop)
    return _separated(source, text, kind, stop)


def text_columns(source: Source, mark: str) -> list[str]:
    """Return the names in the first line of a table."""
    text = source.head().decode("utf-8", "replace")
    try:
        return _names(source, next(_rows(text, mark), []))
    except csv.Error as error:
        raise source.error(str(error), "not-csv", "fix the quotes", 1) from None


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
            stop(source.error("not UTF-8 text", "not-utf8", "save the file as UTF-8", i + 1))
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
                stop(source.error(said, "wrong-columns", remedy, rows.line_num))
                continue
            lines.append(rows.line_num)
            if row[0].startswith("\ufeff"):
                said, remedy = "there is a byte-order mark inside the file", "remove it"
                stop(source.error(said, "byte-order-mark", remedy, rows.line_num))
            for column, value in zip(columns, row, strict=True):
                column.append(value.strip())
    except csv.Error as error:
        stop(source.error(str(error), "not-csv", "fix the quotes", rows.line_num))
    return dict(zip(names, columns, strict=True)), lines


def _rows(text: str, mark: str) -> Any:
    """Return a reader of rows, which knows its line."""
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
        raise source.error(said, "same-column", "rename one", 1)
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
            stop(source.error(said, "not-json", remedy, number))
        else:
            yield number, found


def _json_document(text: str) -> dict[str, Any] | None:
    """Return the only object of a file, perhaps over many lines; None for JSON lines."""
    begin = text.lstrip()
    try:
        json.loads(begin.split("\n", 1)[0])
        if "\n" in begin.rstrip():
            return None  # the first of many lines
    except (ValueError, RecursionError):
        pass
    try:
        found = json.loads(begin, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _json_array(source: Source, text: str) -> Iterator[tuple[int, Any]]:
    """Yield the items of an array and their places in it."""
    try:
        found = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        said, line = f"not JSON: {getattr(error, 'msg', error)}", getattr(error, "lineno", None)
        raise source.error(said, "not-json", "fix the JSON", line) from None
    yield from enumerate(found, 1)


def _objects(source: Source, items: Iterator[tuple[int, Any]], stop: Stop) -> Found:
    """Return the columns of JSON objects, and the line of each."""
    good: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, item in items:
        if not isinstance(item, dict):
            said = f"expected a JSON object, got {type(item).__name__}"
            remedy = 'write objects such as {"topic": "1", "document": "a", "label": 2}'
            stop(source.error(said, "not-an-object", remedy, number))
            continue
        good.append(item)
        lines.append(number)
    return object_columns(good), lines


def object_columns(objects: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return columns of objects; a key that an object does not have is a missing value."""
    listed = list(objects)
    keys = dict.fromkeys(key for one in listed for key in one)
    return {str(key): [one.get(key) for one in listed] for key in keys}
