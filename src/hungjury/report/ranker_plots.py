"""Plots of training: measures by number of trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hungjury.errors import MissingExtra
from hungjury.ltr.compare import ALGORITHMS, RankerComparison
from hungjury.ltr.ranker import Ranker
from hungjury.report.pictures import new_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_comparisons", "draw_training"]

COLORS = {"lambdarank": "0.35", "nmcg": "#c1272d", "ndcg": "#1f5fa8"}


def draw_training(ranker: Ranker) -> Figure:
    """The measure on the validation data after every tree, and the number of trees kept."""
    figure, axes = new_picture(6.0, 3.8)
    for name, values in ranker.history.items():
        axes.plot(np.arange(1, len(values) + 1), values, color=COLORS["nmcg"], label=name)
    axes.axvline(ranker.trees, color="0.5", linestyle=":", label=f"{ranker.trees} trees kept")
    axes.set(xlabel="trees", ylabel=ranker.goal.short)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def draw_comparisons(sets: Mapping[str, RankerComparison]) -> Figure:
    """Learning curves on the test data: a row for each data set, a panel for each measure. Dots are
    the models' sizes."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report", "drawing a plot") from None
    across = max(len(found.measures) for found in sets.values())
    figure = Figure(figsize=(4.6 * across, 3.8 * len(sets)), layout="constrained")
    grid = figure.subplots(len(sets), across, squeeze=False)
    for panels, (name, found) in zip(grid, sets.items(), strict=True):
        for m, axes in enumerate(panels):
            _curves(axes, found, m)
            title = f"{name}, {found.measures[m]}" if len(sets) > 1 else found.measures[m]
            axes.set(xlabel="trees", title=title)
            axes.grid(alpha=0.3)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        panels[0].set_ylabel(f"mean over {found.folds} test set{'s' * (found.folds > 1)}")
        panels[0].legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def _curves(axes: Axes, found: RankerComparison, measure: int) -> None:
    means = found.means()
    for o, objective in enumerate(found.objectives):
        color, curve = COLORS[objective], found.curves[o, measure]
        shown = np.arange(1, len(curve) + 1)
        axes.plot(shown, curve, color=color, linewidth=1.2, label=ALGORITHMS[objective])
        at = [*map(int, found.sizes[:-1]), float(found.trees[o].mean())]
        axes.plot(at[:-1], means[o, measure, :-1], "o", color=color, markersize=4)
        axes.plot(at[-1], means[o, measure, -1], "D", color=color, markersize=5)
