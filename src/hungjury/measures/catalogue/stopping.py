"""Measures of users who read from the top and stop: RBP, gRBP, ERR, RR, Success and ESL."""

from __future__ import annotations

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError
from hungjury.base.parameters import integer, number, param, required
from hungjury.data.judged import Judged
from hungjury.measures.base import (
    CATALOGUE,
    BinaryAtCutoff,
    Form,
    Kernel,
    Measure,
    cutoff_param,
    ratio,
    rel_param,
    rests_on,
    seen,
)
from hungjury.measures.catalogue.gain import (
    Discounted,
    Gains,
    Graded,
    gain_table,
    gains_param,
    max_grade_param,
)
from hungjury.measures.ties import first_hit_distribution

__all__ = ["ERR", "ESL", "RBP", "RR", "ESLSaving", "Success", "gRBP"]

MOST_ERR_GAIN = 50  # beyond, 1 - 2^-gain is 1 in floating point


class Persistent(Discounted):
    """Base of measures of a user who reads on with probability p after every document."""

    high = 1.0
    p: float = param(0.8, kind=number, low=0, high=1, open_high=True, doc="persistence")

    def discount(self, ranks: Floats) -> Floats:
        return np.asarray((1 - self.p) * self.p ** (ranks - 1))


@CATALOGUE.add("RBP")
class RBP(Persistent):
    """Rank-biased precision: the rate of gain of a user who reads on with probability p. Values of
    p near 1 describe patient users: 0.5 looks at two documents on average, 0.8 at five, 0.95 at
    twenty. It does not depend on the number of relevant documents, so it needs no complete pool,
    and perfect lists stay below 1 if relevant documents are few."""

    paper = "Moffat and Zobel 2008"
    proof = "thesis, section 3.4.1"
    formula = "RBP@k = (1 - p) Σ_{n≤k} p^(n-1) x_n"
    rel: int = rel_param()

    def gain_of_grades(self, top: int) -> Floats:
        return (np.arange(top + 1) >= self.rel).astype(float)

    @rests_on("score", "defined", "average", "normalised", "gain_of_grades", "discount")
    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        from hungjury.measures.catalogue.probabilities import eRRBP

        if self.rel > 1:
            return super().for_probabilities(prob)
        return eRRBP(p=self.p, cutoff=self.cutoff, prob=prob)

    @rests_on("score", "defined", "gain_of_grades", "discount")
    def balancing_form(self, low: int, top: int) -> Form | None:
        from hungjury.measures.balancing_forms import of_persistence

        return of_persistence(self.p, float(low >= self.rel), float(top >= self.rel))


@CATALOGUE.add("gRBP")
class gRBP(Persistent):  # noqa: N801
    """RBP with graded gains, as shares of the largest gain of the scale. The user reads on with
    probability p whatever the documents are worth."""

    paper = "Sakai and Kando 2008"
    formula = "gRBP@k = (1 - p) Σ_{n≤k} p^(n-1) gain(l_n) / largest gain"
    max_grade: int | None = max_grade_param()
    gains: Gains = gains_param()

    def gain_of_grades(self, top: int) -> Floats:
        largest = max(self.max_grade or top, top)
        table = gain_table(largest, self.gains, exponential=False)
        return np.asarray(table[: top + 1] / (table.max() or 1.0))

    @rests_on("score", "defined", "gain_of_grades", "discount")
    def balancing_form(self, low: int, top: int) -> Form | None:
        from hungjury.measures.balancing_forms import of_persistence

        gains = gain_table(top, self.gains, exponential=False)
        return of_persistence(self.p, gains[low], gains[top]) if gains[0] == 0 else None


@CATALOGUE.add("ERR")
class ERR(Graded):
    """Expected reciprocal rank at which a user who reads top-down is satisfied; a document of
    grade l satisfies with probability (2^l - 1) / 2^max_grade. Use it where one good answer is
    enough: what comes after a document of the highest grade hardly counts. With `gains`, gains
    replace grades, and the largest gain replaces max_grade: `ERR(gains={1: 5})` on binary labels is
    satisfied by a relevant document with probability 31/32."""

    paper = "Chapelle et al. 2009"
    proof = "thesis, section 3.4.1, for gains that grow with the grade"
    formula = (
        "ERR@k = Σ_{n≤k} (1/n) s_n Π_{m<n} (1 - s_m), s_n = (2^l_n - 1) / 2^max_grade; with "
        "gains s_n = (2^gain(l_n) - 1) / 2^(largest gain)"
    )
    at = "cutoff"
    probability_gains = False
    max_grade: int | None = max_grade_param()
    gains: Gains = gains_param()
    cutoff: int | None = cutoff_param()

    def __post_init__(self) -> None:
        odd = [gain for _, gain in self.gains or () if not 0 <= gain <= MOST_ERR_GAIN]
        if odd:
            raise MeasureError(
                f"ERR: a gain is {odd[0]:g}, but has to be in [0, {MOST_ERR_GAIN}]",
                code="out-of-range",
                argument="gains",
                remedy="gains are exponents of 2, such as {1: 5}",
            )

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

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        weights = seen(ranks, self.cutoff) / ranks
        return Kernel("cascade", self.gain_of_grades(top), weights)

    @rests_on("score", "defined")
    def balancing_form(self, low: int, top: int) -> Form | None:
        from hungjury.measures.balancing_forms import of_cascade

        chance = self.gain_of_grades(top)
        return None if self.gains else of_cascade(chance[low], chance[top])


@CATALOGUE.add("RR")
class RR(BinaryAtCutoff):
    """Reciprocal rank: one over the rank of the first relevant document. For tasks with one right
    answer, such as known items and question answering; its mean over topics is MRR. Everything
    after the first relevant document is ignored, so it varies a lot between topics."""

    paper = "Voorhees 1999"
    formula = "RR@k = 1 / min{n ≤ k: x_n = 1}, 0 where there is none"
    averages_ties = True

    def score(self, judged: Judged) -> Floats:
        if judged.ties is not None:
            rank, chance = first_hit_distribution(judged, judged.hits(self.rel))
            limit = np.inf if self.cutoff is None else self.cutoff
            return np.asarray((chance * (rank <= limit) / rank).sum(axis=-1))
        hits = judged.hits(self.rel, self.cutoff)
        return np.asarray((hits / judged.ranks).max(axis=-1))

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        return self.hits_kernel("best", 1 / ranks, top)


@CATALOGUE.add("Success")
class Success(BinaryAtCutoff):
    """1 if a relevant document is in the first k ranks, else 0. Its mean is the share of topics
    with at least one good result; also called hit rate."""

    paper = "Craswell and Hawking 2004"
    formula = "Success@k = max_{n≤k} x_n"
    averages_ties = True
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def score(self, judged: Judged) -> Floats:
        if judged.ties is not None:
            rank, chance = first_hit_distribution(judged, judged.hits(self.rel))
            return np.asarray((chance * (rank <= self.cutoff)).sum(axis=-1))
        return judged.hits(self.rel, self.cutoff).any(axis=-1).astype(float)

    @rests_on("score", "defined")
    def kernel(self, ranks: Floats, top: int) -> Kernel:
        return self.hits_kernel("best", np.ones(len(ranks)), top)


@CATALOGUE.add("ESL")
class ESL(Measure):
    """Search length: the number of documents that are not relevant, read before the `want`-th
    relevant one; undefined where fewer are retrieved, which counts as all that could have been
    read: the documents of the pool judged not relevant plus those retrieved. Smaller is better, in
    the unit of wasted documents."""

    paper = "Cooper 1968"
    formula = "ESL = n - want, n: rank of the want-th relevant document"
    high = np.inf
    smaller_is_better = True
    want: int = param(1, kind=integer, low=1, doc="relevant documents wanted")
    rel: int = rel_param()

    def score(self, judged: Judged) -> Floats:
        hits = judged.hits(self.rel)
        at = hits & (np.cumsum(hits, axis=-1) == self.want)
        rank = np.broadcast_to(judged.ranks, at.shape)
        length = np.where(at, rank, 0).sum(axis=-1) - self.want
        return np.where(at.any(axis=-1), length, np.nan)

    def where_undefined(self, judged: Judged) -> Floats:
        return np.asarray(judged.not_relevant(self.rel) + judged.length, dtype=float)


@CATALOGUE.add("ESLSaving")
class ESLSaving(Measure):
    """Search length saved against reading the pool in random order, as a share of it: 1 where
    nothing irrelevant is read, 0 where the list is no better than chance, negative if worse.
    A list that does not find enough counts the search length that `ESL` takes for it."""

    paper = "Cooper 1968"
    formula = "ESLSaving = 1 - ESL (R + 1) / (want I), I: pool documents judged not relevant"
    low = -np.inf
    want: int = param(1, kind=integer, low=1, doc="relevant documents wanted")
    rel: int = rel_param()

    def score(self, judged: Judged) -> Floats:
        length = ESL(want=self.want, rel=self.rel).filled(judged)
        others, relevant = judged.not_relevant(self.rel), judged.relevant(self.rel)
        saved = 1 - ratio(length * (relevant + 1), self.want * others)
        return np.where(relevant >= self.want, saved, np.nan)
