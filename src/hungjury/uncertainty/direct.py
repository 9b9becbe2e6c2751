"""Scores on the people's scale, straight from gold labels: difference estimates.

Labels that people gave are used as they are, all others are predicted, and the errors of the
predictions on labelled documents, weighted by inverse inclusion probabilities, correct the result:

    theta_s = E[m_s | labels, predictions] + sum over labelled d of (1/pi_d - 1) phi_sd(g_d - p_d)

phi_sd is the effect of document d on the mean of system s (`effects`). The estimate is unbiased for
measures that add up over documents, and correct to first order for all others; with the whole pool
labelled it is the gold labels' own score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.records import Record
from hungjury.uncertainty.contrasts import contrasts, contrasts_within, independent
from hungjury.uncertainty.effects import effects_in_parts, scores_under
from hungjury.uncertainty.predict import Prediction
from hungjury.uncertainty.sample import Sample
from hungjury.uncertainty.topic_effects import Effects, Products

__all__ = ["Direct", "Spread", "direct", "topic_differences"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUGH, FINE = 2, 16  # draws that effects are averaged over: of all documents, of labelled ones
CALIBRATION = (0.3, 4.0)  # bounds of the factor between seen and predicted variance


class Spread(Record, eq=False):
    """The expected errors of predictions, as independent components."""

    scorer: Scorer
    labels: NDArray[np.int16]  # [draw, document of the pool]
    grades: tuple[int, ...]
    chances: Floats  # [document of the pool, grade]
    factor: float = 1.0  # fits their variance to the errors seen on labelled documents

    def parts(self, documents: Ints | None = None) -> Iterator[tuple[slice, Effects]]:
        """Components of some documents of the pool, or of all of them; without the factor."""
        if documents is None:
            documents = np.arange(len(self.chances))
        for mine, effect in effects_in_parts(self.scorer, self.labels, self.grades, documents):
            yield mine, effect.turned(independent(self.chances[documents[mine]]))

    def contrasts(self, probability: Floats) -> Floats:
        """[system, system]: covariance of differences, over samples with these probabilities."""
        return self.factor * contrasts(self.parts(), probability, self.systems)

    def contrasts_within(self, weight: Floats, budgets: list[int]) -> list[Floats]:
        """The same for samples of that many documents, drawn by weight."""
        found = contrasts_within(self.parts(), weight, budgets, self.systems)
        return [self.factor * one for one in found]

    @property
    def systems(self) -> int:
        return len(self.scorer.alignment.systems)

    def fitted(self, sample: Sample, variance: Floats) -> Spread:
        """With the factor that fits it to the variance over systems [labelled document] of the
        errors seen there."""
        expected = np.empty(len(sample.documents))
        for mine, parts in self.parts(sample.documents):
            expected[mine] = parts.table().var(axis=0).sum(axis=1)
        probability = sample.probability[sample.documents]
        weight = (1 - probability) / probability**2
        total = float(weight @ expected)
        factor = np.clip(float(weight @ variance) / total, *CALIBRATION) if total > 0 else 1.0
        return replace(self, factor=float(factor))


class Direct(Record, eq=False):
    """Means of systems as people would score them, and their covariance over samples."""

    mean: Floats  # [system]
    covariance: Floats  # [system, system]: over samples
    cells: Floats  # [system, topic]: expected scores given labels and predictions
    freedom: float = np.inf  # degrees of freedom of the covariance
    doubt: Floats | None = None  # [system, system]: covariance due to uncertain predictions
    spread: Spread | None = None  # gives the covariance under other samples
    worst: Floats | float = 0.0  # [system]: how far skipped documents could move the mean


def direct(
    scorer: Scorer, sample: Sample, prediction: Prediction, rng: np.random.Generator
) -> Direct:
    """Direct estimates of all systems' means.

    Notes
    -----
    Differences between systems have a smoothed covariance: the variance that the predictions
    themselves expect, over all documents of the pool, times a factor that fits it to the errors
    seen on labelled documents. The variance of the level that all systems share is
    Horvitz-Thompson's, from the errors seen alone.
    """
    grades, chosen = np.array(sample.grades, dtype=np.int16), sample.documents
    place = prediction.draw(rng)
    place[:, chosen] = _drawn(sample.shares, len(place), rng)
    labels = grades[place]
    values = scores_under(scorer, labels)
    rough = labels[:ROUGH]
    chances = prediction.chances
    expected = chances.copy()
    expected[chosen] = sample.shares
    share = np.stack([(place == g).mean(axis=0) for g in range(len(grades))], axis=1)
    cells = values.mean(axis=0)
    mean = cells.mean(axis=1)
    # Labels were drawn, not summed over: correct for the difference by the effects.
    everything = np.arange(labels.shape[1])
    for mine, effect in effects_in_parts(scorer, rough, sample.grades, everything):
        mean += effect.summed((expected - share)[mine])
    worst, skipped = np.zeros(len(mean)), np.sort(sample.skipped)
    for mine, effect in effects_in_parts(scorer, rough, sample.grades, skipped):
        worst += np.ptp(effect.table(), axis=2) @ (1 / sample.probability[skipped[mine]])
    seen = _errors(scorer, labels[:FINE], sample, chances)
    spread = Spread(scorer, rough, sample.grades, chances).fitted(sample, seen.variance)
    return Direct(
        mean + seen.total,
        spread.contrasts(sample.probability) + seen.level + seen.disagreement,
        cells,
        doubt=np.atleast_2d(np.cov(values.mean(axis=2), rowvar=False)),
        spread=spread,
        worst=worst,
    )


class _Errors(Record, eq=False):
    """Effects of prediction errors on labelled documents on the systems' means."""

    total: Floats  # [system]: weighted by 1 / probability - 1
    level: float  # the variance over samples that all systems share
    variance: Floats  # [labelled document]: over systems
    disagreement: Floats  # [system, system]: covariance over the people who label


def _errors(scorer: Scorer, labels: NDArray[np.int16], sample: Sample, chances: Floats) -> _Errors:
    chosen = sample.documents
    probability, off = sample.probability[chosen], sample.shares - chances[chosen]
    systems = len(scorer.alignment.systems)
    total, variance, level = np.zeros(systems), np.empty(len(chosen)), 0.0
    products = Products(systems, [sample.disagreement / probability])
    turn = independent(sample.shares)
    for mine, effect in effects_in_parts(scorer, labels, sample.grades, chosen):
        error = effect.turned(off[mine, :, None]).table()[:, :, 0]  # [system, document]
        pi = probability[mine]
        total += error @ (1 / pi - 1)
        level += float(((error.mean(axis=0) / pi) ** 2 @ (1 - pi)).sum())
        variance[mine] = error.var(axis=0)
        effect.turned(turn[mine]).add_to(products, mine)
    return _Errors(total, level, variance, products.finish()[0])


def topic_differences(panel: Floats, gold: Floats, topics: Ints) -> Direct:
    """The panel's means corrected by its mean error on random topics that people labelled wholly.

    Parameters
    ----------
    panel
        The panel's scores [system, topic].
    gold
        Scores [system, labelled topic] by gold labels.
    topics
        Positions of the labelled topics.
    """
    off = gold - panel[:, topics]
    number, all_topics = len(topics), panel.shape[1]
    left = 1 - number / all_topics
    covariance = np.atleast_2d(np.cov(off)) * left / number
    cells = panel + off.mean(axis=1, keepdims=True)
    cells[:, topics] = gold
    mean = panel.mean(axis=1) + off.mean(axis=1)
    return Direct(mean, covariance, cells, max(number - 1, 1))


def _drawn(shares: Floats, draws: int, rng: np.random.Generator) -> Ints:
    """[draw, document]: the place of one person's label."""
    upto = np.cumsum(shares[:, :-1], axis=1)
    return np.asarray((rng.random((draws, len(shares), 1)) >= upto - 1e-12).sum(axis=2))
