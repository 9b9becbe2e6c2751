"""The balancing index: how top-heavy a measure is (thesis, section 3.5).

B(N) is the lowest rank b from which a list of N documents can be filled up with documents of the
smallest relevant grade and still score as well as one document of the largest grade at rank 1:

    B(N) = max{b : M(q_max, 0, ..., 0) <= M(0, ..., 0, q_min, ..., q_min), q_min from rank b on}

N means that every rank counts the same, 1 that only a full list balances rank 1, minus infinity
that not even a full list does. Both lists belong to one pool.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.errors import Argument, InputError, MeasureError, check_choice
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, check_count
from hungjury.data.judged import BUDGET
from hungjury.measures.balancing_forms import TOLERANCE, cut
from hungjury.theory.axioms import check_axioms
from hungjury.theory.list_pairs import Lists, ListScorer, MeasureLike, plentiful_pool

Method: TypeAlias = Literal["auto", "closed", "bisection", "scan"]
Index: TypeAlias = int | float
"""A rank, or minus infinity."""

SHORT, LONG = 4, 30
"""Lengths at which Replacement is checked, completely and at random."""


def balancing_index(
    measure: MeasureLike,
    length: int,
    q_min: int = 1,
    q_max: int = 1,
    *,
    method: Method = "auto",
) -> Index:
    """Compute the balancing index B(N) of a measure: how top-heavy it is.

    A small index says that the first rank weighs more than much of the list: documents from rank
    B(N) to the end are needed to make up for it. An index near N says that all ranks count nearly
    the same. Compare measures at the same length; the index says nothing about the measures' power
    or validity.

    Parameters
    ----------
    measure : str, Measure or callable
        A measure, or a function from a tuple of grades to a number.
    length : int
        The length N of the lists.
    q_min, q_max : int
        Smallest relevant and largest grade of the scale.
    method : {"auto", "closed", "bisection", "scan"}
        Closed forms of AP, RBP, ERR, nDCG and relatives (ties are settled exactly); bisection,
        right where Replacement holds; or every rank, about ``length**2`` work. ``"auto"`` takes the
        first that can be used.

    Returns
    -------
    float
        The index; minus infinity where no rank balances.

    Notes
    -----
    B(N) is the largest rank b such that documents of grade `q_min` at all ranks from b to N score
    at least as well as one document of grade `q_max` at rank 1. Bisection and scan take scores
    within one part in 10**12 as equal. Ferrante, Ferro and Maistro (2015).

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.theory.balancing_index("AP", 10)
    7

    For AP, relevant documents at ranks 7 to 10 are worth one at rank 1.
    """
    curve = balancing_curve(measure, [length], q_min, q_max, method=method)
    return int(curve[0]) if np.isfinite(curve[0]) else -math.inf


def balancing_curve(
    measure: MeasureLike,
    lengths: Iterable[int],
    q_min: int = 1,
    q_max: int = 1,
    *,
    method: Method = "auto",
) -> NDArray[np.float64]:
    """B(N) for many N, as `balancing_index`."""
    low, top = (
        check_count("q_min", q_min, 1, MOST_GRADE),
        check_count("q_max", q_max, 1, MOST_GRADE),
    )
    if low > top:
        raise InputError(
            f"q_min ({low}) is larger than q_max ({top})",
            code="low-above-high",
            argument="q_min",
            remedy="q_min must be at most q_max",
        )
    check_choice("method", method, get_args(Method))
    scorer = ListScorer(measure)
    scorer.check(top)
    sizes = [check_count("length", length, 1, MOST_RANKS) for length in lengths]
    search = _search(scorer, max(sizes, default=1), low, top, method)
    return np.array([search(length) for length in sizes], dtype=float)


def _search(
    scorer: ListScorer, longest: int, low: int, top: int, method: Method
) -> Callable[[int], Index]:
    """The function that finds the index of one length."""
    if method in ("auto", "closed") and scorer.measure is not None:
        form = scorer.measure.balancing_form(low, top)
        if form is not None:
            known = cut(form, scorer.measure.depth)
            return lambda length: _bisect(known(length), length)
    if method == "closed":
        raise MeasureError(
            f"{scorer.name} has no closed form here",
            code="no-closed-form",
            remedy=("use", Argument("method", "auto")),
        )
    if method == "auto":
        method = "bisection" if _replacement_holds(scorer, longest, top) else "scan"
    if method == "scan":
        return lambda length: _scan(scorer, length, low, top)
    return lambda length: _bisect(_balances(scorer, length, low, top), length)


def _replacement_holds(scorer: ListScorer, longest: int, top: int) -> bool:
    """Check Replacement on short lists, and on longer random ones."""
    for length in {min(longest, SHORT), min(longest, LONG)}:
        labels = np.repeat(np.arange(top + 1), plentiful_pool(length, top + 1)).tolist()
        report = check_axioms(scorer.given, length, top + 1, pool=labels, samples=2000)
        if report.replacement is not None:
            return False
    return True


def _bisect(balances: Callable[[int], bool], length: int) -> Index:
    """The largest rank that balances, where all ranks above it do too."""
    if not balances(1):
        return -math.inf
    good, bad = 1, length + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if balances(middle):
            good = middle
        else:
            bad = middle
    return good


def _tails(starts: NDArray[np.int64], length: int, grade: int) -> Lists:
    """Return lists with `grade` at all ranks from `start` to the end."""
    ranks = np.arange(1, length + 1)
    return np.where(ranks >= starts[:, None], grade, 0).astype(np.int16)


def _needed(scorer: ListScorer, length: int, top: int) -> float:
    """The least score that balances one document of the largest grade at rank 1."""
    single = np.zeros((1, length), dtype=np.int16)
    single[0, 0] = top
    value = float(scorer(single, plentiful_pool(length, top + 1))[0])
    return value - TOLERANCE * abs(value)


def _balances(scorer: ListScorer, length: int, low: int, top: int) -> Callable[[int], bool]:
    needed = _needed(scorer, length, top)
    pool = plentiful_pool(length, top + 1)

    def balances(rank: int) -> bool:
        return bool(scorer(_tails(np.array([rank]), length, low), pool)[0] >= needed)

    return balances


def _scan(scorer: ListScorer, length: int, low: int, top: int) -> Index:
    """From the lowest rank upwards, a block of ranks at a time."""
    needed = _needed(scorer, length, top)
    pool = plentiful_pool(length, top + 1)
    step = max(BUDGET // length, 1)
    for last in range(length, 0, -step):
        starts = np.arange(last, max(last - step, 0), -1)
        enough = np.flatnonzero(scorer(_tails(starts, length, low), pool) >= needed)
        if len(enough):
            return int(starts[enough[0]])
    return -math.inf
