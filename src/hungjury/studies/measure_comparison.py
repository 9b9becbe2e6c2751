"""Do two measures rank systems alike? Kendall's tau and tau_ap of all pairs of measures."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import RankCorrelation
from hungjury.base.errors import check_choice, check_seed
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Cell, Table
from hungjury.data.runs import Progress
from hungjury.measures.scores import Scores, over_topics
from hungjury.stats.correlation import kendall_cross, tau_ap_cross, with_ties
from hungjury.stats.multiple import randomised_tukey
from hungjury.stats.paired import bootstrap_test, studentised_bootstrap
from hungjury.studies.claims import Resampling
from hungjury.studies.jobs import seed_for
from hungjury.studies.topics import need_systems

CUT = 1e-7  # of the last digit: a correlation so close to the next one is that
LONG = 12  # characters of a name up to which it is used as a heading


class MeasureCorrelation(Record, Result, eq=False):
    """Correlations [measure, measure] of the systems' means.

    Larger is better for every measure: signs are changed where needed. tau is NaN if a measure
    gives all systems the same mean. tau_ap takes the row's measure as the estimate and the
    column's as the truth.
    """

    measures: list[str]
    tau: Floats
    tau_ap: Floats
    systems: int
    topics: int

    def of(self, one: str, other: str, what: RankCorrelation = "tau") -> float:
        """The correlation of two measures."""
        table = self.matrix(what)
        return float(table[self.measures.index(one), self.measures.index(other)])

    def matrix(self, what: RankCorrelation = "tau") -> Floats:
        check_choice("what", what, get_args(RankCorrelation))
        return self.tau if what == "tau" else self.tau_ap

    def square(self, what: RankCorrelation = "tau", digits: int = 2) -> Table:
        """A row and a column for every measure; columns are numbered where names are long."""
        names = heads = list(self.measures)
        if max(map(len, names)) > LONG:
            heads = [str(n) for n in range(1, len(names) + 1)]
            names = [f"{n} {name}" for n, name in zip(heads, names, strict=True)]
        rows: list[list[Cell]] = [
            [name, *map(float, row)] for name, row in zip(names, self.matrix(what), strict=True)
        ]
        return Table((what, *heads), rows, digits)

    def table(self) -> Table:
        """A row for every ordered pair of measures."""
        rows = [
            (one, other, float(self.tau[i, j]), float(self.tau_ap[i, j]))
            for i, one in enumerate(self.measures)
            for j, other in enumerate(self.measures)
            if i != j
        ]
        return Table(("measure", "other", "tau", "tau_ap"), rows)

    def plot(self, what: RankCorrelation = "tau") -> Plot:
        """Draw the correlation of every measure with every other."""
        return self._drawn("study_plots.draw_correlations", what)

    def _parts(self) -> list[str | Table]:
        return [self.square("tau"), self.square("tau_ap")]


def correlate_measures(scores: Scores, digits: int | None = None) -> MeasureCorrelation:
    """Correlate all pairs of measures over the systems' means.

    A correlation near 1 says that two measures order these systems alike, whatever their scores.
    tau counts every pair of systems the same; tau_ap counts the best systems more. Both say
    nothing about which measure is right, and with few systems they vary much: tau of 5 systems
    changes by 0.2 when two neighbours change places.

    Parameters
    ----------
    scores : Scores
        The result of `evaluate`.
    digits : int, optional
        Round means to so many decimals first, and cut correlations there, as if computed from
        printed means. Default: means that differ by more than rounding errors are different.

    Returns
    -------
    MeasureCorrelation
        Kendall's tau and tau_ap of every pair.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> scores = hj.evaluate(made.gold, made.runs, ["AP", "nDCG@10"])
    >>> round(float(hj.studies.correlate_measures(scores).of("AP", "nDCG@10")), 2)
    1.0

    AP and nDCG@10 put the four systems into the same order.
    """
    need_systems(scores, "a correlation of measures")
    means = scores.better() if digits is None else np.round(scores.better(), digits)
    tau, tau_ap = kendall_cross(means, means), tau_ap_cross(means, means)
    if digits is not None:
        tau, tau_ap = (np.trunc(one * 10**digits + np.sign(one) * CUT) / 10**digits
                       for one in (tau, tau_ap))  # fmt: skip
    return MeasureCorrelation(
        scores.measures,
        tau,
        tau_ap,
        len(scores.systems),
        len(scores.topics),
    )


def better_on(scores: Scores, shares: Floats) -> Floats:
    """[draw, measure, system]: means over topics with these shares [draw, topic], for whatever
    ranks systems."""
    averages = scores.averages or ["mean"] * len(scores.measures)
    pairs = zip(scores.values, averages, strict=True)
    means = np.stack([over_topics(mine, average, shares) for mine, average in pairs])
    return with_ties(np.moveaxis(scores.signs[:, None, None] * means, 2, 0))


def correlation_draws(scores: Scores, resamples: int, seed: int) -> dict[str, Floats]:
    """tau and tau_ap of all pairs of measures on resampled topics: [draw, measure, measure]."""
    shares = Resampling(resamples, seed).topics(len(scores.topics))
    means = better_on(scores, shares)
    return {
        "tau_draws": kendall_cross(means, means).astype(np.float32),
        "tau_ap_draws": tau_ap_cross(means, means).astype(np.float32),
    }


PowerMethod = Literal["bootstrap", "tukey"]
METHODS: dict[PowerMethod, int] = {"bootstrap": 1000, "tukey": 5000}
"""Ways to test, with the number of samples each draws by default."""


class DiscriminativePower(Record, Result, eq=False):
    """p-values [measure, pair] of all pairs of systems, and the difference each measure needs."""

    measures: list[str]
    systems: list[str]
    topics: int
    method: PowerMethod
    alpha: float
    samples: int
    seed: int
    p: Floats
    needed: Floats

    @property
    def power(self) -> Floats:
        """[measure]: the share of pairs that differ significantly."""
        return np.asarray((self.p < self.alpha).mean(axis=1))

    def best_first(self) -> list[int]:
        return [int(m) for m in np.argsort(-self.power, kind="stable")]

    def table(self) -> Table:
        """A row for every measure, the most discriminating first."""
        significant = (self.p < self.alpha).sum(axis=1)
        rows = [
            (self.measures[m], float(self.power[m]), int(significant[m]), float(self.needed[m]))
            for m in self.best_first()
        ]
        return Table(("measure", "power", "pairs", "difference needed"), rows)

    def _parts(self) -> list[str | Table]:
        how = "paired bootstrap" if self.method == "bootstrap" else "randomised Tukey HSD"
        head = (
            f"{self.p.shape[1]} pairs of {len(self.systems)} systems on {self.topics} topics, "
            f"{how}, {self.samples} samples, p < {self.alpha:g}"
        )
        return [head, self.table()]

    def plot(self) -> Plot:
        """Draw the p-values of all pairs, the largest first; further left is better."""
        return self._drawn("study_plots.draw_power")


def discriminative_power(
    scores: Scores,
    method: PowerMethod = "bootstrap",
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> DiscriminativePower:
    """Compute the share of pairs of systems that a test tells apart, for each measure.

    A measure with more power needs fewer topics to show a difference, or shows smaller ones; the
    difference needed says how small. Power does not prove validity: a measure can tell systems
    apart consistently by something users do not care about. Compare measures on the same systems
    and topics only.

    Parameters
    ----------
    scores : Scores
        The result of `evaluate`.
    method : {"bootstrap", "tukey"}
        Sakai's paired bootstrap (the difference needed is the largest over pairs), or the
        randomised Tukey HSD, which bounds the probability of any false difference by alpha.
    alpha : float
        Level of the test.
    samples : int, optional
        Resamples. Default: 1000 for the bootstrap, 5000 for Tukey.
    seed : int
        Random seed. All measures share the resampled topics.
    progress : callable, optional
        Called as ``progress(done, total, what)``.

    Returns
    -------
    DiscriminativePower
        Power, and the difference needed, of each measure.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> scores = hj.evaluate(made.gold, made.runs, ["AP", "nDCG@10"])
    >>> found = hj.studies.discriminative_power(scores, samples=100)
    >>> found.measures, found.p.shape
    (['AP', 'nDCG@10'], (2, 6))

    Four systems make six pairs; `found.power` is the share of them with p below `alpha`.
    """
    check_choice("method", method, tuple(METHODS))
    check_seed(seed)
    need_systems(scores, "discriminative power")
    number = METHODS[method] if samples is None else samples
    found = []
    for done, values in enumerate(scores.values, 1):
        found.append(power_of(values, method, alpha, number, seed))
        if progress is not None:
            progress(done, len(scores.measures), "running jobs")
    return DiscriminativePower(
        measures=scores.measures,
        systems=scores.systems,
        topics=len(scores.topics),
        method=method,
        alpha=alpha,
        samples=number,
        seed=seed,
        p=np.array([p for p, _ in found]),
        needed=np.array([needed for _, needed in found]),
    )


def power_of(
    values: Floats, method: PowerMethod = "bootstrap", alpha: float = 0.05, samples: int = 1000,
    seed: int = 0,
) -> tuple[Floats, float]:  # fmt: skip
    """p-values of all pairs of systems, from values [system, topic], and the difference needed."""
    rng = np.random.default_rng(seed_for(seed, (method,)))
    if method == "tukey":
        return randomised_tukey(values, samples, rng, alpha)
    one, other = np.triu_indices(len(values), 1)
    found = studentised_bootstrap(values[one] - values[other], samples, rng, alpha)
    return np.asarray(found.p), float(np.max(found.needed))


def share_told_apart(
    values: Floats, alpha: float = 0.05, samples: int = 1000, seed: int = 0
) -> float:
    """Share of pairs of systems with a p-value below alpha in `power_of`'s paired bootstrap, from
    values [system, topic]; quicker, without the difference needed."""
    rng = np.random.default_rng(seed_for(seed, ("bootstrap",)))
    one, other = np.triu_indices(len(values), 1)
    return float(np.mean(bootstrap_test(values[one] - values[other], samples, rng) < alpha))
