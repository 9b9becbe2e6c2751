"""Plots of an agreement: pairs of judges, and their rankings of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hungjury.base.errors import InputError, MissingExtra, check_choice
from hungjury.judges.agreement import Agreement, Rankings
from hungjury.leaderboard.against_gold import GoldAgreement
from hungjury.report.pictures import (
    MOST_NUMBERS,
    bare,
    colour_bar,
    colour_map,
    darkest,
    masked,
    name_ticks,
    numbers_in_cells,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

__all__ = ["agreement_heatmap", "draw_agreement", "error_heatmap", "ranking_plot"]

_TITLES = {
    "kappa": "Cohen's kappa",
    "agreement": "share of equal labels",
    "tau": "Kendall's tau_b of the system rankings",
    "tau_ap": "tau_ap of the system rankings (row: estimate, column: truth)",
}


def _figure(width: float, height: float) -> Figure:
    """A figure without a window or global state."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise MissingExtra("matplotlib", "report", "a plot of agreement") from None
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    return Figure(figsize=(width, height), dpi=150, layout=layout)


def draw_agreement(found: Agreement, what: str = "kappa") -> Figure:
    """Draw the rankings of systems, or a heat map of all pairs of judges."""
    return ranking_plot(found) if what == "rankings" else agreement_heatmap(found, what)


def agreement_heatmap(found: Agreement, what: str = "kappa") -> Figure:
    """A heat map of all pairs of judges, ordered so that judges who agree are neighbours.

    what: "kappa", "agreement", or with runs "tau" or "tau_ap". Save with `savefig`.
    """
    values = _matrix(found, what)
    order = found.order()
    names = [found.judges[i] for i in order]
    return _square(values[np.ix_(order, order)], names, _TITLES[what])


def error_heatmap(found: GoldAgreement) -> Figure:
    """A heat map of the correlations of errors on documents with gold labels."""
    return _square(found.correlation.copy(), found.judges, "Correlation of errors")


def _square(values: NDArray[np.float64], names: list[str], title: str) -> Figure:
    """A matrix of judges by judges, without its diagonal."""
    side = min(max(0.24 * len(names), 2.6), 14.0) + 1.6
    figure = _figure(side + 0.6, side)
    axes = figure.add_subplot()
    np.fill_diagonal(values, np.nan)  # a judge always agrees with itself
    low = darkest(values)
    image = axes.imshow(masked(values), cmap=colour_map("viridis"), vmin=low, vmax=1.0)
    name_ticks(axes, "x", names)
    name_ticks(axes, "y", names)
    if len(names) <= MOST_NUMBERS:
        numbers_in_cells(axes, values, low)
    axes.set_title(title, fontsize=10, loc="left")
    bare(axes)
    colour_bar(figure, image, axes)
    return figure


def _matrix(found: Agreement, what: str) -> NDArray[np.float64]:
    check_choice("what", what, tuple(_TITLES))
    if what in ("tau", "tau_ap"):
        rankings = _ranked(found)
        return (rankings.tau if what == "tau" else rankings.tau_ap).copy()
    return (found.pairs.kappa if what == "kappa" else found.pairs.agreement).copy()


def _ranked(found: Agreement) -> Rankings:
    if found.rankings is None:
        raise InputError(
            "this agreement has no system rankings",
            code="no-rankings",
            argument="runs",
            remedy="compute it with runs: agreement(judgments, runs)",
        )
    return found.rankings


def ranking_plot(found: Agreement) -> Figure:
    """The rank of each system under each judge alone, and its spread over judges.

    Systems from best to worst by median rank, judges in the order of the heat map.
    """
    rankings = _ranked(found)
    order = found.order()
    ranks = rankings.ranks()[order]
    middle = np.nanmedian(ranks, axis=0)
    systems = np.lexsort((np.nanmean(ranks, axis=0), middle))
    ranks = ranks[:, systems]
    height = min(max(0.15 * len(systems), 2.5), 14.0) + 1.2
    width = min(max(0.17 * len(order), 2.0), 10.0)
    figure = _figure(width + 5.2, height)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[width, 2.6])
    image = left.imshow(
        masked(ranks.T), aspect="auto", cmap=colour_map("viridis_r"), vmin=1, vmax=len(systems)
    )
    name_ticks(left, "x", [found.judges[i] for i in order])
    name_ticks(left, "y", [rankings.systems[s] for s in systems])
    left.set_title(f"rank by {rankings.measure}, each judge alone", fontsize=10, loc="left")
    bare(left)
    _spread(right, ranks)
    bar = colour_bar(figure, image, right)
    bar.ax.invert_yaxis()
    bar.ax.yaxis.set_major_locator(_integers_only())
    bar.set_label("rank", fontsize=8)
    return figure


def _spread(axes: Axes, ranks: NDArray[np.float64]) -> None:
    """Per system: the range over judges as a thin line, the quartiles thick, the median a dot."""
    place = np.arange(ranks.shape[1])
    low, first, middle, third, high = np.nanpercentile(ranks, [0, 25, 50, 75, 100], axis=0)
    axes.hlines(place, low, high, color="0.75", linewidth=1)
    axes.hlines(place, first, third, color="#31688e", linewidth=3)
    axes.plot(middle, place, "o", color="black", markersize=2.5)
    axes.set_xlim(0.5, ranks.shape[1] + 0.5)
    axes.xaxis.set_major_locator(_integers_only())
    axes.set_title("range over judges", fontsize=10, loc="left")
    axes.set_xlabel("rank: all judges, middle half, median", fontsize=7)
    axes.tick_params(axis="x", labelsize=7, length=2)
    axes.tick_params(axis="y", left=False, labelleft=False)
    axes.grid(axis="x", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _integers_only() -> Locator:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, steps=[1, 2, 5, 10])
