"""Agreement of judges as text and plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import AgreementPicture, GoldPicture
from hungjury.base.errors import InputError, percent, plural
from hungjury.base.text import number_text
from hungjury.judges.agreement import Agreement, Rankings, alpha_text, with_most
from hungjury.judges.disagreement import PRM
from hungjury.judges.families import favour_text
from hungjury.judges.merge_types import Merged
from hungjury.leaderboard.gold_agreement import GoldAgreement
from hungjury.report import pictures
from hungjury.report.board_plots import draw_bump

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

LINES = 40  # judges listed


def agreement_text(found: Agreement) -> str:
    """Return the overall numbers, the warnings, and a line per judge with many labels."""
    head, *numbers = agreement_summary(found)
    lines = [head, "", *numbers]
    if found.warnings:
        lines += ["", "warnings", *(f"- {w}" for w in found.warnings)]
    shown = found.table()
    if not found.at_least and len(found.judges) > LINES:
        shown = with_most(shown, found.labels, most=LINES)
    left = len(found.judges) - len(shown.rows)
    more = [f"and {plural(left, 'judge')} with fewer labels"] * bool(left)
    return "\n".join([*lines, "", shown.to_text(), *more, ""])


def agreement_summary(found: Agreement) -> list[str]:
    """Return sentences on how much was judged, and the overall numbers."""
    panel = found.panel
    lines = [
        f"{plural(len(found.judges), 'judge')}, {plural(len(panel.pool.topics), 'topic')}, "
        f"{plural(len(panel.pool), 'document')}, {plural(int(found.labels.sum()), 'label')}, "
        f"grades {found.grades[0]}-{found.grades[-1]}",
        f"agreement of two judges   {number_text(found.agreement)}",
        f"Fleiss' kappa             {number_text(found.fleiss)}",
        f"Krippendorff's alpha      {alpha_text(found)}",
    ]
    if len(found.judges) > LINES:
        few, most = int(np.median(found.labels)), int(found.labels.max())
        lines.insert(1, f"half of the judges gave {few:,} labels or fewer, one gave {most:,}")
    if found.rankings is None:
        return lines
    rankings = found.rankings
    upper = np.triu_indices(len(rankings.tau), 1)
    both = (rankings.tau_ap + rankings.tau_ap.T) / 2
    means = [values[~np.isnan(values)] for values in (rankings.tau[upper], both[upper])]
    tau, tau_ap = (number_text(float(v.mean()) if len(v) else None) for v in means)
    lines.append(
        f"{len(rankings.systems)} systems ranked by {rankings.measure}: mean tau_b {tau}, mean "
        f"tau_ap {tau_ap} between two judges"
    )
    return lines + list(filter(None, [favour_text(rankings.favours)]))


_TITLES = {
    "kappa": "Cohen's kappa",
    "agreement": "share of equal labels",
    "tau": "Kendall's tau_b of the system rankings",
    "tau_ap": "tau_ap of the system rankings (row: estimate, column: truth)",
}


def draw_agreement(found: Agreement, what: AgreementPicture = "kappa") -> Figure:
    """Draw the rankings of systems, or a heat map of all pairs of judges, those who agree next to
    each other."""
    order = found.order()
    if what == "bump":
        rankings = _ranked(found)
        ranks = rankings.ranks()[order].T
        return draw_bump(rankings.systems, [found.judges[i] for i in order], ranks)
    if what == "rankings":
        return _rankings(found)
    of = _ranked(found) if what in ("tau", "tau_ap") else found.pairs
    values = getattr(of, what)[np.ix_(order, order)]
    return _judge_map(values, [found.judges[i] for i in order], _TITLES[what])


def _judge_map(values: Floats, names: list[str], title: str) -> Figure:
    """Draw a matrix of judges by judges, without its diagonal."""
    values = values.copy()
    np.fill_diagonal(values, np.nan)  # a judge always agrees with itself
    return pictures.square_map(values, names, title)


def _ranked(found: Agreement) -> Rankings:
    if found.rankings is None:
        said = "this agreement has no system rankings"
        remedy = "compute it with runs: agreement(judgments, runs)"
        raise InputError(said, code="no-rankings", argument="runs", remedy=remedy)
    return found.rankings


def _rankings(found: Agreement) -> Figure:
    """Draw the rank of each system under each judge alone, and its spread over judges.

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
    figure, (left, right) = pictures.new_grid(width + 5.2, height, 2, 2, [width, 2.6])
    rows, columns = [rankings.systems[s] for s in systems], [found.judges[i] for i in order]
    image = pictures.heat_map(
        left, ranks.T, rows, columns, 1, False, len(systems), "viridis_r", "auto"
    )
    left.set_title(f"rank by {rankings.measure}, each judge alone", fontsize=10, loc="left")
    _spread(right, ranks)
    bar = pictures.colour_bar(figure, image, right)
    bar.ax.invert_yaxis()
    bar.ax.yaxis.set_major_locator(_integers_only())
    bar.set_label("rank", fontsize=8)
    return figure


def _spread(axes: Axes, ranks: Floats) -> None:
    """Draw each system's range over judges as a thin line, quartiles thick, the median a dot."""
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
    axes.grid(False, axis="y")
    axes.grid(axis="x", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _integers_only() -> Locator:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, steps=[1, 2, 5, 10])


def draw_gold_agreement(found: GoldAgreement, what: GoldPicture) -> Figure:
    """Draw "kappa", "reliability" or "errors"."""
    if what == "errors":
        return _judge_map(found.correlation, found.judges, "Correlation of errors")
    return _kappa(found) if what == "kappa" else _reliability(found)


def _kappa(found: GoldAgreement) -> Figure:
    """Draw kappas, the best judge first."""
    order = np.argsort(-np.nan_to_num(found.kappa, nan=-np.inf), kind="stable")
    figure, axes = pictures.new_rows([found.judges[k] for k in order])
    pictures.draw_intervals(
        axes, found.kappa[order], found.kappa_low[order], found.kappa_high[order]
    )
    axes.axvline(0.0, color="grey", linewidth=0.8)
    axes.set_xlabel(f"kappa with gold labels, {percent(found.level)} interval")
    return figure


def _reliability(found: GoldAgreement) -> Figure:
    figure, axes = pictures.new_picture(4.6, 4.4)
    axes.plot([0, 1], [0, 1], "--", color="grey", linewidth=0.8)
    bins = found.reliability
    axes.vlines([one.stated for one in bins], [one.relevant_low for one in bins],
                [one.relevant_high for one in bins], color=pictures.LINE, linewidth=2)  # fmt: skip
    axes.plot([one.stated for one in bins], [one.relevant for one in bins], "o", color="black",
              markersize=4)  # fmt: skip
    for one in bins:
        axes.annotate(f"{one.documents:,}", (one.stated, one.relevant), xytext=(5, -3),
                      textcoords="offset points", fontsize=7, color="grey")  # fmt: skip
    axes.set_xlim(-0.03, 1.06)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel(f"share of judges who give grade {found.rel} or more (documents beside dots)")
    axes.set_ylabel(f"share relevant by gold labels, {percent(found.level)} interval")
    return figure


def draw_merged(merged: Merged) -> Figure:
    """Draw how the labels of each judge differ from the merged ones: equal, higher, lower."""
    panel, labels = merged.panel, merged.hard().labels
    assert labels is not None
    given = np.array(panel.grades)[panel.choice]
    sides = np.sign(given - labels[panel.document]) + 1  # lower, equal, higher
    number = len(panel.judges)
    counts = np.bincount(panel.judge * 3 + sides, minlength=3 * number).reshape(number, 3)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    order = np.argsort(-shares[:, 1], kind="stable")
    figure, axes = pictures.new_rows([panel.judges[k] for k in order])
    begin = np.zeros(number)
    for side, name, colour in ((1, "equal", "0.8"), (2, "higher", pictures.COLOURS[1]),
                               (0, "lower", pictures.COLOURS[0])):  # fmt: skip
        axes.barh(np.arange(number), shares[order, side], 0.75, begin, color=colour, label=name)
        begin = begin + shares[order, side]
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"labels of each judge beside those merged by {merged.method}")
    figure.legend(loc="outside upper right", ncols=3, frameon=False, fontsize=8)
    return figure


def draw_prm(models: Sequence[PRM]) -> Figure:
    """Draw P(relevant to another judge) by level, a line for each notion of relevance."""
    figure, axes = pictures.new_picture(6.0, 4.0)
    for i, model in enumerate(models):
        values = [np.array([*x.values()]) for x in (model.p, model.low, model.high)]
        known = ~np.isnan(values[0])
        at = np.array(model.levels)[known] + 0.06 * (i - (len(models) - 1) / 2)
        p, low, high = (x[known] for x in values)
        axes.errorbar(
            at, p, yerr=[np.maximum(p - low, 0), np.maximum(high - p, 0)], marker="o",
            markersize=4, capsize=2, linewidth=1.2,
            label=f"relevant: {model.notion}",
        )  # fmt: skip
    axes.set_xticks(models[0].levels, [str(level) for level in models[0].p])
    axes.set(ylim=(-0.02, 1.02), xlabel="level given", ylabel="P(another judge says relevant)")
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return figure
