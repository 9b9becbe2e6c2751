"""Plots of leaderboards, comparisons, scores and curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import BoardPicture, ComparisonPicture, ScoreBoardPicture, ScoresPicture
from hungjury.base.errors import InputError, check_known, percent
from hungjury.comparison.paired import Compared, Comparison
from hungjury.leaderboard.board import Leaderboard
from hungjury.leaderboard.score_board import ScoreBoard
from hungjury.measures.curve import Curve
from hungjury.measures.scores import Scores
from hungjury.report import pictures
from hungjury.report.page_data import shown_ends
from hungjury.stats.correlation import kendall
from hungjury.stats.paired import t_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_board(board: Leaderboard, what: BoardPicture) -> Figure:
    """Draw "intervals" or "pairs"; the axis of intervals is cut if very bad systems would squeeze
    the others."""
    if what == "pairs":
        return _pairs(board)
    figure, axes = pictures.new_rows(board.systems)
    pictures.draw_intervals(axes, board.mean, board.low, board.high)
    low, high = shown_ends(board.low, board.high, float(board.mean[0] - board.mean[-1]))
    room = 0.03 * (high - low) or 0.05
    axes.set_xlim(low - room, high + room)
    level = percent(board.settings.level)
    whose = "panel mean" if board.scale == "panel" else "mean"
    axes.set_xlabel(f"{board.measure}: {whose} and {level} interval")
    return figure


def draw_score_board(board: ScoreBoard, what: ScoreBoardPicture) -> Figure:
    """Draw "intervals", "pairs" or "collections"."""
    if what == "pairs":
        return _pairs(board)
    if what == "collections":
        title = f"{board.measure}: systems by collections"
        return _by_columns(board.collection_means().T, board.systems, list(board.parts), title)
    figure, axes = pictures.new_rows(board.systems)
    pictures.draw_intervals(axes, board.mean, board.low, board.high)
    axes.set_xlabel(f"{board.measure}: mean and {percent(board.level)} interval")
    return figure


def _pairs(board: Leaderboard | ScoreBoard) -> Figure:
    values = board.beats.copy()
    np.fill_diagonal(values, np.nan)  # a system is not compared with itself
    title = f"P(row beats column) by {board.measure}"
    return pictures.square_map(values, board.systems, title, low=0.0)


def draw_comparison(found: Comparison, measure: str, what: ComparisonPicture) -> Figure:
    """Draw "differences" or "topics"."""
    check_known("measure", measure, found.measures)
    rows = [row for row in found.rows if row.measure == measure]
    if what == "topics":
        return _topic_differences(found, rows[:MOST_PANELS], measure)
    one = len({row.versus for row in rows}) == 1
    figure, axes = pictures.new_rows(
        [r.system if one else f"{r.system} − {r.versus}" for r in rows]
    )
    axes.axvline(0, color="black", linewidth=0.8)
    colours = [pictures.LINE if found.significant(row) else "0.6" for row in rows]
    low, high = np.array([(r.low_corrected, r.high_corrected) for r in rows]).T
    pictures.draw_intervals(
        axes, np.array([r.difference for r in rows]), low, high, colours, colours
    )
    versus = f" from {rows[0].versus}" if one else ""
    ends = "" if found.correction == "none" else f", intervals corrected by {found.correction}"
    axes.set_xlabel(f"difference{versus} in {measure}; significant ones in colour{ends}",
                    fontsize=8)  # fmt: skip
    return figure


MOST_PANELS = 6


def _topic_differences(found: Comparison, rows: list[Compared], measure: str) -> Figure:
    """Draw the differences on every topic, sorted, a panel for each of the first pairs."""
    scores, m = found.scores, found.measures.index(measure)
    across = min(len(rows), 3)
    below = -(-len(rows) // across)
    figure, grid = pictures.new_grid(2.6 * across + 0.6, 2.2 * below + 0.4, len(rows), across)
    for axes, row in zip(grid, rows, strict=True):
        one, other = (scores.values[m, scores.systems.index(s)] for s in (row.system, row.versus))
        sizes = np.sort((one - other)[~np.isnan(one - other)])[::-1]
        better = (sizes > 0) != (measure in found.smaller)
        colours = np.where(better, *pictures.COLOURS[:2])
        axes.bar(np.arange(1, len(sizes) + 1), sizes, 0.85, color=colours)
        axes.axhline(0, color="black", linewidth=0.8)
        title = f"{pictures.shortened(row.system)} − {pictures.shortened(row.versus)}"
        axes.set_title(f"{title}: {row.wins}/{row.ties}/{row.losses}", fontsize=8, loc="left")
        axes.set_xlabel("topics, by difference", fontsize=8)
    grid[0].set_ylabel(f"difference in {measure}", fontsize=8)
    return figure


def draw_scores(scores: Scores, measure: str, what: ScoresPicture, other: str | None) -> Figure:
    """Draw "topics", "ranking", "scatter", "bump", "distribution" or "heat-map"."""
    check_known("measure", measure, scores.measures)
    m, order = scores.measures.index(measure), scores.best_first()
    systems = [scores.systems[s] for s in order]
    if what == "scatter":
        return _scatter(scores, m, other)
    if what == "bump":
        ranks = np.argsort(np.argsort(-scores.better(), axis=1, kind="stable"), axis=1) + 1
        return draw_bump(scores.systems, scores.measures, ranks.T.astype(float))
    if what == "distribution":
        return _distribution(scores, m)
    if what == "heat-map":
        topics = np.argsort(-np.nanmean(scores.values[m], axis=0), kind="stable")
        values, columns = scores.values[m][order][:, topics], [scores.topics[t] for t in topics]
        return _by_columns(values, systems, columns, f"{measure}: systems by topics")
    figure, axes = pictures.new_rows(systems)
    counted, mean = scores.counted()[m], scores.mean()[m, order]
    summed = scores.averages[m] == "sum"  # a sum is not among its parts
    if what == "ranking":
        ends = [t_interval(scores.values[m, s, counted[s]]) for s in order]
        low, high = np.array(ends).T * (counted[order].sum(axis=1) if summed else 1)
        pictures.draw_intervals(axes, mean, low, high)
        axes.set_xlabel(f"{measure}: {'sum' if summed else 'mean'} and 95 % interval over topics")
        return figure
    for place, s in enumerate(order):
        values = scores.values[m, s, counted[s]]
        axes.plot(values, np.full(len(values), place), "o", color=pictures.LINE, alpha=0.25,
                  markersize=4, markeredgewidth=0)  # fmt: skip
    if not summed:
        axes.plot(mean, np.arange(len(order)), "D", color="black", markersize=4)
    axes.set_xlabel(f"{measure}: topics (dots)" + ("" if summed else " and their mean"))
    return figure


MOST_LABELS = 20  # names beside dots


def _scatter(scores: Scores, m: int, other: str | None) -> Figure:
    """Draw the means by two measures against each other, with the correlation of the rankings."""
    if len(scores.measures) < 2:
        raise InputError(
            "a scatter plot needs two measures", code="one-measure", remedy="score another measure"
        )
    other = other or next(name for name in scores.measures if name != scores.measures[m])
    check_known("measure", other, scores.measures)
    o, mean, better = scores.measures.index(other), scores.mean(), scores.better()
    figure, axes = pictures.new_picture(4.6, 4.2)
    axes.plot(mean[m], mean[o], "o", color=pictures.LINE, markersize=5, alpha=0.8)
    named = len(scores.systems) <= MOST_LABELS
    for s, name in enumerate(scores.systems if named else ()):
        axes.annotate(pictures.shortened(name), (mean[m, s], mean[o, s]), xytext=(4, 3),
                      textcoords="offset points", fontsize=7, color="0.3")  # fmt: skip
    tau = float(kendall(better[m], better[o]))
    left_out = "" if named else f"; names of {len(scores.systems)} systems left out"
    axes.set_title(f"Kendall's τ = {tau:.3f}{left_out}", fontsize=9, loc="left")
    axes.set(xlabel=scores.measures[m], ylabel=other)
    return figure


def draw_bump(systems: Sequence[str], over: Sequence[str], ranks: Floats) -> Figure:
    """Draw the ranks [system, column] of systems under measures or judges, a line for each.

    The best by median rank are in colour, the others grey.
    """
    order = np.argsort(np.nanmedian(ranks, axis=1), kind="stable")
    height = min(max(0.2 * len(systems), 2.2), 12.0) + 0.9
    figure, axes = pictures.new_picture(min(1.0 * len(over), 9.0) + 3.4, height)
    places = np.arange(len(over))
    for number, s in reversed(list(enumerate(order))):
        style = pictures.line_styles(number + 1)[-1] | {"markersize": 4}
        if number >= len(pictures.COLOURS):
            style |= {"color": "0.75", "linestyle": "-", "linewidth": 0.9, "marker": "o"}
        axes.plot(places, ranks[s], **style)
    ends = [(ranks[s, -1], systems[s]) for s in range(len(systems))]
    axes.set_ylim(len(systems) + 0.6, 0.4)
    axes.set_xlim(-0.15, len(over) - 0.85)
    axes.set_xticks(places, [pictures.shortened(name) for name in over], fontsize=8,
                    rotation=90 if max(map(len, over)) * len(over) > 60 else 0)  # fmt: skip
    if len(systems) <= pictures.MOST_NAMES:
        for rank, name in ends:
            axes.annotate(pictures.shortened(name), (len(over) - 1, rank), xytext=(7, -3),
                          textcoords="offset points", fontsize=8 if len(systems) < 40 else 6,
                          annotation_clip=False)  # fmt: skip
    axes.set_ylabel(
        "rank" if len(systems) <= pictures.MOST_NAMES else f"rank, {len(systems)} names left out"
    )
    axes.grid(visible=False)
    return figure


def _distribution(scores: Scores, m: int) -> Figure:
    """Draw the scores of all systems on each topic as boxes, the hardest topic on top."""
    values = scores.values[m]
    order = np.argsort(np.nanmedian(values, axis=0), kind="stable")
    figure, axes = pictures.new_rows([scores.topics[t] for t in order])
    shown = [values[:, t][~np.isnan(values[:, t])] for t in order]
    axes.boxplot(shown, positions=np.arange(len(order)), orientation="horizontal", widths=0.6,
                 manage_ticks=False, patch_artist=True, medianprops={"color": "black"},
                 boxprops={"facecolor": pictures.COLOURS[5], "linewidth": 0.6},
                 whiskerprops={"linewidth": 0.6}, capprops={"linewidth": 0.6},
                 flierprops={"markersize": 2.5})  # fmt: skip
    number = len(scores.systems)
    axes.set_xlabel(f"{scores.measures[m]} of {number} systems by topic, hardest on top")
    return figure


def _by_columns(values: Floats, rows: list[str], columns: list[str], title: str) -> Figure:
    """Draw a matrix of scores, with a bar of its colours."""
    wide, high = (min(max(0.16 * n, 2.4), 12.0) for n in (len(columns), len(rows)))
    figure, axes = pictures.new_picture(wide + 2.2, high + 1.4)
    known = values[~np.isnan(values)]
    low, top = float(known.min(initial=0.0)), float(known.max(initial=0.0)) or 1.0
    image = pictures.heat_map(axes, values, rows, columns, low, False, top, aspect="auto")
    axes.set_title(title, fontsize=10, loc="left")
    pictures.colour_bar(figure, image, axes)
    return figure


MOST_NAMED = 12  # more systems than this are drawn in grey behind the best ones


MOST_BANDS = 4  # systems up to which intervals are drawn


def draw_precision_recall(curve: Curve) -> Figure:
    """Draw one line per system, best first."""
    best = sorted(range(len(curve.systems)), key=lambda s: -np.nansum(curve.precision[s]))
    figure, axes = pictures.new_picture(6.4, 4.4)
    for s in best[MOST_NAMED:]:
        axes.plot(*curve.points(s), color="0.8", linewidth=0.8)
    mark = {"markersize": 3} if curve.by == "recall" else {"marker": ""}
    for s, style in zip(best, pictures.line_styles(MOST_NAMED), strict=False):
        axes.plot(*curve.points(s), label=pictures.in_legend(curve.systems[s]), **style | mark)
        if curve.under is not None:
            axes.plot(*curve.under.points(s), color=style["color"], linewidth=0.8, alpha=0.6)
        if curve.half is not None and len(best) <= MOST_BANDS:
            recall, precision = curve.points(s)
            half = curve.half[s][: len(recall)]
            low, high = np.maximum(precision - half, 0), np.minimum(precision + half, 1)
            axes.fill_between(recall, low, high, color=style["color"], alpha=0.12, linewidth=0)
    label = "interpolated precision" if curve.by == "recall" else "precision"
    axes.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="recall", ylabel=label)
    axes.legend(frameon=False, fontsize=8)
    return figure
