"""Binary relevance: precision and recall at a cutoff or at levels of recall, and measures of the
first relevant documents (RR, Success, ESL)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import RecallLevels
from hungjury.base.parameters import integer, number, one_of, param, required
from hungjury.data.judged import Judged
from hungjury.measures.base import (
    CATALOGUE,
    RANK_WEIGHTED,
    REL,
    Binary,
    BinaryAtCutoff,
    Kernel,
    Measure,
    Sum,
    Sums,
    hits_of,
    ratio,
    rests_on,
)
from hungjury.measures.ties import first_hit_distribution, within

__all__ = [
    "ESL", "F1", "RR", "ESLSaving", "Fallout", "IPrec", "IPrec11", "P", "R", "Rprec", "Success",
]  # fmt: skip


def one_if_retrieved(judged: Judged) -> Floats:
    """Return the worst fallout of every list: 1, or 0 for lists that are empty."""
    return np.asarray(np.broadcast_to(judged.length > 0, judged.counts.shape[:-1]), dtype=float)


def _found(judged: Judged, rel: int, cutoff: int | None) -> Floats:
    """Count relevant documents in the first `cutoff` ranks (their mean number in ties)."""
    hits = judged.hits(rel)
    if cutoff is None:
        return np.asarray(hits.sum(axis=-1, dtype=float))
    return np.asarray((hits * within(judged, cutoff)).sum(axis=-1))


@CATALOGUE.add("P")
class P(BinaryAtCutoff):
    """Precision at k: the share of the first k ranks that are relevant. Easy to explain, and the
    usual choice where people see one page of results. It ignores the order within the first k
    ranks, and a topic with fewer than k relevant documents cannot reach 1; a shorter list counts as
    followed by documents that are not relevant."""

    paper = "van Rijsbergen 1979"
    formula = "P@k = (1/k) Σ_{n≤k} x_n"
    proof = RANK_WEIGHTED
    averages_ties = True
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Floats:
        return _found(judged, self.rel, self.cutoff) / self.cutoff

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        return self.hits_kernel("gains", np.ones(len(ranks)), top, lambda _: self.cutoff)

    @rests_on("score", "defined", "average")
    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        from hungjury.measures.catalogue.probabilities import eRP

        if self.rel > 1:
            return super().for_probabilities(prob)
        return eRP(cutoff=self.cutoff, prob=prob)


@CATALOGUE.add("R")
class R(BinaryAtCutoff):
    """Recall at k: the share of the relevant documents that are in the first k ranks. Use it for
    the first stage of a pipeline, where what is not found is lost. It depends on how many relevant
    documents are known, so it favours systems that contributed to the pool."""

    paper = "van Rijsbergen 1979"
    formula = "R@k = (1/R) Σ_{n≤k} x_n"
    proof = RANK_WEIGHTED
    averages_ties = True

    def score(self, judged: Judged) -> Floats:
        return ratio(_found(judged, self.rel, self.cutoff), judged.relevant(self.rel))

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        weights = np.ones(len(ranks))
        return self.hits_kernel("gains", weights, top, lambda pools: pools.relevant(self.rel))


@CATALOGUE.add("F1")
class F1(BinaryAtCutoff):
    """Harmonic mean of P@k and R@k: high only where both are. It is close to the smaller of the
    two."""

    paper = "van Rijsbergen 1979"
    formula = "F1@k = 2 P@k R@k / (P@k + R@k)"
    averages_ties = True
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Floats:
        total = judged.relevant(self.rel)
        both = ratio(2 * _found(judged, self.rel, self.cutoff), self.cutoff + total)
        return np.where(total > 0, both, np.nan)

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        weights = np.ones(len(ranks))
        return self.hits_kernel(
            "gains", weights, top, lambda pools: (self.cutoff + pools.relevant(self.rel)) / 2
        )


@CATALOGUE.add("Fallout")
class Fallout(BinaryAtCutoff):
    """Share of the documents judged not relevant that are in the first k ranks. Smaller is better;
    undefined where nothing was judged not relevant, which counts as 1 if anything was retrieved.
    An empty list has the best value, so read it beside recall."""

    paper = "van Rijsbergen 1979"
    formula = "Fallout@k = #{n ≤ k: judged not relevant} / #{pool: judged not relevant}"
    smaller_is_better = True
    needs_nonrelevant = True

    def score(self, judged: Judged) -> Floats:
        cutoff = judged.depth if self.cutoff is None else self.cutoff
        steps = np.diff(judged.judged, axis=-1, prepend=0)  # 1 where the document is judged
        seen = (steps * (judged.ranks <= cutoff)).sum(axis=-1)
        return ratio(seen - _found(judged, self.rel, cutoff), judged.not_relevant(self.rel))

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        return judged.not_relevant(self.rel) > 0

    def where_undefined(self, judged: Judged) -> Floats:
        return one_if_retrieved(judged)


@CATALOGUE.add("Rprec")
class Rprec(Binary):
    """Precision after as many ranks as there are relevant documents, where precision and recall
    are equal. A perfect list scores 1 on every topic, unlike P@k."""

    paper = "Buckley and Voorhees 2005"
    formula = "Rprec = (1/R) Σ_{n≤R} x_n"
    averages_ties = True

    def score(self, judged: Judged) -> Floats:
        total = judged.relevant(self.rel)
        return ratio((judged.hits(self.rel) * within(judged, total)).sum(axis=-1), total)

    @rests_on("score", "defined")
    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        found = Sum("within", hits_of(top, self.rel), rank, None, lambda p: [p.relevant(self.rel)])
        return Sums((found,), lambda sums, pools: ratio(sums[0], pools.relevant(self.rel)))


ROUNDING = 1e-9  # of a recall level in documents
ELEVEN = tuple(i / 10 for i in range(11))  # the usual recall levels


LEVELS = param(
    "exact",
    kind=one_of(RecallLevels),
    doc='"exact": recall is at least the level; "trec": the relevant documents that a level '
    "needs are rounded, as in trec_eval 10",
)


def _needed(level: float, total: Ints, levels: str) -> Floats:
    """Return the relevant documents needed for a recall level."""
    if levels == "trec":
        return np.asarray(np.floor(level * total + 0.5))
    return np.asarray(np.ceil(level * total - ROUNDING))


def _interpolated(judged: Judged, rel: int, recall: tuple[float, ...], levels: str) -> Floats:
    """Return [..., list, level]: the highest precision at any rank with at least that recall."""
    hits, total = judged.hits(rel), judged.relevant(rel)
    met = np.cumsum(hits, axis=-1)
    precision = hits * met / judged.ranks
    best = [
        np.where(met >= _needed(level, total, levels)[..., None], precision, 0.0).max(axis=-1)
        for level in recall
    ]
    return np.where((total > 0)[..., None], np.stack(best, axis=-1), np.nan)


def _interpolated_sums(
    rank: Floats, top: int, rel: int, recall: tuple[float, ...], levels: str
) -> Sums:
    """Return the sums of the mean over recall levels."""

    def reached(level: float) -> Sum:
        hits = hits_of(top, rel)
        return Sum(
            "reached", hits, 1 / rank, None, lambda p: [_needed(level, p.relevant(rel), levels)]
        )

    parts = tuple(map(reached, recall))
    return Sums(parts, lambda sums, _: np.asarray(sum(sums) / len(recall)))


@CATALOGUE.add("IPrec")
class IPrec(Binary):
    """Interpolated precision: the highest precision at any rank where recall is at least the level
    after @. The points of a precision-recall curve; a single level is rarely a good summary."""

    paper = "Buckley and Voorhees 2005"
    formula = "IPrec@r = max{P@n: Σ_{m≤n} x_m ≥ r R}, 0 where there is none"
    at = "recall"
    recall: float = required(kind=number, low=0, high=1, doc="recall level")
    levels: RecallLevels = LEVELS

    def score(self, judged: Judged) -> Floats:
        return _interpolated(judged, self.rel, (self.recall,), self.levels)[..., 0]

    @rests_on("score", "defined")
    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        return _interpolated_sums(rank, top, self.rel, (self.recall,), self.levels)


@CATALOGUE.add("IPrec11")
class IPrec11(Binary):
    """Mean of the interpolated precisions at recall 0, 0.1, ..., 1: the area under the
    precision-recall curve as it was reported before average precision."""

    paper = "Buckley and Voorhees 2005"
    formula = "IPrec11 = (1/11) Σ_{i=0..10} IPrec@(i/10)"

    levels: RecallLevels = LEVELS

    def score(self, judged: Judged) -> Floats:
        return np.asarray(_interpolated(judged, self.rel, ELEVEN, self.levels).mean(axis=-1))

    @rests_on("score", "defined")
    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        return _interpolated_sums(rank, top, self.rel, ELEVEN, self.levels)


@CATALOGUE.add("RR")
class RR(BinaryAtCutoff):
    """Reciprocal rank: one over the rank of the first relevant document. For tasks with one right
    answer, such as known items and question answering; its mean over topics is MRR. Everything
    after the first relevant document is ignored, so it varies a lot between topics."""

    paper = "Voorhees 1999"
    formula = "RR@k = 1 / min{n ≤ k: x_n = 1}, 0 where there is none"
    averages_ties = True

    def score(self, judged: Judged) -> Floats:
        if judged.ties is not None:
            rank, chance = first_hit_distribution(judged, judged.hits(self.rel))
            limit = np.inf if self.cutoff is None else self.cutoff
            return np.asarray((chance * (rank <= limit) / rank).sum(axis=-1))
        hits = judged.hits(self.rel, self.cutoff)
        return np.asarray((hits / judged.ranks).max(axis=-1))

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        return self.hits_kernel("best", 1 / ranks, top)


@CATALOGUE.add("Success")
class Success(BinaryAtCutoff):
    """1 if a relevant document is in the first k ranks, else 0. Its mean is the share of topics
    with at least one good result; also called hit rate."""

    paper = "Craswell and Hawking 2004"
    formula = "Success@k = max_{n≤k} x_n"
    averages_ties = True
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Floats:
        if judged.ties is not None:
            rank, chance = first_hit_distribution(judged, judged.hits(self.rel))
            return np.asarray((chance * (rank <= self.cutoff)).sum(axis=-1))
        return judged.hits(self.rel, self.cutoff).any(axis=-1).astype(float)

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        return self.hits_kernel("best", np.ones(len(ranks)), top)


@CATALOGUE.add("ESL")
class ESL(Measure):
    """Search length: the number of documents that are not relevant, read before the `want`-th
    relevant one; undefined where fewer are retrieved, which counts as all that could have been
    read: the documents of the pool judged not relevant plus those retrieved. Smaller is better, in
    the unit of wasted documents."""

    paper = "Cooper 1968"
    formula = "ESL = n - want, n: rank of the want-th relevant document"
    high = np.inf
    smaller_is_better = True
    want: int = param(1, kind=integer, low=1, doc="relevant documents wanted")
    rel: int = REL

    def score(self, judged: Judged) -> Floats:
        hits = judged.hits(self.rel)
        at = hits & (np.cumsum(hits, axis=-1) == self.want)
        rank = np.broadcast_to(judged.ranks, at.shape)
        length = np.where(at, rank, 0).sum(axis=-1) - self.want
        return np.where(at.any(axis=-1), length, np.nan)

    def where_undefined(self, judged: Judged) -> Floats:
        return np.asarray(judged.not_relevant(self.rel) + judged.length, dtype=float)


@CATALOGUE.add("ESLSaving")
class ESLSaving(Measure):
    """Search length saved against reading the pool in random order, as a share of it: 1 where
    nothing irrelevant is read, 0 where the list is no better than chance, negative if worse.
    A list that does not find enough counts the search length that `ESL` takes for it."""

    paper = "Cooper 1968"
    formula = "ESLSaving = 1 - ESL (R + 1) / (want I), I: pool documents judged not relevant"
    low = -np.inf
    want: int = param(1, kind=integer, low=1, doc="relevant documents wanted")
    rel: int = REL

    def score(self, judged: Judged) -> Floats:
        length = ESL(want=self.want, rel=self.rel).filled(judged)
        others, relevant = judged.not_relevant(self.rel), judged.relevant(self.rel)
        saved = 1 - ratio(length * (relevant + 1), self.want * others)
        return np.where(relevant >= self.want, saved, np.nan)
