"""Who is better: ranks, chances and groups, from draws of mean scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats, Ints
from hungjury.base.records import Record
from hungjury.stats.multiple import NOISE, simultaneous_widths

__all__ = ["Standing", "standing"]


class Standing(Record, eq=False):
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
    """Ranks, chances and groups from means [system] and draws [draw, system]; larger is better.

    together: tell systems apart with all pairs taken together: at `level` no pair is told apart by
    chance; else pair by pair, by the chance that one beats the other. Under a panel error
    of unknown size the first would be a test of the size: it is the same for all pairs.

    stretch: the factor on the required difference if results are looked at more than once.

    A finite number of draws cannot show certainty: one more draw is counted in which all systems
    are equal, unless the draws are all the same.
    """
    if len(draws) > 1 and (draws != draws[0]).any():
        counted = np.vstack([draws, np.zeros(draws.shape[1])])
    else:
        counted = draws
    beats = native.shares_larger(np.ascontiguousarray(counted.T))
    above, equal = _places(counted)
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


def _places(draws: Floats) -> tuple[Ints, Ints]:
    """[draw, system]: how many systems are larger, and how many equal, itself included."""
    order = np.argsort(-draws, axis=1, kind="stable")
    ordered = np.take_along_axis(draws, order, axis=1)
    place = np.arange(draws.shape[1])
    new = np.ones(draws.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ends = np.ones(draws.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, place, place[-1])[:, ::-1], axis=1)[:, ::-1]
    above, equal = np.empty_like(first), np.empty_like(first)
    np.put_along_axis(above, order, first, axis=1)
    np.put_along_axis(equal, order, last - first + 1, axis=1)
    return above, equal


def _told_apart(mean: Floats, draws: Floats, level: float, stretch: float) -> NDArray[np.bool_]:
    """Pairs whose means differ by more than chance explains, in all comparisons at once: the
    largest standardised difference of all pairs is what each pair is compared with."""
    needed = simultaneous_widths(draws, level, stretch)
    noise = NOISE * max(float(np.abs(draws).max(initial=0)), 1e-300)
    return np.asarray(np.abs(mean[:, None] - mean) > np.maximum(needed, noise))
