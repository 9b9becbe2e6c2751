"""Judges and merges compared with gold labels, with or without runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError, check_seed
from hungjury.base.notes import Note, percent, plural
from hungjury.base.parameters import check_share
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Table
from hungjury.base.text import columns, number_text
from hungjury.data.judgments import Judgments
from hungjury.data.labels import as_judgments
from hungjury.data.pool import Pool
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import JudgmentsLike, QrelsLike
from hungjury.judges.judge_scores import binary_at
from hungjury.judges.merge import MERGES
from hungjury.judges.merge_types import likeliest
from hungjury.judges.panel import NOT_JUDGED, Panel
from hungjury.judges.votes import MajorityVote
from hungjury.leaderboard.draws import Drawn, as_reported, reported_rate
from hungjury.leaderboard.effects import scores_under
from hungjury.leaderboard.evidence import Evidence
from hungjury.leaderboard.plan import PlanLike, as_plan
from hungjury.leaderboard.sample import gold_sample
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure
from hungjury.stats.agreement import judge_pairs
from hungjury.stats.correlation import tau_ap
from hungjury.stats.paired import t_interval
from hungjury.stats.resampling import interval, normal_reach

__all__ = [
    "AgainstGold",
    "GoldAgreement",
    "GoldPicture",
    "GoldRow",
    "ReliabilityBin",
    "against_gold",
    "agreement_with_gold",
    "effective_judges",
    "error_correlation",
    "reliability",
]


def error_correlation(errors: Floats, weight: Floats | None = None) -> Floats:
    """[judge, judge]: correlation of errors on the documents that both judged.

    Parameters
    ----------
    errors
        Label minus gold label [judge, document]; NaN for a missing label.
    weight
        [document]: inverse inclusion probabilities; default: equal.

    Notes
    -----
    NaN where two judges share fewer than two documents, or one of them makes the same error on all.
    """
    known = ~np.isnan(errors)
    value = np.where(known, errors, 0.0)
    weights = known * (1.0 if weight is None else weight)
    total = weights @ known.T
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = ((weights * value) @ known.T) / total  # of a row's judge, on common documents
        product = ((weights * value) @ value.T) / total - mean * mean.T
        square = ((weights * value**2) @ known.T) / total - mean**2
        # Rounding leaves something of a variance that is 0.
        scale = np.where(square > 1e-12, square, np.nan)
        return np.asarray(product / np.sqrt(scale * scale.T))


def effective_judges(correlation: Floats) -> float:
    """Return the number of independent judges who would err as little together.

    n / (1 + (n - 1) r), r the mean correlation of errors; NaN if it is not known for any pair.
    """
    number = len(correlation)
    pairs = correlation[np.triu_indices(number, 1)]
    known = pairs[~np.isnan(pairs)]
    if not len(known):
        return float(number) if number == 1 else float("nan")
    return float(number / (1 + (number - 1) * max(float(known.mean()), 0.0)))


EDGES = tuple(k / 10 for k in range(11))


class ReliabilityBin(Record):
    """Documents with a share of votes from `low` to below `high` (1 belongs to the last bin).

    Attributes
    ----------
    documents
        How many there are.
    stated
        Their mean share of votes for relevant.
    relevant, relevant_low, relevant_high
        Share that is relevant by gold, with its interval (Wilson's).
    """

    low: float
    high: float
    documents: int
    stated: float
    relevant: float
    relevant_low: float
    relevant_high: float


def reliability(
    stated: Floats,
    relevant: Floats,
    weight: Floats,
    edges: Sequence[float] = EDGES,
    level: float = 0.95,
) -> tuple[ReliabilityBin, ...]:
    """Bins that hold documents; arrays are [document], `relevant` a share of the people."""
    place = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, len(edges) - 2)
    out = []
    for k in np.unique(place):
        mine = place == k
        w = weight[mine]
        share = float(w @ relevant[mine] / w.sum())
        low, high = _wilson(share, float(w.sum() ** 2 / (w @ w)), level)
        out.append(
            ReliabilityBin(
                low=edges[k],
                high=edges[k + 1],
                documents=int(mine.sum()),
                stated=float(w @ stated[mine] / w.sum()),
                relevant=share,
                relevant_low=low,
                relevant_high=high,
            )
        )
    return tuple(out)


def _wilson(share: float, number: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a share of `number`; with weights, that is the effective number."""
    reach = normal_reach(level)
    square = reach**2
    middle = (share + square / (2 * number)) / (1 + square / number)
    half = share * (1 - share) / number + square / (4 * number**2)
    width = reach * float(np.sqrt(half)) / (1 + square / number)
    return max(middle - width, 0.0), min(middle + width, 1.0)


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
    relevant: (
        tuple[float, float] | None
    )  # share called relevant by the leaderboard's labels, by gold
    level: float  # of the intervals


class _Entry(Record, eq=False):
    name: str
    kind: str
    labels: NDArray[np.int16]  # [document], negative: none
    means: Floats | None  # [system], over gold topics


def against_gold(evidence: Evidence) -> AgainstGold | None:
    """Compare on the documents and topics that have gold labels; None without any.

    On topics that people labelled in part, both scores use only the documents with gold labels, as
    a document without one is not necessarily irrelevant. Probabilities are compared as binary
    labels, relevant above one half.
    """
    if evidence.gold_labels is None:
        return None
    panel, drawn, measure = evidence.panel, evidence.drawn, evidence.measure
    truth, pool, rel = _one_label(evidence.gold_labels), panel.pool, panel.rel
    soft, grades = panel.share is not None, panel.grades
    if soft:
        labels, rel, grades = _likelier(panel.judgments), 1, (0, 1)
    else:
        labels = panel.matrix()
    known = _gold_in_pool(truth, pool, rel)
    if not (known >= 0).any():
        raise InputError(
            "no judged document has a gold label",
            code="no-gold-label",
            argument="gold",
            remedy="check that both use the same topic and document ids",
        )
    share = pool.sum_by_topic(known >= 0) / np.maximum(np.diff(pool.offsets), 1)
    at = np.flatnonzero(share >= ENOUGH)
    topics = [pool.topics[t] for t in at]
    scored = None
    if topics:
        top = max(truth.grades) if rel is None else 1
        scored = scores_under(Scorer(measure, drawn.alignment, top), known[None])[0][:, at]
    scorer = Scorer(measure, drawn.alignment, grades[-1])

    def entry(name: str, kind: str, given: NDArray[np.int16]) -> _Entry:
        values = scores_under(scorer, np.where(known >= 0, given, NOT_JUDGED)[None])[0]
        return _Entry(name, kind, given, values[:, at].mean(axis=1) if topics else None)

    entries = [entry(n, "judge", row) for n, row in zip(panel.judges, labels, strict=True)]
    methods = () if soft else filter(None, (cls().for_labels() for cls in MERGES))
    for method in methods:
        hard = panel.merged(method, evidence.options.scope).hard().labels
        assert hard is not None
        entries.append(entry(str(method), "merge", hard))
    own = drawn.cells[:, at]
    if (share[at] < 1).any():
        own = _scores_where(known >= 0, evidence, scorer)[:, at]
    means = own.mean(axis=1) if topics else None
    entries.append(_Entry("the panel", "panel", _own_labels(drawn), means))
    truths = None if scored is None else scored.mean(axis=1)
    agreed = _agreement_with(known, entries, pool, grades)
    off = None if scored is None else _reported_bias(measure, own, scored, len(pool.topics))
    systems, level = drawn.alignment.systems, evidence.options.level
    return AgainstGold(
        [
            GoldRow(e.name, e.kind, *found, _correlation(measure, e.means, truths))
            for e, found in zip(entries, agreed, strict=True)
        ],
        topics,
        {} if off is None else {s: _interval(r, level) for s, r in zip(systems, off, strict=True)},
        None if off is None else _interval(off.mean(axis=0), level),
        _relevant(entries[-1].labels, known),
        level,
    )


def _one_label(gold: Qrels | Judgments) -> Qrels:
    """Gold labels with one label per document: the majority's where several people labelled it."""
    if isinstance(gold, Qrels):
        return gold
    return Panel.of(gold).merged(MajorityVote(ties="not")).plain()


def _gold_in_pool(gold: Qrels, pool: Pool, rel: int | None) -> NDArray[np.int16]:
    """[document of the pool]: its gold label, -1 for none."""
    if gold.labels is None:
        raise InputError(
            "gold labels must be grades, not probabilities",
            code="needs-grades",
            argument="gold",
            remedy="give graded gold labels",
        )
    labels = gold.labels if rel is None else binary_at(gold.labels, rel)
    out = np.full(len(pool), -1, dtype=np.int16)
    names = gold.pool.documents
    for t, topic in enumerate(gold.topics):
        where = gold.pool.slice(t)
        for d in range(where.start, where.stop):
            place = pool.find(topic, names[d])
            if place >= 0:
                out[place] = labels[d]
    return out


def _likelier(judgments: Judgments) -> NDArray[np.int16]:
    """[judge, document]: 1 for a probability above one half, else 0; -1 for none."""
    out = np.full((len(judgments.judges), len(judgments.pool)), NOT_JUDGED, dtype=np.int16)
    out[judgments.judge, judgments.document] = judgments.label > 0.5
    return out


def _scores_where(judged: NDArray[np.bool_], evidence: Evidence, scorer: Scorer) -> Floats:
    """[system, topic]: the panel's scores if only these documents had been judged."""
    labels, weights = replace(evidence, gold=None).label_sets(several=True)
    labels[:, ~judged] = NOT_JUDGED
    total = np.zeros(scorer.alignment.shape)
    for one, weight in zip(labels, weights, strict=True):
        total += weight * scores_under(scorer, one[None])[0]
    return total


def _own_labels(drawn: Drawn) -> NDArray[np.int16]:
    """The most probable labels under the leaderboard's model; none under AWARE."""
    if drawn.labels is not None and drawn.merged is not None:
        grades = np.array(drawn.merged.panel.grades, dtype=np.int16)
        best = grades[likeliest(drawn.labels.posterior)]
        return np.where(drawn.merged.panel.judged, best, NOT_JUDGED)
    if drawn.merged is not None:
        hard = drawn.merged.hard().labels
        assert hard is not None
        return hard
    return np.full(len(drawn.alignment.pool), NOT_JUDGED)


def _agreement_with(
    gold: NDArray[np.int16], entries: list[_Entry], pool: Pool, grades: tuple[int, ...]
) -> list[tuple[int, float | None, float | None]]:
    """For each entry the number of documents in common with gold, agreement and kappa."""
    labels = np.stack([*(e.labels for e in entries), gold])
    judge, document = (at.astype(np.int32) for at in np.nonzero(labels >= 0))
    scale = tuple(sorted({*grades, *np.unique(gold[gold >= 0]).tolist()}))
    choice = np.searchsorted(scale, labels[judge, document]).astype(np.int16)
    found = judge_pairs(document, judge, choice, (len(pool), len(labels), len(scale)))
    return [
        (int(n), _or_none(a), _or_none(k))
        for n, a, k in zip(
            found.common[-1, :-1], found.agreement[-1, :-1], found.kappa[-1, :-1], strict=True
        )
    ]


def _correlation(measure: Measure, means: Floats | None, truth: Floats | None) -> float | None:
    if means is None or truth is None or len(truth) < FEWEST_SYSTEMS:
        return None
    return _or_none(float(tau_ap(measure.better(means), measure.better(truth))))


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


def _relevant(labels: NDArray[np.int16], gold: NDArray[np.int16]) -> tuple[float, float] | None:
    """Shares of labels above the lowest grade, by panel and by gold, on documents with both."""
    both = (labels >= 0) & (gold >= 0)
    if not both.any():
        return None
    return float((labels[both] > 0).mean()), float((gold[both] > 0).mean())


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


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
