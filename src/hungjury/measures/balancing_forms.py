"""Closed forms of the balancing index of measures.

Each is a test `balances(b)`: do documents of the smallest relevant grade, from rank b to the end,
score as well as one of the largest grade at rank 1? Common factors, such as the recall base, are
left out. Floating point decides clear cases; a tie up to rounding is settled with fractions, where
numbers mean what they print: 0.8 is 4/5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.measures.base import Form

Balances: TypeAlias = Callable[[int], bool]

TOLERANCE = 1e-12
"""Relative difference below which two scores count as equal: rounding."""

ROUNDING = 1e-18
"""Share of a sum that floating point does not see."""


def cut(form: Form, cutoff: int | None) -> Form:
    """Return the form of a measure with a cutoff: ranks below it neither count nor balance."""

    def shorter(length: int) -> Balances:
        last = length if cutoff is None else min(length, cutoff)
        balances = form(last)
        return lambda rank: rank <= last and balances(rank)

    return shorter


def _never(rank: int) -> bool:
    return False


def _decide(value: float, needed: float, exact: Callable[[], bool]) -> bool:
    """Decide value >= needed, exactly where rounding could matter."""
    if abs(value - needed) > TOLERANCE * abs(needed):
        return value > needed
    return exact()


def of_precisions(relevant: bool) -> Form:
    """AP: the precisions at ranks b, ..., N of a list filled from rank b sum to 1 or more."""

    def balances(rank: int, last: int) -> bool:
        ranks = np.arange(rank, last + 1)
        value = float(((ranks - (rank - 1)) / ranks).sum())
        terms = (Fraction(n - rank + 1, n) for n in range(rank, last + 1))
        return _decide(value, 1.0, lambda: sum(terms, Fraction(0)) >= 1)

    return lambda last: (lambda rank: balances(rank, last)) if relevant else _never


def of_cascade(small: float, large: float) -> Form:
    """ERR: x_min times the sum over ranks k >= b of (1 - x_min)^(k - b) / k reaches x_max."""
    least, most = Fraction(small), Fraction(large)
    terms_felt = math.ceil(math.log(ROUNDING) / math.log1p(-float(least)))

    def balances(rank: int, last: int) -> bool:
        ranks = np.arange(rank, min(last, rank + terms_felt) + 1)
        value = float((float(1 - least) ** (ranks - rank) / ranks).sum()) * float(least)
        terms = ((1 - least) ** (n - rank) / n for n in range(rank, last + 1))
        return _decide(value, float(most), lambda: least * sum(terms, Fraction(0)) >= most)

    return lambda last: lambda rank: balances(rank, last)


def of_discounts(
    gains: Floats, discount: Callable[[Floats], Floats], low: int, top: int
) -> Form | None:
    """Gains times discounts w: g_min (w_b + ... + w_N) >= g_max w_1.

    For nDCG this is the thesis' formula, with max(1, log n) kept inside: lists shorter than the
    base need no case of their own.
    """
    if gains[0] != 0 or gains[top] <= 0 or gains[low] < 0:
        return None
    if gains[low] == 0:
        return lambda length: _never

    def form(last: int) -> Balances:
        weights = discount(np.arange(1, last + 1, dtype=float))
        behind = np.cumsum(weights[::-1])[::-1]  # from each rank to the end
        needed = gains[top] * weights[0] * (1 - TOLERANCE)
        return lambda rank: bool(gains[low] * behind[rank - 1] >= needed)

    return form


def _printed(value: float) -> Fraction:
    return Fraction(str(float(value)))


def of_persistence(p: float, small: float, large: float) -> Form | None:
    """RBP, of documents whose gains are `small` and `large`."""
    if large <= 0 or small < 0:
        return None
    if small == 0:
        return lambda length: _never
    return _geometric(_printed(p), _printed(small), _printed(large))


def _geometric(p: Fraction, small: Fraction, large: Fraction) -> Form:
    """RBP: p^(b-1) - p^N >= t (1 - p), t the ratio of the gains.

    Solved for b this is b <= log_p(t (1 - p) + p^N) + 1. At p = 1/2 rank 2 misses by p^N alone,
    which no floating point number shows.
    """
    ratio = large / small
    missing = ratio * (1 - p)
    if p == 0:
        return lambda last: lambda rank: rank == 1 and ratio <= 1
    log_p = math.log1p(-float(1 - p))  # powers of a rounded p would drift where p is near 1

    def balances(rank: int, last: int) -> bool:
        value = math.exp((rank - 1) * log_p) - math.exp(last * log_p)
        return _decide(value, float(missing), lambda: exact(rank, last))

    def exact(rank: int, last: int) -> bool:
        room = p ** (rank - 1) - missing
        return room > 0 and _power_within(p, last, log_p, room)

    return lambda last: lambda rank: balances(rank, last)


def _power_within(p: Fraction, exponent: int, log_p: float, room: Fraction) -> bool:
    """Decide p^exponent <= room, without the power where logarithms are clear."""
    have = exponent * log_p
    want = math.log(room.numerator) - math.log(room.denominator)
    if abs(have - want) > 1e-6 * max(abs(have), abs(want), 1):
        return have < want
    return p**exponent <= room
