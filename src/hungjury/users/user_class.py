"""The users of one class of queries, and how they are read from a saved model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from math import isfinite
from typing import Any

import numpy as np

from hungjury.limits import MOST_RANKS_OF_A_PAGE
from hungjury.records import Record
from hungjury.users.dynamics import Dynamic

__all__ = ["Numbers", "UserClass", "read_class", "read_numbers", "read_rates"]

Counts = tuple[int, ...]
Numbers = tuple[float, ...]


class UserClass(Record):
    """The users of one class of queries; index i of every tuple is rank i + 1.

    Fields counted from a log are None for models made in another way.
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
    rates: tuple[float | None, ...] | None = None  # of the exponential holding time, per second


def read_class(given: Mapping[str, Any], ranks: int) -> UserClass:
    """A class as JSON holds it; ValueError says what is wrong with it."""
    known = {f.name for f in fields(UserClass)}
    unknown = sorted(set(given) - known)
    if unknown:
        raise ValueError(f"unknown entry {unknown[0]!r}")
    if not 1 <= ranks <= MOST_RANKS_OF_A_PAGE:
        raise ValueError(f"it has {ranks} ranks")
    values = {key: _frozen(value) for key, value in given.items()}
    values["dynamic"] = Dynamic(**given["dynamic"])
    whose = f"of class {values['name']!r}"
    _check_numbers(list(asdict(values["dynamic"]).values()), 5, f"the dynamic {whose}", holes=True)
    for name in ("stationary", "visits", "held"):
        if values.get(name) is not None:
            _check_numbers(values[name], ranks, f"the entry {name} {whose}")
    for name in ("moves", "transitions"):
        rows = values.get(name)
        if rows is not None and (not isinstance(rows, tuple) or len(rows) != ranks):
            raise ValueError(f"the entry {name} {whose} does not have {ranks} rows")
        for row in rows or ():
            _check_numbers(row, ranks, f"a row of {name} {whose}")
    values["stationary"] = pi = read_numbers(given["stationary"])
    if min(pi) < 0 or abs(sum(pi) - 1) > 1e-6:
        raise ValueError(f"the distribution {whose} does not sum to 1")
    if values.get("rates") is not None:
        values["rates"] = read_rates(given["rates"], ranks, f"class {values['name']!r}")
    if any(not 1 <= rank <= ranks for rank in values.get("never_left") or ()):
        raise ValueError(f"the entry never_left {whose} names a rank that is not on the page")
    return UserClass(**values)


def read_rates(given: Sequence[Any], ranks: int, whose: str) -> tuple[float | None, ...]:
    """A rate per rank, None where it is unknown."""
    rates = tuple(None if r is None else float(r) for r in given)
    if len(rates) != ranks or not all(r is None or 0 < r < np.inf for r in rates):
        raise ValueError(f"the rates of {whose} are not {ranks} positive numbers")
    return rates


def _check_numbers(values: object, count: int, what: str, holes: bool = False) -> None:
    """`count` finite numbers; `holes`: None is allowed in place of one."""
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise ValueError(f"{what} does not have {count} numbers")
    for value in values:
        if holes and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise ValueError(f"{what} holds {value!r}")


def _frozen(value: object) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


def read_numbers(values: Sequence[Any]) -> Numbers:
    """Finite numbers."""
    numbers = tuple(float(v) for v in values)
    if not all(map(isfinite, numbers)):
        raise ValueError("it holds a number that is not finite")
    return numbers
