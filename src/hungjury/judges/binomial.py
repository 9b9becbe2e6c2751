"""Binomial merging: the share of votes is the probability of relevance (CS section 3)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import Scope
from hungjury.errors import Argument, MeasureError
from hungjury.judges.merged import MERGES, Merge, Verdict
from hungjury.judges.panel import Panel
from hungjury.parameters import number, param

__all__ = ["BinomialVote", "QuantizedBinomialVote", "completed_shares", "vote_shares"]

ENOUGH = 3.0  # fewest votes that documents are completed to
MOST = 0.9  # documents are completed to this quantile of the number of votes


def vote_shares(panel: Panel) -> NDArray[np.float64]:
    """[document, grade]: each grade's share of the votes; zeros for documents without votes."""
    votes = panel.counts()
    total = votes.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(votes, total, out=np.zeros_like(votes), where=total > 0))


def completed_shares(panel: Panel, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """[document, grade]: shares of votes, with missing votes filled in for documents with few.

    A missing vote is predicted from the votes that the document has: judges who label the same
    document show how often one grade goes with another. Documents are completed to as many votes
    as most documents have, but at least three.
    """
    if panel.share is not None:  # probabilities express their own doubt
        return shares
    votes = panel.counts()
    number = votes.sum(axis=1)
    families = float(panel.weight.sum())
    wanted = min(families, max(ENOUGH, float(np.quantile(number[panel.judged], MOST))))
    missing = np.maximum(wanted - number, 0) * panel.judged
    if missing.max(initial=0) < 1e-9:
        return shares
    joint = votes.T @ votes - np.diag(panel.counts(panel.weight**2).sum(axis=0))
    often = joint.sum(axis=1, keepdims=True)
    other = np.where(often > 1e-9, joint / np.maximum(often, 1e-9), np.eye(len(joint)))
    total = np.maximum(number + missing, 1e-9)[:, None]
    return np.asarray((number[:, None] * shares + missing[:, None] * (shares @ other)) / total)


@MERGES.add("binmv")
class BinomialVote(Merge):
    """The mean vote as the probability of relevance, or of each grade of graded labels."""

    gives: ClassVar[str] = "probabilities"
    drawn_from: ClassVar[str] = "posterior"
    scored_in_expectation: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        return Verdict(posterior=vote_shares(panel))

    def in_doubt(self, panel: Panel, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
        """Fill in missing votes, so that agreement of few judges is not taken as certainty."""
        return completed_shares(panel, posterior)


@MERGES.add("qbinmv")
class QuantizedBinomialVote(Merge):
    """The mean vote p sharpened to 1/(1+exp(-k(p-0.5)))."""

    gives: ClassVar[str] = "probabilities"
    drawn_from: ClassVar[str] = "posterior"
    scored_in_expectation: ClassVar[bool] = True
    k: float = param(15.0, kind=number, low=0, open_low=True, doc="steepness")

    def for_labels(self) -> None:
        """None: its most probable labels are those of `binmv`."""

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        if not panel.binary:
            raise MeasureError(
                f"{self} needs binary labels, but these have {len(panel.grades)} grades",
                code="not-binary",
                remedy=("give the lowest relevant grade with", Argument("rel")),
            )
        # Written as a tanh, which cannot overflow for any k.
        p = 0.5 * (1 + np.tanh(0.5 * self.k * (vote_shares(panel)[:, 1] - 0.5)))
        return Verdict(posterior=np.stack([1 - p, p], axis=1))
