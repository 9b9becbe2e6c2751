"""The users of one class of queries: where they are, and the curve fitted to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from math import isfinite
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.records import Record

ROUNDING = 1e-12
Counts = tuple[int, ...]
Numbers = tuple[float, ...]
Rates = tuple[float | None, ...]  # None where they are unknown


class Dynamic(Record):
    """A user dynamic δ(i) = α/i + βi + γ, not below 0: how much users look at rank i.

    Attributes
    ----------
    alpha, beta, gamma : float
        The coefficients. A large α means that attention is on the first rank; γ is the part that
        all ranks have alike.
    r2 : float or None
        Share of variance explained by the fit. None where the curve was given and not fitted, or
        the distribution is uniform.
    rmse : float or None
        Root mean squared error of the fit. None where the curve was given.
    """

    alpha: float
    beta: float
    gamma: float
    r2: float | None = None
    rmse: float | None = None

    def values(self, ranks: int) -> Floats:
        """Compute δ at ranks 1 to `ranks`."""
        values = _terms(ranks) @ np.array([self.alpha, self.beta, self.gamma])
        return np.asarray(np.maximum(values, 0.0))

    def rises(self, ranks: int) -> tuple[int, ...]:
        """Return the ranks up to `ranks` where δ is above its value at the rank before."""
        values = self.values(ranks)
        return tuple(int(i) + 2 for i in np.flatnonzero(np.diff(values) > ROUNDING))


def _terms(ranks: int) -> Floats:
    i = np.arange(1, ranks + 1, dtype=float)
    return np.stack([1 / i, i, np.ones(ranks)], axis=1)


def fit_dynamic(pi: Floats) -> Dynamic:
    """Fit a user dynamic to a stationary distribution by least squares.

    A smooth curve with three coefficients instead of one number per rank: use it where a
    distribution counted from a log is to weight ranks in a measure. Look at `r2` before using it.

    Parameters
    ----------
    pi : ndarray
        The distribution over ranks; ranks without visits are 0.

    Returns
    -------
    Dynamic
        α, β and γ of δ(i) = α/i + βi + γ, with the quality of the fit.

    Examples
    --------
    The curve explains 98.9 % of the variance between ranks:

    >>> import numpy as np
    >>> import hungjury as hj
    >>> round(hj.users.fit_dynamic(np.array([0.5, 0.25, 0.125, 0.125])).r2, 3)
    0.989
    """
    alpha, beta, gamma = np.linalg.lstsq(_terms(len(pi)), pi, rcond=None)[0].astype(float).tolist()
    missed = pi - Dynamic(alpha, beta, gamma).values(len(pi))
    varies = float(((pi - pi.mean()) ** 2).sum())
    r2 = 1 - float((missed**2).sum()) / varies if varies > 1e-18 else None
    return Dynamic(alpha, beta, gamma, r2, rmse=float(np.sqrt((missed**2).mean())))


class UserClass(Record):
    """The users of one class of queries; index i of every tuple is rank i + 1.

    `stationary` says where users are in the long run (it sums to 1), and `dynamic` is the smooth
    curve fitted to it. Fields counted from a log are None for models made in another way.
    """

    name: str  # "navigational", "informational", or "all"
    stationary: Numbers  # stationary distribution
    dynamic: Dynamic  # the curve fitted to it
    visits: Counts | None = None  # clicks
    moves: tuple[Counts, ...] | None = None  # [from, to]; a repeated click is a move i -> i
    transitions: tuple[Numbers, ...] | None = None  # 1 on the diagonal for ranks never left
    never_left: Counts | None = None  # ranks without departures
    pages: int | None = None  # result pages with at least one click: paths
    backward: float | None = None  # share of the moves
    held: Counts | None = None  # visits with a known end
    rates: Rates | None = None  # of the exponential holding time, per second


def read_class(given: Mapping[str, Any], ranks: int) -> UserClass:
    """Read a class from its JSON; a ValueError says what is wrong with it."""
    unknown = sorted(set(given) - {f.name for f in fields(UserClass)})
    if unknown:
        raise ValueError(f"unknown entry {unknown[0]!r}")
    whose = f"of class {given['name']!r}"
    values = {key: _frozen(value) for key, value in given.items()}
    values["dynamic"] = Dynamic(**given["dynamic"])
    found = [value for value in asdict(values["dynamic"]).values() if value is not None]
    read_numbers(found, len(found), f"the dynamic {whose}")
    for name in ("stationary", "visits", "held"):
        if values.get(name) is not None:
            read_numbers(values[name], ranks, f"the entry {name} {whose}")
    for name in ("moves", "transitions"):
        rows = values.get(name)
        if rows is not None and (not isinstance(rows, tuple) or len(rows) != ranks):
            raise ValueError(f"the entry {name} {whose} does not have {ranks} rows")
        for row in rows or ():
            read_numbers(row, ranks, f"a row of {name} {whose}")
    values["stationary"] = pi = tuple(map(float, given["stationary"]))
    if min(pi) < 0 or abs(sum(pi) - 1) > 1e-6:
        raise ValueError(f"the distribution {whose} does not sum to 1")
    if values.get("rates") is not None:
        values["rates"] = read_rates(given["rates"], ranks, f"class {given['name']!r}")
    if any(not 1 <= rank <= ranks for rank in values.get("never_left") or ()):
        raise ValueError(f"the entry never_left {whose} names a rank that is not on the page")
    return UserClass(**values)


def read_rates(given: Sequence[Any], ranks: int, whose: str) -> Rates:
    """Check that there is a positive rate for every rank, or None."""
    rates = tuple(None if r is None else float(r) for r in given)
    if len(rates) != ranks or not all(r is None or 0 < r < np.inf for r in rates):
        raise ValueError(f"the rates of {whose} are not {ranks} positive numbers")
    return rates


def read_numbers(values: object, count: int, what: str) -> Numbers:
    """Check that these are `count` finite numbers."""
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise ValueError(f"{what} does not have {count} numbers")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise ValueError(f"{what} contains {value!r}")
    return tuple(map(float, values))


def _frozen(value: object) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value
