"""User models and rankers: text and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.base.errors import plural
from hungjury.base.text import columns, number_text
from hungjury.ltr.compare import DataSetComparison, RankerComparison
from hungjury.ltr.ranker import Ranker
from hungjury.report.pictures import new_grid, new_picture
from hungjury.users.model import UserClass, UserModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def user_text(model: UserModel) -> str:
    """Write facts of each class, then its stationary distribution and dynamic rank by rank."""

    def share(value: float | None) -> str:
        return number_text(value, 4)

    fitted = ("alpha", "beta", "gamma", "r2", "rmse")
    names = ["", "pages with clicks", "clicks", "moves", "share of backward moves",
             *(f"dynamic: {name}" for name in fitted)]  # fmt: skip
    each = [
        [c.name, f"{c.pages or 0:,}", f"{sum(c.visits or ()):,}",
         f"{sum(map(sum, c.moves or ())):,}", share(c.backward),
         *(share(getattr(c.dynamic, name)) for name in fitted)]
        for c in model.classes
    ]  # fmt: skip
    facts = list(zip(names, *each, strict=True))
    timed = [c for c in model.classes if c.rates is not None]
    head = [f"{what} {c.name}" for c in model.classes for what in ("share", "dynamic")]
    rows = [["rank", *head, *(f"rate {c.name}" for c in timed)]]
    for i in range(model.ranks):
        row = [str(i + 1)]
        for c in model.classes:
            row += [share(c.stationary[i]), share(float(c.dynamic.values(model.ranks)[i]))]
        rows.append(row + [share((c.rates or ())[i]) for c in timed])
    text = columns(facts) + "\n\n" + columns(rows)
    queries = len(model.query_rates)
    by_query = f"holding times by query in the user model: {queries:,}"
    return f"{text}\n\n{by_query}" if queries else text


COLORS = {"lambdarank": "0.35", "nmcg": "#c1272d", "ndcg": "#1f5fa8"}


def draw_training(ranker: Ranker) -> Figure:
    """Draw the measure on the validation data after every tree, and the number of trees kept."""
    figure, axes = new_picture(6.0, 3.8)
    for name, values in ranker.history.items():
        axes.plot(np.arange(1, len(values) + 1), values, color=COLORS["nmcg"], label=name)
    axes.axvline(ranker.trees, color="0.5", linestyle=":", label=f"{ranker.trees} trees kept")
    axes.set(xlabel="trees", ylabel=str(ranker.goal))
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def draw_comparisons(several: DataSetComparison) -> Figure:
    """Draw learning curves on the test data: a row for each data set, a panel for each measure.

    Dots are the models' sizes.
    """
    sets = several.found
    panels = [(name, found, m) for name, found in sets.items() for m in range(len(found.measures))]
    across = len(panels) // len(sets)
    size = 4.6 * across, 3.8 * len(sets)
    figure, grid = new_grid(*size, len(panels), across, shared=False)
    for axes, (name, found, m) in zip(grid, panels, strict=True):
        _curves(axes, found, m)
        title = f"{name}, {found.measures[m]}" if len(sets) > 1 else found.measures[m]
        axes.set(xlabel="trees", title=title)
        if m == 0:
            axes.set_ylabel(f"mean over {plural(found.folds, 'test set')}")
            axes.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def _curves(axes: Axes, found: RankerComparison, measure: int) -> None:
    means = found.means()
    for o, (objective, algorithm) in enumerate(
        zip(found.objectives, found.algorithms, strict=True)
    ):
        color, curve = COLORS[objective], found.curves[o, measure]
        shown = np.arange(1, len(curve) + 1)
        axes.plot(shown, curve, color=color, linewidth=1.2, label=algorithm,
                  linestyle="--" if "without" in algorithm else "-")  # fmt: skip
        at = [*map(int, found.sizes[:-1]), float(found.trees[o].mean())]
        axes.plot(at[:-1], means[o, measure, :-1], "o", color=color, markersize=4)
        axes.plot(at[-1], means[o, measure, -1], "D", color=color, markersize=5)


SINGLE, MANY = "#c1272d", "#1f5fa8"  # one relevant document; any other number
MARKERS = "s^vD<>"


def draw_users(model: UserModel) -> Figure:
    """Draw all stationary distributions, then each with its dynamic and DCG's discount."""
    panels = 1 + len(model.classes)
    figure, (first, *others) = new_grid(4.2 * panels, 3.8, panels, panels)
    _distributions(first, model)
    for axes, one in zip(others, model.classes, strict=True):
        _dynamic(axes, one)
    for axes in (first, *others):
        axes.set(xlabel="rank", ylim=(0, None))
        axes.set_xticks(range(1, model.ranks + 1, max(1, model.ranks // 10)))
        axes.legend(frameon=False, fontsize=8)
    first.set_ylabel("share of visits")
    return figure


def _distributions(axes: Axes, model: UserModel) -> None:
    """Draw one line per number of relevant documents if labels are known, else one per class."""
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
