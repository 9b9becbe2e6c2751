"""The exact expectation of average precision under uncertain labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.align import Alignment
from hungjury.collection.judged import judge_lists
from hungjury.collection.qrels import Qrels

__all__ = ["expected_ap"]

NODES_AT_ONCE = 100
Array = NDArray[np.float64]


def expected_ap(
    aligned: Alignment, qrels: Qrels, rel: int, cutoff: int | None, condensed: bool
) -> Array:
    """E(AP) with a random number R of relevant documents, exactly; 0 where R = 0.

    With 1/R the integral of t^(R-1) over [0, 1], the expectation becomes the integral of
    Q(t)/t times the expected sum of precisions under the tilted probabilities
    q = p t / (1 - p + p t), where Q(t) is the product of all 1 - p + p t. The integrand is a
    polynomial, of a degree below the pool's size: Gauss-Legendre quadrature is exact.
    """
    from scipy.special import roots_legendre

    p = qrels.at_least(rel).p
    assert p is not None
    sizes = np.diff(qrels.pool.offsets)
    nodes, weights = roots_legendre(int(sizes.max() + 1) // 2 + 1)
    nodes, weights = (nodes + 1) / 2, weights / 2
    labels = np.zeros(len(p), dtype=np.int16)
    total = np.zeros(len(aligned.length))
    for start in range(0, len(nodes), NODES_AT_ONCE):
        t = nodes[start : start + NODES_AT_ONCE, None]
        factor = 1 - p + p * t
        tilted = p * t / factor
        with np.errstate(divide="ignore"):
            product = np.exp(qrels.pool.sum_by_topic(np.log(factor)))
        share = weights[start : start + NODES_AT_ONCE, None] * product / t
        for cells, judged in judge_lists(
            aligned, labels, 1, condensed=condensed, needs_nonrelevant=True, p=tilted
        ):
            assert judged.p is not None
            q = judged.p
            if cutoff is not None:
                q = q * (judged.ranks <= cutoff)
            above = np.cumsum(q, axis=-1) - q
            sums = (q * (1 + above) / judged.ranks).sum(axis=-1)
            total[cells] += (share[:, judged.topic] * sums).sum(axis=0)
    return total
