"""What the label of one document does to every system's mean score, for any measure.

A document is given each grade in turn while all other labels stay as they were drawn. Most kernels
are linear in the worth of any single document, so that its effect follows from one walk through
the lists. For all other measures label vectors are scored that change one document each; topics do
not affect each other, so one vector changes a document of every topic at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer, place_weights, pools_of
from hungjury.catalogue import Measure
from hungjury.collection.align import Alignment
from hungjury.collection.pool import Pool
from hungjury.scores import GMEAN_FLOOR

__all__ = ["contributions", "effects", "is_linear", "scores_under"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.int16]
NUMBERS_AT_ONCE = 1 << 22  # labels, or scores, held for one block of label vectors


def scores_under(scorer: Scorer, labels: Labels) -> Floats:
    """Values [draw, system, topic] as they are averaged over topics; undefined ones are filled."""
    return averaged(scorer.measure, scorer.filled(labels))


def averaged(measure: Measure, values: Floats) -> Floats:
    """Scores as they are averaged over topics: logarithms for a geometric mean."""
    return np.log(np.maximum(values, GMEAN_FLOOR)) if measure.average == "gmean" else values


def effects(
    scorer: Scorer,
    labels: Labels,
    grades: tuple[int, ...],
    documents: Ints,
    in_lists: bool = False,
) -> Floats:
    """Change of every system's mean when a document moves from the first grade to each grade.

    Parameters
    ----------
    scorer
        The measure, bound to aligned runs.
    labels
        Draws [draw, document of the pool] of all labels; effects are averaged over draws.
    grades
        Grades that a document is given in turn.
    documents
        Positions in the pool, ascending.
    in_lists
        Only what documents do in the lists that hold them, not what they do to the pool, such as
        its ideal list. Measures without a kernel do not tell these apart.

    Returns
    -------
    array [system, document, grade]
        Zero for the first grade.
    """
    if is_linear(scorer):
        total = _by_kernel(scorer, labels, grades, documents, in_lists)
    else:
        total = _by_scoring(scorer, labels, grades, documents)
    total -= total[:, :, :1].copy()
    return np.asarray(total / (len(labels) * len(scorer.alignment.pool.topics)))


def _by_kernel(
    scorer: Scorer, labels: Labels, grades: tuple[int, ...], documents: Ints, in_lists: bool
) -> Floats:
    """Sums [system, document, grade] over draws of the scores of the document's topic."""
    alignment, kernel = scorer.alignment, scorer.kernel
    assert kernel is not None
    total = np.zeros((len(alignment.systems), len(documents), len(grades)))
    ends = np.searchsorted(documents, alignment.pool.offsets)
    weight = place_weights(alignment, kernel.weights)
    worth = np.append(kernel.worth, 0.0)  # -1, not judged, is worth nothing
    scale = np.arange(scorer.top + 1)
    for topic in np.flatnonzero(np.diff(ends)):
        mine = slice(int(ends[topic]), int(ends[topic + 1]))
        part = alignment.pool.slice(int(topic))
        lists = _Lists.of(alignment, weight, int(topic))
        at = documents[mine] - part.start
        for drawn in labels[:, part]:
            now = np.maximum(drawn, -1)
            base, slope = LINEAR[kernel.name](lists, worth[now])
            without = base[:, None] - slope[:, at] * worth[now[at]]
            counts, own = (now[:, None] == scale).sum(axis=0), now[at][:, None] == scale
            for g, grade in enumerate(grades):
                changed = own * 0 if in_lists else (scale == grade) - own.astype(np.int64)
                pools = pools_of(counts + changed)
                sums = without + slope[:, at] * worth[grade]
                values = np.where(scorer.measure.defined(pools), kernel.finish(sums, pools), 0.0)
                total[:, mine, g] += averaged(scorer.measure, np.nan_to_num(values))
    return total


def contributions(
    scorer: Scorer, labels: Labels, weights: Floats, documents: Ints
) -> Iterator[tuple[int, Floats]]:
    """What documents add to the scores of their topic: the score minus the score without them.

    Without a document means: as if nobody had found it relevant where the list has it. The pool,
    and with it an ideal list, stays as it is, except for measures without a linear kernel.

    Parameters
    ----------
    scorer
        The measure, bound to aligned runs.
    labels
        Label sets [set, document of the pool].
    weights
        What each set counts on each topic [set, topic]; they sum to 1.
    documents
        Positions in the pool, ascending.

    Yields
    ------
    topic : int
    contributions : array [system, document of the topic]
        In a sum of gains those of all documents add up to the score.
    """
    linear = is_linear(scorer)
    pool = scorer.alignment.pool
    ends = np.searchsorted(documents, pool.offsets)
    total = None if linear else _losses_by_scoring(scorer, labels, weights, documents)
    for topic in map(int, np.flatnonzero(np.diff(ends))):
        mine = slice(int(ends[topic]), int(ends[topic + 1]))
        if total is not None:
            yield topic, total[:, mine]
            continue
        at = documents[mine] - pool.offsets[topic]
        yield topic, _losses_by_kernel(scorer, labels, weights[:, topic], topic, at)


def is_linear(scorer: Scorer) -> bool:
    """Do effects of documents follow from one walk through the lists?"""
    return scorer.kernel is not None and scorer.kernel.name in LINEAR


def _losses_by_kernel(
    scorer: Scorer, labels: Labels, weights: Floats, topic: int, at: Ints
) -> Floats:
    alignment, kernel = scorer.alignment, scorer.kernel
    assert kernel is not None
    lists = _Lists.of(alignment, place_weights(alignment, kernel.weights), topic)
    worth = np.append(kernel.worth, 0.0)
    scale = np.arange(scorer.top + 1)
    total = np.zeros((len(alignment.systems), len(at)))
    for drawn, weight in zip(labels[:, alignment.pool.slice(topic)], weights, strict=True):
        now = np.maximum(drawn, -1)
        pools = pools_of((now[:, None] == scale).sum(axis=0)[None])
        if not scorer.measure.defined(pools)[0]:
            continue
        base, slope = LINEAR[kernel.name](lists, worth[now])
        lost = slope[:, at] * (worth[now] - worth[0])[at]
        values = kernel.finish(base[:, None], pools) - kernel.finish(base[:, None] - lost, pools)
        total += weight * np.nan_to_num(values)
    return total


def _losses_by_scoring(scorer: Scorer, labels: Labels, weights: Floats, documents: Ints) -> Floats:
    topic = scorer.alignment.pool.topic_of[documents]
    total = np.zeros((len(scorer.alignment.systems), len(documents)))
    for one, weight in zip(labels, weights, strict=True):
        without = _by_scoring(scorer, one[None], (0,), documents)[:, :, 0]
        total += weight[topic] * (scores_under(scorer, one[None])[0][:, topic] - without)
    return total


@dataclass(frozen=True, eq=False)
class _Lists:
    """The lists of one topic as a table [system, place]."""

    document: Ints  # within the topic; one more than there are in the padding
    weight: Floats  # 0 in the padding
    documents: int

    @staticmethod
    def of(alignment: Alignment, weight: Floats, topic: int) -> _Lists:
        topics, part = len(alignment.pool.topics), alignment.pool.slice(topic)
        start, stop = alignment.start[topic::topics], alignment.stop[topic::topics]
        place = start[:, None] + np.arange(max(int((stop - start).max(initial=0)), 1))
        padding = place >= stop[:, None]
        place = np.minimum(place, max(len(weight) - 1, 0))
        size = part.stop - part.start
        weights = np.where(padding, 0.0, weight[place]) if len(weight) else np.zeros(place.shape)
        used = weights.any(axis=0)
        last = int(np.flatnonzero(used)[-1]) + 1 if used.any() else 1
        known = alignment.document[place[:, :last]] if len(weight) else place[:, :last]
        document = np.where(padding[:, :last], size, known - part.start)
        return _Lists(document.astype(np.int64), weights[:, :last], size)

    def by_document(self, value: Floats) -> Floats:
        """[system, document] from [system, place]; 0 for documents that a list does not hold."""
        out = np.zeros((len(value), self.documents + 1))
        np.put_along_axis(out, self.document, value, axis=1)
        return out[:, :-1]

    def at_places(self, value: Floats) -> Floats:
        """[system, place] from [document]."""
        return np.append(value, 0.0)[self.document]


def _gains(lists: _Lists, worth: Floats) -> tuple[Floats, Floats]:
    """Sums [system], and what one more worth of a document [system, document] adds to them."""
    slope = lists.by_document(lists.weight)
    return slope @ worth, slope


def _precisions(lists: _Lists, worth: Floats) -> tuple[Floats, Floats]:
    here = lists.at_places(worth)
    before = np.cumsum(here, axis=1) - here
    each = lists.weight * here
    below = each.sum(axis=1, keepdims=True) - np.cumsum(each, axis=1)
    return (each * (1 + before)).sum(axis=1), lists.by_document(lists.weight * (1 + before) + below)


def _cascade(lists: _Lists, worth: Floats) -> tuple[Floats, Floats]:
    here = lists.at_places(worth)
    left = np.cumprod(1 - here, axis=1)
    reached = left / (1 - here)
    each = lists.weight * here * reached
    below = each.sum(axis=1, keepdims=True) - np.cumsum(each, axis=1)
    slope = lists.weight * reached - below / (1 - here)
    return each.sum(axis=1), lists.by_document(slope)


LINEAR = {"gains": _gains, "precisions": _precisions, "cascade": _cascade}


def _by_scoring(scorer: Scorer, labels: Labels, grades: tuple[int, ...], documents: Ints) -> Floats:
    """The same by scoring a label vector for every document and grade.

    Documents of a topic that no list shows within the measure's cutoff can only matter through the
    pool as a whole. One of them is changed in place of all.
    """
    alignment = scorer.alignment
    systems, topics = alignment.shape
    shown = np.zeros(len(alignment.pool), dtype=bool)
    shown[_shown(alignment, getattr(scorer.measure, "cutoff", None))] = True
    changed, copy = _changed(alignment.pool, documents, shown)
    slot, topic = _slots(alignment.pool, changed)
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


def _shown(alignment: Alignment, cutoff: Any) -> NDArray[np.int32]:
    """Documents in the ranks that the measure looks at."""
    first = alignment.rank if alignment.tie_first is None else alignment.tie_first
    return (
        alignment.document if not isinstance(cutoff, int) else alignment.document[first <= cutoff]
    )


def _changed(pool: Pool, documents: Ints, shown: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """The documents to change, and for each of `documents` the position of its stand-in."""
    topic = pool.topic_of[documents].astype(np.int64)
    # Sorted by topic; all documents that are not shown share one key.
    key = np.where(shown[documents], documents, len(pool) + topic)
    _, first, copy = np.unique(key, return_index=True, return_inverse=True)
    return documents[first], copy.ravel()


def _slots(pool: Pool, documents: Ints) -> tuple[Ints, Ints]:
    """[document]: its number within its topic, and its topic."""
    topic = pool.topic_of[documents].astype(np.int64)
    order = np.argsort(topic, kind="stable")
    ordered = topic[order]
    slot = np.empty(len(documents), dtype=np.int64)
    slot[order] = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    return slot, topic
