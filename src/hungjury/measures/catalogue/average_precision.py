"""Average precision and its relatives: precision at the ranks of relevant documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.parameters import number, numbers, one_of, param
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
from hungjury.measures.closed_forms import expected_precision_sum

if TYPE_CHECKING:
    from hungjury.data.alignment import Alignment
    from hungjury.data.qrels import Qrels
    from hungjury.measures.closed_forms import Form

__all__ = ["AP", "GMAP", "NCP"]

StopDistribution = Literal["uniform", "geometric"]


def precision_sum(judged: Judged, rel: int, cutoff: int | None) -> Floats:
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
    proof: ClassVar[str] = "thesis, section 3.4.1; docs/papers.md corrects a step of Swap"
    formula: ClassVar[str] = "AP@k = (1/R) Σ_{n≤k} x_n P@n"
    at: ClassVar[str] = "cutoff"
    averages_ties: ClassVar[bool] = True
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

    def score(self, judged: Judged) -> Floats:
        return ratio(precision_sum(judged, self.rel, self.cutoff), judged.relevant(self.rel))

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        worth, weights = worth_of_hits(top, self.rel), seen(ranks, self.cutoff) / ranks
        return Kernel("precisions", worth, weights, lambda pools: pools.relevant(self.rel))

    @rests_on("score", "defined", "average")
    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        from hungjury.measures.catalogue.expected import eRAP

        if self.rel > 1:
            return super().for_probabilities(prob)
        return eRAP(cutoff=self.cutoff, prob=prob)

    @rests_on("score", "defined", "average")
    def exact_expectation(self, aligned: Alignment, qrels: Qrels, condensed: bool) -> Floats:
        from hungjury.measures.closed_forms import expected_ap

        return expected_ap(aligned, qrels, self.rel, self.cutoff, condensed)

    @rests_on("score", "defined")
    def balancing_form(self, low: int, top: int) -> Form:
        from hungjury.measures.closed_forms import cut, of_precisions

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
    stop: StopDistribution = param(
        "uniform",
        kind=one_of(StopDistribution),
        doc="distribution of the relevant document at which the user stops",
    )
    p: float = param(
        0.8, kind=number, low=0, high=1, open_low=True, doc="ratio of the geometric distribution"
    )
    weights: tuple[float, ...] | None = param(
        None, kind=numbers, low=0, doc="weights of the first, second, ... relevant document"
    )
    rel: int = rel_param()

    def score(self, judged: Judged) -> Floats:
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        met = np.cumsum(hits, axis=-1)
        stop = self._stopping(max(int(total.max(initial=1)), int(met.max(initial=1))))
        value = (hits * stop[met] * met / judged.ranks).sum(axis=-1)
        return ratio(value, np.cumsum(stop)[total])

    def _stopping(self, most: int) -> Floats:
        """0, then the weights of the first ... `most`-th relevant document."""
        if self.weights is not None:
            given = np.array(self.weights[:most])
            tail = np.pad(given, (0, most - len(given)))
        elif self.stop == "geometric":
            tail = self.p ** np.arange(most)
        else:
            tail = np.ones(most)
        return np.concatenate([[0.0], tail])
