"""Slow loops for graded average precision.

Lists and pools as in measures.py. None means undefined. Nothing of the package is imported.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracles.expected import precision_sum
from oracles.measures import Label, Labels, Pool


def grade_of(label: Label) -> int:
    """The grade of a label, unjudged and negative ones as 0."""
    return 0 if label is None or label < 0 else int(label)


def believers(g: Sequence[float], grade: int) -> float:
    """G(k): share of the users to whom a document of this grade is relevant."""
    if grade > len(g):
        raise ValueError(f"grade {grade} is above the scale 0..{len(g)}")
    return sum(g[:grade])


def at_least(pool: Pool, grade: int) -> int:
    """RB(k): documents of the pool with this grade or a higher one."""
    return sum(1 for label in pool if label >= grade)


def nobody_served(g: Sequence[float], pool: Pool) -> bool:
    """Whether no user finds anything relevant in the pool: nu > tau."""
    lowest_wanted = min(k for k in range(1, len(g) + 1) if g[k - 1] > 0)
    highest_there = max((grade_of(label) for label in pool), default=0)
    return lowest_wanted > highest_there


def agreement_sum(g: Sequence[float], grades: Sequence[int], n: int) -> float:
    """Sum over m <= n of G(min(r_m, r_n))."""
    return sum(believers(g, min(grades[m - 1], grades[n - 1])) for m in range(1, n + 1))


def gap(labels: Labels, pool: Pool, g: Sequence[float], cutoff: int | None = None) -> float | None:
    """Graded AP: expected precisions summed, over the expected recall base."""
    if nobody_served(g, pool):
        return None
    grades = [grade_of(label) for label in labels[:cutoff]]
    score = sum(agreement_sum(g, grades, n) / n for n in range(1, len(grades) + 1))
    return score / sum(believers(g, grade_of(label)) for label in pool)


def xgap(labels: Labels, pool: Pool, g: Sequence[float], cutoff: int | None = None) -> float | None:
    """Extended graded AP: a user is drawn first, then one of the documents relevant to them."""
    if nobody_served(g, pool):
        return None
    grades = [grade_of(label) for label in labels[:cutoff]]
    score = 0.0
    for n in range(1, len(grades) + 1):
        share = believers(g, grades[n - 1])
        if share > 0:
            drawn = sum(g[k - 1] / at_least(pool, k) for k in range(1, grades[n - 1] + 1))
            score += drawn / share * agreement_sum(g, grades, n) / n
    return score


def egap(labels: Labels, pool: Pool, g: Sequence[float], cutoff: int | None = None) -> float | None:
    """Expected graded AP: AP at each user's threshold, weighted by the users."""
    if nobody_served(g, pool):
        return None
    score = 0.0
    for k in range(1, len(g) + 1):
        if at_least(pool, k) > 0:
            hits = [1 if grade_of(label) >= k else 0 for label in labels[:cutoff]]
            score += g[k - 1] * precision_sum(hits) / at_least(pool, k)
    return score
