"""Nested tables: columns by paths such as ``outputs.score.value``, a row for each item of a list.

A path goes down through objects by their keys. A list on its way is expanded: each item becomes a
row, and what lies beside the list is repeated. ``*`` is every entry of an object and ``@`` its key,
or the place of an item in its list. Columns are joined by ``+``: ``judge=model+prompt``.

`layouts.toml` names these paths for the exports of tools.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from hungjury.base.errors import Argument, InputError, few
from hungjury.base.files import toml
from hungjury.base.records import Record
from hungjury.data.reading.columns import FALLBACKS, SYNONYMS, InputTable

Path = tuple[str, ...]
Row = dict[str, Any]
LOOKED_AT = 1000  # rows in which paths are looked for
SHOWN = 30  # paths that an error lists


def prepared(table: InputTable) -> InputTable:
    """Return a table with a column for everything that the user has named, without lists."""
    lower = {str(name).strip().lower() for name in table.columns}
    parts = [
        part
        for column in table.given.values()
        for part in ([column] if column.lower() in lower else column.split("+"))
    ]
    paths = {part: part for part in parts if part.lower() not in lower}
    names = {name for names in SYNONYMS.values() for name in names}
    known = [c for c in table.columns if c in parts or str(c).strip().lower() in names]
    lists = [c for c in known if any(isinstance(v, (list, tuple)) for v in table.columns[c])]
    if paths or lists:
        table = _expanded(table, {**paths, **{name: name for name in lists}})
    joined = {
        column: [_join(row) for row in zip(*(table.columns[p] for p in parts), strict=True)]
        for column in table.given.values()
        if column not in table.columns and len(parts := column.split("+")) > 1
    }
    return replace(table, columns={**table.columns, **joined}) if joined else table


def _join(values: tuple[Any, ...]) -> str | None:
    """Return the id made of several; None where one of them is missing."""
    return None if None in values else "+".join(map(str, values))


def _expanded(table: InputTable, wanted: Mapping[str, str]) -> InputTable:
    """Return the table with columns at some paths, and a row for each item of lists on the way."""
    paths = {name: tuple(path.split(".")) for name, path in wanted.items()}
    documents = table.known("document") or ""
    ordered = documents in wanted and not any(table.known(r) for r in ("score", "rank"))
    if ordered:  # a ranking as a list of ids: their places are the ranks
        paths["rank"] = (*paths[documents], "@")
    others = [c for c in table.columns if c not in paths]
    out: dict[str, list[Any]] = {name: [] for name in (*others, *paths)}
    lines: list[int] = []
    for i in range(len(table)):
        record = {name: values[i] for name, values in table.columns.items()}
        try:
            rows, _ = _rows(record, paths)
        except ValueError as error:
            remedy = "name columns inside one list, or lists of the same length"
            raise table.error(str(error), "uneven-lists", remedy, table.line(i)) from None
        for row in rows:
            for name in paths:
                value = row.get(name)
                out[name].append(json.dumps(value) if isinstance(value, dict) else value)
            for name in others:
                out[name].append(record[name])
        lines += [table.line(i)] * len(rows)
    found = replace(table, columns=out, lines=lines)
    for name in wanted:
        if all(value is None for value in out[name]) and not exists(table, name):
            raise unknown_path(table, name)
    if ordered and all(value is None for value in out["rank"]):
        del out["rank"]
    return found


def _rows(node: Any, wanted: Mapping[str, Path]) -> tuple[list[Row], bool]:
    """Return the values at some paths below a node, and whether they are from lists."""
    if isinstance(node, (list, tuple)):
        found: list[Row] = []
        places = [name for name, path in wanted.items() if path == ("@",)]
        inside = {name: path for name, path in wanted.items() if name not in places}
        for place, item in enumerate(node, 1):
            rows, _ = _rows(item, inside)
            found += [{**row, **dict.fromkeys(places, place)} for row in rows]
        return found, True
    here = {name: node for name, path in wanted.items() if not path}
    parts = [([here], False)]
    if isinstance(node, Mapping):
        groups: dict[str, dict[str, Path]] = {}
        for name, path in wanted.items():
            if path:
                key, rest = _step(node, path)
                groups.setdefault(key, {})[name] = rest
        below, keys = groups.pop("*", {}), groups.pop("@", {})
        if below or keys:
            each = [
                {**row, **dict.fromkeys(keys, key)}
                for key, value in node.items()
                for row in _rows(value, below)[0]
            ]
            parts.append((each, True))
        parts += [_rows(node.get(key), names) for key, names in groups.items()]
    return _beside(parts)


def _step(node: Mapping[str, Any], path: Path) -> tuple[str, Path]:
    """Return the key with which a path begins, which may have dots in it, and the rest."""
    for end in range(len(path), 1, -1):
        if (key := ".".join(path[:end])) in node:
            return key, path[end:]
    return path[0], path[1:]


def _beside(parts: list[tuple[list[Row], bool]]) -> tuple[list[Row], bool]:
    """Join rows that lie side by side; single values are repeated for every item of a list."""
    sizes = {len(rows) for rows, several in parts if several}
    if len(sizes) > 1:
        listed = " and ".join(map(str, sorted(sizes)))
        raise ValueError(f"lists of {listed} items lie side by side")
    count = sizes.pop() if sizes else 1
    whole: list[Row] = [{} for _ in range(count)]
    for rows, several in parts:
        for i, row in enumerate(whole):
            row.update(rows[i if several else 0])
    return whole, any(several for _, several in parts)


def exists(table: InputTable, path: str) -> bool:
    """Tell whether any of the first rows has something at a path."""
    keys = tuple(path.split("."))
    first, _ = _step(table.columns, keys)
    if first not in (*table.columns, "*", "@"):
        return False
    return any(
        row.get(path) is not None
        for i in range(min(len(table), LOOKED_AT))
        for row in _rows({name: one[i] for name, one in table.columns.items()}, {path: keys})[0]
    )


def unknown_path(table: InputTable, path: str) -> InputError:
    """Return the error about a path that leads nowhere, with the paths that exist."""
    role = next((r for r, column in table.given.items() if path in column.split("+")), "label")
    said = f"no column '{path}'; there are {few(_all_paths(table), SHOWN)}"
    remedy = Argument("columns", f"{role}=NAME")
    return table.error(said, "unknown-column", remedy)


def _all_paths(table: InputTable) -> list[str]:
    """Return the paths that exist in the first rows."""
    rows = range(min(len(table), LOOKED_AT))
    every = (p for i in rows for name, v in table.columns.items() for p in _leaves(v[i], name))
    return list(dict.fromkeys(every))


def _leaves(node: Any, path: str) -> Iterator[str]:
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}")
    elif isinstance(node, (list, tuple)) and any(isinstance(one, (Mapping, list)) for one in node):
        for item in node:
            yield from _leaves(item, path)
    else:
        yield path


class Layout(Record):
    """Paths of a tool's export, for each role the first that exists; ``?`` at the end of a path
    means any name that columns of the role usually have."""

    topic: Sequence[str]
    document: Sequence[str]
    label: Sequence[str]
    judge: Sequence[str] = ()
    at: Sequence[str] = ()  # when
    failed: Sequence[Any] = ("", None)  # a path, and its value where there is no label
    skips: bool = False  # items without a label are something else, such as comments


@cache
def layouts() -> dict[str, Layout]:
    """Return the layouts of tools by name."""
    with open(os.path.join(os.path.dirname(__file__), "layouts.toml"), encoding="utf-8") as file:
        tables = toml(file.read())
    return {name: Layout(**table) for name, table in tables.items()}


def layout_of(table: InputTable) -> str | None:
    """Return the name of the tool whose export a table is, None if it is none of these."""
    for name, layout in layouts().items():
        wanted = [_paths(layout, role) for role in ("topic", "document", "label")]
        if layout.failed[0]:
            wanted.append([layout.failed[0]])
        if all(any(exists(table, path) for path in paths) for paths in wanted):
            return name
    return None


def likely_columns(table: InputTable) -> dict[str, str]:
    """Return a path for each role that only one path inside the records has a usual name of."""
    paths = _all_paths(table)
    found = {}
    for role, names in SYNONYMS.items():
        known = {*names, *FALLBACKS[role]}
        ends = [path for path in paths if _last_name(path) in known]
        if len(ends) == 1 and "." in ends[0]:
            found[role] = ends[0]
    return found


def _last_name(path: str) -> str:
    """Return the last key of a path; of ``query.id``, ``query_id``."""
    *before, last = path.lower().split(".")
    return f"{before[-1]}_id" if before and last in ("id", "_id") else last


def _paths(layout: Layout, role: str) -> list[str]:
    usual = (*SYNONYMS.get(role, ()), *FALLBACKS.get(role, ()))
    return [
        path.removesuffix("?") + name
        for path in getattr(layout, role)
        for name in (usual if path.endswith("?") else ("",))
    ]


def laid_out(table: InputTable, name: str) -> InputTable:
    """Return a table of topics, documents, labels and judges from the export of a tool."""
    layout = layouts()[name]
    given = dict(table.given)
    for role in ("topic", "document", "label", "judge", "at"):
        if role not in given:
            paths = _paths(layout, role)
            found = next((path for path in paths if exists(table, path)), None)
            if found is not None:
                given[role] = found
            elif paths and role not in ("judge", "at"):
                where = " or ".join(getattr(layout, role)).replace("?", "NAME")
                said = f"no {role} at {where}, where {name} writes it"
                raise table.error(said, "other-layout", Argument("columns", f"{role}=PATH"))
    path, value = layout.failed
    failed = {"": path} if path and exists(table, path) else {}
    flat = prepared(replace(table, given={**given, **failed}))
    label = given["label"]
    columns, rows = dict(flat.columns), range(len(flat))
    if failed:
        pairs = zip(columns[label], columns[path], strict=True)
        columns[label] = [f"failed {path}" if status == value else one for one, status in pairs]
    flat = replace(flat, columns=columns, given=given)
    return flat.keep([i for i in rows if columns[label][i] is not None]) if layout.skips else flat
