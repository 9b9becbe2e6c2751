"""A picture of the predicted relevance model."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hungjury.assessors.prm import PRM
from hungjury.errors import MissingExtra
from hungjury.files import write_whole

__all__ = ["draw_prm"]


def draw_prm(models: Sequence[PRM], path: str) -> None:
    """P(relevant to another judge) by level, a line for each notion of relevance."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report", "drawing a picture") from None
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for i, model in enumerate(models):
        known = ~np.isnan(model.p)
        at = np.array(model.levels)[known] + 0.06 * (i - (len(models) - 1) / 2)
        p, low, high = (x[known] for x in (model.p, model.low, model.high))
        axes.errorbar(
            at, p, yerr=[np.maximum(p - low, 0), np.maximum(high - p, 0)], marker="o",
            markersize=4, capsize=2, linewidth=1.2,
            label=f"relevant: {min(model.relevant)} and above",
        )  # fmt: skip
    axes.set_xticks(models[0].levels)
    axes.set(ylim=(-0.02, 1.02), xlabel="level given", ylabel="P(another judge says relevant)")
    axes.grid(alpha=0.3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=Path(path).suffix.lstrip(".") or "svg", dpi=150)
    write_whole(path, drawn.getvalue())
