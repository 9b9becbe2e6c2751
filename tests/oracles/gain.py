"""Slow, obvious loops for measures of gain: discounted gain, Q, RBP and ERR.

Lists and pools as in measures.py. None means undefined. Nothing of the package is imported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

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


# Users who read on with a probability (C/W/L)


def inverse_squares(start: float) -> float:
    """The sum of 1 / n^2 from start on: terms by hand, the rest by Euler and Maclaurin."""
    x = start + 40
    rest = 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)
    return sum(1 / (start + i) ** 2 for i in range(40)) + rest


def reading(
    labels: Labels,
    most: int,
    go_on: Callable[[int, float, float], float],
    tail: Callable[[int, float], float],
    cutoff: int | None = None,
) -> float:
    """Utility over the length read, rank by rank; tail(n, total): ranks read from n on, where no
    document has a gain."""
    reached, total, utility, read = 1.0, 0.0, 0.0, 0.0
    last = len(labels) if cutoff is None else cutoff
    for n in range(1, last + 1):
        label = labels[n - 1] if n <= len(labels) else None
        gain = max(label or 0, 0) / most
        total += gain
        utility += reached * gain
        read += reached
        reached *= go_on(n, gain, total)
    if cutoff is None:
        read += reached * tail(last + 1, total)
    return utility / read


def squared(n: float) -> float:
    return (max(n - 1, 0) / n) ** 2


def squares_from(start: float) -> float:
    """Ranks read where C(n) = ((n + a - 1) / (n + a))^2 and start = n + a - 1."""
    return start**2 * inverse_squares(start) if start > 0 else 1.0


def cwl(name: str, m: object, labels: Labels, most: int) -> float:
    """The measures by their continuation functions, as in their papers."""
    t, p, k = (getattr(m, name, None) for name in ("T", "p", "cutoff"))
    no_tail = lambda n, total: 0.0  # noqa: E731
    if name == "SDCG":
        return reading(
            labels, most, lambda n, g, s: math.log2(n + 1) / math.log2(n + 2), no_tail, k
        )
    if name == "BPM":
        return reading(labels, most, lambda n, g, s: float(s < t * (1 - 1e-12)), no_tail, k)
    if name == "INSQ":
        return reading(
            labels,
            most,
            lambda n, g, s: squared(n + 2 * t),
            lambda n, s: squares_from(n + 2 * t - 1),
        )
    if name == "INST":
        return reading(
            labels,
            most,
            lambda n, g, s: squared(n + t + (t - s)),
            lambda n, s: squares_from(n + t + (t - s) - 1),
        )
    if name == "NERR8":
        return reading(labels, most, lambda n, g, s: 1 - g, no_tail, k)
    if name == "NERR9":
        return reading(labels, most, lambda n, g, s: n / (n + 1) * (1 - g), no_tail, k)
    if name == "NERR10":
        return reading(labels, most, lambda n, g, s: p * (1 - g), lambda n, s: 1 / (1 - p))
    return reading(
        labels,
        most,
        lambda n, g, s: squared(n + 2 * t) * (1 - g),
        lambda n, s: squares_from(n + 2 * t - 1),
    )


def rbo_to(ranking: Sequence[int], ideal: Sequence[int], p: float, depth: int) -> float:
    total = 0.0
    for n in range(1, depth + 1):
        total += p ** (n - 1) * len(set(ranking[:n]) & set(ideal[:n])) / n
    return total


def compat(labels: Labels, pool: Pool, p: float, normalize: bool) -> float | None:
    """Overlap of the list with the ideal list that is most like it, depth by depth."""
    retrieved = [(max(label or 0, 0), n) for n, label in enumerate(labels)]
    rest = list(pool)
    for grade, _ in retrieved:
        if grade > 0:
            rest.remove(grade)
    documents = retrieved + [(grade, len(labels) + i) for i, grade in enumerate(rest)]
    ideal = [n for grade, n in sorted(documents, key=lambda one: (-one[0], one[1])) if grade > 0]
    if not ideal:
        return None
    depth = max(len(labels), len(ideal))
    best = rbo_to(ideal, ideal, p, depth) if normalize else sum(p**n for n in range(depth))
    return rbo_to(range(len(labels)), ideal, p, depth) / best
