"""How well a panel does by gold labels: correlations, and the effective number of judges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.judgments import Judgments
from hungjury.judges.gold_errors import effective_judges, error_correlation
from hungjury.judges.judge_scores import label_matrix
from hungjury.judges.panel import Panel
from hungjury.uncertainty.corrected import Interval
from hungjury.uncertainty.drawn import Setting
from hungjury.uncertainty.sample import Sample

__all__ = ["agreement_with_sample", "central_interval", "correlation_with_people",
           "effective_number"]  # fmt: skip

Floats = NDArray[np.float64]


def central_interval(values: Floats, middle: float) -> Interval:
    """The middle, and the central 95 % of draws."""
    low, high = np.quantile(values, [0.025, 0.975])
    return middle, float(low), float(high)


def correlation_with_people(panel: Floats, draws: Floats) -> Interval:
    """Correlation of the panel's means with draws of those of people, over systems."""
    ours, theirs = panel - panel.mean(), draws - draws.mean(axis=1, keepdims=True)
    size = np.sqrt((ours**2).sum() * (theirs**2).sum(axis=1))
    values = np.divide(theirs @ ours, size, out=np.zeros(len(size)), where=size > 0)
    return central_interval(values, float(np.median(values)))


def agreement_with_sample(sample: Sample, judgments: Judgments, setting: Setting) -> Interval:
    """Correlation of mean votes with gold grades, with a 95 % interval by Fisher's transform; 0
    where either is the same for all documents."""
    panel = Panel.of(judgments, setting.rel)
    votes = panel.counts()[sample.documents]
    share = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)
    said = share @ np.array(panel.grades, dtype=float)
    gold = sample.shares @ np.array(sample.grades, dtype=float)
    number = len(gold)
    if number < 4 or np.ptp(said) == 0 or np.ptp(gold) == 0:
        return 0.0, -1.0, 1.0
    found = float(np.corrcoef(said, gold)[0, 1])
    half = 1.96 / np.sqrt(number - 3)
    middle = np.arctanh(np.clip(found, -1 + 1e-12, 1 - 1e-12))
    return found, float(np.tanh(middle - half)), float(np.tanh(middle + half))


def effective_number(sample: Sample, judgments: Judgments, setting: Setting) -> float | None:
    """How many independent judges would err as little as these; None if unknown."""
    if judgments.soft:
        return None
    labels, _ = label_matrix(judgments, setting.rel)
    mine = labels[:, sample.documents].astype(float)
    gold = sample.shares @ np.array(sample.grades, dtype=float)
    errors = np.where(mine < 0, np.nan, mine) - gold
    correlation = error_correlation(errors, 1 / sample.probability[sample.documents])
    number = effective_judges(correlation)
    return None if np.isnan(number) else number
