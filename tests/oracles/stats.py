"""Slow, obvious loops for the statistics: the yardstick for the fast code.

Random orders are enumerated, pairs are visited one by one. Nothing of the package is imported.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Hashable, Iterator, Sequence

Groups = Sequence[Sequence[Hashable]]


# Correlations


def sign(number: float) -> int:
    return int(number > 0) - int(number < 0)


def kendall(x: Sequence[float], y: Sequence[float], variant: str = "b") -> float:
    """Concordant minus discordant pairs over a count of pairs; NaN for a constant vector (b)."""
    balance, untied_x, untied_y, pairs = 0, 0, 0, 0
    for i, j in itertools.combinations(range(len(x)), 2):
        balance += sign(x[i] - x[j]) * sign(y[i] - y[j])
        untied_x += x[i] != x[j]
        untied_y += y[i] != y[j]
        pairs += 1
    if variant == "a":
        return balance / pairs
    return balance / math.sqrt(untied_x * untied_y) if untied_x * untied_y else math.nan


def orders(values: Sequence[float]) -> Iterator[list[int]]:
    """Every order of the items, best first, that agrees with the values."""
    levels = sorted(set(values), reverse=True)
    tied = [[i for i, value in enumerate(values) if value == level] for level in levels]
    for choice in itertools.product(*(itertools.permutations(group) for group in tied)):
        yield [item for group in choice for item in group]


def tau_ap_of_orders(estimate: Sequence[int], truth: Sequence[int]) -> float:
    """2/(N-1) sum over ranks i >= 2 of C(i)/(i-1), minus 1; C counts rightly placed items above."""
    place = {item: rank for rank, item in enumerate(truth)}
    total = 0.0
    for rank in range(1, len(estimate)):
        right = sum(place[above] < place[estimate[rank]] for above in estimate[:rank])
        total += right / rank
    return 2 / (len(estimate) - 1) * total - 1


def tau_ap(estimate: Sequence[float], truth: Sequence[float]) -> float:
    """Mean over every pair of orders."""
    return statistics.fmean(
        tau_ap_of_orders(one, other) for one in orders(estimate) for other in orders(truth)
    )


def rmse(x: Sequence[float], y: Sequence[float]) -> float:
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / len(x))


# Rank-biased overlap


def rbo_untied(a: Sequence[Hashable], b: Sequence[Hashable], p: float) -> float:
    """Webber, Moffat and Zobel (2010), extrapolated, lists of any lengths, no ties."""
    short, long = sorted((a, b), key=len)
    s, m = len(short), len(long)
    overlap = {d: len(set(short[:d]) & set(long[:d])) for d in range(1, m + 1)}
    total = sum(overlap[d] / d * p**d for d in range(1, m + 1))
    total += sum(overlap[s] * (d - s) / (s * d) * p**d for d in range(s + 1, m + 1))
    tail = ((overlap[m] - overlap[s]) / m + overlap[s] / s) * p**m
    return (1 - p) / p * total + tail


def rbo_over_orders(a: Groups, b: Groups, p: float) -> float:
    """Mean of the untied overlap over every order inside the ties of both."""
    return statistics.fmean(
        rbo_untied(one, other, p) for one in flat_orders(a) for other in flat_orders(b)
    )


def flat_orders(groups: Groups) -> Iterator[list[Hashable]]:
    for choice in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [item for group in choice for item in group]


def contributions(groups: Groups, depth: int, ties: str) -> dict[Hashable, float]:
    """How much of each item is within the first `depth` places, items of none left out."""
    result: dict[Hashable, float] = {}
    before = 0
    for group in groups:
        inside = depth - before
        if inside > 0:
            part = 1.0 if ties == "w" else min(1.0, inside / len(group))
            result.update(dict.fromkeys(group, part))
        before += len(group)
    return result


def rbo(a: Groups, b: Groups, p: float, ties: str) -> float:
    """The three variants of Corsi and Urbano (2024), extrapolated, depth by depth."""
    short, long = sorted((a, b), key=lambda groups: sum(map(len, groups)))
    s, m = sum(map(len, short)), sum(map(len, long))
    known = {item for group in short for item in group}
    at_end = agreement = total = 0.0
    for depth in range(1, m + 1):
        mine, theirs = contributions(short, depth, ties), contributions(long, depth, ties)
        found = sum(mine[item] * theirs[item] for item in mine if item in theirs)
        if depth > s:
            alone = [part for item, part in theirs.items() if item not in known]
            found += (depth - s) * at_end * statistics.fmean(alone)
        agreement = found / size(mine, theirs, depth, depth > s, ties)
        if depth == s:
            at_end = agreement
        total += (1 - p) * p ** (depth - 1) * agreement
    return total + agreement * p**m


def size(
    mine: dict[Hashable, float],
    theirs: dict[Hashable, float],
    depth: int,
    beyond: bool,
    ties: str,
) -> float:
    if ties == "a":
        return depth
    if ties == "w":
        return ((depth if beyond else len(mine)) + len(theirs)) / 2
    squares = depth if beyond else sum(part**2 for part in mine.values())
    return math.sqrt(squares * sum(part**2 for part in theirs.values()))


# Tests on differences, and many of them


def randomisation(differences: Sequence[float]) -> float:
    """Share of all sign patterns with a sum at least as far from 0."""
    observed = abs(sum(differences))
    patterns = list(itertools.product((1, -1), repeat=len(differences)))
    sums = [abs(sum(c * d for c, d in zip(p, differences, strict=True))) for p in patterns]
    return sum(value >= observed - 1e-9 for value in sums) / len(patterns)


def t_statistic(values: Sequence[float]) -> float:
    """|t| of a zero mean; 0 without a mean, infinite without a spread."""
    mean, spread = abs(statistics.fmean(values)), statistics.stdev(values)
    if mean < 1e-13:
        return 0.0
    return math.inf if spread < 1e-13 else mean / (spread / math.sqrt(len(values)))


def drawn(values: Sequence[float], counts: Sequence[float]) -> list[float]:
    """The values, each repeated as often as it was drawn."""
    return [value for value, n in zip(values, counts, strict=True) for _ in range(int(n))]


def studentised_bootstrap(
    differences: Sequence[float], counts: Sequence[Sequence[float]], alpha: float = 0.05
) -> tuple[float, float]:
    """Sakai's p-value and the difference needed, over the given resamples of the topics."""
    mean = statistics.fmean(differences)
    shifted = [value - mean for value in differences]
    resamples = [drawn(shifted, row) for row in counts]
    sizes = [t_statistic(sample) for sample in resamples]
    reached = sum(t >= t_statistic(differences) - 1e-9 for t in sizes)
    ordered = sorted(range(len(sizes)), key=lambda b: -sizes[b])
    needed = resamples[ordered[round(len(sizes) * alpha) - 1]]
    return (reached + 1) / (len(sizes) + 1), abs(statistics.fmean(needed))


def holm(pvalues: Sequence[float]) -> list[float]:
    """The largest step at or before each test, where steps are p times the tests left."""
    ranked = sorted(range(len(pvalues)), key=lambda test: pvalues[test])
    result = [0.0] * len(pvalues)
    for step, test in enumerate(ranked):
        result[test] = min(
            1.0,
            max(
                pvalues[earlier] * (len(pvalues) - k)
                for k, earlier in enumerate(ranked[: step + 1])
            ),
        )
    return result


def benjamini_hochberg(pvalues: Sequence[float]) -> list[float]:
    """The smallest false discovery rate at which each test would be rejected."""
    tests = len(pvalues)
    result = []
    for p in pvalues:
        rates = [q * tests / sum(other <= q for other in pvalues) for q in pvalues if q >= p]
        result.append(min(1.0, *rates, 1.0))
    return result


# How large a difference is


def cohens_d(differences: Sequence[float]) -> float:
    """Mean over standard deviation; 0 without a mean, infinite without a spread."""
    mean, spread = statistics.fmean(differences), statistics.stdev(differences)
    if abs(mean) < 1e-13:
        return 0.0
    return math.copysign(math.inf, mean) if spread < 1e-13 else mean / spread


def rank_biserial(differences: Sequence[float]) -> float:
    """Ranks of |difference| in favour minus those against, over all; zeros left out."""
    sizes = [abs(value) for value in differences if value != 0]
    balance = 0.0
    for value in differences:
        smaller = sum(size < abs(value) for size in sizes)
        equal = sum(size == abs(value) for size in sizes)
        balance += sign(value) * (smaller + (equal + 1) / 2)
    return balance / (len(sizes) * (len(sizes) + 1) / 2) if sizes else 0.0


def two_way_anova(values: Sequence[Sequence[float]]) -> dict[str, tuple[float, float]]:
    """F and partial omega squared of systems and topics, from cells summed one by one."""
    systems, topics = len(values), len(values[0])
    grand = sum(map(sum, values)) / (systems * topics)
    rows = [sum(row) / topics for row in values]
    columns = [sum(row[t] for row in values) / systems for t in range(topics)]
    error = sum(
        (values[s][t] - rows[s] - columns[t] + grand) ** 2
        for s in range(systems)
        for t in range(topics)
    ) / ((systems - 1) * (topics - 1))
    out = {}
    for name, means, size in (("systems", rows, topics), ("topics", columns, systems)):
        df = len(means) - 1
        square = size * sum((mean - grand) ** 2 for mean in means) / df
        f = square / error
        cells = systems * topics
        # Olejnik and Algina (2003): variance of the effect over that of effect and error.
        effect = df * (square - error) / cells
        out[name] = (f, max(effect / (effect + error), 0.0))
    return out
