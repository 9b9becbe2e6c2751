"""Convert arguments to clean arrays, or explain what is wrong with them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from hungjury.base.arrays import ArrayLike, Floats
from hungjury.base.errors import InputError, check_seed
from hungjury.base.parameters import MOST_SAMPLES, check_count

# A float for one-dimensional input, an array of floats for more axes (as numpy's reductions).
Numbers: TypeAlias = Any
Seed: TypeAlias = "int | np.random.Generator"  # in quotes: numpy.random is slow to import


def numbers(
    values: ArrayLike, name: str, unit: str = "item", least: int = 1, infinite: bool = False
) -> Floats:
    """Convert `values` to floats, at least `least` of them on the last axis, without NaN."""
    try:
        found = np.asarray(values)
        if found.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        with np.errstate(over="ignore"):  # to infinity, which is refused below
            array = found.astype(np.float64, copy=False)
    except (TypeError, ValueError) as problem:
        said = f"{name} is not an array of numbers ({problem})"
        raise refused(name, "not-numbers", said, "give numbers, in rows of one length") from problem
    if array.ndim == 0:
        remedy = f"give an array whose last axis is the {unit}s"
        raise refused(name, "wrong-shape", f"{name} is a single number", remedy)
    if array.shape[-1] < least:
        said = f"{name} has {array.shape[-1]} {unit}(s) on its last axis, {least} needed"
        remedy = f"give at least {least} {unit}(s), on the last axis"
        raise refused(name, "too-few", said, remedy)
    bad = np.isnan(array) if infinite else ~np.isfinite(array)
    if bad.any():
        where = tuple(int(index) for index in np.argwhere(bad)[0])
        remedy = f"leave out {unit}s without a value, or score them (0 is usual)"
        said = f"{name} has {array[where]} at index {where}"
        raise refused(name, "undefined-values", said, remedy)
    return array


def refused(name: str, code: str, said: str, remedy: str) -> InputError:
    """Return the error of an argument."""
    return InputError(said, code=code, argument=name, remedy=remedy)


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
