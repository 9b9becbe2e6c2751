"""Plot the predicted relevance model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hungjury.judges.prm import PRM
from hungjury.report.pictures import new_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_prm"]


def draw_prm(models: Sequence[PRM]) -> Figure:
    """P(relevant to another judge) by level, a line for each notion of relevance."""
    figure, axes = new_picture(6.0, 4.0)
    for i, model in enumerate(models):
        known = ~np.isnan(model.p)
        at = np.array(model.levels)[known] + 0.06 * (i - (len(models) - 1) / 2)
        p, low, high = (x[known] for x in (model.p, model.low, model.high))
        axes.errorbar(
            at, p, yerr=[np.maximum(p - low, 0), np.maximum(high - p, 0)], marker="o",
            markersize=4, capsize=2, linewidth=1.2,
            label=f"relevant: {model.notion}",
        )  # fmt: skip
    axes.set_xticks(models[0].levels)
    axes.set(ylim=(-0.02, 1.02), xlabel="level given", ylabel="P(another judge says relevant)")
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return figure
