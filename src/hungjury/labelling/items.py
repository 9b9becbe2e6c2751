"""The documents to label, in the plan's order, and the grades a person can give."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence

from hungjury.base.errors import InputError
from hungjury.base.records import Record
from hungjury.data.reading.columns import InputTable
from hungjury.data.reading.formats import decoded, read_table, table_format
from hungjury.data.reading.lines import PLAN_HEAD
from hungjury.data.reading.sources import CHECK_COMMAND, Source, expand

DEFAULT = "0 not relevant, 1 related, 2 relevant, 3 perfectly relevant"
_REMEDY = f'write each as a digit and its meaning, such as "{DEFAULT}"'
_LONGEST = 60


class Grade(Record):
    """One button of the page; its grade is also its key."""

    grade: int
    meaning: str


def parse_grades(text: str) -> tuple[Grade, ...]:
    """Read a scale such as ``"0 not relevant, 1 related, 2 relevant"``.

    Parameters
    ----------
    text : str
        Grades from 0 to 9 in increasing order, each followed by its meaning. A comma inside a
        meaning is fine unless a digit follows it. Or a range, ``"0-3"``.

    Returns
    -------
    tuple of Grade

    Examples
    --------
    >>> parse_grades("0 no, 1 yes, in part, 2 yes")[1]
    Grade(grade=1, meaning='yes, in part')
    """
    found = []
    if ends := re.fullmatch(r"\s*(\d)-(\d)\s*", text):  # as options of reading have it
        every = range(int(ends[1]), int(ends[2]) + 1)
        text = DEFAULT if every == range(4) else ",".join(map(str, every))
    for part in re.split(r",\s*(?=\d)", text.strip()):
        match = re.fullmatch(r"(\d)(?:[\s:=]+(.*\S))?\s*", part, re.S)
        if match is None:
            raise _bad_scale(f"cannot read {part!r}")
        meaning = " ".join((match[2] or "").split())
        if len(meaning) > _LONGEST:
            problem = f"the meaning of {match[1]} is longer than {_LONGEST} characters"
            raise _bad_scale(problem, "shorten it; it has to fit on a button")
        found.append(Grade(int(match[1]), meaning))
    numbers = [one.grade for one in found]
    if numbers != sorted(set(numbers)):
        raise _bad_scale(f"expected increasing grades, got {', '.join(map(str, numbers))}")
    if len(found) < 2:
        raise _bad_scale("expected at least two grades")
    return tuple(found)


def _bad_scale(problem: str, remedy: str = _REMEDY) -> InputError:
    return InputError(f"grades: {problem}", code="bad-scale", remedy=remedy)


BATCH = 50
_ORDER = ("order", "position", "rank")


class Item(Record):
    """A document of a topic that a person is asked to label."""

    topic: str
    document: str


class DocumentList(Record):
    """Documents in the order in which they should be labelled; `text`: of a plan by
    ``hungjury plan``, which says how they were drawn."""

    name: str
    items: Sequence[Item]
    text: str = ""

    @property
    def digest(self) -> str:
        """A fingerprint: that of the plan, else of the documents and their order."""
        stated = re.search("^# digest: (.*)$", self.text, re.M)
        if stated:
            return stated[1]
        parts = [part for item in self.items for part in (item.topic, item.document)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def read_items(path: str) -> DocumentList:
    """Read a plan: any table with a topic and a document in each row.

    Parameters
    ----------
    path : str
        A table with a header (CSV, TSV, JSON lines or Parquet), or text with two columns (topic,
        document) or the four columns of a qrels file, whose labels are ignored. A column `order`
        sorts the rows. Lines with `#` may come first.
    """
    found = expand(path)
    if len(found) != 1:
        said = f"expected one plan, got {len(found)} files"
        remedy = "give one file; label one plan after the other in the same database"
        raise Source(path).error(said, "several-plans", remedy)
    source, head = _without_head(found[0])
    kind = table_format(source)
    rows = _plain(found[0]) if kind is None else _table(read_table(source, kind), head)
    items: dict[Item, int] = {}
    for item, line in rows:
        first = items.setdefault(item, line)
        if first != line:
            said = f"document '{item.document}' of topic '{item.topic}' is also in line {first}"
            raise source.error(said, "duplicate", "keep one row per topic and document", line)
    if not items:
        raise source.error("the plan has no documents", "empty-plan", CHECK_COMMAND)
    ours = found[0].head().strip() == PLAN_HEAD.encode()
    text = found[0].content().decode("utf-8-sig", "replace") if ours else ""
    return DocumentList(os.path.basename(path), list(items), text)


class Answer(Record):
    """One person's answer about one document: a grade, or None for a skip."""

    grade: int | None
    reason: str = ""
    note: str = ""


def batches(items: Sequence[Item], order: Sequence[int], size: int = BATCH) -> list[list[int]]:
    """Cut a plan into batches, as positions of items in the order in which they are shown.

    Stopping after a batch leaves a prefix of the plan. Within a batch the documents of one topic
    come together, topics in the order of their first document.
    """
    out = []
    for begin in range(0, len(order), size):
        together: dict[str, list[int]] = {}
        for i in order[begin : begin + size]:
            together.setdefault(items[i].topic, []).append(i)
        out.append([i for mine in together.values() for i in mine])
    return out


def _without_head(source: Source) -> tuple[Source, int]:
    """Skip the `#` lines that `hungjury plan` begins with, and count them."""
    if not source.head().startswith(b"#"):
        return source, 0
    rest, head = source.content(), 0
    while rest.startswith(b"#"):
        rest, head = rest.partition(b"\n")[2], head + 1
    return Source(source.name, held=rest or b"\n"), head


def _table(table: InputTable, head: int) -> Iterator[tuple[Item, int]]:
    """Yield the documents of a table, each with its line."""
    topics = table.texts(table.need("topic"))
    documents = table.texts(table.need("document"))
    lower = {str(name).lower(): name for name in table.columns}
    order = next((lower[n] for n in _ORDER if n in lower), None)
    rows = list(range(len(table)))
    if order is not None:
        places = table.numbers(order, "order")
        rows.sort(key=lambda row: places[row])
    for row in rows:
        yield Item(topics[row], documents[row]), head + table.line(row)


def _plain(source: Source) -> Iterator[tuple[Item, int]]:
    """Yield the documents of a text without a header, each with its line."""
    for number, line in enumerate(decoded(source).split("\n"), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) not in (2, 4):
            said = f"expected a topic and a document, found {len(words)} columns"
            remedy = "give a table with the columns topic and document, or a qrels file"
            raise source.error(said, "columns", remedy, number)
        yield Item(words[0], words[len(words) // 2]), number
