"""Rows of labels from any source: text in TREC columns, tables, frames, dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Int32s, Ints, NDArray
from hungjury.base.errors import Argument, InputError, Note, Remedy, few, noted, plural
from hungjury.base.files import cores
from hungjury.base.records import Record
from hungjury.data.pool import natural_order
from hungjury.data.reading.columns import KNOWN, TEXTS, InputTable, nested_table, table_or_files
from hungjury.data.reading.formats import header_table, read_table, table_format
from hungjury.data.reading.lines import MARKS, Parser, parse_text, readable, unknown_header
from hungjury.data.reading.options import LabelPolicy
from hungjury.data.reading.sources import CHECK_COMMAND, Source, Stop, expand, raise_error


class Rows(Record, eq=False):
    """Labels in the order of the input; pairs are (topic, document)."""

    table: native.LabelTable
    pair_topic: Int32s
    pair: Int32s
    judge: Int32s
    label: Floats
    line: NDArray[np.uint32]
    file: NDArray[np.unsignedinteger[Any]]
    files: list[str]
    judges: list[str]  # [""] for qrels
    words: Mapping[int, str]  # the text of labels that are not numbers, by row
    policy: LabelPolicy
    stop: Stop  # called with every error; where it returns, the rows in error are left out
    notes: list[Note]  # shared by all that is made from these rows

    @property
    def by_judges(self) -> bool:
        """True for labels of several judges, False for qrels."""
        return self.judges != [""]

    def __len__(self) -> int:
        return len(self.label)

    @cached_property
    def values(self) -> tuple[Floats, Ints]:
        """The different labels in ascending order, and how often each occurs."""
        return native.distinct(self.label)

    def at(self, row: int) -> tuple[str, int]:
        """Return the file and line of a row."""
        return self.files[int(self.file[row])], int(self.line[row])

    def keep(self, rows: NDArray[np.generic]) -> Rows:
        """Return some of the rows: a mask, or their numbers in ascending order."""
        words = {}
        if self.words:
            kept = np.arange(len(self))[rows].tolist()
            words = {i: self.words[row] for i, row in enumerate(kept) if row in self.words}
        columns = ("pair", "judge", "label", "line", "file")
        return replace(self, words=words, **{one: getattr(self, one)[rows] for one in columns})

    def whose(self, rows: Bools, most: int = 5) -> str:
        """Count some rows by judge, largest counts first: 'a 3, b 2 and 7 more'."""
        counts = np.bincount(self.judge[rows], minlength=len(self.judges))
        largest = [j for j in np.argsort(-counts, kind="stable") if counts[j]]
        return few([f"{self.judges[j]} {counts[j]:,}" for j in largest], most)

    def in_all(self, bad: Bools) -> str:
        """Say how many labels are bad in the same way, and whose, if there is more than one."""
        whose = f": {self.whose(bad)}" if self.by_judges else ""
        return f" ({plural(int(bad.sum()), 'such label')} in all{whose})" if bad.sum() > 1 else ""

    def note(self, kind: str, count: int, text: str, **more: Any) -> None:
        """Note something, if it was found."""
        self.notes.extend(noted(kind, count, text, **more))

    def note_labels(self, rows: Bools, kind: str, text: str, after: str = "") -> None:
        """Note something about some labels, if there are any."""
        count = int(rows.sum())
        whose = f" ({self.whose(rows)})" if self.by_judges else ""
        self.note(kind, count, f"{plural(count, 'label')} {text}{whose}{after}")

    def error(self, at: int | Bools, message: str, code: str, remedy: Remedy) -> InputError:
        """Make an error about a row, or the first of some rows."""
        file, line = self.at(at if isinstance(at, int) else int(at.argmax()))
        error = InputError(message, code=code, file=file, line=line, remedy=remedy)
        error.count = 1 if isinstance(at, int) else int(at.sum())
        return error


Part = Source | InputTable
Judges = Literal["one", "file", "column", "iteration", "wide"]  # where a row's judge is named
SEVERAL = "several-judges"  # the code of an error
ONE_TOPIC = "topic"  # the name of the only topic of a table without topics


def label_parts(source: object, policy: LabelPolicy, *, several: bool = False) -> list[Part]:
    """Return the files and tables of a source.

    several: labels of several judges, whose dictionaries are ``{judge: source}``.
    """
    if several and isinstance(source, Mapping):
        if not source:
            raise Source("<dict>").error("no judge is in it", "no-judge", "give {judge: labels}")
        return [part for name, one in source.items() for part in _of_judge(name, one, policy)]
    found = table_or_files(source, "label", dict(policy.columns))
    return [found] if isinstance(found, InputTable) else [*expand(found, folders=several)]


def _of_judge(name: object, source: object, policy: LabelPolicy) -> list[Part]:
    """Return the parts of one judge of a dictionary."""
    if isinstance(source, Mapping):
        return [nested_table(source, "label", f"<dict>[{name!r}]", str(name))]
    parts = label_parts(source, policy)
    return [
        replace(p, group=str(name)) if isinstance(p, Source) else replace(p, stem=str(name))
        for p in parts
    ]


class LabelReader:
    """Collects rows of labels from files and tables."""

    judges: Judges
    labels: native.LabelTable

    def __init__(self, policy: LabelPolicy, stop: Stop = raise_error) -> None:
        self.policy, self.stop = policy, stop
        self.words: dict[int, str] = {}  # of tables: row and text of labels that are not numbers
        self.done: list[Part] = []
        self.sizes: list[int] = []  # the rows of each
        self.notes: list[Note] = []
        self._tables: dict[Source, InputTable] = {}  # read ahead of the others

    def read(self, parts: Sequence[Part], judges: Judges) -> Rows:
        """Read files and tables. Where errors do not stop the reading, rows in error are left out,
        or the whole part if it cannot be understood."""
        self.judges = judges
        self.labels = self._empty()
        sizes = [part.size for part in parts if isinstance(part, Source)]
        self.labels.expect(sum(sizes), max(sizes, default=0))
        for part in parts:
            self._read(part)
        return self._rows(parts[0].name)

    def table(self, source: Source, kind: str, by_judge: bool = False) -> InputTable:
        """Read a file as a table; a table that is looked at first is kept for `read`."""
        if source not in self._tables:
            how = self.policy.columns, by_judge, self.stop, self.policy.layout
            self._tables[source] = read_table(source, kind, *how)
        return self._tables[source]

    def looked_at(self, part: Part) -> InputTable | None:
        """Return a part as a table, of a separated one only its columns; None for text in TREC's
        columns."""
        if isinstance(part, InputTable):
            return part
        kind = table_format(part, self.policy.columns)
        if kind in MARKS:
            return header_table(part, kind, dict(self.policy.columns))
        return None if kind is None else self.table(part, kind, True)

    def _read(self, part: Part) -> None:
        before = self.labels.rows
        try:
            self._add_part(part)
            if self.labels.rows == before and isinstance(part, Source):
                raise no_label(part.name)
        except InputError as error:
            self.stop(error)
            if self.labels.rows == before:
                return
        self.done.append(part)
        self.sizes.append(self.labels.rows - before)

    def _add_part(self, part: Part) -> None:
        if isinstance(part, InputTable):
            self._table(part)
        elif (kind := table_format(part, self.policy.columns)) is not None:
            if kind in MARKS and not self.policy.layout and self._plain(part, kind):
                return
            table = self.table(part, kind, self.judges == "column")
            del self._tables[part]
            self._table(table)
        elif self.policy.layout:
            said = f"expected the JSON export of {self.policy.layout}"
            raise part.error(said, "not-json", ("leave out", Argument("layout")))
        elif self.judges in ("column", "wide"):
            said = "a wide table needs a header line with the names of topic, document and judges"
            remedy = "add it, or leave out", Argument("wide")
            wide = self.judges == "wide"
            no_header = part.error(said, "no-header", remedy) if wide else _mixed(part.name)
            raise unknown_header(part, ROLES[self.judges]) or no_header
        else:
            self._text(readable(part, self._empty, self._parse, self.stop))

    def _empty(self) -> native.LabelTable:
        table = native.LabelTable()
        if self.policy.takes_words:
            table.take_words()
        if self.judges in ("one", "file"):
            table.skip_iterations()
        return table

    def _parse(self, source: Source, into: Parser) -> None:
        parse_text(source, into.feed, into.finish, cores(), ROLES[self.judges])

    def _text(self, source: Source) -> None:
        known, start = len(self.labels.words), self.labels.rows
        self._parse(source, self.labels)
        if [row for row, _ in self.labels.words[known : known + 1]] == [start]:
            wrong = unknown_header(source, ROLES[self.judges])
            if wrong is not None:
                raise wrong

    def _plain(self, part: Source, mark: str) -> bool:
        """Read a separated table in native code, unless there is anything unusual in it."""
        try:
            table = header_table(part, mark, dict(self.policy.columns))
            found = [table.find("topic"), None, table.need("document"), table.need("label")]
            if self.judges in ("column", "iteration"):
                found[1] = table.need("judge" if self.judges == "column" else "iteration")
            elif self.judges == "wide" or table.known("judge"):
                return False
        except InputError:  # which the other reader explains
            return False
        names = list(table.columns)
        places = [-1 if name is None else names.index(name) for name in found]
        head = part.head()
        if not head.isascii() or b'"' in head or b"\r" in head[:-1]:
            return False
        rows = native.PlainTable(self.labels, mark, len(names), places, ONE_TOPIC)
        plain = False
        try:
            plain = all(map(rows.feed, part.pieces())) and rows.finish()
        finally:
            if not plain:
                rows.undo()
        if plain and found[0] is None:
            self.notes.append(table.without_topic)
        return plain

    def _table(self, table: InputTable) -> None:
        if self.judges == "wide":
            table = self._narrow(table)
        topic, document = table.find("topic"), table.need("document")
        judge = None
        if self.judges in ("column", "iteration", "wide"):
            judge = table.need("iteration" if self.judges == "iteration" else "judge")

        def read(some: InputTable) -> tuple[list[str], list[str], list[str]]:
            topics = [ONE_TOPIC] * len(some) if topic is None else some.texts(topic)
            names = [""] * len(some) if judge is None else some.texts(judge)
            return topics, names, some.texts(document)

        table = table.readable(self.stop, read)
        ids = read(table)
        label = table.need("label")
        if self.judges == "file" and table.find("judge") is not None:
            raise _mixed(table.name)
        if self.judges == "one" and (named := table.known("judge")) is not None:
            people = list(dict.fromkeys(map(str, table.columns[named])))
            if len(people) > 1:
                said = f"the column {named} names {len(people)} judges ({few(people)})"
                remedy = "read them as judgments, and merge them; or keep the rows of one judge"
                raise table.error(f"{said}: these are not qrels", SEVERAL, remedy)
        numbers, words = table.labels(label)
        start = self.labels.rows
        self.labels.add(*ids, numbers, table.line_numbers())
        self.words.update((start + row, word) for row, word in words.items())
        if topic is None:
            self.notes.append(table.without_topic)

    def _narrow(self, table: InputTable) -> InputTable:
        """Return a table with a row for every label; what is empty was not judged."""
        topic, document = table.find("topic"), table.need("document")
        ids = {"topic": topic, "document": document}
        rows = [
            (row, judge)
            for judge in self._wide_judges(table, {topic, document})
            for empty in [{i for i, word in table.labels(judge)[1].items() if not word}]
            for row in range(len(table))
            if row not in empty
        ]
        columns = {
            role: [table.columns[name][row] for row, _ in rows]
            for role, name in ids.items()
            if name
        }
        columns["judge"] = [judge for _, judge in rows]
        columns["label"] = [table.columns[judge][row] for row, judge in rows]
        lines = [table.line(row) for row, _ in rows]
        return InputTable(table.name, columns, lines, stem=table.stem)

    def _wide_judges(self, table: InputTable, ids: set[str | None]) -> list[str]:
        """Return the columns of judges: all others, without those of ids and texts."""
        others = [c for c in table.columns if c not in {*ids, *table.given.values()}]
        check_patterns(others, self.policy)
        names = chosen(others, self.policy)
        if not self.policy.only:
            known = [c for c in names if c.strip().lower() in KNOWN | TEXTS]
            if known and (names := [c for c in names if c not in known]):
                text = "columns of a wide table that are not judges, left out"
                self.notes.append(Note("not-a-judge", len(known), text, subjects=tuple(known)))
        bad = [c for c in names if not self._may_be_labels(table, c)]
        if bad and len(bad) < len(names):
            without = tuple(Argument("without", c) for c in bad)
            said = f"columns of ids or texts, not of labels: {few(bad, 10)}"
            raise table.error(said, "not-labels", ("leave them out:", *without))
        return names

    def _may_be_labels(self, table: InputTable, column: str) -> bool:
        """Tell whether a column has any label, and is not a column of ids."""
        numbers, words = table.labels(column)
        found = numbers[~np.isnan(numbers)]
        if not len(found):
            return not any(words.values()) or any(
                map(self.policy.reads, filter(None, words.values()))
            )
        whole = (found == np.floor(found)).all() and self.policy.scaling is None
        return not (whole and len(found) > 10 and len(np.unique(found)) == len(found))

    def _rows(self, first: str) -> Rows:
        """Return all rows, judges in natural order; `first` is the name of the first part."""
        words = {**dict(self.labels.words), **self.words}
        columns = self.labels.take_columns()
        if not len(columns["label"]):
            raise no_label(first)
        numbers = np.arange(len(self.done), dtype=np.min_scalar_type(len(self.done)))
        file = np.repeat(numbers, self.sizes)
        if self.judges in ("one", "file"):
            met = ["" if self.judges == "one" else part.stem for part in self.done]
            names = list(dict.fromkeys(met))
            judge = np.array([names.index(stem) for stem in met])[file]
        else:
            names, judge = self.labels.iterations, columns["iteration"]
        order = natural_order(names)
        place = np.empty(len(names), dtype=np.int32)
        place[order] = np.arange(len(names), dtype=np.int32)
        rows = Rows(
            table=self.labels,
            pair_topic=columns["pair_topic"],
            pair=columns["pair"],
            judge=place[judge],
            label=columns["label"],
            line=columns["line"],
            file=file,
            files=[part.name for part in self.done],
            judges=[names[i] for i in order.tolist()],
            words=words,
            policy=self.policy,
            stop=self.stop,
            notes=self.notes,
        )
        if self.judges == "iteration":
            _check_printable(rows)
        if self.judges in ("column", "iteration"):
            return _chosen(rows)
        return rows


ROLES: dict[str, tuple[str, ...]] = {
    "one": ("topic", "document", "label"),
    "file": ("topic", "document", "label"),
    "column": ("topic", "document", "label", "judge"),
    "iteration": ("topic", "document", "label", "iteration"),
    "wide": ("topic", "document"),
}


def chosen(names: Iterable[str], policy: LabelPolicy) -> list[str]:
    """Return the judges that patterns leave."""
    return [
        name
        for name in names
        if (not policy.only or any(fnmatchcase(name, p) for p in policy.only))
        and not any(fnmatchcase(name, p) for p in policy.without)
    ]


def check_patterns(names: list[str], policy: LabelPolicy) -> None:
    """Refuse patterns that match no judge, or that leave none."""
    for option, patterns in (("only", policy.only), ("without", policy.without)):
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                said = f"no judge matches '{pattern}'"
                remedy: Remedy = f"the judges are {few(names, 10)}"
                raise InputError(said, code="no-such-judge", argument=option, remedy=remedy)
    if not chosen(names, policy):
        said = "the patterns leave no judge"
        remedy = ("check", Argument("only"), "and", Argument("without"))
        raise InputError(said, code="no-judge-left", remedy=remedy)


def _chosen(rows: Rows) -> Rows:
    """Return the rows of the judges that patterns leave; other judges are forgotten."""
    check_patterns(rows.judges, rows.policy)
    names = chosen(rows.judges, rows.policy)
    if names == rows.judges:
        return rows
    number = np.full(len(rows.judges), -1, dtype=np.int32)
    number[[rows.judges.index(name) for name in names]] = np.arange(len(names))
    kept = rows.keep(number[rows.judge] >= 0)
    return replace(kept, judge=number[kept.judge], judges=names)


def _check_printable(rows: Rows) -> None:
    odd = [judge for judge, name in enumerate(rows.judges) if not name.isprintable()]
    if odd:
        bad = np.isin(rows.judge, odd)
        said = f"the judge {rows.judges[rows.judge[bad.argmax()]]!r} is not UTF-8 text"
        raise rows.error(bad, said, "not-utf8", "save the file as UTF-8")


def no_label(file: str) -> InputError:
    return Source(file).error("the file has no labels", "no-labels", CHECK_COMMAND)


def _mixed(file: str) -> InputError:
    said = "files with a judge column are mixed with files without one"
    remedy = "give one file per judge, or only tables with a judge column"
    return Source(file).error(said, "mixed-sources", remedy)
