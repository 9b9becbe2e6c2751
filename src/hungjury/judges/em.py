"""Expectation maximisation: judges with confusion matrices (Dawid and Skene 1979; TH 4.1.3).

Topics are independent, so all are fitted at once, and each is removed
when it has converged: a topic alone and among others gives the same. Posteriors are
[grade, document]: sums over a handful of grades are then sums of long rows, and quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import Scope
from hungjury.judges.binomial import vote_shares
from hungjury.judges.merged import MERGES, Fit, Merge, Verdict
from hungjury.judges.panel import Panel
from hungjury.judges.vote import MajorityVote, plurality
from hungjury.parameters import integer, number, one_of, param

__all__ = ["FromNeutral", "FromVotes", "disagrees_with_votes"]

Floats = NDArray[np.float64]
UNUSED = 0.01  # share of the votes below which a class keeps its place
LEAST = 1e-6  # no probability is nearer to 0 or 1
HONEST = 0.9  # em-neu's first guess of how often a judge is right
KEPT = 0.75  # groups that are done are taken out when fewer than this share still go on


def disagrees_with_votes(panel: Panel, posterior: Floats) -> bool:
    """Does a posterior [document, grade] order documents against the mean vote?"""
    from scipy.stats import rankdata

    judged = panel.judged
    if judged.sum() < 3:
        return False
    grade = np.arange(len(panel.grades), dtype=float)
    one, other = (rankdata((p @ grade)[judged]) for p in (posterior, vote_shares(panel)))
    return bool(np.cov(one, other)[0, 1] < 0)


def _clip(probability: Floats) -> Floats:
    return np.clip(probability, LEAST, 1 - LEAST)


class ExpectationMaximisation(Merge):
    """What both starts share: when to stop."""

    gives: ClassVar[str] = "probabilities"
    drawn_from: ClassVar[str] = "model"
    tol: float = param(
        1e-3, kind=number, low=0, open_low=True, doc="stop when no posterior changes by more"
    )
    rounds: int = param(1000, kind=integer, low=1, doc="rounds at most")

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        panel.whole_labels(str(self))
        votes = _Votes.of(panel, scope)
        result = _Result(votes)
        _iterate(votes, self.first(panel, votes), result, self.tol, self.rounds)
        posterior = np.zeros((len(panel.pool), len(panel.grades)))
        posterior[panel.judged] = (result.posterior / result.posterior.sum(axis=0)).T
        return Verdict(posterior=posterior, fit=result.fit(panel, scope))

    def for_one_judge(self) -> Merge:
        """A single judge cannot be modelled: their labels are used as they are."""
        return MajorityVote()

    def first(self, panel: Panel, votes: _Votes) -> Floats:
        """[grade, judged document]: the posterior to start from."""
        raise NotImplementedError


@MERGES.add("em-mv")
class FromVotes(ExpectationMaximisation):
    """EM from the majority's labels (a binary tie: 0.5), or from the shares of votes."""

    start: str = param(
        "majority",
        kind=one_of("majority", "shares"),
        doc="the majority's labels, or the shares of votes as crowd-kit has it",
    )

    def first(self, panel: Panel, votes: _Votes) -> Floats:
        shares = vote_shares(panel)[panel.judged]
        if self.start == "shares":
            return shares.T
        hard = np.eye(len(panel.grades))[plurality(shares)]
        if panel.binary:
            hard[shares[:, 0] == shares[:, 1]] = 0.5
        return hard.T


@MERGES.add("em-neu")
class FromNeutral(ExpectationMaximisation):
    """EM from judges who are right 9 times in 10, and equally likely grades."""

    def first(self, panel: Panel, votes: _Votes) -> Floats:
        size = len(panel.grades)
        matrix = np.full((size, size), (1 - HONEST) / max(size - 1, 1))
        np.fill_diagonal(matrix, HONEST)
        confusion = np.broadcast_to(matrix, (len(votes.units), size, size))
        prior = np.full((size, len(votes.groups)), 1 / size)
        return votes.e_step(prior, confusion)[0]


@dataclass(frozen=True, eq=False)
class _Votes:
    """Votes as a sparse matrix of ones [unit and label, document]; documents stay in groups.

    Both steps of EM are products with it. `units`, `documents` and `groups` are the places of
    what is left in the whole.
    """

    matrix: Any
    groups: NDArray[np.int64]
    documents: NDArray[np.int64]
    units: NDArray[np.int64]  # keys: group * judges + judge
    document_group: NDArray[np.int64]  # position in `groups`
    unit_group: NDArray[np.int64]

    @staticmethod
    def of(panel: Panel, scope: Scope) -> _Votes:
        from scipy.sparse import csr_matrix

        seen, document = np.unique(panel.document, return_inverse=True)
        topic = panel.pool.topic_of[seen] if scope == "topic" else np.zeros(len(seen), np.int64)
        groups, document_group = np.unique(topic, return_inverse=True)
        key = document_group[document] * len(panel.judges) + panel.judge
        keys, unit = np.unique(key, return_inverse=True)
        size = len(panel.grades)
        matrix = csr_matrix(
            (np.ones(len(document)), (unit * size + panel.choice, document)),
            shape=(len(keys) * size, len(seen)),
        )
        unit_group = keys // len(panel.judges)
        return _Votes(
            matrix, np.arange(len(groups)), np.arange(len(seen)), keys, document_group, unit_group
        )

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first document of every group."""
        return np.searchsorted(self.document_group, np.arange(len(self.groups)))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Documents of every group."""
        return np.bincount(self.document_group)

    @cached_property
    def by_document(self) -> Any:
        return self.matrix.T.tocsr()

    def maximise(self, posterior: Floats) -> tuple[Floats, Floats]:
        """Priors [grade, group] and confusion [unit, label, true grade] (TH step 2, soft).

        Nothing in the likelihood says which class is which grade. Classes are put in the order of
        the labels that judges give them on average.
        """
        size = len(posterior)
        prior = np.add.reduceat(posterior, self.starts, axis=1) / self.sizes
        counts = (self.matrix @ posterior.T).reshape(-1, size, size)
        order = self._order(counts)
        prior = np.take_along_axis(prior, order.T, axis=0)
        counts = np.take_along_axis(counts, order[self.unit_group][:, None, :], axis=2)
        return _clip(prior), _clip(counts / counts.sum(axis=1, keepdims=True))

    def _order(self, counts: Floats) -> NDArray[np.intp]:
        """[group, grade]: classes by their expected label. Ties keep their places, and so do
        classes that hardly any document has: their expected label says nothing."""
        first = np.searchsorted(self.unit_group, np.arange(len(self.groups)))
        given = np.add.reduceat(counts, first, axis=0)  # [group, label, class]
        mass = given.sum(axis=1)
        used = mass > UNUSED * mass.sum(axis=1, keepdims=True)
        expected = np.einsum("l,glc->gc", np.arange(given.shape[1]), given)
        expected = np.round(expected / np.maximum(mass, 1e-300), 9)
        largest = np.maximum.accumulate(np.where(used, expected, -np.inf), axis=1)
        order = np.tile(np.arange(mass.shape[1]), (len(mass), 1))
        for group in np.flatnonzero((used & (expected < largest)).any(axis=1)):
            places = np.flatnonzero(used[group])
            order[group, places] = places[np.argsort(expected[group, places], kind="stable")]
        return order

    def e_step(self, prior: Floats, confusion: Floats) -> tuple[Floats, Floats]:
        """Posterior [grade, document] (TH step 3), and log P(votes) [document]."""
        votes = self.by_document @ np.log(confusion).reshape(-1, len(prior))
        joint = np.ascontiguousarray(votes.T)
        joint += np.log(prior)[:, self.document_group]
        largest = joint.max(axis=0)
        joint -= largest
        np.exp(joint, out=joint)
        total = joint.sum(axis=0)
        joint /= total
        return _clip(joint), largest + np.log(total)

    def keep(self, groups: NDArray[np.bool_]) -> tuple[_Votes, NDArray[np.bool_]]:
        """The votes of some groups, and which documents these are."""
        documents, units = groups[self.document_group], groups[self.unit_group]
        size = self.matrix.shape[0] // len(self.units)
        position = np.cumsum(groups) - 1
        left = _Votes(
            self.matrix[np.repeat(units, size)][:, documents],
            self.groups[groups],
            self.documents[documents],
            self.units[units],
            position[self.document_group[documents]],
            position[self.unit_group[units]],
        )
        return left, documents


class _Result:
    """Filled group by group as they converge."""

    def __init__(self, votes: _Votes) -> None:
        groups, units, documents = len(votes.groups), len(votes.units), len(votes.documents)
        size = votes.matrix.shape[0] // units
        self.keys, self.unit_group = votes.units, votes.unit_group
        self.posterior = np.empty((size, documents))
        self.prior = np.empty((size, groups))
        self.confusion = np.empty((units, size, size))
        self.log_likelihood = np.empty(groups)
        self.rounds = np.zeros(groups, dtype=np.int64)
        self.converged = np.zeros(groups, dtype=bool)

    def store(
        self,
        votes: _Votes,
        done: NDArray[np.bool_],
        prior: Floats,
        confusion: Floats,
        posterior: Floats,
        evidence: Floats,
    ) -> None:
        documents, units = done[votes.document_group], done[votes.unit_group]
        groups = votes.groups[done]
        self.posterior[:, votes.documents[documents]] = posterior[:, documents]
        self.confusion[np.searchsorted(self.keys, votes.units[units])] = confusion[units]
        self.prior[:, groups] = prior[:, done]
        self.log_likelihood[groups] = np.add.reduceat(evidence, votes.starts)[done]

    def fit(self, panel: Panel, scope: Scope) -> Fit:
        """Groups without any vote have no prior and took no round."""
        topics = len(panel.pool.topics) if scope == "topic" else 1
        present = np.zeros(topics, dtype=bool)
        present[panel.pool.topic_of[panel.document] if scope == "topic" else 0] = True
        where = np.flatnonzero(present)

        def spread(values: NDArray[Any], empty: Any) -> NDArray[Any]:
            out = np.full((topics, *values.shape[1:]), empty, dtype=values.dtype)
            out[where] = values
            return out

        return Fit(
            prior=spread(self.prior.T, np.nan),
            rounds=spread(self.rounds, 0),
            log_likelihood=spread(self.log_likelihood, 0.0),
            converged=spread(self.converged, True),
            unit_group=where[self.unit_group],
            unit_judge=self.keys % len(panel.judges),
            unit_confusion=self.confusion.swapaxes(1, 2),
        )


def _iterate(votes: _Votes, posterior: Floats, result: _Result, tol: float, most: int) -> None:
    """M-step and E-step in turn; a group is done when its posteriors hardly change."""
    posterior = _clip(posterior)
    going = np.ones(len(votes.groups), dtype=bool)
    for round_ in range(1, most + 1):
        prior, confusion = votes.maximise(posterior)
        new, evidence = votes.e_step(prior, confusion)
        change = np.maximum.reduceat(np.abs(new - posterior).max(axis=0), votes.starts)
        posterior = new
        settled = change < tol
        result.rounds[votes.groups[going]] = round_
        result.converged[votes.groups[going]] = settled[going]
        done = going & (settled | (round_ == most))
        if not done.any():
            continue
        result.store(votes, done, prior, confusion, posterior, evidence)
        going &= ~done
        if not going.any():
            return
        # Taking groups out costs several rounds: a few that are done may as well go on.
        if going.sum() < KEPT * len(going):
            votes, documents = votes.keep(going)
            posterior = posterior[:, documents]
            going = going[going]
