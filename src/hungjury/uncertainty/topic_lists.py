"""The lists of one topic as tables, and the contribution of every place to sums of kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.align import Alignment
from hungjury.records import Record

__all__ = ["LINEAR", "TopicLists"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TopicLists(Record, eq=False):
    """The lists of one topic as a table [system, place]."""

    document: Ints  # within the topic; one more than there are in the padding
    weight: Floats  # 0 in the padding
    documents: int

    @staticmethod
    def of(alignment: Alignment, weight: Floats, topic: int) -> TopicLists:
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
        return TopicLists(document.astype(np.int64), weights[:, :last], size)

    def by_document(self, value: Floats) -> Floats:
        """[system, document] from [system, place]; 0 for documents that a list does not hold."""
        out = np.zeros((len(value), self.documents + 1))
        np.put_along_axis(out, self.document, value, axis=1)
        return out[:, :-1]

    def at_places(self, value: Floats) -> Floats:
        """[system, place] from [document]."""
        return np.append(value, 0.0)[self.document]


def _gains(lists: TopicLists, worth: Floats) -> tuple[Floats, Floats]:
    """Sums [system], and what one more worth of the document at a place [system, place] adds to
    them."""
    return (lists.weight * lists.at_places(worth)).sum(axis=1), lists.weight


def _precisions(lists: TopicLists, worth: Floats) -> tuple[Floats, Floats]:
    here = lists.at_places(worth)
    before = np.cumsum(here, axis=1) - here
    each = lists.weight * here
    below = each.sum(axis=1, keepdims=True) - np.cumsum(each, axis=1)
    return (each * (1 + before)).sum(axis=1), lists.weight * (1 + before) + below


def _cascade(lists: TopicLists, worth: Floats) -> tuple[Floats, Floats]:
    here = lists.at_places(worth)
    left = np.cumprod(1 - here, axis=1)
    reached = left / (1 - here)
    each = lists.weight * here * reached
    below = each.sum(axis=1, keepdims=True) - np.cumsum(each, axis=1)
    slope = lists.weight * reached - below / (1 - here)
    return each.sum(axis=1), slope


LINEAR = {"gains": _gains, "precisions": _precisions, "cascade": _cascade}
