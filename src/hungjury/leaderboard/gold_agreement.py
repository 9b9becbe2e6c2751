"""How judges compare with gold labels of some documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import GoldPicture
from hungjury.base.errors import InputError, Note, check_seed, percent, plural
from hungjury.base.parameters import MOST_LABELS, check_count, check_share
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Table
from hungjury.data.labels import as_judgments
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import JudgmentsLike, QrelsLike
from hungjury.judges.agreement import with_most
from hungjury.judges.panel import Panel
from hungjury.leaderboard.gold import gold_labels
from hungjury.leaderboard.plan_file import PlansLike, as_plans
from hungjury.stats.agreement import (
    ReliabilityBin,
    effective_judges,
    error_correlation,
    reliability,
    weighted_kappa,
)
from hungjury.stats.resampling import interval

RESAMPLES = 1000
FIGURES = ("documents", "agreement", "kappa", "kappa_low", "kappa_high", "sensitivity",
           "specificity", "bias")  # fmt: skip


class GoldAgreement(Record, Result, eq=False):
    """How each judge compares with gold labels; all arrays are in the order of `judges`.

    Attributes
    ----------
    documents
        Documents with a label of the judge and a gold label.
    agreement, kappa, kappa_low, kappa_high
        Share of equal labels, and Cohen's kappa with its interval.
    sensitivity, specificity
        Share of documents called relevant among those relevant by gold, and not relevant among
        the others, at grade `rel`.
    bias
        Mean label minus mean gold label.
    correlation
        [judge, judge] of errors on gold documents.
    effective
        How many independent judges would err as little together.
    reliability
        Documents by the share of judges who call them relevant, and how many of them are relevant
        by gold.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> found = hj.agreement_with_gold(sim.judgments, sim.gold)
    >>> found.judges[0], round(float(found.kappa[0]), 2)
    ('judge1', 0.77)
    """

    judges: list[str]
    documents: NDArray[np.int64]
    agreement: Floats
    kappa: Floats
    kappa_low: Floats
    kappa_high: Floats
    sensitivity: Floats
    specificity: Floats
    bias: Floats
    correlation: Floats
    effective: float
    reliability: tuple[ReliabilityBin, ...]
    rel: int
    weighted: bool  # by inverse inclusion probabilities of a plan
    level: float  # of the intervals
    notes: tuple[Note, ...] = ()
    at_least: int = 0  # gold documents of the judges in the table

    def table(self) -> Table:
        """Return a row per judge; with `at_least`, those with the most documents first."""
        columns = (getattr(self, name).tolist() for name in FIGURES)
        rows = list(zip(self.judges, *columns, strict=True))
        table = Table(["judge", *FIGURES], rows, digits=3)
        return with_most(table, self.documents, self.at_least) if self.at_least else table

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain numbers and lists."""
        out = {
            k: v.tolist() if isinstance(v, np.ndarray) else v
            for k, v in vars(self).items()
            if k[0] != "_"
        }
        bins = [vars(one) for one in self.reliability]
        return out | {"reliability": bins, "notes": [note.to_dict() for note in self.notes]}

    def _together(self) -> str:
        if len(self.judges) == 1:
            return "One judge: no other to compare errors with."
        if np.isnan(self.effective):
            return "Too few gold labels to correlate the judges' errors."
        said = f"{plural(len(self.judges), 'judge')} err like {self.effective:.1f} independent ones"
        pairs = self.correlation[np.triu_indices(len(self.judges), 1)]
        unknown = int(np.isnan(pairs).sum())
        if not unknown:
            return f"{said}."
        return (
            f"{said} if all pairs of judges err together as those do who share enough gold "
            f"documents; {unknown:,} of {plural(len(pairs), 'pair')} do not."
        )

    def _parts(self) -> list[str | Table]:
        """Return a row per judge, and the effective number of independent judges."""
        how = (
            f"kappa_low to kappa_high: {percent(self.level)} interval; sensitivity and specificity "
            f"at grade {self.rel}."
        )
        return [self.table(), how, self._together()]

    def plot(self, what: GoldPicture = "kappa") -> Plot:
        """Draw each judge's kappa, the reliability of vote shares, or the correlation of errors.

        Parameters
        ----------
        what : {"kappa", "reliability", "errors"}
            Kappa with gold labels and its interval, best judge first; or the share of judges who
            call documents relevant against the share of these documents relevant by gold; or a
            heat map of the correlation of errors of every two judges.
        """
        return self._drawn("judge_plots.draw_gold_agreement", what)


def agreement_with_gold(
    judgments: JudgmentsLike,
    gold: QrelsLike | Judgments,
    rel: int | None = None,
    plan: PlansLike | None = None,
    seed: int = 0,
    level: float = 0.95,
    at_least: int = 0,
) -> GoldAgreement:
    """Compare judges with gold labels of some documents.

    Parameters
    ----------
    judgments : Judgments or source
        Labels of several judges.
    gold : Qrels, Judgments or source
        Labels by one person, or by several.
    rel : int, optional
        Take labels as binary, with this as the lowest relevant grade. Default: compare labels as
        grades, and sensitivity and specificity are those of grade 1.
    plan : Plan, path or list of these, optional
        How the documents were chosen: all figures are then weighted to represent the whole pool.
    seed : int
        Random seed of the bootstrap over documents that gives kappa's intervals.
    level : float
        Level of the intervals.
    at_least : int
        List only judges with so many gold documents, those with the most first.

    Returns
    -------
    GoldAgreement
        Figures of each judge, the correlation of their errors, and the effective number of judges.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(seed=1)
    >>> found = hj.agreement_with_gold(sim.judgments, sim.gold, rel=1)
    >>> found.judges
    ['judge1', 'judge2', 'judge3', 'judge4', 'judge5']
    """
    check_seed(seed)
    check_share("level", level)
    given = as_judgments(judgments)
    if given.soft:
        raise InputError(
            "the judges' labels are probabilities",
            code="needs-grades",
            argument="judgments",
            remedy="give judges with grades",
        )
    found = gold_labels(gold, given, rel, None, as_plans(plan, gold))
    mine = Panel.of(given, rel).matrix()[:, found.documents].astype(np.int64)
    weight = found.weights
    relevant = found.at_least[:, 0]  # of binary labels, 1 is `rel` and more
    errors = found.errors(mine)
    rng = np.random.default_rng(seed)
    figures = []
    for said, off in zip(mine, errors, strict=True):
        known = said >= 0
        if not known.any():
            figures.append((0, *[np.nan] * 7))
            continue
        w, hit, shares = weight[known], said[known] >= 1, found.shares[known]
        labels = np.eye(len(found.grades))[said[known]]
        agree, kappa = weighted_kappa(w[None], labels, shares)
        again = w * rng.multinomial(len(w), np.full(len(w), 1 / len(w)), RESAMPLES)
        drawn = weighted_kappa(again, labels, shares)[1]
        drawn = drawn[~np.isnan(drawn)]
        several = len(w) > 1 and len(drawn) > 0
        ends = interval(drawn, level) if several else (np.nan, np.nan)
        yes, no = w * relevant[known], w * (1 - relevant[known])
        bias = w @ off[known] / w.sum()
        figures.append(
            (len(w), agree[0], kappa[0], *ends, _share(yes, hit), _share(no, ~hit), bias)
        )
    documents, *columns = np.array(figures, dtype=float).T
    correlation = error_correlation(errors, weight)
    votes = (mine >= 0).sum(axis=0)
    some = votes > 0
    stated = (mine[:, some] >= 1).sum(axis=0) / votes[some]
    return GoldAgreement(
        **dict(zip(FIGURES, (documents.astype(np.int64), *columns), strict=True)),
        judges=given.judges,
        correlation=correlation,
        effective=effective_judges(correlation),
        reliability=reliability(stated, relevant[some], weight[some], level=level),
        rel=rel or 1,
        weighted=found.design == "plan",
        level=level,
        at_least=check_count("at_least", at_least, 0, MOST_LABELS),
        notes=found.notes,
    )


def _share(weight: Floats, hit: NDArray[np.bool_]) -> float:
    total = float(weight.sum())
    return float(weight[hit].sum()) / total if total > 0 else float("nan")
