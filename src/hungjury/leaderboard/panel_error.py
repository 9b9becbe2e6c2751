"""Panel error: what people would say differently, which agreement of the judges does not show.

The mean that people would give a system is modelled as theta_s = M_s + b + e_s. M_s is the panel's
mean. The level b is the same for all systems: it never changes a ranking, and only human labels can
estimate it. The error e_s has three parts, whose sizes were measured on public collections:

Documents. What a person says about a document, given the panel's mean vote on it, hardly depends on
the collection: it is a table. Given the votes documents are independent. The variance of a
difference between two systems is the sum over documents of the squared difference of their weights,
times the variance of a person's gain, times kappa². It shrinks with topics.

Systems. u ~ N(0, tau² K) does not average out over topics. K is the cosine of what two systems show
their users: similar systems share their error, dissimilar ones do not. tau is in units of the
measure's range, and smaller for judges of different families.

Depth. All of this was measured on lists of up to 100 documents. A panel finds relevant documents
further below where people find fewer, which favours long lists over short ones. People credit about
half of what the panel credits to ranks below the 100th, by a share that all systems have in common
and that is log-normal: however wrong, it never changes who is better by what is below alone.

Documents and systems share one log-normal factor. Systems built on LLMs like the judges ("kin") are
over-rated beyond that, by an amount that they share and one of their own.

Combined with gold labels: a few hundred of them fix the level of all systems well and each single
system badly, while a panel ranks systems well and gets the level wrong. So the level comes from the
direct estimates, and differences from both (Fay and Herriot 1979): with H centring over systems,
H theta = c H M + H u, u ~ N(0, tau² K), and the direct estimate is H theta plus its own error. The
slope c and the panel's error tau are unknown; both are integrated over on a grid.

Effects are given for a few topics at a time, as independent components of the uncertainty of a
grade; see `effects`. The mean over systems is subtracted: only differences remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Int16s, Ints
from hungjury.base.errors import Note, noted
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.judges.merge_types import likeliest
from hungjury.judges.panel import NOT_JUDGED, Panel
from hungjury.judges.votes import vote_shares
from hungjury.leaderboard.effect_products import Products, row_products
from hungjury.leaderboard.effects import LINEAR, Effects, PoolEffects, scores_under
from hungjury.measures.base import pools_of
from hungjury.measures.batch import Scorer, range_of
from hungjury.measures.catalogue import Measure
from hungjury.stats.resampling import expected_inclusion

SPREAD = 0.4  # standard deviation of the logarithm of the factor on documents and systems
FACTOR = float(np.exp(2 * SPREAD**2))  # the mean of its square
PEOPLE = 0.025  # of one person's labels against another's: docs/leaderboard.md
EXPOSED = 10  # ranks that make up what a system shows
ROUNDING = 1e-12  # of the largest eigenvalue: smaller ones are noise
ONE_JUDGE, ONE_FAMILY, TWO_FAMILIES, MORE_FAMILIES = range(4)  # kinds of panels
TAU = (0.035, 0.030, 0.022, 0.018)  # of the measure's range
KAPPA = (1.2, 1.2, 1.2, 1.2)
DEEP_TAU, DEEP_KAPPA = (0.035, 0.035, 0.030, 0.030), (1.6, 1.6, 1.6, 1.6)  # of deep measures
FIRST_HIT_KAPPA = (1.8, 1.5, 1.2, 1.2)  # of measures of the first relevant document
SHALLOW, ENOUGH = 20, 0.65  # a measure is deep with less of its squared weights in these ranks
OVERRATED, OVERRATED_BY = 0.015, 0.02  # of kin: mean of what they share; its sd, and that of each
MEASURED_DEPTH = 100  # ranks of the lists that these sizes were measured on
BELOW, BELOW_SPREAD = -0.7, 0.7  # mean and sd of the logarithm of people's credit by the panel's
BELOW_SHARE = float(np.exp(BELOW + BELOW_SPREAD**2 / 2))  # the mean of that share, and its variance
BELOW_VARIANCE = BELOW_SHARE**2 * float(np.expm1(BELOW_SPREAD**2))
LABEL_SETS, MORE_SETS = 2, 8  # that weights of documents, and whole scores, are averaged over
SLOW_DRAWS, SLOW_BLOCKS = 48, 4  # of labels, for measures without a kernel
Sizes = tuple[float, float, float, float]  # by kind of panel

# P(person >= 1, 2, 3) at mean votes x from 0 to 3, for documents with one vote, and with more.
GRADES_OF_PEOPLE = (
    ((0.17, 0.49, 0.69, 0.81), (0.05, 0.21, 0.40, 0.57), (0.02, 0.05, 0.13, 0.23)),
    (
        (0.05, 0.17, 0.36, 0.62, 0.77, 0.88, 0.91),
        (0.03, 0.06, 0.12, 0.30, 0.48, 0.64, 0.71),
        (0.02, 0.02, 0.03, 0.06, 0.14, 0.26, 0.36),
    ),
)
# P(person says relevant) by share of votes for relevant, from 0 to 1: with 1, 3 and 5 votes.
RELEVANT_TO_PEOPLE = {
    1: (0.11, 0.45),
    3: (0.08, 0.22, 0.32, 0.56),
    5: (0.06, 0.13, 0.25, 0.34, 0.41, 0.58),
}


def people_given_votes(panel: Panel) -> Floats:
    """[document, grade of the panel]: what a person would say; the lowest grade without votes.

    Mean votes are taken as a share of the scale; between the knots of the tables they are linear.
    """
    number = native.count_keys(panel.document, len(panel.pool))
    grades = np.array(panel.grades, dtype=float)
    share = vote_shares(panel) @ (grades / grades[-1])
    if panel.grades[-1] == 1:
        several = [np.interp(share, np.linspace(0, 1, len(p)), p)
                   for p in RELEVANT_TO_PEOPLE.values()]  # fmt: skip
        at_least = np.choose(np.searchsorted([2, 5], number, side="right"), several)[:, None]
    else:
        one, more = (
            np.stack([np.interp(share, np.linspace(0, 1, len(p)), p) for p in table], axis=1)
            for table in GRADES_OF_PEOPLE
        )
        known = np.where((number == 1)[:, None], one, more)
        known = np.column_stack([np.ones(len(known)), known])
        place = 3 * grades[1:] / grades[-1]  # thresholds of this scale on that of the table
        below = np.minimum(place.astype(np.int64), 2)
        at_least = known[:, below] + (place - below) * (known[:, below + 1] - known[:, below])
    at_least = np.where(panel.judged[:, None], at_least, 0.0)
    return -np.diff(at_least, prepend=1.0, append=0.0)


def documents_error(panel: Panel, alignment: Alignment, measure: Measure) -> Floats:
    """[system, system]: covariance of the means over topics, if people label the documents."""
    chances, grades = people_given_votes(panel), panel.grades
    scorer = Scorer(measure, alignment, grades[-1])
    kernel, rng = scorer.kernel, np.random.default_rng(0)
    if kernel is None:  # scoring each document's label in turn would take minutes
        return _sampled_error(scorer, chances, grades, rng)
    worth = kernel.worth[list(grades)]
    if len(np.unique(worth)) == 2:  # only one threshold matters
        cut = int(np.argmax(worth > worth[0]))
        upper = chances[:, cut:].sum(axis=1)
        chances, grades = np.stack([1 - upper, upper], axis=1), (grades[0], grades[cut])
    sets = LABEL_SETS if kernel.name in LINEAR else 1
    labels = drawn_grades(vote_shares(panel), panel.grades, sets, rng)
    effects = PoolEffects(scorer, labels, grades)
    return Spread(effects, chances).sums([np.ones(len(chances))])[0]


def credit_below(panel: Panel, alignment: Alignment, measure: Measure) -> Floats:
    """[system]: the part of the panel's means that is due to documents below rank 100."""
    near = alignment.upto(MEASURED_DEPTH)
    if near is alignment or (measure.depth is not None and measure.depth <= MEASURED_DEPTH):
        return np.zeros(len(alignment.systems))
    rng, top = np.random.default_rng(0), panel.grades[-1]
    labels = drawn_grades(vote_shares(panel), panel.grades, MORE_SETS, rng)
    whole, cut = (
        scores_under(Scorer(measure, lists, top), labels).mean(axis=(0, 2))
        for lists in (alignment, near)
    )
    return np.asarray(whole - cut)


def reachable(scorer: Scorer, posterior: Floats | None) -> float:
    """The largest mean that an order of the pool can expect with labels drawn from a posterior
    [document, grade], for measures that are normalised by the best list; 1 for all others.

    It is below 1 where judges disagree, and then differences between systems are smaller too.
    """
    kernel, pool = scorer.kernel, scorer.alignment.pool
    if kernel is None or kernel.ideal is None or posterior is None:
        return 1.0
    grades = tuple(range(posterior.shape[1]))
    labels = drawn_grades(posterior, grades, MORE_SETS, np.random.default_rng(0))
    order = np.lexsort((-(posterior @ kernel.worth[list(grades)]), pool.topic_of))
    place = np.arange(len(pool)) - pool.offsets[pool.topic_of]
    weight = kernel.ideal(int(place.max()) + 1)[place]
    found = pool.sum_by_topic(kernel.worth[labels[:, order]] * weight)
    counts = np.stack([pool.sum_by_topic(labels == g) for g in grades], axis=-1)
    best = np.asarray(kernel.unit(pools_of(counts.reshape(-1, len(grades)))))
    return float((found.ravel()[best > 0] / best[best > 0]).mean()) if best.any() else 1.0


def _sampled_error(
    scorer: Scorer, chances: Floats, grades: tuple[int, ...], rng: np.random.Generator
) -> Floats:
    """The same from scores of drawn labels, of documents that are independent between topics."""
    total = np.zeros((len(scorer.alignment.systems),) * 2)
    for _ in range(SLOW_BLOCKS):
        values = scores_under(scorer, drawn_grades(chances, grades, SLOW_DRAWS, rng))
        values -= values.mean(axis=0)
        rows = np.moveaxis(values, 1, 0).reshape(len(total), -1)
        total += rows @ rows.T / (SLOW_DRAWS - 1)
    return np.asarray(total / SLOW_BLOCKS / scorer.alignment.shape[1] ** 2)


def drawn_grades(
    chances: Floats, grades: tuple[int, ...], number: int, rng: np.random.Generator
) -> Int16s:
    """[draw, document]: grades drawn for each document by itself; the lowest without chances."""
    above = np.cumsum(chances[:, :0:-1], axis=1)  # of the highest grade, of the two highest, ...
    drawn = np.empty((number, len(chances)), dtype=np.int16)
    for row in drawn:
        row[:] = np.array(grades)[(rng.random((len(chances), 1)) < above).sum(axis=1)]
    return drawn


def sizes_for(measure: Measure, longest: int, top: int) -> tuple[Sizes, Sizes]:
    """Return tau and kappa of each kind of panel, for lists of up to `longest` documents.

    Deep measures count ranks below the 20th for much; without known weights they may.
    """
    kernel = measure.kernel(np.arange(1.0, longest + 1), top)
    if kernel is None:
        deep = measure.depth is None or measure.depth > SHALLOW
    else:
        squares = kernel.weights**2
        deep = squares[:SHALLOW].sum() < ENOUGH * squares.sum()
    if deep:
        return DEEP_TAU, DEEP_KAPPA
    first_hit = kernel is not None and kernel.name in ("cascade", "best")
    return TAU, FIRST_HIT_KAPPA if first_hit else KAPPA


def kind_of_panel(judges: int, families: int) -> int:
    """families: those that were declared, where all other judges together are one."""
    return ONE_JUDGE if judges == 1 else min(max(families, 1), MORE_FAMILIES)


class PanelError(Record, eq=False):
    """The distribution of e: of means over topics for documents and depth, else as means are
    reported."""

    unit: float  # the measure's range
    kernel: Floats  # [system, system]
    documents: Floats  # [system, system]: covariance, kappa included
    below: Floats  # [system]: the panel's credit for ranks below the 100th
    tau: float  # of the measure's range
    by_kind: Sizes  # tau
    kin: Bools  # [system]

    @staticmethod
    def of(
        panel: Panel,
        alignment: Alignment,
        measure: Measure,
        families: int = 1,
        tau: float | None = None,
        kin: Bools | None = None,
        posterior: Floats | None = None,
        *,
        documents: bool = True,
    ) -> PanelError:
        """families: see `kind_of_panel`; tau: default: by the kind of panel; posterior: that labels
        are drawn from, if they are; documents: False where gold labels say more about them."""
        panel.some_votes()
        best = likeliest(vote_shares(panel))
        voted = np.where(panel.judged, np.array(panel.grades, dtype=np.int16)[best], NOT_JUDGED)
        unit = range_of(measure, panel.pool, voted, panel.grades[-1])
        longest = int(alignment.rank.max(initial=1))
        kind = kind_of_panel(len(panel.judges), families)
        taus, kappas = sizes_for(measure, longest, panel.grades[-1])
        kernel = exposure_kernel(alignment)
        about, below = np.zeros_like(kernel), np.zeros(len(kernel))
        if documents:
            unit *= reachable(Scorer(measure, alignment, panel.grades[-1]), posterior)
            about = documents_error(panel, alignment, measure)
            below = credit_below(panel, alignment, measure)
        return PanelError(
            unit=unit,
            kernel=kernel,
            documents=kappas[kind] ** 2 * about,
            below=below,
            tau=taus[kind] if tau is None else tau,
            by_kind=taus,
            kin=np.zeros(len(alignment.systems), dtype=bool) if kin is None else kin,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """Say what is taken off the means before systems are ranked, kin apart."""
        text = (
            f"what the panel credits below rank {MEASURED_DEPTH} counts for about half in ranks "
            f"and chances: people find less there; to avoid this, cut lists at {MEASURED_DEPTH}"
        )
        return noted("below-100", int((self.below != 0).sum()), text, about="result")

    @property
    def systems(self) -> Floats:
        """[system, system]: covariance of what is about systems, for the median factor."""
        kin = np.outer(self.kin, self.kin) + np.diag(self.kin).astype(float)
        return np.asarray(self.unit**2 * (self.tau**2 * self.kernel + OVERRATED_BY**2 * kin))

    def covariances(self, rate: Floats) -> dict[str, Floats]:
        """[system, system], by cause: of reported means, which change by `rate` [system] with the
        mean over topics."""
        each, deep = np.outer(rate, rate), BELOW_VARIANCE * np.outer(self.below, self.below)
        panel = FACTOR * self.systems + deep * each
        return {"labels": FACTOR * self.documents * each, "panel": panel}

    def draw(self, number: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
        """[draw, system]: errors about documents, depth, about systems for tau of 1, and of kin.

        The factors are the quantiles of their distribution in random order, so drawing them adds
        no noise to the results.
        """
        from statistics import NormalDist  # scipy.special is slow to import

        quantile = (rng.permutation(number) + 0.5) / number
        factor = np.exp(SPREAD * np.array([*map(NormalDist().inv_cdf, quantile)]))[:, None]
        documents = normal_draws(self.documents, number, rng)
        systems = self.unit * normal_draws(self.kernel, number, rng)
        each, shared = rng.standard_normal((number, len(self.kin))), rng.standard_normal(number)
        kin = self.unit * OVERRATED_BY * self.kin * (each + shared[:, None])
        share = np.exp(BELOW + BELOW_SPREAD * rng.standard_normal((number, 1))) - BELOW_SHARE
        return factor * documents, share * self.below, factor * systems, factor * kin


def exposure_kernel(alignment: Alignment) -> Floats:
    """[system, system]: the cosine of what two systems show in their first ten ranks.

    A system shows a document by the rank discount 1 / log2(1 + rank), added up over topics.
    Documents outside the pool are left out. A system without any pooled document has no panel
    error: its row is 0.
    """
    systems, topics = alignment.shape
    near = alignment.upto(EXPOSED)
    order = np.argsort(near.start, kind="stable")
    system = np.repeat((order // topics).astype(np.int32), (near.stop - near.start)[order])
    shown = np.where(near.rank <= EXPOSED, 1 / np.log2(1.0 + near.rank), 0.0)
    (dot,) = row_products(system, near.document, shown, [np.ones(len(alignment.pool))], systems)
    length = np.sqrt(np.diag(dot))
    length[length == 0] = np.inf
    kernel = np.asarray(dot / np.outer(length, length))
    retrieved = (alignment.stop > alignment.start).reshape(alignment.shape)
    np.fill_diagonal(kernel, retrieved.any(axis=1))
    return kernel


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


PRIOR_TAU = 0.06  # median of tau before any label, in units of the measure's range
TAU_SPREAD, SLOPE_SPREAD = 0.4, 0.5  # standard deviations of their logarithms
GRID = 33  # values of tau, and of the slope
REACH = 4.0  # standard deviations on either side that the grid covers
NEAR = 0.2  # weight of the kernel itself; the rest is its square, which reaches further
RIDGE = 1e-6  # of tau²: systems that show the same documents may still differ a little


class Combined(NamedTuple):
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
    direct, covariance, panel
        Estimates [system] from gold labels and their covariance; the panel's means [system].
    kernel, unit
        How two systems share the panel's error, before `wide_kernel`, and the measure's range.
    draws, rng, level
        Draws of the means from the posterior, and the level of intervals.
    """
    systems = len(direct)
    forth, back, noise = _axes(covariance, wide_kernel(kernel))
    seen, said = forth @ direct, forth @ panel  # on axes where all parts are independent
    log_tau = np.log(PRIOR_TAU * unit) + TAU_SPREAD * np.linspace(-REACH, REACH, GRID)
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
    shared_variance = max(float(covariance.mean()), 0.0)
    # Grid points in proportion to their weight, as evenly as possible, in random order.
    quantile, upto = (rng.permutation(draws) + rng.random()) / draws, np.cumsum(weight)
    at = np.searchsorted(upto, quantile * upto[-1])
    drawn = centre[at] + np.sqrt(within[at]) * rng.standard_normal((draws, len(noise)))
    shared = direct.mean() + np.sqrt(shared_variance) * rng.standard_normal((draws, 1))
    return Combined(
        direct.mean() + back @ mean,
        back @ cover @ back.T + np.full((systems, systems), shared_variance),
        shared + drawn @ back.T,
        _summary(slope, weight, level),
        _summary(tau, weight, level),
    )


def expected_contrasts(covariance: Floats, wide: Floats, tau: float) -> Floats:
    """[system, system]: remaining covariance of differences between systems, given direct estimates
    with this covariance together with a panel whose error is `tau`, by its `wide_kernel`.

    With both covariances on contrasts, that is A (A + B)^-1 B.
    """
    systems = len(wide)
    size = np.trace(wide) / (systems - 1) or 1.0
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
    size = np.trace(kernel) / (systems - 1) or 1.0
    inner = contrasts.T @ kernel @ contrasts + RIDGE * size * np.eye(systems - 1)
    root = np.linalg.cholesky(inner)
    whiten = np.linalg.solve(root, contrasts.T)
    noise, turn = np.linalg.eigh(whiten @ covariance @ whiten.T)
    return turn.T @ whiten, contrasts @ root @ turn, np.maximum(noise, 0)


def _summary(value: Floats, weight: Floats, level: float) -> tuple[float, float, float]:
    """Return the median and the interval of weighted values."""
    order = np.argsort(value)
    upto = np.cumsum(weight[order])
    tail = (1 - level) / 2
    median, low, high = value[order][np.searchsorted(upto, (0.5, tail, 1 - tail))].tolist()
    return median, low, high


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


class Spread(Record, eq=False):
    """Uncertain grades of all documents of a pool, as independent components of their effects."""

    effects: PoolEffects
    chances: Floats  # [document of the pool, grade]
    turn: Floats | None = None  # [system, system]: fits contrasts to errors that were seen

    def parts(self, documents: Ints | None = None) -> Iterator[tuple[slice, Effects]]:
        """Components of some documents of the pool, or of all of them."""
        turn = independent(self.chances if documents is None else self.chances[documents])
        for part, effect in self.effects.parts(documents):
            yield part, effect.turned(turn[part])

    def sums(self, weights: list[Floats]) -> list[Floats]:
        """[system, system]: products of components, summed over documents, for each of the weights
        [document]."""
        products = Products(len(self.effects.scorer.alignment.systems), weights)
        for documents, effects in self.parts():
            effects.add_to(products, documents)
        return products.finish()

    def contrasts(self, probability: Floats) -> Floats:
        """[system, system]: the covariance of differences between systems, over samples drawn with
        these probabilities; documents of probability 0 are predicted."""
        left = np.divide(
            1 - probability, probability, out=np.ones(len(probability)), where=probability > 0
        )
        (found,) = self.sums([left])
        return self._fit(found)

    def contrasts_within(self, weight: Floats, budgets: list[int]) -> list[Floats]:
        """[system, system] for each budget: the same over samples of that many documents drawn by
        weight.

        A document counts 1 / probability - 1 times, with probability min(1, c * weight). So two
        sums of products serve all budgets, without the documents that are certain to be labelled.
        """
        inclusion = [expected_inclusion(weight, n) for n in budgets]
        scale = [float((one / weight).max()) for one in inclusion]
        certain = [
            np.where(one >= 1, np.maximum(1 - 1 / (c * weight), 0), 0.0)
            for one, c in zip(inclusion, scale, strict=True)
        ]
        by_weight, plain, *sure = self.sums([1 / weight, np.ones(len(weight)), *certain])
        return [self._fit(by_weight / c - plain + one) for c, one in zip(scale, sure, strict=True)]

    def _fit(self, covariance: Floats) -> Floats:
        found = centred(covariance)
        return found if self.turn is None else np.asarray(self.turn @ found @ self.turn)
