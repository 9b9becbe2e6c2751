"""Looking at results more than once: group-sequential bounds.

Testing after every batch of labels and stopping at the first significant result errs too often.
Bounds that spend the error rate over the looks (Lan and DeMets 1983), little at the first ones as
O'Brien and Fleming do, keep it over the whole path.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import SupportsIndex

import numpy as np

from hungjury.base.errors import InputError

POINTS = 1201  # of the grid on which densities are kept
FAR = 8.0  # standard deviations that it reaches
SMALLEST = 1e-300  # level of a look that is too early for any result to be significant


def check_looks(looks: Iterable[SupportsIndex]) -> list[int]:
    """Check `looks`: the numbers of labels at which results are looked at."""
    try:
        counts = [operator.index(number) for number in looks]
    except TypeError:
        counts = [0]
    if min(counts, default=1) < 1:
        raise InputError(
            f"looks must be numbers of gold labels, such as [100, 200], got {looks!r}",
            code="invalid-looks",
            argument="looks",
            remedy="give one or more positive integers, the last one the largest budget",
        )
    return counts


def nominal_levels(information: Sequence[float], alpha: float = 0.05) -> list[float]:
    """Return the two-sided error rate that each look may use, for `alpha` over all looks.

    Parameters
    ----------
    information
        Share of the largest budget that is reached at each look, ascending, at most 1.
    alpha
        Error rate over the whole path.

    Returns
    -------
    list of float
        A result at look k counts if its two-sided p-value is below the k-th number.

    Examples
    --------
    >>> [round(level, 3) for level in nominal_levels([0.5, 1])]
    [0.003, 0.049]
    """
    from scipy.special import ndtr, ndtri

    times = np.asarray(information, dtype=float)
    if not len(times) or (np.diff(times) <= 0).any() or times[0] <= 0 or times[-1] > 1:
        raise InputError(
            f"looks at {list(information)} of the largest budget",
            code="invalid-looks",
            remedy="looks are ascending shares of the largest budget, above 0 and at most 1",
        )
    # O'Brien-Fleming-like, alpha / 2 for either side.
    spent = 4 * ndtr(ndtri(alpha / 4) / np.sqrt(times))
    grid = np.linspace(-FAR, FAR, POINTS)  # of the score, whose variance is the information
    density = np.exp(-(grid**2) / (2 * times[0])) / np.sqrt(2 * np.pi * times[0])
    levels: list[float] = []
    before = 0.0
    for k, time in enumerate(times):
        if k:
            step = time - times[k - 1]
            kernel = np.exp(-((grid[:, None] - grid) ** 2) / (2 * step))
            density = (kernel / kernel.sum(axis=0)) @ density
        edge = _edge(grid, density, float(spent[k]) - before)
        before = float(spent[k])
        density = np.where(np.abs(grid) < edge, density, 0.0)
        levels.append(max(float(2 * ndtr(-edge / np.sqrt(time))), SMALLEST))
    return levels


def _edge(grid: np.ndarray, density: np.ndarray, outside: float) -> float:
    """Find where the two tails of a symmetric density contain `outside` together."""
    width = grid[1] - grid[0]
    half = len(grid) // 2
    # From the far end inwards, by the trapezoid rule.
    tail = density[half:][::-1]
    upto = np.concatenate([[0.0], np.cumsum((tail[1:] + tail[:-1]) / 2 * width)])
    return float(np.interp(outside / 2, upto, grid[half:][::-1]))
