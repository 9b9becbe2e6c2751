"""Plots of stationary distributions and user dynamics, like Figures 5.7 and 5.8 of the thesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.report.pictures import new_panels
from hungjury.users.model import UserModel
from hungjury.users.user_class import UserClass

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_users"]

SINGLE, MANY = "#c1272d", "#1f5fa8"  # one relevant document; any other number
MARKERS = "s^vD<>"


def draw_users(model: UserModel) -> Figure:
    """All stationary distributions side by side, then each with its dynamic and DCG's discount."""
    panels = 1 + len(model.classes)
    figure, (first, *others) = new_panels(4.2 * panels, 3.8, [1.0] * panels)
    _distributions(first, model)
    for axes, one in zip(others, model.classes, strict=True):
        _dynamic(axes, one)
    for axes in (first, *others):
        axes.set(xlabel="rank", ylim=(0, None))
        axes.set_xticks(_ticks(model.ranks))
        axes.legend(frameon=False, fontsize=8)
    first.set_ylabel("share of visits")
    return figure


def _ticks(ranks: int) -> list[int]:
    return list(range(1, ranks + 1, max(1, ranks // 10)))


def _distributions(axes: Axes, model: UserModel) -> None:
    """One line per number of relevant documents if labels are known, else one per class."""
    known = model.by_relevant or tuple((c.name, c.stationary) for c in model.classes)
    shown = np.arange(1, model.ranks + 1)
    others = 0
    for name, pi in known:
        if name in ("1", "navigational"):
            axes.plot(shown, pi, "o-", color=SINGLE, markersize=4, label=_named(name))
            continue
        fade = 1 - 0.13 * min(others, 5)
        mark = MARKERS[others % len(MARKERS)]
        axes.plot(shown, pi, f"{mark}-", color=MANY, alpha=fade, markersize=4, label=_named(name))
        others += 1
    axes.set_title("stationary distributions", fontsize=10)


def _named(name: str) -> str:
    return f"{name} relevant" if name[0].isdigit() else name


def _dynamic(axes: Axes, one: UserClass) -> None:
    ranks = len(one.stationary)
    shown = np.arange(1, ranks + 1)
    discount = 1 / np.log2(shown + 1)
    color = SINGLE if one.name == "navigational" else MANY
    fitted = one.dynamic.r2 is not None or one.dynamic.rmse is not None
    if fitted:
        axes.plot(
            shown, one.stationary, "o", color=color, markersize=5, label="stationary distribution"
        )
    axes.plot(shown, one.dynamic.values(ranks), "-", color=color, label="user dynamic")
    axes.plot(shown, discount / discount.sum(), "--", color="0.4", label="DCG discount, sum 1")
    quality = "" if one.dynamic.r2 is None else f" (R² = {one.dynamic.r2:.2f})"
    axes.set_title(f"{one.name}{quality}", fontsize=10)
