"""The effect of one document's label on every system's mean score, for any measure.

Most kernels are linear in the worth of a document, so its effect on a system has two parts:
what it adds if the system's list contains it, and what the pool as a whole changes with it, such as
an ideal list. The first is 0 except at the few places of a list that count, the second is a product
of two small tables. Products of two systems, summed over documents, follow from these.

A document is given each grade in turn while all other labels stay as they were drawn. Most kernels
are linear in the worth of any single document, so its effect follows from one walk through
the lists. For all other measures label vectors are scored that change one document each; topics do
not affect each other, so one vector changes a document of every topic at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Int16s, Int32s, Ints
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.pool import Pool
from hungjury.leaderboard.effect_products import Products, sums_by_topic
from hungjury.measures.base import Kernel, pools_of
from hungjury.measures.batch import Scorer, places, weighted_places
from hungjury.measures.scores import averaged

LINEAR = ("gains", "precisions", "cascade")  # kernels that are linear in a document's worth


class Lists(Record, eq=False):
    """The lists of topics that follow each other: all places, one list after the other."""

    kernel: Kernel
    shape: tuple[int, int]  # systems and topics
    end: Ints  # [list + 1]: of its places; list: system * topics + topic
    system: Ints  # [place]
    document: Int32s  # [place], counted from the first of the topics
    weight: Floats  # [place]
    topic: Ints  # [document]

    @staticmethod
    def of(alignment: Alignment, weight: Floats, kernel: Kernel, topics: slice) -> Lists:
        shape = (len(alignment.systems), topics.stop - topics.start)
        start, stop = (
            one.reshape(alignment.shape)[:, topics].ravel()
            for one in (alignment.start, alignment.stop)
        )
        row, entry = places(start, stop)
        offsets = alignment.pool.offsets[topics.start : topics.stop + 1]
        return Lists(
            kernel=kernel,
            shape=shape,
            end=np.concatenate([[0], np.cumsum(stop - start)]),
            system=row // shape[1],
            document=(alignment.document[entry] - offsets[0]).astype(np.int32),
            weight=weight[entry],
            topic=np.repeat(np.arange(shape[1]), np.diff(offsets)),
        )

    def by_document(self, value: Floats) -> Floats:
        """[system, document] from [place]; 0 for documents that a list does not contain."""
        out = np.zeros((self.shape[0], len(self.topic)))
        out[self.system, self.document] = value
        return out

    def walk(self, worth: Floats) -> tuple[Floats, Floats]:
        """Sums [draw, system, topic] for the worth of the documents [draw, document], and what one
        more worth of the document at a place adds to them [draw, place]; one draw where that is the
        same for all."""
        sums, slopes = native.walk_lists(
            self.kernel.name, worth, self.end, self.document, self.weight
        )
        return sums.reshape(len(worth), *self.shape), slopes


ROUNDING = 1e-12  # smaller variances, beside the squares they are differences of, are 0
SPARSE = 0.25  # share of documents in the places of a list up to which sparse products are faster
EFFECTS_AT_ONCE = 1 << 19  # of all systems, documents and grades


class TabledEffects(Record, eq=False):
    """Effects [system, document, grade] of a measure that has no linear kernel."""

    values: Floats

    def table(self) -> Floats:
        """The effects as one array."""
        return self.values

    def summed(self, share: Floats) -> Floats:
        """[system]: the effects times shares [document, grade], added up."""
        return np.asarray(np.tensordot(self.values, share, axes=2))

    def spread(self, grade: int) -> Floats:
        """[document]: standard deviation over systems of the effects of one of the grades; the size
        of the effect if there is one system."""
        mine = self.values[:, :, grade]
        return np.asarray(mine.std(axis=0, ddof=1) if len(mine) > 1 else np.abs(mine[0]))

    @property
    def size(self) -> int:
        """Count the numbers."""
        return self.values.size

    def of(self, which: Ints) -> TabledEffects:
        """The effects of some of the documents."""
        return TabledEffects(self.values[:, which])

    def turned(self, turn: Floats) -> TabledEffects:
        """[system, document, part]: with parts in place of grades, by `turn` [document, grade,
        part]."""
        return TabledEffects(np.einsum("sdg,dgp->sdp", self.values, turn))

    def add_to(self, products: Products, documents: slice) -> None:
        """Add the products of these effects, which are those of some documents of the pool."""
        products.add_table(documents, self.values)


class LinearEffects(Record, eq=False):
    """The same as bases @ rate, plus slope * pull if a list contains the document."""

    topic: Ints  # [document], ascending
    bases: Floats  # [topic, system, draw]
    rate: Floats  # [draw, document, grade]
    pull: Floats  # [draw, document, grade], with as many draws as there are slopes
    slopes: Floats  # [draw, place]; one draw where they are all the same
    system: Ints  # [place], of the places that show one of the documents
    document: Ints  # [place]

    def table(self) -> Floats:
        draws, documents, grades = self.rate.shape
        out = np.empty((self.bases.shape[1], documents, grades))
        ends = np.searchsorted(self.topic, np.arange(len(self.bases) + 1))
        for bases, first, last in zip(self.bases, ends, ends[1:], strict=False):
            rate = self.rate[:, first:last].reshape(draws, -1)
            out[:, first:last] = (bases @ rate).reshape(len(bases), -1, grades)
        out[self.system, self.document] += self.own(self.pull)
        return out

    def summed(self, share: Floats) -> Floats:
        one = self.turned(share[:, :, None])
        rate = sums_by_topic(one.rate[:, :, 0].T, self.topic, len(self.bases))
        pool = np.einsum("tsk,tk->s", self.bases, rate)
        own = one.own(one.pull)[:, 0]
        return np.asarray(pool + np.bincount(self.system, own, len(pool)))

    def own(self, pull: Floats) -> Floats:
        """[place, part]: slope * pull [draw, document, part]."""
        parts = zip(self.slopes, pull, strict=True)
        return np.asarray(sum(s[:, None] * p.take(self.document, 0) for s, p in parts))

    def spread(self, grade: int) -> Floats:
        systems = self.bases.shape[1]
        if systems == 1 or not self.sparse:
            return TabledEffects(self.table()).spread(grade)
        own = self.own(self.pull[:, :, grade : grade + 1])[:, 0]
        apart, rate = self.bases - self.bases.mean(axis=1, keepdims=True), self.rate[:, :, grade]
        # the effects of the pool, around their mean over systems
        around = apart[self.topic[self.document], self.system]
        shared = np.einsum("nk,kn->n", around, rate[:, self.document])

        def summed(value: Floats) -> Floats:
            return np.bincount(self.document, value, len(self.topic)).astype(float)

        pool = np.einsum("kd,dkl,ld->d", rate, (apart.transpose(0, 2, 1) @ apart)[self.topic], rate)
        square = pool + summed(own * (own + 2 * shared)) - summed(own) ** 2 / systems
        square[square < ROUNDING * (pool + summed(own**2))] = 0
        return np.asarray(np.sqrt(square / (systems - 1)))

    @property
    def sparse(self) -> bool:
        """True if lists show few of the documents in the places that count."""
        return bool(len(self.system) <= SPARSE * self.bases.shape[1] * len(self.topic))

    @property
    def size(self) -> int:
        return sum(one.size for one in vars(self).values())

    def of(self, which: Ints) -> LinearEffects:
        shown, document = _showing(self.document, which, len(self.topic))
        return LinearEffects(
            self.topic[which], self.bases, self.rate[:, which], self.pull[:, which],
            self.slopes.take(shown, axis=1), self.system.take(shown), document,
        )  # fmt: skip

    def turned(self, turn: Floats) -> LinearEffects:
        rate, pull = (np.einsum("kdg,dgp->kdp", one, turn) for one in (self.rate, self.pull))
        return replace(self, rate=rate, pull=pull)

    def add_to(self, products: Products, documents: slice) -> None:
        if self.sparse:
            value = self.own(self.pull)
            products.add_linear(
                documents, self.system, self.document, value, self.topic, self.bases, self.rate
            )
        else:
            products.add_table(documents, self.table())


def _showing(document: Int32s | Ints, which: Ints, documents: int) -> tuple[Ints, Ints]:
    """The places that show some of the documents, and which of them each shows."""
    place = np.full(documents, -1)
    place[which] = np.arange(len(which))
    at = place.take(document)
    shown = np.flatnonzero(at >= 0)
    return shown, at.take(shown)


Effects = TabledEffects | LinearEffects


Labels = Int16s
MOST_KEPT = 1 << 22  # numbers of a pool's effects
NUMBERS_AT_ONCE = 1 << 22  # labels, or scores, held for one block of label vectors


def scores_under(scorer: Scorer, labels: Labels) -> Floats:
    """Values [draw, system, topic] as they are averaged over topics; undefined ones are filled."""
    return averaged(scorer.filled(labels), scorer.measure.average)


def effects_in_parts(
    scorer: Scorer, labels: Labels, grades: tuple[int, ...], documents: Ints | None = None
) -> Iterator[tuple[slice, Effects]]:
    """Change of every system's mean when a document moves from the first grade to each grade, for a
    few topics at a time: which of `documents`, and their effects.

    Measures without a linear kernel have all in one part.

    Parameters
    ----------
    scorer
        The measure, bound to aligned runs.
    labels
        Draws [draw, document of the pool] of all labels; effects are averaged over draws.
    grades
        Grades that a document is given in turn; effects of the first are zero.
    documents
        Positions in the pool, ascending; default: all of it.
    """
    pool, kernel = scorer.alignment.pool, linear_kernel(scorer)
    documents = np.arange(len(pool)) if documents is None else documents
    each = len(labels) * len(pool.topics)
    if kernel is None:
        total = _by_scoring(scorer, labels, grades, documents)
        yield slice(0, len(documents)), TabledEffects((total - total[:, :, :1]) / each)
        return
    near, now = weighted_places(scorer.alignment, kernel.weights), np.maximum(labels, -1)
    for topics, mine in _blocks(
        pool, documents, _at_once(scorer, near[0], len(labels), len(grades))
    ):
        lists = Lists.of(*near, kernel, topics)
        part = pool.offsets[topics.start], pool.offsets[topics.stop]
        at, drawn = documents[mine] - part[0], now[:, slice(*part)]
        place, rates = _rates(scorer, kernel, now, grades, topics)
        rate = rates[lists.topic[at], np.arange(len(now))[:, None], place[drawn[:, at] + 1]]
        yield mine, _by_kernel(scorer, lists, drawn, rate, grades, at, each)


def _at_once(scorer: Scorer, near: Alignment, draws: int, grades: int) -> int:
    """Return how many topics to work on at once: tables of all systems fit into the cache, or into
    memory where lists show few of the documents."""
    largest = int(np.diff(near.pool.offsets).max(initial=1))
    longest = int((near.stop - near.start).max(initial=1))
    numbers = max(len(near.systems) * min(largest, 4 * longest), draws * (scorer.top + 2) ** 2)
    return max(EFFECTS_AT_ONCE // max(numbers * grades, 1), 1)


def _blocks(pool: Pool, documents: Ints, step: int) -> Iterator[tuple[slice, slice]]:
    """A few topics after the other, and which of the documents are theirs; only those with some."""
    for first in range(0, len(pool.topics), step):
        topics = slice(first, min(first + step, len(pool.topics)))
        ends = np.searchsorted(documents, pool.offsets[[topics.start, topics.stop]])
        if ends[0] < ends[1]:
            yield topics, slice(int(ends[0]), int(ends[1]))


class PoolEffects(Record, eq=False):
    """The same for documents of a pool that are asked for several times: effects of the whole pool
    are kept, unless they are many."""

    scorer: Scorer
    labels: Labels
    grades: tuple[int, ...]

    def parts(self, documents: Ints | None = None) -> Iterator[tuple[slice, Effects]]:
        """Effects of some documents, or of all of them; see `effects_in_parts`."""
        if documents is None:
            yield from self._kept or self._whole()
        elif not self._kept:
            yield from effects_in_parts(self.scorer, self.labels, self.grades, documents)
        else:
            for part, effects in self._kept:
                first, last = np.searchsorted(documents, (part.start, part.stop))
                if first < last:
                    yield slice(first, last), effects.of(documents[first:last] - part.start)

    def _whole(self) -> Iterator[tuple[slice, Effects]]:
        found: list[tuple[slice, Effects]] = []
        left = MOST_KEPT
        for part in effects_in_parts(self.scorer, self.labels, self.grades):
            left -= part[1].size
            if left >= 0:
                found.append(part)
            else:
                found.clear()
            yield part
        self._kept.extend(found)

    @cached_property
    def _kept(self) -> list[tuple[slice, Effects]]:
        return []


def _topics_of(pool: Pool, documents: Ints) -> Iterator[tuple[int, slice]]:
    """The topics of some documents, ascending positions in the pool, and which of them are its."""
    ends = np.searchsorted(documents, pool.offsets)
    for topic in map(int, np.flatnonzero(np.diff(ends))):
        yield topic, slice(int(ends[topic]), int(ends[topic + 1]))


def _by_kernel(
    scorer: Scorer,
    lists: Lists,
    now: Labels,
    rate: Floats,
    grades: tuple[int, ...],
    at: Ints,
    each: int,
) -> Effects:
    """Sums over draws of changes of the scores of some topics, by `each`.

    A score is (base + slope * change of the document's worth) / unit, with the unit of the pool
    that has the document at this grade; `rate` [draw, document, grade] is 1 / unit.
    """
    worth = np.append(lists.kernel.worth, 0.0)  # -1, not judged, is worth nothing
    sums, slopes = lists.walk(worth[now])
    change = worth[list(grades)] - worth[now[:, at]][:, :, None]
    topic = lists.topic[at]
    if scorer.measure.average == "gmean":
        out = np.zeros((lists.shape[0], len(at), len(grades)))
        for k, slope in enumerate(np.broadcast_to(slopes, (len(now), slopes.shape[1]))):
            moved = lists.by_document(slope)[:, at, None] * change[k]
            whole = sums[k][:, topic, None] + moved
            out += averaged(whole * rate[k], scorer.measure.average)
        return TabledEffects((out - out[:, :, :1]) / each)
    pull = change * rate
    pull = (pull - pull[:, :, :1]) / each
    rate = (rate - rate[:, :, :1]) / each
    if len(slopes) == 1:  # the same for all draws
        pull = pull.sum(axis=0, keepdims=True)
    shown, document = _showing(lists.document, at, len(lists.topic))
    return LinearEffects(
        topic, sums.transpose(2, 1, 0), rate, pull, slopes.take(shown, axis=1),
        lists.system.take(shown), document,
    )  # fmt: skip


def _rates(
    scorer: Scorer, kernel: Kernel, now: Labels, grades: tuple[int, ...], topics: slice
) -> tuple[Ints, Floats]:
    """[topic, draw, old label, grade]: 1 / unit of a topic's pool after a document has moved from a
    label to a grade; 0 where undefined. Before it, the place of each label, from -1, among the old
    ones: those that occur."""
    offsets = scorer.alignment.pool.offsets[topics.start : topics.stop + 1]
    scale = np.arange(scorer.top + 1)
    mine = now[:, offsets[0] : offsets[-1]]
    known = np.bincount(mine.ravel() + 1, minlength=len(scale) + 1) > 0
    old = np.flatnonzero(known) - 1
    counts = native.grade_counts(np.ascontiguousarray(now, dtype=np.int16), offsets, len(scale))
    before = counts.reshape(len(offsets) - 1, len(now), 1, 1, len(scale))
    new = np.array(grades)[:, None] == scale  # [grade, scale]
    changed = np.maximum(before - (old[:, None, None] == scale), 0) + new
    pools = pools_of(changed.reshape(-1, len(scale)))
    rate = kernel.finish(np.ones(changed[..., 0].size), pools)
    rate = np.where(scorer.measure.defined(pools), np.nan_to_num(rate), 0.0)
    return np.cumsum(known) - 1, rate.reshape(changed.shape[:-1])


def contributions(
    scorer: Scorer, labels: Labels, weights: Floats, documents: Ints
) -> Iterator[tuple[int, slice, Floats]]:
    """Contributions of documents to the scores of their topic: the score minus the score without.

    Without a document means: as if it were not relevant where the list has it. The pool,
    and with it an ideal list, stays as it is, except for measures without a linear kernel.

    Parameters
    ----------
    scorer
        The measure, bound to aligned runs.
    labels
        Label sets [set, document of the pool].
    weights
        The weight of each set on each topic [set, topic]; these sum to 1.
    documents
        Positions in the pool, ascending.

    Yields
    ------
    topic : int
    documents : slice
        Those of the topic.
    contributions : array [system, document of the topic]
        For a sum of gains, the contributions of all documents add up to the score.
    """
    pool, kernel = scorer.alignment.pool, linear_kernel(scorer)
    if kernel is None:
        total = _losses_by_scoring(scorer, labels, weights, documents)
        yield from ((topic, mine, total[:, mine]) for topic, mine in _topics_of(pool, documents))
        return
    near = weighted_places(scorer.alignment, kernel.weights)
    for topic, mine in _topics_of(pool, documents):
        part, lists = pool.slice(topic), Lists.of(*near, kernel, slice(topic, topic + 1))
        lost = _losses_by_kernel(scorer, lists, labels[:, part], weights[:, topic])
        yield topic, mine, lost[:, documents[mine] - part.start]


def linear_kernel(scorer: Scorer) -> Kernel | None:
    """The kernel, if effects of documents follow from one pass through the lists."""
    kernel = scorer.kernel
    return kernel if kernel is not None and kernel.name in LINEAR else None


def _losses_by_kernel(scorer: Scorer, lists: Lists, labels: Labels, weights: Floats) -> Floats:
    """[system, document of the topic]; labels: [set, document of the topic]; weights: [set]"""
    worth, scale = np.append(lists.kernel.worth, 0.0), np.arange(scorer.top + 1)
    total = np.zeros((lists.shape[0], len(lists.topic)))
    for drawn, weight in zip(labels, weights, strict=True):
        now = worth[np.maximum(drawn, -1)]
        pools = pools_of((drawn[:, None] == scale).sum(axis=0)[None])
        if scorer.measure.defined(pools)[0]:
            lost = lists.by_document(lists.walk(now[None])[1][0]) * (now - worth[0])
            total += weight * np.nan_to_num(lists.kernel.finish(lost, pools))
    return total


def _losses_by_scoring(scorer: Scorer, labels: Labels, weights: Floats, documents: Ints) -> Floats:
    topic = scorer.alignment.pool.topic_of[documents]
    total = np.zeros((len(scorer.alignment.systems), len(documents)))
    for one, weight in zip(labels, weights, strict=True):
        without = _by_scoring(scorer, one[None], (0,), documents)[:, :, 0]
        total += weight[topic] * (scores_under(scorer, one[None])[0][:, topic] - without)
    return total


def _by_scoring(scorer: Scorer, labels: Labels, grades: tuple[int, ...], documents: Ints) -> Floats:
    """The same by scoring a label vector for every document and grade.

    Documents of a topic that no list shows within the measure's cutoff can only matter through the
    pool as a whole. One of them is changed in place of all.
    """
    alignment = scorer.alignment
    systems, topics = alignment.shape
    first = alignment.rank if alignment.tie_first is None else alignment.tie_first
    shown = np.zeros(len(alignment.pool), dtype=bool)
    shown[alignment.document[first <= (scorer.measure.depth or np.inf)]] = True
    changed, slot, topic, copy = _slots(alignment.pool, documents, shown)
    total = np.zeros((systems, len(changed), len(grades)))
    step = max(NUMBERS_AT_ONCE // (len(grades) * max(labels.shape[1], systems * topics)), 1)
    for start in range(0, int(slot.max(initial=-1)) + 1, step):
        mine = np.flatnonzero((slot >= start) & (slot < start + step))
        row, at = slot[mine] - start, topic[mine]
        for drawn in labels:
            given = np.repeat(drawn[None], len(grades) * (int(row.max()) + 1), axis=0)
            for g, grade in enumerate(grades):
                given[row * len(grades) + g, changed[mine]] = grade
            values = scores_under(scorer, given)
            for g in range(len(grades)):
                total[:, mine, g] += values[row * len(grades) + g, :, at].T
    return total[:, copy]


def _slots(pool: Pool, documents: Ints, shown: Bools) -> tuple[Ints, Ints, Ints, Ints]:
    """The documents to change, their numbers within their topics and their topics, and for each of
    `documents` the position of its stand-in."""
    # All documents of a topic that are not shown share one key.
    key = np.where(shown[documents], documents, len(pool) + pool.topic_of[documents])
    _, first, copy = np.unique(key, return_index=True, return_inverse=True)
    changed = documents[first]
    topic = pool.topic_of[changed].astype(np.int64)
    order = np.argsort(topic, kind="stable")
    slot = np.empty(len(changed), dtype=np.int64)
    slot[order] = np.arange(len(order)) - np.searchsorted(topic[order], topic[order])
    return changed, slot, topic, copy.ravel()
