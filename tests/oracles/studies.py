"""Slow, obvious loops for the building blocks of studies: the yardstick for the fast code.

Nothing of the package is imported.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oracles import stats as naive_stats

# Pools


def kept(rate: float, size: int, grade: int) -> int:
    """How many of `size` documents of a grade stay in a topic's pool."""
    least = 1 if grade > 0 else 10
    return min(size, max(math.floor(rate * size + 0.5 + 1e-9), least))


def few_highly_relevant(pools: Mapping[str, Sequence[int]], grade: int) -> list[str]:
    chosen = []
    for topic, labels in pools.items():
        low, high = labels.count(1), labels.count(grade)
        if high > 0 and low >= 10 * high:
            chosen.append(topic)
    return chosen


# Correlation of measures


def correlations(
    means: Mapping[str, Sequence[float]],
) -> dict[tuple[str, str], tuple[float, float]]:
    """(estimate, truth) -> tau, tau_ap"""
    return {
        (a, b): (naive_stats.kendall(x, y), naive_stats.tau_ap(x, y))
        for (a, x), (b, y) in itertools.product(means.items(), repeat=2)
    }


# Discriminative power


def tukey_exact(values: Sequence[Sequence[float]]) -> list[float]:
    """p-values of all pairs over every way to exchange the systems' scores within each topic."""
    systems, topics = len(values), len(values[0])
    columns = [[values[s][t] for s in range(systems)] for t in range(topics)]
    largest = []
    for shuffled in itertools.product(*(itertools.permutations(column) for column in columns)):
        means = [statistics.fmean(column[s] for column in shuffled) for s in range(systems)]
        largest.append(max(means) - min(means))
    means = [statistics.fmean(row) for row in values]
    pairs = itertools.combinations(range(systems), 2)
    return [
        sum(d >= abs(means[i] - means[j]) - 1e-9 for d in largest) / len(largest) for i, j in pairs
    ]


# Tuples of judges


def nearness(
    estimates: Sequence[Sequence[float]], truth: Sequence[float]
) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation over estimates of tau, tau_ap and RMSE."""
    out = {}
    for name, compare in (
        ("tau", naive_stats.kendall),
        ("tau_ap", naive_stats.tau_ap),
        ("rmse", naive_stats.rmse),
    ):
        numbers = [compare(one, truth) for one in estimates]
        out[name] = (
            statistics.fmean(numbers), statistics.stdev(numbers) if len(numbers) > 1 else 0.0
        )  # fmt: skip
    return out


def coin_free_majority(votes: Sequence[Sequence[int | None]]) -> list[int | None]:
    """[document]: the label most of an odd number of binary votes have, None where nobody voted."""
    out: list[int | None] = []
    for document in zip(*votes, strict=True):
        cast = [v for v in document if v is not None]
        out.append(None if not cast else int(sum(cast) * 2 > len(cast)))
    return out


# Analysis of variance, balanced: every combination of levels is seen equally often


def mean_where(rows: Sequence[Mapping[str, Any]], response: str, **levels: Any) -> float:
    return statistics.fmean(
        row[response] for row in rows if all(row[name] == level for name, level in levels.items())
    )


def levels_of(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    return sorted({row[name] for row in rows}, key=str)


def main_effect(rows: Sequence[Mapping[str, Any]], response: str, name: str) -> tuple[float, int]:
    """Sum of squares and degrees of freedom."""
    whole, levels = mean_where(rows, response), levels_of(rows, name)
    each = len(rows) / len(levels)
    ss = sum((mean_where(rows, response, **{name: one}) - whole) ** 2 for one in levels)
    return each * ss, len(levels) - 1


def pair_effect(
    rows: Sequence[Mapping[str, Any]], response: str, one: str, other: str
) -> tuple[float, int]:
    whole, first, second = mean_where(rows, response), levels_of(rows, one), levels_of(rows, other)
    each, ss = len(rows) / (len(first) * len(second)), 0.0
    for a, b in itertools.product(first, second):
        both = mean_where(rows, response, **{one: a, other: b})
        alone = mean_where(rows, response, **{one: a}) + mean_where(rows, response, **{other: b})
        ss += (both - alone + whole) ** 2
    return each * ss, (len(first) - 1) * (len(second) - 1)


def anova(
    rows: Sequence[Mapping[str, Any]],
    response: str,
    names: Sequence[str],
    pairs: Sequence[tuple[str, str]],
) -> dict[str, tuple[float, int, float]]:
    """source -> sum of squares, degrees of freedom, F"""
    whole = mean_where(rows, response)
    total = sum((row[response] - whole) ** 2 for row in rows)
    found = {name: main_effect(rows, response, name) for name in names}
    found |= {f"{a}*{b}": pair_effect(rows, response, a, b) for a, b in pairs}
    left = total - sum(ss for ss, _ in found.values())
    freedom = len(rows) - 1 - sum(df for _, df in found.values())
    error = left / freedom
    out = {name: (ss, df, ss / df / error) for name, (ss, df) in found.items()}
    return out | {"error": (left, freedom, math.nan), "total": (total, len(rows) - 1, math.nan)}


def omega_squared(df: int, f: float, observations: int) -> float:
    return max(0.0, df * (f - 1) / (df * (f - 1) + observations))


def tukey_marks(
    means: Mapping[str, float], different: Callable[[float, float], bool]
) -> dict[str, str]:
    """Each level's Xs: every largest set of neighbouring means without a difference is a group."""
    order = sorted(means, key=lambda name: -means[name])
    runs = [
        (i, j)
        for i, j in itertools.combinations_with_replacement(range(len(order)), 2)
        if not different(means[order[i]], means[order[j]])
    ]
    groups = [
        (i, j) for i, j in runs if not any(a <= i and j <= b and (a, b) != (i, j) for a, b in runs)
    ]
    return {
        name: "".join("X" if i <= place <= j else "." for i, j in groups)
        for place, name in enumerate(order)
    }
