"""AWARE as a merge: it combines measures, not labels (TH chapter 4)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hungjury.choices import Scope
from hungjury.errors import MeasureError
from hungjury.judges.merged import MERGES, Merge, Verdict
from hungjury.judges.panel import Panel
from hungjury.judges.weights import WEIGHTS, Uniform, Weights
from hungjury.parameters import param

__all__ = ["AwareMerge"]


def _weights(value: object) -> Weights:
    return value if isinstance(value, Weights) else WEIGHTS.parse(str(value))


@MERGES.add("aware")
class AwareMerge(Merge):
    """Weighted mean of the scores under each judge alone; drawn by resampling the judges."""

    positional: ClassVar[str] = "weights"
    gives: ClassVar[str] = "weights"
    weights: Weights = param(
        Uniform(), kind=_weights, doc="uni, or an estimator such as sgl_tau_msd"
    )

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        raise MeasureError(
            f"{self} merges measures, not labels",
            code="not-labels",
            remedy="use aware() or a leaderboard, or choose a merge of labels such as binmv",
        )
