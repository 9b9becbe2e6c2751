"""Align once, judge many times: find the documents of a pool in every ranked list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Literal

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Int32s, Ints, NDArray
from hungjury.base.errors import Argument, InputError, Note, Remedy, few, percent, plural
from hungjury.base.files import cores
from hungjury.base.parameters import MOST_RANKS, check_count
from hungjury.base.records import Record
from hungjury.data.pool import Pool, natural_order
from hungjury.data.reading.formats import table_format
from hungjury.data.reading.label_rows import ONE_TOPIC
from hungjury.data.reading.options import RunPolicy
from hungjury.data.reading.sources import CHECK_COMMAND, Source, Stop, raise_error
from hungjury.data.runs import (
    Progress,
    ReadRun,
    RunFiles,
    Runs,
    check_names,
    map_files,
    parse_run,
    read_store,
    run_name,
    without_bad_lines,
)

UNJUDGED_TOPIC = "unjudged-topic"  # the kind of a note
KEPT = 0.25  # share of the places up to which lists that were cut are kept for the next use
TOP = 10  # ranks in which unjudged documents are counted
ListColumn = Literal[
    "rank", "document", "tie_first", "tie_last", "other_topic", "other_rank", "other_size"
]
_COLUMNS: tuple[ListColumn, ...] = ("rank", "document", "tie_first", "tie_last")
ListCount = Literal["tied_lists", "contradicted_lists", "precision_lists"]
_COUNTED: list[tuple[str, ListCount, str, str, str]] = [
    ("ties", "tied_lists", "has", "have", "documents with equal scores"),
    ("rank-contradicts", "contradicted_lists", "has", "have", "ranks that contradict scores"),
    ("precision", "precision_lists", "is", "are",
     "ordered differently by scores in single precision"),
]  # fmt: skip


class Alignment(Record, eq=False):
    """Every (system, topic) list as the ranks and pool indices of its pooled documents.

    A cell is ``system * len(topics) + topic``; its documents are ``rank[start:stop]`` and
    ``document[start:stop]``, best first. `length` is -1 where the system has no such list.
    """

    pool: Pool
    systems: list[str]
    policy: RunPolicy
    depth: int | None
    start: Ints
    stop: Ints
    length: Int32s
    rank: Int32s
    document: Int32s
    tie_first: Int32s | None = None
    tie_last: Int32s | None = None
    others: Others | None = None
    notes: tuple[Note, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.systems), len(self.pool.topics)

    @property
    def retrieved(self) -> Bools:
        """[system, topic]: is there a list?"""
        return (self.length >= 0).reshape(self.shape)

    @property
    def longest(self) -> int:
        return int(self.length.max(initial=1))

    def upto(self, depth: int) -> Alignment:
        """Return the same lists cut after a rank; a tie that reaches that rank stays whole."""
        if depth >= self.longest:
            return self
        if depth in self._cuts:
            return self._cuts[depth]
        first = self.rank if self.tie_first is None else self.tie_first
        kept = np.flatnonzero(first <= depth)
        columns = {name: getattr(self, name) for name in _COLUMNS}
        cut = {name: one[kept] for name, one in columns.items() if one is not None}
        start, stop = (np.searchsorted(kept, ends) for ends in (self.start, self.stop))
        near = replace(self, start=start, stop=stop, **cut)
        if len(kept) <= KEPT * len(self.rank):
            self._cuts[depth] = near
        return near

    @cached_property
    def _cuts(self) -> dict[int, Alignment]:
        """Lists cut after a rank, for the next who asks."""
        return {}

    def only(self, systems: Ints) -> Alignment:
        """Return the lists of some systems, given by their places in ascending order."""
        cells = (systems[:, None] * self.shape[1] + np.arange(self.shape[1])).ravel()
        mine = np.isin(np.arange(len(self.systems)), systems)
        kept = np.flatnonzero(np.repeat(mine, self._places))
        columns = {name: getattr(self, name) for name in _COLUMNS}
        left_out = {name for name, one in zip(self.systems, mine, strict=True) if not one}
        return replace(
            self,
            systems=[self.systems[i] for i in systems],
            start=np.searchsorted(kept, self.start[cells]),
            stop=np.searchsorted(kept, self.stop[cells]),
            length=self.length[cells],
            **{name: one[kept] for name, one in columns.items() if one is not None},
            others=None if self.others is None else self.others.only(systems),
            notes=tuple(note for note in self.notes if note.where not in left_out),
        )

    @property
    def _places(self) -> Ints:
        """[system]: the places of all its lists."""
        return np.asarray((self.stop - self.start).reshape(self.shape).sum(axis=1))

    def unjudged_retrieved(self, depth: int) -> Ints:
        """Count, by topic, the documents outside the pool in the first `depth` ranks of runs."""
        assert self.others is not None, "align() was not asked to remember them"
        near = self.others.rank <= depth
        pairs = np.stack([self.others.topic[near].astype(np.uint64), self.others.hash[near]])
        distinct = np.unique(pairs, axis=1)
        return np.bincount(distinct[0].astype(np.int64), minlength=len(self.pool.topics))


class Others(Record, eq=False):
    """Documents outside the pool: topic, rank and hash of the id, a row per list they are in.

    `ids` has the ids one after the other, if `align` was asked for them, and `end` where each of
    them ends.
    """

    system: Int32s
    topic: Int32s
    rank: Int32s
    hash: NDArray[np.uint64]
    ids: bytes
    end: Ints

    def only(self, systems: Ints) -> Others:
        """Return the rows of some systems, given by their places in ascending order."""
        rows = np.flatnonzero(np.isin(self.system, systems))
        begin = np.append(0, self.end[:-1])[rows] if len(rows) else rows
        ids = [self.ids[a:b] for a, b in zip(begin.tolist(), self.end[rows].tolist(), strict=True)]
        return Others(
            system=np.searchsorted(systems, self.system[rows]).astype(np.int32),
            topic=self.topic[rows],
            rank=self.rank[rows],
            hash=self.hash[rows],
            ids=b"".join(ids),
            end=np.cumsum([len(one) for one in ids], dtype=np.int64),
        )

    def id(self, row: int) -> str:
        """Return the id of the document in a row."""
        start = self.end[row - 1] if row else 0
        return self.ids[start : self.end[row]].decode("utf-8", "surrogateescape")


class _Part(Record, eq=False):
    """One aligned run."""

    name: str
    file: str
    arrays: native.AlignedRun
    other_topics: int
    note: Note | None


def align(
    runs: Runs | RunFiles,
    pool: Pool,
    depth: int | None = None,
    progress: Progress | None = None,
    others: int = 0,
    named: bool = False,
    stop: Stop = raise_error,
    by_name: bool = False,
) -> Alignment:
    """Join ranked lists to a pool; the only place where lists are sorted.

    others: remember documents outside the pool down to this rank; named: with their ids. stop:
    called with every line of a file that cannot be read; where it returns, the line is left out.
    by_name: systems in natural order, draws then do not depend on the order of files.
    """
    if depth is not None:
        check_count("depth", depth, 1, MOST_RANKS)
    ties, single, deep = runs.policy.ties, runs.policy.single, int(depth or 0)
    native_pool = pool.native  # built before threads need it

    def in_memory(run: ReadRun) -> _Part:
        arrays = run.store.align(native_pool, ties, single, deep, others, named)
        unjudged = len(run.store.topics) - len(arrays["topic"])
        return _Part(run.name, run.file, arrays, unjudged, run.note)

    def new_stream() -> native.RunStream:
        return native.RunStream(native_pool, ties, single, deep, others, named)

    def in_file(source: Source) -> list[_Part]:
        found = _streamed(source, runs.policy, new_stream, free, stop)
        return [found] if found else [*map(in_memory, read_store(source, runs.policy, 1, stop))]

    if isinstance(runs, RunFiles):
        free = cores() // len(runs.sources)
        each = map_files(in_file, runs.sources, progress, "reading runs")
        parts = [part for several in each for part in several]
    else:
        items = [ReadRun(*one, "") for one in zip(runs.systems, runs.stores, strict=True)]
        parts = list(map_files(in_memory, items, progress, "aligning runs"))
    check_names((part.name, part.file) for part in parts)
    if by_name:
        parts = [parts[i] for i in natural_order(part.name for part in parts)]
    return _join(parts, pool, runs, depth, others > 0)


def _streamed(
    source: Source, policy: RunPolicy, new: Callable[[], native.RunStream], free: int, stop: Stop
) -> _Part | None:
    """Align a file while reading it; None if that is impossible, and it has to be read whole.

    free: cores that may read parts of it in parallel.
    """
    if table_format(source, policy.columns) is not None:
        return None
    source = without_bad_lines(source, stop, free)

    def read(part: Source) -> native.RunStream:
        stream = new()
        parse_run(part, stream, free)
        return stream

    stream = _side_by_side(source.parts(free), read) or read(source)
    if not stream.rows:
        raise source.error("the file has no lines", "no-rows", CHECK_COMMAND)
    if stream.interleaved:
        return None
    name, note = run_name(stream.tags, source, policy)
    return _Part(name, source.name, stream.take(), stream.other_topics, note)


def _side_by_side(
    parts: list[Source], read: Callable[[Source], native.RunStream]
) -> native.RunStream | None:
    """Return the joined parts of a file. None if there is only one part, or if one has an error:
    only a reader that has seen all earlier lines can name the line."""
    if len(parts) < 2:
        return None
    try:
        whole, *others = map_files(read, parts, None, "")
    except InputError:
        return None
    for other in others:
        whole.append(other)
    return whole


def _join(
    parts: list[_Part], pool: Pool, runs: Runs | RunFiles, depth: int | None, with_others: bool
) -> Alignment:
    topics = len(pool.topics)
    cells = len(parts) * topics
    start, stop = np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64)
    length = np.full(cells, -1, dtype=np.int32)
    base = 0
    for i, part in enumerate(parts):
        at = i * topics + part.arrays["topic"]
        ends = part.arrays["end"] + base
        start[at] = np.concatenate([[base], ends[:-1]]) if len(ends) else base
        stop[at] = ends
        length[at] = part.arrays["length"]
        base += len(part.arrays["rank"])
    if not (length >= 0).any():
        said = f"runs and judgments have no topic in common (judged: {few(pool.topics, 3)})"
        remedy: Remedy = "check that both use the same topic ids"
        if pool.topics == [ONE_TOPIC]:
            said = "the runs have topics, but the labels have no topic column"
            remedy = ("name it:", Argument("columns", "topic=NAME"))
        raise InputError(said, code="no-common-topic", remedy=remedy)
    if not any(len(part.arrays["rank"]) for part in parts):
        said = f"none of the judged documents is in any run (judged: {few(pool.documents, 3)})"
        remedy = "check that document ids are written the same way in runs and labels"
        raise InputError(said, code="nothing-judged", remedy=remedy)
    if any(part.arrays["cut_ties"] for part in parts):
        said = f"depth {depth} does not support ties averaged over all orders"
        remedy = (
            "use",
            Argument("ties", "trec", "input"),
            "or a cutoff of the measure, such as AP@100, instead of a depth",
        )
        raise InputError(said, code="unsupported-ties", remedy=remedy)
    earlier = runs.notes if isinstance(runs, Runs) else ()
    columns = _COLUMNS if runs.policy.ties == "expected" else _COLUMNS[:2]
    return Alignment(
        pool=pool,
        systems=[part.name for part in parts],
        policy=runs.policy,
        depth=depth,
        start=start,
        stop=stop,
        length=length,
        **{name: _column(parts, name) for name in columns},
        others=_others(parts) if with_others else None,
        notes=earlier + tuple(_notes(parts, pool, length.reshape(len(parts), topics) >= 0)),
    )


def _others(parts: list[_Part]) -> Others:
    """Join the documents outside the pool of all runs."""
    count = [len(part.arrays["other_topic"]) for part in parts]
    return Others(
        system=np.repeat(np.arange(len(parts), dtype=np.int32), count),
        topic=_column(parts, "other_topic"),
        rank=_column(parts, "other_rank"),
        hash=np.concatenate([part.arrays["other_hash"] for part in parts]),
        ids=b"".join(part.arrays["other_id"].tobytes() for part in parts),
        end=np.cumsum(_column(parts, "other_size"), dtype=np.int64),
    )


def _column(parts: list[_Part], name: ListColumn) -> Int32s:
    return np.concatenate([part.arrays[name] for part in parts])


def _notes(parts: list[_Part], pool: Pool, present: Bools) -> Iterable[Note]:
    for part, row in zip(parts, present, strict=True):
        if part.note is not None:
            yield part.note
        missing = np.flatnonzero(~row)
        if len(missing):
            topics = tuple(pool.topics[t] for t in missing)
            text = f"no list for {plural(len(missing), 'judged topic')}"
            yield Note("missing-topic", len(missing), text, part.name, topics)
        if not len(part.arrays["rank"]):
            text = "none of its documents was judged; do runs and labels use the same ids?"
            yield Note("nothing-judged", 1, text, part.name, about="result")
    for kind, column, one, several, what in _COUNTED:
        count = sum(part.arrays[column] for part in parts)
        if count:
            verb = one if count == 1 else several
            yield Note(kind, count, f"{plural(count, 'list')} {verb} {what}")
    others = max(part.other_topics for part in parts)
    if others:
        text = f"up to {plural(others, 'topic')} of a run without judgments, not scored"
        yield Note(UNJUDGED_TOPIC, others, text)
    shown = sum(int(np.minimum(part.arrays["length"], TOP).sum()) for part in parts)
    judged = sum(int((part.arrays["rank"] <= TOP).sum()) for part in parts)
    if judged < shown:
        text = (
            f"{shown - judged:,} of {shown:,} documents in the first {TOP} ranks are unjudged "
            f"({percent((shown - judged) / shown)})"
        )
        yield Note("unjudged-document", shown - judged, text)
