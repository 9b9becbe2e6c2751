"""Binary relevance: precision and recall at a cutoff or at levels of recall, and measures of the
first relevant documents (RR, Success, ESL)."""

from __future__ import annotations

import numpy as np

from hungjury.base.arrays import ArrayLike, Bools, Floats, Ints
from hungjury.base.choices import RecallLevels
from hungjury.base.parameters import integer, number, one_of, param, required
from hungjury.data.judged import Judged
from hungjury.measures.base import (
    NEEDED_CUTOFF,
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
    seen,
)
from hungjury.measures.ties import first_hit_distribution, within

__all__ = [
    "ESL", "F1", "RR", "ESLSaving", "Fallout", "IPrec", "IPrec11", "P", "R", "Rprec", "Success",
]  # fmt: skip


class OfNonrelevant(Binary):
    """Base of shares of the documents judged not relevant."""

    smaller_is_better = True

    def defined(self, judged: Judged) -> Bools:
        return judged.not_relevant(self.rel) > 0

    def where_undefined(self, judged: Judged) -> Floats:
        """Return 1, or 0 for lists that are empty."""
        return np.asarray(np.broadcast_to(judged.length > 0, judged.counts.shape[:-1]), dtype=float)


def _found(judged: Judged, rel: int, cutoff: int | None) -> Floats:
    """Count relevant documents in the first `cutoff` ranks (their mean number in ties)."""
    hits = judged.hits(rel)
    if cutoff is None:
        return np.asarray(hits.sum(axis=-1, dtype=float))
    return np.asarray((hits * within(judged, cutoff)).sum(axis=-1))


class Share(BinaryAtCutoff):
    """Base: the relevant documents in the first ranks, divided by a number that the pool fixes."""

    averages_ties = True

    def unit(self, pools: Judged) -> ArrayLike:
        """Return what the number of relevant documents is divided by; 0: undefined."""
        return pools.relevant(self.rel)

    def score(self, judged: Judged) -> Floats:
        return ratio(_found(judged, self.rel, self.cutoff), self.unit(judged))

    def kernel(self, ranks: Floats, top: int) -> Kernel:
        return self.hits_kernel("gains", np.ones(len(ranks)), top, self.unit)


class P(Share, called="P"):
    """Precision at k: the share of the first k ranks that are relevant. Easy to explain, and the
    usual choice where people see one page of results. It ignores the order within the first k
    ranks, and a topic with fewer than k relevant documents cannot reach 1; a shorter list counts as
    followed by documents that are not relevant.

    Formula: P@k = (1/k) Σ_{n≤k} x_n

    Source: van Rijsbergen 1979
    """

    counterpart = "eRP"
    proof = RANK_WEIGHTED
    cutoff: int = NEEDED_CUTOFF

    def unit(self, pools: Judged) -> ArrayLike:
        return self.cutoff


class R(Share, called="R"):
    """Recall at k: the share of the relevant documents that are in the first k ranks. Use it for
    the first stage of a pipeline, where what is not found is lost. It depends on how many relevant
    documents are known, so it favours systems that contributed to the pool.

    Formula: R@k = (1/R) Σ_{n≤k} x_n

    Source: van Rijsbergen 1979
    """

    proof = RANK_WEIGHTED


class F1(Share, called="F1"):
    """Harmonic mean of P@k and R@k: high only where both are. It is close to the smaller of the
    two.

    Formula: F1@k = 2 P@k R@k / (P@k + R@k)

    Source: van Rijsbergen 1979
    """

    cutoff: int = NEEDED_CUTOFF

    def unit(self, pools: Judged) -> ArrayLike:
        return (self.cutoff + pools.relevant(self.rel)) / 2


class Fallout(BinaryAtCutoff, OfNonrelevant, called="Fallout"):
    """Share of the documents judged not relevant that are in the first k ranks. Smaller is better;
    undefined where nothing was judged not relevant, which counts as 1 if anything was retrieved.
    An empty list has the best value, so read it beside recall.

    Formula: Fallout@k = #{n ≤ k: judged not relevant} / #{pool: judged not relevant}

    Source: van Rijsbergen 1979
    """

    needs_nonrelevant = True

    def score(self, judged: Judged) -> Floats:
        cutoff = judged.depth if self.cutoff is None else self.cutoff
        steps = np.diff(judged.judged, axis=-1, prepend=0)  # 1 where the document is judged
        shown = (steps * (judged.ranks <= cutoff)).sum(axis=-1)
        return ratio(shown - _found(judged, self.rel, cutoff), judged.not_relevant(self.rel))


class Rprec(Binary, called="Rprec"):
    """Precision after as many ranks as there are relevant documents, where precision and recall
    are equal. A perfect list scores 1 on every topic, unlike P@k.

    Formula: Rprec = (1/R) Σ_{n≤R} x_n

    Source: Buckley and Voorhees 2005
    """

    averages_ties = True

    def score(self, judged: Judged) -> Floats:
        total = judged.relevant(self.rel)
        return ratio((judged.hits(self.rel) * within(judged, total)).sum(axis=-1), total)

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        found = Sum("within", hits_of(top, self.rel), rank, None, lambda p: [p.relevant(self.rel)])
        return Sums((found,), lambda sums, pools: ratio(sums[0], pools.relevant(self.rel)))


ROUNDING = 1e-9  # of a recall level in documents


LEVELS = param(
    "exact",
    kind=one_of(RecallLevels),
    doc='"exact": recall is at least the level; "trec": the relevant documents that a level '
    "needs are rounded, as in trec_eval 10",
)


class Interpolated(Binary):
    """Base: the mean over recall levels of the highest precision at any rank with at least that
    recall.

    Source: Buckley and Voorhees 2005
    """

    levels: RecallLevels = LEVELS

    @property
    def recalls(self) -> tuple[float, ...]:
        """The recall levels."""
        return tuple(i / 10 for i in range(11))

    def score(self, judged: Judged) -> Floats:
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        met = np.cumsum(hits, axis=-1)
        precision = hits * met / judged.ranks
        best = [
            np.where(met >= self._needed(level, total)[..., None], precision, 0.0).max(axis=-1)
            for level in self.recalls
        ]
        return np.asarray(np.mean(best, axis=0))

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        def reached(level: float) -> Sum:
            needed = lambda pools: [self._needed(level, pools.relevant(self.rel))]  # noqa: E731
            return Sum("reached", hits_of(top, self.rel), 1 / rank, None, needed)

        parts = tuple(map(reached, self.recalls))
        return Sums(parts, lambda sums, _: np.asarray(sum(sums) / len(sums)))

    def _needed(self, level: float, total: Ints) -> Floats:
        """Return the relevant documents needed for a recall level."""
        if self.levels == "trec":
            return np.asarray(np.floor(level * total + 0.5))
        return np.asarray(np.ceil(level * total - ROUNDING))


class IPrec(Interpolated, called="IPrec"):
    """Interpolated precision: the highest precision at any rank where recall is at least the level
    after @. The points of a precision-recall curve; a single level is rarely a good summary.

    Formula: IPrec@r = max{P@n: Σ_{m≤n} x_m ≥ r R}, 0 where there is none
    """

    at = "recall"
    recall: float = required(kind=number, low=0, high=1, doc="recall level")

    @property
    def recalls(self) -> tuple[float, ...]:
        return (self.recall,)


class IPrec11(Interpolated, called="IPrec11"):
    """Mean of the interpolated precisions at recall 0, 0.1, ..., 1: the area under the
    precision-recall curve as it was reported before average precision.

    Formula: IPrec11 = (1/11) Σ_{i=0..10} IPrec@(i/10)
    """


class FirstHit(BinaryAtCutoff):
    """Base: what the rank of the first relevant document is worth."""

    averages_ties = True

    def worth(self, ranks: Floats) -> Floats:
        """Return what each rank is worth, the first one most."""
        raise NotImplementedError

    def score(self, judged: Judged) -> Floats:
        if judged.ties is not None:
            ranks, chance = first_hit_distribution(judged, judged.hits(self.rel))
            return np.asarray((chance * seen(ranks, self.cutoff) * self.worth(ranks)).sum(axis=-1))
        hits = judged.hits(self.rel, self.cutoff)
        return np.asarray((hits * self.worth(judged.ranks.astype(float))).max(axis=-1))

    def kernel(self, ranks: Floats, top: int) -> Kernel:
        return self.hits_kernel("best", self.worth(ranks), top)


class RR(FirstHit, called="RR"):
    """Reciprocal rank: one over the rank of the first relevant document. For tasks with one right
    answer, such as known items and question answering; its mean over topics is MRR. Everything
    after the first relevant document is ignored, so it varies a lot between topics.

    Formula: RR@k = 1 / min{n ≤ k: x_n = 1}, 0 where there is none

    Source: Voorhees 1999
    """

    def worth(self, ranks: Floats) -> Floats:
        return np.asarray(1 / ranks)


class Success(FirstHit, called="Success"):
    """1 if a relevant document is in the first k ranks, else 0. Its mean is the share of topics
    with at least one good result; also called hit rate.

    Formula: Success@k = max_{n≤k} x_n

    Source: Craswell and Hawking 2004
    """

    cutoff: int = NEEDED_CUTOFF

    def worth(self, ranks: Floats) -> Floats:
        return np.ones(ranks.shape)


class ESL(Measure, called="ESL"):
    """Search length: the number of documents that are not relevant, read before the `want`-th
    relevant one; undefined where fewer are retrieved, which counts as all that could have been
    read: the documents of the pool judged not relevant plus those retrieved. Smaller is better, in
    the unit of wasted documents.

    Formula: ESL = n - want, n: rank of the want-th relevant document

    Source: Cooper 1968
    """

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


class ESLSaving(Measure, called="ESLSaving"):
    """Search length saved against reading the pool in random order, as a share of it: 1 where
    nothing irrelevant is read, 0 where the list is no better than chance, negative if worse.
    A list that does not find enough counts the search length that `ESL` takes for it.

    Formula: ESLSaving = 1 - ESL (R + 1) / (want I), I: pool documents judged not relevant

    Source: Cooper 1968
    """

    low = -np.inf
    want: int = param(1, kind=integer, low=1, doc="relevant documents wanted")
    rel: int = REL

    def score(self, judged: Judged) -> Floats:
        length = ESL(want=self.want, rel=self.rel).filled(judged)
        others, relevant = judged.not_relevant(self.rel), judged.relevant(self.rel)
        saved = 1 - ratio(length * (relevant + 1), self.want * others)
        return np.where(relevant >= self.want, saved, np.nan)
