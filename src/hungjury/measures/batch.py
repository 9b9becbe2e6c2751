"""Score thousands of label vectors at once: random judges, resampled panels, drawn labels.

Measures that declare a native kernel, or native sums, go through them; all others score themselves,
in blocks, which is slower. All give the same values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from hungjury import native
from hungjury.base.arrays import Floats, Int16s, Int32s, Ints, NDArray
from hungjury.base.errors import InputError
from hungjury.base.files import cores
from hungjury.data.alignment import Alignment
from hungjury.data.judged import Judged, judge_lists, many_lists
from hungjury.data.pool import Pool
from hungjury.data.qrels import MISSING
from hungjury.measures.base import Kernel, Sum, Sums, pools_of, reach
from hungjury.measures.catalogue import Measure, MeasureLike, measure

Labels = Int16s | NDArray[np.uint8]
T = TypeVar("T")

VECTORS_AT_ONCE = 512  # by one thread in a kernel
VALUES_AT_ONCE = 1 << 17  # of several topics, which share what is done for each block
PLACES_AT_ONCE = 1 << 18  # of all label vectors together, outside kernels
DOCUMENTS_AT_ONCE = 1 << 22
SHARES = 4  # of the tasks for each thread: few to hand out, enough for threads to end together


class Scorer:
    """A measure bound to aligned lists: label vectors [n, document] -> values [n, system, topic].

    Whatever does not depend on labels is computed once, for any number of calls.
    """

    def __init__(self, name: MeasureLike, alignment: Alignment, top: int) -> None:
        self.measure, self.alignment, self.top = measure(name), alignment, top
        self.measure.check(top)
        self.kernel = kernel_of(self.measure, alignment, top)

    @cached_property
    def _lists(self) -> tuple[Alignment, Int32s, Sums] | None:
        """The lists as native code takes them: the places that count, their documents within the
        topic, and sums over them; None: the measure scores itself."""
        kernel = self.kernel
        if kernel is not None:
            near, weight = weighted_places(self.alignment, kernel.weights)
            part = Sum(kernel.name, np.append(kernel.worth, 0.0), weight)
            sums = Sums((part,), lambda sums, pools: kernel.finish(sums[0], pools))
            return near, _within(near), sums
        if self.alignment.tie_first is not None:
            return None
        depth = self.measure.depth
        near = self.alignment if depth is None else self.alignment.upto(depth)
        cell, entry = places(near.start, near.stop)
        length = np.empty(len(near.rank))
        length[entry] = near.length[cell]
        found = self.measure.sums(near.rank.astype(float), length, self.top)
        return None if found is None else (near, _within(near), found)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without what does not depend on labels; other processes compute it again."""
        return Scorer, (self.measure, self.alignment, self.top)

    @property
    def native(self) -> bool:
        """True if native code scores this measure."""
        return self.kernel is not None or self._lists is not None

    def __call__(self, labels: Labels) -> Floats:
        return self._score(labels, None, None, filled=False)

    def filled(
        self, labels: Labels, out: Floats | None = None, counts: Ints | None = None
    ) -> Floats:
        """Score label vectors, with undefined values replaced by 0 or the worst value.

        out: the array to fill; one that is laid out as [system, topic, n] is filled fastest.
        counts: of grades in the pool of each list [n, system, topic, grade]; default: those of its
        topic's pool.
        """
        return self._score(labels, out, counts, filled=True)

    def _score(
        self, labels: Labels, out: Floats | None, counts: Ints | None, filled: bool
    ) -> Floats:
        given = self._checked(labels)
        score, undefined = (self.measure.filled, 0.0) if filled else (self.measure, np.nan)
        systems, topics = self.alignment.shape
        if out is None:
            out = np.empty((len(given), systems, topics))

        def some_topics(task: tuple[slice, slice]) -> None:
            vectors, some = task
            pools = None if counts is None else counts[vectors, :, some]
            values = self._score_topics(given[vectors], some, pools, undefined)
            out[vectors, :, some] = np.moveaxis(values, 2, 0)

        def all_topics(vectors: slice) -> None:
            others, block = self.measure.needs_nonrelevant, given[vectors].astype(np.int16)
            for cells, judged in judge_lists(
                self.alignment, block, self.top, needs_nonrelevant=others
            ):
                at = (vectors, cells // topics, cells % topics)
                pools = judged.counts if counts is None else counts[at]
                out[at] = score(replace(judged, counts=pools))

        if not self.native:
            on_all_cores(all_topics, self._blocks(given))
        else:
            steps = range(0, len(given), VECTORS_AT_ONCE)
            vectors = [slice(i, i + VECTORS_AT_ONCE) for i in steps]
            each = systems * min(len(given), VECTORS_AT_ONCE)
            step = max(VALUES_AT_ONCE // max(each, 1), 1)
            blocks = [slice(t, min(t + step, topics)) for t in range(0, topics, step)]
            on_all_cores(some_topics, [(some, block) for some in vectors for block in blocks])
        return out

    def _checked(self, labels: Labels) -> Labels:
        given = np.asarray(labels)
        documents = len(self.alignment.pool)
        if given.ndim != 2 or given.shape[1] != documents or given.dtype.kind not in "iu":
            said = f"the labels are {given.dtype} numbers in the shape {given.shape}"
            remedy = f"give whole grades as [vector, document], for {documents} documents"
            raise InputError(said, code="wrong-shape", remedy=remedy)
        if given.max(initial=0) > self.top:
            said = f"a label is {given.max()}, but the largest grade is {self.top}"
            raise InputError(said, code="outside-grades", remedy="give the largest grade as top")
        if given.dtype == np.uint8:
            return np.ascontiguousarray(given, dtype=np.uint8)
        return np.ascontiguousarray(given, dtype=np.int16)

    def _score_topics(
        self, labels: Labels, topics: slice, counts: Ints | None, undefined: float
    ) -> Floats:
        """Score some topics in native code: [system, topic, vector]."""
        assert self._lists is not None
        near, document, wanted = self._lists
        offsets, vectors = near.pool.offsets, len(labels)
        shape = (len(near.systems), topics.stop - topics.start, vectors)
        if counts is None:  # [topic, vector]
            own = offsets[topics.start : topics.stop + 1]
            found = native.grade_counts(labels, own, self.top + 1)
            pools = pools_of(found.reshape(-1, self.top + 1))
        else:  # a pool for each list: [topic, system, vector]
            pools = pools_of(counts.transpose(2, 1, 0, 3).reshape(-1, self.top + 1))
        sums = [
            native.score_lists(
                part.name,
                labels,
                part.worth,
                np.empty(0) if part.counted is None else part.counted,
                _levels(part, pools, shape[1]),
                offsets,
                topics.start,
                near.start.reshape(near.shape),
                near.stop.reshape(near.shape),
                document,
                part.weight,
            )
            for part in wanted.parts
        ]
        defined = self.measure.defined(pools)
        if counts is not None:
            by_topic = (one.reshape(shape).swapaxes(0, 1).ravel() for one in sums)
            values = wanted.finish([*by_topic], pools)
            values[~defined | np.isnan(values)] = undefined
            return values.reshape(shape[1], shape[0], vectors).swapaxes(0, 1)
        values = wanted.finish(sums, pools)
        values[:, ~defined | np.isnan(values[:1]).any(axis=0)] = undefined
        return values.reshape(shape)

    def _blocks(self, labels: Labels) -> list[slice]:
        """Split vectors into blocks small enough for all that a measure makes of their lists."""
        longest = int((self.alignment.stop - self.alignment.start).max(initial=1))
        room = min(PLACES_AT_ONCE // max(longest, 1), DOCUMENTS_AT_ONCE // max(labels.shape[1], 1))
        step = max(room, 1)
        return [slice(i, i + step) for i in range(0, len(labels), step)]


def on_all_cores(work: Callable[[T], None], tasks: list[T]) -> None:
    """Run tasks in threads; each writes its own part of the result, in any order."""
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    def several(mine: list[T]) -> None:
        for task in mine:
            work(task)

    threads = min(cores(), len(tasks))
    if threads <= 1:
        several(tasks)
        return
    shares = min(SHARES * threads, len(tasks))
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(several, [tasks[i::shares] for i in range(shares)]))


def _within(near: Alignment) -> Int32s:
    """Return the number of each place's document within its topic."""
    pool = near.pool
    return (near.document - pool.offsets[pool.topic_of[near.document]]).astype(np.int32)


def places(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Return the list and the entry of every place of lists with these entries."""
    sizes = stop - start
    row = np.repeat(np.arange(len(sizes)), sizes)
    return row, np.arange(len(row)) + (start - np.cumsum(sizes) + sizes)[row]


def weighted_places(alignment: Alignment, weights: Floats) -> tuple[Alignment, Floats]:
    """Cut lists below the last rank that weighs something, and weigh each place.

    Inside a tie a place has the mean weight of the tie's ranks.
    """
    near = alignment.upto(reach(weights))
    if near.tie_first is None or near.tie_last is None:
        return near, weights[near.rank - 1]
    first, last = near.tie_first, near.tie_last
    upto = np.concatenate([[0.0], np.cumsum(weights)])
    return near, np.asarray((upto[last] - upto[first - 1]) / (last - first + 1))


def _levels(part: Sum, pools: Judged, topics: int) -> Floats:
    """Return [topic, level, pool]: of vectors, or of each list and vector."""
    number = len(pools.length)
    each = [np.broadcast_to(level, number) for level in part.levels(pools)]
    levels = np.array(each, dtype=float).reshape(-1, topics, number // max(topics, 1))
    return np.ascontiguousarray(levels.swapaxes(0, 1))


def kernel_of(one: Measure, alignment: Alignment, top: int) -> Kernel | None:
    """Return the kernel of this measure; None where it has to score itself."""
    kernel = one.kernel(np.arange(1.0, alignment.longest + 1), top)
    if kernel is None or alignment.tie_first is None:
        return kernel
    # Of a plain sum, the mean over ties needs only the mean weight inside each.
    return kernel if one.averages_ties and kernel.name == "gains" else None


def range_of(measure: Measure, pool: Pool, labels: Int16s, top: int) -> float:
    """The unit of panel errors: the measure's range.

    For an unbounded measure it is the largest score that an order of the pool can have by these
    labels, averaged over topics: the mean ideal score, and where smaller scores are better the
    mean of the worst ones. If all labels are the same and that is 0, every other document is taken
    as relevant. Measures that are added up over topics have the sum.
    """
    each = len(pool.topics) if measure.average == "sum" else 1
    if np.isfinite(measure.high) and np.isfinite(measure.low):
        return (measure.high - measure.low) * each
    largest = _largest_mean(measure, pool, labels, top)
    if not largest:
        mixed = np.where(np.arange(len(pool)) % 2, 0, 1).astype(np.int16)
        largest = _largest_mean(measure, pool, mixed, max(top, 1))
    return (largest or 1.0) * each


def _largest_mean(measure: Measure, pool: Pool, labels: Int16s, top: int) -> float:
    """Of the scores of the pools in order of their labels, ascending or descending."""
    largest = []
    for topic in range(len(pool.topics)):
        known = np.sort(labels[pool.slice(topic)])
        orders = many_lists(np.stack([known, known[::-1]]), known[known != MISSING].tolist(), top)
        named = replace(orders, topics=pool.topics, topic=np.full(2, topic))
        largest.append(measure.filled(named).max())
    return float(np.mean(largest))
