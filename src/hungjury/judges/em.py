"""Expectation maximisation: judges with confusion matrices (Dawid and Skene 1979; TH 4.1.3).

Topics are independent: each is fitted until it has converged, and the result does not depend on
the other topics.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, Floats, Int32s, Ints
from hungjury.base.choices import Scope
from hungjury.base.errors import InputError, Note
from hungjury.base.parameters import integer, number, one_of, param
from hungjury.data.qrels import Qrels, needs_grades
from hungjury.data.scales import check_gold
from hungjury.judges.merge_types import Fit, LabelMerge, Verdict
from hungjury.judges.panel import NOT_JUDGED, Panel, grade_positions
from hungjury.judges.votes import MajorityVote, plurality, vote_shares

ASSUMED_ACCURACY = 0.9  # of a judge, where em-neu starts
Start = Literal["majority", "shares"]
LEAST = 1e-6  # no probability is nearer to 0 or 1
UNUSED = 0.01  # share of the votes below which a class keeps its place
NEWTON = 4  # steps in each round
HALVINGS = 5  # of a step
RIDGE = 0.1  # observations behind the shape that judges start from


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
    takes_gold: ClassVar[bool] = True
    ordinal: ClassVar[bool] = False  # judges with a spread and favourites instead of a matrix
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
        if self.ordinal or panel.known is not None:
            learned = self._learn(panel, place[panel.document], group, found)
        else:
            learned = native.dawid_skene(
                place[panel.document], panel.judge, panel.choice, group, len(panel.judges), size,
                found.reshape(-1), self.tol, self.rounds,
            )  # fmt: skip
        posterior = np.zeros((len(panel.pool), size))
        posterior[judged] = found / found.sum(axis=1, keepdims=True)
        groups = len(panel.pool.topics) if scope == "topic" else 1
        return Verdict(posterior=posterior, fit=fit_of(learned, np.unique(group), groups, size))

    def _learn(
        self, panel: Panel, document: Int32s, group: Ints, posterior: Floats
    ) -> tuple[Array, ...]:
        """Fit EM where some labels are known or grades are ordered.

        `group` and `posterior` are those of the judged documents, `document` those of the votes
        among them. Changes the posterior in place; returns what `native.dawid_skene` does. A group
        that has converged stays as it is: no group depends on another one.
        """
        size = posterior.shape[1]
        groups, mine = np.unique(group, return_inverse=True)
        pairs, unit = np.unique(
            np.stack([mine[document], panel.judge], axis=1), axis=0, return_inverse=True
        )
        cell = (unit.ravel() * size + panel.choice).astype(np.int32)
        fixed = np.zeros(len(posterior), dtype=bool)
        if panel.known is not None:
            known = panel.known[panel.judged]
            fixed = known >= 0
            posterior[fixed] = np.eye(size)[known[fixed]]

        def counted(chances: Floats) -> tuple[Floats, Floats]:
            """Count grades [group, grade] and labels [unit, label, true grade]."""
            mass = np.stack([np.bincount(mine, p, len(groups)) for p in chances.T], axis=1)
            return mass.astype(float), tally(document, cell, chances, len(pairs))

        def expected(prior: Floats, confusion: Floats) -> tuple[Floats, Floats]:
            return expect(document, cell, np.log(prior)[mine], confusion)

        if fixed.any():  # where labels are known, they say how judges err, one vote of each added
            mass, counts = (one + 1 for one in counted(np.where(fixed[:, None], posterior, 0.0)))
            first, _ = expected(_shares(mass, 1), _shares(counts, 1))
            helped = (np.bincount(mine, fixed) > 0)[mine] & ~fixed
            posterior[helped] = first[helped]
        posterior[:] = np.clip(posterior, LEAST, 1 - LEAST)
        rounds, going = np.zeros(len(groups), dtype=np.int64), np.ones(len(groups), dtype=bool)
        shape = np.tile(typical(size), (len(pairs), 1)) if self.ordinal else None
        while going.any() and rounds.max() < self.rounds:
            mass, counts = counted(posterior)
            prior, confusion = _shares(mass, 1), _confusion(counts, shape)
            now, evidence = expected(prior, confusion)
            moving = going[mine] & ~fixed
            change = np.zeros(len(groups))
            np.maximum.at(change, mine[moving], np.abs(now - posterior).max(axis=1)[moving])
            posterior[moving] = now[moving]
            rounds[going] += 1
            going &= change >= self.tol
        log_likelihood = np.bincount(mine, evidence)
        return prior, confusion, log_likelihood, rounds, ~going, pairs[:, 0], pairs[:, 1]

    def for_one_judge(self) -> LabelMerge:
        """Use the labels as they are: a single judge cannot be modelled."""
        return MajorityVote()

    @abstractmethod
    def first(self, panel: Panel) -> Floats:
        """Return the posterior to start from, [document, grade]."""


class FromVotes(ExpectationMaximisation, called="em-mv"):
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


class Ordinal(FromVotes, called="em-ordinal"):
    """EM for ordered grades: each judge has a spread and favourite labels, not a whole matrix.

    A label l for the true grade g has the probability exp(-a (l - g)^2 + c_l), normalised: one
    number per grade and judge, which fewer labels can tell than a matrix. It is for judges who err
    by one grade more often than by several; where they do not, em-mv is better (compare both with
    gold).
    """

    ordinal: ClassVar[bool] = True

    def for_labels(self) -> None:
        """None: boards compare their labels with those of em-mv."""


class FromNeutral(ExpectationMaximisation, called="em-neu"):
    """EM from judges who are right 9 times in 10, and equally likely grades."""

    def first(self, panel: Panel) -> Floats:
        votes = panel.counts(np.ones(len(panel.judges)))
        wrong = (1 - ASSUMED_ACCURACY) / max(len(panel.grades) - 1, 1)
        # Votes for other grades are the same number less those for this one.
        return _softmax(votes * (np.log(ASSUMED_ACCURACY) - np.log(wrong)))


def with_gold(panel: Panel, gold: Qrels) -> tuple[Panel, tuple[Note, ...]]:
    """Return the panel with the gold labels of its documents, and notes on their scale."""
    if gold.labels is None:
        raise needs_grades("learning from gold labels", "gold")
    noted: tuple[Note, ...] = ()
    if panel.rel is None:
        noted = check_gold(gold.labels[gold.labels >= 0], gold.grades, panel.judgments)
    known = np.full(len(panel.pool), NOT_JUDGED)
    for topic, labels in gold.to_dict().items():
        for document, label in labels.items():
            if label >= 0 and (at := panel.pool.find(topic, document)) >= 0:
                known[at] = label if panel.rel is None else label >= panel.rel
    there = known >= 0
    if not there.any():
        said = "no document of the judges has a gold label"
        remedy = "check that both use the same topic and document ids"
        raise InputError(said, code="no-common-document", argument="gold", remedy=remedy)
    known[there] = grade_positions(known[there].astype(float), panel.grades)
    return replace(panel, known=known, kept={}), noted


def tally(document: Int32s, cell: Int32s, posterior: Floats, units: int) -> Floats:
    """Count labels [unit, label, true grade]; a cell is a unit's label: unit * grades + label."""
    size = posterior.shape[1]
    columns = np.ascontiguousarray(posterior.T)
    each = [native.sum_by_key(cell, document, p, units * size) for p in columns]
    return np.stack(each, axis=1).reshape(units, size, size)


def expect(
    document: Int32s, cell: Int32s, log_prior: Floats, confusion: Floats
) -> tuple[Floats, Floats]:
    """Return the posterior [document, grade], and the log evidence of each document.

    log_prior [document, grade]; confusion [unit, label, true grade].
    """
    documents, size = log_prior.shape
    logs = np.ascontiguousarray(np.log(confusion).reshape(-1, size).T)
    joint = np.stack([native.sum_by_key(document, cell, v, documents) for v in logs], axis=1)
    joint += log_prior
    top = joint.max(axis=1, keepdims=True)
    now = np.exp(joint - top)
    total = now.sum(axis=1, keepdims=True)
    return np.clip(now / total, LEAST, 1 - LEAST), (top + np.log(total))[:, 0]


def model(
    mass: Floats, counts: Floats, documents: int, shape: Floats | None = None
) -> tuple[Floats, Floats]:
    """Make a prior [grade] and confusion [unit, label, true grade] from sums over all documents.

    As `native.dawid_skene` does; with a `shape`, which is changed, for ordered grades.
    """
    if shape is not None:
        return _shares(mass, 0), _confusion(counts, shape)
    order = _classes(counts.sum(axis=0))
    prior = np.clip(mass[order] / documents, LEAST, 1 - LEAST)
    return prior, _confusion(counts[:, :, order])


def _confusion(counts: Floats, shape: Floats | None = None) -> Floats:
    """Return P(label | true grade) [unit, label, true grade]; of ordered grades with a `shape`."""
    if shape is None:
        return _shares(counts, 1)
    return np.clip(ordered(counts, shape), LEAST, 1 - LEAST)


def _classes(votes: Floats) -> Ints:
    """Put classes in the order of the labels they get on average; `votes` [label, class].

    Nothing in the likelihood says which class is which grade. Ties keep their places, and so do
    classes that hardly any document has.
    """
    total = votes.sum(axis=0)
    mean = np.round(np.arange(len(votes)) @ votes / np.maximum(total, 1e-300), 9)
    used = np.flatnonzero(total > UNUSED * total.sum())
    order = np.arange(len(votes))
    order[used] = used[np.argsort(mean[used], kind="stable")]
    return order


def ordered(counts: Floats, shape: Floats) -> Floats:
    """Return P(label | true grade) [unit, label, true grade] of judges of ordered grades.

    `shape` [unit, grades], where Newton's method starts, becomes the a and c that fit the counts
    best; c is 0 for the lowest label.
    """
    place = np.arange(counts.shape[1])
    away = place[:, None] - place[None, :]  # label less true grade
    favours = [np.broadcast_to(place[:, None] == label, away.shape) for label in place[1:]]
    kinds = np.stack([-(away**2), *favours]).astype(float)
    total, start = counts.sum(axis=1), typical(len(place))

    def chances(at: Floats) -> Floats:
        return _softmax(np.einsum("ut,tlg->ulg", at, kinds))

    def fits(at: Floats) -> Floats:
        """Return how well each unit's numbers fit: its log likelihood, less the ridge."""
        logs = np.log(np.maximum(chances(at), 1e-300))
        held = RIDGE / 2 * ((at - start) ** 2).sum(axis=1)
        return np.asarray((counts * logs).sum(axis=(1, 2)) - held)

    for _ in range(NEWTON):
        p = chances(shape)
        mean = np.einsum("ulg,tlg->utg", p, kinds)
        slope = np.einsum("ulg,tlg->ut", counts, kinds) - np.einsum("ug,utg->ut", total, mean)
        slope -= RIDGE * (shape - start)
        square = np.einsum("ulg,slg,tlg->ustg", p, kinds, kinds)
        square -= mean[:, :, None] * mean[:, None]
        bend = np.einsum("ug,ustg->ust", total, square) + np.eye(len(kinds)) * RIDGE
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        before = fits(shape)
        for _ in range(HALVINGS):  # a whole step can lead too far
            step[fits(shape + step) < before] /= 2
        shape += np.where((fits(shape + step) >= before)[:, None], step, 0)
    return chances(shape)


def typical(grades: int) -> Floats:
    """Return the a and c of a judge of whom nothing is known: some spread, no favourite."""
    return np.array([0.5, *np.zeros(grades - 1)])


def _shares(counts: Floats, axis: int) -> Floats:
    total = np.maximum(counts.sum(axis=axis, keepdims=True), 1e-300)
    return np.asarray(np.clip(counts / total, LEAST, 1 - LEAST))


def _softmax(values: Floats) -> Floats:
    out = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def fit_of(learned: tuple[Array, ...], where: Ints, groups: int, size: int) -> Fit:
    """Collect the models of all groups; those without votes, not among `where`, took no round."""
    prior, confusion, log_likelihood, rounds, converged, unit_group, unit_judge = learned

    def spread(values: Array, empty: Any) -> Array:
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
