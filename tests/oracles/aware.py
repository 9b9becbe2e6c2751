"""Slow, obvious loops for AWARE's weights: the yardstick for the fast code.

Scores of one judge are a list of systems, each a list of topics. Nothing of the package is
imported.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence

from oracles import stats as naive_stats

Scores = Sequence[Sequence[float]]  # [system][topic]

BANDWIDTH = 0.015
POINTS = [i / 99 for i in range(100)]
FLOOR = 1e-12


def only(scores: Scores, topics: Sequence[int]) -> list[list[float]]:
    """The scores on some topics."""
    return [[row[t] for t in topics] for row in scores]


def system_means(scores: Scores) -> list[float]:
    return [statistics.fmean(row) for row in scores]


# How close two judges are: 1 for the same


def fro(mine: Scores, other: Scores) -> float:
    systems, topics = len(mine), len(mine[0])
    squares = 0.0
    for a, b in zip(mine, other, strict=True):
        for x, y in zip(a, b, strict=True):
            squares += (x - y) ** 2
    return 1 - math.sqrt(squares) / math.sqrt(topics * systems)


def rmse(mine: Scores, other: Scores) -> float:
    pairs = zip(system_means(mine), system_means(other), strict=True)
    return 1 - math.sqrt(statistics.fmean((x - y) ** 2 for x, y in pairs))


def trapezoid(values: Sequence[float]) -> float:
    step = POINTS[1] - POINTS[0]
    return sum(step * (a + b) / 2 for a, b in itertools.pairwise(values))


def density(scores: Scores) -> list[float]:
    """Gaussian kernels at all scores, on 100 points, rescaled to integral 1 and then floored."""
    values = [x for row in scores for x in row]
    heights = []
    for point in POINTS:
        kernels = [math.exp(-(((point - x) / BANDWIDTH) ** 2) / 2) for x in values]
        heights.append(sum(kernels) / (len(values) * BANDWIDTH * math.sqrt(2 * math.pi)))
    total = trapezoid(heights)
    return [max(height / total, FLOOR) for height in heights]


def kld(mine: Scores, other: Scores, beta: float = 1.0) -> float:
    f, g = density(mine), density(other)
    divergence = trapezoid([a * math.log(a / b) for a, b in zip(f, g, strict=True)])
    return math.exp(-beta * max(divergence, 0.0))


def tau(mine: Scores, other: Scores) -> float:
    value = naive_stats.kendall(system_means(mine), system_means(other))
    return 0.0 if math.isnan(value) else abs(value)


def apc(mine: Scores, other: Scores) -> float:
    """The judge is the truth, the random one the estimate."""
    return abs(naive_stats.tau_ap(system_means(other), system_means(mine)))


GAPS = {"fro": fro, "rmse": rmse, "kld": kld, "tau": tau, "apc": apc}


# Weights


def weight(kind: str, distances: Sequence[float]) -> float:
    if kind == "md":
        return min(distances)
    if kind == "msd":
        return min(d**2 for d in distances)
    return sum(distances)


def raw_weight(
    gap: str,
    kind: str,
    mine: Scores,
    random: Mapping[str, Sequence[Scores]],
    topics: Sequence[int],
    printed: bool,
) -> float:
    distances = []
    for replicates in random.values():
        close = statistics.fmean(
            GAPS[gap](only(mine, topics), only(other, topics)) for other in replicates
        )
        distances.append(close if printed else 1 - close)
    return weight(kind, distances)


def weights(
    name: str,
    panel: Sequence[Scores],
    random: Mapping[str, Sequence[Scores]],
    judged: Sequence[Sequence[bool]],
    printed: bool = False,
) -> list[list[float]]:
    """[judge][topic]; a judge has weight 0 on topics not judged."""
    granularity, gap, kind = name.split("_")
    out = [[0.0] * len(row) for row in judged]
    for k, mine in enumerate(panel):
        known = [t for t, yes in enumerate(judged[k]) if yes]
        for topics in [known] if granularity == "sgl" else [[t] for t in known]:
            value = raw_weight(gap, kind, mine, random, topics, printed)
            for t in topics:
                out[k][t] = value
    return normalised(out, judged)


def normalised(
    raw: Sequence[Sequence[float]], judged: Sequence[Sequence[bool]]
) -> list[list[float]]:
    out = [list(row) for row in raw]
    for t in range(len(judged[0])):
        who = [k for k in range(len(judged)) if judged[k][t]]
        total = sum(raw[k][t] for k in who)
        for k in who:
            out[k][t] = raw[k][t] / total if total > 0 else 1 / len(who)
    return out


def supervised(
    gap: str,
    panel: Sequence[Scores],
    gold: Scores,
    gold_topics: Sequence[int],
    judged: Sequence[Sequence[bool]],
) -> list[list[float]]:
    raw = []
    for k, mine in enumerate(panel):
        topics = [t for t in gold_topics if judged[k][t]]
        close = GAPS[gap](only(mine, topics), only(gold, topics))
        raw.append([close if yes else 0.0 for yes in judged[k]])
    return normalised(raw, judged)


def aware(panel: Sequence[Scores], a: Sequence[Sequence[float]]) -> list[list[float]]:
    """[system][topic]: the weighted mean over judges."""
    systems, topics = len(panel[0]), len(a[0])
    return [
        [sum(a[k][t] * panel[k][s][t] for k in range(len(panel))) for t in range(topics)]
        for s in range(systems)
    ]
