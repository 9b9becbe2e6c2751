"""Slow loops for users as Markov chains, in exact fractions.

Lists and pools as in measures.py. None means undefined. Nothing of the package is imported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from oracles.graded import at_least
from oracles.measures import Labels, Pool

Matrix = list[list[Fraction]]


def pull(i: int, j: int, kind: str) -> Fraction:
    """How strongly rank i draws a user at rank j: constant, ID or LID; 0 for staying."""
    if i == j:
        return Fraction(0)
    if kind == "constant":
        return Fraction(1)
    if kind == "ID":
        return Fraction(1, abs(i - j) + 1)
    if kind == "LID":
        return Fraction(1 / math.log10(abs(i - j) + 2))
    raise ValueError(f"unknown transition kind {kind!r}")


def transition_matrix(states: Sequence[int], connected: str, kind: str) -> Matrix:
    """Row-normalised pulls between the states; LO keeps neighbours in the state set only."""
    if len(states) == 1:
        return [[Fraction(1)]]
    matrix = []
    for a, i in enumerate(states):
        row = []
        for b, j in enumerate(states):
            linked = connected == "GL" or abs(a - b) == 1
            row.append(pull(i, j, kind) if linked else Fraction(0))
        matrix.append([value / sum(row) for value in row])
    return matrix


def solve(matrix: Matrix, right: Sequence[Fraction]) -> list[Fraction]:
    """Gauss-Jordan elimination in exact fractions."""
    size = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next(r for r in range(column, size) if rows[r][column] != 0)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        lead = rows[column][column]
        rows[column] = [value / lead for value in rows[column]]
        for r in range(size):
            factor = rows[r][column]
            if r != column and factor != 0:
                pairs = zip(rows[r], rows[column], strict=True)
                rows[r] = [value - factor * above for value, above in pairs]
    return [row[-1] for row in rows]


def minus_identity(matrix: Matrix) -> Matrix:
    """The matrix with 1 taken off its diagonal."""
    return [
        [value - (1 if a == b else 0) for b, value in enumerate(row)]
        for a, row in enumerate(matrix)
    ]


def stationary(matrix: Matrix) -> list[Fraction]:
    """The law pi with pi P = pi and sum 1, of an irreducible chain."""
    size = len(matrix)
    shifted = minus_identity(matrix)
    equations = [[shifted[a][b] for a in range(size)] for b in range(size - 1)]
    equations.append([Fraction(1)] * size)
    return solve(equations, [Fraction(0)] * (size - 1) + [Fraction(1)])


def watched(matrix: Matrix, kept: Sequence[int]) -> Matrix:
    """The chain seen only at the kept indices: p_ij plus the ways through unkept states (5.6)."""
    hidden = [k for k in range(len(matrix)) if k not in kept]
    system = minus_identity([[matrix[a][b] for b in hidden] for a in hidden])
    seen: Matrix = [[] for _ in kept]
    for j in kept:
        arrive = solve(system, [-matrix[k][j] for k in hidden])
        for row, i in zip(seen, kept, strict=True):
            through = [matrix[i][k] * h for k, h in zip(hidden, arrive, strict=True)]
            row.append(matrix[i][j] + sum(through))
    return seen


def markov_distribution(size: int, hits: Sequence[int], model: str) -> list[Fraction]:
    """Stationary distribution of the model's chain watched on the relevant ranks `hits`."""
    connected, space, kind = ("GL", "AD", model) if model == "constant" else model.split("_")
    if connected not in ("GL", "LO") or space not in ("AD", "OR"):
        raise ValueError(f"unknown model {model!r}")
    states = list(range(1, size + 1)) if space == "AD" else list(hits)
    full = transition_matrix(states, connected, kind)
    return stationary(watched(full, [states.index(rank) for rank in hits]))


def after_steps(size: int, hits: Sequence[int], model: str, steps: int) -> list[Fraction]:
    """Where a user of the model is after some moves between relevant ranks, from the first one."""
    connected, space, kind = ("GL", "AD", model) if model == "constant" else model.split("_")
    states = list(range(1, size + 1)) if space == "AD" else list(hits)
    full = transition_matrix(states, connected, kind)
    chain = watched(full, [states.index(rank) for rank in hits])
    here = [Fraction(int(place == 0)) for place in range(len(hits))]
    for _ in range(steps):
        here = [
            sum((p * row[to] for p, row in zip(here, chain, strict=True)), Fraction(0))
            for to in range(len(hits))
        ]
    return here


def mp(
    labels: Labels,
    pool: Pool,
    model: str = "GL_AD_ID",
    rates: Sequence[float] | None = None,
    rec: bool = False,
    rel: int = 1,
    cutoff: int | None = None,
    steps: int | None = None,
) -> float | None:
    """Markov precision, or with `steps` the mean precision after so many moves; rates[n-1] of the
    holding time at rank n for continuous time, rec multiplies by recall (None without relevant
    documents in the pool). A cutoff shortens the list, and so the chain. Nothing relevant
    retrieved: 0."""
    total = at_least(pool, rel)
    if rec and total == 0:
        return None
    shown = labels[:cutoff]
    hits = [n for n, label in enumerate(shown, start=1) if label is not None and label >= rel]
    if not hits:
        return 0.0
    if steps is None:
        shares = markov_distribution(len(shown), hits, model)
    else:
        shares = after_steps(len(shown), hits, model, steps)
    weights = [float(share) for share in shares]
    if rates is not None:
        weights = [weight / rates[rank - 1] for weight, rank in zip(weights, hits, strict=True)]
    found = enumerate(zip(weights, hits, strict=True), start=1)
    score = sum(weight * count / rank for count, (weight, rank) in found) / sum(weights)
    return score * len(hits) / total if rec else score
