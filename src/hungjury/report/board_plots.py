"""Plots of leaderboards, comparisons, scores and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np

from hungjury.base.errors import check_choice, check_known, percent
from hungjury.comparison.paired import Comparison
from hungjury.leaderboard.board import BoardPicture, Leaderboard
from hungjury.measures.scores import Curve, Scores
from hungjury.report.page_figures import shown_ends
from hungjury.report.pictures import (
    LINE,
    draw_intervals,
    in_legend,
    new_picture,
    new_rows,
    square_map,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_board(board: Leaderboard, what: BoardPicture) -> Figure:
    """Draw "intervals" or "pairs"."""
    check_choice("what", what, get_args(BoardPicture))
    return _intervals(board) if what == "intervals" else _pairs(board)


def _intervals(board: Leaderboard) -> Figure:
    """Draw means and intervals; the axis is cut if very bad systems would squeeze the others."""
    figure, axes = new_rows(board.systems)
    draw_intervals(axes, board.mean, board.low, board.high)
    low, high = shown_ends(board.low, board.high, float(board.mean[0] - board.mean[-1]))
    room = 0.03 * (high - low) or 0.05
    axes.set_xlim(low - room, high + room)
    level = percent(board.settings.level)
    whose = "panel mean" if board.scale == "panel" else "mean"
    axes.set_xlabel(f"{board.measure}: {whose} and {level} interval")
    return figure


def _pairs(board: Leaderboard) -> Figure:
    values = board.beats.copy()
    np.fill_diagonal(values, np.nan)  # a system is not compared with itself
    title = f"P(row beats column) by {board.measure}"
    return square_map(values, board.systems, title, low=0.0)


def draw_differences(found: Comparison, measure: str) -> Figure:
    """Draw a line per pair, in the order of the comparison; infinite ends are not drawn."""
    check_known("measure", measure, found.measures)
    rows = [row for row in found.rows if row.measure == measure]
    one = len({row.versus for row in rows}) == 1
    figure, axes = new_rows([r.system if one else f"{r.system} − {r.versus}" for r in rows])
    axes.axvline(0, color="black", linewidth=0.8)
    colours = [LINE if found.significant(row) else "0.6" for row in rows]
    low, high = np.array([(r.low, r.high) for r in rows]).T
    draw_intervals(axes, np.array([r.difference for r in rows]), low, high, colours, colours)
    versus = f" from {rows[0].versus}" if one else ""
    axes.set_xlabel(f"difference{versus} in {measure}; significant ones in colour", fontsize=8)
    return figure


def draw_scores(scores: Scores, measure: str) -> Figure:
    """Draw a line per system, best first by the first measure."""
    check_known("measure", measure, scores.measures)
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


COLOURS = 10
MOST_NAMED = 12  # more systems than this are drawn in grey behind the best ones


def draw_precision_recall(curve: Curve) -> Figure:
    """Draw one line per system, best first."""
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
