"""Similarity of two scorings of the same items: Kendall's tau, tau_ap, root mean square error.

Items (systems, mostly) are on the last axis. Leading axes broadcast, and a pair of
one-dimensional inputs gives a float. `*_cross` compare every row of one table with every row of
another, much faster than broadcasting. Work grows with the square of the number of items. Values
are tied when they are exactly equal; `with_ties` rounds means for that.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from hungjury import native
from hungjury.base.arrays import ArrayLike, Floats, Ints
from hungjury.stats._checks import Numbers, Seed, as_number, count, generator, numbers, refused

TauVariant = Literal["a", "b"]
TauTies = Literal["exact", "sampled"]
EXACT = 12  # decimals of a mean that are more than rounding


def with_ties(means: Floats) -> Floats:
    """Round means to 12 decimals.

    The last digits of a sum depend on the order of its terms, and systems that differ by nothing
    else (often by P@10) have to be tied.
    """
    return np.asarray(np.round(means, EXACT))


def kendall(x: ArrayLike, y: ArrayLike, variant: TauVariant = "b") -> Numbers:
    """Compute Kendall's tau, the rank correlation of two score vectors.

    Parameters
    ----------
    x, y : array_like
        Scores of the same items on the last axis; leading axes broadcast.
    variant : {"b", "a"}
        How ties count, see Notes.

    Returns
    -------
    float or ndarray
        The correlation over the last axis: 1 for the same order, -1 for the reverse, about 0 for
        unrelated orders.

    Notes
    -----
    Concordant minus discordant pairs, divided in variant "b" by the geometric mean of the pairs
    untied in x and those untied in y (NaN where a vector is constant), in variant "a" by the number
    of all pairs. A tau of t means that a random untied pair is in the same order with probability
    (1 + t) / 2. All pairs count the same: a swap at the bottom of a leaderboard is as bad as one at
    the top. If the top matters more, use `tau_ap`.

    Examples
    --------
    >>> import hungjury as hj
    >>> round(hj.stats.kendall([3, 2, 1], [3, 1, 2]), 4)
    0.3333

    Two of three pairs are in the same order and one is swapped: (2 - 1) / 3.
    """
    first, second = _two(x, y, ("x", "y"))
    return as_number(_tau(first[..., None, :], second[..., None, :], variant)[..., 0, 0])


def kendall_cross(x: ArrayLike, y: ArrayLike, variant: TauVariant = "b") -> Floats:
    """Compute Kendall's tau of every row of x [..., R, item] with every row of y [..., Q, item].

    The result is [..., R, Q].
    """
    return _tau(*_two(x, y, ("x", "y"), axes=2), variant)


def tau_ap(
    estimate: ArrayLike,
    truth: ArrayLike,
    ties: TauTies = "exact",
    samples: int = 100,
    seed: Seed = 0,
) -> Numbers:
    """Compute the AP rank correlation of an estimated ranking with the true one.

    Parameters
    ----------
    estimate, truth : array_like
        Scores of the same items. The estimate is walked from the top.
    ties : {"exact", "sampled"}
        Ties have no order: take the mean over random orders of both vectors, in closed form or
        over `samples` drawn orders.
    samples : int
        Orders drawn.
    seed : int or numpy.random.Generator
        Random seed.

    Returns
    -------
    float or ndarray
        The correlation over the last axis, in [-1, 1]; 0 for a constant vector.

    Notes
    -----
    Without ties: the mean over ranks i = 2, ..., N of the share of the i - 1 items above rank i
    that truth also puts above that item, mapped to [-1, 1] (Yilmaz, Aslam and Robertson 2008).
    Errors near the top of the estimate cost more than errors near its bottom. The two arguments are
    not exchangeable: the estimate decides which items are near the top. If neither ranking is the
    true one, take the mean of both directions, or use `kendall`.

    Examples
    --------
    >>> import hungjury as hj
    >>> estimate = [4, 3, 2, 1]
    >>> [round(hj.stats.tau_ap(estimate, truth), 2) for truth in ([4, 3, 1, 2], [3, 4, 2, 1])]
    [0.78, 0.33]
    >>> round(hj.stats.tau_ap([3, 2, 2, 1], [4, 3, 3, 1]), 4)
    0.8333

    A swap at the bottom leaves 0.78, one at the top 0.33. In the last example the orders agree; the
    tie in the middle is what keeps the correlation below 1.
    """
    first, second = (given[..., None, :] for given in _two(estimate, truth, ("estimate", "truth")))
    if ties == "exact":
        return as_number(_tau_ap(first, second)[..., 0, 0])
    count(samples, "samples")
    rng = generator(seed, "seed")
    each = (_tau_ap(_random_order(first, rng), _random_order(second, rng)) for _ in range(samples))
    return as_number(np.asarray(sum(each))[..., 0, 0] / samples)


def tau_ap_cross(estimates: ArrayLike, truths: ArrayLike) -> Floats:
    """Compute tau_ap of every estimate [..., E, item] with every truth [..., T, item].

    The result is [..., E, T].
    """
    return _tau_ap(*_two(estimates, truths, ("estimates", "truths"), axes=2))


def rmse(x: ArrayLike, y: ArrayLike) -> Numbers:
    """Compute the root mean square difference of two score vectors.

    Parameters
    ----------
    x, y : array_like
        Scores of the same items on the last axis; leading axes broadcast.

    Returns
    -------
    float or ndarray
        The typical size of a difference, in the unit of the scores; 0 for equal scores.

    Notes
    -----
    It compares the level of scores, which correlations ignore: judges who are all too generous by
    the same amount rank systems perfectly and still have a large RMSE. One large difference counts
    more than several small ones.

    Examples
    --------
    >>> import hungjury as hj
    >>> round(hj.stats.rmse([1.0, 2.0], [1.0, 4.0]), 4)
    1.4142

    The differences are 0 and 2; their mean square is 2.
    """
    first, second = _two(x, y, ("x", "y"), least=1)
    with np.errstate(over="ignore"):
        found = np.asarray(np.sqrt(np.mean((first - second) ** 2, axis=-1)))
    if not np.isfinite(found).all():
        said = "the squared differences are too large for a number"
        raise refused("x", "too-large", said, "scale the values down first")
    return as_number(found)


def _two(
    x: ArrayLike, y: ArrayLike, names: tuple[str, str], least: int = 2, axes: int = 1
) -> tuple[Floats, Floats]:
    """Return both as arrays of the same items; what is before `axes` axes broadcasts.

    A single item has no order: where at least 2 are needed, values may be infinite.
    """
    first, second = (
        numbers(given, name, least=least, infinite=least > 1)
        for given, name in zip((x, y), names, strict=True)
    )
    one, other = names
    items = first.shape[-1], second.shape[-1]
    if items[0] != items[1]:
        remedy = "give both the same items in the same order, on the last axis"
        said = f"{one} has {items[0]} items, {other} has {items[1]}"
        raise refused(other, "wrong-length", said, remedy)
    for table, name in zip((first, second), names, strict=True):
        if table.ndim < axes:
            remedy = "give a table [..., row, item]"
            raise refused(name, "wrong-shape", f"{name} is one vector", remedy)
    leading = first.shape[:-axes], second.shape[:-axes]
    try:
        np.broadcast_shapes(*leading)
    except ValueError as problem:
        said = f"the leading axes {leading[0]} of {one} and {leading[1]} of {other} do not match"
        remedy = "make them equal, or insert axes of length 1"
        raise refused(other, "wrong-shape", said, remedy) from problem
    return first, second


def _cross(first: Floats, second: Floats, by_rank: bool) -> Floats:
    """`native.pair_sums` for every index of the leading axes."""
    shape = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    left, right = (
        np.ascontiguousarray(np.broadcast_to(table, shape + table.shape[-2:])).reshape(
            math.prod(shape), *table.shape[-2:]
        )
        for table in (first, second)
    )
    sums = native.pair_sums(left, right, by_rank)
    return sums.reshape(*shape, first.shape[-2], second.shape[-2])


def _untied_pairs(values: Floats) -> Ints:
    """Count unordered pairs of items on the last axis that differ."""
    rows = np.ascontiguousarray(values).reshape(math.prod(values.shape[:-1]), values.shape[-1])
    return native.untied_pairs(rows).reshape(values.shape[:-1])


def _possible_pairs(first: Floats, second: Floats, variant: TauVariant) -> Floats:
    """Return the denominator of tau."""
    if variant == "a":
        items = first.shape[-1]
        shape = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
        return np.full(shape, items * (items - 1) / 2)
    # One root of the product: with equal counts it is exact, and tau of x with x is 1.
    product = _untied_pairs(first).astype(np.float64) * _untied_pairs(second)
    return np.asarray(np.sqrt(product))


def _tau(first: Floats, second: Floats, variant: TauVariant) -> Floats:
    """Compute tau of every row with every row; rounding must not lead beyond 1."""
    possible = _possible_pairs(first[..., :, None, :], second[..., None, :, :], variant)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.clip(_cross(first, second, by_rank=False) / possible, -1, 1))


def _tau_ap(estimates: Floats, truths: Floats) -> Floats:
    """tau_ap = 1/(N-1) * sum over pairs with j above i in the estimate of w_i sign(t_j - t_i).

    Every rank below the first has mean share 1/2 when all pairs count one half; what truth adds is
    half a sign per pair, so the halves and the stretching to [-1, 1] cancel. Pairs tied in
    either vector count one half, that is, they add nothing.
    """
    return np.asarray(_cross(estimates, truths, by_rank=True) / (estimates.shape[-1] - 1))


def _random_order(values: Floats, rng: np.random.Generator) -> Floats:
    """Rank `values`, breaking ties at random."""
    order = np.lexsort((rng.random(values.shape), values), axis=-1)
    return np.argsort(order, axis=-1).astype(np.float64)
