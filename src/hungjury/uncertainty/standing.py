"""Who is better: ranks, chances and groups, from draws of mean scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Standing", "of_differences", "standing"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Standing:
    """Arrays over systems, in the order of the draws."""

    p_best: Floats
    rank_low: Ints
    rank_high: Ints
    beats: Floats  # [system, system]: P(row has the larger mean); equal means count half
    apart: NDArray[np.bool_]  # [system, system]: told apart


def standing(
    mean: Floats,
    draws: Floats,
    level: float = 0.95,
    together: bool = True,
    stretch: float = 1.0,
) -> Standing:
    """mean: [system]; draws: [draw, system]; larger is better.

    together: tell systems apart with all pairs taken together, so that at `level` no pair is told
    apart by chance; else pair by pair, by the chance that one beats the other. Under a panel error
    of unknown size the first would be a test of the size: it is the same for all pairs.

    stretch: what the difference needed is multiplied by, for who looks more than once.

    A finite number of draws makes nothing certain: one more draw is counted in which all systems
    are equal, unless the draws are all the same.
    """
    if len(draws) > 1 and (draws != draws[0]).any():
        counted = np.vstack([draws, np.zeros(draws.shape[1])])
    else:
        counted = draws
    number, systems = counted.shape
    beats = np.empty((systems, systems))
    above = np.zeros((number, systems), dtype=np.int64)
    equal = np.zeros((number, systems), dtype=np.int64)
    for s in range(systems):
        mine = counted[:, s : s + 1]
        larger, same = counted > mine, counted == mine
        above[:, s], equal[:, s] = larger.sum(axis=1), same.sum(axis=1)
        beats[:, s] = larger.mean(axis=0) + same.mean(axis=0) / 2
    tail = (1 - level) / 2
    first = np.quantile((above + 1)[: len(draws)], tail, axis=0, method="inverted_cdf")
    last = np.quantile((above + equal)[: len(draws)], 1 - tail, axis=0, method="inverted_cdf")
    if together:
        apart = _told_apart(mean, draws, level, stretch)
    else:
        apart = np.maximum(beats, beats.T) >= 1 - tail
    return Standing(
        np.where(above == 0, 1 / equal, 0.0).mean(axis=0),
        first.astype(np.int64),
        last.astype(np.int64),
        beats,
        apart,
    )


def of_differences(covariance: Floats) -> Floats:
    """[system, system]: the variance of the difference of two means."""
    variance = np.diag(covariance)
    return np.maximum(variance[:, None] + variance - 2 * covariance, 0)


def _told_apart(mean: Floats, draws: Floats, level: float, stretch: float) -> NDArray[np.bool_]:
    """Pairs whose means differ by more than chance explains, in all comparisons at once: the
    largest standardised difference of all pairs is what a single one is held against."""
    sd = np.sqrt(of_differences(np.atleast_2d(np.cov(draws, rowvar=False))))
    noise = 1e-12 * max(float(np.abs(draws).max(initial=0)), 1e-300)
    off = draws - draws.mean(axis=0)
    largest = np.zeros(len(draws))
    for s in range(len(mean)):
        spread = np.where(sd[s] > noise, sd[s], np.inf)
        np.maximum(largest, (np.abs(off - off[:, s : s + 1]) / spread).max(axis=1), out=largest)
    needed = stretch * float(np.quantile(largest, level))
    gap = np.abs(mean[:, None] - mean)
    return np.asarray(gap > np.maximum(needed * sd, noise))
