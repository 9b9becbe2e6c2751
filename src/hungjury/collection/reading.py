"""Rows of labels from any source: text in TREC columns, tables, frames, dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hungjury import native
from hungjury.collection.labels import LabelPolicy, Resolved, Rows, resolve
from hungjury.collection.sources import Source, expand
from hungjury.collection.tables import (
    Table,
    frame_table,
    grade_columns,
    is_frame,
    nested_table,
    read_table,
    table_format,
)
from hungjury.errors import InputError

__all__ = ["no_label", "parse_text", "read_labels"]

_REMEDIES = {  # by the codes of native.BadLine
    "many-columns": "qrels have four columns; is this a run?",
    "few-columns": "fix this line; a table needs a header line with the names of its columns",
    "carriage-return": "save the file with newlines as line ends, or remove the carriage return",
    "not-an-integer": "fix this line; ids contain no blanks, and the fourth column is the rank",
    "not-utf8": "save the file as UTF-8",
    "duplicate-document": "keep one line per document and topic",
}
ONE_TOPIC = "topic"  # the name of the only topic of a table without topics


def parse_text(
    source: Source, feed: Callable[[memoryview], None], finish: Callable[[], None]
) -> None:
    """Push a text source through a native parser; its errors get the file name."""
    pieces = source.pieces()
    try:
        for piece in pieces:
            feed(piece)
        finish()
    except native.BadLine as error:
        for _ in pieces:  # a gz file that turns out to be damaged explains the line better
            pass
        line, code, message = error.args
        message = message.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        remedy = _REMEDIES.get(code, "fix or remove this line")
        raise InputError(message, code=code, file=source.name, line=line, remedy=remedy) from None


def read_labels(
    source: Any, policy: LabelPolicy, *, judge: str | None = None
) -> tuple[Resolved, list[str]]:
    """Labels of a source, one per (document, judge), and the judges' names.

    judge: None for qrels (all rows are one judge's); "file" for one judge per file;
    "column" for a table's judge column; "iteration" for the second column of a qrels file.
    """
    reader = _Reader(judge)
    if isinstance(source, Mapping):
        reader.nested(source)
    elif is_frame(source):
        reader.table(frame_table(source), "<frame>")
    else:
        for one in expand(source):
            reader.text(one)
    rows, judges = reader.rows()
    return resolve(rows, policy, judges), judges


def grade_table(source: Any) -> Table | None:
    """The table of a source that gives the probability of every grade, else None."""
    if is_frame(source):
        table = frame_table(source)
        return table if grade_columns(table) else None
    if isinstance(source, Source):
        kind = table_format(source)
        if (kind is not None and b"p0" in source.head()) or kind == "parquet":
            table = read_table(source, kind)
            return table if grade_columns(table) else None
    return None


class _Reader:
    def __init__(self, judge: str | None) -> None:
        self.by = judge
        self.labels = native.LabelTable()
        self.files: list[str] = []
        self.ends: list[int] = []
        self.names: list[str] = []  # the judge of each file

    def text(self, source: Source) -> None:
        before = self.labels.rows
        kind = table_format(source)
        if kind is not None:
            self.table(read_table(source, kind, self.by == "column"), source.stem)
        elif self.by == "column":
            raise _mixed(source.name)
        else:
            self.labels.expect(source.size)
            parse_text(source, self.labels.feed, self.labels.finish)
            self._close(source.name, source.stem)
        if self.labels.rows == before:
            raise no_label(source.name)

    def table(self, table: Table, stem: str) -> None:
        topic, document, label = table.find("topic"), table.need("document"), table.need("label")
        count = len(table)
        names = [""] * count
        if self.by in ("column", "iteration"):
            names = table.texts(table.need("judge" if self.by == "column" else "iteration"))
        elif self.by == "file" and table.find("judge") is not None:
            raise _mixed(table.name)
        self.labels.add(
            [ONE_TOPIC] * count if topic is None else table.texts(topic),
            names,
            table.texts(document),
            np.array(table.numbers(label, "label"), dtype=float),
            table.line_numbers(),
        )
        self._close(table.name, stem)

    def nested(self, source: Mapping[str, Any]) -> None:
        if self.by is None:
            self.table(nested_table(source, "label"), "<dict>")
            return
        for name, one in source.items():  # {judge: {topic: {document: label}}}
            self.table(nested_table(one, "label", f"<dict>[{name!r}]"), str(name))

    def _close(self, name: str, stem: str) -> None:
        self.files.append(name)
        self.names.append(stem)
        self.ends.append(self.labels.rows)

    def rows(self) -> tuple[Rows, list[str]]:
        columns = self.labels.take_columns()
        if not len(columns["label"]):
            raise no_label(self.files[0] if self.files else "<dict>")
        file = np.repeat(np.arange(len(self.ends)), np.diff([0, *self.ends])).astype(np.int32)
        judge, names = columns["iteration"], self.labels.iterations
        if self.by is None:
            judge, names = np.zeros_like(judge), [""]
        elif self.by == "file":
            names = list(dict.fromkeys(self.names))
            judge = np.array([names.index(n) for n in self.names], dtype=np.int32)[file]
        elif self.by == "iteration":
            odd = next((i for i, n in enumerate(names) if not n.isprintable()), None)
            if odd is not None:
                row = int(np.flatnonzero(judge == odd)[0])
                raise InputError(
                    f"the judge {names[odd]!r} is not UTF-8 text",
                    file=self.files[int(file[row])],
                    line=int(columns["line"][row]),
                    remedy="save the file as UTF-8",
                )
        rows = Rows(
            self.labels,
            columns["pair_topic"],
            columns["pair"],
            judge,
            columns["label"],
            columns["line"],
            file,
            self.files,
        )
        return rows, names


def no_label(file: str) -> InputError:
    return InputError(
        "the file has no labels", file=file, remedy="check the command that produced it"
    )


def _mixed(file: str) -> InputError:
    return InputError(
        "files with a judge column stand beside files without one",
        file=file,
        remedy="give one file per judge, or only tables with a judge column",
    )
