"""Plots of the balancing index (thesis, Figures 3.3 and 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.report.pictures import new_picture
from hungjury.theory.balancing import MIDDLE, BalancingCurves, SignificanceCurve

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Safe for colour-blind readers (after Okabe and Ito).
COLOURS = (
    "#0072b2", "#56b4e9", "#009e73", "#d55e00", "#555555", "#e69f00", "#cc79a7", "#7b3294",
)  # fmt: skip


def draw_balancing(data: BalancingCurves) -> Figure:
    """Draw the balancing index of each measure by the length of the lists."""
    figure, axes = new_picture(7.2, 4.4)
    axes.plot(data.lengths, data.lengths, color="#999999", linewidth=0.8, label="B(N) = N")
    for number, (name, values) in enumerate(data.curves.items()):
        shown = np.where(np.isfinite(values), values, np.nan)
        colour = COLOURS[number % len(COLOURS)]
        # Curves that coincide are seen through the dashes of the upper one.
        style = {"linewidth": 2.6} if number % 2 == 0 else {"linewidth": 1.8, "dashes": (4, 2.5)}
        axes.plot(data.lengths, shown, color=colour, label=name, **style)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="length of the lists, N",
        ylabel="balancing index, B(N)",
        title="The rank from which a list can make up for its first rank",
    )
    _plain_numbers(axes.xaxis, axes.yaxis)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure


def _plain_numbers(*scales: Axis) -> None:
    """1, 10, 100 and not powers of ten."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for scale in scales:
        scale.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        scale.set_minor_formatter(NullFormatter())


def draw_significance(data: SignificanceCurve) -> Figure:
    """Draw how often two runs differ by the rank down to which they are alike."""
    figure, axes = new_picture(7.2, 4.4)
    axes.axvline(data.balance, color="#d55e00", linewidth=1.2, linestyle=(0, (4, 2)))
    axes.plot(data.ranks, data.share, color="#0072b2", linewidth=1.8, marker="o", markersize=4.5)
    axes.annotate(
        f"balancing index {data.balance:g}",
        (data.balance, 0.93),
        xytext=(7, 0),
        textcoords="offset points",
        color="#d55e00",
    )
    axes.axhline(data.alpha, color="#777777", linewidth=1, linestyle=(0, (1, 2)))
    axes.annotate(
        f"level of the test, {data.alpha:g}",
        (0, data.alpha),
        xytext=(0, 4),
        textcoords="offset points",
        color="#555555",
    )
    axes.set(
        xlabel="rank down to which both runs are alike",
        ylabel="share of trials with a significant difference",
        title=f"RBP with p = {data.p:g}: {data.trials:,} trials, {data.topics} topics",
        xlim=(-0.4, MIDDLE + 0.4),
        ylim=(0, 1.03),
        xticks=range(0, MIDDLE + 1, 2),
    )
    return figure
