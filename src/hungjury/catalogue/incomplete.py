"""Measures that distinguish unjudged documents from those judged not relevant."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue.base import CATALOGUE, Array, Measure, cutoff_param, ratio, rel_param
from hungjury.collection.judged import Judged

__all__ = ["Bpref", "infAP"]


@CATALOGUE.add("Bpref")
class Bpref(Measure):
    """How often relevant documents are ranked above documents judged not relevant; unjudged
    documents do not matter."""

    paper: ClassVar[str] = "Buckley and Voorhees 2004, as in trec_eval"
    formula: ClassVar[str] = (
        "Bpref = (1/R) Σ_n x_n (1 - min(a_n, R) / min(R, R0)), a_n: documents above rank n "
        "that are judged not relevant; R0: those in the pool"
    )
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        worse = judged.judged - np.cumsum(hits, axis=-1)  # judged not relevant, ranked above
        bound = np.minimum(total, judged.not_relevant(self.rel))[..., None]
        lost = np.minimum(worse, total[..., None]) / np.maximum(bound, 1)
        each = hits * (1 - np.where(worse > 0, lost, 0.0))
        # Added up in rank order, as trec_eval does: halves in the fifth decimal round as there.
        return ratio(np.cumsum(each, axis=-1)[..., -1], total)


@CATALOGUE.add("infAP")
class infAP(Measure):  # noqa: N801 - the field's name
    """Average precision inferred from a pool of which only a random part was judged (negative
    labels: pooled, not judged)."""

    paper: ClassVar[str] = "Yilmaz and Aslam 2006, as in trec_eval"
    formula: ClassVar[str] = (
        "infAP = (1/R) Σ_n x_n [1/n + (c_n/n) (r_n + ε) / (j_n + 2ε)], c_n, j_n, r_n: "
        "documents above rank n in the pool, judged, relevant; ε = 0.00001"
    )
    rel: int = rel_param()

    def score(self, judged: Judged) -> Array:
        epsilon = 0.00001
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        relevant_above = np.cumsum(hits, axis=-1) - 1
        judged_above, pooled_above = judged.judged - 1, judged.pooled - 1
        rate = (relevant_above + epsilon) / (judged_above + 2 * epsilon)
        inferred = 1 / judged.ranks + pooled_above / judged.ranks * rate
        return ratio(np.where(hits, inferred, 0.0).sum(axis=-1), total)


@CATALOGUE.add("Judged")
class Judgedness(Measure):
    """Share of the first k documents that were judged."""

    paper: ClassVar[str] = "ir_measures"
    formula: ClassVar[str] = "Judged@k = #{n ≤ k: judged} / min(k, N)"
    at: ClassVar[str] = "cutoff"
    needs_nonrelevant: ClassVar[bool] = True
    cutoff: int | None = cutoff_param()

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        return np.ones(judged.counts.shape[:-1], dtype=bool)

    def score(self, judged: Judged) -> Array:
        if self.cutoff is None:
            return np.nan_to_num(ratio(judged.judged_length, judged.length))
        steps = np.diff(judged.judged, axis=-1, prepend=0)
        seen = (steps * (judged.ranks <= self.cutoff)).sum(axis=-1)
        return np.nan_to_num(ratio(seen, np.minimum(judged.length, self.cutoff)))
