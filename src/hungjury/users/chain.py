"""Markov chains over ranks: checks, stationary distributions, and chains watched on a subset.

State i of a matrix is rank i + 1; messages name ranks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.notes import few
from hungjury.errors import MeasureError

__all__ = [
    "closed_groups",
    "stationary_distribution",
    "transition_matrix",
]

Array = NDArray[np.float64]
TOLERANCE = 1e-6  # tolerance of row sums: matrices are often written with few decimals


def transition_matrix(given: object) -> Array:
    """Check a matrix of transition probabilities and normalise its rows to sum to exactly 1."""
    try:
        matrix = np.array(given, dtype=float)
    except (TypeError, ValueError):
        matrix = np.empty(())
    if not matrix.ndim:
        raise MeasureError(
            "the transition matrix is not a table of numbers",
            code="not-numbers",
            remedy="give one row of probabilities per rank, all rows of the same length",
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise MeasureError(
            f"the transition matrix has the shape {' x '.join(map(str, matrix.shape))}",
            code="wrong-shape",
            remedy="give a square matrix; row i holds the probabilities of moving from rank i",
        )
    bad = np.flatnonzero(~(np.isfinite(matrix) & (matrix >= 0)).all(axis=1))
    if len(bad):
        raise MeasureError(
            f"the transition matrix has negative or infinite entries in the row of {ranks(bad)}",
            code="invalid-probabilities",
            remedy="give probabilities",
        )
    total = matrix.sum(axis=1)
    bad = np.flatnonzero(np.abs(total - 1) > TOLERANCE)
    if len(bad):
        raise MeasureError(
            f"the transition matrix is not stochastic: the row of {ranks(bad)} does not sum to 1 "
            f"(that of rank {bad[0] + 1} sums to {total[bad[0]]:.6g})",
            code="not-stochastic",
            remedy="divide every row by its sum",
        )
    return np.asarray(matrix / total[:, None])


def ranks(states: NDArray[np.int64]) -> str:
    """'rank 3', 'ranks 3, 5 and 9 more'."""
    noun = "rank" if len(states) == 1 else "ranks"
    return f"{noun} {few([str(s + 1) for s in states])}"


def closed_groups(matrix: Array) -> list[NDArray[np.int64]]:
    """The closed communicating classes: groups of recurrent states."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    linked = matrix > 0
    number, group = connected_components(csr_array(linked), directed=True, connection="strong")
    leaves = (linked & (group[:, None] != group[None, :])).any(axis=1)
    groups = [np.flatnonzero(group == g) for g in range(number)]
    closed = [states for states in groups if not leaves[states].any()]
    return sorted(closed, key=lambda states: int(states[0]))


def stationary_distribution(matrix: Array) -> Array:
    """The distribution pi with pi P = pi of an irreducible chain.

    States are eliminated one by one without subtractions (Grassmann, Taksar and Heyman 1985), so
    that small probabilities keep their digits.
    """
    closed = closed_groups(matrix)
    if len(closed) > 1 or len(closed[0]) < len(matrix):
        rest = np.setdiff1d(np.arange(len(matrix)), closed[0])
        raise MeasureError(
            f"the transition matrix is not irreducible: from {ranks(closed[0])} the user never "
            f"reaches {ranks(rest)}",
            code="not-irreducible",
            remedy="make every rank reachable from every other, or remove ranks from the matrix",
        )
    work = matrix.copy()
    for last in range(len(work) - 1, 0, -1):
        work[:last, last] /= work[last, :last].sum()
        work[:last, :last] += np.outer(work[:last, last], work[last, :last])
    pi = np.ones(len(work))
    for state in range(1, len(work)):
        pi[state] = pi[:state] @ work[:state, state]
    return np.asarray(pi / pi.sum())
