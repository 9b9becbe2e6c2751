"""Measures of uncertain labels: eRP, eRRBP, eRDCG and eRAP, and E(X) of any measure X.

Relevance is a random variable (RR: Ferrante, Ferro and Pontarollo 2018): every document is relevant
with a probability p, independently of the others. The first four have an expectation and a
variance, both exact and in linear time. How that of any other measure is computed, exactly or from
draws, is in `measures/expectation.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NoReturn, TypeAlias

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Int32s
from hungjury.base.errors import MeasureError, few, plural
from hungjury.base.parameters import (
    MOST_DRAWS,
    MOST_RANKS,
    integer,
    number,
    numbers,
    param,
    required,
)
from hungjury.data.judged import Judged
from hungjury.data.qrels import Qrels
from hungjury.measures.base import (
    CUTOFF,
    NEEDED_CUTOFF,
    RANK_WEIGHTED,
    Kernel,
    Measure,
    ratio,
    seen,
)
from hungjury.measures.ties import precision_sums

__all__ = ["E", "eRAP", "eRDCG", "eRP", "eRRBP"]


class Uncertain(Measure):
    """Base of measures that take probabilities, also those of grades."""

    at = "cutoff"
    takes_probabilities = True
    of_grades: ClassVar[tuple[str, ...]] = ("prob",)  # parameters that need grades
    prob: tuple[float, ...] | None
    unjudged: float | None

    @property
    def chance_of_unjudged(self) -> float:  # type: ignore[override]
        """P(relevant) of unjudged documents; by default that of grade 0."""
        if self.unjudged is not None:
            return self.unjudged
        return 0.0 if self.prob is None else self.prob[0]

    def check_prob(self, max_grade: int) -> None:
        """Check that there is a probability for every grade."""
        if self.prob is not None and len(self.prob) != max_grade + 1:
            said = (
                f"prob has {plural(len(self.prob), 'value')}, but the grades are 0 to {max_grade}"
            )
            remedy = "give a probability for each of them, or declare the grades"
            raise self.error(said, "grade-count", remedy, "prob")

    def least_relevant(self, topics: Sequence[str]) -> Floats:
        """Return the recall base of each topic, where it is given as a number; else 0."""
        base: RecallBase = getattr(self, "recall_base", "pool")
        if isinstance(base, tuple):
            known = dict(base)
            missing = [topic for topic in topics if topic not in known]
            if missing or not topics:
                topic = plural(len(missing), "topic")
                said = f"recall_base has no number for {topic} ({few(missing)})"
                remedy = "give one for every judged topic"
                raise self.error(said, "recall-base", remedy, "recall_base")
            return np.array([known[topic] for topic in topics])
        return np.full(max(len(topics), 1), 0.0 if isinstance(base, str) else base)

    def relevance(self, qrels: Qrels) -> Floats | None:
        """Return P(relevant) of each document; None where grades decide."""
        if qrels.p is not None:
            return qrels.p
        if qrels.grade_p is not None:
            return None if self.prob is None else np.asarray(qrels.grade_p @ np.array(self.prob))
        assert qrels.labels is not None
        table = np.array(self.prob or (0.0, 1.0))
        known = table[np.maximum(qrels.labels, 0)]
        return np.where(qrels.labels >= 0, known, self.chance_of_unjudged)

    def check_probabilities(self, of_grades: bool = False) -> None:
        """Refuse parameters about grades, unless every grade has its own probability."""
        for name in () if of_grades else self.of_grades:
            if getattr(self, name) is not None:
                said = f"{name} needs grades, but these labels are already probabilities"
                raise self.error(said, "needs-grades", f"leave {name} out")


PROB = param(
    None, kind=numbers, low=0, high=1, doc="P(relevant) of each grade, from 0 to the largest"
)
UNJUDGED = param(
    None, kind=number, low=0, high=1,
    doc="P(relevant) of documents without a label; default: that of grade 0, else 0",
)  # fmt: skip


class Expected(Uncertain):
    """Base: probabilities come with soft labels, from a map of grades, or are 0 and 1.

    Source: Ferrante, Ferro and Pontarollo 2018
    """

    has_variance = True
    of_grades = ("prob", "rel")
    prob: tuple[float, ...] | None = PROB
    unjudged: float | None = UNJUDGED
    rel: int | None = param(
        None, kind=integer, low=1, doc="without prob: lowest grade that is surely relevant (1)"
    )
    cutoff: int | None = CUTOFF

    @property
    def needs_nonrelevant(self) -> bool:  # type: ignore[override]
        """True if documents judged not relevant matter because their probability is not 0."""
        return self.chance_of_unjudged > 0 or (self.prob is not None and self.prob[0] > 0)

    @property
    def declared_grade(self) -> int:
        return 0 if self.prob is None else len(self.prob) - 1

    def check(self, max_grade: int) -> None:
        if self.prob is not None and self.rel is not None:
            said, remedy = "prob and rel exclude each other", "leave one of them out"
            raise self.error(said, "exclusive-parameters", remedy, "prob")
        self.check_prob(max_grade)
        if self.rel is not None and self.rel > max_grade:
            super().check(max_grade)

    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        """Return the measure itself, unless it has its own probabilities or a higher threshold."""
        if self.prob is not None or (self.rel or 1) > 1:
            return super().for_probabilities(prob)
        return self.but(prob=prob, rel=None)

    def chances(self, judged: Judged) -> tuple[Floats, Floats]:
        """Return the probabilities of documents [..., list, place], and their sum over the pool."""
        outside = self.chance_of_unjudged
        if judged.p is not None and judged.p_total is not None:
            return judged.p, judged.p_total
        if self.prob is not None:
            table = np.array(self.prob)
        else:
            table = (np.arange(judged.max_grade + 1) >= (self.rel or 1)).astype(float)
        p = judged.gains(table)
        if outside > 0:
            p = np.where(judged.labelled, p, outside)
        return p, np.asarray(judged.counts @ table + judged.unjudged_pool * outside)

    def score(self, judged: Judged) -> Floats:
        return self.moments(judged)[0]


class ExpectedSum(Expected):
    """Base of measures that add up weighted relevance: mean and variance are sums too."""

    averages_ties = True
    always_defined = True  # there is no recall base to divide by

    def discount(self, ranks: Floats) -> Floats:
        """Return the weight of every rank."""
        raise NotImplementedError

    def moments(self, judged: Judged) -> tuple[Floats, Floats]:
        """Compute mean and variance.

        Inside ties a document has the mean weight of the tie's ranks, in the variance too. That
        of unjudged documents is then unknown: which of them are tied is not recorded.
        """
        p, outside = self.chances(judged)[0], self.chance_of_unjudged
        ranks = np.arange(1, judged.depth + 1, dtype=float)
        weights = self.discount(ranks) * seen(ranks, self.cutoff)
        places = judged.weigh(weights)
        mean = _weighted(places, weights, p, outside, judged.length)
        doubt = outside * (1 - outside)
        if judged.ties is not None and doubt > 0:
            return mean, np.full(mean.shape, np.nan)
        return mean, _weighted(places**2, weights**2, p * (1 - p), doubt, judged.length)


def _weighted(
    places: Floats, weights: Floats, values: Floats, elsewhere: float, length: Int32s
) -> Floats:
    """Sum weight times value over `places`, with `elsewhere` as the value of all other ranks.

    `length` is that of the lists, `weights` are those of ranks 1, 2, ...
    """
    if elsewhere == 0:
        return np.asarray((places * values).sum(axis=-1))
    whole_list = elsewhere * np.insert(np.cumsum(weights), 0, 0.0)[length]
    return np.asarray(whole_list + (places * (values - elsewhere)).sum(axis=-1))


class eRP(ExpectedSum, called="eRP"):  # noqa: N801 - named like the others
    """Expected precision: the expected share of the first k ranks that are relevant. P@k for labels
    that are probabilities.

    Formula: eRP@k = (1/k) Σ_{n≤k} P(x_n = 1)
    """

    proof = RANK_WEIGHTED
    cutoff: int = NEEDED_CUTOFF

    def discount(self, ranks: Floats) -> Floats:
        return np.full(len(ranks), 1 / self.cutoff)


class eRRBP(ExpectedSum, called="eRRBP"):  # noqa: N801 - the paper's name
    """Expected rank-biased precision: RBP's sum with probabilities instead of relevance (RR eq. 1).
    It is the exact expectation of RBP.

    Formula: eRRBP@k = (1 - p) Σ_{n≤k} p^(n-1) P(x_n = 1)
    """

    proof = RANK_WEIGHTED
    p: float = param(0.8, kind=number, low=0, high=1, open_high=True, doc="persistence")

    def discount(self, ranks: Floats) -> Floats:
        return np.asarray((1 - self.p) * self.p ** (ranks - 1))


class eRDCG(ExpectedSum, called="eRDCG"):  # noqa: N801
    """Expected discounted cumulated gain: P(relevant) over max(1, log_base n), added up. It is the
    exact expectation of DCG with that base on binary labels.

    Formula: eRDCG@k = Σ_{n≤k} P(x_n = 1) / max(1, log_base n)

    Source: Ferrante, Ferro and Losiouk 2019
    """

    proof = RANK_WEIGHTED
    high = np.inf
    base: float = param(10.0, kind=number, low=1, open_low=True, doc="base of the logarithm")

    def discount(self, ranks: Floats) -> Floats:
        return np.asarray(1 / np.maximum(1.0, np.log(ranks) / np.log(self.base)))


RecallBase: TypeAlias = float | str | tuple[tuple[str, float], ...]


def recall_base(value: Any) -> RecallBase:
    """Check a recall base: 'pool', 'list', 'retrieved', a number, or a number for every topic."""
    if value in ("pool", "list", "retrieved"):
        return str(value)
    several = isinstance(value, (Mapping, tuple))
    pairs = value.items() if isinstance(value, Mapping) else value if several else [("", value)]
    try:
        each = tuple(sorted((str(topic), number(n)) for topic, n in pairs))
    except (TypeError, ValueError):
        each = ()
    if not each or min(n for _, n in each) <= 0:
        raise ValueError("'pool', 'list', 'retrieved', a number above 0, or one for every topic")
    return each if several else each[0][1]


def recall_base_param(default: str) -> Any:
    return param(
        default, kind=recall_base,
        doc="relevant documents that count: of the 'pool', with the unjudged documents of the "
        "'list' itself or those 'retrieved' by any of the given runs, or a number, perhaps for "
        "every topic as in {101: 20}",
    )  # fmt: skip


BASE_DEPTH = param(
    100, kind=integer, low=1, doc="for recall_base='retrieved': ranks used of each run"
)
COLLECTION = param(
    None, kind=integer, low=1,
    doc="documents in the collection: those that nobody judged count in the recall base, too",
)  # fmt: skip


class eRAP(Expected, called="eRAP"):  # noqa: N801
    """Expected average precision (RR eq. 2): the expectation of AP's sum over the expected number
    of relevant documents. A ratio of expectations, which is quick and has a variance; `E(AP)` is
    the expectation of the ratio, and the two differ where few documents are likely relevant.

    Formula: eRAP@k = (1/B) Σ_{n≤k} (1/n) P(x_n = 1) (1 + Σ_{m<n} P(x_m = 1)), B: sum of P(x = 1)
    over the pool
    """

    high = np.inf  # with few expected documents in the pool it may exceed 1
    averages_ties = True
    recall_base: RecallBase = recall_base_param("pool")
    base_depth: int = BASE_DEPTH
    collection: int | None = COLLECTION

    @property
    def unjudged_depth(self) -> int:  # type: ignore[override]
        return self.base_depth if self.recall_base == "retrieved" else 0

    def defined(self, judged: Judged) -> Bools:
        return self._base(judged, self.chances(judged)[1]) > 0

    def kernel(self, ranks: Floats, top: int) -> Kernel | None:
        """Return the kernel of AP, which this is where labels are certain."""
        from hungjury.measures.catalogue.average_precision import AP

        if self.prob or self.chance_of_unjudged or self.collection or self.recall_base != "pool":
            return None
        return AP(rel=self.rel or 1, cutoff=self.cutoff).kernel(ranks, top)

    def moments(self, judged: Judged) -> tuple[Floats, Floats]:
        """Compute mean and variance; inside ties the mean over all orders, without a variance."""
        p, total = self.chances(judged)
        base, outside = self._base(judged, total), self.chance_of_unjudged
        if judged.ties is not None:
            tied = precision_sums(judged, p, outside, self.cutoff)
            return ratio(tied, base), np.full(tied.shape, np.nan)
        shape = np.broadcast_shapes(p.shape, judged.ranks.shape)
        length = judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)
        mean, variance = native.precision_sums(
            np.ascontiguousarray(np.broadcast_to(judged.ranks, shape)).reshape(-1, shape[-1]),
            np.ascontiguousarray(np.broadcast_to(p, shape)).reshape(-1, shape[-1]),
            np.ascontiguousarray(np.broadcast_to(length, shape[:-1])).ravel().astype(np.int32),
            outside,
        )
        mean, variance = mean.reshape(shape[:-1]), variance.reshape(shape[:-1])
        return ratio(mean, base), ratio(variance, base**2)

    def _base(self, judged: Judged, total: Floats) -> Floats:
        """Return the expected number of relevant documents, `total` of them in the pool."""
        outside = self.chance_of_unjudged
        if not isinstance(self.recall_base, str):
            known = self.least_relevant(judged.topics)
            return np.asarray(np.broadcast_to(known[judged.topic], total.shape))
        if self.collection is not None:
            pooled = judged.counts.sum(axis=-1) + judged.unjudged_pool
            return np.asarray(total + outside * np.maximum(self.collection - pooled, 0))
        if self.recall_base == "pool":
            return total
        if self.recall_base == "list":
            return np.asarray(total + outside * (judged.length - judged.pooled[..., -1]))
        if judged.unjudged_retrieved is None:
            said = "which unjudged documents were retrieved is known only for runs"
            remedy = "use evaluate(), or give the recall base as a number"
            raise self.error(said, "needs-runs", remedy, "recall_base")
        retrieved = judged.unjudged_retrieved(self.base_depth)[judged.topic]
        return np.asarray(total + outside * retrieved)


USUAL_SHIFT = 0.8  # of a topic, in logits


def shift(value: object) -> float:
    """Check the standard deviation of a shift; True is the usual one."""
    return USUAL_SHIFT if value is True else number(value)


def shift_param(of_what: str) -> Any:
    return param(
        0.0, kind=shift, low=0,
        doc=f"labels depend on each other: standard deviation, in logits, of a shift shared by "
        f"{of_what}; True: {USUAL_SHIFT}",
    )  # fmt: skip


def file_name(value: object) -> str:
    """Check the name of a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError("the name of a file")
    return str(os.fspath(value))


def a_measure(value: object) -> Measure:
    """Check the measure X of E(X), or its name."""
    from hungjury.measures.catalogue import measure_list

    found = measure_list([value])  # type: ignore[list-item]
    if len(found) != 1 or found[0].takes_probabilities:
        raise ValueError("one measure of certain labels, such as AP or nDCG@10")
    return found[0]


class E(Uncertain, called="E"):
    """Expectation of a measure over uncertain labels, with its variance. Use it for any measure
    when labels are probabilities, as merged judges give them: unlike labels cut at 0.5 it keeps
    how sure they are. Exact for measures with a native kernel, else a mean over drawn label sets;
    a document has the same label in all lists. `E(AP)@10` is `E(AP@10)`.

    With `prob`, grades are turned into probabilities of relevance, and the measure sees binary
    labels. Unjudged documents that may be relevant count in the recall base and the best list of
    the list that retrieved them, unless `recall_base` or `collection` says otherwise.

    Documents are independent unless `topic_shift`, `judge_shift` or `clusters` say how they depend
    on each other; each document keeps its probability.

    Formula: E(X) = mean of X over label sets, each label drawn from its probabilities

    Source: Ferrante, Ferro and Pontarollo 2018 (relevance as a random variable)
    """

    positional = "of"
    low = float("-inf")
    high = float("inf")
    of: Measure = required(kind=a_measure, doc="the measure")
    draws: int = param(1000, kind=integer, low=2, high=MOST_DRAWS, doc="number of label sets drawn")
    seed: int = param(0, kind=integer, low=0, doc="seed of the draws")
    prob: tuple[float, ...] | None = PROB
    unjudged: float | None = UNJUDGED
    recall_base: RecallBase = recall_base_param("list")
    base_depth: int = BASE_DEPTH
    collection: int | None = COLLECTION
    topic_shift: float = shift_param("the documents of a topic")
    judge_shift: float = shift_param("all documents, an error that the judges have in common")
    clusters: str | None = param(
        None, kind=file_name,
        doc="file of near-duplicates, with a topic, a document and the name of its cluster on "
        "each line: those of a cluster are relevant together",
    )  # fmt: skip
    cutoff: int | None = CUTOFF

    def __post_init__(self) -> None:
        if self.recall_base == "pool":
            said = "unjudged documents that are relevant must count in the recall base"
            remedy = "use 'list', 'retrieved' or a number"
            raise self.error(said, "invalid-value", remedy, "recall_base")
        if self.cutoff is not None:
            if self.of.at != "cutoff":
                raise self.error(f"{self.of} takes no cutoff", "no-cutoff", f"write E({self.of})")
            if self.of.depth is not None:
                said = f"{self.of} has a cutoff already"
                raise self.error(said, "two-cutoffs", f"write E({self.of})")
            object.__setattr__(self, "of", self.of.but(cutoff=self.cutoff))
            object.__setattr__(self, "cutoff", None)
        for name in ("low", "high", "average", "smaller_is_better"):
            object.__setattr__(self, name, getattr(self.of, name))

    @property
    def expectation(self) -> E:  # type: ignore[override]
        return self

    def is_certain(self, qrels: Qrels, condensed: bool) -> bool:
        """Say whether nothing is left to draw: the expectation is then the measure itself."""
        unjudged = 0.0 if condensed else self.chance_of_unjudged
        return qrels.labels is not None and self.prob is None and unjudged == 0

    @property
    def dependent(self) -> bool:
        """True if labels of documents depend on each other: nothing is exact then."""
        return bool(self.topic_shift or self.judge_shift or self.clusters)

    @property
    def is_exact(self) -> bool:
        """True if the expectation of binary labels needs no drawing."""
        kernel = self.of.kernel(np.ones(1), max(self.of.threshold, 1))
        return not self.dependent and kernel is not None and kernel.worth[0] == 0

    @property
    def unjudged_depth(self) -> int:  # type: ignore[override]
        if self.chance_of_unjudged == 0:
            return 0
        if self.is_exact:
            return self.base_depth if self.recall_base == "retrieved" else 0
        return MOST_RANKS

    def refuse_collection(self) -> NoReturn:
        """Raise for a collection that is smaller than what was judged and retrieved."""
        said = f"more than {self.collection:,} documents were judged and retrieved for a topic"
        remedy = "give the number of documents in the whole collection"
        raise self.error(said, "collection-size", remedy, "collection")

    @property
    def depth(self) -> int | None:
        return self.of.depth

    @property
    def declared_grade(self) -> int:
        return self.of.declared_grade if self.prob is None else len(self.prob) - 1

    def check(self, max_grade: int) -> None:
        if self.prob is not None:
            self.check_prob(max_grade)
            max_grade = 1
        if self.chance_of_unjudged > 0 and max_grade > 1:
            grades = f"1 to {max_grade}"
            said = f"unjudged documents may be relevant, but their grade is unknown ({grades})"
            remedy = "give prob, the probability of relevance at each grade, or binary labels"
            raise self.error(said, "unjudged-grade", remedy)
        self.of.check(max_grade)

    def score(self, judged: Judged) -> Floats:
        remedy = "score runs with evaluate()"
        raise MeasureError(f"{self} draws labels for whole pools", code="needs-runs", remedy=remedy)
