"""The documents behind a leaderboard: which systems rank them, how they were labelled, how much
they contribute to a system's score, and how the labels compare with gold."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats, Ints
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.qrels import Judgments
from hungjury.judges.agreement import Agreement
from hungjury.judges.families import Jury
from hungjury.judges.merge import MERGES
from hungjury.judges.merge_types import likeliest
from hungjury.judges.panel import NOT_JUDGED, Panel
from hungjury.judges.votes import vote_shares
from hungjury.leaderboard.correction import Correction, Interval
from hungjury.leaderboard.draws import MOST_KEPT, Drawn, Estimate, as_reported, reported_rate
from hungjury.leaderboard.effects import contributions, is_linear, scores_under
from hungjury.leaderboard.gold import GoldLabels
from hungjury.leaderboard.options import BoardOptions
from hungjury.leaderboard.panel_error import PanelError
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure
from hungjury.stats.agreement import weighted_kappa
from hungjury.stats.correlation import tau_ap
from hungjury.stats.paired import t_interval

MOST_RANKS = 20  # ranks of a list that are shown
UNJUDGED, BEYOND = -1, -2  # in place of a document: not in the pool; after the end of the list
Places = NDArray[np.int32]
WORK = 100_000_000  # systems times documents times draws
FEWEST_DRAWS = 8


def depth_shown(measure: Measure) -> int:
    """The ranks that the measure uses, at most `MOST_RANKS`."""
    return min(measure.depth or MOST_RANKS, MOST_RANKS)


class Evidence(Record, eq=False):
    """The runs and labels that a leaderboard was made from; arrays are computed on demand.

    Attributes
    ----------
    options
        What the leaderboard was told.
    panel, jury
        The votes of all judges, and those who have a vote.
    agreement
        How judges agree with each other; None for one judge, and for probabilities.
    kin
        [system of the alignment]: is it built on LLMs like the judges?
    drawn
        Scores under draws of labels, with some of these draws.
    made
        Means of systems and their draws, in the order of the alignment's systems.
    layer
        The panel error, where one is assumed.
    labelled, correction, overrated
        The gold labels of the pool, how they corrected the means, and what kin are over-rated by.
    order
        The alignment's systems in the order of the leaderboard.
    """

    options: BoardOptions
    panel: Panel
    jury: Jury
    agreement: Agreement | None
    kin: NDArray[np.bool_]
    drawn: Drawn
    made: Estimate
    layer: PanelError | None = None
    labelled: GoldLabels | None = None
    correction: Correction | None = None
    overrated: Interval | None = None
    order: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def alignment(self) -> Alignment:
        return self.drawn.alignment

    @property
    def measure(self) -> Measure:
        return self.options.measure

    @property
    def depth(self) -> int:
        return depth_shown(self.measure)

    @cached_property
    def gold(self) -> Floats | None:
        """[document of the pool]: the mean gold label, NaN without one; None without any."""
        if self.labelled is None:
            return None
        known = np.full(len(self.panel.pool), np.nan)
        known[self.labelled.documents] = self.labelled.mean
        return known

    @cached_property
    def lists(self) -> Places:
        """[system, topic, rank]: the document's place in the pool, or `UNJUDGED`, or `BEYOND`."""
        return self._aligned[self.order]

    @cached_property
    def unjudged(self) -> Places:
        """[system, topic, rank]: the row among the alignment's `others` where a document is
        `UNJUDGED`, else -1."""
        others = self.alignment.others
        assert others is not None, "a leaderboard asks align() for them"
        out = np.full(self._aligned.shape, -1, dtype=np.int32)
        near = np.flatnonzero(others.rank <= self.depth)
        out[others.system[near], others.topic[near], others.rank[near] - 1] = near
        return np.asarray(out[self.order])

    @cached_property
    def _aligned(self) -> Places:
        """The lists of systems as they are aligned."""
        found, depth = self.alignment, self.depth
        ranks = np.arange(1, depth + 1)
        out = np.where(ranks <= found.length[:, None], UNJUDGED, BEYOND).astype(np.int32)
        size = found.stop - found.start
        cell = np.repeat(np.arange(len(size)), size)
        within = np.arange(len(cell)) - np.repeat(np.cumsum(size) - size, size)
        place = np.repeat(found.start, size) + within
        near = found.rank[place] <= depth
        out[cell[near], found.rank[place[near]] - 1] = found.document[place[near]]
        return out.reshape(*found.shape, depth)

    @cached_property
    def probability(self) -> Floats:
        """[document, grade above the lowest]: chance of at least this grade by the panel."""
        merged, found = self.drawn.merged, self.drawn.labels
        if merged is None:  # scores are merged: use the judges' mean vote
            share = vote_shares(self.jury.panel)
        elif found is not None:
            share = np.zeros((len(merged.pool), merged.max_grade + 1))
            share[:, list(merged.panel.grades)] = found.posterior
        elif merged.posterior is not None:
            share = merged.posterior
        else:
            assert merged.labels is not None
            share = (merged.labels[:, None] == np.arange(merged.max_grade + 1)).astype(float)
        return np.asarray(np.cumsum(share[:, :0:-1], axis=1)[:, ::-1], dtype=float)

    @cached_property
    def contributions(self) -> NDArray[np.float32]:
        """[system, topic, rank]: the document's contribution to the system's score of the topic.

        By its gold label if there is one, else by the panel's possible labels.
        """
        merged = self.drawn.merged
        top = self.jury.panel.grades[-1] if merged is None else merged.max_grade
        scorer = Scorer(self.measure, self.alignment, top)
        labels, weights = self.label_sets(is_linear(scorer))
        lists = self._aligned
        out = np.zeros(lists.shape, dtype=np.float32)
        shown = np.unique(lists[lists >= 0]).astype(np.int64)
        ends = np.searchsorted(shown, self.alignment.pool.offsets)
        for topic, found in contributions(scorer, labels, weights, shown):
            at = np.searchsorted(shown[ends[topic] : ends[topic + 1]], lists[:, topic])
            at = np.minimum(at, found.shape[1] - 1)
            here = np.take_along_axis(found, at, axis=1)
            out[:, topic] = np.where(lists[:, topic] >= 0, here, 0.0)
        return out[self.order]

    def label_sets(self, several: bool, by_gold: bool = True) -> tuple[NDArray[np.int16], Floats]:
        """Labels [set, document], and the weight of each set on each topic [set, topic].

        One set of the most probable labels, unless several are wanted; with gold labels where
        these are known, unless only the panel's are wanted.
        """
        merged, drawn = self.drawn.merged, self.drawn.labels
        cells = len(self.alignment.systems) * len(self.alignment.pool)
        number = min(max(WORK // max(cells, 1), FEWEST_DRAWS), MOST_KEPT)
        if merged is None:
            labels = self.jury.panel.matrix()
        elif merged.labels is not None or not several:
            hard = merged.hard().labels
            assert hard is not None
            labels = hard[None].copy()
        elif drawn is not None:
            labels = drawn.labels[:number].copy()
        else:
            labels = merged.sample(0, number, completed=True)
        weights = self.drawn.weights
        if weights is None:
            weights = np.full((len(labels), self.alignment.shape[1]), 1 / len(labels))
        if self.gold is not None and by_gold:
            known = ~np.isnan(self.gold)
            labels[:, known] = np.rint(self.gold[known]).astype(np.int16)
        return labels, weights


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
        labels, grades = _likelier(panel.judgments), (0, 1)
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

    def row(name: str, kind: str, said: NDArray[np.int16], scores: Floats | None = None) -> GoldRow:
        if scores is None:
            scores = scores_under(scorer, np.where(known >= 0, said, NOT_JUDGED)[None])[0][:, at]
        tau = _correlation(measure, scores, truth)
        return GoldRow(name, kind, *_agreement_with(gold, shares, said), tau)

    rows = [row(name, "judge", said) for name, said in zip(panel.judges, labels, strict=True)]
    for method in () if soft else filter(None, (cls().for_labels() for cls in MERGES)):
        hard = panel.merged(method, evidence.options.scope).hard().labels
        assert hard is not None
        rows.append(row(str(method), "merge", hard))
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
        relevant=_relevant(gold, shares, said),
        level=level,
    )


def _likelier(judgments: Judgments) -> NDArray[np.int16]:
    """[judge, document]: 1 for a probability above one half, else 0; -1 for none."""
    out = np.full((len(judgments.judges), len(judgments.pool)), NOT_JUDGED, dtype=np.int16)
    out[judgments.judge, judgments.document] = judgments.label > 0.5
    return out


def _scores_where(judged: NDArray[np.bool_], evidence: Evidence, scorer: Scorer) -> Floats:
    """[system, topic]: the panel's scores if only these documents had been judged."""
    labels, weights = evidence.label_sets(several=True, by_gold=False)
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
    gold: GoldLabels, shares: Floats, said: NDArray[np.int16]
) -> tuple[int, float | None, float | None]:
    """The number of documents in common with gold, agreement and kappa, weighted to represent the
    pool. shares: [labelled document, grade]; said: [document of the pool]."""
    mine = said[gold.documents]
    both = mine >= 0
    if not both.any():
        return 0, None, None
    scale = max(shares.shape[1], int(mine.max()) + 1)
    shares = np.pad(shares[both], ((0, 0), (0, scale - shares.shape[1])))
    agree, kappa = weighted_kappa(gold.weights[None, both], np.eye(scale)[mine[both]], shares)
    return int(both.sum()), _or_none(agree[0]), _or_none(kappa[0])


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


def _relevant(
    gold: GoldLabels, shares: Floats, said: NDArray[np.int16]
) -> tuple[float, float] | None:
    """Shares of labels above the lowest grade, by panel and by gold, on documents with both."""
    mine = said[gold.documents]
    both = mine >= 0
    if not both.any():
        return None
    weight = gold.weights[both] / gold.weights[both].sum()
    return float(weight @ (mine[both] > 0)), float(weight @ (1 - shares[both, 0]))


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
