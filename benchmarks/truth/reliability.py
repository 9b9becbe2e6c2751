"""Shares of right pairs by the chance that boards gave them, with intervals over panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.truth.boards import BINS, Compared

RESAMPLES = 1000
ASKED = 2  # bins from 0.9 on hold at least their lower end


@dataclass(frozen=True, eq=False)
class Reliability:
    """Boards of many panels together."""

    panels: int
    share: NDArray[np.float64]  # [bin]: of all pairs
    right: NDArray[np.float64]  # [bin]: NaN where there is no pair
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    apart: float  # share of pairs told apart
    wrong: float  # of these
    tau_ap: float

    @property
    def sure(self) -> float:
        """The share of pairs with a chance of 0.95 and more."""
        return float(self.share[3:].sum())

    @property
    def holds(self) -> bool:
        """Is every bin of 0.9 or more right as often as it says, and what is told apart right?"""
        bins = np.array(BINS[:-1])[ASKED:]
        right = self.right[ASKED:]
        return bool((np.isnan(right) | (right >= bins)).all() and not self.wrong > 0.01)


def pooled(found: Sequence[Compared], seed: int = 0) -> Reliability:
    """Pairs of all these boards; intervals by resampling panels."""
    pairs, right = (np.array([getattr(c, k) for c in found], float) for k in ("pairs", "right"))
    panels = sorted({(c.collection, c.panel.judges) for c in found})
    of = np.array([panels.index((c.collection, c.panel.judges)) for c in found])
    rng = np.random.default_rng(seed)
    times = rng.multinomial(len(panels), np.full(len(panels), 1 / len(panels)), RESAMPLES)[:, of]
    with np.errstate(invalid="ignore"):
        ends = np.nanquantile((times @ right) / (times @ pairs), [0.025, 0.975], axis=0)
        share = right.sum(axis=0) / pairs.sum(axis=0)
    apart, wrong = sum(c.apart for c in found), sum(c.wrong for c in found)
    taus = [c.distance.tau_ap for c in found if c.distance is not None]
    return Reliability(
        len(panels),
        pairs.sum(axis=0) / pairs.sum(),
        share,
        *ends,
        float(apart / pairs.sum()),
        wrong / apart if apart else 0.0,
        float(np.mean(taus)) if taus else float("nan"),
    )
