"""The distribution that uncertain labels give to scores: quantiles, intervals, systems in pairs.

Everything comes from draws in which all systems are scored under the same labels.
"""

from __future__ import annotations

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, Bools, Floats, Ints
from hungjury.base.records import Record
from hungjury.stats.correlation import with_ties

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


def summarised(values: Floats, use: Bools, average: str) -> Floats:
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
    counted: Bools  # [system, document]

    def wins(self) -> Floats:
        """P(the row has more relevant documents than the column), exact; ties count half.

        Documents that both count cancel. The difference on a topic is followed document by
        document, and those of topics are added by their characteristic functions.
        """
        one, other = np.triu_indices(len(self.counted), 1)
        asked = np.unique(self.topic)
        reach = [int(self.counted[:, self.topic == t].sum(axis=1).max()) for t in asked]
        length = 2 * sum(reach) + 1
        total: Array = np.ones((len(one), length // 2 + 1), dtype=complex)
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
