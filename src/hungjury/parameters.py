"""Parameters of measures, merges and other named things: kinds of values, ranges, declarations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, TypedDict, get_args

from hungjury.numbers import decimal_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Declared",
    "flag",
    "integer",
    "mapping",
    "number",
    "numbers",
    "one_of",
    "param",
    "required",
]

# A kind of value: converts what was given, or raises ValueError with what it has to be.
Kind = Callable[[Any], Any]

LARGEST = 1e100  # sums of many such numbers, and their squares, are finite
LARGEST_INTEGER = 2**53


def integer(value: object) -> int:
    """An integer; 10.0 is one, True is not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("an integer")
    if abs(value) > LARGEST_INTEGER:
        raise ValueError(f"an integer of at most {LARGEST_INTEGER:,}")
    return value


def number(value: object) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("a number")
    if abs(value) > LARGEST:
        raise ValueError(f"a number of at most {LARGEST:g} in size")
    return float(value)


def flag(value: object) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError("True or False")
    return value


def numbers(value: object) -> tuple[float, ...]:
    """A list of numbers; or text with commas, for parsers that have no lists."""
    if isinstance(value, str):
        value = [decimal_of(part.strip()) for part in value.split(",")]
    if isinstance(value, (bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise ValueError("a list of numbers such as [0.1, 0.9]")
    return tuple(number(float(v) if hasattr(v, "dtype") else v) for v in value)


def mapping(value: Any) -> tuple[tuple[int, float], ...]:
    """A map from grades to numbers, kept as sorted pairs so that it can be hashed."""
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
        """Is this number in the range?"""
        low, high = self.bounds.get("low", -math.inf), self.bounds.get("high", math.inf)
        if self.bounds.get("open_low") and value == low:
            return False
        return low <= value <= high and not (self.bounds.get("open_high") and value == high)
