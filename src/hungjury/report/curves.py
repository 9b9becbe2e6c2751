"""Plots of precision and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.precision_recall import Curve
from hungjury.report.pictures import in_legend, new_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_precision_recall"]

COLOURS = 10
MOST_NAMED = 12  # more systems than this are drawn in grey behind the best ones


def draw_precision_recall(curve: Curve) -> Figure:
    """One line per system, best first."""
    best = sorted(range(len(curve.systems)), key=lambda s: -np.nansum(curve.precision[s]))
    figure, axes = new_picture(6.4, 4.4)
    for s in best[MOST_NAMED:]:
        axes.plot(*curve.points(s), color="0.8", linewidth=0.8)
    for place, s in enumerate(best[:MOST_NAMED]):
        line = "-" if place < COLOURS else "--"  # colours come round again
        name = in_legend(curve.systems[s])
        mark = "o" if curve.by == "recall" else ""
        axes.plot(*curve.points(s), line, marker=mark, markersize=3, label=name)
    label = "interpolated precision" if curve.by == "recall" else "precision"
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="recall", ylabel=label)
    axes.legend(frameon=False, fontsize=8)
    return figure
