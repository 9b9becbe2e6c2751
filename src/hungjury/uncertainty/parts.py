"""Where uncertainty comes from, and draws of mean scores that hold each part of it once.

Scores are drawn per topic. What the draws leave open is of two kinds: noise that is independent
between topics and averages out over them, and errors that topics share (a judge's leniency, a
prior), which do not. The covariance over draws of the topic means holds both; that between topics
within draws, divided by their number, holds the first kind alone; the difference is the second.

For these topics alone (`topics`) the drawn means are what is wanted. For the topics to come
(`population`) topics are resampled too, but from the best estimates: drawn scores of different
topics differ by their label noise already, so that resampling them would count it twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hungjury.stats.bootstrap import bootstrap_means

__all__ = ["Parts", "mean_draws"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Parts:
    """Covariances [system, system] of the mean over topics, by cause."""

    topics: Floats  # which topics were asked; counts for a population only
    labels: Floats  # label noise, independent between topics
    shared: Floats  # what judges have in common on all topics
    population: bool
    number: int  # of topics

    @property
    def by_cause(self) -> dict[str, Floats]:
        """The parts that count, for these topics alone or for a population of them."""
        parts = {"topics": self.topics} if self.population else {}
        return parts | {"labels": self.labels, "judges": self.shared}

    @property
    def total(self) -> Floats:
        return np.asarray(sum(self.by_cause.values()))

    def shares(self) -> dict[str, float]:
        """Of the variance of a mean, on average over systems."""
        size = {name: float(np.trace(part)) for name, part in self.by_cause.items()}
        total = sum(size.values())
        return {name: value / total if total else 0.0 for name, value in size.items()}


def mean_draws(
    cells: Floats, draws: Floats, target: str, seed: np.random.SeedSequence
) -> tuple[Floats, Parts]:
    """Draws [draw, system] of the mean score, and their parts.

    cells: [system, topic], the best estimates. draws: [draw, system, topic].
    """
    labels, shared = _label_parts(draws)
    mean, topics = cells.mean(axis=1), cells.shape[1]
    between = np.atleast_2d(np.cov(cells)) / topics if topics > 1 else np.zeros_like(shared)
    parts = Parts(between, labels, shared, target == "population", topics)
    means = draws.mean(axis=2)
    means += mean - means.mean(axis=0)
    if parts.population:
        resampling, scaling = (np.random.default_rng(one) for one in seed.spawn(2))
        deviation = bootstrap_means(cells, len(draws), resampling) - mean
        # A bootstrap of n topics is too narrow by sqrt((n-1)/n), and normal where Student's t is
        # due: with one chi-square variable a draw it becomes that.
        means += deviation * np.sqrt(topics / scaling.chisquare(topics - 1, (len(draws), 1)))
    return means, parts


def _label_parts(draws: Floats) -> tuple[Floats, Floats]:
    """Covariances of the topic mean: noise that topics do not share, and errors that they do."""
    number, systems, topics = draws.shape
    off = draws - draws.mean(axis=0)
    means = off.mean(axis=2)
    total = means.T @ means / (number - 1)
    if topics == 1:
        return total, np.zeros_like(total)
    within = (off - means[:, :, None]).transpose(1, 0, 2).reshape(systems, -1)
    noise = within @ within.T / ((number - 1) * (topics - 1) * topics)
    value, vector = np.linalg.eigh(total - noise)
    return noise, (vector * np.maximum(value, 0)) @ vector.T
