"""How soon relevant documents are found: the first one, or a wanted number."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

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
from hungjury.catalogue.ties import first_hit_distribution
from hungjury.collection.judged import Judged
from hungjury.parameters import integer, param, required

__all__ = ["ESL", "RR", "ESLSaving", "Success"]


@CATALOGUE.add("RR")
class RR(Measure):
    """One over the rank of the first relevant document."""

    paper: ClassVar[str] = "Voorhees 1999"
    formula: ClassVar[str] = "RR@k = 1 / min{n ≤ k: x_n = 1}, 0 where there is none"
    at: ClassVar[str] = "cutoff"
    averages_ties: ClassVar[bool] = True
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
    averages_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Array:
        if judged.ties is not None:
            rank, chance = first_hit_distribution(judged, judged.hits(self.rel))
            return np.asarray((chance * (rank <= self.cutoff)).sum(axis=-1))
        return judged.hits(self.rel, self.cutoff).any(axis=-1).astype(float)

    @rests_on("score", "defined")
    def kernel(self, ranks: Array, top: int) -> Kernel:
        weights = seen(ranks, self.cutoff)
        return Kernel("best", worth_of_hits(top, self.rel), weights)


@CATALOGUE.add("ESL")
class ESL(Measure):
    """Search length: documents that are not relevant, read before the `want`-th relevant one;
    undefined where fewer are retrieved, which counts as all that could have been read: the
    documents of the pool judged not relevant plus those retrieved. Smaller is better."""

    paper: ClassVar[str] = "Cooper 1968"
    formula: ClassVar[str] = "ESL = n - want, n: rank of the want-th relevant document"
    high: ClassVar[float] = np.inf
    smaller_is_better: ClassVar[bool] = True
    want: int = param(1, kind=integer, low=1, doc="relevant documents wanted")
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
    nothing irrelevant is read, 0 where the list is no better than chance, negative if worse.
    A list that does not find enough counts the search length that `ESL` takes for it."""

    paper: ClassVar[str] = "Cooper 1968"
    formula: ClassVar[str] = (
        "ESLSaving = 1 - ESL (R + 1) / (want I), I: pool documents judged not relevant"
    )
    low: ClassVar[float] = -np.inf
    want: int = param(1, kind=integer, low=1, doc="relevant documents wanted")
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        length = ESL(want=self.want, rel=self.rel).filled(judged)
        others, relevant = judged.not_relevant(self.rel), judged.relevant(self.rel)
        saved = 1 - ratio(length * (relevant + 1), self.want * others)
        return np.where(relevant >= self.want, saved, np.nan)
