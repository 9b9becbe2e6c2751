"""Closed forms of the balancing index, for measures that declare a native kernel.

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
from hungjury.measures.catalogue import Measure
from hungjury.measures.catalogue.gain import Persistent, gain_table, gRBP

Balances: TypeAlias = Callable[[int], bool]

TOLERANCE = 1e-12  # relative difference below which two scores count as equal: rounding


def closed_form(measure: Measure, low: int, top: int) -> Callable[[int], Balances] | None:
    """Return the test for each length of the lists, if the measure has a closed form.

    Ranks below the measure's cutoff neither count nor balance.
    """
    kernel = measure.kernel(np.ones(1), top)
    if kernel is None or kernel.name not in _FORMS or kernel.worth[0] != 0:
        return None
    name, small, large = kernel.name, float(kernel.worth[low]), float(kernel.worth[top])
    if large <= 0 or small < 0:
        return None

    def form(length: int) -> Balances:
        last = min(length, measure.depth or length)
        if small == 0:
            return lambda rank: False
        if isinstance(measure, Persistent) and type(measure).discount is Persistent.discount:
            gains = measure.gain_of_grades(top)
            if isinstance(measure, gRBP):  # as they are written, not as shares of the largest
                gains = gain_table(top, measure.gains, exponential=False)
            ratio = _printed(gains[top]) / _printed(gains[low])
            balances = _geometric(_printed(measure.p), ratio, last)
        else:
            shorter = measure.kernel(np.arange(1.0, last + 1), top)
            assert shorter is not None
            balances = _FORMS[name](shorter.weights, small, large)
        return lambda rank: rank <= last and balances(rank)

    return form


def _decide(value: float, needed: float, exact: Callable[[], bool]) -> bool:
    """Decide value >= needed, exactly where rounding could matter."""
    if abs(value - needed) > TOLERANCE * abs(needed):
        return value > needed
    return exact()


def _simple(value: float) -> Fraction:
    return Fraction(value).limit_denominator(10**6)


def _printed(value: float) -> Fraction:
    return Fraction(str(float(value)))


def _precisions(weights: Floats, small: float, large: float) -> Balances:
    """AP: the precisions at ranks b, ..., N of a list filled from rank b sum to 1 or more."""
    needed = (large / small) ** 2 * weights[0]

    def balances(rank: int) -> bool:
        below = weights[rank - 1 :]
        found = np.arange(1, len(below) + 1)
        terms = (int(n) * _simple(w) for n, w in zip(found, below, strict=True))
        return _decide(float(found @ below), needed, lambda: sum(terms) >= _simple(needed))

    return balances


def _cascade(weights: Floats, small: float, large: float) -> Balances:
    """ERR: x_min times the sum over ranks k >= b of (1 - x_min)^(k - b) / k reaches x_max."""
    least, most = Fraction(small), Fraction(large) * _simple(weights[0])

    def balances(rank: int) -> bool:
        below = weights[rank - 1 :]
        value = small * float((1 - small) ** np.arange(len(below)) @ below)
        terms = ((1 - least) ** n * _simple(w) for n, w in enumerate(below))
        return _decide(value, float(most), lambda: least * sum(terms) >= most)

    return balances


def _gains(weights: Floats, small: float, large: float) -> Balances:
    """Gains times discounts w: g_min (w_b + ... + w_N) >= g_max w_1.

    For nDCG this is the thesis' formula, with max(1, log n) kept inside: lists shorter than the
    base need no case of their own.
    """
    below = np.cumsum(weights[::-1])[::-1]  # from each rank to the end
    needed = large * weights[0] * (1 - TOLERANCE)
    return lambda rank: bool(small * below[rank - 1] >= needed)


_FORMS = {"gains": _gains, "precisions": _precisions, "cascade": _cascade}  # by kernel


def _geometric(p: Fraction, ratio: Fraction, last: int) -> Balances:
    """RBP: p^(b-1) - p^N >= t (1 - p), t the ratio of the gains.

    Solved for b this is b <= log_p(t (1 - p) + p^N) + 1. At p = 1/2 rank 2 misses by p^N alone,
    which no floating point number shows.
    """
    missing = ratio * (1 - p)
    if p == 0:
        return lambda rank: rank == 1 and ratio <= 1
    log_p = math.log1p(-float(1 - p))  # powers of a rounded p would drift where p is near 1

    def balances(rank: int) -> bool:
        value = math.exp((rank - 1) * log_p) - math.exp(last * log_p)
        return _decide(value, float(missing), lambda: exact(rank))

    def exact(rank: int) -> bool:
        room = p ** (rank - 1) - missing
        return room > 0 and _power_within(p, last, log_p, room)

    return balances


def _power_within(p: Fraction, exponent: int, log_p: float, room: Fraction) -> bool:
    """Decide p^exponent <= room, without the power where logarithms are clear."""
    have = exponent * log_p
    want = math.log(room.numerator) - math.log(room.denominator)
    if abs(have - want) > 1e-6 * max(abs(have), abs(want), 1):
        return have < want
    return p**exponent <= room
