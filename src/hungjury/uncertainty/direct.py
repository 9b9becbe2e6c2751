"""Scores on the people's scale, straight from gold labels: difference estimates.

Labels that people gave are used as they are, all others are predicted, and the errors of the
predictions on labelled documents, weighted by inverse inclusion probabilities, correct the result:

    theta_s = E[m_s | labels, predictions] + sum over labelled d of (1/pi_d - 1) phi_sd(g_d - p_d)

phi_sd is the effect of document d on the mean of system s (`effects`). The estimate is unbiased for
measures that add up over documents, and correct to first order for all others; with the whole pool
labelled it is the gold labels' own score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.uncertainty.effects import effects, scores_under
from hungjury.uncertainty.predict import Prediction
from hungjury.uncertainty.sample import Sample

__all__ = ["Direct", "contrasts", "direct", "topic_differences"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUGH, FINE = 2, 16  # draws that effects are averaged over: of all documents, of labelled ones
CALIBRATION = (0.3, 4.0)  # bounds of the factor between seen and predicted variance


@dataclass(frozen=True, eq=False)
class Direct:
    """Means of systems as people would score them, and what samples leave open about them."""

    mean: Floats  # [system]
    covariance: Floats  # [system, system]: over samples
    cells: Floats  # [system, topic]: expected scores given labels and predictions
    freedom: float = np.inf  # degrees of freedom of the covariance
    doubt: Floats | None = None  # [system, system]: what predictions leave open about these labels
    spread: Floats | None = None  # [system, document and grade]: see `contrasts`
    worst: Floats | float = 0.0  # [system]: how far documents that were skipped could move it


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
    everything = np.arange(labels.shape[1])
    rough = effects(scorer, labels[:ROUGH], sample.grades, everything)
    fine = effects(scorer, labels[:FINE], sample.grades, chosen)
    chances = prediction.chances
    expected = chances.copy()
    expected[chosen] = sample.shares
    share = np.stack([(place == g).mean(axis=0) for g in range(len(grades))], axis=1)
    # Labels were drawn where they should be summed over: effects tell what that changed.
    cells = values.mean(axis=0)
    model = cells.mean(axis=1) + np.tensordot(rough, expected - share, axes=([1, 2], [0, 1]))
    off = ((sample.shares - chances[chosen]) * fine).sum(axis=2)  # [system, labelled document]
    probability = sample.probability[chosen]
    seen = off / probability * np.sqrt(1 - probability)
    level = float((seen.mean(axis=0) ** 2).sum())
    spread = _spread(off, rough, chances, sample)
    moved = np.ptp(rough[:, sample.skipped], axis=2) / sample.probability[sample.skipped]
    return Direct(
        model + off @ (1 / probability - 1),
        contrasts(spread, sample.probability) + level + _disagreement(fine, sample),
        cells,
        doubt=np.atleast_2d(np.cov(values.mean(axis=2), rowvar=False)),
        spread=spread,
        worst=moved.sum(axis=1),
    )


def contrasts(spread: Floats, probability: Floats) -> Floats:
    """[system, system]: covariance of differences between systems, over samples drawn with these
    probabilities."""
    each = np.repeat((1 - probability) / probability, spread.shape[1] // len(probability))
    scaled = spread * np.sqrt(each)
    return np.asarray(scaled @ scaled.T)  # one array with itself: BLAS does half of the work


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


def _spread(off: Floats, effect: Floats, chances: Floats, sample: Sample) -> Floats:
    """[system, document and grade]: deviations of effects from their expectation and from their
    mean over systems, times the root of the probability that predictions give the grade; fitted in
    size to the errors `off` on labelled documents."""
    around = effect - (chances * effect).sum(axis=2, keepdims=True)
    around -= around.mean(axis=0)
    probability = sample.probability[sample.documents]
    weight = (1 - probability) / probability**2
    told = (chances * (around**2).mean(axis=0)).sum(axis=1)[sample.documents]
    seen, expected = float(weight @ off.var(axis=0)), float(weight @ told)
    factor = np.clip(seen / expected, *CALIBRATION) if expected > 0 else 1.0
    return np.asarray((around * np.sqrt(factor * chances)).reshape(len(effect), -1))


def _disagreement(effect: Floats, sample: Sample) -> Floats:
    """[system, system]: what other people would have labelled, where several labelled."""
    around = effect - (sample.shares * effect).sum(axis=2, keepdims=True)
    weight = sample.disagreement / sample.probability[sample.documents]
    parts = (around * np.sqrt(sample.shares * weight[:, None])).reshape(len(effect), -1)
    return np.asarray(parts @ parts.T)
