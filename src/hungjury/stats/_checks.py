"""Convert arguments to clean arrays, or explain what is wrong with them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError, check_seed
from hungjury.base.parameters import MOST_SAMPLES, check_count

Numbers: TypeAlias = Any
"""A float for one-dimensional input, an array of floats for more axes (as numpy's reductions)."""
Seed: TypeAlias = "int | np.random.Generator"  # in quotes: numpy.random is slow to import


def numbers(
    values: ArrayLike, name: str, unit: str = "item", least: int = 1, infinite: bool = False
) -> Floats:
    """Convert `values` to floats, at least `least` of them on the last axis, without NaN."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(
            f"{name} is not an array of numbers ({problem})",
            code="not-numbers",
            argument=name,
            remedy="give numbers, in rows of one length",
        ) from problem
    if array.ndim == 0:
        raise InputError(
            f"{name} is a single number",
            code="wrong-shape",
            argument=name,
            remedy=f"give an array whose last axis is the {unit}s",
        )
    if array.shape[-1] < least:
        raise InputError(
            f"{name} has {array.shape[-1]} {unit}(s) on its last axis, {least} needed",
            code="too-few",
            argument=name,
            remedy=f"give at least {least} {unit}(s), on the last axis",
        )
    bad = np.isnan(array) if infinite else ~np.isfinite(array)
    if bad.any():
        where = tuple(int(index) for index in np.argwhere(bad)[0])
        raise InputError(
            f"{name} has {array[where]} at index {where}",
            code="undefined-values",
            argument=name,
            remedy=f"leave out {unit}s without a value, or score them (0 is usual)",
        )
    return array


def same_items(first: Floats, second: Floats, names: tuple[str, str]) -> None:
    """Check that the last axes list the same items."""
    if first.shape[-1] != second.shape[-1]:
        raise InputError(
            f"{names[0]} has {first.shape[-1]} items, {names[1]} has {second.shape[-1]}",
            code="wrong-length",
            argument=names[1],
            remedy="give both the same items in the same order, on the last axis",
        )


def leading_shape(
    first: tuple[int, ...], second: tuple[int, ...], names: tuple[str, str]
) -> tuple[int, ...]:
    """Return the common shape of two sets of leading axes."""
    try:
        return np.broadcast_shapes(first, second)
    except ValueError as problem:
        raise InputError(
            f"the leading axes {first} of {names[0]} and {second} of {names[1]} do not match",
            code="wrong-shape",
            argument=names[1],
            remedy="make them equal, or insert axes of length 1",
        ) from problem


def count(value: int, name: str) -> None:
    """Check a number of random repetitions."""
    check_count(name, value, 1, MOST_SAMPLES)


def generator(seed: Seed, name: str = "rng") -> np.random.Generator:
    """Make a generator from a seed, or return the given one."""
    if isinstance(seed, np.random.Generator):
        return seed
    check_seed(seed, name)
    return np.random.default_rng(seed)


def as_number(array: Floats) -> Numbers:
    """Return a plain float where no axis is left."""
    return float(array) if array.ndim == 0 else array
