"""Uncertainty of differences between systems when only a sample of documents is labelled.

Effects are given topic by topic, as independent components of the uncertainty of a grade;
see `topic_effects`. The mean over systems is subtracted, so that only differences remain.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hungjury.stats.designs import expected_inclusion
from hungjury.uncertainty.correction import centred
from hungjury.uncertainty.topic_effects import Effects, Products

__all__ = ["contrasts", "contrasts_within", "independent"]

Floats = NDArray[np.float64]
Parts = Iterable[tuple[slice, Effects]]  # documents of the pool, and their effects


def independent(chances: Floats) -> Floats:
    """[document, grade, part]: turns effects of grades into independent components, one for each
    grade above the lowest.

    chances: [document, grade]. The components are a Cholesky factor of the covariance of the
    indicators of a document's grade, built by excluding one grade after the other.
    """
    documents, grades = chances.shape
    turn = np.zeros((documents, grades, grades - 1))
    rest = 1 - np.cumsum(chances[:, 1:], axis=1)  # not yet excluded, the lowest grade included
    before = rest + chances[:, 1:]
    for g in range(1, grades):
        left = np.maximum(rest[:, g - 1], 1e-300)
        known = chances[:, g] * rest[:, g - 1] / np.maximum(before[:, g - 1], 1e-300)
        size = np.sqrt(np.maximum(known, 0))
        turn[:, g, g - 1] = size
        turn[:, g + 1 :, g - 1] = -(size / left)[:, None] * chances[:, g + 1 :]
    return turn


def contrasts(parts: Parts, probability: Floats, systems: int) -> Floats:
    """[system, system]: the covariance of differences between systems, over samples drawn with
    these probabilities."""
    (found,) = _sums(parts, [(1 - probability) / probability], systems)
    return centred(found)


def contrasts_within(
    parts: Parts, weight: Floats, budgets: list[int], systems: int
) -> list[Floats]:
    """[system, system] for each budget: the covariance of differences between systems, over samples
    of that many documents drawn by weight.

    A document counts 1 / probability - 1 times, with probability min(1, c * weight). So two sums
    of products serve all budgets, without the documents that are certain to be labelled.
    """
    inclusion = [expected_inclusion(weight, n) for n in budgets]
    scale = [float((one / weight).max()) for one in inclusion]
    certain = [
        np.where(one >= 1, np.maximum(1 - 1 / (c * weight), 0), 0.0)
        for one, c in zip(inclusion, scale, strict=True)
    ]
    by_weight, plain, *sure = _sums(parts, [1 / weight, np.ones(len(weight)), *certain], systems)
    return [centred(by_weight / c - plain + one) for c, one in zip(scale, sure, strict=True)]


def _sums(parts: Parts, weights: list[Floats], systems: int) -> list[Floats]:
    """Products of effects, summed over documents, for each of the weights [document]."""
    products = Products(systems, weights)
    for documents, effects in parts:
        effects.add_to(products, documents)
    return products.finish()
