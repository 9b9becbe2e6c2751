"""Helpers for heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hungjury.report.pictures import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

__all__ = ["MOST_NUMBERS", "bare", "colour_bar", "colour_map", "darkest", "masked", "name_ticks",
           "numbers_in_cells"]  # fmt: skip

MOST_NAMES = 80  # more names on an axis cannot be read
MOST_NUMBERS = 12  # numbers in more rows cannot be read


def darkest(values: NDArray[np.float64]) -> float:
    """A round number below nearly all values; far below chance, all is equally dark."""
    known = values[~np.isnan(values)]
    return max(float(np.floor(known.min(initial=0.9) * 10) / 10), -0.5)


def name_ticks(axes: Axes, axis: str, names: list[str]) -> None:
    ticks, labels = (
        (axes.set_xticks, axes.set_xticklabels)
        if axis == "x"
        else (axes.set_yticks, axes.set_yticklabels)
    )
    if len(names) > MOST_NAMES:
        ticks([])
        return
    ticks(np.arange(len(names)))
    size = 8 if len(names) <= 15 else 6.5
    labels(list(map(shortened, names)), fontsize=size, rotation=90 if axis == "x" else 0)


def numbers_in_cells(axes: Axes, values: NDArray[np.float64], low: float) -> None:
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            dark = (value - low) / (1 - low) < 0.6
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7,
                      color="white" if dark else "black")  # fmt: skip


def bare(axes: Axes) -> None:
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def colour_bar(figure: Figure, image: ScalarMappable, axes: Axes | list[Axes]) -> Colorbar:
    bar = figure.colorbar(image, ax=axes, shrink=0.5, pad=0.03)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, length=2)
    return bar


def masked(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A masked array, which plots leave blank where a value is not known."""
    return np.ma.masked_invalid(values)


def colour_map(name: str) -> Colormap:
    """A colour map that shows unknown values in light grey."""
    from matplotlib import colormaps

    return colormaps[name].with_extremes(bad="0.93")
