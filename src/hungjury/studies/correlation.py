"""Do two measures rank systems alike? Kendall's tau and tau_ap of all pairs of measures."""

from __future__ import annotations

from typing import get_args

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import RankCorrelation
from hungjury.base.errors import check_choice
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Cell, Table
from hungjury.measures.scores import Scores, over_topics
from hungjury.stats.correlation import kendall_cross, tau_ap_cross, with_ties
from hungjury.studies.claims import Resampling
from hungjury.studies.topics import need_systems

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


def correlate_measures(scores: Scores) -> MeasureCorrelation:
    """Correlate all pairs of measures over the systems' means.

    A correlation near 1 says that two measures order these systems alike, whatever their scores.
    tau counts every pair of systems the same; tau_ap counts the best systems more. Both say
    nothing about which measure is right, and with few systems they vary much: tau of 5 systems
    changes by 0.2 when two neighbours change places.

    Parameters
    ----------
    scores : Scores
        The result of `evaluate`.

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
    means = scores.better()
    return MeasureCorrelation(
        scores.measures,
        kendall_cross(means, means),
        tau_ap_cross(means, means),
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
