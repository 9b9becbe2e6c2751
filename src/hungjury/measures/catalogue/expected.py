"""Expected measures: relevance as a random variable (RR: Ferrante, Ferro and Pontarollo 2018).

Every document is relevant with a probability p, independently of the others; a measure of such
lists has an expectation and a variance, both exact and in linear time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError
from hungjury.base.parameters import integer, number, numbers, param, required
from hungjury.base.records import Record
from hungjury.data.judged import Judged
from hungjury.measures.base import CATALOGUE, Measure, cutoff_param, ratio

__all__ = ["eRAP", "eRDCG", "eRP", "eRRBP"]


class Chances(Record, eq=False):
    """The probabilities that an expected measure works on."""

    p: Floats  # [..., list, place]
    unjudged: float  # of documents that hold no place
    total: Floats  # [..., list]: sum over the pool


def prob_param() -> Any:
    return param(
        None, kind=numbers, low=0, high=1, doc="P(relevant) of each grade, from 0 to the largest"
    )


def unjudged_param() -> Any:
    return param(
        None, kind=number, low=0, high=1,
        doc="P(relevant) of documents without a label; default: that of grade 0, else 0",
    )  # fmt: skip


def chance_of_unjudged(prob: tuple[float, ...] | None, unjudged: float | None) -> float:
    """P(relevant) of unjudged documents; by default that of grade 0."""
    if unjudged is not None:
        return unjudged
    return 0.0 if prob is None else prob[0]


def check_prob(one: Measure, prob: tuple[float, ...], max_grade: int) -> None:
    """A probability for every grade."""
    if len(prob) != max_grade + 1:
        raise MeasureError(
            f"{one}: prob has {len(prob)} values, but the grades are 0 to {max_grade}",
            code="grade-count",
            argument="prob",
            remedy=f"give {max_grade + 1} probabilities, or declare the grades",
        )


def refuse_for_chances(one: Measure, names: Iterable[str]) -> None:
    """Refuse parameters about grades if labels are probabilities."""
    for name in names:
        if getattr(one, name) is not None:
            raise MeasureError(
                f"{one}: {name} needs grades, but these labels are already probabilities",
                code="needs-grades",
                remedy=f"leave {name} out",
            )


class Expected(Measure):
    """Base: probabilities come with soft labels, from a map of grades, or are 0 and 1."""

    at: ClassVar[str] = "cutoff"
    paper: ClassVar[str] = "Ferrante, Ferro and Pontarollo 2018"
    takes_probabilities: ClassVar[bool] = True
    has_variance: ClassVar[bool] = True
    prob: tuple[float, ...] | None = prob_param()
    unjudged: float | None = unjudged_param()
    rel: int | None = param(
        None, kind=integer, low=1, doc="without prob: lowest grade that is surely relevant (1)"
    )
    cutoff: int | None = cutoff_param()

    @property
    def needs_nonrelevant(self) -> bool:  # type: ignore[override]
        """Whether documents judged not relevant matter because their probability is not 0."""
        return self.chance_of_unjudged > 0 or (self.prob is not None and self.prob[0] > 0)

    @property
    def declared_grade(self) -> int:
        return 0 if self.prob is None else len(self.prob) - 1

    def check(self, max_grade: int) -> None:
        if self.prob is not None and self.rel is not None:
            raise MeasureError(
                f"{self}: prob and rel exclude each other",
                code="exclusive-parameters",
                argument="prob",
                remedy="leave one of them out",
            )
        if self.prob is not None:
            check_prob(self, self.prob, max_grade)
        if self.rel is not None and self.rel > max_grade:
            super().check(max_grade)

    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        """The measure itself, unless it has probabilities of its own or a higher threshold."""
        if self.prob is not None or (self.rel or 1) > 1:
            return super().for_probabilities(prob)
        return self.but(prob=prob, rel=None)

    def check_probabilities(self, of_grades: bool = False) -> None:
        """`prob` and, unless every grade has its own probability, `rel` are for grades."""
        refuse_for_chances(self, ("prob",) if of_grades else ("prob", "rel"))

    @property
    def chance_of_unjudged(self) -> float:
        return chance_of_unjudged(self.prob, self.unjudged)

    def chances(self, judged: Judged) -> Chances:
        outside = self.chance_of_unjudged
        if judged.p is not None and judged.p_total is not None:
            return Chances(judged.p, outside, judged.p_total)
        if self.prob is not None:
            table = np.array(self.prob)
        else:
            table = (np.arange(judged.max_grade + 1) >= (self.rel or 1)).astype(float)
        p = judged.gains(table)
        if outside > 0:
            p = np.where(judged.labelled, p, outside)
        total = judged.counts @ table + judged.unjudged_pool * outside
        return Chances(p, outside, np.asarray(total))

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        return self.chances(judged).total > 0

    def score(self, judged: Judged) -> Floats:
        return self.moments(judged)[0]


class ExpectedSum(Expected):
    """Base of measures that add up weighted relevance: mean and variance are sums too."""

    averages_ties: ClassVar[bool] = True

    def discount(self, ranks: Floats) -> Floats:
        raise NotImplementedError

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        """Always: there is no recall base to divide by."""
        return np.ones(judged.counts.shape[:-1], dtype=bool)

    def moments(self, judged: Judged) -> tuple[Floats, Floats]:
        """Inside ties a document has the mean weight of the tie's ranks, in the variance too. That
        of unjudged documents is then unknown: which of them are tied is not recorded."""
        seen = self.chances(judged)
        numbers = np.arange(1, judged.depth + 1, dtype=float)
        weights = self.discount(numbers)
        if self.cutoff is not None:
            weights = np.where(numbers <= self.cutoff, weights, 0.0)
        places = judged.weigh(weights)
        mean = _weighted(places, weights, seen.p, seen.unjudged, judged.length)
        doubt = seen.unjudged * (1 - seen.unjudged)
        if judged.ties is not None and doubt > 0:
            return mean, np.full(mean.shape, np.nan)
        spread = _weighted(places**2, weights**2, seen.p * (1 - seen.p), doubt, judged.length)
        return mean, spread


def _weighted(
    places: Floats, weights: Floats, values: Floats, elsewhere: float, length: NDArray[np.int32]
) -> Floats:
    """Sum of weight times value over `places`, with `elsewhere` as the value of all other ranks
    of lists of some `length`; `weights` are those of ranks 1, 2, ..."""
    if elsewhere == 0:
        return np.asarray((places * values).sum(axis=-1))
    whole_list = elsewhere * np.insert(np.cumsum(weights), 0, 0.0)[length]
    return np.asarray(whole_list + (places * (values - elsewhere)).sum(axis=-1))


@CATALOGUE.add("eRP")
class eRP(ExpectedSum):  # noqa: N801 - named like the others
    """Expected precision: the expected share of the first k ranks that holds a relevant
    document."""

    formula: ClassVar[str] = "eRP@k = (1/k) Σ_{n≤k} P(x_n = 1)"
    cutoff: int = required(kind=integer, low=1, doc="ranks counted")

    def discount(self, ranks: Floats) -> Floats:
        return np.full(len(ranks), 1 / self.cutoff)


@CATALOGUE.add("eRRBP")
class eRRBP(ExpectedSum):  # noqa: N801 - the paper's name
    """Expected rank-biased precision: RBP's sum with p in place of relevance (RR eq. 1)."""

    formula: ClassVar[str] = "eRRBP@k = (1 - p) Σ_{n≤k} p^(n-1) P(x_n = 1)"
    p: float = param(0.8, kind=number, low=0, high=1, open_high=True, doc="persistence")

    def discount(self, ranks: Floats) -> Floats:
        return np.asarray((1 - self.p) * self.p ** (ranks - 1))


@CATALOGUE.add("eRDCG")
class eRDCG(ExpectedSum):  # noqa: N801
    """Expected discounted cumulated gain: p over max(1, log_base n), added up."""

    paper: ClassVar[str] = "Ferrante, Ferro and Losiouk 2019"
    formula: ClassVar[str] = "eRDCG@k = Σ_{n≤k} P(x_n = 1) / max(1, log_base n)"
    high: ClassVar[float] = np.inf
    base: float = param(10.0, kind=number, low=1, open_low=True, doc="base of the logarithm")

    def discount(self, ranks: Floats) -> Floats:
        return np.asarray(1 / np.maximum(1.0, np.log(ranks) / np.log(self.base)))


def recall_base(value: object) -> float | str:
    """'pool', 'retrieved' or a number."""
    if value in ("pool", "retrieved"):
        return str(value)
    try:
        base = number(value)
    except ValueError:
        raise ValueError("'pool', 'retrieved' or a number") from None
    if base <= 0:
        raise ValueError("'pool', 'retrieved' or a number above 0")
    return base


@CATALOGUE.add("eRAP")
class eRAP(Expected):  # noqa: N801
    """Expected average precision (RR eq. 2): the expectation of AP's sum over the expected number
    of relevant documents. A ratio of expectations; `E(AP)` is the expectation of the ratio."""

    formula: ClassVar[str] = (
        "eRAP@k = (1/B) Σ_{n≤k} (1/n) P(x_n = 1) (1 + Σ_{m<n} P(x_m = 1)), B: sum of P(x = 1) "
        "over the pool"
    )
    high: ClassVar[float] = np.inf  # with few expected documents in the pool it may exceed 1
    recall_base: float | str = param(
        "pool", kind=recall_base,
        doc="expected number of relevant documents: of the 'pool', with unjudged documents "
        "'retrieved' by the given runs added, or a number",
    )  # fmt: skip
    base_depth: int = param(
        100,
        kind=integer,
        low=1,
        doc="for recall_base='retrieved': number of ranks used of each run",
    )

    @property
    def unjudged_depth(self) -> int:
        return self.base_depth if self.recall_base == "retrieved" else 0

    def moments(self, judged: Judged) -> tuple[Floats, Floats]:
        seen = self.chances(judged)
        shape = np.broadcast_shapes(seen.p.shape, judged.ranks.shape)
        length = judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)
        mean, variance = native.precision_sums(
            np.ascontiguousarray(np.broadcast_to(judged.ranks, shape)).reshape(-1, shape[-1]),
            np.ascontiguousarray(np.broadcast_to(seen.p, shape)).reshape(-1, shape[-1]),
            np.ascontiguousarray(np.broadcast_to(length, shape[:-1])).ravel().astype(np.int32),
            seen.unjudged,
        )
        base = self._base(judged, seen)
        return (
            ratio(mean.reshape(shape[:-1]), base),
            ratio(variance.reshape(shape[:-1]), np.asarray(base) ** 2),
        )

    def _base(self, judged: Judged, seen: Chances) -> Floats:
        if not isinstance(self.recall_base, str):
            return np.full(seen.total.shape, self.recall_base)
        if self.recall_base == "pool":
            return seen.total
        if judged.unjudged_retrieved is None:
            raise MeasureError(
                f"{self}: which unjudged documents were retrieved is known only for runs",
                code="needs-runs",
                argument="recall_base",
                remedy="use evaluate(), or give the recall base as a number",
            )
        return seen.total + seen.unjudged * judged.unjudged_retrieved(self.base_depth)[judged.topic]
