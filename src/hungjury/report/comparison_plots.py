"""Plots of a comparison: differences with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.errors import UnknownName
from hungjury.report.pictures import LINE, new_rows
from hungjury.uncertainty.compared import Comparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_differences"]

SURE, UNSURE = LINE, "0.6"


def draw_differences(found: Comparison, measure: str) -> Figure:
    """A line per pair, in the order of the comparison; infinite ends are not drawn."""
    if measure not in found.measures:
        raise UnknownName(
            f"{measure} was not compared", remedy=f"choose from {', '.join(found.measures)}"
        )
    rows = [row for row in found.rows if row.measure == measure]
    one = len({row.versus for row in rows}) == 1
    figure, axes = new_rows([r.system if one else f"{r.system} − {r.versus}" for r in rows])
    axes.axvline(0, color="black", linewidth=0.8)
    for place, row in enumerate(rows):
        colour = SURE if found.significant(row) else UNSURE
        if np.isfinite([row.low, row.high]).all():
            axes.hlines(place, row.low, row.high, color=colour, linewidth=2)
        axes.plot(row.difference, place, "o", color=colour, markersize=4)
    versus = f" from {rows[0].versus}" if one else ""
    axes.set_xlabel(f"difference{versus} in {measure}; significant ones in colour", fontsize=8)
    return figure
