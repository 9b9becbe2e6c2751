"""How judges, merges and a leaderboard compare with gold labels of some documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from hungjury.base.arrays import Bools, Floats, Int16s, Ints
from hungjury.base.choices import GoldPicture
from hungjury.base.errors import Note, percent, plural
from hungjury.base.parameters import MOST_LABELS, check_count, check_share
from hungjury.base.records import Record, fields_of
from hungjury.base.results import Plot, Result, Table
from hungjury.base.text import finite
from hungjury.data.labels import as_judgments
from hungjury.data.qrels import Judgments, needs_grades
from hungjury.data.reading.options import JudgmentsLike, QrelsLike
from hungjury.judges.agreement import with_most
from hungjury.judges.merge import MERGES
from hungjury.judges.merge_types import likeliest
from hungjury.judges.panel import NOT_JUDGED, Panel
from hungjury.leaderboard.draws import Drawn, as_reported, reported_rate
from hungjury.leaderboard.effects import scores_under
from hungjury.leaderboard.evidence import Evidence
from hungjury.leaderboard.gold import GoldLabels, gold_labels
from hungjury.leaderboard.plan_file import PlansLike, as_plans
from hungjury.measures.base import ratio
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure
from hungjury.stats.agreement import (
    ReliabilityBin,
    effective_judges,
    error_correlation,
    reliability,
    weighted_kappa,
)
from hungjury.stats.correlation import tau_ap
from hungjury.stats.paired import t_interval
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
    documents: Ints
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
        return dict(finite(fields_of(self)))

    def _parts(self) -> list[str | Table]:
        """Return a row per judge, and the effective number of independent judges."""
        how = (
            f"kappa_low to kappa_high: {percent(self.level)} interval; sensitivity and specificity "
            f"at grade {self.rel}."
        )
        pairs = self.correlation[np.triu_indices(len(self.judges), 1)]
        together = (
            f"{len(self.judges):,} judges err like {self.effective:.1f} independent ones, by the "
            f"{(~np.isnan(pairs)).sum():,} of {plural(len(pairs), 'pair')} with enough gold "
            "documents in common."
        )
        if np.isnan(self.effective) or not len(pairs):
            together = "No two judges share enough gold documents to correlate their errors."
        return [self.table(), how, together]

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
    check_share("level", level)
    given = as_judgments(judgments)
    if given.soft:
        raise needs_grades("agreement with gold labels", "judgments")
    found = gold_labels(gold, given, rel, None, as_plans(plan, gold))
    mine = Panel.of(given, rel).matrix()[:, found.documents].astype(np.int64)
    weight = found.weights
    relevant = found.at_least[:, 0]  # of binary labels, 1 is `rel` and more
    errors = found.errors(mine)
    rng = np.random.default_rng(seed)
    known, hit = mine >= 0, mine >= 1
    each = np.where(known, weight, 0.0)  # [judge, document]
    yes, no = each * relevant, each * (1 - relevant)
    kappas = np.full((4, len(mine)), np.nan)  # agreement, kappa, and the ends of its interval
    for k in np.flatnonzero(known.any(axis=1)):
        w, shares = weight[known[k]], found.shares[known[k]]
        labels = np.eye(len(found.grades))[mine[k, known[k]]]
        kappas[:2, k] = np.concatenate(weighted_kappa(w[None], labels, shares))
        again = w * rng.multinomial(len(w), np.full(len(w), 1 / len(w)), RESAMPLES)
        drawn = weighted_kappa(again, labels, shares)[1]
        drawn = drawn[~np.isnan(drawn)]
        if len(w) > 1 and len(drawn):
            kappas[2:, k] = interval(drawn, level)
    sensitivity = ratio((yes * hit).sum(axis=1), yes.sum(axis=1))
    specificity = ratio((no * ~hit).sum(axis=1), no.sum(axis=1))
    bias = ratio(np.nansum(each * errors, axis=1), each.sum(axis=1))
    figures = known.sum(axis=1), *kappas, sensitivity, specificity, bias
    correlation = error_correlation(errors, weight)
    votes = known.sum(axis=0)
    some = votes > 0
    stated = hit[:, some].sum(axis=0) / votes[some]
    return GoldAgreement(
        **dict(zip(FIGURES, figures, strict=True)),
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


ENOUGH = 0.5  # of a topic's pool with gold labels, for systems to be scored by them
FEWEST_SYSTEMS = 3  # for a correlation


class GoldRow(Record):
    """Agreement of a judge or a merge with gold; None if unknown."""

    name: str
    kind: str  # "judge", "merge" or "panel", by the leaderboard's own merge
    documents: int  # with a gold label too
    agreement: float | None
    kappa: float | None
    tau_ap: float | None  # of the systems' means on gold topics


class AgainstGold(Record, eq=False):
    """Labels and rankings compared with gold; bias is the panel's score minus gold."""

    rows: list[GoldRow]
    topics: list[str]  # those with enough gold labels to score systems
    bias: dict[str, tuple[float, float, float]]  # system: mean over gold topics, and its interval
    overall: tuple[float, float, float] | None  # over all systems
    relevant: tuple[float, float] | None  # share called relevant by the board's labels, by gold
    level: float  # of the intervals


def against_gold(evidence: Evidence) -> AgainstGold | None:
    """Compare on the documents and topics that have gold labels; None without any.

    Agreement is weighted by the plan that chose the documents: it is that of the whole pool.

    On topics that people labelled in part, both scores use only the documents with gold labels, as
    a document without one is not necessarily irrelevant. Probabilities are compared as binary
    labels, relevant above one half.
    """
    if evidence.labelled is None:
        return None
    panel, drawn, measure = evidence.panel, evidence.drawn, evidence.measure
    gold, pool = evidence.labelled, panel.pool
    soft, grades, shares = panel.share is not None, panel.grades, gold.shares
    if soft:
        given, grades = panel.judgments, (0, 1)
        labels = np.full((len(given.judges), len(pool)), NOT_JUDGED, dtype=np.int16)
        labels[given.judge, given.document] = given.label > 0.5
        relevant = gold.at_least[:, 0]
        shares = np.stack([1 - relevant, relevant], axis=1)
    else:
        labels = panel.matrix()
    known = np.full(len(pool), NOT_JUDGED)
    known[gold.documents] = shares.argmax(axis=1)
    share = pool.sum_by_topic(known >= 0) / np.maximum(np.diff(pool.offsets), 1)
    at = np.flatnonzero(share >= ENOUGH)
    by_gold = Scorer(measure, drawn.alignment, shares.shape[1] - 1)
    truth = scores_under(by_gold, known[None])[0][:, at]
    scorer = Scorer(measure, drawn.alignment, grades[-1])
    who = [(name, "judge", said) for name, said in zip(panel.judges, labels, strict=True)]
    for method in () if soft else filter(None, (cls().for_labels() for cls in MERGES)):
        hard = panel.merged(method, evidence.options.scope).hard_labels
        who.append((str(method), "merge", hard))
    voted = np.where(known >= 0, np.stack([said for *_, said in who]), NOT_JUDGED)
    scores = scores_under(scorer, voted)[:, :, at] if len(at) else np.empty((len(who), 0, 0))

    def row(name: str, kind: str, said: Int16s, scores: Floats) -> GoldRow:
        tau = _correlation(measure, scores, truth)
        return GoldRow(name, kind, *_compared(gold, shares, said)[:3], tau)

    rows = [row(*one, found) for one, found in zip(who, scores, strict=True)]
    own, said = drawn.cells[:, at], _own_labels(drawn)
    if (share[at] < 1).any():
        own = _scores_where(known >= 0, evidence, scorer)[:, at]
    level, bias, overall = evidence.options.level, {}, None
    if len(at):
        off = _reported_bias(measure, own, truth, len(pool.topics))
        ends = (_interval(one, level) for one in off)
        bias = dict(zip(drawn.alignment.systems, ends, strict=True))
        overall = _interval(off.mean(axis=0), level)
    return AgainstGold(
        rows=[*rows, row("the panel", "panel", said, own)],
        topics=[pool.topics[t] for t in at],
        bias=bias,
        overall=overall,
        relevant=_compared(gold, shares, said)[3],
        level=level,
    )


def _scores_where(judged: Bools, evidence: Evidence, scorer: Scorer) -> Floats:
    """[system, topic]: the panel's scores if only these documents had been judged."""
    labels, weights = evidence.label_sets(several=True, by_gold=False)
    labels[:, ~judged] = NOT_JUDGED
    total = np.zeros(scorer.alignment.shape)
    for one, weight in zip(labels, weights, strict=True):
        total += weight * scores_under(scorer, one[None])[0]
    return total


def _own_labels(drawn: Drawn) -> Int16s:
    """The most probable labels under the leaderboard's model; none under AWARE."""
    if drawn.labels is not None and drawn.merged is not None:
        grades = np.array(drawn.merged.panel.grades, dtype=np.int16)
        best = grades[likeliest(drawn.labels.posterior)]
        return np.where(drawn.merged.panel.judged, best, NOT_JUDGED)
    if drawn.merged is not None:
        return drawn.merged.hard_labels
    return np.full(len(drawn.alignment.pool), NOT_JUDGED)


def _compared(
    gold: GoldLabels, shares: Floats, said: Int16s
) -> tuple[int, float | None, float | None, tuple[float, float] | None]:
    """The number of documents in common with gold, agreement and kappa on them, and the shares of
    labels above the lowest grade, here and by gold; weighted to represent the pool.

    shares: [labelled document, grade]; said: [document of the pool].
    """
    mine = said[gold.documents]
    both = mine >= 0
    if not both.any():
        return 0, None, None, None
    scale = max(shares.shape[1], int(mine.max()) + 1)
    shares = np.pad(shares[both], ((0, 0), (0, scale - shares.shape[1])))
    agree, kappa = weighted_kappa(gold.weights[None, both], np.eye(scale)[mine[both]], shares)
    weight = gold.weights[both] / gold.weights[both].sum()
    relevant = float(weight @ (mine[both] > 0)), float(weight @ (1 - shares[:, 0]))
    return int(both.sum()), _or_none(agree[0]), _or_none(kappa[0]), relevant


def _correlation(measure: Measure, scores: Floats, truth: Floats) -> float | None:
    """Of the systems' means; scores, truth: [system, topic]."""
    if not truth.shape[1] or len(truth) < FEWEST_SYSTEMS:
        return None
    ours, theirs = (measure.better(one.mean(axis=1)) for one in (scores, truth))
    return _or_none(float(tau_ap(ours, theirs)))


def _reported_bias(measure: Measure, said: Floats, gold: Floats, topics: int) -> Floats:
    """[system, gold topic]: the panel's scores minus gold, scaled to make the mean over topics
    the difference of the reported means for `topics` topics."""
    shown, off = as_reported(measure, topics), said - gold
    ours, theirs = said.mean(axis=1), gold.mean(axis=1)
    usual = reported_rate(measure, ours, topics)
    differs = np.abs(ours - theirs) > 1e-9
    rate = np.divide(shown(ours) - shown(theirs), ours - theirs, out=usual, where=differs)
    return np.asarray(off * rate[:, None])


def _interval(values: Floats, level: float) -> tuple[float, float, float]:
    """Return the mean over topics, and its interval by Student's t."""
    mean = float(values.mean())
    if len(values) < 2:
        return mean, float("-inf"), float("inf")
    low, high = t_interval(values, 1 - level)
    return mean, float(low), float(high)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
