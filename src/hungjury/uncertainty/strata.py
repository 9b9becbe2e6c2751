"""Strata of documents by how promising the systems' ranks make them.

A document that good systems rank first is more likely to be relevant than one that a single system
has at rank 80. One prior for both pulls the labels of top documents down wherever judges
are unsure, and with them the scores of good systems. So documents are put into strata by a linear
combination of where the systems rank them, fitted to their grades as the label model draws them;
the label model has a prior for each stratum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.collection.align import Alignment

__all__ = ["RankStrata"]

MOST_STRATA = 20
DOCUMENTS_EACH = 50  # at least, so that a stratum's prior can be learned
DEEPEST = 100  # ranks below say little
RIDGE = 1.0  # systems that are copies of each other share their weight

Floats = NDArray[np.float64]


class RankStrata:
    """Strata of some documents of an aligned pool, for any grades they are given."""

    def __init__(self, alignment: Alignment, known: NDArray[np.bool_]) -> None:
        """known: [document of the pool], those to put into strata."""
        self.topic = np.unique(alignment.pool.topic_of[known], return_inverse=True)[1]
        self.sizes = np.bincount(self.topic)
        self.number = int(np.clip(known.sum() // DOCUMENTS_EACH, 1, MOST_STRATA))
        self.document, self.system, self.height = _heights(alignment, known)
        systems, size = alignment.shape[0], len(self.topic)
        mean = np.bincount(self.system, self.height, systems) / size
        gram = native.row_products(
            self.system, self.document, self.height, self.height, systems, size
        )
        gram -= size * np.outer(mean, mean)
        self.inverse = np.linalg.inv(gram + RIDGE * np.eye(len(gram)))
        self.root = np.linalg.cholesky(self.inverse)

    def of(self, grade: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        """[known document]: its stratum, 0 for the least promising; all of about equal size.

        The weights of systems are drawn from their distribution under least squares.
        """
        topic = self._topic_effects(grade - grade.mean())
        target = grade - topic
        target = target - target.mean()
        moments = np.bincount(self.system, self.height * target[self.document], len(self.inverse))
        weights = self.inverse @ moments
        spread = np.sqrt(max(target @ target - weights @ moments, 0.0) / len(target))
        drawn = weights + spread * (self.root @ rng.standard_normal(len(weights)))
        heights = self.height * drawn[self.system]
        promise = np.bincount(self.document, heights, len(topic)) + topic
        edges = np.quantile(promise, np.linspace(0, 1, self.number + 1)[1:-1])
        return np.asarray(np.searchsorted(edges, promise))

    def _topic_effects(self, target: Floats) -> Floats:
        """[known document]: deviation of its topic from the mean, shrunk towards 0 as far as it
        may be chance: topics differ in how much is relevant."""
        mean = np.bincount(self.topic, target) / self.sizes
        chance = target.var() / self.sizes
        between = max(float(np.mean(mean**2 - chance)), 0.0)
        return np.asarray((mean * between / (between + chance + 1e-12))[self.topic])


def _heights(
    alignment: Alignment, known: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    """Known documents (by their place among them) in the lists of systems, in the order of
    documents; and the log of how far each is above the end of the list, or above rank 100."""
    cells = np.argsort(alignment.start, kind="stable")
    cell = np.repeat(cells, (alignment.stop - alignment.start)[cells])
    near = np.flatnonzero((alignment.rank <= DEEPEST) & known[alignment.document])
    near = near[np.argsort(alignment.document[near], kind="stable")]
    cell = cell[near]
    height = np.log((np.minimum(alignment.length[cell], DEEPEST) + 1.0) / alignment.rank[near])
    place = np.cumsum(known, dtype=np.int32) - np.int32(1)
    system = (cell // alignment.shape[1]).astype(np.int32)
    return place[alignment.document[near]], system, height
