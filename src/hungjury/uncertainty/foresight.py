"""What to expect of gold labels before any is bought."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.catalogue import Measure
from hungjury.collection.align import Alignment
from hungjury.judges.merged import Merged
from hungjury.stats.designs import expected_inclusion
from hungjury.uncertainty.correction import PANEL_ERROR, expected_contrasts
from hungjury.uncertainty.direct import contrasts
from hungjury.uncertainty.effects import effects
from hungjury.uncertainty.outlook import typical
from hungjury.uncertainty.panel_error import exposure_kernel, range_of
from hungjury.uncertainty.standing import of_differences

__all__ = ["BUDGETS", "expected_differences"]

Floats = NDArray[np.float64]
BUDGETS = (100, 200, 500, 1000)
DOUBT = 0.3  # of a document's grade is left to the grades of all documents, beside the votes on it


def expected_differences(
    measure: Measure, alignment: Alignment, merged: Merged, weight: Floats, budget: int
) -> list[tuple[int, float]]:
    """(labels, difference between two systems that can just be told apart), typical over pairs.

    Grades are taken as uncertain as the votes on a document, and more: judges err together. The
    panel's error is the one that is assumed before any gold label.
    """
    if len(alignment.systems) < 2:
        return []
    top = merged.max_grade
    grades = tuple(range(top + 1))
    labels = np.maximum(merged.sample(np.random.default_rng(0), 2), 0)
    scorer = Scorer(measure, alignment, top)
    effect = effects(scorer, labels[: 2 if scorer.native else 1], grades, np.arange(len(weight)))
    assert merged.posterior is not None
    votes = merged.posterior
    chances = (1 - DOUBT) * votes + DOUBT * votes.mean(axis=0)
    around = effect - (chances * effect).sum(axis=2, keepdims=True)
    around -= around.mean(axis=0)
    spread = (around * np.sqrt(chances)).reshape(len(effect), -1)
    voted = merged.hard().labels
    assert voted is not None
    unit = range_of(measure, alignment.pool, voted, top)
    kernel = exposure_kernel(alignment)
    out = []
    for number in sorted({*BUDGETS, budget}):
        if number <= len(weight):
            left = contrasts(spread, expected_inclusion(weight, number))
            left = expected_contrasts(left, kernel, PANEL_ERROR * unit)
            out.append((number, typical(np.sqrt(of_differences(left)))))
    return out
