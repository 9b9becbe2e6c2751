"""Evidence for claims about measures: correlations on resampled topics, robustness over topics and
random pools, discriminative power on resampled topics; by the names that measures have in tables.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record
from hungjury.studies.claims import Quantity, least
from hungjury.studies.papers.label_sets import LabelSet
from hungjury.studies.resampling import RESAMPLES, Resampling, too_narrow

__all__ = ["ClaimData", "rising"]

Array = NDArray[np.float64]


class ClaimData(Record, eq=False):
    """One set of labels; place: the index of each measure in the jobs' results.

    instead: aliases of names, such as measures with other parameters. topics: the topics that were
    used, as the jobs' keys call them, where there are several sets.
    """

    found: LabelSet
    place: Mapping[str, int]
    rates: Sequence[float]
    power_rates: Sequence[float] = ()
    instead: Mapping[str, str] | None = None
    topics: str = ""

    def _at(self, name: str) -> int:
        return self.place[(self.instead or {}).get(name, name)]

    def tau(self, one: str, other: str, what: str = "tau") -> Quantity:
        """Of two measures; interval over topics."""
        result, at = self._result("correlation"), (self._at(one), self._at(other))
        draws = np.asarray(result[f"{what}_draws"], dtype=float)[:, at[0], at[1]]
        value = float(np.asarray(result[what])[at])
        return Quantity(value, value + (draws - draws.mean()) * too_narrow(result["topics"]))

    def robust(self, name: str, rate: float) -> Quantity:
        """tau with the whole pool where a share of it is kept; interval over topics and pools."""
        return self._over_pools("tau", name, rate)

    def kept(self, name: str, rate: float) -> Quantity:
        """The share of the mean score that is left where a share of the pool is kept; interval
        over topics and pools."""
        return self._over_pools("kept", name, rate)

    def _over_pools(self, what: str, name: str, rate: float) -> Quantity:
        pools = self._results("pools")
        at = self._at(name), list(self.rates).index(rate)
        values = np.array([np.asarray(one[what])[at] for one in pools])
        moved = np.stack([np.asarray(one[f"{what}_draws"])[:, at[0], at[1]] for one in pools], 1)
        wider = too_narrow(pools[0]["topics"])
        draws = Resampling(len(moved)).joint(values, moved * wider, "pools")
        return Quantity(float(values.mean()), draws)

    @cached_property
    def _power(self) -> tuple[Array, Array]:
        """[measure, rate] on all topics, and draws of it: normal, with the spread that resampled
        topics give, widened for their small number."""
        whole = np.mean([np.asarray(one) for one in self._results("power")], axis=0)
        keep = [(1.0, *self.rates).index(rate) for rate in self.power_rates]
        each = np.stack([np.asarray(one) for one in self._results("power-topics")])
        moved = (each - each.mean(axis=0)) / np.sqrt(len(each))
        random = np.random.default_rng(0).normal(size=(RESAMPLES, len(each)))
        return whole[:, keep], np.tensordot(random * too_narrow(len(each)), moved, 1)

    def power(self, name: str, rate: float = 1.0) -> Quantity:
        """Share of pairs told apart; interval over topics and seeds."""
        at = self._at(name), list(self.power_rates).index(rate)
        value, moved = float(self._power[0][at]), self._power[1][:, at[0], at[1]]
        return Quantity(value, value + moved)

    @property
    def _key(self) -> str:
        return f"{self.found.whose}/{self.topics}" if self.topics else self.found.whose

    def _result(self, kind: str) -> Any:
        return self.found.studied.results[f"{kind}/{self._key}"]

    def _results(self, kind: str) -> list[Any]:
        prefix = f"{kind}/{self._key}/"
        results = self.found.studied.results
        return [value for key, value in results.items() if key.startswith(prefix)]


def rising(*quantities: Quantity) -> Quantity:
    """The smallest step from one to the next: positive where they grow."""
    return least(*(b - a for a, b in itertools.pairwise(quantities)))
