"""The precision to expect of gold labels, before any is collected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.catalogue import Measure
from hungjury.collection.align import Alignment
from hungjury.judges.merged import Merged
from hungjury.judges.panel import Panel
from hungjury.uncertainty.contrasts import contrasts_within, independent
from hungjury.uncertainty.correction import PANEL_ERROR, expected_contrasts
from hungjury.uncertainty.effects import effects_in_parts, scores_under
from hungjury.uncertainty.estimate import reported_rate
from hungjury.uncertainty.outlook import typical
from hungjury.uncertainty.panel_error import exposure_kernel, range_of
from hungjury.uncertainty.standing import of_differences

__all__ = ["BUDGETS", "doubt", "expected_differences"]

Floats = NDArray[np.float64]
BUDGETS = (100, 200, 500, 1000)
UNKNOWN = 0.5  # the doubt if there is only one judge, or if votes are probabilities
VOTES, ROUNDS = 20_000, 50  # votes that the doubt is estimated from, and rounds of EM


def expected_differences(
    measure: Measure, alignment: Alignment, merged: Merged, weight: Floats, budget: int
) -> list[tuple[int, float]]:
    """(labels, smallest detectable difference between two systems), typical over pairs.

    Grades are taken to be more uncertain than the votes on a document, as judges err together (see
    `doubt`). The panel's error is the one assumed before any gold label.
    """
    if len(alignment.systems) < 2:
        return []
    top = merged.max_grade
    grades = tuple(range(top + 1))
    labels = np.maximum(merged.sample(np.random.default_rng(0), 2), 0)
    scorer = Scorer(measure, alignment, top)
    assert merged.posterior is not None
    votes = merged.posterior
    unknown = doubt(merged.panel)
    usual = votes.mean(axis=0)
    if usual.max() == 1:  # all labels are the same: nothing to learn from
        return []
    chances = (1 - unknown) * votes + unknown * usual
    budgets = [n for n in sorted({*BUDGETS, budget}) if n <= len(weight)]
    drawn = labels[: 2 if scorer.native else 1]
    parts = effects_in_parts(scorer, drawn, grades, np.arange(len(weight)))
    turned = ((mine, effect.turned(independent(chances[mine]))) for mine, effect in parts)
    undecided = contrasts_within(turned, weight, budgets, len(alignment.systems))
    voted = merged.hard().labels
    assert voted is not None
    unit = range_of(measure, alignment.pool, voted, top)
    kernel = exposure_kernel(alignment)
    mean = scores_under(scorer, drawn).mean(axis=(0, 2))
    rate = reported_rate(measure, mean, len(alignment.pool.topics))
    each = np.outer(rate, rate)
    left = [expected_contrasts(found * each, kernel, PANEL_ERROR * unit) for found in undecided]
    needed = [typical(np.sqrt(of_differences(one))) for one in left]
    return list(zip(budgets, needed, strict=True))


def doubt(panel: Panel) -> float:
    """The weight of the overall grade distribution in predicting a person's grade from votes.

    One judge's label given the votes of the others is modelled as a mixture of those votes and of
    the grades of all documents; the weight of the latter is the most likely one over all
    judges. Judges err together, so that a person is further from the votes than another judge is:
    the doubt is applied twice.
    """
    votes = panel.counts()
    others = votes.sum(axis=1)[panel.document] > 1
    rows = np.flatnonzero(others)
    if panel.share is not None or not len(rows):
        return UNKNOWN
    rows = rows[np.linspace(0, len(rows) - 1, min(VOTES, len(rows))).astype(np.int64)]
    document, choice = panel.document[rows], panel.choice[rows]
    own = panel.weight[panel.judge[rows]]
    left = votes[document].sum(axis=1) - own
    agreeing = np.maximum(votes[document, choice] - own, 0) / np.maximum(left, 1e-12)
    if agreeing.min() > 1 - 1e-9:  # judges who never differ count as one judge
        return UNKNOWN
    usual = (votes.sum(axis=0) / votes.sum())[choice]
    share = UNKNOWN
    for _ in range(ROUNDS):
        by_chance = share * usual
        share = float(np.mean(by_chance / ((1 - share) * agreeing + by_chance)))
    return 1 - (1 - share) ** 2
