"""Average precision and its relatives: precision at the ranks of relevant documents.

In the graded versions (Ferrante, Ferro and Maistro 2014; GAP: Robertson et al. 2010) users differ
in the lowest grade k that satisfies them: k has probability g_k. G(k) is the share of users
satisfied by grade k, g_1 + ... + g_k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from hungjury.base.arrays import Bools, Floats
from hungjury.base.errors import plural
from hungjury.base.parameters import number, numbers, one_of, param, required
from hungjury.data.judged import Judged
from hungjury.measures.base import (
    CUTOFF,
    REL,
    BinaryAtCutoff,
    Kernel,
    Measure,
    Sum,
    Sums,
    hits_of,
    ratio,
)
from hungjury.measures.ties import expected_precisions

__all__ = ["AP", "GAP", "GMAP", "NCP", "eGAP", "xGAP"]

StopDistribution = Literal["uniform", "geometric"]


def precisions(judged: Judged, rel: int, cutoff: int | None) -> Floats:
    """Return [..., list, place]: the precision at relevant documents, 0 at others."""
    if judged.ties is not None:
        return expected_precisions(judged, judged.hits(rel), cutoff)
    hits = judged.hits(rel, cutoff)
    return np.asarray(hits * np.cumsum(hits, axis=-1) / judged.ranks)


def precision_sum(judged: Judged, rel: int, cutoff: int | None) -> Floats:
    """Add up the precisions at the ranks of relevant documents, for every list."""
    return np.asarray(precisions(judged, rel, cutoff).sum(axis=-1))


class AP(BinaryAtCutoff, called="AP"):
    """Average precision: the mean over all relevant documents of the precision at their rank,
    0 for those not retrieved. It rewards both finding relevant documents and ranking them early,
    and its mean over topics (MAP) is the classic summary of a system on binary labels. It needs
    a nearly complete pool, because every relevant document that nobody found lowers it.

    Formula: AP@k = (1/R) Σ_{n≤k} x_n P@n

    Source: Buckley and Voorhees 2005
    """

    proof = "thesis, section 3.4.1; docs/papers.md corrects a step of Swap"
    counterpart = "eRAP"
    averages_ties = True

    def score(self, judged: Judged) -> Floats:
        return ratio(precision_sum(judged, self.rel, self.cutoff), judged.relevant(self.rel))

    def kernel(self, ranks: Floats, top: int) -> Kernel:
        weights = 1 / ranks
        return self.hits_kernel("precisions", weights, top, lambda pools: pools.relevant(self.rel))


class GMAP(AP, called="GMAP"):
    """AP averaged over topics by the geometric mean, values below 0.00001 taken as that. It
    stresses improvements on topics where systems do badly: going from 0.01 to 0.02 counts as much
    as going from 0.4 to 0.8. Single topics have the same values as for AP.

    Formula: GMAP = exp(mean over topics of ln max(AP, 0.00001))

    Source: Robertson 2006
    """

    average = "gmean"


class NCP(Measure, called="NCP"):
    """Normalised cumulative precision: the precision expected by a user who stops at a relevant
    document, counted in rank order; with `uniform` this is AP. Use it to say at which relevant
    document users stop, for example mostly at the first ones (`geometric`). Documents not retrieved
    have precision 0.

    Formula: NCP = Σ_{i≤R} w_i P@n_i / Σ_{i≤R} w_i, n_i: rank of the i-th relevant document; w_i: 1
    (uniform), p^(i-1) (geometric) or given

    Source: Robertson 2008
    """

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
    rel: int = REL

    def score(self, judged: Judged) -> Floats:
        hits, total = judged.hits(self.rel), judged.relevant(self.rel)
        met = np.cumsum(hits, axis=-1)
        stop = self._stopping(max(int(total.max(initial=1)), int(met.max(initial=1))))
        value = (hits * stop[met] * met / judged.ranks).sum(axis=-1)
        return ratio(value, np.cumsum(stop)[total])

    def _stopping(self, most: int) -> Floats:
        """Return 0, then the weights of the first to the `most`-th relevant document."""
        if self.weights is not None:
            given = np.array(self.weights[:most])
            tail = np.pad(given, (0, most - len(given)))
        elif self.stop == "geometric":
            tail = self.p ** np.arange(most)
        else:
            tail = np.ones(most)
        return np.concatenate([[0.0], tail])


def threshold_probabilities(value: object) -> tuple[float, ...]:
    """Check that the probabilities g_1, ..., g_c sum to 1."""
    g = numbers(value)
    if any(v < 0 for v in g) or abs(sum(g) - 1) > 1e-9:
        raise ValueError(f"probabilities of the grades 1, 2, ... that sum to 1, not {sum(g):g}")
    return g


class GradedAP(Measure):
    """Base: the probabilities of thresholds, and when a topic is undefined.

    Source: Ferrante, Ferro and Maistro 2014
    """

    at = "cutoff"
    averages_ties = True
    g: tuple[float, ...] = required(
        kind=threshold_probabilities,
        doc="P(the lowest grade that satisfies a user is k), k = 1, 2, ...",
    )
    cutoff: int | None = CUTOFF

    @property
    def declared_grade(self) -> int:
        return len(self.g)

    def check(self, max_grade: int) -> None:
        if len(self.g) != max_grade:
            said = f"g has {plural(len(self.g), 'value')}, but the largest grade is {max_grade}"
            remedy = "give a probability for each grade above 0, or declare the grades"
            raise self.error(said, "grade-count", remedy, "g")

    @property
    def weights(self) -> Floats:
        """g_0 = 0, g_1, ..., of all grades."""
        return np.array([0.0, *self.g])

    def defined(self, judged: Judged) -> Bools:
        return judged.relevant(int(np.flatnonzero(self.weights)[0])) > 0

    def satisfied(self, judged: Judged) -> Floats:
        """Return [..., list, place]: the precision that users see at a document, on average.

        Users with threshold k see precision among grades of k and more. Over all users that is the
        sum over m <= n of G(min(grade_m, grade_n)) / n.
        """
        weights = self.weights
        total = np.zeros(np.broadcast_shapes(judged.labels.shape, judged.ranks.shape))
        for k in np.flatnonzero(weights):
            total += weights[k] * precisions(judged, int(k), self.cutoff)
        return total

    def by_grade(self, rank: Floats, top: int) -> tuple[Sum, ...]:
        """Return the sums of the precision that users see at documents of grade 1, 2, ..."""
        grade = np.arange(top + 1)
        satisfied = np.cumsum(self.weights)
        return tuple(
            Sum("precisions", np.append(grade == k, 0.0), 1 / rank,
                np.append(satisfied[np.minimum(grade, k)], 0.0))
            for k in range(1, top + 1)
        )  # fmt: skip


class GAP(GradedAP, called="GAP"):
    """Graded average precision: precision expected over users, over the expected number of
    documents they find relevant. For graded labels where users differ in the lowest grade that
    satisfies them; with all users at grade 1 it is AP.

    Formula: GAP@k = Σ_{n≤k} (1/n) Σ_{m≤n} G(min(l_m, l_n)) / Σ_l R(l) G(l), G(l) = g_1 + ... +
    g_l; R(l): pool documents of grade l

    Source: Robertson, Kanoulas and Yilmaz 2010
    """

    def score(self, judged: Judged) -> Floats:
        value = self.satisfied(judged).sum(axis=-1)
        return ratio(value, judged.counts @ np.cumsum(self.weights))

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        upto = np.cumsum(self.weights)
        parts = self.by_grade(rank, top)
        return Sums(parts, lambda sums, pools: ratio(np.sum(sums, axis=0), pools.counts @ upto))


class xGAP(GradedAP, called="xGAP"):  # noqa: N801 - the paper's name
    """Extended graded average precision: like GAP, but every threshold is normalised by the
    number of documents at or above it before users are averaged (XG). Topics with few documents of
    high grades then count as much as others for users who want those.

    Formula: xGAP@k = Σ_{n≤k} (1/n) [Σ_{i≤l_n} g_i / RB(i)] / G(l_n) Σ_{m≤n} G(min(l_m, l_n)), over
    ranks with G(l_n) > 0; G(l) = g_1 + ... + g_l; RB(i): pool documents of grade i and more
    """

    def score(self, judged: Judged) -> Floats:
        total, scale = self.satisfied(judged), self._scale(judged)
        grades = np.broadcast_to(judged.labels, total.shape)
        spread = np.broadcast_to(scale, (*total.shape[:-1], scale.shape[-1]))
        each = np.take_along_axis(spread, grades.astype(np.int64), axis=-1)
        return np.asarray((each * total).sum(axis=-1))

    def _scale(self, judged: Judged) -> Floats:
        """Return [..., list, grade]: the sum over k <= grade of g_k / RB(k), over G(grade); 0 where
        no user is satisfied."""
        weights, share = self.weights, np.zeros(judged.counts.shape)
        for k in np.flatnonzero(weights):
            share[..., k:] += np.nan_to_num(ratio(weights[k], judged.relevant(int(k))))[..., None]
        return np.nan_to_num(ratio(share, np.cumsum(weights)))

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        def finish(sums: Sequence[Floats], pools: Judged) -> Floats:
            return np.asarray(sum(map(np.multiply, sums, self._scale(pools).T[1:])))

        return Sums(self.by_grade(rank, top), finish)


class eGAP(GradedAP, called="eGAP"):  # noqa: N801
    """Expected graded average precision: the mean over users of AP at their threshold (XG). The
    simplest of the graded versions, and the one to use if thresholds are to be read one by one;
    thresholds that no document reaches count as 0.

    Formula: eGAP@k = Σ_i g_i AP(rel=i)@k
    """

    def score(self, judged: Judged) -> Floats:
        return self._mean(lambda k: precision_sum(judged, k, self.cutoff), judged)

    def _mean(self, sums: Callable[[int], Floats], pools: Judged) -> Floats:
        """Average AP over thresholds, given the sums of precisions for each."""
        weights = self.weights
        value = np.zeros(pools.counts.shape[:-1])
        for k in np.flatnonzero(weights).tolist():
            value = value + weights[k] * np.nan_to_num(ratio(sums(k), pools.relevant(k)))
        return value

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        grades = range(1, top + 1)
        parts = tuple(Sum("precisions", hits_of(top, k), 1 / rank) for k in grades)
        return Sums(parts, lambda sums, pools: self._mean(lambda k: sums[k - 1], pools))
