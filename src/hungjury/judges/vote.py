"""Majority vote: the label that most judges of a document gave it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hungjury.judges.merged import MERGES, Merge, Verdict
from hungjury.judges.panel import Panel
from hungjury.parameters import one_of, param

__all__ = ["MajorityVote", "median", "plurality"]

BinaryTie = Literal["random", "relevant", "not"]
GradedVote = Literal["plurality", "median"]


@MERGES.add("mv")
class MajorityVote(Merge):
    """The label with most votes (TH 4.1.2); drawn by resampling the judges."""

    ties: BinaryTie = param("random", kind=one_of(BinaryTie), doc="winner of a binary tie")
    graded: GradedVote = param(
        "plurality",
        kind=one_of(GradedVote),
        doc="of more than two grades: the one with most votes (ties: the lower), or the median",
    )

    def for_labels(self) -> Merge:
        return self.but(ties="not") if self.ties == "random" else self

    def decide(self, panel: Panel, scope: str, rng: np.random.Generator) -> Verdict:
        panel.whole_labels(str(self))
        return Verdict(self._winner(panel.counts(), panel, rng))

    def redraw(self, panel: Panel, rng: np.random.Generator) -> NDArray[np.int64]:
        """The vote of as many judges, or families, drawn with replacement.

        A document that no drawn judge labelled keeps the whole panel's vote.
        """
        votes = panel.counts(panel.resampled(rng))
        alone = votes.sum(axis=1) == 0
        if alone.any():
            votes[alone] = panel.counts()[alone]
        return self._winner(votes, panel, rng)

    def _winner(
        self, votes: NDArray[np.float64], panel: Panel, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        if not panel.binary:
            return median(votes) if self.graded == "median" else plurality(votes)
        against, in_favour = votes[:, 0], votes[:, 1]
        if self.ties == "random":
            # Toss a coin for every document, so that one does not depend on which others tie.
            tie_wins = rng.random(len(votes)) < 0.5
        else:
            tie_wins = np.full(len(votes), self.ties == "relevant")
        tie = in_favour == against
        return np.where(tie, tie_wins, in_favour > against).astype(np.int64)


def plurality(votes: NDArray[np.float64]) -> NDArray[np.int64]:
    """[document]: position of the grade with most votes; ties go to the lower grade."""
    return np.asarray(np.argmax(votes, axis=1))


def median(votes: NDArray[np.float64]) -> NDArray[np.int64]:
    """[document]: position of the median vote, the lower of the two middle ones."""
    upto = np.cumsum(votes, axis=1)
    return np.asarray(np.argmax(2 * upto >= upto[:, -1:], axis=1))
