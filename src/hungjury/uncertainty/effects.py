"""The effect of one document's label on every system's mean score, for any measure.

A document is given each grade in turn while all other labels stay as they were drawn. Most kernels
are linear in the worth of any single document, so that its effect follows from one walk through
the lists. For all other measures label vectors are scored that change one document each; topics do
not affect each other, so one vector changes a document of every topic at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer, pools_of, weighted_places
from hungjury.collection.align import Alignment
from hungjury.collection.pool import Pool
from hungjury.scores import averaged
from hungjury.uncertainty.topic_effects import Effects, LinearEffects, TabledEffects
from hungjury.uncertainty.topic_lists import LINEAR, TopicLists

__all__ = ["contributions", "effects", "effects_in_parts", "is_linear", "scores_under"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.int16]
NUMBERS_AT_ONCE = 1 << 22  # labels, or scores, held for one block of label vectors


def scores_under(scorer: Scorer, labels: Labels) -> Floats:
    """Values [draw, system, topic] as they are averaged over topics; undefined ones are filled."""
    return averaged(scorer.filled(labels), scorer.measure.average)


def effects(scorer: Scorer, labels: Labels, grades: tuple[int, ...], documents: Ints) -> Floats:
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

    Returns
    -------
    array [system, document, grade]
        Zero for the first grade.
    """
    out = np.zeros((len(scorer.alignment.systems), len(documents), len(grades)))
    for mine, part in effects_in_parts(scorer, labels, grades, documents):
        out[:, mine] = part.table()
    return out


def effects_in_parts(
    scorer: Scorer, labels: Labels, grades: tuple[int, ...], documents: Ints
) -> Iterator[tuple[slice, Effects]]:
    """The same topic by topic, for many systems: which of `documents`, and their effects.

    Measures without a linear kernel have all in one part.
    """
    each = len(labels) * len(scorer.alignment.pool.topics)
    if not is_linear(scorer):
        total = _by_scoring(scorer, labels, grades, documents)
        yield slice(0, len(documents)), TabledEffects((total - total[:, :, :1]) / each)
        return
    alignment, kernel = scorer.alignment, scorer.kernel
    assert kernel is not None
    near, weight = weighted_places(alignment, kernel.weights)
    ends = np.searchsorted(documents, alignment.pool.offsets)
    for topic in map(int, np.flatnonzero(np.diff(ends))):
        mine = slice(int(ends[topic]), int(ends[topic + 1]))
        part = alignment.pool.slice(topic)
        lists = TopicLists.of(near, weight, topic)
        at = documents[mine] - part.start
        yield mine, _by_kernel(scorer, lists, labels[:, part], grades, at, each)


def _by_kernel(
    scorer: Scorer, lists: TopicLists, labels: Labels, grades: tuple[int, ...], at: Ints, each: int
) -> Effects:
    """Sums over draws of changes of the scores of one topic, by `each`.

    A score is (base + slope * change of the document's worth) / unit, with the unit of the pool
    that has the document at this grade.
    """
    assert scorer.kernel is not None
    worth = np.append(scorer.kernel.worth, 0.0)  # -1, not judged, is worth nothing
    now = np.maximum(labels, -1)
    walks = [LINEAR[scorer.kernel.name](lists, one) for one in worth[now]]
    rate = _rates(scorer, now, grades, at)
    change = worth[list(grades)] - worth[now[:, at]][:, :, None]
    if scorer.measure.average == "gmean":
        out = np.zeros((len(lists.weight), len(at), len(grades)))
        for (base, slope), moved, one in zip(walks, change, rate, strict=True):
            sums = base[:, None, None] + lists.by_document(slope)[:, at, None] * moved
            out += averaged(sums * one, scorer.measure.average)
        return TabledEffects((out - out[:, :, :1]) / each)
    pull = change * rate
    pull = (pull - pull[:, :, :1]) / each
    rate = (rate - rate[:, :, :1]) / each
    bases, slopes = np.stack([base for base, _ in walks], axis=1), [slope for _, slope in walks]
    if slopes[0] is slopes[-1]:  # the same for all draws
        slopes, pull = slopes[:1], pull.sum(axis=0, keepdims=True)
    return LinearEffects(lists, at, bases, rate, np.stack(slopes), pull)


def _rates(scorer: Scorer, now: Labels, grades: tuple[int, ...], at: Ints) -> Floats:
    """[draw, document, grade]: 1 / unit where the document has the grade; 0 where undefined."""
    assert scorer.kernel is not None
    scale = np.arange(scorer.top + 1)
    counts = (now[:, :, None] == scale).sum(axis=1)[:, None, None]
    own = now[:, at][:, :, None, None] == scale
    changed = counts - own + (np.array(grades)[:, None] == scale)  # [draw, document, grade, scale]
    pools = pools_of(changed.reshape(-1, len(scale)))
    rate = scorer.kernel.finish(np.ones((1, changed[..., 0].size)), pools)[0]
    rate = np.where(scorer.measure.defined(pools), np.nan_to_num(rate), 0.0)
    return np.asarray(rate.reshape(changed.shape[:-1]))


def contributions(
    scorer: Scorer, labels: Labels, weights: Floats, documents: Ints
) -> Iterator[tuple[int, Floats]]:
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
    contributions : array [system, document of the topic]
        For a sum of gains, the contributions of all documents add up to the score.
    """
    linear = is_linear(scorer)
    pool = scorer.alignment.pool
    ends = np.searchsorted(documents, pool.offsets)
    total = None if linear else _losses_by_scoring(scorer, labels, weights, documents)
    near = None
    if scorer.kernel is not None:
        near = weighted_places(scorer.alignment, scorer.kernel.weights)
    for topic in map(int, np.flatnonzero(np.diff(ends))):
        mine = slice(int(ends[topic]), int(ends[topic + 1]))
        if total is not None:
            yield topic, total[:, mine]
            continue
        assert near is not None
        at = documents[mine] - pool.offsets[topic]
        lists = TopicLists.of(*near, topic)
        yield topic, _losses_by_kernel(scorer, lists, labels[:, pool.slice(topic)],
                                       weights[:, topic], at)  # fmt: skip


def is_linear(scorer: Scorer) -> bool:
    """Whether effects of documents follow from one pass through the lists."""
    return scorer.kernel is not None and scorer.kernel.name in LINEAR


def _losses_by_kernel(
    scorer: Scorer, lists: TopicLists, labels: Labels, weights: Floats, at: Ints
) -> Floats:
    """labels: [set, document of the topic]; weights: [set]"""
    kernel = scorer.kernel
    assert kernel is not None
    worth = np.append(kernel.worth, 0.0)
    scale = np.arange(scorer.top + 1)
    total = np.zeros((len(lists.weight), len(at)))
    for drawn, weight in zip(labels, weights, strict=True):
        now = np.maximum(drawn, -1)
        pools = pools_of((now[:, None] == scale).sum(axis=0)[None])
        if not scorer.measure.defined(pools)[0]:
            continue
        base, slope = LINEAR[kernel.name](lists, worth[now])
        lost = lists.by_document(slope)[:, at] * (worth[now] - worth[0])[at]
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


def _by_scoring(scorer: Scorer, labels: Labels, grades: tuple[int, ...], documents: Ints) -> Floats:
    """The same by scoring a label vector for every document and grade.

    Documents of a topic that no list shows within the measure's cutoff can only matter through the
    pool as a whole. One of them is changed in place of all.
    """
    alignment = scorer.alignment
    systems, topics = alignment.shape
    shown = np.zeros(len(alignment.pool), dtype=bool)
    shown[_shown(alignment, scorer.measure.depth)] = True
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


def _shown(alignment: Alignment, depth: int | None) -> NDArray[np.int32]:
    """Documents in the first `depth` ranks of any list."""
    if depth is None:
        return alignment.document
    first = alignment.rank if alignment.tie_first is None else alignment.tie_first
    return alignment.document[first <= depth]


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
