"""Slow oracles for relevance as a random variable.

Lists and pools as in measures.py; a label may also be a probability (a float in 0..1). Means and
variances come from enumerating every outcome. None means undefined. Nothing of the package is
imported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from oracles.measures import Label, Labels, Pool

Moments = tuple[float, float]


# Relevance as a random variable


def prob_from_thresholds(g: Sequence[float]) -> list[float]:
    """Grade map of the random-relevance paper's option 1: 0, g1, g1 + g2, ..."""
    return [sum(g[:grade]) for grade in range(len(g) + 1)]


def probability(
    label: Label, prob: Sequence[float] | None = None, unjudged: float | None = None
) -> float:
    """P(relevant): the grade's entry of `prob`, or the label itself; None and negative grades
    take `unjudged`, by default prob[0], or 0 without a grade map."""
    if label is None or label < 0:
        if unjudged is not None:
            return unjudged
        return 0.0 if prob is None else prob[0]
    if prob is None:
        if label > 1:
            raise ValueError(f"label {label} is no probability and there is no grade map")
        return float(label)
    if not isinstance(label, int):
        raise TypeError("a grade map needs grades, not probabilities")
    return prob[label]


def probabilities(
    labels: Labels,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
) -> list[float]:
    """P(relevant) along the first k ranks."""
    return [probability(label, prob, unjudged) for label in labels[:cutoff]]


def recall_base_of(
    pool: Pool,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    recall_base: str | float = "pool",
    unjudged_retrieved: int = 0,
    collection: int | None = None,
) -> float:
    """RB^: p summed over the pool; "retrieved" adds the p of that many unjudged documents that
    the runs retrieved and the pool lacks; a number is taken as it is; `collection` adds the p of
    all documents that the pool lacks."""
    if not isinstance(recall_base, str):
        return float(recall_base)
    total = math.fsum(probability(label, prob, unjudged) for label in pool)
    if collection is not None:
        return total + max(collection - len(pool), 0) * probability(None, prob, unjudged)
    if recall_base == "pool":
        return total
    if recall_base == "retrieved":
        return total + unjudged_retrieved * probability(None, prob, unjudged)
    raise ValueError(f"unknown recall base {recall_base!r}")


def errbp(
    labels: Labels,
    pool: Pool,
    p: float = 0.8,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
) -> float:
    """eRRBP: (1 - p) times the sum of p^(n-1) P(relevant at n), p the persistence."""
    chances = probabilities(labels, prob, unjudged, cutoff)
    return (1 - p) * sum(p ** (n - 1) * chance for n, chance in enumerate(chances, start=1))


def erp(
    labels: Labels,
    pool: Pool,
    k: int,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
) -> float:
    """Expected precision: the probabilities of the first k ranks, added up and divided by k."""
    return sum(probabilities(labels, prob, unjudged, k)) / k


def erdcg(
    labels: Labels,
    pool: Pool,
    base: float = 10.0,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
) -> float:
    """eRDCG: sum of P(relevant at n) / max(1, log_base n)."""
    chances = probabilities(labels, prob, unjudged, cutoff)
    return sum(chance / log_discount(n, base) for n, chance in enumerate(chances, start=1))


def log_discount(rank: int, base: float) -> float:
    """max(1, log_base rank)."""
    return max(1.0, math.log(rank) / math.log(base))


def erap(
    labels: Labels,
    pool: Pool,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
    recall_base: str | float = "pool",
    unjudged_retrieved: int = 0,
    collection: int | None = None,
) -> float | None:
    """eRAP: sum of (1/n)(1 + sum of p above n) p_n, over RB^; a cutoff leaves RB^ whole."""
    base = recall_base_of(pool, prob, unjudged, recall_base, unjudged_retrieved, collection)
    if base == 0:
        return None
    chances = probabilities(labels, prob, unjudged, cutoff)
    score = 0.0
    for n in range(1, len(chances) + 1):
        score += (1 + sum(chances[: n - 1])) * chances[n - 1] / n
    return score / base


# Exact moments by enumeration


def moments(chances: Sequence[float], statistic: Callable[[Sequence[int]], float]) -> Moments:
    """Mean and variance of a statistic of independent 0/1 variables, over all 2^n outcomes."""
    laws = [[1 - chance, chance] for chance in chances]
    return moments_of_grades(laws, statistic)


def moments_of_grades(
    laws: Sequence[Sequence[float]], statistic: Callable[[Sequence[int]], float]
) -> Moments:
    """The same where document d has grade k with probability laws[d][k]."""
    outcomes = []
    for grades in itertools.product(*(range(len(law)) for law in laws)):
        weight = math.prod(law[grade] for law, grade in zip(laws, grades, strict=True))
        outcomes.append((weight, statistic(grades)))
    mean = math.fsum(weight * value for weight, value in outcomes)
    return mean, math.fsum(weight * (value - mean) ** 2 for weight, value in outcomes)


def precision_sum(hits: Sequence[int]) -> float:
    """Sum of the precision at each relevant rank: AP before it is divided."""
    return sum(sum(hits[:n]) / n for n in range(1, len(hits) + 1) if hits[n - 1])


def errbp_moments(
    labels: Labels,
    pool: Pool,
    p: float = 0.8,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
) -> Moments:
    """Mean and variance of RBP under random relevance."""
    chances = probabilities(labels, prob, unjudged, cutoff)
    return moments(chances, lambda x: sum((1 - p) * p**n * hit for n, hit in enumerate(x)))


def erdcg_moments(
    labels: Labels,
    pool: Pool,
    base: float = 10.0,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
) -> Moments:
    """Mean and variance of DCG (gains 0 and 1) under random relevance."""
    chances = probabilities(labels, prob, unjudged, cutoff)
    return moments(
        chances, lambda x: sum(hit / log_discount(n, base) for n, hit in enumerate(x, start=1))
    )


def erap_moments(
    labels: Labels,
    pool: Pool,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
    recall_base: str | float = "pool",
    unjudged_retrieved: int = 0,
    collection: int | None = None,
) -> Moments | None:
    """Mean and variance of AP under random relevance, its recall base fixed at RB^."""
    base = recall_base_of(pool, prob, unjudged, recall_base, unjudged_retrieved, collection)
    if base == 0:
        return None
    chances = probabilities(labels, prob, unjudged, cutoff)
    return moments(chances, lambda x: precision_sum(x) / base)


def unretrieved(labels: Labels, pool: Pool) -> list[float]:
    """Pool labels left over once each pooled document of the list has taken its own."""
    left: list[float] = list(pool)
    for label in labels:
        if label is not None:
            left.remove(label)
    return left


def ap_moments(
    labels: Labels,
    pool: Pool,
    prob: Sequence[float] | None = None,
    unjudged: float | None = None,
    cutoff: int | None = None,
) -> Moments:
    """E(AP) and its variance with a random recall base: relevant documents of the pool and of
    the list, whole even with a cutoff; an outcome without any scores 0."""
    chances = probabilities(labels, prob, unjudged)
    rest = probabilities(unretrieved(labels, pool), prob, unjudged)
    depth = len(labels[:cutoff])
    return moments(chances + rest, lambda x: precision_sum(x[:depth]) / max(1, sum(x)))


def measure_moments(
    retrieved: Sequence[Sequence[float] | None],
    rest: Sequence[Sequence[float]],
    oracle: Callable[..., float | None],
    **params: object,
) -> Moments:
    """E(X) and variance of any oracle X: each document has a law over grades 0..c, None where
    unjudged; `rest` is the pool outside the list. An undefined outcome scores 0."""
    laws = [law for law in retrieved if law is not None] + list(rest)

    def score(grades: Sequence[int]) -> float:
        drawn = iter(grades)
        labels = [None if law is None else next(drawn) for law in retrieved]
        return oracle(labels, list(grades), **params) or 0.0

    return moments_of_grades(laws, score)


def list_moments(
    documents: Sequence[str],
    laws: dict[str, Sequence[float]],
    oracle: Callable[..., float | None],
    outside: float = 0.0,
    elsewhere: int = 0,
    least: int = 0,
) -> Moments:
    """E(X) and variance of a list of documents, given the laws over grades of the pool.

    Documents of the list that are not in the pool, and `elsewhere` more that nobody retrieved, are
    relevant with probability `outside` and count in the pool of this list's evaluation. `least`:
    the pool has at least as many relevant documents, those missing added to it.
    """
    grades = len(next(iter(laws.values())))
    unknown = [1 - outside, outside, *[0.0] * (grades - 2)]
    own = [d for d in documents if d not in laws] if outside else []
    names = [*laws, *own, *(f"elsewhere {i}" for i in range(elsewhere))]

    def score(drawn: Sequence[int]) -> float:
        label = dict(zip(names, drawn, strict=True))
        missing = max(0, least - sum(grade > 0 for grade in drawn))
        pool = [*drawn, *[1] * missing]
        return oracle([label.get(d) for d in documents], pool) or 0.0

    return moments_of_grades([laws.get(name, unknown) for name in names], score)


def std_of_topic_mean(variances: Sequence[float]) -> float:
    """Standard deviation of the mean over independent topics."""
    return math.sqrt(math.fsum(variances)) / len(variances)
