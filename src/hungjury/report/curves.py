"""Pictures of precision and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hungjury.report.pictures import new_picture
from hungjury.scores import Scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_precision_recall"]

COLOURS = 10
MOST_NAMED = 12  # more systems than this are drawn in grey behind the best ones


def draw_precision_recall(scores: Scores) -> Figure:
    """One curve a system, best first."""
    levels = [float(name.partition("@")[2]) for name in scores.measures]
    mean = scores.mean()
    best = sorted(range(len(scores.systems)), key=lambda s: -mean[:, s].mean())
    figure, axes = new_picture(6.4, 4.4)
    for s in best[MOST_NAMED:]:
        axes.plot(levels, mean[:, s], color="0.8", linewidth=0.8)
    for place, s in enumerate(best[:MOST_NAMED]):
        line = "-" if place < COLOURS else "--"  # colours come round again
        axes.plot(levels, mean[:, s], line, marker="o", markersize=3, label=scores.systems[s])
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="recall", ylabel="interpolated precision")
    axes.legend(frameon=False, fontsize=8)
    return figure
