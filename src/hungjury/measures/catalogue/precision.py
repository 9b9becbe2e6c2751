"""Precision and recall on binary relevance, at a cutoff or at levels of recall."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.parameters import integer, number, required
from hungjury.data.judged import Judged
from hungjury.measures.base import (
    CATALOGUE,
    Kernel,
    Measure,
    cutoff_param,
    ratio,
    rel_param,
    rests_on,
    seen,
    worth_of_hits,
)
from hungjury.measures.closed_forms import within

__all__ = ["F1", "Fallout", "IPrec", "IPrec11", "P", "R", "Rprec"]


def one_if_retrieved(judged: Judged) -> Floats:
    """[..., list]: the worst fallout, and 0 for lists that are empty."""
    return np.asarray(np.broadcast_to(judged.length > 0, judged.counts.shape[:-1]), dtype=float)


def _found(judged: Judged, rel: int, cutoff: int | None) -> Floats:
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
    averages_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Floats:
        return _found(judged, self.rel, self.cutoff) / self.cutoff

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        worth, weights = worth_of_hits(top, self.rel), seen(ranks, self.cutoff)
        return Kernel("gains", worth, weights, lambda _: self.cutoff)

    @rests_on("score", "defined", "average")
    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        from hungjury.measures.catalogue.expected import eRP

        if self.rel > 1:
            return super().for_probabilities(prob)
        return eRP(cutoff=self.cutoff, prob=prob)


@CATALOGUE.add("R")
class R(Measure):
    """Share of the relevant documents that is in the first k ranks."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "R@k = (1/R) Σ_{n≤k} x_n"
    at: ClassVar[str] = "cutoff"
    averages_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

    def score(self, judged: Judged) -> Floats:
        return ratio(_found(judged, self.rel, self.cutoff), judged.relevant(self.rel))

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        worth, weights = worth_of_hits(top, self.rel), seen(ranks, self.cutoff)
        return Kernel("gains", worth, weights, lambda pools: pools.relevant(self.rel))


@CATALOGUE.add("F1")
class F1(Measure):
    """Harmonic mean of P@k and R@k."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "F1@k = 2 P@k R@k / (P@k + R@k)"
    at: ClassVar[str] = "cutoff"
    averages_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Floats:
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
    needs_nonrelevant: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

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
class Rprec(Measure):
    """Precision after as many ranks as there are relevant documents."""

    paper: ClassVar[str] = "Buckley and Voorhees 2005"
    formula: ClassVar[str] = "Rprec = (1/R) Σ_{n≤R} x_n"
    averages_ties: ClassVar[bool] = True
    rel: int = rel_param()

    def score(self, judged: Judged) -> Floats:
        total = judged.relevant(self.rel)
        return ratio((judged.hits(self.rel) * within(judged, total)).sum(axis=-1), total)


def _needed(level: float, total: NDArray[np.int64]) -> Floats:
    """Relevant documents needed for a recall level, as trec_eval 10 rounds."""
    return np.asarray(np.floor(level * total + 0.5))


def _interpolated(judged: Judged, rel: int, levels: tuple[float, ...]) -> Floats:
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

    def score(self, judged: Judged) -> Floats:
        return _interpolated(judged, self.rel, (self.recall,))[..., 0]


@CATALOGUE.add("IPrec11")
class IPrec11(Measure):
    """Mean of the interpolated precisions at recall 0, 0.1, ..., 1."""

    paper: ClassVar[str] = "Buckley and Voorhees 2005"
    formula: ClassVar[str] = "IPrec11 = (1/11) Σ_{i=0..10} IPrec@(i/10)"
    rel: int = rel_param()

    def score(self, judged: Judged) -> Floats:
        levels = tuple(i / 10 for i in range(11))
        return np.asarray(_interpolated(judged, self.rel, levels).mean(axis=-1))
