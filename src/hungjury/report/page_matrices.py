"""The report's heat maps: systems against systems, judges against judges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.judges.agreement import Agreement
from hungjury.report.page_figures import border, runs_by_bin
from hungjury.report.page_words import shown
from hungjury.uncertainty.board import Leaderboard

__all__ = ["judges_map", "matrix_judges", "pairs_map"]

DIGITS = 3
MOST_PAIRS = 150  # systems in the heat map
MOST_JUDGES = 60  # judges in the heat map
MOST_NUMBERS = 14  # rows of a heat map whose cells can hold numbers
CHANCES = (0.025, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 0.975)  # edges of colours
KAPPAS = (0.0, 0.2, 0.4, 0.6, 0.8)

Floats = NDArray[np.float64]


def pairs_map(board: Leaderboard) -> dict[str, Any]:
    size = min(len(board.systems), MOST_PAIRS)
    beats = board.beats[:size, :size]
    bins = np.searchsorted(CHANCES, beats, side="right")
    np.fill_diagonal(bins, -1)
    names = [shown(name) for name in board.systems[:size]]
    edges = ["0", *(f"{100 * e:g}" for e in CHANCES), "100"]
    return {
        **_matrix(bins, len(CHANCES) + 1, beats, names),
        "border": border(~board.apart[:size, :size]),
        "edges": edges,
        "left": len(board.systems) - size,
    }


def judges_map(found: Agreement) -> dict[str, Any]:
    numbers = [
        ("Agreement of two judges", found.agreement),
        ("Fleiss’ kappa", found.fleiss),
        ("Krippendorff’s alpha", found.alpha_nominal),
        ("Krippendorff’s alpha, ordinal", found.alpha_ordinal),
    ]
    binary = len(found.grades) == 2  # two labels can differ in one way only
    numbers = [(k, v) for k, v in numbers[: 3 if binary else 4] if not math.isnan(v)]
    order = matrix_judges(found)
    if len(order) < 2:
        return {"numbers": numbers, "matrix": None}
    kappa = found.pairs.kappa[np.ix_(order, order)]
    shares = np.round(kappa, 2) + 0.0  # as shown: -0.001 is not worse than chance
    bins = np.where(np.isnan(kappa), len(KAPPAS) + 1, np.searchsorted(KAPPAS, shares, side="right"))
    np.fill_diagonal(bins, -1)
    names = [shown(found.judges[k]) for k in order]
    return {
        "numbers": numbers,
        "matrix": _matrix(bins, len(KAPPAS) + 2, kappa, names),
        "left": len(found.judges) - len(order),
    }


def matrix_judges(found: Agreement) -> list[int]:
    """Judges who agree side by side; of very many those with most labels."""
    if len(found.judges) < 2:
        return []
    most = set(np.argsort(-found.labels, kind="stable")[:MOST_JUDGES].tolist())
    return [k for k in found.order() if k in most]


def _matrix(
    bins: NDArray[np.int64], number: int, values: Floats, names: list[str]
) -> dict[str, Any]:
    """A heat map: a path for each colour, and numbers where they can be read."""
    size = len(bins)
    numbers = []
    if size <= MOST_NUMBERS:
        numbers = [
            (x, y, int(bins[y, x]), round(100 * float(values[y, x])))
            for y in range(size)
            for x in range(size)
            if bins[y, x] >= 0 and not np.isnan(values[y, x])
        ]
    step = 1 if size <= 30 else 5 if size <= 70 else 10
    return {
        "size": size,
        "paths": runs_by_bin(bins, number),
        "numbers": numbers,
        "names": names,
        "step": step,
        "type": {1: 0.46, 5: 0.9, 10: 1.6}[step],  # of numbers on the edge, in cells
        "lines": size <= 40,
        "border": "",
    }
