"""Sums of squares of an analysis of variance: what each term of a linear model explains.

Where every combination of levels is observed equally often, terms are orthogonal and their sums of
squares follow from means. Any other design is fitted by statsmodels (type II).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.errors import InputError, MissingExtra

__all__ = ["Squares", "sums_of_squares"]

Array = NDArray[np.float64]
Codes = Mapping[str, NDArray[np.intp]]
Term = tuple[str, ...]
Squares = dict[Term, tuple[float, int]]
"""By term: sum of squares and degrees of freedom; the empty term is the error."""


def sums_of_squares(
    values: Array, factors: Mapping[str, NDArray[Any]], pairs: Sequence[tuple[str, str]]
) -> Squares:
    """Sums of squares of every factor, then of pairs of factors.

    factors: [observation] levels, two at least of each.
    """
    terms: list[Term] = [*((name,) for name in factors), *pairs]
    codes = {name: np.unique(column, return_inverse=True)[1] for name, column in factors.items()}
    degrees = {t: math.prod(int(codes[name].max()) for name in t) for t in terms}
    left = len(values) - 1 - sum(degrees.values())
    if left < 1:
        raise InputError(
            f"{len(values)} observations are too few for this model",
            code="too-few-observations",
            remedy="leave out interactions, or give more observations",
        )
    if not _balanced(codes):
        return _fitted(values, factors, terms)
    effects = {term: _effect(values, codes, term) for term in terms}
    residual = values - values.mean() - np.sum(list(effects.values()), axis=0)
    found = {term: (float((each**2).sum()), degrees[term]) for term, each in effects.items()}
    return {**found, (): (float((residual**2).sum()), left)}


def _balanced(codes: Codes) -> bool:
    """Is every combination of levels observed equally often?"""
    shape = [int(code.max()) + 1 for code in codes.values()]
    if math.prod(shape) > len(next(iter(codes.values()))):
        return False
    cell = np.ravel_multi_index(tuple(codes.values()), shape)
    count = np.bincount(cell, minlength=math.prod(shape))
    return bool((count == count[0]).all())


def _effect(values: Array, codes: Codes, term: Term) -> Array:
    """[observation]: mean at its levels, minus overall mean and effects of single factors."""
    out = np.zeros(len(values))
    for size in range(len(term) + 1):
        for part in itertools.combinations(term, size):
            out += (-1) ** (len(term) - size) * _cell_means(values, codes, part)
    return out


def _cell_means(values: Array, codes: Codes, names: Term) -> Array:
    """[observation]: the mean of all observations with the same levels."""
    if not names:
        return np.full(len(values), values.mean())
    shape = [int(codes[name].max()) + 1 for name in names]
    cell = np.ravel_multi_index(tuple(codes[name] for name in names), shape)
    return np.asarray((np.bincount(cell, values) / np.bincount(cell))[cell])


def _fitted(values: Array, factors: Mapping[str, NDArray[Any]], terms: Sequence[Term]) -> Squares:
    try:
        import pandas
        from statsmodels.formula.api import ols
        from statsmodels.stats.anova import anova_lm
    except ImportError:
        raise MissingExtra(
            "statsmodels", "studies", "an analysis of variance of unequal numbers of observations"
        ) from None
    place = {name: f"C(x{i})" for i, name in enumerate(factors)}
    data = pandas.DataFrame(
        {"y": values, **{f"x{i}": column for i, column in enumerate(factors.values())}}
    )
    named = {term: ":".join(place[name] for name in term) for term in terms}
    table = anova_lm(ols(f"y ~ {' + '.join(named.values())}", data).fit(), typ=2)
    rows = {**named, (): "Residual"}
    return {t: (float(table.loc[r, "sum_sq"]), int(table.loc[r, "df"])) for t, r in rows.items()}
