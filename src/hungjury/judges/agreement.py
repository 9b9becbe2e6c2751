"""How far judges agree, on labels and on which systems are better, and warnings about judges."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import AgreementPicture
from hungjury.base.errors import InputError, Note, check_known, few, percent, plural
from hungjury.base.parameters import MOST_LABELS, check_count
from hungjury.base.records import Record, fields_of
from hungjury.base.results import Plot, Result, Table, in_report
from hungjury.base.text import finite, number_text
from hungjury.data.alignment import Alignment, align
from hungjury.data.labels import as_judgments
from hungjury.data.reading.options import JudgmentsLike, ReadingOptions, RunsLike, Unpack, assigned
from hungjury.data.runs import RunFiles, Runs, as_runs
from hungjury.judges.families import Families, Favour, family_names, favours
from hungjury.judges.panel import JudgeSettings, Panel
from hungjury.measures.base import ratio
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure, MeasureLike
from hungjury.measures.catalogue import measure as find_measure
from hungjury.stats.agreement import JudgePairs, fleiss_kappa, krippendorff_alpha, pair_agreement
from hungjury.stats.correlation import kendall_cross, tau_ap_cross

FEW = 20  # labels or common documents needed for a warning about a judge
COPY_AGREEMENT, COPY_KAPPA = 0.98, 0.9
CONSTANT = 0.95
TENTATIVE = 0.667  # the alpha that Krippendorff asks for even for tentative conclusions


class Rankings(Record, eq=False):
    """The systems as each judge alone would rank them, and how far these rankings agree."""

    measure: str
    systems: list[str]
    scores: Floats  # [judge, system]: means over the topics that the judge judged
    tau: Floats  # [judge, judge]: Kendall's tau_b
    tau_ap: Floats  # [estimate, truth]
    notes: tuple[Note, ...] = ()
    favours: tuple[Favour, ...] = ()  # which family favours whom, if families are declared

    def with_others(self) -> tuple[Floats, Floats]:
        """Return each judge's mean tau_b and mean tau_ap (in both directions) with the others."""
        return _mean_of_others(self.tau), _mean_of_others((self.tau_ap + self.tau_ap.T) / 2)

    def ranks(self) -> Floats:
        """Rank the systems from 1, [judge, system]; equal scores share their mean rank.

        NaN for judges without labels.
        """
        above = (self.scores[:, None, :] > self.scores[:, :, None]).sum(axis=2)
        equal = (self.scores[:, None, :] == self.scores[:, :, None]).sum(axis=2)
        return np.where(np.isnan(self.scores), np.nan, above + (equal + 1) / 2)


class Agreement(Record, Result, eq=False):
    """Agreement between judges.

    Attributes
    ----------
    panel : Panel
        The votes that were compared.
    pairs : JudgePairs
        Common documents, agreement and Cohen's kappa of every two judges, [judge, judge].
    labels, label_rates : array
        Number of labels of each judge, and the share of each grade, [judge, grade].
    agreement : float
        Share of pairs of labels of the same document that are equal.
    fleiss, alpha_nominal, alpha_ordinal : float
        Agreement beyond chance over all judges: 1 is full agreement, 0 is chance.
    rankings : Rankings or None
        The systems as each judge alone would rank them, where runs were given.

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
    labels: Ints  # [judge]
    label_rates: Floats  # [judge, grade]
    agreement: float
    fleiss: float
    alpha_nominal: float
    alpha_ordinal: float
    rankings: Rankings | None = None
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    at_least: int = 0  # labels of the judges in the table

    @property
    def judges(self) -> list[str]:
        return self.panel.judges

    @property
    def grades(self) -> tuple[int, ...]:
        return self.panel.grades

    @property
    def near_copies(self) -> list[list[str]]:
        """Groups of judges in which every two agree on 98 % of documents, with a kappa of 0.9.

        The kappa is needed because two judges who call nearly everything not relevant agree
        without being copies.
        """
        pairs = self.pairs
        alike = (pairs.agreement >= COPY_AGREEMENT) & (pairs.kappa >= COPY_KAPPA)
        alike &= pairs.common >= FEW
        np.fill_diagonal(alike, True)
        if alike.sum() == len(alike):
            return []
        from scipy.cluster.hierarchy import fcluster, linkage  # slow to import
        from scipy.spatial.distance import squareform

        apart = squareform((~alike).astype(float), checks=False)
        group = fcluster(linkage(apart, "complete"), 0.5, "distance")
        names: dict[int, list[str]] = {}
        for name, number in zip(self.judges, group.tolist(), strict=True):
            names.setdefault(number, []).append(name)
        return [n for n in names.values() if len(n) > 1]

    @property
    def near_constant(self) -> dict[str, float]:
        """Judges who give one label to 95 % of documents or more, with the share.

        Their share of other labels must also be below a quarter of the panel's usual share.
        """
        share = np.nan_to_num(self.label_rates).max(axis=1)
        known = self.labels >= FEW
        if not known.any():
            return {}
        usual = float(np.median(1 - share[known]))
        rare = (share == 1) | ((share >= CONSTANT) & (1 - share < usual / 4))
        return {self.judges[i]: float(share[i]) for i in np.flatnonzero(known & rare)}

    @property
    def warnings(self) -> list[str]:
        """Warnings to consider before using these labels."""
        constant = self.near_constant
        by_chance = (self.pairs.with_others()[1] <= 0) & (self.labels >= FEW)
        bad = [self.judges[i] for i in np.flatnonzero(by_chance) if self.judges[i] not in constant]
        found = [
            ("one label for nearly every document",
             [f"{name} ({percent(share)})" for name, share in constant.items()]),
            *(("near copies of each other", group) for group in self.near_copies),
            ("agreement with the others no better than chance", bad),
        ]  # fmt: skip
        out = [f"{what}: {few(who, 10)}" for what, who in found if who]
        out += [str(note) for note in self.panel.notes if note.kind == "silent-judge"]
        common = self.pairs.common[np.triu_indices(len(self.judges), 1)]
        if none := int((common == 0).sum()):
            pairs = f"{plural(none, 'pair')} of judges (of {len(common):,})"
            out.append(f"{pairs} without a document in common: their agreement is unknown")
        if max(self.alpha_nominal, self.alpha_ordinal) < TENTATIVE:
            out.append(
                f"Krippendorff's alpha is {alpha_text(self)}: below {TENTATIVE} conclusions should "
                "not rest on a single judge's labels"
            )
        return out

    def __repr__(self) -> str:
        return f"Agreement({len(self.judges)} judges, alpha {self.alpha_nominal:.3f})"

    def confusion(self, one: str, other: str) -> Ints:
        """Count the documents that two judges labelled, [label of one, label of the other]."""
        size = len(self.grades)
        both = np.full((2, len(self.panel.pool)), -1)
        for row, name in zip(both, (one, other), strict=True):
            check_known("judge", name, self.judges)
            mine = self.panel.judge == self.judges.index(name)
            row[self.panel.document[mine]] = self.panel.choice[mine]
        first, second = both[:, (both >= 0).all(axis=0)]
        return np.bincount(first * size + second, minlength=size * size).reshape(size, size)

    def order(self) -> list[int]:
        """Order judges with those who agree side by side (average linkage on 1 - kappa)."""
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        distance = 1 - np.nan_to_num(self.pairs.kappa)  # unknown: as far as chance
        np.fill_diagonal(distance, 0.0)
        condensed = squareform(distance, checks=False)
        return [int(i) for i in leaves_list(linkage(condensed, "average", optimal_ordering=True))]

    def to_text(self) -> str:
        """Write the overall numbers, the warnings, and a line per judge."""
        return str(in_report("judge_plots.agreement_text")(self))

    def table(self) -> Table:
        """Return a row per judge: labels, their shares, and agreement with the others.

        With `at_least`, only of judges with so many labels, those with the most first.
        """
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
        table = Table(names, list(each), 3, formats, left=1)
        return with_most(table, self.labels, self.at_least) if self.at_least else table

    def _parts(self) -> list[str | Table]:
        summary = in_report("judge_plots.agreement_summary")(self)
        return [*summary, *self.warnings, self.table()]

    def plot(self, what: AgreementPicture = "kappa") -> Plot:
        """Draw a heat map of all pairs of judges, or the rankings of systems.

        Parameters
        ----------
        what : {"kappa", "agreement", "tau", "tau_ap", "rankings", "bump"}
            Cohen's kappa or the share of equal labels; of an agreement with runs also the
            correlation of the judges' rankings, or where each judge ranks each system, as a heat
            map or as lines.
        """
        return self._drawn("judge_plots.draw_agreement", what)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields except the confusion matrices; NaN becomes None."""
        agreement, kappa = self.pairs.with_others()
        out: dict[str, Any] = {
            "judges": self.judges,
            "grades": self.grades,
            "settings": self.settings,
            "agreement": self.agreement,
            "fleiss_kappa": self.fleiss,
            "krippendorff_alpha_nominal": self.alpha_nominal,
            "krippendorff_alpha_ordinal": self.alpha_ordinal,
            "labels": self.labels,
            "label_rates": self.label_rates,
            "agreement_with_others": agreement,
            "kappa_with_others": kappa,
            "pairs": {name: getattr(self.pairs, name) for name in ("common", "agreement", "kappa")},
            "near_copies": self.near_copies,
            "near_constant": self.near_constant,
            "warnings": self.warnings,
        }
        if self.rankings is not None:
            known = {**fields_of(self.rankings), "tau_b": self.rankings.tau}
            out["rankings"] = {n: v for n, v in known.items() if n not in ("tau", "notes")}
        return dict(finite(out))


def agreement(
    judgments: JudgmentsLike,
    runs: RunsLike | None = None,
    measure: MeasureLike = "AP",
    rel: int | None = None,
    families: Families = None,
    at_least: int = 0,
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
    families : str, path or mapping, optional
        The LLM, or kind of people, behind each judge, as in `leaderboard`. With runs it is shown
        which families favour which systems.
    at_least : int
        List only judges with so many labels, those with the most first. All others are counted too.
    **reading
        Options of `read_judgments` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read.

    Returns
    -------
    Agreement
        Pairwise agreement and Cohen's kappa, Fleiss' kappa, Krippendorff's alpha (nominal and
        ordinal), label rates, near-copies and near-constant judges.

    Notes
    -----
    The share of equal labels is misleading where most documents are not relevant: judges who call
    everything not relevant agree. Kappa and alpha correct for that: 1 is full agreement, 0 what
    chance alone would give, and negative values mean that judges contradict each other. Cohen's
    kappa compares two judges on the documents that both labelled, Fleiss' kappa takes all judges
    together, and Krippendorff's alpha does so with missing labels; its ordinal form counts a
    difference of two grades more than one of one grade. Krippendorff asks for 0.667 even for
    tentative conclusions. Judges may agree on labels and still rank systems differently, and the
    other way round: give `runs` to see.

    Examples
    --------
    >>> import hungjury as hj
    >>> votes = {"ann": {"1": {"a": 1, "b": 1, "c": 0, "d": 0}},
    ...          "bob": {"1": {"a": 1, "b": 0, "c": 0, "d": 0}}}
    >>> found = hj.agreement(votes)
    >>> found.agreement, round(float(found.pairs.kappa[0, 1]), 2)
    (0.75, 0.5)

    The two agree on three documents of four. Their label rates alone would let them agree on two,
    so they reach half of what is possible beyond chance.
    """
    of_labels, of_runs, _ = assigned(reading, judgments, runs)
    panel = Panel.of(as_judgments(judgments, **of_labels), rel)
    check_count("at_least", at_least, 0, MOST_LABELS)
    found = replace(panel_agreement(panel), at_least=at_least)
    if runs is None:
        return found
    lists = as_runs(runs, **of_runs)
    return replace(found, rankings=_rankings(panel, lists, find_measure(measure), families))


def with_most(table: Table, labels: Ints, at_least: int = 0, most: int | None = None) -> Table:
    """Sort a table of judges by their labels, most first; keep those with at least so many."""
    order = np.argsort(-labels, kind="stable")
    return replace(table, rows=[table.rows[i] for i in order[labels[order] >= at_least][:most]])


def panel_agreement(panel: Panel) -> Agreement:
    """Measure how far the judges of a panel agree on labels."""
    panel.whole_labels("agreement")
    if len(panel.judges) < 2:
        remedy = "give the judgments of another judge"
        raise InputError("agreement needs at least two judges", code="one-judge", remedy=remedy)
    counts = panel.counts()
    table = panel.counts_by_judge()
    labels = table.sum(axis=1)
    return Agreement(
        panel=panel,
        pairs=panel.pairs(),
        labels=labels,
        label_rates=ratio(table, labels[:, None]),
        agreement=pair_agreement(counts),
        fleiss=fleiss_kappa(counts),
        alpha_nominal=krippendorff_alpha(counts, "nominal"),
        alpha_ordinal=krippendorff_alpha(counts, "ordinal"),
        settings=panel.judgments.settings.extend(JudgeSettings, rel=panel.rel),
    )


def judge_means(panel: Panel, aligned: Alignment, chosen: Measure) -> Floats:
    """[judge, system]: means over the topics that the judge judged, NaN for none."""
    labels = panel.matrix()
    values = Scorer(chosen, aligned, panel.grades[-1]).filled(labels)  # [judge, system, topic]
    did = np.asarray(panel.pool.sum_by_topic(labels >= 0)).astype(bool)  # [judge, topic]
    return ratio((values * did[:, None, :]).sum(axis=2), did.sum(axis=1)[:, None])


def _rankings(panel: Panel, runs: Runs | RunFiles, chosen: Measure, families: Families) -> Rankings:
    chosen.check(panel.grades[-1])
    aligned = align(runs, panel.pool, others=chosen.unjudged_depth)
    if len(aligned.systems) < 2:
        raise InputError(
            "rankings need at least two systems", code="one-system", remedy="give more runs"
        )
    scores = judge_means(panel, aligned, chosen)
    better = chosen.better(scores)
    there = np.flatnonzero(~np.isnan(better).any(axis=1))  # judges with any judgment
    tau, tau_ap = np.full((2, len(scores), len(scores)), np.nan)
    tau[np.ix_(there, there)] = kendall_cross(better[there], better[there])
    tau_ap[np.ix_(there, there)] = tau_ap_cross(better[there], better[there])
    known = () if families is None else favours(
        better, family_names(panel.judges, families), aligned.systems
    )  # fmt: skip
    return Rankings(str(chosen), aligned.systems, scores, tau, tau_ap, aligned.notes, known)


def _mean_of_others(matrix: Floats) -> Floats:
    known = ~np.isnan(matrix)
    np.fill_diagonal(known, False)
    return ratio(np.where(known, matrix, 0.0).sum(axis=1), known.sum(axis=1))


def alpha_text(found: Agreement) -> str:
    """Write Krippendorff's alpha as sentences give it."""
    if found.panel.binary:  # there is one way only for two labels to differ
        return number_text(found.alpha_nominal)
    return f"{number_text(found.alpha_nominal)} nominal, {number_text(found.alpha_ordinal)} ordinal"
