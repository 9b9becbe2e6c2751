"""Pictures of studies: correlations, robustness, discriminative power, tuples, panels of lines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.choices import RankCorrelation
from hungjury.judges.weights import ESTIMATORS
from hungjury.report.pictures import (
    MOST_NUMBERS,
    bare,
    colour_bar,
    colour_map,
    darkest,
    masked,
    name_ticks,
    new_grid,
    new_picture,
    numbers_in_cells,
    room_for,
)
from hungjury.studies.correlation import MeasureCorrelation
from hungjury.studies.downsampling import Robustness
from hungjury.studies.figures import Matrices, RateLines
from hungjury.studies.judge_tuples import TupleStudy
from hungjury.studies.power import DiscriminativePower

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "SIGNS",
    "draw_correlations",
    "draw_matrices",
    "draw_power",
    "draw_rate_lines",
    "draw_rates",
    "draw_robustness",
    "draw_tuples",
    "line_styles",
]

SIGNS = {"tau": "Kendall's τ", "tau_ap": "τ_ap", "rmse": "RMSE"}
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b",
           "#999999")  # fmt: skip
MARKERS = "os^Dv<>PX*hpd"  # their number and that of colours have no common factor
COOL = ("#08519c", "#2b8cbe", "#41ab5d", "#006d2c")
WARM = ("#d7301f", "#e69f00", "#b30086", "#000000", "#8c6d31")


def line_styles(number: int) -> list[dict[str, Any]]:
    """Distinct styles of lines, also in greyscale: each has its own colour and marker; dashes when
    the colours repeat."""
    dashes = ("-", "--", ":")
    return [
        {
            "color": COLOURS[i % len(COLOURS)],
            "marker": MARKERS[i % len(MARKERS)],
            "linestyle": dashes[i // len(COLOURS) % len(dashes)],
            "linewidth": 1.5,
            "markersize": 4.5,
        }
        for i in range(number)
    ]


def draw_correlations(found: MeasureCorrelation, what: RankCorrelation = "tau") -> Figure:
    """Every measure with every other; the row's measure is tau_ap's estimate."""
    values = found.matrix(what).copy()
    side = min(max(0.5 * len(values), 2.6), 12.0) + 1.8
    figure, axes = new_picture(side + 0.6, side)
    low = darkest(values)
    image = axes.imshow(masked(values), cmap=colour_map("viridis"), vmin=low, vmax=1.0)
    axes.grid(False)
    name_ticks(axes, "x", found.measures)
    name_ticks(axes, "y", found.measures)
    if len(values) <= 2 * MOST_NUMBERS:
        numbers_in_cells(axes, values, low)
    note = "" if what == "tau" else " (row: estimate, column: truth)"
    axes.set_title(f"{SIGNS[what]} of system rankings{note}", fontsize=10, loc="left")
    bare(axes)
    colour_bar(figure, image, axes)
    return figure


def draw_robustness(found: Robustness, what: RankCorrelation = "tau") -> Figure:
    """Correlation with the whole pool's ranking, a line for each measure."""
    mean = found.mean(what)
    series = {name: np.append(1.0, row) for name, row in zip(found.measures, mean, strict=True)}
    figure = draw_rates(series, (1.0, *found.rates), f"{SIGNS[what]} with the whole pool")
    figure.axes[0].set_title(
        f"Mean of {found.tau.shape[2]} samples, {found.systems} systems, {found.topics} topics",
        fontsize=10, loc="left",
    )  # fmt: skip
    return figure


def draw_rates(
    series: Mapping[str, Sequence[float] | NDArray[np.float64]], rates: Sequence[float], ylabel: str
) -> Figure:
    """A line for each measure over pool reduction rates, the largest first."""
    figure, axes = new_picture(7.6, 4.2)
    places = np.arange(len(rates))
    for (name, values), style in zip(series.items(), line_styles(len(series)), strict=True):
        axes.plot(places, values, label=name, **style)
    axes.set_xticks(places, [f"{rate:.0%}" for rate in rates])
    axes.set(xlabel="share of the pool that is kept", ylabel=ylabel)
    beside(axes)
    return figure


def beside(axes: Axes, title: str | None = None) -> None:
    """The legend to the right of the picture."""
    axes.legend(
        loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, title=title
    )


def draw_power(found: DiscriminativePower, up_to: float = 0.15) -> Figure:
    """Sakai's curves: p-values of all pairs, the largest first; further left is better."""
    figure, axes = new_picture(7.6, 4.2)
    order = found.best_first()
    pairs = np.arange(1, found.p.shape[1] + 1)
    for m, style in zip(order, line_styles(len(order)), strict=True):
        label = f"{found.measures[m]}  {found.power[m]:.1%}"
        style = style | {"marker": None}
        axes.plot(pairs, np.sort(found.p[m])[::-1], label=label, **style)
    axes.axhline(found.alpha, color="0.4", linewidth=0.8, linestyle=(0, (4, 2)))
    axes.annotate(f"p = {found.alpha:g}", (len(pairs), found.alpha), xytext=(0, 3),
                  textcoords="offset points", ha="right", fontsize=8, color="0.3")  # fmt: skip
    axes.set(
        xlim=(0, len(pairs)),
        ylim=(0, up_to),
        xlabel="pairs of systems, by p-value",
        ylabel="p-value",
    )
    beside(axes, "pairs told apart")
    return figure


def draw_tuples(
    found: TupleStudy, measure: str, what: str = "tau_ap", named: Collection[str] | None = None
) -> Figure:
    """The performance of approaches by the size of the tuple.

    AWARE's estimators in cool colours, all others in warm ones. named: approaches with a name;
    by default all but estimators, and the three best estimators. The others are thin and grey.
    """
    table = found.by_size(measure, what)
    sizes = [int(name.partition("=")[2]) for name in table.columns[1:]]
    lines = {str(row[0]): np.array(row[1:], dtype=float) for row in table.rows}
    figure, axes = new_picture(7.6, 4.4)
    draw_approaches(axes, sizes, lines, what, named)
    axes.set(xlabel="judges in a tuple, k", ylabel=f"{SIGNS[what]} against gold")
    axes.set_title(measure, fontsize=10, loc="left")
    beside(axes)
    return figure


def draw_approaches(
    axes: Axes,
    places: Sequence[float] | NDArray[Any],
    lines: Mapping[str, NDArray[np.float64]],
    what: str,
    named: Collection[str] | None = None,
) -> None:
    """Many approaches, of which few can be told apart."""
    shown = set(_best(lines, what) if named is None else named)
    for name in lines:
        if name not in shown:
            axes.plot(places, lines[name], color="0.8", linewidth=0.7)
    # Legend entries in the order of the lines' ends.
    for name, style in _colours(sorted(shown, key=lambda n: -lines[n][-1])).items():
        axes.plot(places, lines[name], label=name, **style)


def _best(lines: Mapping[str, NDArray[np.float64]], what: str) -> list[str]:
    sign = 1 if what == "rmse" else -1
    estimators = sorted(
        (n for n in lines if n in ESTIMATORS), key=lambda n: sign * float(lines[n].mean())
    )
    return [*estimators[:3], *(n for n in lines if n not in ESTIMATORS)]


def _colours(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Cool for estimators, warm for all others."""
    styles: dict[str, dict[str, Any]] = {}
    used = {True: 0, False: 0}
    for name in names:
        cool = name in ESTIMATORS
        number, colours = used[cool], COOL if cool else WARM
        used[cool] += 1
        styles[name] = {
            "color": colours[number % len(colours)],
            "marker": MARKERS[number % len(MARKERS)],
            "markersize": 3.5,
            "linewidth": 1.5,
        }
    return styles


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
