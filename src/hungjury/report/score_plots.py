"""Plots of scores: every topic as a dot, every system's mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.errors import UnknownName
from hungjury.report.pictures import LINE, new_rows
from hungjury.scores import Scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_scores"]


def draw_scores(scores: Scores, measure: str) -> Figure:
    """A line per system, best first by the first measure."""
    if measure not in scores.measures:
        raise UnknownName(
            f"these scores hold no {measure}",
            remedy=f"choose from {', '.join(scores.measures)}",
        )
    m = scores.measures.index(measure)
    order = scores.best_first()
    figure, axes = new_rows([scores.systems[s] for s in order])
    counted = scores.counted()[m]
    for place, s in enumerate(order):
        values = scores.values[m, s, counted[s]]
        axes.plot(values, np.full(len(values), place), "o", color=LINE, alpha=0.25,
                  markersize=4, markeredgewidth=0)  # fmt: skip
    summed = bool(scores.averages and scores.averages[m] == "sum")  # a sum is not among its parts
    if not summed:
        axes.plot(scores.mean()[m, order], np.arange(len(order)), "D", color="black", markersize=4)
    axes.set_xlabel(f"{measure}: topics (dots)" + ("" if summed else " and their mean"))
    return figure
