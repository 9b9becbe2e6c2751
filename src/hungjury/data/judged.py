"""Judged lists: labels gathered through an alignment, ready for the measures.

A measure sees arrays [..., list, place]: the labelled documents of each list, best first, with
their ranks. Unjudged documents are not stored, and for most measures neither are those
judged not relevant; ranks still count them. Leading axes are judges, replicates or draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from hungjury.base.arrays import Array, Bools, Floats, Int16s, Int32s, Ints, NDArray
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.qrels import MISSING

T = TypeVar("T", np.int16, np.float64)
BUDGET = 1 << 16  # places worked on at once: half a MB per array, which stays in the cache


class Judged(Record, eq=False):
    """Many judged lists; comments give the shape and meaning of each array."""

    labels: Int16s  # [..., list, place] grade; 0 in the padding at the end
    ranks: Int32s  # [..., list, place] from 1; `depth` + 1 in the padding
    judged: Int32s  # [..., list, place] judged documents down to and with this one
    pooled: Int32s  # the same for pooled documents, judged or not
    length: Int32s  # [..., list] documents retrieved
    judged_length: Int32s  # [..., list] judged documents retrieved
    counts: Ints  # [..., list, grade] documents of each grade in the pool
    depth: int  # length of the longest list
    unjudged_pool: Ints  # [..., list] documents in the pool with negative labels
    topic: Ints  # [list] index of the topic
    p: Floats | None = None  # [..., list, place] probabilities; labels are then 0
    p_total: Floats | None = None  # [..., list] their sum over the pool
    unjudged_retrieved: Callable[[int], Ints] | None = None  # depth -> [topic]
    ties: tuple[Int32s, Int32s] | None = None  # first, last rank of the tie
    topics: Sequence[str] = ()  # names of the topics, where they are known

    @property
    def max_grade(self) -> int:
        return int(self.counts.shape[-1]) - 1

    def hits(self, rel: int, cutoff: int | None = None) -> Bools:
        """Tell which places [..., list, place] are relevant and in the first `cutoff` ranks."""
        hits = self.labels >= rel
        return hits if cutoff is None else hits & (self.ranks <= cutoff)

    def relevant(self, rel: int) -> Ints:
        """Count the relevant documents in the pool: [..., list]."""
        return np.asarray(self.counts[..., rel:].sum(axis=-1))

    def not_relevant(self, rel: int) -> Ints:
        """Count the documents in the pool that were judged not relevant: [..., list]."""
        return np.asarray(self.counts[..., :rel].sum(axis=-1))

    def weigh(self, table: Floats) -> Floats:
        """Return the weight of each place [..., list, place], given those of ranks 1 to `depth`.

        Inside a tie every document gets the mean weight of the tie's ranks: for measures that
        add up weighted labels this is the mean over all orders.
        """
        if self.ties is None:
            return np.append(np.insert(table, 0, 0.0), 0.0)[self.ranks]
        first, last = self.ties
        total = np.concatenate([[0.0], np.cumsum(table), [0.0]])
        return np.asarray((total[last] - total[first - 1]) / (last - first + 1))

    def gains(self, table: Floats) -> Floats:
        """Return the gain of each place [..., list, place], given that of grades 0, 1, ...;
        documents without a label gain nothing."""
        gained = np.asarray(table[self.labels])
        return gained if table[0] == 0 else np.where(self.labelled, gained, 0.0)

    @property
    def labelled(self) -> Bools:
        """[..., list, place]: whether the document has a label; False in the padding."""
        return np.asarray(np.diff(self.judged, axis=-1, prepend=0) > 0)


def judge_lists(
    alignment: Alignment,
    labels: Int16s,
    top: int,
    *,
    condensed: bool = False,
    needs_nonrelevant: bool = False,
    p: Floats | None = None,
) -> Iterator[tuple[Ints, Judged]]:
    """Yield (cells, judged lists) until every cell of the alignment has been given once.

    labels: grades [..., document] over the pool; negative: pooled, not judged; `MISSING`: unjudged.
    top: the scale's largest grade. needs_nonrelevant: keep documents judged not relevant too.
    condensed: ranks count judged documents only, as if the others had not been retrieved.
    p: probabilities [..., document] of relevance, gathered beside the labels.
    """
    picked = _Picked(alignment, labels, top, needs_nonrelevant, p)
    copies = int(np.prod((labels if p is None else p).shape[:-1]))
    for cells, width in _blocks(picked.sizes, copies):
        yield cells, picked.lists(cells, width, condensed)


def _blocks(sizes: Ints, copies: int) -> Iterator[tuple[Ints, int]]:
    """Yield cells in blocks of similar size, which need little padding."""
    order = np.argsort(sizes, kind="stable")
    room = max(BUDGET // max(copies, 1), 1)
    stop = len(order)
    while stop > 0:
        width = max(int(sizes[order[stop - 1]]), 1)
        begin = max(stop - max(room // width, 1), 0)
        yield np.sort(order[begin:stop]), width
        stop = begin


class _Picked:
    """The places of an alignment that measures need, and what they need of the whole pool."""

    def __init__(
        self,
        alignment: Alignment,
        labels: Int16s,
        top: int,
        needs_nonrelevant: bool,
        p: Floats | None,
    ) -> None:
        self.alignment, self.labels, self.p = alignment, labels, p
        sums = alignment.pool.sum_by_topic
        self.counts = np.stack([sums(labels == grade) for grade in range(top + 1)], axis=-1)
        self.unjudged = sums((labels < 0) & (labels != MISSING))
        self.p_total = None if p is None else sums(p)
        single = labels.ndim == 1
        self.all_judged = bool((labels >= 0).all())
        self.judged = self.pooled = None
        if single and not self.all_judged:
            at = labels[alignment.document]
            self.judged, self.pooled = _running(at >= 0), _running(at != MISSING)
        if needs_nonrelevant or not single:
            where = np.arange(len(alignment.document))
            self.first, self.last = alignment.start, alignment.stop
        else:
            where = np.flatnonzero((labels > 0)[alignment.document])
            self.first = np.searchsorted(where, alignment.start)
            self.last = np.searchsorted(where, alignment.stop)
        self.where = np.append(where, 0)  # for padding, where there are no documents
        self.sizes = self.last - self.first

    def lists(self, cells: Ints, width: int, condensed: bool) -> Judged:
        a, block = self.alignment, _Block(self, cells, width)
        if self.all_judged:
            known = found = block.gathered(self.labels, np.int16(0))
        else:
            known = block.gathered(self.labels, MISSING)
            found = np.where(known > 0, known, np.int16(0))
        mask = block.padding if self.all_judged else known >= 0  # not needed then
        judged, judged_length = block.counted(mask, self.judged)
        pooled = judged
        if not self.all_judged:
            pooled, _ = block.counted(known != MISSING, self.pooled)
        length, ranks = np.maximum(a.length[cells], 0), block.ranks(a.rank)
        if condensed:
            out = block.padding if self.all_judged else block.padding | (known < 0)
            ranks = np.where(out, a.longest + 1, judged).astype(np.int32)
            length = judged_length
            pooled = judged  # what was pooled and not judged is left out too
        topic = cells % len(a.pool.topics)
        ties = None
        if a.tie_first is not None and a.tie_last is not None and not condensed:
            ties = block.ranks(a.tie_first), block.ranks(a.tie_last)
        return Judged(
            labels=found,
            ranks=ranks,
            judged=judged,
            pooled=pooled,
            length=length,
            judged_length=judged_length,
            counts=self.counts[..., topic, :],
            depth=a.longest,
            unjudged_pool=self.unjudged[..., topic],
            topic=topic,
            p=None if self.p is None else block.gathered(self.p, np.float64(0)),
            p_total=None if self.p_total is None else self.p_total[..., topic],
            unjudged_retrieved=a.unjudged_retrieved if a.others is not None else None,
            ties=ties,
            topics=a.pool.topics,
        )


class _Block:
    """Places [list, place] of some lists: their entries in the alignment, and the padding."""

    def __init__(self, picked: _Picked, cells: Ints, width: int) -> None:
        self.picked, self.cells, self.alignment = picked, cells, picked.alignment
        places = picked.first[cells, None] + np.arange(width)
        self.padding = places >= picked.last[cells, None]
        self.entry = picked.where[np.minimum(places, len(picked.where) - 1)]

    def gathered(self, values: NDArray[T], nothing: T) -> NDArray[T]:
        """Return values [..., list, place] from values [..., document]; `nothing` in padding."""
        if not len(self.alignment.document):
            return np.full((*values.shape[:-1], *self.entry.shape), nothing)
        found: NDArray[T] = values.take(self.alignment.document[self.entry], axis=-1)
        if self.padding.any():
            found[..., self.padding] = nothing
        return found

    def ranks(self, column: Int32s) -> Int32s:
        """Return a column of ranks of the alignment; padding lies beyond the longest list."""
        found = column[self.entry] if len(column) else 0
        return np.where(self.padding, self.alignment.longest + 1, found).astype(np.int32)

    def counted(self, mask: Bools, running: Int32s | None) -> tuple[Array, Array]:
        """Count such documents down to each place, and in the whole list."""
        start, stop = self.alignment.start[self.cells], self.alignment.stop[self.cells]
        if self.picked.all_judged:  # then a place's number in its list is the count
            upto, whole = self.entry + 1 - start[:, None], stop - start
        elif running is not None:
            upto = running[np.minimum(self.entry + 1, len(running) - 1)] - running[start][:, None]
            whole = running[stop] - running[start]
        else:
            upto = np.cumsum(mask, axis=-1, dtype=np.int32)
            return upto, upto[..., -1]
        return np.where(self.padding, whole[:, None], upto), whole


def _running(mask: Bools) -> Int32s:
    """Return the running count with a leading zero."""
    out = np.zeros(len(mask) + 1, dtype=np.int32)
    np.cumsum(mask, out=out[1:])
    return out


def many_lists(
    known: Int16s,
    pool: Sequence[int],
    top: int,
    p: Floats | None = None,
    p_total: float = 0.0,
) -> Judged:
    """Make judged lists from labels [list, rank] (`MISSING`: unjudged), all against one pool;
    perhaps with the probabilities `p` of the same documents and their sum over the pool."""
    lists, size = known.shape
    if not size:
        known = np.full((lists, 1), MISSING)
        p = None if p is None else np.zeros((lists, 1))
    first = 1 if size else 2  # padding lies beyond the longest list
    judged = np.cumsum(known >= 0, axis=-1, dtype=np.int32)
    grades = np.asarray(pool, dtype=np.int64)
    counts = np.bincount(grades[grades >= 0], minlength=top + 1).astype(np.int64)
    return Judged(
        labels=np.where(known > 0, known, np.int16(0)),
        ranks=np.broadcast_to(
            np.arange(first, first + known.shape[-1], dtype=np.int32), known.shape
        ),
        judged=judged,
        pooled=np.cumsum(known != MISSING, axis=-1, dtype=np.int32),
        length=np.full(lists, size, dtype=np.int32),
        judged_length=judged[:, -1],
        counts=np.broadcast_to(counts, (lists, top + 1)),
        depth=max(size, 1),
        unjudged_pool=np.full(lists, (grades < 0).sum(), dtype=np.int64),
        topic=np.zeros(lists, dtype=np.int64),
        p=p,
        p_total=None if p is None else np.full(lists, p_total),
    )
