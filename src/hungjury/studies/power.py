"""Discriminative power: the share of pairs of systems that a measure tells apart (Sakai 2006)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import check_choice, check_seed
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Table
from hungjury.data.runs import Progress
from hungjury.measures.scores import Scores
from hungjury.stats.multiple import randomised_tukey
from hungjury.stats.paired import bootstrap_test, studentised_bootstrap
from hungjury.studies.jobs import seed_for
from hungjury.studies.topics import need_systems

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
