"""Figures in panels, as the papers show them: lines over shares of the pool, and correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.report.heatmap import (
    bare,
    colour_bar,
    colour_map,
    darkest,
    masked,
    name_ticks,
    numbers_in_cells,
)
from hungjury.report.pictures import new_grid, room_for
from hungjury.report.study_plots import line_styles
from hungjury.studies.figures import Matrices, RateLines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_matrices", "draw_rate_lines"]


def draw_rate_lines(shown: RateLines) -> Figure:
    """Panels of lines on one scale; a name looks the same in all of them."""
    number, across = len(shown.panels), shown.across
    figure, grid = new_grid(3.3 * across + 1.8, 2.7 * -(-number // across) + 0.3, number, across)
    names = list(dict.fromkeys(name for panel in shown.panels for name in panel.series))
    styles = dict(zip(names, line_styles(len(names)), strict=True))
    places = np.arange(len(shown.rates))
    handles = {}
    for i, (axes, panel) in enumerate(zip(grid, shown.panels, strict=True)):
        for name, values in panel.series.items():
            handles[name] = axes.plot(places, values, **styles[name] | {"linewidth": 1.2})[0]
        axes.set_title(panel.title, fontsize=9, loc="left")
        if not panel.series:
            axes.set_axis_off()
            continue
        axes.set_xticks(places, [f"{rate:.0%}" for rate in shown.rates], fontsize=7)
        axes.tick_params(axis="y", labelsize=7, labelleft=True)
        if i % across == 0:
            axes.set_ylabel(shown.ylabel, fontsize=8)
    figure.supxlabel("share of the pool that is kept", fontsize=8)
    figure.legend([handles[name] for name in names], names, loc="outside right center",
                  frameon=False, fontsize=8)  # fmt: skip
    return figure


def draw_matrices(shown: Matrices) -> Figure:
    """Panels of correlations, with a number in every cell."""
    first, number = shown.panels[0], len(shown.panels)
    wide = 0.42 * len(first.columns) + max(room_for(first.rows), 1.4)
    high = 0.3 * len(first.rows) + max(room_for(first.columns), 1.1)
    below = -(-number // shown.across)
    figure, grid = new_grid(wide * shown.across + 0.6, high * below, number, shown.across)
    low = min(darkest(panel.values) for panel in shown.panels)
    for axes, panel in zip(grid, shown.panels, strict=True):
        image = axes.imshow(
            masked(panel.values), cmap=colour_map("viridis"), vmin=low, vmax=1.0, aspect="auto"
        )
        axes.grid(False)
        name_ticks(axes, "x", list(panel.columns))
        name_ticks(axes, "y", list(panel.rows))
        axes.tick_params(labelleft=True)
        numbers_in_cells(axes, panel.values, low)
        axes.set_title(panel.title, fontsize=9, loc="left")
        bare(axes)
    colour_bar(figure, image, grid)
    return figure
