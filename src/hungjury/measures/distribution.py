"""The distribution that uncertain labels give to scores: quantiles, intervals, systems in pairs.

Everything comes from draws in which all systems are scored under the same labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import InputError, UnknownName
from hungjury.base.parameters import check_count, check_share, order_by
from hungjury.base.records import Record
from hungjury.stats.correlation import with_ties

if TYPE_CHECKING:
    from hungjury.measures.scores import Scores

GMEAN_FLOOR = 0.00001


def averaged(values: Floats, average: str) -> Floats:
    """Return values as they are averaged over topics: logarithms for a geometric mean."""
    return np.log(np.maximum(values, GMEAN_FLOOR)) if average == "gmean" else values


def over_topics(values: Floats, average: str, shares: Floats | None = None) -> Floats:
    """Summarise values [..., topic] by their mean, sum or geometric mean.

    With the `shares` of topics in resamples [draw, topic] the result is [..., draw].
    """
    used = averaged(values, average)
    mean = used.mean(axis=-1) if shares is None else used @ shares.T
    if average == "sum":
        mean = mean * values.shape[-1]
    return np.asarray(np.exp(mean) if average == "gmean" else mean)


def summarised(values: Floats, use: NDArray[np.bool_], average: str) -> Floats:
    """Summarise the values [..., topic] that are used; NaN where there is none to average."""
    total = np.where(use, averaged(values, average), 0.0).sum(axis=-1)
    if average == "sum":
        return np.asarray(total)
    number = np.broadcast_to(use.sum(axis=-1), total.shape)
    mean = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    return np.asarray(np.exp(mean) if average == "gmean" else mean)


class Spread(Record):
    """What tables show beside each score of uncertain labels."""

    std: bool = False
    level: float | None = None  # of an interval
    quantiles: tuple[float, ...] = ()

    def names(self, measure: str) -> dict[str, float | None]:
        """Return the names of columns beside a measure, with the quantile that each shows."""
        ends = () if self.level is None else ((1 - self.level) / 2, (1 + self.level) / 2)
        shown = {f"{measure} std": None} if self.std else {}
        return shown | {f"{measure} {100 * q:g} %": q for q in (*ends, *self.quantiles)}


class Dominance(Record):
    """Whether one system's score is stochastically larger than another's.

    Attributes
    ----------
    holds : bool
        The first system exceeds every value with at least the probability of the second one.
    witness : float or None
        Where it does not hold: the value at which the second system is farthest ahead.
    first, second : float
        P(score > witness) of the two systems; 1 and 1 where there is no witness.

    Examples
    --------
    >>> import hungjury as hj
    >>> soft = {"q": {"a": 0.9, "b": 0.5}}
    >>> runs = {"A": {"q": {"a": 1.0}}, "B": {"q": {"b": 1.0}}}
    >>> scores = hj.evaluate(soft, runs, "E(P@1)", distribution=True)
    >>> scores.dominance("A", "B").holds, scores.dominance("B", "A").witness
    (True, 0.0)
    """

    holds: bool
    witness: float | None = None
    first: float = 1.0
    second: float = 1.0


class HitCounts(Record, eq=False):
    """The documents that count for each system, where a mean is the number of relevant ones."""

    p: Floats  # [document]: P(relevant), documents being independent
    topic: Ints  # [document]
    counted: NDArray[np.bool_]  # [system, document]

    def wins(self) -> Floats:
        """P(the row has more relevant documents than the column), exact; ties count half.

        Documents that both count cancel. The difference on a topic is followed document by
        document, and those of topics are added by their characteristic functions.
        """
        one, other = np.triu_indices(len(self.counted), 1)
        asked = np.unique(self.topic)
        reach = [int(self.counted[:, self.topic == t].sum(axis=1).max()) for t in asked]
        length = 2 * sum(reach) + 1
        total: NDArray[Any] = np.ones((len(one), length // 2 + 1), dtype=complex)
        for t, most in zip(asked, reach, strict=True):
            chance = np.zeros((len(one), 2 * most + 1))
            chance[:, most] = 1.0
            for d in np.flatnonzero((self.topic == t) & (self.p > 0)):
                mine = self.counted[:, d]
                for pairs, step in ((mine[one] & ~mine[other], 1), (mine[other] & ~mine[one], -1)):
                    moved = np.roll(chance[pairs], step, axis=1)  # the ends are empty before
                    chance[pairs] += self.p[d] * (moved - chance[pairs])
            total *= np.fft.rfft(chance, length, axis=1)
        found = np.fft.irfft(total, length, axis=1)
        middle = sum(reach)
        above = found[:, middle + 1 :].sum(axis=1) + found[:, middle] / 2
        out = np.full((len(self.counted), len(self.counted)), 0.5)
        out[one, other], out[other, one] = above, 1 - above
        return out

    def select(self, systems: list[int], topics: list[int]) -> HitCounts:
        """Return those of some systems and topics, whose places are in ascending order."""
        keep = np.isin(self.topic, topics)
        topic = np.searchsorted(topics, self.topic[keep])
        return HitCounts(self.p[keep], topic, self.counted[systems][:, keep])


def functional(mean: Floats, draws: Floats, by: str | float) -> Floats:
    """Return what systems are ordered by, larger first, from means and draws [draw, system]."""
    if by == "mean":
        return with_ties(mean)
    if by == "wins":
        shares = native.shares_larger(np.ascontiguousarray(with_ties(draws).T))
        return np.asarray(shares.mean(axis=1))
    return with_ties(np.quantile(draws, 0.5 if isinstance(by, str) else by, axis=0))


class Distribution:
    """What `Scores` says about the distribution of its means under uncertain labels."""

    if TYPE_CHECKING:
        measures: list[str]
        systems: list[str]
        values: Floats
        averages: list[str]
        draws: dict[int, NDArray[np.float32]]
        hits: dict[int, HitCounts]

        def counted(self) -> NDArray[np.bool_]: ...
        def mean(self) -> Floats: ...
        @property
        def signs(self) -> Floats: ...

    def mean_draws(self, measure: int = 0) -> Floats:
        """Return means over topics [draw, system] of a measure under drawn labels.

        One draw labels the documents of all systems, which keeps systems paired: differences,
        covariances and ranks can be computed row by row.
        """
        if measure not in self.draws:
            known = dict(enumerate(self.measures))
            raise InputError(
                f"no labels were drawn for {known.get(measure, f'measure {measure}')}",
                code="no-draws",
                remedy="evaluate expectations, such as E(nDCG@10), with distribution=True",
            )
        average = (self.averages or ["mean"] * len(self.measures))[measure]
        drawn = self.draws[measure].astype(float)
        return np.nan_to_num(summarised(drawn, self.counted()[measure], average))

    def resampled_means(self, measure: int, number: int, seed: int) -> Floats:
        """Return as many rows of `mean_draws` as are asked for, with equal means equal."""
        drawn = with_ties(self.mean_draws(measure))
        if number <= len(drawn):
            return drawn[:number]
        return drawn[np.random.default_rng([seed, len(drawn)]).integers(len(drawn), size=number)]

    def quantile(self, q: float | Sequence[float], per_topic: bool = False) -> Floats:
        """Return quantiles of the distribution that uncertain labels give to scores.

        Parameters
        ----------
        q : float or sequence of float
            Probabilities, such as 0.5 for the median.
        per_topic : bool
            Those of every topic instead of those of means over topics.

        Returns
        -------
        ndarray
            [..., measure, system], with the axes of `q` first, or [..., measure, system, topic].
            NaN for measures whose labels were not drawn.

        Examples
        --------
        >>> import hungjury as hj
        >>> soft, run = {"q": {"a": 0.5, "b": 0.5}}, {"q": {"a": 2.0, "b": 1.0}}
        >>> scores = hj.evaluate(soft, run, "E(P@2)", distribution=True)
        >>> scores.quantile([0.1, 0.5, 0.9])[:, 0, 0].tolist()
        [0.0, 0.5, 1.0]
        """
        shape = self.values.shape if per_topic else self.values.shape[:2]
        out = np.full((*np.shape(q), *shape), np.nan)
        for m, cells in self.draws.items():
            drawn = cells if per_topic else self.mean_draws(m)
            at = (..., m, slice(None), slice(None)) if per_topic else (..., m, slice(None))
            out[at] = np.quantile(drawn, np.asarray(q, dtype=float), axis=0)
        return out

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends [measure, system] of the central interval of means, due to labels."""
        check_share("level", level)
        low, high = self.quantile([(1 - level) / 2, (1 + level) / 2])
        return low, high

    def covariance(self, measure: int = 0) -> Floats:
        """Return the covariances [system, system] of means under uncertain labels.

        Systems share documents: the variance of a difference is not the sum of both variances.
        """
        return np.atleast_2d(np.cov(self.mean_draws(measure), rowvar=False))

    def wins(self, measure: int = 0) -> Floats:
        """Return P(one system's mean is better than the other's) [system, system]; ties count half.

        Labels alone are uncertain here: topics are these, and there is no error of judges. Exact
        for precision and other shares of relevant documents, else from draws.
        """
        if measure in self.hits and self.counted()[measure].all():
            found = self.hits[measure].wins()
            return found if self.signs[measure] > 0 else found.T
        better = with_ties(self.mean_draws(measure)) * self.signs[measure]
        return native.shares_larger(np.ascontiguousarray(better.T))

    def with_spread(
        self, std: bool = True, level: float | None = None, quantiles: Iterable[float] = ()
    ) -> Scores:
        """Return scores that show beside each mean how far uncertain labels leave it open.

        Parameters
        ----------
        std : bool
            Show standard deviations.
        level : float, optional
            Show the ends of the central interval of this level.
        quantiles : sequence of float
            Show these quantiles, such as 0.5 for the median.

        Returns
        -------
        Scores
            The same scores; text, CSV, JSON and LaTeX have more columns. Intervals and quantiles
            need the distribution (`evaluate` with ``distribution=True``).

        Examples
        --------
        >>> import hungjury as hj
        >>> soft, run = {"q": {"a": 0.5, "b": 0.5}}, {"q": {"a": 2.0, "b": 1.0}}
        >>> scores = hj.evaluate(soft, run, "E(P@2)", distribution=True)
        >>> print(scores.with_spread(quantiles=[0.5]))
        system  E(P@2)  E(P@2) std  E(P@2) 50 %
        run     0.5000      0.3536       0.5000
        """
        quantiles = tuple(quantiles)
        for q in quantiles:
            check_share("quantiles", q)
        if level is not None:
            check_share("level", level)
        if (quantiles or level is not None) and not self.draws:
            self.mean_draws(0)
        return cast("Scores", replace(cast(Any, self), spread=Spread(std, level, quantiles)))

    def order(self, by: str | float = "mean", measure: int = 0) -> list[str]:
        """Return the systems, best first, by another functional than the expectation.

        Parameters
        ----------
        by : {"mean", "median", "wins"} or float
            The mean, the median, a quantile such as 0.1 (for the cautious), or the mean
            probability of being better than another system.
        measure : int
            The place of the measure in `measures`.

        Returns
        -------
        list of str
            Names of systems; equal ones in their given order. The orders can disagree: a system
            may have the larger mean, and still be worse with the larger probability.

        Examples
        --------
        >>> import hungjury as hj
        >>> soft = {"q": {"a": 0.9, "b": 0.5}}
        >>> runs = {"B": {"q": {"b": 1.0}}, "A": {"q": {"a": 1.0}}}
        >>> hj.evaluate(soft, runs, "E(P@1)", distribution=True).order("median")
        ['A', 'B']
        """
        check_count("measure", measure, 0, len(self.measures) - 1)
        sign, mean = self.signs[measure], self.mean()[measure]
        drawn = mean[None] if by == "mean" else self.mean_draws(measure)
        value = functional(sign * mean, sign * drawn, order_by(by))
        best = np.argsort(-value, kind="stable")
        return [self.systems[s] for s in best]

    def dominance(self, first: str, second: str, measure: int = 0) -> Dominance:
        """Say whether the first system dominates the second one (first-order dominance).

        Parameters
        ----------
        first, second : str
            Names of systems.
        measure : int
            The place of the measure in `measures`.

        Returns
        -------
        Dominance
            Whether the first system exceeds every value with at least the probability of the
            second one, which makes it better for every taste, and if not, the witness. Both are
            read from draws: differences below their sampling error are no differences.
        """
        for name in (first, second):
            if name not in self.systems:
                raise UnknownName(f"there is no system '{name}' in these scores",
                                  remedy="choose from the systems that were scored")  # fmt: skip
        drawn = with_ties(self.mean_draws(measure)) * self.signs[measure]
        one, other = (np.sort(drawn[:, self.systems.index(name)]) for name in (first, second))
        values = np.unique(np.concatenate([one, other]))
        p, q = (1 - np.searchsorted(side, values, "right") / len(side) for side in (one, other))
        worst = int((q - p).argmax())
        if q[worst] <= p[worst]:
            return Dominance(True)
        witness = float(self.signs[measure] * values[worst])
        return Dominance(False, witness, float(p[worst]), float(q[worst]))
