"""Slow, obvious loops for scalings of labels on an open scale. Nothing of the package is imported.

A label is (judge, topic, document, value). A scaling is applied to each set of labels that are
scaled together: those of a judge, of a judge on a topic, or all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Label = tuple[str, str, str, float]
Scale = Callable[[float, Sequence[float]], float]


def geometric(x: float, others: Sequence[float], k: float = 1.0) -> float:
    """Odds are the ratio to the geometric mean, to the power k."""
    mean = 1.0
    for y in others:
        mean *= y ** (1 / len(others))
    return x**k / (x**k + mean**k)


def median(x: float, others: Sequence[float], k: float = 1.0) -> float:
    """Odds are the ratio to the median, to the power k."""
    ordered = sorted(others)
    half = len(ordered) // 2
    middle = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return x**k / (x**k + middle**k)


def linear(
    x: float, others: Sequence[float], low: float | None = None, high: float | None = None
) -> float:
    """The place between two ends: those given, else the smallest and the largest label."""
    bottom = min(others) if low is None else low
    top = max(others) if high is None else high
    return (x - bottom) / (top - bottom)


def percentile(x: float, others: Sequence[float]) -> float:
    """The share of labels that are lower; equal ones, itself among them, count half."""
    share = 0.0
    for y in others:
        share += 1.0 if y < x else 0.5 if y == x else 0.0
    return share / len(others)


def scaled(labels: Sequence[Label], scale: Scale, by: str) -> dict[tuple[str, str, str], float]:
    """The probability of every (judge, topic, document)."""
    out = {}
    for judge, topic, document, x in labels:
        others = []
        for other_judge, other_topic, _, y in labels:
            if (by == "all" or other_judge == judge) and (by != "topic" or other_topic == topic):
                others.append(y)
        out[judge, topic, document] = scale(x, others)
    return out
