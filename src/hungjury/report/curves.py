"""Pictures of precision and recall."""

from __future__ import annotations

import io
from pathlib import Path

from hungjury.errors import MissingExtra
from hungjury.files import write_whole
from hungjury.scores import Scores

__all__ = ["draw_precision_recall"]

MOST_NAMED = 12  # more systems than this are drawn in grey behind the best ones


def draw_precision_recall(scores: Scores, path: str) -> None:
    """One curve a system, best first; the file's ending (.svg, .png, .pdf) says the format."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report", "drawing a curve") from None
    levels = [float(name.partition("@")[2]) for name in scores.measures]
    mean = scores.mean()
    best = sorted(range(len(scores.systems)), key=lambda s: -mean[:, s].mean())
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.subplots()
    for s in best[MOST_NAMED:]:
        axes.plot(levels, mean[:, s], color="0.8", linewidth=0.8)
    for s in best[:MOST_NAMED]:
        axes.plot(levels, mean[:, s], marker="o", markersize=3, label=scores.systems[s])
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="recall", ylabel="interpolated precision")
    axes.grid(alpha=0.3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    drawn = io.BytesIO()
    figure.savefig(drawn, format=Path(path).suffix.lstrip(".") or "svg", dpi=150)
    write_whole(path, drawn.getvalue())
