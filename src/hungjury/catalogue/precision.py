"""Measures of precision and recall on binary relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue.base import (
    CATALOGUE,
    Array,
    Measure,
    cutoff_param,
    ratio,
    rel_param,
    rests_on,
)
from hungjury.catalogue.kernels import Kernel, seen, worth_of_hits
from hungjury.catalogue.ties import expected_precision_sum, first_hit_distribution, within
from hungjury.collection.judged import Judged
from hungjury.named import number, numbers, one_of, param, required, whole

if TYPE_CHECKING:
    from hungjury.catalogue.closed_forms import Form
    from hungjury.collection.align import Alignment
    from hungjury.collection.qrels import Qrels

__all__ = [
    "AP",
    "ESL",
    "F1",
    "GMAP",
    "NCP",
    "RR",
    "ESLSaving",
    "Fallout",
    "IPrec",
    "IPrec11",
    "P",
    "R",
    "Rprec",
    "Success",
]  # fmt: skip


def one_if_retrieved(judged: Judged) -> Array:
    """[..., list]: the worst fallout, and 0 for lists that are empty."""
    return np.asarray(np.broadcast_to(judged.length > 0, judged.counts.shape[:-1]), dtype=float)


def _found(judged: Judged, rel: int, cutoff: int | None) -> Array:
    """[..., list]: relevant documents in the first `cutoff` ranks (their mean number in ties)."""
    hits = judged.hits(rel)
    if cutoff is None:
        return np.asarray(hits.sum(axis=-1, dtype=float))
    return np.asarray((hits * within(judged, cutoff)).sum(axis=-1))


@CATALOGUE.add("P")
class P(Measure):
    """Share of the first k ranks that holds a relevant document; a shorter list counts as
    followed by documents that are not relevant."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "P@k = (1/k) Σ_{n≤k} x_n"
    at: ClassVar[str] = "cutoff"
    in_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int = required(kind=whole, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Array:
        return _found(judged, self.rel, self.cutoff) / self.cutoff

    @rests_on("score", "defined")
    def kernel(self, ranks: Array, top: int) -> Kernel:
        worth, weights = worth_of_hits(top, self.rel), seen(ranks, self.cutoff)
        return Kernel("gains", worth, weights, lambda _: self.cutoff)

    @rests_on("score", "defined", "average")
    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        from hungjury.catalogue.expected import eRP

        if self.rel > 1:
            return super().for_probabilities(prob)
        return eRP(cutoff=self.cutoff, prob=prob)


@CATALOGUE.add("R")
class R(Measure):
    """Share of the relevant documents that is in the first k ranks."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "R@k = (1/R) Σ_{n≤k} x_n"
    at: ClassVar[str] = "cutoff"
    in_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

    def score(self, judged: Judged) -> Array:
        return ratio(_found(judged, self.rel, self.cutoff), judged.relevant(self.rel))

    @rests_on("score", "defined")
    def kernel(self, ranks: Array, top: int) -> Kernel:
        worth, weights = worth_of_hits(top, self.rel), seen(ranks, self.cutoff)
        return Kernel("gains", worth, weights, lambda pools: pools.relevant(self.rel))


@CATALOGUE.add("F1")
class F1(Measure):
    """Harmonic mean of P@k and R@k."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "F1@k = 2 P@k R@k / (P@k + R@k)"
    at: ClassVar[str] = "cutoff"
    in_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int = required(kind=whole, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Array:
        total = judged.relevant(self.rel)
        both = ratio(2 * _found(judged, self.rel, self.cutoff), self.cutoff + total)
        return np.where(total > 0, both, np.nan)


@CATALOGUE.add("Fallout")
class Fallout(Measure):
    """Share of the documents judged not relevant that is in the first k ranks. Smaller is better;
    undefined where nothing was judged not relevant, which counts as 1 if anything was retrieved.
    """

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = (
        "Fallout@k = #{n ≤ k: judged not relevant} / #{pool: judged not relevant}"
    )
    at: ClassVar[str] = "cutoff"
    smaller_is_better: ClassVar[bool] = True
    every: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

    def score(self, judged: Judged) -> Array:
        cutoff = judged.depth if self.cutoff is None else self.cutoff
        steps = np.diff(judged.judged, axis=-1, prepend=0)  # 1 where the document is judged
        seen = (steps * (judged.ranks <= cutoff)).sum(axis=-1)
        return ratio(seen - _found(judged, self.rel, cutoff), judged.not_relevant(self.rel))

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        return judged.not_relevant(self.rel) > 0

    def where_undefined(self, judged: Judged) -> Array:
        return one_if_retrieved(judged)


@CATALOGUE.add("Rprec")
class Rprec(Measure):
    """Precision after as many ranks as there are relevant documents."""

    paper: ClassVar[str] = "Buckley and Voorhees 2005"
    formula: ClassVar[str] = "Rprec = (1/R) Σ_{n≤R} x_n"
    in_ties: ClassVar[bool] = True
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        total = judged.relevant(self.rel)
        return ratio((judged.hits(self.rel) * within(judged, total)).sum(axis=-1), total)


def precision_sum(judged: Judged, rel: int, cutoff: int | None) -> Array:
    """[..., list]: precisions at the ranks of relevant documents, added up."""
    if judged.ties is not None:
        return expected_precision_sum(judged, judged.hits(rel), cutoff)
    hits = judged.hits(rel, cutoff)
    return np.asarray((hits * np.cumsum(hits, axis=-1) / judged.ranks).sum(axis=-1))


@CATALOGUE.add("AP")
class AP(Measure):
    """Average precision: the mean over all relevant documents of the precision at their rank,
    0 for those not retrieved."""

    paper: ClassVar[str] = "Buckley and Voorhees 2005"
    proof: ClassVar[str] = (
        "thesis, section 3.4.1; its inequality for Swap is misprinted, the property holds"
    )
    formula: ClassVar[str] = "AP@k = (1/R) Σ_{n≤k} x_n P@n"
    at: ClassVar[str] = "cutoff"
    in_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

    def score(self, judged: Judged) -> Array:
        return ratio(precision_sum(judged, self.rel, self.cutoff), judged.relevant(self.rel))

    @rests_on("score", "defined")
    def kernel(self, ranks: Array, top: int) -> Kernel:
        worth, weights = worth_of_hits(top, self.rel), seen(ranks, self.cutoff) / ranks
        return Kernel("precisions", worth, weights, lambda pools: pools.relevant(self.rel))

    @rests_on("score", "defined", "average")
    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        from hungjury.catalogue.expected import eRAP

        if self.rel > 1:
            return super().for_probabilities(prob)
        return eRAP(cutoff=self.cutoff, prob=prob)

    @rests_on("score", "defined", "average")
    def exact_expectation(self, aligned: Alignment, qrels: Qrels, condensed: bool) -> Array:
        from hungjury.catalogue.exact_ap import expected_ap

        return expected_ap(aligned, qrels, self.rel, self.cutoff, condensed)

    @rests_on("score", "defined")
    def balancing_form(self, low: int, top: int) -> Form:
        from hungjury.catalogue.closed_forms import cut, of_precisions

        return cut(of_precisions(self.rel <= low), self.cutoff)


@CATALOGUE.add("GMAP")
class GMAP(AP):
    """AP averaged over topics by the geometric mean, values below 0.00001 taken as that."""

    paper: ClassVar[str] = "Robertson 2006"
    formula: ClassVar[str] = "GMAP = exp(mean over topics of ln max(AP, 0.00001))"
    average: ClassVar[str] = "gmean"


@CATALOGUE.add("NCP")
class NCP(Measure):
    """Normalised cumulative precision: the precision expected by a user who stops at a relevant
    document, counted in rank order; with `uniform` this is AP. Documents not retrieved have
    precision 0."""

    paper: ClassVar[str] = "Robertson 2008"
    formula: ClassVar[str] = (
        "NCP = Σ_{i≤R} w_i P@n_i / Σ_{i≤R} w_i, n_i: rank of the i-th relevant document; w_i: "
        "1 (uniform), p^(i-1) (geometric) or given"
    )
    stop: str = param(
        "uniform",
        kind=one_of("uniform", "geometric"),
        doc="distribution of the relevant document at which the user stops",
    )
    p: float = param(
        0.8, kind=number, low=0, high=1, open_low=True, doc="ratio of the geometric distribution"
    )
    weights: tuple[float, ...] | None = param(
        None, kind=numbers, low=0, doc="weights of the first, second, ... relevant document"
    )
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        met = np.cumsum(hits, axis=-1)
        stop = self._stopping(int(total.max(initial=1)))
        value = (hits * stop[met] * met / judged.ranks).sum(axis=-1)
        return ratio(value, np.cumsum(stop)[total])

    def _stopping(self, most: int) -> Array:
        """0, then the weights of the first ... `most`-th relevant document."""
        if self.weights is not None:
            given = np.array(self.weights[:most])
            tail = np.pad(given, (0, most - len(given)))
        elif self.stop == "geometric":
            tail = self.p ** np.arange(most)
        else:
            tail = np.ones(most)
        return np.concatenate([[0.0], tail])


@CATALOGUE.add("RR")
class RR(Measure):
    """One over the rank of the first relevant document."""

    paper: ClassVar[str] = "Voorhees 1999"
    formula: ClassVar[str] = "RR@k = 1 / min{n ≤ k: x_n = 1}, 0 where there is none"
    at: ClassVar[str] = "cutoff"
    in_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

    def score(self, judged: Judged) -> Array:
        if judged.ties is not None:
            rank, chance = first_hit_distribution(judged, judged.hits(self.rel))
            limit = np.inf if self.cutoff is None else self.cutoff
            return np.asarray((chance * (rank <= limit) / rank).sum(axis=-1))
        hits = judged.hits(self.rel, self.cutoff)
        return np.asarray((hits / judged.ranks).max(axis=-1))

    @rests_on("score", "defined")
    def kernel(self, ranks: Array, top: int) -> Kernel:
        weights = seen(ranks, self.cutoff) / ranks
        return Kernel("best", worth_of_hits(top, self.rel), weights)


@CATALOGUE.add("Success")
class Success(Measure):
    """1 if a relevant document is in the first k ranks."""

    paper: ClassVar[str] = "Craswell and Hawking 2004"
    formula: ClassVar[str] = "Success@k = max_{n≤k} x_n"
    at: ClassVar[str] = "cutoff"
    in_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int = required(kind=whole, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Array:
        if judged.ties is not None:
            rank, chance = first_hit_distribution(judged, judged.hits(self.rel))
            return np.asarray((chance * (rank <= self.cutoff)).sum(axis=-1))
        return judged.hits(self.rel, self.cutoff).any(axis=-1).astype(float)

    @rests_on("score", "defined")
    def kernel(self, ranks: Array, top: int) -> Kernel:
        weights = seen(ranks, self.cutoff)
        return Kernel("best", worth_of_hits(top, self.rel), weights)


def _needed(level: float, total: NDArray[np.int64]) -> Array:
    """Relevant documents needed for a recall level, as trec_eval 10 rounds."""
    return np.asarray(np.floor(level * total + 0.5))


def _interpolated(judged: Judged, rel: int, levels: tuple[float, ...]) -> Array:
    """[..., list, level]: highest precision at any rank with at least that recall."""
    hits, total = judged.hits(rel), judged.relevant(rel)
    met = np.cumsum(hits, axis=-1)
    precision = hits * met / judged.ranks
    best = [
        np.where(met >= _needed(level, total)[..., None], precision, 0.0).max(axis=-1)
        for level in levels
    ]
    return np.where((total > 0)[..., None], np.stack(best, axis=-1), np.nan)


@CATALOGUE.add("IPrec")
class IPrec(Measure):
    """Interpolated precision: the highest precision at any rank where recall is at least the level
    after @."""

    paper: ClassVar[str] = "Buckley and Voorhees 2005"
    formula: ClassVar[str] = "IPrec@r = max{P@n: Σ_{m≤n} x_m ≥ round(r R)}, 0 where there is none"
    at: ClassVar[str] = "recall"
    rel: int = rel_param()
    recall: float = required(kind=number, low=0, high=1, doc="recall level")

    def score(self, judged: Judged) -> Array:
        return _interpolated(judged, self.rel, (self.recall,))[..., 0]


@CATALOGUE.add("IPrec11")
class IPrec11(Measure):
    """Mean of the interpolated precisions at recall 0, 0.1, ..., 1."""

    paper: ClassVar[str] = "Buckley and Voorhees 2005"
    formula: ClassVar[str] = "IPrec11 = (1/11) Σ_{i=0..10} IPrec@(i/10)"
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        levels = tuple(i / 10 for i in range(11))
        return np.asarray(_interpolated(judged, self.rel, levels).mean(axis=-1))


@CATALOGUE.add("ESL")
class ESL(Measure):
    """Search length: documents that are not relevant, read before the `want`-th relevant one;
    undefined where fewer are retrieved, which counts as all that could have been read: the
    documents of the pool judged not relevant plus those retrieved. Smaller is better."""

    paper: ClassVar[str] = "Cooper 1968"
    formula: ClassVar[str] = "ESL = n - want, n: rank of the want-th relevant document"
    high: ClassVar[float] = np.inf
    smaller_is_better: ClassVar[bool] = True
    want: int = param(1, kind=whole, low=1, doc="relevant documents wanted")
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        hits = judged.hits(self.rel)
        at = hits & (np.cumsum(hits, axis=-1) == self.want)
        rank = np.broadcast_to(judged.ranks, at.shape)
        length = np.where(at, rank, 0).sum(axis=-1) - self.want
        return np.where(at.any(axis=-1), length, np.nan)

    def where_undefined(self, judged: Judged) -> Array:
        return np.asarray(judged.not_relevant(self.rel) + judged.length, dtype=float)


@CATALOGUE.add("ESLSaving")
class ESLSaving(Measure):
    """Search length saved against reading the pool in random order, as a share of it: 1 where
    nothing is read in vain, 0 where the list is no better than chance, negative where it is worse.
    A list that does not find enough counts the search length that `ESL` takes for it."""

    paper: ClassVar[str] = "Cooper 1968"
    formula: ClassVar[str] = (
        "ESLSaving = 1 - ESL (R + 1) / (want I), I: pool documents judged not relevant"
    )
    low: ClassVar[float] = -np.inf
    want: int = param(1, kind=whole, low=1, doc="relevant documents wanted")
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        length = ESL(want=self.want, rel=self.rel).filled(judged)
        others, relevant = judged.not_relevant(self.rel), judged.relevant(self.rel)
        saved = 1 - ratio(length * (relevant + 1), self.want * others)
        return np.where(relevant >= self.want, saved, np.nan)
