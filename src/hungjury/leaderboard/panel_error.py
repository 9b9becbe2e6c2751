"""Panel error: the error of a panel about systems, which agreement of its judges does not show.

Judges of one kind share errors that their labels cannot reveal. The mean that people would give a
system is modelled as theta_s = M_s + b + u_s. M_s is the panel's mean. The level b is the same for
all systems: it never changes a ranking, and only human labels can estimate it. u ~ N(0, tau² K)
is the panel's error about single systems. K is the cosine of what two systems show their
users: similar systems share their error, dissimilar ones do not. tau is in units of the
measure's range and itself uncertain: log-normal around a size measured on public panels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.pool import Pool
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure

__all__ = ["MEASURED", "PEOPLE", "PanelError", "exposure_kernel",
           "normal_draws", "range_of"]  # fmt: skip

SPREAD = 0.4  # standard deviation of the logarithm of tau
MEASURED = (0.023, 0.046)  # of LLM panels on public collections: docs/leaderboard.md
PEOPLE = 0.025  # of one person's labels against another's: the same
DEPTH = 10  # ranks that make up what a system shows
ROUNDING = 1e-12  # of the largest eigenvalue: smaller ones are noise


class PanelError(Record, eq=False):
    """The distribution of u, in the measure's own units."""

    size: float  # the median of tau
    kernel: Floats  # [system, system]

    @property
    def covariance(self) -> Floats:
        """[system, system], tau integrated out: E[tau²] = size² exp(2 SPREAD²)."""
        return np.asarray(self.size**2 * np.exp(2 * SPREAD**2) * self.kernel)

    def draw(self, number: int, rng: np.random.Generator) -> Floats:
        """[draw, system]: every draw has a tau of its own.

        The taus are the quantiles of their distribution in random order, so drawing them adds
        no noise to the results.
        """
        from statistics import NormalDist  # scipy.special is slow to import

        quantile = (rng.permutation(number) + 0.5) / number
        tau = self.size * np.exp(SPREAD * np.array([*map(NormalDist().inv_cdf, quantile)]))
        return np.asarray(tau[:, None] * normal_draws(self.kernel, number, rng))


def exposure_kernel(alignment: Alignment) -> Floats:
    """[system, system]: the cosine of what two systems show in their first ten ranks.

    A system shows a document by the rank discount 1 / log2(1 + rank), added up over topics.
    Documents outside the pool are left out. A system without any pooled document has no panel
    error: its row is 0.
    """
    systems, topics = alignment.shape
    near = alignment.upto(DEPTH)
    order = np.argsort(near.start, kind="stable")
    system = np.repeat((order // topics).astype(np.int32), (near.stop - near.start)[order])
    shown = np.where(near.rank <= DEPTH, 1 / np.log2(1.0 + near.rank), 0.0)
    dot = native.row_products(system, near.document, shown, shown, systems, len(alignment.pool))
    length = np.sqrt(np.diag(dot))
    length[length == 0] = np.inf
    kernel = np.asarray(dot / np.outer(length, length))
    retrieved = (alignment.stop > alignment.start).reshape(alignment.shape)
    np.fill_diagonal(kernel, retrieved.any(axis=1))
    return kernel


def range_of(measure: Measure, pool: Pool, labels: NDArray[np.int16], top: int) -> float:
    """The unit of panel errors: the measure's range.

    For an unbounded measure it is the largest score that an order of the pool can have by these
    labels, averaged over topics: the mean ideal score, and where smaller scores are better the
    mean of the worst ones. If all labels are the same and that is 0, every other document is taken
    as relevant. Measures that are added up over topics have the sum.
    """
    each = len(pool.topics) if measure.average == "sum" else 1
    if np.isfinite(measure.high) and np.isfinite(measure.low):
        return (measure.high - measure.low) * each
    largest = _largest_mean(measure, pool, labels, top)
    if not largest:
        mixed = np.where(np.arange(len(pool)) % 2, 0, 1).astype(np.int16)
        largest = _largest_mean(measure, pool, mixed, max(top, 1))
    return (largest or 1.0) * each


def _largest_mean(measure: Measure, pool: Pool, labels: NDArray[np.int16], top: int) -> float:
    """Of the scores of the pools in order of their labels, ascending or descending."""
    extremes = []
    for sign in (-1, 1):
        lists = _one_list_a_topic(pool, np.lexsort((sign * labels, pool.topic_of)))
        extremes.append(Scorer(measure, lists, top).filled(labels[None])[0, 0])
    return float(np.maximum(*extremes).mean())


def _one_list_a_topic(pool: Pool, order: NDArray[np.intp]) -> Alignment:
    """A system that retrieves every topic's whole pool in this order."""
    from hungjury.data.runs import RunPolicy

    size = np.diff(pool.offsets)
    rank = np.arange(len(pool)) - np.repeat(pool.offsets[:-1], size) + 1
    return Alignment(
        pool=pool,
        systems=["ideal"],
        policy=RunPolicy(),
        depth=None,
        start=pool.offsets[:-1],
        stop=pool.offsets[1:],
        length=size.astype(np.int32),
        rank=rank.astype(np.int32),
        document=order.astype(np.int32),
    )


def normal_draws(covariance: Floats, number: int, rng: np.random.Generator) -> Floats:
    """[draw, system]: normal deviations with this covariance, which may be singular.

    They are rounded to far below the precision that matters: equal systems get equal draws.
    """
    value, vector = np.linalg.eigh(covariance)
    value[value < ROUNDING * value.max(initial=0)] = 0
    root = vector * np.sqrt(value)
    scale = float(np.sqrt(np.diag(covariance).max(initial=0)))
    drawn = rng.standard_normal((number, len(covariance))) @ root.T
    return np.asarray(np.round(drawn / scale, 9) * scale if scale else drawn)
