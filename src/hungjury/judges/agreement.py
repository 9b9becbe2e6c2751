"""agreement: how far judges agree, on labels and on which systems are better."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError, UnknownName
from hungjury.base.notes import Note
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, in_report
from hungjury.base.tables import Table
from hungjury.base.text import finite, number_text
from hungjury.data.alignment import align
from hungjury.data.inputs import Inputs
from hungjury.data.reading.options import JudgmentsLike, ReadingOptions, RunsLike
from hungjury.data.runs import RunFiles, Runs
from hungjury.judges.findings import (
    near_constant,
    near_copies,
    warnings,
)
from hungjury.judges.panel import JudgeSettings, Panel
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure, MeasureLike
from hungjury.measures.catalogue import measure as find_measure
from hungjury.stats.agreement import (
    JudgePairs,
    fleiss_kappa,
    krippendorff_alpha,
    pair_agreement,
)
from hungjury.stats.correlation import kendall_cross, tau_ap_cross

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["Agreement", "Rankings", "agreement"]

AgreementPicture = Literal["kappa", "agreement", "tau", "tau_ap", "rankings"]


class Rankings(Record, eq=False):
    """The systems as each judge alone would rank them."""

    measure: str
    systems: list[str]
    scores: Floats  # [judge, system]: means over the topics that the judge judged
    tau: Floats  # [judge, judge]: Kendall's tau_b
    tau_ap: Floats  # [estimate, truth]
    notes: tuple[Note, ...] = ()

    def with_others(self) -> tuple[Floats, Floats]:
        """[judge]: mean tau_b and mean tau_ap (as estimate and as truth) with the others."""
        return _mean_of_others(self.tau), _mean_of_others((self.tau_ap + self.tau_ap.T) / 2)

    def ranks(self) -> Floats:
        """[judge, system]: rank from 1, equal scores share their mean rank; NaN: no ranking."""
        above = (self.scores[:, None, :] > self.scores[:, :, None]).sum(axis=2)
        equal = (self.scores[:, None, :] == self.scores[:, :, None]).sum(axis=2)
        return np.where(np.isnan(self.scores), np.nan, above + (equal + 1) / 2)


class Agreement(Record, Result, eq=False):
    """Agreement between judges; matrices are [judge, judge].

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=3)
    >>> found = hj.agreement(made.judgments)
    >>> found.pairs.kappa.shape
    (5, 5)
    """

    panel: Panel
    pairs: JudgePairs
    labels: NDArray[np.int64]  # [judge]
    label_rates: Floats  # [judge, grade]
    agreement: float
    fleiss: float
    alpha_nominal: float
    alpha_ordinal: float
    rankings: Rankings | None = None
    settings: JudgeSettings = field(default_factory=JudgeSettings)

    @property
    def judges(self) -> list[str]:
        return self.panel.judges

    @property
    def grades(self) -> tuple[int, ...]:
        return self.panel.grades

    @property
    def near_copies(self) -> list[list[str]]:
        """Groups of judges who give nearly the same labels, beyond what chance explains."""
        return near_copies(self.judges, self.pairs)

    @property
    def near_constant(self) -> dict[str, float]:
        """Judges who nearly always give the same label, and its share."""
        return near_constant(self.judges, self.labels, self.label_rates)

    @property
    def warnings(self) -> list[str]:
        """Warnings to consider before using these labels."""
        return warnings(self)

    def __repr__(self) -> str:
        return f"Agreement({len(self.judges)} judges, alpha {self.alpha_nominal:.3f})"

    def confusion(self, one: str, other: str) -> NDArray[np.int64]:
        """[label of one, label of other]: documents that both judged."""
        size = len(self.grades)
        both = np.full((2, len(self.panel.pool)), -1)
        for row, name in zip(both, (one, other), strict=True):
            if name not in self.judges:
                raise UnknownName(
                    f"no judge '{name}'",
                    remedy=f"the judges are {', '.join(self.judges[:20])}",
                )
            mine = self.panel.judge == self.judges.index(name)
            row[self.panel.document[mine]] = self.panel.choice[mine]
        first, second = both[:, (both >= 0).all(axis=0)]
        return np.bincount(first * size + second, minlength=size * size).reshape(size, size)

    def order(self) -> list[int]:
        """Judges with those who agree side by side (average linkage on 1 - kappa)."""
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        distance = 1 - np.nan_to_num(self.pairs.kappa)  # unknown: as far as chance
        np.fill_diagonal(distance, 0.0)
        condensed = squareform(distance, checks=False)
        return [int(i) for i in leaves_list(linkage(condensed, "average", optimal_ordering=True))]

    def to_text(self) -> str:
        """Write the overall numbers, the warnings, and a line per judge."""
        return str(in_report("agreement.agreement_text")(self))

    def table(self) -> Table:
        """A row per judge: labels, their shares, and the mean agreement with the others."""
        agreement, kappa = self.pairs.with_others()
        rates = [f"% {g}" for g in self.grades] if len(self.grades) <= 10 else []
        names = ["judge", "labels", *rates, "agreement", "kappa"]
        numbers = [agreement, kappa]
        if self.rankings is not None:
            names += ["tau_b", "tau_ap"]
            numbers += self.rankings.with_others()
        shares = 100 * self.label_rates[:, : len(rates)]
        each = zip(self.judges, self.labels.tolist(), *shares.T.tolist(),
                   *(one.tolist() for one in numbers), strict=True)  # fmt: skip
        formats = dict.fromkeys(names[2:], number_text) | dict.fromkeys(
            rates, partial(number_text, digits=1)
        )
        return Table(names, list(each), 3, formats, left=1)

    def _parts(self) -> list[str | Table]:
        summary = in_report("agreement.agreement_summary")(self)
        return [*summary, *self.warnings, self.table()]

    def plot(self, what: AgreementPicture = "kappa") -> Plot:
        """Draw a heat map of all pairs of judges, or the rankings of systems.

        Parameters
        ----------
        what : {"kappa", "agreement", "tau", "tau_ap", "rankings"}
            Cohen's kappa or the share of equal labels; of an agreement with runs also the
            correlation of the judges' rankings, or where each judge ranks each system.
        """
        return self._drawn("judge_plots.draw_agreement", what)

    def to_dict(self) -> dict[str, Any]:
        """All fields except the confusion matrices; NaN becomes None."""
        agreement, kappa = self.pairs.with_others()
        out: dict[str, Any] = {
            "judges": self.judges,
            "grades": list(self.grades),
            "settings": self.settings.to_dict(),
            "agreement": finite(self.agreement),
            "fleiss_kappa": finite(self.fleiss),
            "krippendorff_alpha_nominal": finite(self.alpha_nominal),
            "krippendorff_alpha_ordinal": finite(self.alpha_ordinal),
            "labels": self.labels.tolist(),
            "label_rates": finite(self.label_rates),
            "agreement_with_others": finite(agreement),
            "kappa_with_others": finite(kappa),
            "pairs": {
                "common": self.pairs.common.tolist(),
                "agreement": finite(self.pairs.agreement),
                "kappa": finite(self.pairs.kappa),
            },
            "near_copies": self.near_copies,
            "near_constant": self.near_constant,
            "warnings": self.warnings,
        }
        if self.rankings is not None:
            out["rankings"] = {
                "measure": self.rankings.measure,
                "systems": self.rankings.systems,
                "scores": finite(self.rankings.scores),
                "tau_b": finite(self.rankings.tau),
                "tau_ap": finite(self.rankings.tau_ap),
            }
        return out


def agreement(
    judgments: JudgmentsLike,
    runs: RunsLike | None = None,
    measure: MeasureLike = "AP",
    rel: int | None = None,
    **reading: Unpack[ReadingOptions],
) -> Agreement:
    """Measure how far judges agree, on labels and on the ranking of systems.

    Parameters
    ----------
    judgments : Judgments or source
        Labels, or anything `read_judgments` takes.
    runs : Runs or source, optional
        With runs, the rankings of systems that each judge alone gives are correlated too.
    measure : str or Measure
        The measure that systems are ranked by.
    rel : int, optional
        Compare labels as binary, with this as the lowest relevant grade. Default: as grades.
    **reading
        Options of `read_judgments` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read.

    Returns
    -------
    Agreement
        Pairwise agreement and Cohen's kappa, Fleiss' kappa, Krippendorff's alpha (nominal and
        ordinal), label rates, near-copies and near-constant judges.

    Examples
    --------
    >>> import hungjury as hj
    >>> found = hj.agreement(hj.simulate(topics=4).judgments)
    >>> len(found.judges)
    5
    """
    inputs = Inputs.of(reading, judgments, runs)
    panel = Panel.of(inputs.judgments(), rel)
    found = panel_agreement(panel)
    if runs is None:
        return found
    return replace(found, rankings=_rankings(panel, inputs.read_runs(), find_measure(measure)))


def panel_agreement(panel: Panel) -> Agreement:
    """Measure how far the judges of a panel agree on labels."""
    panel.whole_labels("agreement")
    if len(panel.judges) < 2:
        raise InputError(
            "agreement needs at least two judges",
            code="one-judge",
            remedy="give the judgments of another judge",
        )
    counts = panel.counts()
    table = panel.counts_by_judge()
    labels = table.sum(axis=1)
    rates = np.divide(table, labels[:, None], out=np.full(table.shape, np.nan),
                      where=labels[:, None] > 0)  # fmt: skip
    return Agreement(
        panel=panel,
        pairs=panel.pairs(),
        labels=labels,
        label_rates=rates,
        agreement=pair_agreement(counts),
        fleiss=fleiss_kappa(counts),
        alpha_nominal=krippendorff_alpha(counts, "nominal"),
        alpha_ordinal=krippendorff_alpha(counts, "ordinal"),
        rankings=None,
        settings=panel.judgments.settings.extend(JudgeSettings, rel=panel.rel),
    )


def _rankings(panel: Panel, runs: Runs | RunFiles, chosen: Measure) -> Rankings:
    top = panel.grades[-1]
    chosen.check(top)
    aligned = align(runs, panel.pool, others=chosen.unjudged_depth)
    if len(aligned.systems) < 2:
        raise InputError(
            "rankings need at least two systems", code="one-system", remedy="give more runs"
        )
    labels = panel.matrix()
    values = Scorer(chosen, aligned, top).filled(labels)  # [judge, system, topic]
    did = np.asarray(panel.pool.sum_by_topic(labels >= 0)).astype(bool)  # [judge, topic]
    number = did.sum(axis=1)[:, None].astype(float)
    total = (values * did[:, None, :]).sum(axis=2)
    scores = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    tau, tau_ap = _correlations(chosen.better(scores))
    return Rankings(str(chosen), aligned.systems, scores, tau, tau_ap, aligned.notes)


def _correlations(scores: Floats) -> tuple[Floats, Floats]:
    """Correlations between all judges; NaN for those without any judgment."""
    there = np.flatnonzero(~np.isnan(scores).any(axis=1))
    known = scores[there]
    out = []
    for values in (kendall_cross(known, known), tau_ap_cross(known, known)):
        matrix = np.full((len(scores), len(scores)), np.nan)
        matrix[np.ix_(there, there)] = values
        out.append(matrix)
    return out[0], out[1]


def _mean_of_others(matrix: Floats) -> Floats:
    known = ~np.isnan(matrix)
    np.fill_diagonal(known, False)
    number = known.sum(axis=1)
    total = np.where(known, matrix, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0))
