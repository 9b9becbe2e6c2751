"""Judges compared with gold labels of some documents."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError, Note, check_seed, percent, plural
from hungjury.base.parameters import check_share
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Table
from hungjury.base.text import columns, number_text
from hungjury.data.labels import as_judgments
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import JudgmentsLike, QrelsLike
from hungjury.judges.panel import Panel
from hungjury.leaderboard.gold import gold_sample
from hungjury.leaderboard.plan_file import PlanLike, as_plan
from hungjury.stats.agreement import (
    ReliabilityBin,
    effective_judges,
    error_correlation,
    reliability,
)
from hungjury.stats.resampling import interval

RESAMPLES = 1000
GoldPicture = Literal["kappa", "reliability", "errors"]


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

    def table(self) -> Table:
        """Return a row per judge."""
        names = ("documents", "agreement", "kappa", "kappa_low", "kappa_high", "sensitivity",
                 "specificity", "bias")  # fmt: skip
        rows = zip(self.judges, *(getattr(self, name).tolist() for name in names), strict=True)
        return Table(["judge", *names], list(rows), digits=3)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain numbers and lists."""
        out = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in vars(self).items()}
        bins = [vars(one) for one in self.reliability]
        return out | {"reliability": bins, "notes": [note.to_dict() for note in self.notes]}

    def to_text(self) -> str:
        """Write a line per judge, and the effective number of independent judges."""
        head = ["judge", "documents", "agreement", "kappa", f"{percent(self.level)} interval",
                f"sensitivity at {self.rel}", "specificity", "bias"]  # fmt: skip
        rows = [head]
        for j, name in enumerate(self.judges):
            rows.append(
                [
                    name, f"{self.documents[j]:,}", number_text(self.agreement[j]),
                    number_text(self.kappa[j]),
                    f"{number_text(self.kappa_low[j])} to {number_text(self.kappa_high[j])}",
                    number_text(self.sensitivity[j]), number_text(self.specificity[j]),
                    number_text(self.bias[j], sign="+"),
                ]
            )  # fmt: skip
        return columns(rows) + "\n\n" + self._together() + "\n"

    def _together(self) -> str:
        if len(self.judges) == 1:
            return "One judge: no other to compare errors with."
        if np.isnan(self.effective):
            return "Too few gold labels to correlate the judges' errors."
        return (
            f"{plural(len(self.judges), 'judge')} err like {self.effective:.1f} independent ones."
        )

    def _parts(self) -> list[str | Table]:
        return [self.table(), self._together()]

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
    plan: PlanLike | None = None,
    seed: int = 0,
    level: float = 0.95,
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
    plan : Plan or path, optional
        How the documents were chosen: all figures are then weighted to represent the whole pool.
    seed : int
        Random seed of the bootstrap over documents that gives kappa's intervals.
    level : float
        Level of the intervals.

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
    made = None if plan is None else as_plan(plan)
    sample = gold_sample(gold, given, rel, None, made)
    mine = Panel.of(given, rel).matrix()[:, sample.documents].astype(np.int64)
    weight = 1 / sample.probability[sample.documents]
    scale = np.array(sample.grades)
    truth = sample.shares @ scale
    relevant = sample.shares[:, scale >= 1].sum(axis=1)  # of binary labels, 1 is `rel` and more
    errors = np.where(mine < 0, np.nan, mine) - truth
    rng = np.random.default_rng(seed)
    rows = []
    for said, off in zip(mine, errors, strict=True):
        known = said >= 0
        if not known.any():
            rows.append((0, *[float("nan")] * 7))
            continue
        w, hit = weight[known], said[known] >= 1
        labels = np.eye(len(scale))[said[known]]
        agree, kappa = _kappa(w[None], labels, sample.shares[known])
        again = w * rng.multinomial(known.sum(), np.full(known.sum(), 1 / known.sum()), RESAMPLES)
        _, drawn = _kappa(again, labels, sample.shares[known])
        drawn = drawn[~np.isnan(drawn)]
        several = len(w) > 1 and len(drawn) > 0
        low, high = interval(drawn, level) if several else (np.nan, np.nan)
        yes, no = w * relevant[known], w * (1 - relevant[known])
        rows.append(
            (int(known.sum()), float(agree[0]), float(kappa[0]), float(low), float(high),
             _share(yes, hit), _share(no, ~hit), float(w @ off[known] / w.sum()))
        )  # fmt: skip
    table = np.array(rows, dtype=float).T
    correlation = error_correlation(errors, weight)
    votes = (mine >= 0).sum(axis=0)
    some = votes > 0
    stated = (mine[:, some] >= 1).sum(axis=0) / votes[some]
    return GoldAgreement(
        judges=given.judges,
        documents=table[0].astype(np.int64),
        agreement=table[1],
        kappa=table[2],
        kappa_low=table[3],
        kappa_high=table[4],
        sensitivity=table[5],
        specificity=table[6],
        bias=table[7],
        correlation=correlation,
        effective=effective_judges(correlation),
        reliability=reliability(stated, relevant[some], weight[some], level=level),
        rel=rel or 1,
        weighted=made is not None,
        level=level,
        notes=sample.notes,
    )


def _kappa(weight: Floats, labels: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """[resample]: agreement and Cohen's kappa, with weights [resample, document]."""
    total = weight.sum(axis=1)
    agree = weight @ (labels * shares).sum(axis=1) / total
    chance = ((weight @ labels) * (weight @ shares)).sum(axis=1) / total**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(agree), np.asarray((agree - chance) / (1 - chance))


def _share(weight: Floats, hit: NDArray[np.bool_]) -> float:
    total = float(weight.sum())
    return float(weight[hit].sum()) / total if total > 0 else float("nan")
