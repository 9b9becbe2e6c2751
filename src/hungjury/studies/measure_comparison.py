"""How measures compare: do they rank systems alike, tell systems apart, and keep the order of
systems when most judgments are removed? On which topics and runs? (XG 6, RR 4.2, TH 5.4)

Stratified down-sampling of pools (Buckley and Voorhees 2004) is for any number of grades.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Literal

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import RankCorrelation
from hungjury.base.errors import Argument, InputError, MeasureError, check_known
from hungjury.base.parameters import MOST_SAMPLES, check_count
from hungjury.base.records import Record
from hungjury.base.results import Cell, Plot, Result, Table
from hungjury.data.alignment import align
from hungjury.data.labels import as_qrels
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import QrelsLike, RunsLike
from hungjury.data.runs import Progress, as_runs
from hungjury.judges.panel import NOT_JUDGED
from hungjury.measures.catalogue import measure_list
from hungjury.measures.evaluate import MeasureNames, check_measure, score_alignment
from hungjury.measures.scores import Scores, over_topics
from hungjury.stats.correlation import kendall, kendall_cross, tau_ap, tau_ap_cross, with_ties
from hungjury.stats.multiple import randomised_tukey
from hungjury.stats.paired import studentised_bootstrap
from hungjury.studies.claims import Resampling
from hungjury.studies.jobs import seed_for, watched

CUT = 1e-7  # of the last digit: a correlation so close to the next one is that
LONG = 12  # characters of a name up to which it is used as a heading


def need_hard_labels(qrels: Qrels, what: str) -> None:
    if qrels.soft:
        said = f"{what} needs grades, but these labels are probabilities"
        remedy = "make them grades first, with Qrels.threshold(0.5)"
        raise InputError(said, code="needs-grades", remedy=remedy)


def need_measures(measures: MeasureNames, qrels: Qrels) -> None:
    """Check that the measures exist and fit the labels."""
    wanted = measure_list(measures)
    if not wanted:
        raise MeasureError(
            "no measure was given", code="no-measure", remedy='name one, such as "AP"'
        )
    for one in wanted:
        check_measure(one, qrels)


def need_systems(scores: Scores, what: str, least: int = 2) -> None:
    """Check that there are systems to compare, with a value for each topic."""
    if len(scores.systems) < least:
        said = f"{what} needs at least {least} systems, but there are {len(scores.systems)}"
        raise InputError(said, code="too-few-systems", argument="runs", remedy="give more runs")
    if bool((scores.values != scores.values).any()):
        raise InputError(
            f"{what} needs a value for every system and topic, but some have none",
            code="undefined-values",
            remedy=(
                "score with",
                Argument("topics", "judged"),
                "and",
                Argument("undefined", "zero"),
            ),
        )


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
        for name in (one, other):
            check_known("measure", name, self.measures)
        table = self.matrix(what)
        return float(table[self.measures.index(one), self.measures.index(other)])

    def matrix(self, what: RankCorrelation = "tau") -> Floats:
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
            for (i, one), (j, other) in permutations(enumerate(self.measures), 2)
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
    systems, topics = len(scores.systems), len(scores.topics)
    return MeasureCorrelation(scores.measures, tau, tau_ap, systems, topics)


def better_on(scores: Scores, shares: Floats) -> Floats:
    """[draw, measure, system]: means over topics with these shares [draw, topic], for whatever
    ranks systems."""
    pairs = zip(scores.values, scores.averages, strict=True)
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
    need_systems(scores, "discriminative power")
    number = METHODS[method] if samples is None else samples
    found = [
        power_of(values, method, alpha, number, seed)
        for values in watched(list(scores.values), progress)
    ]
    p, needed = (np.array(each) for each in zip(*found, strict=True))
    return DiscriminativePower(
        scores.measures, scores.systems, len(scores.topics), method, alpha, number, seed, p, needed
    )


def power_of(
    values: Floats, method: PowerMethod, alpha: float | None, samples: int, seed: int = 0
) -> tuple[Floats, float]:
    """p-values of all pairs of systems, from values [system, topic], and the difference needed;
    NaN for the bootstrap without alpha, which is faster."""
    rng = np.random.default_rng(seed_for(seed, (method,)))
    if method == "tukey":
        assert alpha is not None
        return randomised_tukey(values, samples, rng, alpha)
    one, other = np.triu_indices(len(values), 1)
    found = studentised_bootstrap(values[one] - values[other], samples, rng, alpha)
    return np.asarray(found.p), float(np.max(found.needed))


RATES = (0.9, 0.7, 0.5, 0.3, 0.1, 0.05)
LEAST_RELEVANT, LEAST_NOT_RELEVANT = 1, 10  # documents of each grade that are always kept
ROUNDING = 1e-9  # round halves up, including those slightly smaller in binary


def downsample(qrels: QrelsLike, rate: float, seed: int = 0, repetition: int = 0) -> Qrels:
    """Keep a share of the labels of every topic and grade; the others become unjudged.

    Use it to see how a measure copes with fewer judgments: the sample is what assessors with less
    time would have judged, if they had chosen documents at random within each grade. Real shallow
    pools contain the top ranks of the runs instead, which is kinder to most measures.

    Parameters
    ----------
    qrels : Qrels or source
        Labels.
    rate : float
        Share that is kept, in (0, 1].
    seed, repetition : int
        Random seed, and the number of the repetition.

    Returns
    -------
    Qrels
        Labels of the same pool.

    Notes
    -----
    Every topic has one random order of the documents of each grade: a smaller rate keeps a part of
    what a larger one keeps. At least 1 document of each relevant grade stays, and 10 that
    are not relevant (or all, if there are fewer).

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> kept = hj.studies.downsample(made.gold, 0.5)
    >>> kept.topics == made.gold.topics
    True
    """
    given = as_qrels(qrels)
    need_hard_labels(given, "down-sampling")
    _check_rate(rate)
    assert given.labels is not None
    stays = given.labels < 0  # these were not judged to begin with
    for t, topic in enumerate(given.pool.topics):
        part = given.pool.slice(t)
        labels = given.labels[part]
        rng = np.random.default_rng(seed_for(seed, ("downsample", repetition, topic)))
        order = np.argsort(rng.random(len(labels)))
        for grade in np.unique(labels[labels >= 0]):
            mine = order[labels[order] == grade]
            least = LEAST_RELEVANT if grade > 0 else LEAST_NOT_RELEVANT
            kept = max(least, math.floor(rate * len(mine) + 0.5 + ROUNDING))
            stays[part.start + mine[:kept]] = True
    return replace(given, labels=np.where(stays, given.labels, NOT_JUDGED))


def _check_rate(rate: float) -> None:
    if not 0 < rate <= 1:
        said = f"invalid rate {rate}"
        remedy = "rates must be above 0 and at most 1"
        raise InputError(said, code="out-of-range", argument="rates", remedy=remedy)


class Robustness(Record, Result, eq=False):
    """Correlations [measure, rate, repetition] with the ranking on the whole pool.

    level: the mean score over systems and topics on each sample; whole: [measure], on the whole
    pool.
    """

    measures: list[str]
    rates: tuple[float, ...]
    tau: Floats
    tau_ap: Floats
    systems: int
    topics: int
    seed: int
    level: Floats
    whole: Floats

    def matrix(self, what: RankCorrelation = "tau") -> Floats:
        return self.tau if what == "tau" else self.tau_ap

    def mean(self, what: RankCorrelation = "tau") -> Floats:
        """[measure, rate]"""
        return np.asarray(self.matrix(what).mean(axis=2))

    def std(self, what: RankCorrelation = "tau") -> Floats:
        """[measure, rate]: over repetitions."""
        values = self.matrix(what)
        return np.asarray(values.std(axis=2, ddof=1 if values.shape[2] > 1 else 0))

    def table(self, what: RankCorrelation = "tau", digits: int = 3) -> Table:
        """Means over repetitions: a row for every measure, a column for every rate."""
        rows: list[list[Cell]] = [
            [name, *map(float, row)]
            for name, row in zip(self.measures, self.mean(what), strict=True)
        ]
        return Table((what, *(f"{rate:.0%}" for rate in self.rates)), rows, digits)

    def cells(self) -> Table:
        """Every repetition of every measure and rate."""
        rows = [
            (self.measures[m], self.rates[r], n, float(self.tau[m, r, n]),
             float(self.tau_ap[m, r, n]))
            for m, r, n in np.ndindex(self.tau.shape)
        ]  # fmt: skip
        return Table(("measure", "rate", "repetition", "tau", "tau_ap"), rows)

    def plot(self, what: RankCorrelation = "tau") -> Plot:
        """Draw the correlation with the whole pool's ranking, a line for each measure."""
        return self._drawn("study_plots.draw_robustness", what)

    def _parts(self) -> list[str | Table]:
        head = f"{self.systems} systems, {self.topics} topics, {self.tau.shape[2]} repetitions"
        return [head, self.table("tau"), self.table("tau_ap")]


def robustness(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasureNames,
    rates: Iterable[float] = RATES,
    repetitions: int = 20,
    seed: int = 0,
    systems: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Robustness:
    """Correlate rankings of systems on down-sampled pools with those on the whole pool.

    A mean near 1 at a small rate says that the measure needs few judgments to order these systems
    as all judgments do; it does not say that this order is right. Compare measures on the same
    pools (one call), and look at `std` before preferring one: repetitions of small pools differ.

    Parameters
    ----------
    qrels : Qrels or source
        Labels.
    runs : Runs or source
        Runs.
    measures : str, Measure or list of these
        Measures.
    rates : iterable of float
        Shares of the pool that are kept.
    repetitions : int
        Random pools of each share.
    seed : int
        Random seed.
    systems : sequence of str, optional
        Only these systems.
    progress : callable, optional
        Called as ``progress(done, total, what)``.

    Returns
    -------
    Robustness
        Correlations by measure, rate and repetition.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> found = hj.studies.robustness(made.gold, made.runs, "AP", (0.5, 0.1), 2)
    >>> found.mean().shape
    (1, 2)

    One measure at two rates; `found.table()` has a row for each measure.
    """
    kept = tuple(rates)
    for rate in kept:
        _check_rate(rate)
    if repetitions < 1 or not kept:
        raise InputError(
            "nothing to draw", code="nothing-to-draw", remedy="give rates, and 1 repetition"
        )
    check_count("repetitions", repetitions, 1, MOST_SAMPLES)
    pools = PoolScores(qrels, runs, measures, seed, systems)
    truth = pools.whole.better()
    shape = (len(pools.whole.measures), len(kept), repetitions)
    tau, near_top, level = (np.empty(shape) for _ in range(3))
    for n, r in watched(list(np.ndindex(repetitions, len(kept))), progress):
        sample = pools.sample(kept[r], n)
        tau[:, r, n] = kendall(sample.better(), truth)
        near_top[:, r, n] = tau_ap(sample.better(), truth)
        level[:, r, n] = sample.mean().mean(axis=1)
    return Robustness(
        measures=pools.whole.measures,
        rates=kept,
        tau=tau,
        tau_ap=near_top,
        systems=len(pools.whole.systems),
        topics=len(pools.whole.topics),
        seed=seed,
        level=level,
        whole=pools.whole.mean().mean(axis=1),
    )


class PoolScores:
    """Scores on the whole pool (`whole`), and on samples of it from a seed."""

    def __init__(
        self,
        qrels: QrelsLike,
        runs: RunsLike,
        measures: MeasureNames,
        seed: int = 0,
        systems: Sequence[str] | None = None,
    ) -> None:
        self.qrels, self.measures, self.seed = as_qrels(qrels), measure_list(measures), seed
        need_hard_labels(self.qrels, "down-sampling")
        need_measures(self.measures, self.qrels)
        depth = max(one.unjudged_depth for one in self.measures)
        self.alignment = align(as_runs(runs), self.qrels.pool, others=depth)
        self.systems = None if systems is None else list(systems)
        self.whole = self._score(self.qrels)
        need_systems(self.whole, "robustness")

    def sample(self, rate: float, repetition: int = 0) -> Scores:
        """Score systems with a share of the judgments."""
        return self._score(downsample(self.qrels, rate, self.seed, repetition))

    def _score(self, labels: Qrels) -> Scores:
        scores = score_alignment(
            self.alignment, labels, self.measures, "judged", "zero", "nonrelevant"
        )
        return scores.select(self.systems)


MANY = 10  # relevant documents for each highly relevant one


class Chosen(Record, Result, eq=False):
    """A choice of topics or runs: `names` are the chosen ones, `why` the reason."""

    names: list[str]
    why: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]  # of all that were looked at, the name first

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def table(self) -> Table:
        mine = set(self.names)
        marked = [(*row, "yes" if row[0] in mine else "no") for row in self.rows]
        return Table((*self.columns, "chosen"), marked)

    def _parts(self) -> list[str | Table]:
        return [f"{len(self)} of {len(self.rows)}: {self.why}", self.table()]


def few_highly_relevant(qrels: QrelsLike, grade: int = 2) -> Chosen:
    """Find topics with few highly relevant documents.

    On such topics graded measures and binary ones disagree most (Ferrante, Ferro and Maistro 2014).

    Parameters
    ----------
    qrels : Qrels or source
        Labels.
    grade : int
        The high grade.

    Returns
    -------
    Chosen
        Topics with R(1) >= 10 R(grade) and R(grade) > 0, and a table of all.

    Examples
    --------
    >>> import hungjury as hj
    >>> relevant = {f"d{i}": 1 for i in range(10)}
    >>> hj.studies.few_highly_relevant({"1": {**relevant, "best": 2}, "2": {"best": 2}}).names
    ['1']
    """
    given = as_qrels(qrels)
    need_hard_labels(given, "a choice of topics by grades")
    if given.max_grade < 2:
        raise InputError(
            "a choice of topics by grades needs more grades, but these labels go from 0 to "
            f"{given.max_grade}",
            code="too-few-grades",
            remedy="give labels with grades up to 2 or more, or declare the scale",
        )
    check_count("grade", grade, 2, given.max_grade)
    assert given.labels is not None
    low, high = (given.pool.sum_by_topic(given.labels == g) for g in (1, grade))
    few = (high > 0) & (low >= MANY * high)
    rows = [(t, int(a), int(b)) for t, a, b in zip(given.topics, low, high, strict=True)]
    return Chosen(
        [t for t, yes in zip(given.topics, few, strict=True) if yes],
        f"at least {MANY} documents of grade 1 for each of grade {grade}",
        ("topic", "grade 1", f"grade {grade}"),
        rows,
    )


def run_quartiles(scores: Scores, measure: str | None = None) -> Chosen:
    """Find the runs better than the first (worst) quartile of a measure's means.

    Very poor runs are easy to tell from the others and raise all correlations; studies of measures
    leave them out.

    Parameters
    ----------
    scores : Scores
        The result of `evaluate`.
    measure : str, optional
        Default: the first measure.

    Returns
    -------
    Chosen
        The runs' names; the table gives each run's quartile, 1 for the worst.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> scores = hj.evaluate(made.gold, made.runs, ["AP", "nDCG@10"])
    >>> hj.studies.run_quartiles(scores, "AP").names
    ['system1', 'system2', 'system3']
    """
    need_systems(scores, "a choice of runs by quartiles")
    name = scores.measures[0] if measure is None else measure
    if name not in scores.measures:
        raise InputError(
            f"{name} was not scored", code="not-scored", remedy=f"choose from {scores.measures}"
        )
    at = scores.measures.index(name)
    means, better = scores.mean()[at], scores.better()[at]
    limits = np.quantile(better, [0.25, 0.5, 0.75])
    quartile = 1 + (better[:, None] > limits).sum(axis=1)
    best = [int(i) for i in np.argsort(-better, kind="stable")]
    side = "below" if scores.signs[at] < 0 else "above"
    return Chosen(
        [s for s, q in zip(scores.systems, quartile, strict=True) if q > 1],
        f"{name} {side} {abs(limits[0]):.4f}, the first quartile",
        ("system", name, "quartile"),
        [(scores.systems[i], float(means[i]), int(quartile[i])) for i in best],
    )


def complete_runs(qrels: QrelsLike, runs: RunsLike) -> Chosen:
    """Find the runs that retrieve something on every judged topic.

    A run without results on a topic scores 0 there under most measures, which says more about the
    run than about the measures that a study compares.

    Parameters
    ----------
    qrels : Qrels or source
        Labels.
    runs : Runs or source
        Runs.

    Returns
    -------
    Chosen
        The runs' names, and a table of all.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> hj.studies.complete_runs(made.gold, made.runs).names
    ['system1', 'system2', 'system3', 'system4']
    """
    aligned = align(as_runs(runs), as_qrels(qrels).pool)
    retrieved = aligned.retrieved.sum(axis=1)
    total = len(aligned.pool.topics)
    pairs = list(zip(aligned.systems, map(int, retrieved), strict=True))
    return Chosen(
        [system for system, number in pairs if number == total],
        f"retrieve on all {total} topics",
        ("system", "topics"),
        pairs,
    )
