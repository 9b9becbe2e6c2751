"""Binomial merging: the share of votes is the probability of relevance (CS section 3)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.errors import Argument, MeasureError
from hungjury.judges.merged import MERGES, Merge, Verdict
from hungjury.judges.panel import Panel
from hungjury.named import number, param
from hungjury.settings import Scope

__all__ = ["BinomialVote", "QuantizedBinomialVote", "vote_shares"]


def vote_shares(panel: Panel) -> NDArray[np.float64]:
    """[document, grade]: the share of those who judged; zeros where nobody did."""
    votes = panel.counts()
    total = votes.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(votes, total, out=np.zeros_like(votes), where=total > 0))


@MERGES.add("binmv")
class BinomialVote(Merge):
    """The mean vote over those who judged, as a probability; of each grade where graded."""

    gives: ClassVar[str] = "probabilities"
    drawn_from: ClassVar[str] = "posterior"
    scored_in_expectation: ClassVar[bool] = True

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        return Verdict(posterior=vote_shares(panel))


@MERGES.add("qbinmv")
class QuantizedBinomialVote(Merge):
    """The mean vote p sharpened to 1/(1+exp(-k(p-0.5)))."""

    gives: ClassVar[str] = "probabilities"
    drawn_from: ClassVar[str] = "posterior"
    scored_in_expectation: ClassVar[bool] = True
    k: float = param(15.0, kind=number, low=0, open_low=True, doc="steepness")

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        if not panel.binary:
            raise MeasureError(
                f"{self} is for binary labels, but these have {len(panel.grades)} grades",
                code="not-binary",
                remedy=("give the lowest relevant grade with", Argument("rel")),
            )
        # As a tanh it cannot overflow, whatever k.
        p = 0.5 * (1 + np.tanh(0.5 * self.k * (vote_shares(panel)[:, 1] - 0.5)))
        return Verdict(posterior=np.stack([1 - p, p], axis=1))
