"""Panel error: the error of a panel about systems, which agreement of its judges does not show.

Judges of one kind share errors that their labels cannot reveal. The mean that people would give a
system is modelled as theta_s = M_s + b + u_s. M_s is the panel's mean. The level b is the same for
all systems: it never changes a ranking, and only human labels can estimate it. u ~ N(0, tau² K)
is the panel's error about single systems. K is the cosine of what two systems show their
users: similar systems share their error, dissimilar ones do not. tau is in units of the
measure's range and itself uncertain: log-normal around a size measured on public panels.

Panel and gold labels combined: small-area estimation on differences between systems.

A few hundred gold labels fix the level of all systems well and each single system badly, while a
panel ranks systems well and gets the level wrong. So the level comes from the direct estimates, and
differences between systems from both (Fay and Herriot 1979): with H centring over systems,
H theta = c H M + H u, u ~ N(0, tau² K), and the direct estimate is H theta plus its own error. The
slope c and the panel's error tau are unknown; both are integrated over on a grid.

Effects are given topic by topic, as independent components of the uncertainty of a grade;
see `topic_effects`. The mean over systems is subtracted: only differences remain.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.pool import Pool
from hungjury.leaderboard.effects import Effects, Products
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure
from hungjury.stats.resampling import expected_inclusion

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


PANEL_ERROR = 0.06  # median of tau before any label, in units of the measure's range
TAU_SPREAD, SLOPE_SPREAD = 0.4, 0.5  # standard deviations of their logarithms
GRID = 33  # values of tau, and of the slope
REACH = 4.0  # standard deviations on either side that the grid covers
NEAR = 0.2  # weight of the kernel itself; the rest is its square, which reaches further
RIDGE = 1e-6  # of tau²: systems that show the same documents may still differ a little


class Combined(Record, eq=False):
    """Posterior of the systems' means given panel and gold labels."""

    mean: Floats  # [system]
    covariance: Floats  # [system, system]
    draws: Floats  # [draw, system]
    slope: tuple[float, float, float]  # median and interval
    tau: tuple[float, float, float]  # the same, in the measure's units


def wide_kernel(kernel: Floats) -> Floats:
    """The kernel of panel errors on contrasts: 0.2 HKH + 0.8 (HKH)², of the same mean variance.

    The cosine alone is too short-ranged: systems that share no documents share errors with those
    in between.
    """
    near = centred(kernel)
    size = np.trace(near)
    if size <= ROUNDING * np.trace(kernel):  # all systems show the same documents
        return np.zeros_like(kernel)
    far = near @ near
    return np.asarray(NEAR * near + (1 - NEAR) * far * (size / np.trace(far)))


def combine_estimates(
    direct: Floats,
    covariance: Floats,
    panel: Floats,
    kernel: Floats,
    unit: float,
    draws: int,
    rng: np.random.Generator,
    level: float = 0.95,
) -> Combined:
    """Combine direct estimates with a panel's means.

    Parameters
    ----------
    direct, covariance
        Estimates [system] from gold labels, and their covariance.
    panel
        The panel's means [system].
    kernel
        How two systems share the panel's error, before `wide_kernel`.
    unit
        The measure's range.
    draws, rng
        Draws of the means from the posterior.
    level
        Level of the intervals.
    """
    systems = len(direct)
    forth, back, noise = _axes(covariance, wide_kernel(kernel))
    seen, said = forth @ direct, forth @ panel  # on axes where all parts are independent
    log_tau = np.log(PANEL_ERROR * unit) + TAU_SPREAD * np.linspace(-REACH, REACH, GRID)
    log_slope = SLOPE_SPREAD * np.linspace(-REACH, REACH, GRID)
    tau, slope = (np.exp(one).ravel() for one in np.meshgrid(log_tau, log_slope, indexing="ij"))
    spread = tau[:, None] ** 2 + noise  # [grid point, axis]
    off = seen - slope[:, None] * said
    prior = ((np.log(tau) - log_tau[GRID // 2]) / TAU_SPREAD) ** 2
    prior += (np.log(slope) / SLOPE_SPREAD) ** 2
    log_weight = -0.5 * ((np.log(spread) + off**2 / spread).sum(axis=1) + prior)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    trust = tau[:, None] ** 2 / spread  # in the direct estimate
    centre = slope[:, None] * said + trust * off
    within = trust * noise
    mean = weight @ centre
    around = centre - mean
    cover = np.diag(weight @ within) + (around * weight[:, None]).T @ around
    shared_variance = float(covariance.mean())
    at = _quantiles(weight, draws, rng)
    drawn = centre[at] + np.sqrt(within[at]) * rng.standard_normal((draws, len(noise)))
    shared = direct.mean() + np.sqrt(shared_variance) * rng.standard_normal((draws, 1))
    return Combined(
        direct.mean() + back @ mean,
        back @ cover @ back.T + np.full((systems, systems), shared_variance),
        shared + drawn @ back.T,
        _summary(slope, weight, level),
        _summary(tau, weight, level),
    )


def expected_contrasts(covariance: Floats, kernel: Floats, tau: float) -> Floats:
    """[system, system]: remaining covariance of differences between systems, given direct estimates
    with this covariance together with a panel whose error is `tau`.

    With both covariances on contrasts, that is A (A + B)^-1 B.
    """
    systems = len(kernel)
    wide = wide_kernel(kernel)
    size = np.trace(wide) / max(systems - 1, 1) or 1.0
    panel = tau**2 * (wide + RIDGE * size * (np.eye(systems) - 1 / systems))
    error = centred(covariance)
    # Neither says anything about the level; a constant makes the sum invertible, and drops out.
    level = np.full((systems, systems), size * tau**2 / systems)
    left = panel @ np.linalg.solve(panel + error + level, error)
    return np.asarray((left + left.T) / 2)


def centred(matrix: Floats) -> Floats:
    """The covariance of deviations from the mean over systems."""
    rows = matrix - matrix.mean(axis=0)
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


def _axes(covariance: Floats, kernel: Floats) -> tuple[Floats, Floats, Floats]:
    """Coordinates of contrasts in which the panel's error has variance tau² and the direct
    estimates' errors are independent: forth [axis, system], back [system, axis], their variances.
    """
    systems = len(kernel)
    contrasts = np.linalg.qr(np.column_stack([np.ones(systems), np.eye(systems)[:, 1:]]))[0][:, 1:]
    size = np.trace(kernel) / max(systems - 1, 1) or 1.0
    inner = contrasts.T @ kernel @ contrasts + RIDGE * size * np.eye(systems - 1)
    root = np.linalg.cholesky(inner)
    whiten = np.linalg.solve(root, contrasts.T)
    noise, turn = np.linalg.eigh(whiten @ covariance @ whiten.T)
    return turn.T @ whiten, contrasts @ root @ turn, np.maximum(noise, 0)


def _quantiles(weight: Floats, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Grid points in proportion to their weight, spread as evenly as possible, in random order."""
    places = (rng.permutation(draws) + rng.random()) / draws
    upto = np.cumsum(weight)
    return np.asarray(np.searchsorted(upto, places * upto[-1]))


def _summary(value: Floats, weight: Floats, level: float) -> tuple[float, float, float]:
    """Return the median and the interval of weighted values."""
    order = np.argsort(value)
    upto = np.cumsum(weight[order])
    tail = (1 - level) / 2
    median, low, high = (
        float(value[order][np.searchsorted(upto, q)]) for q in (0.5, tail, 1 - tail)
    )
    return median, low, high


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
    these probabilities; documents of probability 0 are predicted."""
    left = np.divide(
        1 - probability, probability, out=np.ones(len(probability)), where=probability > 0
    )
    (found,) = _sums(parts, [left], systems)
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
