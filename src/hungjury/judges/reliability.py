"""Reliability of vote shares: documents by the share of judges who call them relevant, and how
many of them are relevant by gold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record

__all__ = ["ReliabilityBin", "reliability"]

Floats = NDArray[np.float64]
EDGES = tuple(k / 10 for k in range(11))
NORMAL_95 = 1.959963984540054


class ReliabilityBin(Record):
    """Documents with a share of votes from `low` to below `high` (1 belongs to the last bin).

    Attributes
    ----------
    documents
        How many there are.
    stated
        Their mean share of votes for relevant.
    relevant, relevant_low, relevant_high
        Share that is relevant by gold, with a 95 % interval (Wilson's).
    """

    low: float
    high: float
    documents: int
    stated: float
    relevant: float
    relevant_low: float
    relevant_high: float


def reliability(
    stated: Floats, relevant: Floats, weight: Floats, edges: Sequence[float] = EDGES
) -> tuple[ReliabilityBin, ...]:
    """Bins that hold documents; arrays are [document], `relevant` a share of the people."""
    place = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, len(edges) - 2)
    out = []
    for k in np.unique(place):
        mine = place == k
        w = weight[mine]
        share = float(w @ relevant[mine] / w.sum())
        low, high = _wilson(share, float(w.sum() ** 2 / (w @ w)))
        out.append(
            ReliabilityBin(
                low=edges[k],
                high=edges[k + 1],
                documents=int(mine.sum()),
                stated=float(w @ stated[mine] / w.sum()),
                relevant=share,
                relevant_low=low,
                relevant_high=high,
            )
        )
    return tuple(out)


def _wilson(share: float, number: float) -> tuple[float, float]:
    """Wilson's interval of a share of `number`; with weights, that is the effective number."""
    square = NORMAL_95**2
    middle = (share + square / (2 * number)) / (1 + square / number)
    half = share * (1 - share) / number + square / (4 * number**2)
    reach = NORMAL_95 * float(np.sqrt(half)) / (1 + square / number)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)
