"""Plots of studies and of theory, as in the papers: correlations, robustness, power, tuples of
judges, analyses of variance, balancing indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury.base.arrays import Array, Floats
from hungjury.base.choices import RankCorrelation
from hungjury.base.text import visible
from hungjury.judges.weights import ESTIMATORS
from hungjury.report import pictures
from hungjury.stats.resampling import interval
from hungjury.studies.anova import Anova
from hungjury.studies.combining import TupleStudy
from hungjury.studies.gold import DETERMINISTIC
from hungjury.studies.measure_comparison import DiscriminativePower, MeasureCorrelation, Robustness
from hungjury.studies.recipe import Lines, Matrix
from hungjury.theory.balancing import MIDDLE, BalancingCurves, SignificanceCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIGNS = {"tau": "Kendall's τ", "tau_ap": "τ_ap", "rmse": "RMSE"}
COOL = ("#08519c", "#2b8cbe", "#41ab5d", "#006d2c")
WARM = ("#d7301f", "#e69f00", "#b30086", "#000000", "#8c6d31", "#7b3294")


def draw_correlations(found: MeasureCorrelation, what: RankCorrelation = "tau") -> Figure:
    """Draw the correlation of every measure with every other; in rows, tau_ap's estimate."""
    note = "" if what == "tau" else " (row: estimate, column: truth)"
    title = f"{SIGNS[what]} of system rankings{note}"
    values = found.matrix(what)
    return pictures.square_map(
        values, found.measures, title, cell=0.5, numbered=2 * pictures.MOST_NUMBERS
    )


def draw_robustness(found: Robustness, what: RankCorrelation = "tau") -> Figure:
    """Draw the correlation with the whole pool's ranking, a line for each measure; bands contain
    nine of ten samples."""
    each = np.insert(found.matrix(what), 0, 1.0, axis=1)
    lines = np.stack([each.mean(axis=2), *np.quantile(each, (0.05, 0.95), axis=2)], axis=1)
    title = f"Mean of {each.shape[2]} samples, {found.systems} systems, {found.topics} topics"
    panel = Lines(title, dict(zip(found.measures, lines, strict=True)))
    ylabel = f"{SIGNS[what]} with the whole pool"
    return draw_rate_lines([panel], (1.0, *found.rates), ylabel, 1)


def beside(axes: Axes, title: str | None = None) -> None:
    """Put the legend to the right of the picture."""
    axes.legend(
        loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, title=title
    )


def _note(axes: Axes, text: str, at: tuple[float, float], off: tuple[int, int], side: str) -> None:
    """Write beside a line what it means."""
    axes.annotate(text, at, xytext=off, textcoords="offset points", ha=side, fontsize=8,
                  color="0.3")  # fmt: skip


def draw_power(found: DiscriminativePower, up_to: float = 0.15) -> Figure:
    """Draw Sakai's curves: p-values of all pairs, the largest first; further left is better."""
    figure, axes = pictures.new_picture(7.6, 4.2)
    order = found.best_first()
    pairs = np.arange(1, found.p.shape[1] + 1)
    for m, style in zip(order, pictures.line_styles(len(order)), strict=True):
        label = f"{found.measures[m]}  {found.power[m]:.1%}"
        style = style | {"marker": None}
        axes.plot(pairs, np.sort(found.p[m])[::-1], label=label, **style)
    axes.axhline(found.alpha, color="0.4", linewidth=0.8, linestyle=(0, (4, 2)))
    _note(axes, f"p = {found.alpha:g}", (len(pairs), found.alpha), (0, 3), "right")
    axes.set(
        xlim=(0, len(pairs)),
        ylim=(0, up_to),
        xlabel="pairs of systems, by p-value",
        ylabel="p-value",
    )
    beside(axes, "pairs told apart")
    return figure


def draw_tuples(found: TupleStudy, measure: str, what: str = "tau_ap") -> Figure:
    """Draw the performance of approaches by the size of the tuple.

    AWARE's estimators in cool colours, all others in warm ones. Only the three best estimators
    have a name, the other ones are thin and grey.
    Where the study has draws, bands are 95 % intervals over tuples and topics, of the lines that
    end on top and at the bottom: more could not be told apart.
    """
    table = found.by_size(measure, what)
    sizes = [int(name.partition("=")[2]) for name in table.columns[1:]]
    lines = {str(row[0]): np.array(row[1:], dtype=float) for row in table.rows}
    figure, axes = pictures.new_picture(7.6, 4.4)
    at: dict[tuple[str, int], int] = {}
    for i, row in enumerate(found.rows if what in found.draws else ()):
        if (row.measure, row.gold) == (measure, DETERMINISTIC):
            at.setdefault((row.approach, row.size), i)
    bands = {
        name: np.stack(interval(found.draws[what][[at[name, k] for k in sizes]], axis=1))
        for name in lines
        if at
    }
    draw_approaches(axes, sizes, lines, what, bands)
    axes.locator_params(axis="x", integer=True)
    axes.set(xlabel="judges in a tuple, k", ylabel=f"{SIGNS[what]} against gold")
    axes.set_title(measure, fontsize=10, loc="left")
    beside(axes)
    return figure


def draw_approaches(
    axes: Axes,
    places: Sequence[float] | Array,
    lines: Mapping[str, Floats],
    what: str,
    bands: Mapping[str, Floats] | None = None,
) -> None:
    """Many approaches, of which few can be told apart. bands: [end, place] of approaches."""
    shown = _best(lines, what)
    for name in lines:
        if name not in shown:
            axes.plot(places, lines[name], color="0.8", linewidth=0.7)
    # Legend entries in the order of the lines' ends.
    order = sorted(shown, key=lambda n: -lines[n][-1])
    for name, style in _colours(order).items():
        axes.plot(places, lines[name], label=name, **style)
        if bands and name in (order[0], order[-1]):
            axes.fill_between(places, *bands[name], color=style["color"], alpha=0.12, lw=0)


def _best(lines: Mapping[str, Floats], what: str) -> list[str]:
    sign = 1 if what == "rmse" else -1
    estimators = sorted(
        (n for n in lines if n in ESTIMATORS), key=lambda n: sign * float(lines[n].mean())
    )
    return [*estimators[:3], *(n for n in lines if n not in ESTIMATORS)]


def _colours(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Cool for estimators, warm for all others."""
    cool = [name for name in names if name in ESTIMATORS]
    styles: dict[str, dict[str, Any]] = {}
    for group, colours in ((cool, COOL), ([n for n in names if n not in cool], WARM)):
        for name, style, colour in zip(group, pictures.line_styles(len(group)), cycle(colours)):
            styles[name] = style | {"color": colour, "markersize": 3.5, "linestyle": "-"}
    return {name: styles[name] for name in names}


def draw_rate_lines(
    panels: Sequence[Lines], rates: Sequence[float], ylabel: str, across: int
) -> Figure:
    """Draw panels of lines on one scale; a name looks the same in all of them."""
    number = len(panels)
    figure, grid = pictures.new_grid(
        3.3 * across + 1.8, 2.7 * -(-number // across) + 0.3, number, across
    )
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    styles = dict(zip(names, pictures.line_styles(len(names)), strict=True))
    places = np.arange(len(rates))
    handles = {}
    for i, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
        for name, values in panel.series.items():
            line, *band = np.atleast_2d(values)
            handles[name] = axes.plot(places, line, **styles[name] | {"linewidth": 1.2})[0]
            if band:
                axes.fill_between(places, *band, color=styles[name]["color"], alpha=0.1, lw=0)
        axes.set_title(panel.title, fontsize=9, loc="left")
        if not panel.series:
            axes.set_axis_off()
            continue
        axes.set_xticks(places, [f"{rate:.0%}" for rate in rates], fontsize=7)
        axes.tick_params(axis="y", labelsize=7, labelleft=True)
        if i % across == 0:
            axes.set_ylabel(ylabel, fontsize=8)
    figure.supxlabel("share of the pool that is kept", fontsize=8)
    figure.legend([handles[name] for name in names], names, loc="outside right center",
                  frameon=False, fontsize=8)  # fmt: skip
    return figure


def draw_matrices(panels: Sequence[Matrix], across: int) -> Figure:
    """Draw panels of correlations, with a number in every cell."""
    first, number = panels[0], len(panels)
    wide = 0.42 * len(first.columns) + max(pictures.room_for(first.rows), 1.4)
    high = 0.3 * len(first.rows) + max(pictures.room_for(first.columns), 1.1)
    below = -(-number // across)
    figure, grid = pictures.new_grid(wide * across + 0.6, high * below, number, across)
    low = min(pictures.darkest(panel.values) for panel in panels)
    for axes, panel in zip(grid, panels, strict=True):
        rows, columns = list(panel.rows), list(panel.columns)
        image = pictures.heat_map(axes, panel.values, rows, columns, low, True, aspect="auto")
        axes.tick_params(labelleft=True)
        axes.set_title(panel.title, fontsize=9, loc="left")
        if panel.triangles:
            over, under = panel.triangles
            named = f"\N{BLACK UPPER RIGHT TRIANGLE} {over}  \N{BLACK LOWER LEFT TRIANGLE} {under}"
            axes.set_title(named, fontsize=8, loc="right")
    pictures.colour_bar(figure, image, grid)
    return figure


# Analysis of variance (TH Figures 4.4-4.9)

MOST_LINES = 12  # more lines are hard to distinguish
TOP, SAME, OTHER = "#08519c", "#d55e00", "#777777"


def draw_main_effects(found: Anova, lettered: Mapping[str, str] | None = None) -> Figure:
    """Draw means of the response at the levels of each factor, 95 % intervals shaded.

    lettered: factors by the letter of their panel; default: all, without letters.
    """
    titles = {name: f"({letter}) {name}" for letter, name in (lettered or {}).items()}
    titles = titles or {name: name for name in (found.subject, *found.factors) if name}
    names = list(titles)
    widths = [max(2.0, 0.18 * len(found.levels[name])) for name in names]
    figure, panels = pictures.new_grid(sum(widths) + 1.0, 4.0, len(names), len(names), widths)
    for axes, name in zip(panels, names, strict=True):
        means = found.means(name)
        places = np.arange(len(means.levels))
        low, high = means.mean - means.half, means.mean + means.half
        axes.fill_between(places, low, high, color=TOP, alpha=0.18, linewidth=0)
        axes.plot(places, means.mean, "o-", color=TOP, markersize=3.5, linewidth=1.2)
        axes.set_xlim(-0.5, len(places) - 0.5)
        _levels(axes, means.levels)
        axes.set_title(titles[name], fontsize=10, loc="left")
    panels[0].set_ylabel(f"mean {_sign(found)}")
    return figure


def _sign(found: Anova) -> str:
    return SIGNS.get(found.response, found.response)


def _levels(axes: Axes, levels: Sequence[object]) -> None:
    """Write names of levels below an axis, vertical if they are many or long."""
    texts = [pictures.shortened(str(level)) for level in levels]
    numbers = all(isinstance(level, (int, float)) for level in levels)
    step = max(1, len(texts) // 15) if numbers else 1
    places = np.arange(0, len(texts), step)
    upright = not numbers and (len(texts) > 6 or max(map(len, texts)) > 8)
    axes.set_xticks(
        places, [visible(texts[i]) for i in places], rotation=90 if upright else 0,
        fontsize=7 if len(texts) > 12 and not numbers else 8,
    )  # fmt: skip


def draw_interaction(found: Anova, across: str, lines: str) -> Figure:
    """Draw means of the response: levels of one factor across, a line for each level of the other,
    of many as in `draw_tuples`."""
    means = found.interaction(across, lines)
    names = [str(level) for level in found.levels[lines]]
    figure, axes = pictures.new_picture(max(5.0, 0.22 * len(means)) + 2.2, 4.2)
    places = np.arange(len(means))
    if len(names) > MOST_LINES:
        each = dict(zip(names, means.T, strict=True))
        draw_approaches(axes, places, each, found.response)
    else:
        # Legend entries in the order of the lines' ends.
        order = np.argsort(-np.nan_to_num(means[-1], nan=-np.inf), kind="stable")
        for i, style in zip(order, pictures.line_styles(len(names)), strict=True):
            axes.plot(
                places,
                means[:, i],
                label=pictures.in_legend(names[i]),
                **style | {"markersize": 3.5},
            )
    _levels(axes, found.levels[across])
    axes.set(xlabel=across, ylabel=f"mean {_sign(found)}")
    beside(axes, lines)
    return figure


def draw_tukey(
    found: Anova, factor: str, largest_first: bool = True, beside_of: str | None = None
) -> Figure:
    """Draw levels by their means, each with half the difference needed to either side.

    The first group in blue: those that do not differ from the best. beside_of: a level whose
    group is shown in orange, those that do not differ from it. Bars on the right are all groups.
    """
    means, tukey = found.means(factor), found.tukey(factor)
    order = tukey.order if largest_first else tukey.order[::-1]
    half = np.diag(tukey.needed) / 2  # two levels of one size differ when these do not overlap
    best = order[0]
    other = means.levels.index(beside_of) if beside_of is not None else None
    figure, axes = pictures.new_picture(5.6, max(2.2, 0.2 * len(order) + 0.9))
    like_best = ~tukey.different[best, order]
    like_other = np.zeros(len(order), bool) if other is None else ~tukey.different[other, order]
    colours = np.where(like_best, TOP, np.where(like_other, SAME, OTHER)).tolist()
    middle, width = means.mean[order], half[order]
    pictures.draw_intervals(axes, middle, middle - width, middle + width, colours, colours)
    for level, colour in ((best, TOP), (other, SAME)):
        if level is not None:
            edge = means.mean[level] + (-1 if largest_first else 1) * half[level]
            axes.axvline(edge, color=colour, linewidth=0.8, linestyle=(0, (4, 2)))
    for number, (first, last) in enumerate(tukey.groups):
        ends = (first, last) if largest_first else (len(order) - 1 - last, len(order) - 1 - first)
        axes.plot([1.015 + 0.02 * number] * 2, [min(ends) - 0.3, max(ends) + 0.3], color="0.4",
                  linewidth=2, transform=axes.get_yaxis_transform(), clip_on=False)  # fmt: skip
    axes.set_yticks(
        np.arange(len(order)),
        [pictures.shortened(str(means.levels[i])) for i in order],
        fontsize=7.5,
    )
    axes.invert_yaxis()
    axes.set_xlabel(f"mean {_sign(found)}, with half the difference needed")
    also = "" if beside_of is None else f", not different from {beside_of} in orange"
    axes.set_title(f"{factor}: best group in blue{also}", fontsize=10, loc="left")
    return figure


# The balancing index (TH Figures 3.3 and 3.5)


def draw_balancing(data: BalancingCurves) -> Figure:
    """Draw the balancing index of each measure by the length of the lists."""
    figure, axes = pictures.new_picture(7.2, 4.4)
    axes.plot(data.lengths, data.lengths, color="#999999", linewidth=0.8, label="B(N) = N")
    for number, (name, values) in enumerate(data.curves.items()):
        shown = np.where(np.isfinite(values), values, np.nan)
        colour = pictures.COLOURS[number % len(pictures.COLOURS)]
        # Curves that coincide are seen through the dashes of the upper one.
        style = {"linewidth": 2.6} if number % 2 == 0 else {"linewidth": 1.8, "dashes": (4, 2.5)}
        axes.plot(data.lengths, shown, color=colour, label=name, **style)
    axes.set(xscale="log", yscale="log", xlabel="length of the lists, N",
             ylabel="balancing index, B(N)",
             title="The rank from which a list can make up for its first rank")  # fmt: skip
    for scale in (axes.xaxis, axes.yaxis):  # 1, 10, 100 and not powers of ten
        scale.set_major_formatter(lambda value, _: f"{value:g}")
        scale.set_minor_formatter(lambda *_: "")
    beside(axes)
    return figure


def draw_significance(data: SignificanceCurve) -> Figure:
    """Draw how often two runs differ by the rank down to which they are alike."""
    figure, axes = pictures.new_picture(7.2, 4.4)
    axes.axvline(data.balance, color="#d55e00", linewidth=1.2, linestyle=(0, (4, 2)))
    axes.plot(data.ranks, data.share, color="#0072b2", linewidth=1.8, marker="o", markersize=4.5)
    _note(axes, f"balancing index {data.balance:g}", (data.balance, 0.93), (7, 0), "left")
    axes.axhline(data.alpha, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
    _note(axes, f"level of the test, {data.alpha:g}", (0, data.alpha), (0, 4), "left")
    axes.set(xlabel="rank down to which both runs are alike",
             ylabel="share of trials with a significant difference",
             title=f"RBP with p = {data.p:g}: {data.trials:,} trials, {data.topics} topics",
             xlim=(-0.4, MIDDLE + 0.4), ylim=(0, 1.03), xticks=range(0, MIDDLE + 1, 2))  # fmt: skip
    return figure


def draw_balancing_dots(data: BalancingCurves) -> Figure:
    """Draw the balancing index of each measure at few lengths, the least top-heavy on top."""
    shown = {
        name: np.where(np.isfinite(values), values, np.nan) for name, values in data.curves.items()
    }
    order = sorted(shown, key=lambda name: tuple(np.nan_to_num(shown[name][::-1])))
    figure, axes = pictures.new_picture(7.2, 0.22 * len(order) + 1.1)
    for number, length in enumerate(data.lengths):
        values = [shown[name][number] for name in order]
        axes.plot(values, range(len(order)), "oos^D"[number], label=f"N = {length}",
                  color=pictures.COLOURS[3 * number % 8], markersize=4 + 3 * number,
                  fillstyle="none" if number else "full")  # fmt: skip
        axes.axvline(length, color="#bbbbbb", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(order)), order, fontsize=8)
    axes.grid(axis="y", color="#eeeeee")
    axes.set(xscale="log", ylim=(-0.7, len(order) - 0.3), xlabel="balancing index, B(N)",
             title="The rank from which a list can make up for its first rank")  # fmt: skip
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(lambda *_: "")
    beside(axes)
    return figure
