"""Plots of a leaderboard: means with intervals, and the pairs of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np

from hungjury.collection.notes import percent
from hungjury.errors import check_choice
from hungjury.report.heatmap import (
    MOST_NUMBERS,
    bare,
    colour_bar,
    colour_map,
    masked,
    name_ticks,
    numbers_in_cells,
)
from hungjury.report.page_figures import shown_ends
from hungjury.report.pictures import LINE, new_picture, new_rows
from hungjury.uncertainty.board import BoardPicture, Leaderboard

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_board"]


def draw_board(board: Leaderboard, what: BoardPicture) -> Figure:
    """Draw "intervals" or "pairs"."""
    check_choice("what", what, get_args(BoardPicture))
    return _intervals(board) if what == "intervals" else _pairs(board)


def _intervals(board: Leaderboard) -> Figure:
    """Means and intervals; the axis is cut if a few very bad systems would squeeze the others."""
    figure, axes = new_rows(board.systems)
    places = np.arange(len(board.systems))
    axes.hlines(places, board.low, board.high, color=LINE, linewidth=2)
    axes.plot(board.mean, places, "o", color="black", markersize=4)
    low, high = shown_ends(board.low, board.high, float(board.mean[0] - board.mean[-1]))
    room = 0.03 * (high - low) or 0.05
    axes.set_xlim(low - room, high + room)
    level = percent(board.settings.level)
    whose = "panel mean" if board.scale == "panel" else "mean"
    axes.set_xlabel(f"{board.measure}: {whose} and {level} interval")
    return figure


def _pairs(board: Leaderboard) -> Figure:
    side = min(max(0.24 * len(board.systems), 2.6), 14.0) + 1.6
    figure, axes = new_picture(side + 0.6, side)
    axes.grid(False)
    values = board.beats.copy()
    np.fill_diagonal(values, np.nan)  # a system is not compared with itself
    image = axes.imshow(masked(values), cmap=colour_map("viridis"), vmin=0.0, vmax=1.0)
    name_ticks(axes, "x", board.systems)
    name_ticks(axes, "y", board.systems)
    if len(board.systems) <= MOST_NUMBERS:
        numbers_in_cells(axes, values, 0.0)
    axes.set_title(f"P(row beats column) by {board.measure}", fontsize=10, loc="left")
    bare(axes)
    colour_bar(figure, image, axes)
    return figure
