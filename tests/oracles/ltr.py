"""Slow loops for rankers, written from the definitions; nothing of the package is imported."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

Floats = Sequence[float]


def weight(delta: Floats, rank: int) -> float:
    """The dynamic at a rank from 1 on; beyond the cutoff nobody looks."""
    return delta[rank - 1] if rank <= len(delta) else 0.0


def ideal(gains: Floats, delta: Floats) -> float:
    best = sorted(gains, reverse=True)
    return sum(g * weight(delta, i) for i, g in enumerate(best, 1))


def value(gains: Floats, scores: Floats, delta: Floats) -> float:
    """nMCG@k, the mean over all permutations that respect the scores."""
    if ideal(gains, delta) == 0:
        return 0.0
    found = []
    for order in itertools.permutations(range(len(gains))):
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order)):
            found.append(sum(gains[d] * weight(delta, i) for i, d in enumerate(order, 1)))
    return sum(found) / len(found) / ideal(gains, delta)


def ranks(scores: Floats) -> list[int]:
    """Rank of each document; equal scores keep the order of the data."""
    order = sorted(range(len(scores)), key=lambda d: (-scores[d], d))
    return [order.index(d) + 1 for d in range(len(scores))]


def swap_changes(gains: Floats, scores: Floats, delta: Floats) -> list[list[float]]:
    """|change of nMCG@k| when two documents change places, by computing it before and after."""
    top = ideal(gains, delta)
    at = ranks(scores)
    n = len(gains)

    def measure(places: Sequence[int]) -> float:
        return sum(g * weight(delta, p) for g, p in zip(gains, places, strict=True)) / top

    out = [[0.0] * n for _ in range(n)]
    if top == 0:
        return out
    for i in range(n):
        for j in range(n):
            swapped = list(at)
            swapped[i], swapped[j] = at[j], at[i]
            out[i][j] = abs(measure(swapped) - measure(at))
    return out


def cost(gains: Floats, scores: Floats, changes: Sequence[Floats]) -> float:
    """RankNet's cross entropy of all pairs, each weighted by a fixed change."""
    total = 0.0
    for i in range(len(gains)):
        for j in range(len(gains)):
            if gains[i] > gains[j]:
                apart = scores[i] - scores[j]
                total += changes[i][j] * (-apart + math.log(1 + math.exp(apart)))
    return total


def lambdas(gains: Floats, scores: Floats, delta: Floats) -> tuple[list[float], list[float]]:
    """First and second derivatives of `cost`, pair by pair."""
    changes = swap_changes(gains, scores, delta)
    n = len(gains)
    gradient, hessian = [0.0] * n, [0.0] * n
    for i in range(n):
        for j in range(n):
            if gains[i] > gains[j]:
                wrong = 1 / (1 + math.exp(scores[i] - scores[j]))
                gradient[i] -= changes[i][j] * wrong
                gradient[j] += changes[i][j] * wrong
                for d in (i, j):
                    hessian[d] += changes[i][j] * wrong * (1 - wrong)
    return gradient, hessian


def exactly_one(chances: Floats) -> float:
    """P(exactly one of independent events), by listing all outcomes."""
    total = 0.0
    for outcome in itertools.product((0, 1), repeat=len(chances)):
        if sum(outcome) == 1:
            total += math.prod(p if x else 1 - p for p, x in zip(chances, outcome, strict=True))
    return total
