"""Plots of judges compared with gold labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np

from hungjury.errors import check_choice
from hungjury.report.pictures import LINE, new_picture, new_rows
from hungjury.uncertainty.gold_agreement import GoldAgreement, GoldPicture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_gold_agreement"]


def draw_gold_agreement(found: GoldAgreement, what: GoldPicture) -> Figure:
    """Draw "kappa" or "reliability"."""
    check_choice("what", what, get_args(GoldPicture))
    return _kappa(found) if what == "kappa" else _reliability(found)


def _kappa(found: GoldAgreement) -> Figure:
    """Judges, best first."""
    order = np.argsort(-np.nan_to_num(found.kappa, nan=-np.inf), kind="stable")
    figure, axes = new_rows([found.judges[k] for k in order])
    places = np.arange(len(order))
    axes.hlines(places, found.kappa_low[order], found.kappa_high[order], color=LINE, linewidth=2)
    axes.plot(found.kappa[order], places, "o", color="black", markersize=4)
    axes.axvline(0.0, color="grey", linewidth=0.8)
    axes.set_xlabel("kappa with gold labels, 95 % interval")
    return figure


def _reliability(found: GoldAgreement) -> Figure:
    figure, axes = new_picture(4.6, 4.4)
    axes.plot([0, 1], [0, 1], "--", color="grey", linewidth=0.8)
    bins = found.reliability
    axes.vlines([one.stated for one in bins], [one.relevant_low for one in bins],
                [one.relevant_high for one in bins], color=LINE, linewidth=2)  # fmt: skip
    axes.plot([one.stated for one in bins], [one.relevant for one in bins], "o", color="black",
              markersize=4)  # fmt: skip
    for one in bins:
        axes.annotate(f"{one.documents:,}", (one.stated, one.relevant), xytext=(5, -3),
                      textcoords="offset points", fontsize=7, color="grey")  # fmt: skip
    axes.set_xlim(-0.03, 1.06)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel(f"share of judges who give grade {found.rel} or more (documents beside dots)")
    axes.set_ylabel("share relevant by gold labels, 95 % interval")
    return figure
