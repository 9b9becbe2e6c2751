"""Measures as native kernels: a ranked list is walked once for many label vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hungjury.collection.judged import Judged
from hungjury.records import Record

__all__ = ["Kernel", "seen", "worth_of_hits"]

Array = NDArray[np.float64]


class Kernel(Record):
    """The description of a measure for the native code.

    `name` is one of "gains" (worth times weight, added up), "precisions" (weight times the worth
    down to the rank, at ranks of worth), "cascade" (a user who stops with probability `worth`) and
    "best" (the largest weight of a document of worth).
    """

    name: str
    worth: Array  # of grades 0 to the scale's largest
    weights: Array  # of ranks 1, 2, ...
    unit: Callable[[Judged], ArrayLike] = lambda _pools: 1.0  # divides the sums; 0: undefined

    def finish(self, sums: Array, pools: Judged) -> Array:
        """Values [system, vector] from sums and the pools [vector]; NaN where undefined."""
        unit = np.asarray(self.unit(pools), dtype=float)
        return np.asarray(sums / np.where(unit == 0, np.nan, unit))

    @property
    def averages_ties(self) -> bool:
        """Whether ties can be averaged: a plain sum needs only the mean weight inside a tie."""
        return self.name == "gains"

    @property
    def combines(self) -> bool:
        """Whether a few gold labels may be combined with a panel's differences between systems.

        Not where a rank's part depends on all documents above it: intervals of average precision
        then miss people's scores too often.
        """
        return self.name != "precisions"


def seen(ranks: Array, cutoff: int | None) -> Array:
    """1 down to the cutoff, 0 below it."""
    return np.asarray(ranks <= (np.inf if cutoff is None else cutoff), dtype=float)


def worth_of_hits(top: int, rel: int) -> Array:
    """1 for grades of `rel` and more, else 0."""
    return np.asarray(np.arange(top + 1) >= rel, dtype=float)
