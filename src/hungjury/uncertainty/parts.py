"""Sources of uncertainty, and draws of mean scores that contain each of them once.

Scores are drawn per topic. Their uncertainty is of two kinds: noise that is independent
between topics and averages out over them, and errors that topics share (a judge's leniency, a
prior), which do not. The covariance over draws of the topic means holds both; that between topics
within draws, divided by their number, holds the first kind alone; the difference is the second.

For these topics alone (`topics`) the drawn means are used directly. For topics like these
(`population`) topics are resampled too, but from the best estimates: drawn scores of different
topics differ by their label noise already, so that resampling them would count it twice.

If a panel error is added to the means, it replaces the errors that topics share: they
are part of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import Target
from hungjury.records import Record
from hungjury.stats.bootstrap import bootstrap_means
from hungjury.uncertainty.panel_error import normal_draws
from hungjury.uncertainty.score_draws import ScoreDraws

__all__ = ["Parts", "mean_draws", "people_parts", "topic_deviations"]

Floats = NDArray[np.float64]


class Parts(Record, eq=False):
    """Covariances [system, system] of the mean over topics, by cause."""

    topics: Floats  # which topics were asked; counts for a population only
    labels: Floats  # label noise, independent between topics
    shared: Floats | None  # errors of judges that topics share; None if `panel` is given
    population: bool
    number: int  # of topics
    panel: Floats | None = None  # panel error, which replaces `shared`
    gold: Floats | None = None  # uncertainty left by gold labels; replaces all parts but `topics`

    @property
    def by_cause(self) -> dict[str, Floats]:
        """The parts that count, for these topics alone or for a population of them."""
        parts = {"topics": self.topics} if self.population else {}
        if self.gold is not None:
            return parts | {"gold": self.gold}
        parts["labels"] = self.labels
        if self.shared is not None:
            return parts | {"judges": self.shared}
        return parts if self.panel is None else parts | {"panel": self.panel}

    @property
    def total(self) -> Floats:
        return np.asarray(sum(self.by_cause.values()))

    def scaled(self, rate: Floats) -> Parts:
        """Covariances of the means multiplied by `rate` [system]."""
        each = np.outer(rate, rate)
        names = ("topics", "labels", "shared", "panel", "gold")
        parts = {name: getattr(self, name) for name in names}
        return replace(self, **{n: part * each for n, part in parts.items() if part is not None})

    def shares(self) -> dict[str, float]:
        """Shares of the variance of a difference, averaged over pairs; of a mean for one system."""
        size = {name: _size(part) for name, part in self.by_cause.items()}
        total = sum(size.values())
        return {name: value / total if total else 0.0 for name, value in size.items()}


def _size(covariance: Floats) -> float:
    """Its contribution to the variance of differences between systems: the centred trace."""
    if len(covariance) == 1:
        return float(covariance[0, 0])
    return float(np.trace(covariance) - covariance.mean() * len(covariance))


def mean_draws(
    cells: Floats,
    draws: ScoreDraws,
    target: Target,
    seed: np.random.SeedSequence,
    panel: Floats | None = None,
) -> tuple[Floats, Parts]:
    """Draws [draw, system] of the panel's mean score, and their parts.

    cells: [system, topic], the best estimates. draws: a summary of the drawn scores.
    panel: the covariance of a panel error to be added to the means. The draws then do not contain
    the errors that topics share.
    """
    labels, total = _label_parts(draws)
    mean, topics = cells.mean(axis=1), cells.shape[1]
    between = np.atleast_2d(np.cov(cells)) / topics if topics > 1 else np.zeros_like(labels)
    shared = _positive(total - labels) if panel is None else None
    parts = Parts(between, labels, shared, target == "population", topics, panel)
    resampling, scaling, noise = (np.random.default_rng(one) for one in seed.spawn(3))
    if panel is None:
        means = draws.means + (mean - draws.means.mean(axis=0))
    else:
        means = mean + normal_draws(labels, len(draws), noise)
    if parts.population:
        means += topic_deviations(cells, len(draws), resampling, scaling)
    return means, parts


def topic_deviations(
    cells: Floats, number: int, resampling: np.random.Generator, scaling: np.random.Generator
) -> Floats:
    """[draw, system]: deviations of the mean over other topics from the mean over these."""
    deviation = bootstrap_means(cells, number, resampling) - cells.mean(axis=1)
    # A bootstrap of n topics is too narrow by sqrt((n-1)/n), and normal where Student's t is due:
    # with one chi-square variable a draw it becomes that.
    topics = cells.shape[1]
    return np.asarray(deviation * np.sqrt(topics / scaling.chisquare(topics - 1, (number, 1))))


def people_parts(gold: Floats, cells: Floats, population: bool) -> Parts:
    """Parts of means that gold labels corrected: `gold` is the covariance for these topics."""
    nothing = np.zeros_like(gold)
    topics = cells.shape[1]
    between = np.atleast_2d(np.cov(cells)) / topics if topics > 1 else nothing
    return Parts(between, nothing, None, population, topics, gold=gold)


def _label_parts(draws: ScoreDraws) -> tuple[Floats, Floats]:
    """Covariances of the topic mean: due to independent noise alone, and in total."""
    number, topics = len(draws), draws.cells.shape[1]
    means = draws.means - draws.means[0]  # exactly 0 where all draws are the same
    means -= means.mean(axis=0)
    together = means.T @ means
    total = together / (number - 1)
    if topics == 1:
        return total, total
    within = draws.products - topics * together
    return within / ((number - 1) * (topics - 1) * topics), total


def _positive(covariance: Floats) -> Floats:
    """The nearest covariance without negative variances."""
    value, vector = np.linalg.eigh(covariance)
    return np.asarray((vector * np.maximum(value, 0)) @ vector.T)
