"""Slow, obvious loops for measures of gain: discounted gain, Q, RBP and ERR.

Lists and pools as in measures.py. None means undefined. Nothing of the package is imported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from oracles.measures import Gains, Label, Labels, Pool, num_rel, num_rel_ret, relevant, top


def gain(label: Label, gains: Gains | None = None, form: str = "log2") -> float:
    """Gain of a label: the map's if it has one, else the grade or 2^grade - 1; not judged: 0."""
    if form not in ("log2", "exp-log2"):
        raise ValueError(f"unknown form {form!r}: use 'log2' or 'exp-log2'")
    if label is None or label < 0:
        return 0.0
    if gains is not None and label in gains:
        return float(gains[int(label)])
    return 2.0**label - 1 if form == "exp-log2" else float(label)


def ideal(pool: Pool, gains: Gains | None = None, form: str = "log2") -> list[float]:
    """The positive gains of the whole pool, best first."""
    return sorted((g for g in (gain(label, gains, form) for label in pool) if g > 0), reverse=True)


def discount(rank: int, base: float | None) -> float:
    """What the gain at a rank is divided by: log2(n + 1), or max(1, log_base n)."""
    if base is None:
        return math.log2(rank + 1)
    return max(1.0, math.log(rank) / math.log(base))


def discounted(gained: Sequence[float], base: float | None) -> float:
    """Sum of gain over discount along the ranks."""
    return sum(value / discount(rank, base) for rank, value in enumerate(gained, start=1))


def cg(labels: Labels, pool: Pool, cutoff: int | None = None, gains: Gains | None = None) -> float:
    """Gain collected in the first k documents."""
    return sum(gain(label, gains) for label in top(labels, cutoff))


def mean_gain(labels: Labels, pool: Pool, cutoff: int, gains: Gains | None = None) -> float:
    """Gain collected in the first k documents, over k."""
    return cg(labels, pool, cutoff, gains) / cutoff


def ncg(
    labels: Labels, pool: Pool, cutoff: int | None = None, gains: Gains | None = None
) -> float | None:
    """CG over that of the pool in its best order, cut at the same k; no cutoff: the whole pool."""
    best = sum(ideal(pool, gains)[:cutoff])
    return None if best == 0 else cg(labels, pool, cutoff, gains) / best


def dcg(
    labels: Labels,
    pool: Pool,
    cutoff: int | None = None,
    base: float | None = None,
    gains: Gains | None = None,
    form: str = "log2",
) -> float:
    """Discounted gain of the first k documents."""
    return discounted([gain(label, gains, form) for label in top(labels, cutoff)], base)


def ndcg(
    labels: Labels,
    pool: Pool,
    cutoff: int | None = None,
    base: float | None = None,
    gains: Gains | None = None,
    form: str = "log2",
) -> float | None:
    """DCG over that of the pool in its best order, cut at the same k; no cutoff: the whole pool,
    however short the list (trec_eval)."""
    best = discounted(ideal(pool, gains, form)[:cutoff], base)
    return None if best == 0 else dcg(labels, pool, cutoff, base, gains, form) / best


def q_measure(
    labels: Labels,
    pool: Pool,
    beta: float = 1.0,
    cutoff: int | None = None,
    gains: Gains | None = None,
    rel: int = 1,
) -> float | None:
    """Sakai's blended ratio (found + beta CG) / (n + beta ideal CG) at relevant ranks, over R."""
    total = num_rel(labels, pool, rel)
    if total == 0:
        return None
    best = ideal(pool, gains)
    score = 0.0
    for rank in range(1, len(top(labels, cutoff)) + 1):
        if relevant(labels[rank - 1], rel):
            found = num_rel_ret(labels, pool, rel, rank)
            blended = found + beta * cg(labels, pool, rank, gains)
            score += blended / (rank + beta * sum(best[:rank]))
    return score / total


# User models


def rbp(
    labels: Labels, pool: Pool, p: float = 0.8, cutoff: int | None = None, rel: int = 1
) -> float:
    """(1 - p) times the sum of p^(n-1) over relevant ranks n."""
    score = 0.0
    for rank, label in enumerate(top(labels, cutoff), start=1):
        if relevant(label, rel):
            score += (1 - p) * p ** (rank - 1)
    return score


def grbp(
    labels: Labels,
    pool: Pool,
    max_grade: int,
    p: float = 0.8,
    cutoff: int | None = None,
    gains: Gains | None = None,
) -> float:
    """RBP with gain over the largest gain of the scale 0..max_grade in place of 0 and 1."""
    largest = max(gain(grade, gains) for grade in range(max_grade + 1))
    score = 0.0
    for rank, label in enumerate(top(labels, cutoff), start=1):
        score += (1 - p) * p ** (rank - 1) * gain(label, gains) / largest
    return score


def err(
    labels: Labels,
    pool: Pool,
    max_grade: int,
    cutoff: int | None = None,
    gains: Gains | None = None,
) -> float:
    """Expected reciprocal rank of the document that satisfies: (2^l - 1) / 2^max_grade; gains take
    the place of grades, the largest gain that of max_grade."""
    largest = max(gain(grade, gains) for grade in range(max_grade + 1))
    score = 0.0
    still_reading = 1.0
    for rank, label in enumerate(top(labels, cutoff), start=1):
        satisfied = (2 ** gain(label, gains) - 1) / 2**largest
        score += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return score
