"""Closed forms: balancing indices, means over ties, the exact expectation of average precision.

Each is a test `balances(b)`: do documents of the smallest relevant grade, from rank b to the end,
score as well as one of the largest grade at rank 1? Common factors, such as the recall base, are
left out. Floating point decides clear cases; a tie up to rounding is settled with fractions, where
numbers mean what they print: 0.8 is 4/5.

Notation: a tie holds s documents at ranks f+1 .. f+s, h of them relevant; C relevant documents
are above it. All orders inside a tie are equally likely (McSherry and Najork 2008).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.data.alignment import Alignment
from hungjury.data.judged import Judged, judge_lists
from hungjury.data.qrels import Qrels

__all__ = [
    "TOLERANCE",
    "Form",
    "cut",
    "expected_ap",
    "expected_precision_sum",
    "first_hit_distribution",
    "of_cascade",
    "of_discounts",
    "of_persistence",
    "of_precisions",
    "within",
]

Balances: TypeAlias = Callable[[int], bool]
Form: TypeAlias = Callable[[int], Balances]
"""Length of the lists -> the test of a rank."""

TOLERANCE = 1e-12
"""Relative difference below which two scores count as equal: rounding."""

ROUNDING = 1e-18
"""Share of a sum that floating point does not see."""


def cut(form: Form, cutoff: int | None) -> Form:
    """Ranks behind the cutoff neither count nor balance."""

    def cut(length: int) -> Balances:
        last = length if cutoff is None else min(length, cutoff)
        balances = form(last)
        return lambda rank: rank <= last and balances(rank)

    return cut


def _never(rank: int) -> bool:
    return False


def _decide(value: float, needed: float, exact: Callable[[], bool]) -> bool:
    """value >= needed, exactly where rounding could turn it."""
    if abs(value - needed) > TOLERANCE * abs(needed):
        return value > needed
    return exact()


def of_precisions(relevant: bool) -> Form:
    """AP: the precisions at ranks b, ..., N of a list filled from b on add up to 1 or more."""

    def form(last: int) -> Balances:
        def balances(rank: int) -> bool:
            ranks = np.arange(rank, last + 1)
            value = float(((ranks - (rank - 1)) / ranks).sum())
            return _decide(value, 1.0, lambda: exact(rank) >= 1)

        def exact(rank: int) -> Fraction:
            terms = (Fraction(n - rank + 1, n) for n in range(rank, last + 1))
            return sum(terms, Fraction(0))

        return balances if relevant else _never

    return form


def of_cascade(small: float, large: float) -> Form:
    """ERR: x_min times the sum over ranks k >= b of (1 - x_min)^(k - b) / k reaches x_max."""
    least, most = Fraction(small), Fraction(large)
    terms_felt = math.ceil(math.log(ROUNDING) / math.log1p(-float(least)))

    def form(last: int) -> Balances:
        def balances(rank: int) -> bool:
            ranks = np.arange(rank, min(last, rank + terms_felt) + 1)
            value = float((float(1 - least) ** (ranks - rank) / ranks).sum()) * float(least)
            return _decide(value, float(most), lambda: exact(rank) >= most)

        def exact(rank: int) -> Fraction:
            terms = ((1 - least) ** (n - rank) / n for n in range(rank, last + 1))
            return least * sum(terms, Fraction(0))

        return balances

    return form


def of_discounts(
    gains: NDArray[np.float64],
    discount: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    low: int,
    top: int,
) -> Form | None:
    """Gains times discounts w: g_min (w_b + ... + w_N) >= g_max w_1.

    For nDCG this is the thesis' formula, with max(1, log n) kept inside, so that lists shorter
    than the base need no case of their own.
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

    def form(last: int) -> Balances:
        def balances(rank: int) -> bool:
            value = math.exp((rank - 1) * log_p) - math.exp(last * log_p)
            return _decide(value, float(missing), lambda: exact(rank))

        def exact(rank: int) -> bool:
            room = p ** (rank - 1) - missing
            return room > 0 and _power_within(p, last, log_p, room)

        return balances

    return form


def _power_within(p: Fraction, exponent: int, log_p: float, room: Fraction) -> bool:
    """p^exponent <= room, without the power where logarithms are clear."""
    have = exponent * log_p
    want = math.log(room.numerator) - math.log(room.denominator)
    if abs(have - want) > 1e-6 * max(abs(have), abs(want), 1):
        return have < want
    return p**exponent <= room


def within(judged: Judged, cutoff: NDArray[np.int64] | int) -> Floats:
    """[..., list, place]: the chance that a place is among the first `cutoff` ranks."""
    limit = np.asarray(cutoff)[..., None] if np.ndim(cutoff) else np.asarray(cutoff)
    if judged.ties is None:
        return (judged.ranks <= limit).astype(float)
    first, last = judged.ties
    size = last - first + 1
    return np.clip(limit - first + 1, 0, size) / size


def _around(judged: Judged, hits: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
    """C and h for the tie of every place."""
    assert judged.ties is not None
    first, _ = judged.ties
    width = first.shape[-1]
    places = np.arange(width)
    fresh = np.ones(first.shape, dtype=bool)
    fresh[..., 1:] = first[..., 1:] != first[..., :-1]
    begin = np.maximum.accumulate(np.where(fresh, places, 0), axis=-1)
    closing = np.ones(first.shape, dtype=bool)
    closing[..., :-1] = fresh[..., 1:]
    end = np.minimum.accumulate(np.where(closing, places, width)[..., ::-1], axis=-1)[..., ::-1]
    total = np.cumsum(hits, axis=-1)
    begin, end = (np.broadcast_to(x, hits.shape) for x in (begin, end))
    above: NDArray[Any] = np.take_along_axis(total - hits, begin, axis=-1)
    return above, np.take_along_axis(total, end, axis=-1) - above


def expected_precision_sum(judged: Judged, hits: NDArray[np.bool_], cutoff: int | None) -> Floats:
    """Mean over orders of the sum of precisions at relevant ranks, down to `cutoff`."""
    assert judged.ties is not None
    first, last = judged.ties
    above, inside = _around(judged, hits)
    f, size = first - 1, last - first + 1
    limit = judged.depth if cutoff is None else min(cutoff, judged.depth)
    seen = np.clip(limit - f, 0, size)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, judged.depth + 2))])
    one_over = harmonic[np.minimum(f + seen, judged.depth + 1)] - harmonic[f]
    # Sum over the ranks f+i seen of (C + 1 + (i-1)(h-1)/(s-1)) / (f+i), each with chance 1/s.
    spread = (inside - 1) / np.maximum(size - 1, 1)
    each = (above + 1) * one_over + spread * (seen - (f + 1) * one_over)
    return np.asarray(np.where(hits, each / size, 0.0).sum(axis=-1))


def first_hit_distribution(judged: Judged, hits: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Ranks of the first relevant document and their chances, each [..., list, step].

    Lists without a relevant document have chance 0 everywhere.
    """
    assert judged.ties is not None
    first, last = judged.ties
    _, inside = _around(judged, hits)
    at = np.argmax(hits, axis=-1)[..., None]
    found = np.asarray(hits.any(axis=-1))
    full = [np.broadcast_to(x, hits.shape) for x in (first, last)]
    begin, stop = (np.take_along_axis(x, at, axis=-1)[..., 0] for x in full)
    h = np.take_along_axis(inside, at, axis=-1)[..., 0]
    size = np.where(found, stop - begin + 1, 1)
    steps = np.arange(int(size.max(initial=1)))
    # P(the first i documents of the tie are all not relevant), i = 0, 1, ...
    left = np.maximum(size[..., None] - h[..., None] - steps, 0)
    of = np.maximum(size[..., None] - steps, 1)
    none_yet = np.cumprod(np.concatenate([np.ones((*h.shape, 1)), left / of], axis=-1), axis=-1)
    chance = np.where(found[..., None], none_yet[..., :-1] - none_yet[..., 1:], 0.0)
    return (begin[..., None] + steps).astype(float), chance


NODES_AT_ONCE = 100


def expected_ap(
    aligned: Alignment, qrels: Qrels, rel: int, cutoff: int | None, condensed: bool
) -> Floats:
    """E(AP) with a random number R of relevant documents, exactly; 0 where R = 0.

    With 1/R the integral of t^(R-1) over [0, 1], the expectation becomes the integral of
    Q(t)/t times the expected sum of precisions under the tilted probabilities
    q = p t / (1 - p + p t), where Q(t) is the product of all 1 - p + p t. The integrand is a
    polynomial, of a degree below the pool's size: Gauss-Legendre quadrature is exact.
    """
    from scipy.special import roots_legendre

    p = qrels.at_least(rel).p
    assert p is not None
    sizes = np.diff(qrels.pool.offsets)
    nodes, weights = roots_legendre(int(sizes.max() + 1) // 2 + 1)
    nodes, weights = (nodes + 1) / 2, weights / 2
    labels = np.zeros(len(p), dtype=np.int16)
    total = np.zeros(len(aligned.length))
    for start in range(0, len(nodes), NODES_AT_ONCE):
        t = nodes[start : start + NODES_AT_ONCE, None]
        factor = 1 - p + p * t
        tilted = p * t / factor
        with np.errstate(divide="ignore"):
            product = np.exp(qrels.pool.sum_by_topic(np.log(factor)))
        share = weights[start : start + NODES_AT_ONCE, None] * product / t
        for cells, judged in judge_lists(
            aligned, labels, 1, condensed=condensed, needs_nonrelevant=True, p=tilted
        ):
            assert judged.p is not None
            q = judged.p
            if cutoff is not None:
                q = q * (judged.ranks <= cutoff)
            above = np.cumsum(q, axis=-1) - q
            sums = (q * (1 + above) / judged.ranks).sum(axis=-1)
            total[cells] += (share[:, judged.topic] * sums).sum(axis=0)
    return total
