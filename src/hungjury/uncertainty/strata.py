"""What the rankings themselves say about relevance: documents in strata of equal promise.

A document that good systems put first is likelier relevant than one that a single system has on
rank 80. A prior that is the same for both pulls the labels of top documents down wherever judges
are unsure, and with them the scores of good systems. So documents are put into strata by a linear
combination of where the systems rank them, fitted to what the judges said; the label model then
learns a prior for each stratum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.align import Alignment

__all__ = ["rank_strata"]

MOST_STRATA = 20
DOCUMENTS_EACH = 50  # at least, so that a stratum's prior can be learned
RIDGE = 1.0  # systems that are copies of each other share their weight

Floats = NDArray[np.float64]


def rank_strata(alignment: Alignment, worth: Floats, known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[document]: strata from 0 (least promising) on, with about equally many documents each.

    worth: what the judges make of each document of the pool, such as its expected grade; only
    `known` documents are learned from.
    """
    table = _features(alignment, worth, known)
    seen = table[known]
    gram = (seen.T @ seen).toarray() + RIDGE * np.eye(table.shape[1])
    promise = table @ np.linalg.solve(gram, seen.T @ worth[known])
    strata = int(np.clip(known.sum() // DOCUMENTS_EACH, 1, MOST_STRATA))
    edges = np.quantile(promise[known], np.linspace(0, 1, strata + 1)[1:-1])
    return np.asarray(np.searchsorted(edges, promise))


def _features(alignment: Alignment, worth: Floats, known: NDArray[np.bool_]) -> Any:
    """Sparse [document, system...]: the log of how far above the list's end a document stands;
    the mean worth in its topic, for topics differ in how much is relevant; and 1."""
    from scipy.sparse import csr_matrix, hstack

    cells = np.argsort(alignment.start, kind="stable")
    cell = np.repeat(cells, (alignment.stop - alignment.start)[cells])
    height = np.log((alignment.length[cell] + 1.0) / alignment.rank)
    systems, topics = alignment.shape
    pool = alignment.pool
    ranks = csr_matrix((height, (alignment.document, cell // topics)), shape=(len(pool), systems))
    total = pool.sum_by_topic(np.where(known, worth, 0.0))
    mean = total / np.maximum(pool.sum_by_topic(known), 1)
    rest = np.column_stack([mean[pool.topic_of], np.ones(len(pool))])
    return hstack([ranks, csr_matrix(rest)], format="csr")
