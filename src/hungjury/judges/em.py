"""Expectation maximisation: judges with confusion matrices (Dawid and Skene 1979; TH 4.1.3).

Topics are independent: each is fitted until it has converged, and the result does not depend on
the other topics.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.choices import Scope
from hungjury.base.parameters import integer, number, one_of, param
from hungjury.judges.merge_types import MERGES, Fit, LabelMerge, Verdict
from hungjury.judges.panel import Panel
from hungjury.judges.votes import MajorityVote, plurality, vote_shares

ASSUMED_ACCURACY = 0.9  # of a judge, where em-neu starts
Start = Literal["majority", "shares"]


def disagrees_with_votes(panel: Panel, posterior: Floats) -> bool:
    """Tell whether a posterior [document, grade] orders documents against the mean vote."""
    judged = panel.judged
    if judged.sum() < 3:
        return False
    grade = np.arange(len(panel.grades), dtype=float)
    one, other = (_ranks((p @ grade)[judged]) for p in (posterior, vote_shares(panel)))
    return bool(np.cov(one, other)[0, 1] < 0)


def _ranks(values: Floats) -> Floats:
    """Rank from 1; equal values share their mean rank."""
    _, at, number = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(number) - (number - 1) / 2)[at])


class ExpectationMaximisation(LabelMerge):
    """Base of both variants, which differ in where they start."""

    depends_on: ClassVar[frozenset[str]] = frozenset({"scope"})
    gives: ClassVar[str] = "probabilities"
    drawn_from: ClassVar[str] = "model"
    tol: float = param(
        1e-3, kind=number, low=0, open_low=True, doc="stop when no posterior changes by more"
    )
    rounds: int = param(1000, kind=integer, low=1, doc="maximum number of rounds")

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        panel.whole_labels(str(self))
        judged, size = panel.judged, len(panel.grades)
        topic = panel.pool.topic_of[judged].astype(np.int64)
        group = topic if scope == "topic" else np.zeros_like(topic)
        place = np.cumsum(judged, dtype=np.int32) - np.int32(1)  # among the judged documents
        found = np.array(self.first(panel)[judged], dtype=float, order="C")
        learned = native.dawid_skene(
            place[panel.document], panel.judge, panel.choice, group, len(panel.judges), size,
            found.reshape(-1), self.tol, self.rounds,
        )  # fmt: skip
        posterior = np.zeros((len(panel.pool), size))
        posterior[judged] = found / found.sum(axis=1, keepdims=True)
        groups = len(panel.pool.topics) if scope == "topic" else 1
        return Verdict(posterior=posterior, fit=_fit(learned, np.unique(group), groups, size))

    def for_one_judge(self) -> LabelMerge:
        """Use the labels as they are: a single judge cannot be modelled."""
        return MajorityVote()

    @abstractmethod
    def first(self, panel: Panel) -> Floats:
        """Return the posterior to start from, [document, grade]."""


@MERGES.add("em-mv")
class FromVotes(ExpectationMaximisation):
    """EM from the majority's labels (a binary tie: 0.5), or from the shares of votes."""

    start: Start = param(
        "majority",
        kind=one_of(Start),
        doc="start from the majority's labels, or from shares of votes as crowd-kit does",
    )

    def first(self, panel: Panel) -> Floats:
        shares = vote_shares(panel)
        if self.start == "shares":
            return shares
        hard = np.eye(len(panel.grades))[plurality(shares)]
        if panel.binary:
            hard[shares[:, 0] == shares[:, 1]] = 0.5
        return hard


@MERGES.add("em-neu")
class FromNeutral(ExpectationMaximisation):
    """EM from judges who are right 9 times in 10, and equally likely grades."""

    def first(self, panel: Panel) -> Floats:
        votes = panel.counts(np.ones(len(panel.judges)))
        wrong = (1 - ASSUMED_ACCURACY) / max(len(panel.grades) - 1, 1)
        # Votes for other grades are the same number less those for this one.
        likelihood = votes * (np.log(ASSUMED_ACCURACY) - np.log(wrong))
        chance = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        return np.asarray(chance / chance.sum(axis=1, keepdims=True))


def _fit(
    learned: tuple[NDArray[Any], ...], where: NDArray[np.int64], groups: int, size: int
) -> Fit:
    """Collect the models of all groups; those without votes, not among `where`, took no round."""
    prior, confusion, log_likelihood, rounds, converged, unit_group, unit_judge = learned

    def spread(values: NDArray[Any], empty: Any) -> NDArray[Any]:
        out = np.full((groups, *values.shape[1:]), empty, dtype=values.dtype)
        out[where] = values
        return out

    return Fit(
        prior=spread(prior.reshape(-1, size), np.nan),
        rounds=spread(rounds, 0),
        log_likelihood=spread(log_likelihood, 0.0),
        converged=spread(converged.astype(bool), True),
        unit_group=where[unit_group],
        unit_judge=unit_judge,
        unit_confusion=confusion.reshape(-1, size, size).swapaxes(1, 2),
    )
