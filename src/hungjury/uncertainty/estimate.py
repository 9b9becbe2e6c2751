"""The basis of a leaderboard: means of systems, and draws that express their uncertainty."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure
from hungjury.choices import Target
from hungjury.collection.judgments import Judgments
from hungjury.judges.merging import merge
from hungjury.records import Record
from hungjury.uncertainty.drawn import Drawn, Setting
from hungjury.uncertainty.panel_error import PanelError, exposure_kernel, range_of
from hungjury.uncertainty.parts import Parts, mean_draws

__all__ = ["Estimate", "as_reported", "panel_error_of", "panel_estimate", "reported_rate"]

Floats = NDArray[np.float64]


class Estimate(Record, eq=False):
    """Means as they are reported, in the order of the alignment's systems.

    On the "panel" scale `means` are the panel's means with other topics or labels,
    and `draws` adds the panel error: these say who is better by people's labels, but nothing about
    the level, nor about the size of a difference.
    """

    scale: str  # "panel", or "people" where gold labels corrected the means
    mean: Floats  # [system]
    cells: Floats  # [system, topic]: what is averaged to give the means
    means: Floats  # [draw, system], for intervals
    draws: Floats  # [draw, system], for ranks, chances and groups
    parts: Parts
    together: bool  # are systems told apart with all pairs taken together?


def panel_estimate(
    drawn: Drawn,
    measure: Measure,
    target: Target,
    layer: PanelError | None,
    seed: np.random.SeedSequence,
) -> Estimate:
    """The panel's means, with the panel's possible error."""
    means_seed, error_seed = seed.spawn(2)
    mean, topics = drawn.cells.mean(axis=1), drawn.cells.shape[1]
    rate = reported_rate(measure, mean, topics)
    panel = None if layer is None else layer.covariance / np.outer(rate, rate)
    means, parts = mean_draws(drawn.cells, drawn.draws, target, means_seed, panel)
    shown = as_reported(measure, topics)
    means = draws = shown(means)
    if layer is not None:
        draws = means + layer.draw(len(means), np.random.default_rng(error_seed))
    return Estimate(
        scale="panel",
        mean=shown(mean),
        cells=drawn.cells,
        means=means,
        draws=draws,
        parts=parts.scaled(rate),
        together=layer is None,
    )


def panel_error_of(
    size: float, judgments: Judgments, drawn: Drawn, setting: Setting
) -> PanelError | None:
    """The layer for a panel error of `size` times the measure's range; None for 0."""
    if not size:
        return None
    voted = merge(judgments, "binmv", setting.rel).hard()
    assert voted.labels is not None
    unit = range_of(setting.measure, voted.pool, voted.labels, voted.max_grade)
    return PanelError(size * unit, exposure_kernel(drawn.alignment))


def as_reported(measure: Measure, topics: int) -> Callable[[Floats], Floats]:
    """Means over topics as reported: geometric means and sums are not averages.

    Logarithms of few topics may be drawn far above that of the largest score.
    """
    if measure.average == "gmean":
        return lambda mean: np.exp(np.minimum(mean, np.log(measure.high)))
    return (lambda mean: mean * topics) if measure.average == "sum" else (lambda mean: mean)


def reported_rate(measure: Measure, mean: Floats, topics: int) -> Floats:
    """[system]: the change of a reported mean per change of the mean over topics."""
    if measure.average == "gmean":
        return np.asarray(np.exp(mean))
    return np.full(len(mean), float(topics) if measure.average == "sum" else 1.0)
