"""Gold standards, and the distance of the systems' means from them.

The deterministic gold standard (DGS) scores systems by the gold labels; the randomised one (RGS)
takes these as right with probability 0.95 and scores by the expected measure (CS 4.2).

The paper does not say how probable relevance is for documents without a label; `Doubt` sets
it, for gold labels and for judges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure
from hungjury.collection.likes import QrelsLike
from hungjury.collection.qrels import as_qrels
from hungjury.collection.runs import Runs
from hungjury.errors import Argument, MeasureError, check_choice
from hungjury.evaluation import evaluate
from hungjury.judges.judge_scores import JudgeScores, gold_labels
from hungjury.records import Record
from hungjury.scores import over_topics
from hungjury.stats.correlation import kendall_cross, rmse, tau_ap_cross
from hungjury.studies.resampling import Resampling

__all__ = ["DETERMINISTIC", "NEARLY_SURE", "RANDOMISED", "Doubt", "Nearness", "Truths"]

Array = NDArray[np.float64]
DETERMINISTIC, RANDOMISED = "DGS", "RGS"


class Doubt(Record):
    """How far labels are trusted: labels are wrong with probability `wrong`, and documents without
    one are relevant with probability `unjudged`."""

    wrong: float = 0.05
    unjudged: float = 0.0

    def __str__(self) -> str:
        return f"{self.wrong:g}, unjudged {self.unjudged:g}"

    def of_labels(self, one: Measure, top: int = 1) -> Measure:
        """The expected counterpart of a measure, for labels 0 and 1."""
        if top > 1:
            raise MeasureError(
                f"a randomised gold standard is for binary labels, but grades go up to {top}",
                code="not-binary",
                remedy=("name the lowest relevant grade with", Argument("rel")),
            )
        return self._unjudged(one.for_probabilities((self.wrong, 1 - self.wrong)))

    def of_votes(self, one: Measure) -> Measure:
        """The expected counterpart of a measure, for probabilities."""
        return self._unjudged(one.for_probabilities())

    def _unjudged(self, expected: Measure) -> Measure:
        return expected.but(unjudged=self.unjudged)


NEARLY_SURE = Doubt()


class Nearness(Record, eq=False):
    """How near many vectors of means are to the truth: [vector] each."""

    tau: Array
    tau_ap: Array
    rmse: Array


class Nearby(Record, eq=False):
    """The same on resampled topics: [draw, vector] each."""

    tau_ap: Array
    rmse: Array


class Truths:
    """The systems' values under each gold standard, on the topics that have gold labels."""

    def __init__(
        self,
        scored: JudgeScores,
        gold: QrelsLike,
        runs: Runs,
        rel: int | None,
        standards: Sequence[str] = (DETERMINISTIC,),
        doubts: Sequence[Doubt] = (NEARLY_SURE,),
        resampling: Resampling | None = None,
    ) -> None:
        assert scored.gold is not None
        for name in standards:
            check_choice("a gold standard", name, (DETERMINISTIC, RANDOMISED))
        self.standards, self.measures = tuple(standards), scored.measures
        self.known = np.flatnonzero(~np.isnan(scored.gold[0]).all(axis=0))
        values: dict[Doubt | None, Array] = {None: scored.gold[:, :, self.known]}
        if RANDOMISED in self.standards:
            labels = gold_labels(as_qrels(gold), rel)
            labels = labels.select([scored.alignment.pool.topics[t] for t in self.known])
            for doubt in doubts:
                measures = [doubt.of_labels(one, scored.grades[-1]) for one in scored.measures]
                values[doubt] = evaluate(labels, runs, measures).values
        self.means = {doubt: self._averaged(found) for doubt, found in values.items()}
        self.shares = None if resampling is None else resampling.topics(len(self.known))
        if self.shares is not None:
            # [measure, draw, system]
            self.drawn = {
                d: np.swapaxes(self._averaged(v, self.shares), 1, 2) for d, v in values.items()
            }

    def _averaged(self, values: Array, shares: Array | None = None) -> Array:
        """Values [measure, system, topic] summarised over topics."""
        pairs = zip(values, self.measures, strict=True)
        return np.stack([over_topics(mine, one.average, shares) for mine, one in pairs])

    def nearness(self, m: int, values: Array, doubt: Doubt | None = None) -> Nearness:
        """Of values [vector, system, topic] by measure `m`; doubt: None for gold labels as they
        are."""
        truth, better = self.means[doubt][m], self.measures[m].better
        means = over_topics(values, self.measures[m].average)
        ranked = better(means), better(truth[None])
        return Nearness(
            kendall_cross(*ranked)[:, 0],
            tau_ap_cross(*ranked)[:, 0],
            np.atleast_1d(rmse(means, truth)),
        )

    def on_other_topics(self, m: int, values: Array, doubt: Doubt | None = None) -> Nearby:
        """The same on resampled topics."""
        assert self.shares is not None
        better, truth = self.measures[m].better, self.drawn[doubt][m]
        drawn = over_topics(values, self.measures[m].average, self.shares)
        means = np.moveaxis(drawn, 2, 0)  # [draw, vector, system]
        near = tau_ap_cross(better(means), better(truth[:, None]))[:, :, 0]
        return Nearby(near, np.asarray(rmse(means, truth[:, None])))
