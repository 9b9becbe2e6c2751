"""Measures that add up the gain of labels, down to where a user stops: CG, DCG, their normalised
forms, Q, RBP, gRBP and ERR."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from hungjury.base.arrays import Bools, Floats, Ints
from hungjury.base.parameters import MOST_RANKS, integer, mapping, number, one_of, param
from hungjury.data.judged import Judged
from hungjury.measures.base import (
    CUTOFF,
    RANK_WEIGHTED,
    REL,
    Kernel,
    Measure,
    Sum,
    Sums,
    hits_of,
    ratio,
    seen,
)

__all__ = ["CG", "DCG", "ERR", "RBP", "Mean", "Q", "gRBP", "nCG", "nDCG"]

Gains = tuple[tuple[int, float], ...] | None
GainAndDiscount = Literal["log2", "exp-log2"]


GAINS = param(None, kind=mapping, doc="gain of each grade; a grade not named gains its own value")
MAX_GRADE = param(
    None, kind=integer, low=1, doc="largest grade of the scale; default: that of the labels"
)


def gain_table(top: int, gains: Gains, exponential: bool) -> Floats:
    """Return the gain of grades 0 to `top`."""
    table = np.arange(top + 1, dtype=float)
    if exponential:
        table = 2.0**table - 1
    for grade, gain in gains or ():
        if 0 <= grade <= top:
            table[grade] = gain
    return table


def ideal_sum(judged: Judged, gains: Floats, discount: Floats) -> Floats:
    """Add up the weighted gains of the best list that the pool allows, for every list.

    Stretches of equal gain are added as differences of summed discounts: no list is built.
    """
    total = np.concatenate([[0.0], np.cumsum(discount)])
    above = np.zeros(judged.counts.shape[:-1], dtype=np.int64)
    value = np.zeros(judged.counts.shape[:-1])
    for grade in np.argsort(-gains, kind="stable"):
        if gains[grade] <= 0:
            break
        below = above + judged.counts[..., grade]
        reach = [np.minimum(n, len(discount)) for n in (above, below)]
        value += gains[grade] * (total[reach[1]] - total[reach[0]])
        above = below
    return value


class WithGains(Measure):
    """Base of measures that may have a map of gains."""

    @property
    def needs_nonrelevant(self) -> bool:  # type: ignore[override]
        """True if documents judged not relevant have a gain, and so must be gathered."""
        return any(grade == 0 and gain != 0 for grade, gain in getattr(self, "gains", None) or ())


class Graded(WithGains):
    """Base of measures whose documents are worth what their grade gains."""

    def gain_of_grades(self, top: int) -> Floats:
        """Return what documents of grades 0 to `top` are worth."""
        raise NotImplementedError

    def defined(self, judged: Judged) -> Bools:
        gaining = self.gain_of_grades(judged.max_grade) > 0
        return np.asarray(judged.counts[..., gaining].sum(axis=-1) > 0)


class Discounted(Graded):
    """Base: gains times rank discounts, added up to the cutoff, perhaps over the ideal."""

    at = "cutoff"
    averages_ties = True
    high = np.inf
    normalised: ClassVar[bool] = False
    cutoff: int | None = CUTOFF

    def discount(self, ranks: Floats) -> Floats:
        return np.ones(len(ranks))

    def _weights(self, ranks: int) -> Floats:
        numbers = np.arange(1, ranks + 1, dtype=float)
        return self.discount(numbers) * seen(numbers, self.cutoff)

    def score(self, judged: Judged) -> Floats:
        gains = self.gain_of_grades(judged.max_grade)
        value = (judged.gains(gains) * judged.weigh(self._weights(judged.depth))).sum(axis=-1)
        if not self.normalised:
            return np.asarray(value)
        return ratio(value, self._ideal(judged, gains))

    def _ideal(self, judged: Judged, gains: Floats) -> Floats:
        most = int(judged.counts.sum(axis=-1).max(initial=1))
        return ideal_sum(judged, gains, self._weights(most))

    def kernel(self, ranks: Floats, top: int) -> Kernel:
        gains, weights = self.gain_of_grades(top), self._weights(len(ranks))
        if not self.normalised:
            return Kernel("gains", gains, weights)
        unit = lambda pools: self._ideal(pools, gains)  # noqa: E731
        return Kernel("gains", gains, weights, unit, self._weights)


class CG(Discounted, called="CG"):
    """Cumulated gain: the gains of the first k documents, added up. The graded version of counting
    relevant documents; the order within the first k ranks does not matter.

    Formula: CG@k = Σ_{n≤k} gain(l_n)

    Source: Järvelin and Kekäläinen 2002
    """

    proof = RANK_WEIGHTED
    gains: Gains = GAINS

    def gain_of_grades(self, top: int) -> Floats:
        return gain_table(top, self.gains, exponential=False)


class Mean(CG, called="Mean"):
    """Mean gain of the first k documents; what is missing counts as 0. Mean@1 is the mean score of
    systems that return one document, such as an answer, for every topic.

    Formula: Mean@k = (1/k) Σ_{n≤k} gain(l_n)
    """

    cutoff: int = param(1, kind=integer, low=1, high=MOST_RANKS, doc="ranks counted")

    def discount(self, ranks: Floats) -> Floats:
        return np.full(ranks.shape, 1 / self.cutoff)

    def defined(self, judged: Judged) -> Bools:
        return np.ones(judged.counts.shape[:-1], dtype=bool)

    kernel = Discounted.kernel


class nCG(CG, called="nCG"):  # noqa: N801 - the field's name
    """CG over that of the best possible list: the graded version of recall at k, from 0 to 1.

    Formula: nCG@k = CG@k / CG@k of the best list
    """

    proof = RANK_WEIGHTED
    normalised = True
    high = 1.0


class DCG(Discounted, called="DCG"):
    """Discounted cumulated gain: each gain divided by a logarithm of its rank. Topics with many
    relevant documents reach larger values and dominate the mean; nDCG avoids that.

    Formula: DCG@k = Σ_{n≤k} gain(l_n) / log2(n + 1), with base: / max(1, log_base n)

    Source: Järvelin and Kekäläinen 2002
    """

    proof = "thesis, section 3.4.1, for gains that grow with the grade"
    dcg: GainAndDiscount = param(
        "log2",
        kind=one_of(GainAndDiscount),
        doc="'log2': gain = grade, 'exp-log2': gain = 2^grade - 1 (Burges); both over log2(n + 1)",
    )
    base: float | None = param(
        None, kind=number, low=1, open_low=True, doc="discount max(1, log_base n) instead"
    )
    gains: Gains = GAINS

    def gain_of_grades(self, top: int) -> Floats:
        return gain_table(top, self.gains, self.dcg == "exp-log2")

    def discount(self, ranks: Floats) -> Floats:
        if self.base is None:
            return np.asarray(1 / np.log2(ranks + 1))
        return np.asarray(1 / np.maximum(1.0, np.log(ranks) / np.log(self.base)))

    @property
    def counterpart(self) -> str:  # type: ignore[override]
        """The binary form with a base."""
        return "" if self.base is None or self.gains or self.dcg != "log2" else "eRDCG"


class nDCG(DCG, called="nDCG"):  # noqa: N801
    """DCG over that of the best possible list, which is made from the whole pool. The usual measure
    for graded labels, mostly with a cutoff of 10 or 20. Gains are the grades themselves, as in
    trec_eval; `dcg="exp-log2"` is the version of learning to rank, which favours high grades.

    Formula: nDCG@k = DCG@k / DCG@k of the best list
    """

    proof = DCG.proof
    normalised = True
    high = 1.0


class Q(WithGains, called="Q"):
    """Q-measure: average precision with graded gains blended into it by beta. With beta 0 it is AP;
    larger values reward high grades near the top more.

    Formula: Q@k = (1/R) Σ_{n≤k} x_n Σ_{m≤n} (x_m + beta gain(l_m)) / (n + beta Σ_{m≤n}
    gain(l*_m)), l*: grades of the best list

    Source: Sakai 2004
    """

    at = "cutoff"
    beta: float = param(1.0, kind=number, low=0, doc="weight of the gains")
    rel: int = REL
    gains: Gains = GAINS
    cutoff: int | None = CUTOFF

    def score(self, judged: Judged) -> Floats:
        hits = judged.hits(self.rel, self.cutoff)
        table = gain_table(judged.max_grade, self.gains, exponential=False)
        gained = np.cumsum(judged.gains(table), axis=-1)
        steps = self._ideal(judged)
        best = sum(step * np.minimum(judged.ranks, many[..., None]) for many, step in steps)
        blended = (np.cumsum(hits, axis=-1) + self.beta * gained) / (judged.ranks + best)
        return ratio((hits * blended).sum(axis=-1), judged.relevant(self.rel))

    def _ideal(self, pools: Judged) -> list[tuple[Ints, float]]:
        """Return pairs: beta times the best list's gain down to rank n is the sum of the second
        times the smaller one of n and the first."""
        table = gain_table(pools.max_grade, self.gains, exponential=False)
        best = np.argsort(-table, kind="stable")
        upto = np.moveaxis(np.cumsum(pools.counts[..., best], axis=-1), -1, 0)
        steps = -np.diff(np.maximum(table[best], 0), append=0.0) * self.beta
        return [(many, step) for many, step in zip(upto, steps.tolist(), strict=True) if step]

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        gains = np.append(gain_table(top, self.gains, exponential=False) * self.beta, 0.0)
        levels = lambda pools: [level for pair in self._ideal(pools) for level in pair]  # noqa: E731
        blended = Sum("blended", gains, rank, hits_of(top, self.rel), levels)
        return Sums((blended,), lambda sums, pools: ratio(sums[0], pools.relevant(self.rel)))


MOST_ERR_GAIN = 50  # beyond, 1 - 2^-gain is 1 in floating point


class Persistent(Discounted):
    """Base of measures of a user who reads on with probability p after every document."""

    high = 1.0
    p: float = param(0.8, kind=number, low=0, high=1, open_high=True, doc="persistence")

    def discount(self, ranks: Floats) -> Floats:
        return np.asarray((1 - self.p) * self.p ** (ranks - 1))


class RBP(Persistent, called="RBP"):
    """Rank-biased precision: the rate of gain of a user who reads on with probability p. Values of
    p near 1 describe patient users: 0.5 looks at two documents on average, 0.8 at five, 0.95 at
    twenty. It does not depend on the number of relevant documents, so it needs no complete pool,
    and perfect lists stay below 1 if relevant documents are few.

    Formula: RBP@k = (1 - p) Σ_{n≤k} p^(n-1) x_n

    Source: Moffat and Zobel 2008
    """

    proof = "thesis, section 3.4.1"
    counterpart = "eRRBP"
    rel: int = REL

    def gain_of_grades(self, top: int) -> Floats:
        return (np.arange(top + 1) >= self.rel).astype(float)


class gRBP(Persistent, called="gRBP"):  # noqa: N801
    """RBP with graded gains, as shares of the largest gain of the scale. The user reads on with
    probability p whatever the documents are worth.

    Formula: gRBP@k = (1 - p) Σ_{n≤k} p^(n-1) gain(l_n) / largest gain

    Source: Sakai and Kando 2008
    """

    proof = RANK_WEIGHTED
    max_grade: int | None = MAX_GRADE
    gains: Gains = GAINS

    def gain_of_grades(self, top: int) -> Floats:
        largest = max(self.max_grade or top, top)
        table = gain_table(largest, self.gains, exponential=False)
        return np.asarray(table[: top + 1] / (table.max() or 1.0))


class ERR(Graded, called="ERR"):
    """Expected reciprocal rank at which a user who reads top-down is satisfied; a document of
    grade l satisfies with probability (2^l - 1) / 2^max_grade. Use it where one good answer is
    enough: what comes after a document of the highest grade hardly counts. With `gains`, gains
    replace grades, and the largest gain replaces max_grade: `ERR(gains={1: 5})` on binary labels is
    satisfied by a relevant document with probability 31/32.

    Formula: ERR@k = Σ_{n≤k} (1/n) s_n Π_{m<n} (1 - s_m), s_n = (2^l_n - 1) / 2^max_grade; with
    gains s_n = (2^gain(l_n) - 1) / 2^(largest gain)

    Source: Chapelle et al. 2009
    """

    proof = "thesis, section 3.4.1, for gains that grow with the grade"
    at = "cutoff"
    probability_gains = False
    max_grade: int | None = MAX_GRADE
    gains: Gains = GAINS
    cutoff: int | None = CUTOFF

    def __post_init__(self) -> None:
        odd = [gain for _, gain in self.gains or () if not 0 <= gain <= MOST_ERR_GAIN]
        if odd:
            said = f"a gain is {odd[0]:g}, but has to be in [0, {MOST_ERR_GAIN}]"
            remedy = "gains are exponents of 2, such as {1: 5}"
            raise self.error(said, "out-of-range", remedy, "gains")

    def gain_of_grades(self, top: int) -> Floats:
        """Return P(a user is satisfied) by a document of grade 0 to `top`."""
        table = gain_table(max(self.max_grade or top, top), self.gains, exponential=False)
        return np.asarray((2.0 ** table[: top + 1] - 1) / 2.0 ** table.max(), dtype=float)

    def score(self, judged: Judged) -> Floats:
        satisfied = judged.gains(self.gain_of_grades(judged.max_grade))
        unsatisfied = np.cumprod(1 - satisfied, axis=-1)
        reached = np.ones_like(unsatisfied)
        reached[..., 1:] = unsatisfied[..., :-1]
        value = satisfied * reached / judged.ranks * seen(judged.ranks, self.cutoff)
        return np.asarray(value.sum(axis=-1))

    def kernel(self, ranks: Floats, top: int) -> Kernel:
        weights = seen(ranks, self.cutoff) / ranks
        return Kernel("cascade", self.gain_of_grades(top), weights)
