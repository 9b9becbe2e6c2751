"""Sums over all ordered pairs of items, the core of Kendall's tau and of tau_ap.

Both correlations are sums over pairs (i, j) of a weight that depends on one vector times the
sign of x_i - x_j in the other. Written as products of flattened pair tables, many vectors against
many others is a matrix product. Tables are made block by block, so memory stays bounded.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hungjury.stats._checks import Floats

PAIRS_AT_ONCE = 2**22
"""Entries of one pair table. Below 2**24, so that sums of signs are exact in single precision."""

Table: TypeAlias = NDArray[np.floating]
Weigh: TypeAlias = Callable[[Floats, slice], Table]
"""From rows x and a slice of items i to weights [row, i, j] of their pairs with every item j."""


def signs(rows: Floats, items: slice, dtype: DTypeLike = np.float32) -> Table:
    """sign(x_i - x_j) for i in `items` and every j; comparing keeps infinities apart."""
    one, other = rows[:, items, None], rows[:, None, :]
    table: Table = np.subtract(one > other, one < other, dtype=dtype)
    return table


def cross_sums(left: Floats, right: Floats, weigh: Weigh = signs) -> Floats:
    """[L, item], [R, item] -> [L, R]: sums over pairs of a weight in left times a sign in right."""
    sums = np.zeros((len(left), len(right)))
    for items, length in _item_blocks(left.shape[-1]):
        for mine in _row_blocks(len(left), length):
            weights = weigh(left[mine], items)
            for theirs in _row_blocks(len(right), length):
                other = signs(right[theirs], items, weights.dtype)
                sums[mine, theirs] += weights.reshape(-1, length) @ other.reshape(-1, length).T
    return sums


def row_sums(left: Floats, right: Floats, weigh: Weigh = signs) -> Floats:
    """[R, item], [R, item] -> [R]: the same sums, each row of left with its row of right."""
    sums = np.zeros(len(left))
    for items, length in _item_blocks(left.shape[-1]):
        for rows in _row_blocks(len(left), length):
            weights = weigh(left[rows], items)
            other = signs(right[rows], items, weights.dtype)
            sums[rows] += np.einsum("rij,rij->r", weights, other)
    return sums


def broadcast_sums(
    left: Floats, right: Floats, shape: tuple[int, ...], weigh: Weigh = signs
) -> Floats:
    """`row_sums` over any leading axes, which broadcast to `shape`."""
    items = left.shape[-1]
    flat_left, flat_right = left.reshape(-1, items), right.reshape(-1, items)
    if len(flat_left) == 1 or len(flat_right) == 1:
        return cross_sums(flat_left, flat_right, weigh).reshape(shape)
    all_left = np.broadcast_to(left, (*shape, items)).reshape(-1, items)
    all_right = np.broadcast_to(right, (*shape, items)).reshape(-1, items)
    return row_sums(all_left, all_right, weigh).reshape(shape)


def untied_pairs(values: Floats) -> NDArray[np.int64]:
    """How many unordered pairs of items on the last axis differ."""
    items = values.shape[-1]
    ordered = np.sort(values, axis=-1)
    place = np.arange(items)
    opens = np.ones(ordered.shape, dtype=bool)
    opens[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    # An item's distance from the start of its tie is the number of earlier items it is tied with.
    start = np.maximum.accumulate(np.where(opens, place, 0), axis=-1)
    pairs: NDArray[np.int64] = items * (items - 1) // 2 - (place - start).sum(axis=-1)
    return pairs


def _item_blocks(items: int) -> Iterator[tuple[slice, int]]:
    """Slices of the first item of a pair, with the length of their flattened pair tables."""
    step = max(1, PAIRS_AT_ONCE // items)
    for start in range(0, items, step):
        stop = min(start + step, items)
        yield slice(start, stop), (stop - start) * items


def _row_blocks(rows: int, length: int) -> Iterator[slice]:
    step = max(1, PAIRS_AT_ONCE // length)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
