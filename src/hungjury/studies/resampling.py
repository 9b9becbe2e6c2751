"""Draws of the numbers of a study on other topics, and with other units (pools, tuples of
judges, judges), for the intervals of `claims`.

Topics are resampled by the bootstrap, and so are units; both deviations are added to the estimate,
centred. All numbers of a study see the same resamples, so that their differences stay paired.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record
from hungjury.stats.bootstrap import resample_counts
from hungjury.studies.seeds import seed_for

__all__ = ["RESAMPLES", "Resampling", "too_narrow"]

Array = NDArray[np.float64]
RESAMPLES = 200
"""Default number of draws of a quantity."""
NORMAL, UPPER = 1.959964, 0.975  # of 95 % intervals


class Resampling(Record):
    """Draws from a seed; the same name always gives the same draws."""

    draws: int
    seed: int = 0

    def topics(self, number: int) -> Array:
        """[draw, topic]: the share of each topic in a resample."""
        return resample_counts(number, self.draws, self._rng("topics")) / number

    def units(self, values: Array, *name: str | int) -> Array:
        """[draw]: deviation of the mean of independent values [unit] in resamples.

        name: identifies the units, so that other values of them get the same resamples. Widened by
        √(n/(n - 1)), since the variance of resamples of n is that much too small.
        """
        n = len(values)
        if n < 2:
            return np.zeros(self.draws)
        shares = _unit_shares(self, n, name)
        return np.asarray((shares @ values - values.mean()) * np.sqrt(n / (n - 1)))

    def joint(self, values: Array, on_topics: Array, *name: str | int) -> Array:
        """[draw]: the mean of values [unit] with other units and on other topics.

        on_topics: [draw, unit] values on resampled topics, of the first units at least.
        """
        moved = on_topics.mean(axis=1)
        return np.asarray(values.mean() + self.units(values, *name) + moved - moved.mean())

    def _rng(self, *name: str | int) -> np.random.Generator:
        return np.random.default_rng(seed_for(self.seed, ("resample", *name)))


@lru_cache(maxsize=64)
def _unit_shares(draws: Resampling, n: int, name: tuple[str | int, ...]) -> Array:
    """[draw, unit]: the share of each of n units in a resample; kept, since all numbers of a study
    see the same."""
    return resample_counts(n, draws.draws, draws._rng("units", n, *name)) / n


def too_narrow(number: int) -> float:
    """By how much resamples of so few units vary too little for intervals at 95 %: their variance
    lacks a factor n/(n - 1), and their quantiles are the normal distribution's instead of
    Student's. One unit says nothing about others: infinite."""
    from scipy.special import stdtrit

    if number < 2:
        return float("inf")
    freedom = number - 1
    return float(stdtrit(freedom, UPPER) / NORMAL * np.sqrt(number / freedom))
