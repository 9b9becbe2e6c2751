"""p-values adjusted for many tests at once: reject where the adjusted value is below alpha.

The last axis is the family of tests; leading axes are separate families.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hungjury.errors import InputError
from hungjury.stats._checks import Floats, numbers


def bonferroni(pvalues: ArrayLike) -> Floats:
    """Every p-value times the number of tests."""
    values = _pvalues(pvalues)
    adjusted: Floats = np.minimum(1, values * values.shape[-1])
    return adjusted


def holm(pvalues: ArrayLike) -> Floats:
    """Holm's step-down adjustment (1979): family-wise error, never weaker than Bonferroni's."""
    values = _pvalues(pvalues)
    tests = values.shape[-1]
    order = np.argsort(values, axis=-1)
    stepped = np.take_along_axis(values, order, axis=-1) * np.arange(tests, 0, -1)
    return _put_back(np.maximum.accumulate(stepped, axis=-1), order)


def benjamini_hochberg(pvalues: ArrayLike) -> Floats:
    """Benjamini and Hochberg's step-up adjustment (1995): false discovery rate."""
    values = _pvalues(pvalues)
    tests = values.shape[-1]
    order = np.argsort(values, axis=-1)
    stepped = np.take_along_axis(values, order, axis=-1) * tests / np.arange(1, tests + 1)
    lowest_so_far = np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1]
    return _put_back(lowest_so_far, order)


def _pvalues(pvalues: ArrayLike) -> Floats:
    values = numbers(pvalues, "pvalues", unit="test")
    if ((values < 0) | (values > 1)).any():
        raise InputError(
            "pvalues contains numbers outside [0, 1]",
            code="out-of-range",
            argument="pvalues",
            remedy="give p-values, not test statistics",
        )
    return values


def _put_back(adjusted: Floats, order: NDArray[np.intp]) -> Floats:
    """From sorted order to the order the tests came in."""
    result = np.empty_like(adjusted)
    np.put_along_axis(result, order, np.minimum(1, adjusted), axis=-1)
    return result
