"""Parameters of measures, merges and other named things: kinds, ranges, limits, declarations.

A larger number is most likely a typo: it would fill memory, run for days or not fit into the
integers it is stored in. Commands state them in their help.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypedDict, get_args

from hungjury.base.errors import InputError, UnknownName
from hungjury.base.text import decimal_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

MOST_GRADE = 1000
MOST_RANKS = 2**31 - 1  # of a list; ranks are stored in 32 bits
MOST_RANKS_OF_A_PAGE = 1000  # a user model has a table of ranks by ranks
MOST_RANKS_OF_A_CURVE = 10_000_000
MOST_STEPS = 1_000_000  # of a user between documents
MOST_DRAWS = 100_000  # of labels, each scored for every system and topic
MOST_SYSTEMS = 2500  # that are compared in pairs; time grows with the cube of their number
MOST_SAMPLES = 1_000_000  # of a resampling test
MOST_LABELS = 2**31 - 1
MOST_SEED = 2**63 - 1
MOST_SMOOTHING = 1e6
MOST_MARGIN = 1e6  # of a difference between means
MOST_TREES = 100_000
MOST_LEAVES = 131_072  # LightGBM's own bound
MOST_FEATURES = 100_000
MOST_WORKERS = 10_000
MOST_DIGITS = 100  # of a number in a table


def check_count(name: str, value: Any, least: int, most: int) -> int:
    """Check an argument that is a count.

    Parameters
    ----------
    name : str
        The argument, for the error.
    value : object
        The given value.
    least, most : int
        The accepted range, both ends included.

    Returns
    -------
    int
        The value.

    Examples
    --------
    >>> check_count("draws", 1000, 1, MOST_DRAWS)
    1000
    """
    try:
        found = operator.index(value) if isinstance(value, Integral) else None
    except TypeError:  # a time of numpy
        found = None
    if found is None or not least <= found <= most or isinstance(value, bool):
        said = f"{name} must be an integer from {least:,} to {most:,}, got {value!r}"
        remedy = f"choose {name} in that range"
        raise InputError(said, code="out-of-range", argument=name, remedy=remedy)
    return found


def order_by(by: Any) -> Any:
    """Check what systems are ordered by, and turn text into a number if it is one."""
    if isinstance(by, str) and by not in ("mean", "median", "wins"):
        if (number := decimal_of(by)) is None:
            raise UnknownName(
                f"systems cannot be ordered by {by!r}",
                remedy='use "mean", "median", "wins" or a number such as 0.1',
            )
        by = float(number)
    return by if isinstance(by, str) else check_share("order", by)


def check_share(name: str, value: Any, ends: bool = False) -> Any:
    """Check a level or a probability between 0 and 1, and return it.

    Parameters
    ----------
    name : str
        The argument, for the error.
    value : object
        The given value.
    ends : bool
        Accept 0 and 1, too.

    Examples
    --------
    >>> check_share("level", 0.95)
    0.95
    """
    if isinstance(value, bool) or not (
        isinstance(value, Real)
        and -1 <= value <= 1  # type: ignore[operator]  # float() cannot take huge integers
        and (0 < float(value) < 1 or (ends and value in (0, 1)))
    ):
        remedy = f"{name} must be between 0 and 1, both {'in' if ends else 'ex'}cluded"
        raise InputError(f"{name} is {value}", code="out-of-range", argument=name, remedy=remedy)
    return value


# A kind of value: converts what was given, or raises ValueError with what it has to be.
Kind = Callable[[Any], Any]

LARGEST = 1e100  # sums of many such numbers, and their squares, are finite
LARGEST_INTEGER = 2**53


def integer(value: object) -> int:
    """Convert to an integer; 10.0 is one, True is not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("an integer")
    if abs(value) > LARGEST_INTEGER:
        raise ValueError(f"an integer of at most {LARGEST_INTEGER:,}")
    return value


def number(value: object) -> float:
    """Convert to a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("a number")
    if abs(value) > LARGEST:
        raise ValueError(f"a number of at most {LARGEST:g} in size")
    return float(value)


def flag(value: object) -> bool:
    """Accept True or False."""
    if not isinstance(value, bool):
        raise ValueError("True or False")
    return value


def numbers(value: object) -> tuple[float, ...]:
    """Convert a list of numbers, or text with commas, for parsers that have no lists."""
    if isinstance(value, str):
        value = [decimal_of(part.strip()) for part in value.split(",")]
    if isinstance(value, (bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise ValueError("a list of numbers such as [0.1, 0.9]")
    return tuple(number(float(v) if hasattr(v, "dtype") else v) for v in value)


def names(value: object) -> tuple[str, ...]:
    """A list of different names, for parameters."""
    if isinstance(value, str):
        return (value,)
    if not hasattr(value, "__iter__") or not all(isinstance(v, str) for v in value):
        raise ValueError("a list of names")
    found = tuple(value)
    if len(set(found)) < len(found):
        raise ValueError("a list of different names")
    return found


def measure_names(value: object) -> tuple[str, ...]:
    """A list of different measures, for parameters."""
    return names(value)


def probabilities(value: object) -> tuple[float, ...]:
    """A list of different probabilities, for parameters."""
    found = numbers(value)
    if not found or not all(0 <= p <= 1 for p in found) or len(set(found)) < len(found):
        raise ValueError("a list of different probabilities")
    return tuple(found)


def whole_numbers(value: object) -> tuple[int, ...]:
    """A list of integers in ascending order, for parameters."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ValueError("a list of integers")
    return tuple(sorted({integer(one) for one in value}))


def shares(value: object) -> tuple[float, ...]:
    """Rates of down-sampling."""
    found = numbers(value)
    if not found or not all(0 < rate < 1 for rate in found):
        raise ValueError("shares of the pool between 0 and 1")
    return tuple(sorted(found, reverse=True))


def mapping(value: Any) -> tuple[tuple[int, float], ...]:
    """Convert a map from grades to numbers into sorted pairs, which can be hashed."""
    pairs = value.items() if isinstance(value, Mapping) else value
    try:
        return tuple(sorted((integer(k), number(v)) for k, v in pairs))
    except (TypeError, ValueError):
        raise ValueError("a map such as {1: 3, 2: 9}") from None


class one_of:  # noqa: N801 - used like the functions above
    """One of a few words, given as the `Literal` type that annotates the parameter."""

    def __init__(self, literal: object) -> None:
        self.choices: tuple[str, ...] = get_args(literal)

    def __call__(self, value: object) -> str:
        if value not in self.choices:
            raise ValueError("one of " + ", ".join(map(repr, self.choices)))
        return str(value)


class Bounds(TypedDict, total=False):
    """The range of a parameter; its ends are included unless they are open."""

    low: float
    high: float
    open_low: bool
    open_high: bool


def param(default: object, *, kind: Kind, doc: str, **bounds: Unpack[Bounds]) -> Any:
    """Declare a parameter: its default, kind, meaning and range."""
    return Declared(default, kind, doc, bounds)


def required(*, kind: Kind, doc: str, **bounds: Unpack[Bounds]) -> Any:
    """Declare a parameter without a default."""
    return Declared(MISSING, kind, doc, bounds)


class Declared:
    """A parameter as it was declared; its class gives it a name."""

    name: str

    def __init__(self, default: object, kind: Kind, doc: str, bounds: Bounds) -> None:
        self.default, self.kind, self.doc, self.bounds = default, kind, doc, bounds

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def required(self) -> bool:
        return self.default is MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        """The words it may be, if it is one of a few."""
        return self.kind.choices if isinstance(self.kind, one_of) else ()

    @property
    def values(self) -> str:
        """The values it may have, such as ``[0, 1)``; empty where its kind alone decides."""
        low, high = self.bounds.get("low"), self.bounds.get("high")
        open_low, open_high = self.bounds.get("open_low"), self.bounds.get("open_high")
        if low is None and high is None:
            return " or ".join(map(repr, self.choices))
        if low is not None and high is not None:
            return f"{'(' if open_low else '['}{low}, {high}{')' if open_high else ']'}"
        if low is not None:
            return f"{'> ' if open_low else '>= '}{low}"
        return f"{'< ' if open_high else '<= '}{high}"

    def holds(self, value: float) -> bool:
        """Tell whether a number is in the range."""
        low, high = self.bounds.get("low", -math.inf), self.bounds.get("high", math.inf)
        if self.bounds.get("open_low") and value == low:
            return False
        return low <= value <= high and not (self.bounds.get("open_high") and value == high)
