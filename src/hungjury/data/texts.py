"""Texts of queries and documents, found by id.

A corpus may be far larger than memory: its files are read once, line by line, and only the places
of the wanted lines are kept. Lines of compressed files, which cannot be found again quickly, are
kept themselves.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hungjury.base.errors import check_installed
from hungjury.base.records import Record
from hungjury.data.reading.sources import MARK, PREFIX, Source, dataset_rows, expand

TextFiles = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

MOST = 500_000  # characters of one text that a page shows
_IDS = ("_id", "id", "qid", "query_id", "query-id", "topic", "docid", "doc_id", "docno", "pid",
        "document", "document_id", "doc", "passage_id", "corpus-id", "corpus_id")  # fmt: skip


class Kind(Record):
    """Names of queries or documents in files: of their heads and their bodies."""

    heads: tuple[str, ...]
    bodies: tuple[str, ...]
    option: str
    part: str  # of a dataset
    where: str  # the ids come from
    body_is_text: bool  # without a header, the last column is the body; else the second the head


QUERIES = Kind(
    heads=("query", "text", "title", "question"),
    bodies=("description", "desc", "narrative"),
    option="queries",
    part="queries",
    where="topics",
    body_is_text=False,
)
DOCUMENTS = Kind(
    heads=("title", "headline"),
    bodies=("text", "contents", "content", "passage", "body", "segment", "abstract"),
    option="documents",
    part="docs",
    where="judgments",
    body_is_text=True,
)


class Text(Record):
    """A title and a text, or a query and its description; either may be empty."""

    head: str = ""
    body: str = ""


class _Layout:
    """How lines are read: objects such as those of BEIR's corpus.jsonl, or columns between tabs, of
    id and text, of id, title and text, or named by a header."""

    def __init__(self, source: Source, kind: Kind, first: bytes) -> None:
        self.file = source.name
        self.heads: Sequence[str | int] = kind.heads
        self.bodies: Sequence[str | int] = kind.bodies
        self.header = self.one_body = False
        self.key: str | None = None  # of the id in objects
        if first.lstrip()[:1] == b"{":
            names = list(_object(first, source.name, 1))
            self.key = next((k for k in _IDS if k in names), None)
            if self.key is None:
                said = f"no id in the first object; its keys are {', '.join(names)}"
                raise source.error(said, "no-id", f"call it one of {', '.join(_IDS)}", 1)
            self.one_body = kind.body_is_text
            quick = rb'\s*\{\s*"%b"\s*:\s*(?:"([^"\\]*)"|(\d+))\s*[,}]'
            self.quick = re.compile(quick % re.escape(self.key.encode()))
            return
        if b"\t" not in first:
            said = f"expected {kind.option} as JSON lines or tab-separated columns"
            remedy = 'write {"_id": …, "text": …} or id<TAB>text in each line'
            raise source.error(said, "text-format", remedy, 1)
        names = [n.strip().lower() for n in first.decode("utf-8", "replace").split("\t")]
        self.header = names[0] in _IDS and any(n in kind.heads + kind.bodies for n in names)
        if self.header:
            self.heads = [names.index(n) for n in kind.heads if n in names][:1]
            self.bodies = [names.index(n) for n in kind.bodies if n in names]
        elif kind.body_is_text:
            self.heads, self.bodies = [len(names) - 2] if len(names) > 2 else [], [-1]
        else:
            self.heads, self.bodies = [1], range(2, len(names))

    def id_of(self, line: bytes, number: int) -> str:
        if self.key is None:
            return line.split(b"\t", 1)[0].decode("utf-8", "replace").strip()
        found = self.quick.match(line)
        if found is not None:
            return (found[1] or found[2] or b"").decode("utf-8", "replace")
        return str(_object(line, self.file, number).get(self.key, ""))

    def text_of(self, line: bytes, number: int) -> Text:
        if self.key is None:
            cells = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")
            row: dict[Any, Any] = {-1: cells[-1], **dict(enumerate(cells))}
        else:
            row = {k.lower(): v for k, v in _object(line, self.file, number).items()}
        heads, bodies = (
            [_plain(row[name]) for name in names if row.get(name) not in (None, "", [], {})]
            for names in (self.heads, self.bodies)
        )
        body = bodies[: 1 if self.one_body else None]
        return Text(_clean("".join(heads[:1])), _clean("\n\n".join(body)))


@dataclass
class Texts:
    """Texts by id, read on demand.

    Attributes
    ----------
    missing : set of str
        Ids that were wanted and not found, or have no text.
    others : list of str
        The first few ids of the files, to compare with the wanted ones.
    """

    missing: set[str]
    others: list[str] = field(default_factory=list)
    _places: dict[str, _Place] = field(default_factory=dict)

    def get(self, name: str) -> Text:
        """Return the text of an id; an empty one if there is none."""
        place = self._places.get(name)
        return Text() if place is None else place.read()

    def __len__(self) -> int:
        return len(self._places)


class _Place(Record):
    layout: _Layout
    number: int
    source: Source
    offset: int
    length: int
    held: bytes | None

    def read(self) -> Text:
        if self.held is not None:
            line = zlib.decompress(self.held)
        else:
            with self.source.raw() as raw:
                raw.seek(self.offset)
                line = raw.read(self.length)
        return self.layout.text_of(line, self.number)


def find_texts(sources: Iterable[str], wanted: Iterable[str], kind: Kind) -> Texts:
    """Find the texts of some ids in files of JSON lines or tab-separated columns.

    Parameters
    ----------
    sources : iterable of str
        Paths, globs or ids such as ``ir_datasets:beir/nfcorpus``; files may be compressed.
    wanted : iterable of str
        The ids.
    kind : Kind
        `QUERIES` or `DOCUMENTS`.

    Returns
    -------
    Texts

    Notes
    -----
    Reading stops when every id has been found. If an id occurs twice, the first text is used.
    """
    texts = Texts(set(wanted))
    wanted_count = len(texts.missing)
    given = list(sources)
    check_texts(given, kind)
    for name in given:
        for source in _sources(name, kind, texts.missing):
            if texts.missing:
                _scan(source, kind, texts)
    if wanted_count and not texts._places:
        some = ", ".join(map(repr, sorted(texts.missing)[:3]))
        said = f"none of the wanted {kind.option} has a text here: wanted are {some}, the file has "
        said += ", ".join(map(repr, texts.others[:3])) or "none"
        remedy = f"give {kind.option} with the ids of these {kind.where}"
        raise Source(" ".join(given)).error(said, "other-ids", remedy)
    return texts


def check_texts(sources: Iterable[str], kind: Kind) -> None:
    """Raise if a file or the package for datasets is missing, before anything is computed."""
    for name in sources:
        if name.startswith(PREFIX):
            check_installed("ir_datasets", "ecosystem", f"reading {name}")
        else:
            for source in expand(name, kind.part):
                if source.path is not None and (wrong := source.binary_error()) is not None:
                    raise wrong


def _sources(name: str, kind: Kind, wanted: set[str]) -> list[Source]:
    """Return files, or the wanted part of a dataset as JSON lines."""
    if not name.startswith(PREFIX):
        return expand(name, kind.part)
    rows = dataset_rows(name, kind.part, wanted)
    lines = (json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
    return [Source(name, held="".join(lines).encode("utf-8", "replace"))]


def _scan(source: Source, kind: Kind, texts: Texts) -> None:
    keep = source.path is None or source.packed
    layout: _Layout | None = None
    for number, offset, line in _lines(source):
        if layout is None:
            layout = _Layout(source, kind, line)
            if layout.header:
                continue
        name = layout.id_of(line, number)
        if len(texts.others) < 3:
            texts.others.append(name)
        if name not in texts.missing:
            continue
        text = layout.text_of(line, number)
        if not (text.head or text.body):
            continue
        held = zlib.compress(line, 1) if keep else None
        texts._places[name] = _Place(layout, number, source, offset, len(line), held)
        texts.missing.discard(name)
        if not texts.missing:
            return


def _lines(source: Source) -> Iterator[tuple[int, int, bytes]]:
    """Yield line numbers, offsets and lines that are not blank."""
    with source.open() as stream:
        offset = 0
        for number, line in enumerate(stream, 1):
            begin, offset = offset, offset + len(line)
            if number == 1 and line.startswith(MARK):
                begin, line = begin + len(MARK), line[len(MARK) :]
            if line.strip():
                yield number, begin, line


def _object(line: bytes, file: str, number: int) -> dict[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        said, remedy = "expected a JSON object", "fix or remove this line"
        raise Source(file).error(said, "not-json", remedy, number)
    return row


def _plain(value: object) -> str:
    """Return a value as text: a string, a list of paragraphs, or anything else as JSON."""
    if isinstance(value, list):
        return "\n\n".join(map(_plain, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _clean(text: str) -> str:
    """Make text safe to show: no lone surrogates, limited length."""
    text = text.strip().encode("utf-8", "replace").decode("utf-8")
    if len(text) > MOST:
        return f"{text[:MOST]}\n\n[{len(text) - MOST:,} more characters are not shown]"
    return text
