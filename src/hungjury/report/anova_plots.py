"""Pictures of an analysis of variance: main effects, interactions, groups (TH Figures 4.4-4.9)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hungjury.report.pictures import in_legend, new_panels, new_picture, shortened
from hungjury.report.study_plots import SIGNS, beside, draw_approaches, line_styles
from hungjury.studies.anova import Anova

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_interaction", "draw_main_effects", "draw_tukey"]

MOST_LINES = 12  # more lines are hard to distinguish
TOP, SAME, OTHER = "#08519c", "#d55e00", "#777777"


def draw_main_effects(found: Anova, lettered: Mapping[str, str] | None = None) -> Figure:
    """Means of the response at the levels of each factor, 95 % intervals shaded.

    lettered: factors by the letter of their panel; default: all, without letters.
    """
    titles = {name: f"({letter}) {name}" for letter, name in (lettered or {}).items()}
    titles = titles or {name: name for name in _all(found)}
    names = list(titles)
    widths = [max(2.0, 0.18 * len(found.levels[name])) for name in names]
    figure, panels = new_panels(sum(widths) + 1.0, 4.0, widths)
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


def _all(found: Anova) -> list[str]:
    return [*([found.subject] if found.subject else []), *found.factors]


def _sign(found: Anova) -> str:
    return SIGNS.get(found.response, found.response)


def _levels(axes: Axes, levels: Sequence[object]) -> None:
    """Names of levels below an axis, vertical if they are many or long."""
    texts = [shortened(str(level)) for level in levels]
    numbers = all(isinstance(level, (int, float)) for level in levels)
    step = max(1, len(texts) // 15) if numbers else 1
    places = np.arange(0, len(texts), step)
    upright = not numbers and (len(texts) > 6 or max(map(len, texts)) > 8)
    axes.set_xticks(
        places, [texts[i] for i in places], rotation=90 if upright else 0,
        fontsize=7 if len(texts) > 12 and not numbers else 8,
    )  # fmt: skip


def draw_interaction(
    found: Anova, across: str, lines: str, named: Collection[str] | None = None
) -> Figure:
    """Means of the response: levels of one factor across, a line for each level of the other.

    named: of many approaches those that are named, see `draw_tuples`.
    """
    means = found.interaction(across, lines)
    names = [str(level) for level in found.levels[lines]]
    figure, axes = new_picture(max(5.0, 0.22 * len(means)) + 2.2, 4.2)
    places = np.arange(len(means))
    if len(names) > MOST_LINES:
        each = dict(zip(names, means.T, strict=True))
        draw_approaches(axes, places, each, found.response, named)
    else:
        # Legend entries in the order of the lines' ends.
        order = np.argsort(-np.nan_to_num(means[-1], nan=-np.inf), kind="stable")
        for i, style in zip(order, line_styles(len(names)), strict=True):
            axes.plot(places, means[:, i], label=in_legend(names[i]), **style | {"markersize": 3.5})
    _levels(axes, found.levels[across])
    axes.set(xlabel=across, ylabel=f"mean {_sign(found)}")
    beside(axes, lines)
    return figure


def draw_tukey(
    found: Anova, factor: str, largest_first: bool = True, beside_of: str | None = None
) -> Figure:
    """Levels by their means, each with half the difference needed to either side.

    The first group in blue: those that do not differ from the best. beside_of: a level whose
    group is shown in orange, those that do not differ from it.
    """
    means, tukey = found.means(factor), found.tukey(factor)
    order = tukey.order if largest_first else tukey.order[::-1]
    half = np.diag(tukey.needed) / 2  # two levels of one size differ when these do not overlap
    best = order[0]
    other = means.levels.index(beside_of) if beside_of is not None else None
    figure, axes = new_picture(5.6, max(2.2, 0.2 * len(order) + 0.9))
    for place, level in enumerate(order):
        colour = OTHER
        if not tukey.different[best, level]:
            colour = TOP
        elif other is not None and not tukey.different[other, level]:
            colour = SAME
        mean = means.mean[level]
        axes.hlines(place, mean - half[level], mean + half[level], color=colour, linewidth=2)
        axes.plot(mean, place, "o", color=colour, markersize=4)
    for level, colour in ((best, TOP), (other, SAME)):
        if level is not None:
            edge = means.mean[level] + (-1 if largest_first else 1) * half[level]
            axes.axvline(edge, color=colour, linewidth=0.8, linestyle=(0, (4, 2)))
    axes.set_yticks(
        np.arange(len(order)), [shortened(str(means.levels[i])) for i in order], fontsize=7.5
    )
    axes.invert_yaxis()
    axes.set_xlabel(f"mean {_sign(found)}, with half the difference needed")
    also = "" if beside_of is None else f", not different from {beside_of} in orange"
    axes.set_title(f"{factor}: best group in blue{also}", fontsize=10, loc="left")
    return figure
