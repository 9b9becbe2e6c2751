"""Measures of the retrieved set, and plain counts."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue.base import CATALOGUE, Array, Measure, ratio, rel_param
from hungjury.catalogue.precision import one_if_retrieved
from hungjury.collection.judged import Judged
from hungjury.parameters import number, param

__all__ = [
    "NumNonrelJudgedRet", "NumQ", "NumRel", "NumRelRet", "NumRet", "SetF", "SetFallout", "SetP",
    "SetR",
]  # fmt: skip


class OfTheSet(Measure):
    """Base of measures that do not depend on ranks."""

    averages_ties: ClassVar[bool] = True


@CATALOGUE.add("SetP")
class SetP(OfTheSet):
    """Share of the retrieved documents that is relevant."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "SetP = Σ_n x_n / N"
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        return np.nan_to_num(ratio(judged.hits(self.rel).sum(axis=-1), judged.length))


@CATALOGUE.add("SetR")
class SetR(OfTheSet):
    """Share of the relevant documents that is retrieved."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "SetR = Σ_n x_n / R"
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        return ratio(judged.hits(self.rel).sum(axis=-1), judged.relevant(self.rel))


@CATALOGUE.add("SetF")
class SetF(OfTheSet):
    """(beta + 1) P R / (beta P + R) of the retrieved set, as in trec_eval: beta is not squared."""

    paper: ClassVar[str] = "van Rijsbergen 1979, beta as in trec_eval"
    formula: ClassVar[str] = "SetF = (beta + 1) SetP SetR / (beta SetP + SetR)"
    beta: float = param(1.0, kind=number, low=0, doc="weight of recall against precision")
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        precision = SetP(rel=self.rel).score(judged)
        recall = SetR(rel=self.rel).score(judged)
        above = (self.beta + 1) * precision * recall
        value = np.nan_to_num(ratio(above, self.beta * precision + recall))
        return np.where(np.isnan(recall), np.nan, value)


@CATALOGUE.add("SetFallout")
class SetFallout(OfTheSet):
    """Share of the documents judged not relevant that is retrieved. Smaller is better; undefined
    where nothing was judged not relevant, which counts as 1 if anything was retrieved."""

    paper: ClassVar[str] = "van Rijsbergen 1979"
    formula: ClassVar[str] = "SetFallout = #{n: judged not relevant} / #{pool: judged not relevant}"
    smaller_is_better: ClassVar[bool] = True
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        seen = judged.judged_length - judged.hits(self.rel).sum(axis=-1)
        return ratio(seen, judged.not_relevant(self.rel))

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        return judged.not_relevant(self.rel) > 0

    def where_undefined(self, judged: Judged) -> Array:
        return one_if_retrieved(judged)


class Count(OfTheSet):
    """Base of plain counts, which are added up over topics."""

    high: ClassVar[float] = np.inf
    average: ClassVar[str] = "sum"

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        return np.ones(judged.counts.shape[:-1], dtype=bool)


@CATALOGUE.add("NumQ")
class NumQ(Count):
    """Topics scored."""

    paper: ClassVar[str] = "trec_eval"
    formula: ClassVar[str] = "NumQ = 1, added up over topics"

    def score(self, judged: Judged) -> Array:
        return np.ones(judged.counts.shape[:-1])


@CATALOGUE.add("NumRet")
class NumRet(Count):
    """Documents retrieved."""

    paper: ClassVar[str] = "trec_eval"
    formula: ClassVar[str] = "NumRet = N, added up over topics"

    def score(self, judged: Judged) -> Array:
        return np.array(np.broadcast_to(judged.length, judged.counts.shape[:-1]), dtype=float)


@CATALOGUE.add("NumRel")
class NumRel(Count):
    """Relevant documents in the pool."""

    paper: ClassVar[str] = "trec_eval"
    formula: ClassVar[str] = "NumRel = R, added up over topics"
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        return judged.relevant(self.rel).astype(float)


@CATALOGUE.add("NumRelRet")
class NumRelRet(Count):
    """Relevant documents retrieved."""

    paper: ClassVar[str] = "trec_eval"
    formula: ClassVar[str] = "NumRelRet = Σ_n x_n, added up over topics"
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        return np.asarray(judged.hits(self.rel).sum(axis=-1), dtype=float)


@CATALOGUE.add("NumNonrelJudgedRet")
class NumNonrelJudgedRet(Count):
    """Documents retrieved that were judged not relevant."""

    paper: ClassVar[str] = "trec_eval"
    formula: ClassVar[str] = "NumNonrelJudgedRet = #{n: judged not relevant}, added up over topics"
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        return np.asarray(judged.judged_length - judged.hits(self.rel).sum(axis=-1), dtype=float)
