"""Measures of the retrieved set, plain counts, and measures for incomplete judgments."""

from __future__ import annotations

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.parameters import flag, integer, number, param
from hungjury.data.judged import Judged
from hungjury.measures.base import CUTOFF, REL, Binary, BinaryAtCutoff, Measure, Sum, Sums, ratio
from hungjury.measures.catalogue.precision import OfNonrelevant

__all__ = [
    "Accuracy",
    "Bpref",
    "Compat",
    "NumNonrelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "SetAP",
    "SetF",
    "SetFallout",
    "SetP",
    "SetR",
    "infAP",
]


class OfTheSet(Measure):
    """Base of measures that do not depend on ranks."""

    averages_ties = True


class SetP(Binary, OfTheSet, called="SetP"):
    """Share of the retrieved documents that are relevant: precision of the whole list, for systems
    that return a set rather than a ranking.

    Formula: SetP = Σ_n x_n / N; relative: / min(N, R)

    Source: van Rijsbergen 1979
    """

    relative: bool = param(False, kind=flag, doc="divide by what could be reached, min(N, R)")

    def score(self, judged: Judged) -> Floats:
        size = judged.length
        if self.relative:
            size = np.minimum(size, judged.relevant(self.rel))
        return np.nan_to_num(ratio(judged.hits(self.rel).sum(axis=-1), size))


class SetAP(Binary, OfTheSet, called="SetAP"):
    """Precision times recall of the whole list: average precision of a set without ranks.

    Formula: SetAP = SetP SetR

    Source: trec_eval
    """

    def score(self, judged: Judged) -> Floats:
        return SetP(rel=self.rel).score(judged) * SetR(rel=self.rel).score(judged)


class SetR(Binary, OfTheSet, called="SetR"):
    """Share of the relevant documents that are retrieved: recall of the whole list, for systems
    that return a set rather than a ranking.

    Formula: SetR = Σ_n x_n / R

    Source: van Rijsbergen 1979
    """

    def score(self, judged: Judged) -> Floats:
        return ratio(judged.hits(self.rel).sum(axis=-1), judged.relevant(self.rel))


class SetF(OfTheSet, called="SetF"):
    """F of the retrieved set: (beta + 1) P R / (beta P + R), as in trec_eval, where beta is not
    squared. Larger beta gives more weight to recall.

    Formula: SetF = (beta + 1) SetP SetR / (beta SetP + SetR)

    Source: van Rijsbergen 1979, beta as in trec_eval
    """

    beta: float = param(1.0, kind=number, low=0, doc="weight of recall against precision")
    rel: int = REL

    def score(self, judged: Judged) -> Floats:
        precision, recall = (one(rel=self.rel).score(judged) for one in (SetP, SetR))
        above = (self.beta + 1) * precision * recall
        value = np.nan_to_num(ratio(above, self.beta * precision + recall))
        return np.where(np.isnan(recall), np.nan, value)


class SetFallout(OfNonrelevant, OfTheSet, called="SetFallout"):
    """Share of the documents judged not relevant that are retrieved. Smaller is better; undefined
    where nothing was judged not relevant, which counts as 1 if anything was retrieved.

    Formula: SetFallout = #{n: judged not relevant} / #{pool: judged not relevant}

    Source: van Rijsbergen 1979
    """

    def score(self, judged: Judged) -> Floats:
        seen = judged.judged_length - judged.hits(self.rel).sum(axis=-1)
        return ratio(seen, judged.not_relevant(self.rel))


class Count(OfTheSet):
    """Base of plain counts, which are added up over topics.

    Source: trec_eval
    """

    high = np.inf
    average = "sum"
    always_defined = True


class NumQ(Count, called="NumQ"):
    """Number of topics scored. A count, added up over topics.

    Formula: NumQ = 1, added up over topics
    """

    def score(self, judged: Judged) -> Floats:
        return np.ones(judged.counts.shape[:-1])


class NumRet(Count, called="NumRet"):
    """Number of documents retrieved, or of relevant ones. A count, added up over topics.

    Formula: NumRet = N, added up over topics; with rel: Σ_n x_n
    """

    rel: int | None = param(None, kind=integer, low=1, doc="count only grades from this one up")

    def score(self, judged: Judged) -> Floats:
        if self.rel is not None:
            return NumRelRet(rel=self.rel).score(judged)
        return np.array(np.broadcast_to(judged.length, judged.counts.shape[:-1]), dtype=float)


class NumRel(Binary, Count, called="NumRel"):
    """Number of relevant documents in the pool. A count, added up over topics.

    Formula: NumRel = R, added up over topics
    """

    def score(self, judged: Judged) -> Floats:
        return judged.relevant(self.rel).astype(float)


class NumRelRet(Binary, Count, called="NumRelRet"):
    """Number of relevant documents retrieved. A count, added up over topics.

    Formula: NumRelRet = Σ_n x_n, added up over topics
    """

    def score(self, judged: Judged) -> Floats:
        return np.asarray(judged.hits(self.rel).sum(axis=-1), dtype=float)


class NumNonrelJudgedRet(Binary, Count, called="NumNonrelJudgedRet"):
    """Number of retrieved documents judged not relevant. A count, added up over topics.

    Formula: NumNonrelJudgedRet = #{n: judged not relevant}, added up over topics
    """

    def score(self, judged: Judged) -> Floats:
        return np.asarray(judged.judged_length - judged.hits(self.rel).sum(axis=-1), dtype=float)


def _for_or_against(top: int, rel: int) -> Floats:
    """By grade as in `Sum`: 1 for relevant documents, -1 for others that were judged."""
    return np.append(np.where(np.arange(top + 1) >= rel, 1.0, -1.0), 0.0)


class Bpref(Binary, called="Bpref"):
    """How often relevant documents are ranked above documents judged not relevant; unjudged
    documents do not matter. Use it where many retrieved documents were not judged and cannot
    safely count as not relevant. It needs documents that were judged not relevant.

    Formula: Bpref = (1/R) Σ_n x_n (1 - min(a_n, R) / min(R, R0)), a_n: documents above rank n that
    are judged not relevant; R0: those in the pool

    Source: Buckley and Voorhees 2004, as in trec_eval
    """

    def score(self, judged: Judged) -> Floats:
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        worse = judged.judged - np.cumsum(hits, axis=-1)  # judged not relevant, ranked above
        bound = np.minimum(total, judged.not_relevant(self.rel))[..., None]
        lost = np.minimum(worse, total[..., None]) / np.maximum(bound, 1)
        each = hits * (1 - np.where(worse > 0, lost, 0.0))
        # Added up in rank order, as trec_eval does: halves in the fifth decimal round as there.
        return ratio(np.cumsum(each, axis=-1)[..., -1], total)

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        def levels(pools: Judged) -> list[Ints]:
            total = pools.relevant(self.rel)
            return [total, np.maximum(np.minimum(total, pools.not_relevant(self.rel)), 1)]

        preferred = Sum("preferences", _for_or_against(top, self.rel), rank, None, levels)
        return Sums((preferred,), lambda sums, pools: ratio(sums[0], pools.relevant(self.rel)))


EPSILON = 0.00001  # of infAP


class infAP(Binary, called="infAP"):  # noqa: N801 - the field's name
    """Average precision inferred from a pool of which only a random part was judged (negative
    labels: pooled, not judged). An estimate of AP on the fully judged pool; with a fully judged
    pool it is AP, up to a small smoothing term.

    Formula: infAP = (1/R) Σ_n x_n [1/n + (c_n/n) (r_n + ε) / (j_n + 2ε)], c_n, j_n, r_n: documents
    above rank n in the pool, judged, relevant; ε = 0.00001

    Source: Yilmaz and Aslam 2006, as in trec_eval
    """

    def score(self, judged: Judged) -> Floats:
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        relevant_above = np.cumsum(hits, axis=-1) - 1
        judged_above, pooled_above = judged.judged - 1, judged.pooled - 1
        rate = (relevant_above + EPSILON) / (judged_above + 2 * EPSILON)
        inferred = 1 / judged.ranks + pooled_above / judged.ranks * rate
        return ratio(np.where(hits, inferred, 0.0).sum(axis=-1), total)

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        worth, pooled = _for_or_against(top, self.rel), np.ones(top + 2)
        inferred = Sum("inferred", worth, 1 / rank, pooled, lambda _: [EPSILON])
        return Sums((inferred,), lambda sums, pools: ratio(sums[0], pools.relevant(self.rel)))


class Accuracy(BinaryAtCutoff, called="Accuracy"):
    """Probability that a relevant document of the list is ranked before one that is not relevant.
    Unretrieved documents do not count, so use it to check a ranker during training rather than to
    compare systems. 0 for a list without relevant documents, 1 for one with nothing else.

    Formula: Accuracy@k = #{m < n ≤ k: x_m = 1, x_n = 0} / (#{x = 1} #{x = 0})

    Source: ir_measures
    """

    def score(self, judged: Judged) -> Floats:
        hits = judged.hits(self.rel, self.cutoff)
        shown = judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)
        good = hits.sum(axis=-1)
        bad = shown - good
        before = judged.ranks - np.cumsum(hits, axis=-1)  # not relevant, above a relevant one
        below = np.where(hits, bad[..., None] - before, 0).sum(axis=-1)
        return np.where(bad > 0, np.nan_to_num(ratio(below, good * bad)), good > 0)


class Compat(Measure, called="Compat"):
    """Compatibility: rank-biased overlap of the list with the ideal list that is most like it,
    divided by the largest that is possible. Grades only order documents; equal ones may come in
    any order.

    Formula: Compat = RBO(list, ideal) / RBO(ideal, ideal), to the depth of the longer list

    Source: Clarke, Vtyurina and Smucker 2021
    """

    p: float = param(0.95, kind=number, low=0, high=1, open_high=True, doc="persistence")
    normalize: bool = param(True, kind=flag, doc="divide by the overlap of the ideal with itself")

    def score(self, judged: Judged) -> Floats:
        labels, relevant = judged.labels, judged.relevant(1)
        depth = np.maximum(judged.length, relevant)
        met = np.ones(np.broadcast_shapes(labels.shape, judged.ranks.shape), dtype=np.int64)
        for grade in np.unique(labels[labels > 0]).tolist():
            # Retrieved documents come first within a grade, in the order of the list.
            alike = labels == grade
            place = judged.relevant(grade + 1)[..., None] + np.cumsum(alike, axis=-1)
            met = np.where(alike, np.maximum(judged.ranks, place), met)  # in both from here on
        n = np.arange(1, int(depth.max(initial=0)) + 1)
        weight = self.p ** (n - 1.0)
        below = np.append(np.cumsum((weight / n)[::-1])[::-1], 0.0)
        above = np.insert(np.cumsum(weight), 0, 0.0)
        shared = np.where(labels > 0, below[met - 1] - below[depth][..., None], 0.0).sum(axis=-1)
        best = above[relevant] + relevant * (below[relevant] - below[depth])
        return ratio(shared, (best if self.normalize else above[depth]) * (relevant > 0))


class Judgedness(Measure, called="Judged"):
    """Share of the first k documents that were judged. It says nothing about relevance, but how far
    to trust the other measures: where it is low, scores depend on how unjudged documents count.

    Formula: Judged@k = #{n ≤ k: judged} / min(k, N)

    Source: ir_measures
    """

    at = "cutoff"
    needs_nonrelevant = True
    always_defined = True
    cutoff: int | None = CUTOFF

    def score(self, judged: Judged) -> Floats:
        if self.cutoff is None:
            return np.nan_to_num(ratio(judged.judged_length, judged.length))
        steps = np.diff(judged.judged, axis=-1, prepend=0)
        seen = (steps * (judged.ranks <= self.cutoff)).sum(axis=-1)
        return np.nan_to_num(ratio(seen, np.minimum(judged.length, self.cutoff)))
