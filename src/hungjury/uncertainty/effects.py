"""What the label of one document does to every system's mean score, for any measure.

A document is given each grade in turn while all other labels stay as they were drawn. Topics do
not affect each other, so one label vector changes a document of every topic at once, and the batch
scorer takes hundreds of such vectors together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.collection.align import Alignment
from hungjury.collection.pool import Pool
from hungjury.scores import GMEAN_FLOOR

__all__ = ["effects", "scores_under"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.int16]
NUMBERS_AT_ONCE = 1 << 22  # labels, or scores, held for one block of label vectors


def scores_under(scorer: Scorer, labels: Labels) -> Floats:
    """Values [draw, system, topic] as they are averaged over topics; undefined counts as 0."""
    values = np.nan_to_num(scorer(labels))
    if scorer.measure.average == "gmean":
        return np.asarray(np.log(np.maximum(values, GMEAN_FLOOR)))
    return values


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

    Notes
    -----
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
    total -= total[:, :, :1].copy()
    return np.asarray(total[:, copy] / (len(labels) * topics))


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
