"""The lists that a report shows, and the documents in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record
from hungjury.uncertainty.evidence import Evidence

__all__ = ["MOST_SYSTEMS", "PageLists"]

MOST_SYSTEMS = 1000  # systems that can be compared in pairs
MOST_PLACES = 600_000  # ranks of all lists together: about 2 MB of the page
MOST_UNJUDGED = 30_000  # documents that no judge labelled and whose ids are shown


class PageLists(Record, eq=False):
    """The lists of the best systems.

    Attributes
    ----------
    places
        [system, topic, rank]: as `Evidence.lists`.
    documents
        Places in the pool of all documents in the lists, ascending.
    unjudged
        Ids of documents that no judge labelled, as they are met in the lists.
    unjudged_at
        For each place of such a document, list after list, which of these ids it has: 1 and up, or
        0 where they are too many.
    """

    evidence: Evidence
    places: NDArray[np.int32]
    documents: NDArray[np.int32]
    unjudged: list[str]
    unjudged_at: NDArray[np.int64]

    @staticmethod
    def of(found: Evidence) -> PageLists:
        """As many lists as fit on a page."""
        room = max(MOST_PLACES // (len(found.alignment.pool.topics) * found.depth), 2)
        size = min(MOST_SYSTEMS, room)
        places = found.lists[:size]
        return PageLists(
            found, places, np.unique(places[places >= 0]), *_unjudged(found, found.unjudged[:size])
        )

    def ids(self) -> Iterator[str]:
        """Ids of all documents that are shown."""
        pooled = self.evidence.alignment.pool.documents
        yield from (pooled[d] for d in self.documents)
        yield from self.unjudged


def _unjudged(found: Evidence, rows: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int64]]:
    """Ids, and which of them each place has."""
    others = found.alignment.others
    assert others is not None
    met = rows[rows >= 0]
    _, first, which = np.unique(others.hash[met], return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(1, len(order) + 1)
    at = number[which.ravel()]
    ids = [others.id(int(k)) for k in met[first[order[:MOST_UNJUDGED]]]]
    return ids, np.where(at > MOST_UNJUDGED, 0, at)
