"""Kinds of parameters of recipes: lists of names, measures, integers, probabilities and shares."""

from __future__ import annotations

from hungjury.base.parameters import integer, numbers


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
