"""What claims about measures rest on: correlations on resampled topics, robustness over random
pools, discriminative power on resampled topics; by the names that measures have in tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.studies.claims import Quantity, least
from hungjury.studies.papers.label_sets import LabelSet
from hungjury.studies.resampling import RESAMPLES, unit_draws

__all__ = ["Evidence", "rising"]

Array = NDArray[np.float64]
NORMAL, LEVEL = 1.959964, 0.975


@dataclass(frozen=True, eq=False)
class Evidence:
    """One set of labels; place: where each measure stands in the jobs' results.

    instead: names that stand for others, such as measures with other parameters.
    """

    found: LabelSet
    place: Mapping[str, int]
    rates: Sequence[float]
    power_rates: Sequence[float] = ()
    instead: Mapping[str, str] | None = None

    def _at(self, name: str) -> int:
        return self.place[(self.instead or {}).get(name, name)]

    def tau(self, one: str, other: str, what: str = "tau") -> Quantity:
        """Of two measures; interval over topics."""
        result, at = self.found.result("correlation"), (self._at(one), self._at(other))
        draws = np.asarray(result[f"{what}_draws"], dtype=float)[:, at[0], at[1]]
        value = float(np.asarray(result[what])[at])
        return Quantity(value, value + draws - draws.mean())

    @cached_property
    def _pools(self) -> Array:
        """[pool, measure, rate]"""
        return np.stack([np.asarray(one["tau"]) for one in self._results("pools")])

    def robust(self, name: str, rate: float) -> Quantity:
        """tau with the whole pool where a share of it is kept; interval over pools."""
        values = self._pools[:, self._at(name), list(self.rates).index(rate)]
        return Quantity(float(values.mean()), unit_draws(values, RESAMPLES))

    @cached_property
    def _power(self) -> tuple[Array, Array]:
        """[measure, rate] on all topics, and draws of it: normal, with the spread that resampled
        topics give, widened for their small number."""
        from scipy.special import stdtrit

        whole = np.mean([np.asarray(one) for one in self._results("power")], axis=0)
        keep = [(1.0, *self.rates).index(rate) for rate in self.power_rates]
        each = np.stack([np.asarray(one) for one in self._results("power-topics")])
        freedom = len(each) - 1
        moved = (each - each.mean(axis=0)) / np.sqrt(freedom)
        random = np.random.default_rng(0).normal(size=(RESAMPLES, len(each)))
        wider = stdtrit(freedom, LEVEL) / NORMAL
        return whole[:, keep], np.tensordot(random * wider, moved, 1)

    def power(self, name: str, rate: float = 1.0) -> Quantity:
        """Share of pairs told apart; interval over topics and seeds. Other choices than the first
        have no power of their own."""
        at = self.place[name], list(self.power_rates).index(rate)
        value, moved = float(self._power[0][at]), self._power[1][:, at[0], at[1]]
        return Quantity(value, value + moved)

    def _results(self, kind: str) -> list[Any]:
        prefix = f"{kind}/{self.found.whose}/"
        results = self.found.studied.results
        return [value for key, value in results.items() if key.startswith(prefix)]


def rising(*quantities: Quantity) -> Quantity:
    """The smallest step from one to the next: positive where they grow."""
    return least(*(b - a for a, b in itertools.pairwise(quantities)))
