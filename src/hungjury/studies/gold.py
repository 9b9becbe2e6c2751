"""Gold standards, and how near to them the systems' means are.

The deterministic gold standard (DGS) scores systems by the gold labels; the randomised one (RGS)
takes these as right with probability 0.95 and scores by the expected measure (CS 4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure
from hungjury.collection.likes import QrelsLike
from hungjury.collection.qrels import as_qrels
from hungjury.collection.runs import Runs
from hungjury.errors import Argument, MeasureError, check_choice
from hungjury.evaluation import evaluate
from hungjury.judges.judge_scores import JudgeScores, gold_labels
from hungjury.stats.correlation import kendall_cross, rmse, tau_ap_cross

__all__ = ["DETERMINISTIC", "NEARLY_SURE", "RANDOMISED", "Nearness", "Truths", "nearly_sure"]

Array = NDArray[np.float64]
DETERMINISTIC, RANDOMISED = "DGS", "RGS"
NEARLY_SURE = (0.05, 0.95)
"""P(relevant) of documents that are labelled not relevant and relevant."""


@dataclass(frozen=True, eq=False)
class Nearness:
    """How near many vectors of means are to the truth: [vector] each."""

    tau: Array
    tau_ap: Array
    rmse: Array


class Truths:
    """The systems' means under each gold standard, on the topics that have gold labels."""

    def __init__(
        self,
        scored: JudgeScores,
        gold: QrelsLike,
        runs: Runs,
        rel: int | None,
        standards: Sequence[str] = (DETERMINISTIC,),
    ) -> None:
        assert scored.gold is not None
        for name in standards:
            check_choice("a gold standard", name, (DETERMINISTIC, RANDOMISED))
        self.standards, self.measures = tuple(standards), scored.measures
        self.known = np.flatnonzero(~np.isnan(scored.gold[0]).all(axis=0))
        self.means = {DETERMINISTIC: scored.gold[:, :, self.known].mean(axis=2)}
        if RANDOMISED in self.standards:
            labels = gold_labels(as_qrels(gold), rel)
            chosen = [scored.alignment.pool.topics[t] for t in self.known]
            measures = [nearly_sure(one, scored.grades[-1]) for one in scored.measures]
            self.means[RANDOMISED] = evaluate(labels.select(chosen), runs, measures).mean()

    def nearness(self, standard: str, m: int, means: Array) -> Nearness:
        """Of means [vector, system] by measure `m`."""
        truth, better = self.means[standard][m], self.measures[m].better
        return Nearness(
            kendall_cross(means, truth[None])[:, 0],
            tau_ap_cross(better(means), better(truth[None]))[:, 0],
            np.atleast_1d(rmse(means, truth)),
        )


def nearly_sure(one: Measure, top: int = 1) -> Measure:
    """The expected counterpart of a measure, with labels that are right with probability 0.95."""
    if top > 1:
        raise MeasureError(
            f"a randomised gold standard is for binary labels, but grades go up to {top}",
            code="not-binary",
            remedy=("give the lowest relevant grade as", Argument("rel")),
        )
    return one.for_probabilities(NEARLY_SURE)
