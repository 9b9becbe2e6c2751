"""Slow oracles for random relevance, graded average precision, Markov users and disagreement.

Lists and pools as in naive.py; a label may also be a probability (a float in 0..1). Means and
variances come from enumerating every outcome, stationary ones from exact fractions. None means
undefined. Nothing of the package is imported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from fractions import Fraction

Label = int | float | None
Labels = Sequence[Label]
Pool = Sequence[int] | Sequence[float]
Matrix = list[list[Fraction]]
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
) -> float:
    """RB^: p summed over the pool; "retrieved" adds the p of that many unjudged documents that
    the runs retrieved and the pool lacks; a number is taken as it is."""
    if not isinstance(recall_base, str):
        return float(recall_base)
    total = math.fsum(probability(label, prob, unjudged) for label in pool)
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
) -> float | None:
    """eRAP: sum of (1/n)(1 + sum of p above n) p_n, over RB^; a cutoff leaves RB^ whole."""
    base = recall_base_of(pool, prob, unjudged, recall_base, unjudged_retrieved)
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
) -> Moments | None:
    """Mean and variance of AP under random relevance, its recall base fixed at RB^."""
    base = recall_base_of(pool, prob, unjudged, recall_base, unjudged_retrieved)
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


def std_of_topic_mean(variances: Sequence[float]) -> float:
    """Standard deviation of the mean over independent topics."""
    return math.sqrt(math.fsum(variances)) / len(variances)


# Graded average precision


def grade_of(label: Label) -> int:
    """The grade of a label, unjudged and negative ones as 0."""
    return 0 if label is None or label < 0 else int(label)


def believers(g: Sequence[float], grade: int) -> float:
    """G(k): share of the users to whom a document of this grade is relevant."""
    if grade > len(g):
        raise ValueError(f"grade {grade} is above the scale 0..{len(g)}")
    return sum(g[:grade])


def at_least(pool: Pool, grade: int) -> int:
    """RB(k): documents of the pool with this grade or a higher one."""
    return sum(1 for label in pool if label >= grade)


def nobody_served(g: Sequence[float], pool: Pool) -> bool:
    """Whether no user finds anything relevant in the pool: nu > tau."""
    lowest_wanted = min(k for k in range(1, len(g) + 1) if g[k - 1] > 0)
    highest_there = max((grade_of(label) for label in pool), default=0)
    return lowest_wanted > highest_there


def agreement_sum(g: Sequence[float], grades: Sequence[int], n: int) -> float:
    """Sum over m <= n of G(min(r_m, r_n))."""
    return sum(believers(g, min(grades[m - 1], grades[n - 1])) for m in range(1, n + 1))


def gap(labels: Labels, pool: Pool, g: Sequence[float], cutoff: int | None = None) -> float | None:
    """Graded AP: expected precisions summed, over the expected recall base."""
    if nobody_served(g, pool):
        return None
    grades = [grade_of(label) for label in labels[:cutoff]]
    score = sum(agreement_sum(g, grades, n) / n for n in range(1, len(grades) + 1))
    return score / sum(believers(g, grade_of(label)) for label in pool)


def xgap(labels: Labels, pool: Pool, g: Sequence[float], cutoff: int | None = None) -> float | None:
    """Extended graded AP: a user is drawn first, then one of the documents relevant to them."""
    if nobody_served(g, pool):
        return None
    grades = [grade_of(label) for label in labels[:cutoff]]
    score = 0.0
    for n in range(1, len(grades) + 1):
        share = believers(g, grades[n - 1])
        if share > 0:
            drawn = sum(g[k - 1] / at_least(pool, k) for k in range(1, grades[n - 1] + 1))
            score += drawn / share * agreement_sum(g, grades, n) / n
    return score


def egap(labels: Labels, pool: Pool, g: Sequence[float], cutoff: int | None = None) -> float | None:
    """Expected graded AP: AP at each user's threshold, weighted by the users."""
    if nobody_served(g, pool):
        return None
    score = 0.0
    for k in range(1, len(g) + 1):
        if at_least(pool, k) > 0:
            hits = [1 if grade_of(label) >= k else 0 for label in labels[:cutoff]]
            score += g[k - 1] * precision_sum(hits) / at_least(pool, k)
    return score


# Users as Markov chains


def pull(i: int, j: int, kind: str) -> Fraction:
    """How strongly rank i draws a user at rank j: constant, ID or LID; 0 for staying."""
    if i == j:
        return Fraction(0)
    if kind == "constant":
        return Fraction(1)
    if kind == "ID":
        return Fraction(1, abs(i - j) + 1)
    if kind == "LID":
        return Fraction(1 / math.log10(abs(i - j) + 2))
    raise ValueError(f"unknown transition kind {kind!r}")


def transition_matrix(states: Sequence[int], connected: str, kind: str) -> Matrix:
    """Row-normalised pulls between the states; LO keeps neighbours in the state set only."""
    if len(states) == 1:
        return [[Fraction(1)]]
    matrix = []
    for a, i in enumerate(states):
        row = []
        for b, j in enumerate(states):
            linked = connected == "GL" or abs(a - b) == 1
            row.append(pull(i, j, kind) if linked else Fraction(0))
        matrix.append([value / sum(row) for value in row])
    return matrix


def solve(matrix: Matrix, right: Sequence[Fraction]) -> list[Fraction]:
    """Gauss-Jordan elimination in exact fractions."""
    size = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next(r for r in range(column, size) if rows[r][column] != 0)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        lead = rows[column][column]
        rows[column] = [value / lead for value in rows[column]]
        for r in range(size):
            factor = rows[r][column]
            if r != column and factor != 0:
                pairs = zip(rows[r], rows[column], strict=True)
                rows[r] = [value - factor * above for value, above in pairs]
    return [row[-1] for row in rows]


def minus_identity(matrix: Matrix) -> Matrix:
    """The matrix with 1 taken off its diagonal."""
    return [
        [value - (1 if a == b else 0) for b, value in enumerate(row)]
        for a, row in enumerate(matrix)
    ]


def stationary(matrix: Matrix) -> list[Fraction]:
    """The law pi with pi P = pi and sum 1, of an irreducible chain."""
    size = len(matrix)
    shifted = minus_identity(matrix)
    equations = [[shifted[a][b] for a in range(size)] for b in range(size - 1)]
    equations.append([Fraction(1)] * size)
    return solve(equations, [Fraction(0)] * (size - 1) + [Fraction(1)])


def watched(matrix: Matrix, kept: Sequence[int]) -> Matrix:
    """The chain seen only at the kept indices: p_ij plus the ways through unkept states (5.6)."""
    hidden = [k for k in range(len(matrix)) if k not in kept]
    system = minus_identity([[matrix[a][b] for b in hidden] for a in hidden])
    seen: Matrix = [[] for _ in kept]
    for j in kept:
        arrive = solve(system, [-matrix[k][j] for k in hidden])
        for row, i in zip(seen, kept, strict=True):
            through = [matrix[i][k] * h for k, h in zip(hidden, arrive, strict=True)]
            row.append(matrix[i][j] + sum(through))
    return seen


def markov_distribution(size: int, hits: Sequence[int], model: str) -> list[Fraction]:
    """Stationary distribution of the model's chain watched on the relevant ranks `hits`."""
    connected, space, kind = ("GL", "AD", model) if model == "constant" else model.split("_")
    if connected not in ("GL", "LO") or space not in ("AD", "OR"):
        raise ValueError(f"unknown model {model!r}")
    states = list(range(1, size + 1)) if space == "AD" else list(hits)
    full = transition_matrix(states, connected, kind)
    return stationary(watched(full, [states.index(rank) for rank in hits]))


def mp(
    labels: Labels,
    pool: Pool,
    model: str = "GL_AD_ID",
    rates: Sequence[float] | None = None,
    rec: bool = False,
    rel: int = 1,
    cutoff: int | None = None,
) -> float | None:
    """Markov precision; rates[n-1] of the holding time at rank n for continuous time, rec
    multiplies by recall (None without relevant documents in the pool). A cutoff shortens the
    list, and so the chain. Nothing relevant retrieved: 0."""
    total = at_least(pool, rel)
    if rec and total == 0:
        return None
    shown = labels[:cutoff]
    hits = [n for n, label in enumerate(shown, start=1) if label is not None and label >= rel]
    if not hits:
        return 0.0
    weights = [float(share) for share in markov_distribution(len(shown), hits, model)]
    if rates is not None:
        weights = [weight / rates[rank - 1] for weight, rank in zip(weights, hits, strict=True)]
    found = enumerate(zip(weights, hits, strict=True), start=1)
    score = sum(weight * count / rank for count, (weight, rank) in found) / sum(weights)
    return score * len(hits) / total if rec else score


# Disagreement between judges

Judgment = tuple[Hashable, Hashable, Hashable, Hashable]  # topic, document, judge, level


def prm_counts(
    judgments: Sequence[Judgment], level: Hashable, relevant: Collection[Hashable]
) -> tuple[int, int]:
    """(n_R, n): over ordered pairs of judges of one document where the first gave `level`, how
    often the second gave a relevant level, and how many pairs there are."""
    agreed = pairs = 0
    for topic, document, judge, given in judgments:
        for other_topic, other_document, other_judge, other in judgments:
            same = (topic, document) == (other_topic, other_document)
            if same and judge != other_judge and given == level:
                pairs += 1
                agreed += 1 if other in relevant else 0
    return agreed, pairs


def prm(
    judgments: Sequence[Judgment],
    level: Hashable,
    relevant: Collection[Hashable],
    a: float = 0.0,
) -> float | None:
    """p_{R|i} = (n_R + a) / (n + 2a); None for a level without pairs and a = 0."""
    agreed, pairs = prm_counts(judgments, level, relevant)
    return None if pairs + 2 * a == 0 else (agreed + a) / (pairs + 2 * a)


def relevant_count_binary(levels: Sequence[Hashable], relevant: Collection[Hashable]) -> int:
    """N_R^bin: documents whose level counts as relevant."""
    return sum(1 for level in levels if level in relevant)


def relevant_count_prm(levels: Sequence[Hashable], chances: Mapping[Hashable, float]) -> float:
    """N_R^PRM: expected relevant documents for a random user, p_{R|i} given by level."""
    return sum(chances[level] for level in levels)
