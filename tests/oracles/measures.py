"""Slow, obvious loops for every measure of a ranked list: the yardstick for the fast code.

A list is its labels in rank order: a grade, or None for a document nobody judged. A negative
grade means pooled but not judged. The pool holds the labels of all judged documents of the
topic. None as a result means undefined: the formula divides by zero because the pool holds
nothing to divide by (trec_eval prints 0 there). Nothing of the package is imported. Measures of
gain are in naive_gain.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

Label = int | float | None
Labels = Sequence[Label]
Pool = Sequence[int] | Sequence[float]
Gains = Mapping[int, float]
Law = Callable[[int, int], float] | Sequence[float]

INFAP_EPSILON = 0.00001
SMALLEST_GEOMETRIC = 0.00001


def relevant(label: Label, rel: int) -> bool:
    """Whether this label counts as relevant; unjudged and negative ones never do (rel >= 1)."""
    return label is not None and label >= rel


def judged(label: Label) -> bool:
    """Whether somebody judged the document; a negative grade is pooled, not judged."""
    return label is not None and label >= 0


def top(labels: Labels, cutoff: int | None) -> list[Label]:
    """The first `cutoff` labels, all of them without a cutoff."""
    return list(labels) if cutoff is None else list(labels[:cutoff])


def condensed(labels: Labels) -> list[Label]:
    """The list without its unjudged and negative documents."""
    return [label for label in labels if judged(label)]


# Counts


def num_ret(labels: Labels, pool: Pool) -> float:
    """Retrieved documents."""
    return float(len(labels))


def num_rel(labels: Labels, pool: Pool, rel: int = 1) -> float:
    """Relevant documents of the pool (R)."""
    return float(sum(1 for label in pool if relevant(label, rel)))


def num_rel_ret(labels: Labels, pool: Pool, rel: int = 1, cutoff: int | None = None) -> float:
    """Relevant documents among the retrieved ones."""
    return float(sum(1 for label in top(labels, cutoff) if relevant(label, rel)))


def num_nonrel(labels: Labels, pool: Pool, rel: int = 1) -> float:
    """Documents of the pool judged not relevant; negative grades are left out."""
    return float(sum(1 for label in pool if judged(label) and not relevant(label, rel)))


def num_nonrel_judged_ret(
    labels: Labels, pool: Pool, rel: int = 1, cutoff: int | None = None
) -> float:
    """Retrieved documents judged not relevant; unjudged and negative ones are left out."""
    shown = top(labels, cutoff)
    return float(sum(1 for label in shown if judged(label) and not relevant(label, rel)))


def num_unjudged_ret(labels: Labels, pool: Pool, cutoff: int | None = None) -> float:
    """Retrieved documents that nobody judged, negative grades included."""
    return float(sum(1 for label in top(labels, cutoff) if not judged(label)))


def judged_rate(labels: Labels, pool: Pool, cutoff: int | None = None) -> float:
    """Judged@k: judged among the documents shown, over those shown (a short list is no fault,
    as in ir_measures); an empty list gives 0."""
    shown = top(labels, cutoff)
    if not shown:
        return 0.0
    return sum(1 for label in shown if judged(label)) / len(shown)


# Sets and cutoffs


def precision(labels: Labels, pool: Pool, cutoff: int, rel: int = 1) -> float:
    """P@k: divides by k also where the list is shorter (trec_eval)."""
    return num_rel_ret(labels, pool, rel, cutoff) / cutoff


def recall(labels: Labels, pool: Pool, cutoff: int | None = None, rel: int = 1) -> float | None:
    """R@k: relevant documents found, over R."""
    total = num_rel(labels, pool, rel)
    return None if total == 0 else num_rel_ret(labels, pool, rel, cutoff) / total


def f1(labels: Labels, pool: Pool, cutoff: int, rel: int = 1) -> float | None:
    """F1@k: harmonic mean of P@k and R@k, 0 where nothing relevant is found."""
    return f_mean(precision(labels, pool, cutoff, rel), recall(labels, pool, cutoff, rel), 1.0)


def fallout(labels: Labels, pool: Pool, cutoff: int | None = None, rel: int = 1) -> float | None:
    """Judged non-relevant documents in the first k over all judged non-relevant ones."""
    total = num_nonrel(labels, pool, rel)
    return None if total == 0 else num_nonrel_judged_ret(labels, pool, rel, cutoff) / total


def f_mean(prec: float, rec: float | None, beta: float) -> float | None:
    """trec_eval's weighted harmonic mean: (beta + 1) P R / (beta P + R), beta not squared."""
    if rec is None:
        return None
    if prec == 0 or rec == 0:
        return 0.0
    return (beta + 1) * prec * rec / (beta * prec + rec)


def set_precision(labels: Labels, pool: Pool, rel: int = 1) -> float:
    """Relevant over retrieved; an empty list gives 0 (trec_eval)."""
    return num_rel_ret(labels, pool, rel) / len(labels) if labels else 0.0


def set_recall(labels: Labels, pool: Pool, rel: int = 1) -> float | None:
    """Relevant retrieved over R."""
    return recall(labels, pool, None, rel)


def set_fallout(labels: Labels, pool: Pool, rel: int = 1) -> float | None:
    """Judged non-relevant retrieved over judged non-relevant."""
    return fallout(labels, pool, None, rel)


def set_f(labels: Labels, pool: Pool, beta: float = 1.0, rel: int = 1) -> float | None:
    """Weighted harmonic mean of set precision and set recall."""
    return f_mean(set_precision(labels, pool, rel), set_recall(labels, pool, rel), beta)


def rprec(labels: Labels, pool: Pool, rel: int = 1) -> float | None:
    """Precision at R; a list shorter than R still divides by R."""
    total = num_rel(labels, pool, rel)
    return None if total == 0 else num_rel_ret(labels, pool, rel, int(total)) / total


def success(labels: Labels, pool: Pool, cutoff: int, rel: int = 1) -> float:
    """1 where the first k hold a relevant document, else 0."""
    return 1.0 if any(relevant(label, rel) for label in labels[:cutoff]) else 0.0


# Precision along the ranks


def ap(labels: Labels, pool: Pool, cutoff: int | None = None, rel: int = 1) -> float | None:
    """Sum of the precision at each relevant rank over R; a cutoff leaves R whole."""
    return ncp(top(labels, cutoff), pool, lambda found, total: 1 / total, rel)


def ncp(labels: Labels, pool: Pool, law: Law, rel: int = 1) -> float | None:
    """Expected precision where the user stops; law(i, R), or law[i - 1], is the probability of
    stopping at the i-th relevant document met. It is taken as it is, without normalising."""
    total = int(num_rel(labels, pool, rel))
    if total == 0:
        return None
    score = 0.0
    found = 0
    for rank, label in enumerate(labels, start=1):
        if relevant(label, rel):
            found += 1
            weight = law(found, total) if callable(law) else law[found - 1]
            score += weight * found / rank
    return score


def gmap(values: Sequence[float | None]) -> float:
    """trec_eval's geometric mean of AP over topics, each at least 0.00001; undefined counts 0."""
    logs = [math.log(max(value or 0.0, SMALLEST_GEOMETRIC)) for value in values]
    return math.exp(sum(logs) / len(logs))


def rr(labels: Labels, pool: Pool, cutoff: int | None = None, rel: int = 1) -> float:
    """One over the rank of the first relevant document, 0 without one."""
    for rank, label in enumerate(top(labels, cutoff), start=1):
        if relevant(label, rel):
            return 1 / rank
    return 0.0


def iprec(
    labels: Labels, pool: Pool, recall: float, rel: int = 1, levels: str = "exact"
) -> float | None:
    """Best precision at any rank from which `recall` is reached: found / R is at least recall, up
    to 1e-9 documents. With levels "trec" the level in documents is recall * R rounded, halves up,
    as in trec_eval 10 (earlier: cut after adding 0.9)."""
    total = num_rel(labels, pool, rel)
    if total == 0:
        return None
    needed = math.floor(recall * total + 0.5) if levels == "trec" else recall * total - 1e-9
    best = 0.0
    found = 0
    for rank, label in enumerate(labels, start=1):
        if relevant(label, rel):
            found += 1
        if found >= needed:
            best = max(best, found / rank)
    return best


def eleven_point(
    labels: Labels,
    pool: Pool,
    rel: int = 1,
    at: Sequence[float] | None = None,
    levels: str = "exact",
) -> float | None:
    """Mean interpolated precision over the recall levels 0, 0.1, ..., 1."""
    chosen = [level / 10 for level in range(11)] if at is None else list(at)
    values = [iprec(labels, pool, level, rel, levels) for level in chosen]
    return None if values[0] is None else sum(value or 0.0 for value in values) / len(values)


def esl(labels: Labels, pool: Pool, want: int = 1, rel: int = 1) -> float | None:
    """Documents not relevant (unjudged too) before the want-th relevant; None if there is none."""
    found = 0
    read = 0
    for label in labels:
        if relevant(label, rel):
            found += 1
            if found == want:
                return float(read)
        else:
            read += 1
    return None


def esl_counted(labels: Labels, pool: Pool, want: int = 1, rel: int = 1) -> float:
    """ESL; where too few are found, the judged non-relevant of the pool plus all retrieved."""
    found = esl(labels, pool, want, rel)
    return num_nonrel(labels, pool, rel) + len(labels) if found is None else found


def esl_saving(labels: Labels, pool: Pool, want: int = 1, rel: int = 1) -> float | None:
    """Share of the search length saved against random order, where the want-th of R relevant
    documents comes after want I / (R + 1) of the I others on average (Cooper 1968)."""
    total, others = num_rel(labels, pool, rel), num_nonrel(labels, pool, rel)
    if total < want or others == 0:
        return None
    at_random = want * others / (total + 1)
    return (at_random - esl_counted(labels, pool, want, rel)) / at_random


# Incomplete judgments, as trec_eval


def bpref(labels: Labels, pool: Pool, rel: int = 1) -> float | None:
    """Mean over R of 1 - min(n, R) / min(N, R): n judged non-relevant above, N in the pool.
    Without any above the term is 1; unjudged and negative documents are passed over."""
    total = num_rel(labels, pool, rel)
    if total == 0:
        return None
    score = 0.0
    above = 0
    for label in labels:
        if relevant(label, rel):
            score += 1.0
            if above > 0:
                score -= min(above, total) / min(num_nonrel(labels, pool, rel), total)
        elif judged(label):
            above += 1
    return score / total


def infap(labels: Labels, pool: Pool, rel: int = 1) -> float | None:
    """Inferred AP: at a relevant rank n, 1/n + (pooled above)/n * smoothed share of relevant
    among those judged above. Negative grades are pooled; unjudged ones only take up ranks."""
    total = num_rel(labels, pool, rel)
    if total == 0:
        return None
    score = 0.0
    for rank, label in enumerate(labels, start=1):
        if not relevant(label, rel):
            continue
        above = labels[: rank - 1]
        hits = sum(1 for other in above if relevant(other, rel))
        seen = sum(1 for other in above if judged(other))
        pooled = sum(1 for other in above if other is not None)
        score += 1 / rank
        score += pooled / rank * (hits + INFAP_EPSILON) / (seen + 2 * INFAP_EPSILON)
    return score / total


# Ties


def mean_over_orders(
    groups: Sequence[Labels], pool: Pool, oracle: Callable[..., float | None], **params: object
) -> float | None:
    """Mean of an oracle over every order inside the tied groups; None if any order has none."""
    values = []
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        value = oracle([label for order in orders for label in order], pool, **params)
        if value is None:
            return None
        values.append(value)
    return math.fsum(values) / len(values)


def accuracy(labels: Labels, pool: Pool, cutoff: int | None = None, rel: int = 1) -> float:
    """Share of pairs of a relevant and another document of the list in the right order."""
    shown = [relevant(label, rel) for label in top(labels, cutoff)]
    pairs = [(a, b) for a, b in itertools.combinations(shown, 2) if a != b]
    return sum(a for a, _ in pairs) / len(pairs) if pairs else float(any(shown))
