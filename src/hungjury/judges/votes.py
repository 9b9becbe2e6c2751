"""Merges by votes: the mean vote, the majority, and crowd-kit's aggregators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import Scope
from hungjury.base.errors import Argument, MeasureError, MissingExtra, Note, noted, plural
from hungjury.base.parameters import number, one_of, param, required
from hungjury.data.qrels import Qrels
from hungjury.judges.merge_types import LabelMerge, Merged, SoftMerge, Verdict
from hungjury.judges.panel import Panel, shares

BinaryTie = Literal["random", "relevant", "not"]
GradedVote = Literal["plurality", "median"]


ENOUGH = 3.0  # fewest votes that documents are completed to
MOST = 0.9  # documents are completed to this quantile of the number of votes
LEAST_SHAPE = 0.25  # of the gamma distribution that weights of topics are drawn from


def vote_shares(panel: Panel) -> Floats:
    """Return each grade's share of the votes, [document, grade]; zeros without votes."""
    return shares(panel.counts(), 1)


class BinomialVote(SoftMerge, called="binmv"):
    """The mean vote as the probability of relevance, or of each grade of graded labels."""

    takes_weights: ClassVar[bool] = True

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        return Verdict(posterior=vote_shares(panel))

    def in_doubt(self, panel: Panel, posterior: Floats) -> Floats:
        """Fill in missing votes of documents with few votes: shares, [document, grade].

        Agreement of few judges is not certainty. A missing vote is predicted from the votes that
        the document has: judges who label the same document show how often one grade goes with
        another. Documents are completed to as many votes as most documents have, but at least
        three.
        """
        if panel.share is not None:  # probabilities express their own doubt
            return posterior
        votes = panel.counts()
        number = votes.sum(axis=1)
        families = float(panel.weight.sum())
        wanted = min(families, max(ENOUGH, float(np.quantile(number[panel.judged], MOST))))
        missing = np.maximum(wanted - number, 0) * panel.judged
        if missing.max(initial=0) < 1e-9:
            return posterior
        joint = votes.T @ votes - np.diag(panel.counts(panel.weight**2).sum(axis=0))
        often = joint.sum(axis=1, keepdims=True)
        other = np.where(often > 1e-9, joint / np.maximum(often, 1e-9), np.eye(len(joint)))
        total = np.maximum(number + missing, 1e-9)[:, None]
        guess = posterior @ other
        return np.asarray((number[:, None] * posterior + missing[:, None] * guess) / total)


class AsGiven(SoftMerge):
    """No merge: the probabilities of one source, each label drawn by its own. Not in the catalogue,
    because it needs them."""

    name: ClassVar[str] = "as given"

    def __init__(self, chances: Qrels) -> None:
        super().__init__()
        object.__setattr__(self, "chances", chances)

    def merge(
        self, panel: Panel, scope: Scope = "topic", seed: int | np.random.Generator = 0
    ) -> Merged:
        merged = super().merge(panel, scope, seed)
        return replace(merged, notes=tuple(n for n in merged.notes if n.kind != "one-judge"))

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        given: Qrels = vars(self)["chances"]
        if given.p is not None:
            return Verdict(posterior=np.stack([1 - given.p, given.p], axis=1))
        return Verdict(posterior=given.grade_p)


class QuantizedBinomialVote(SoftMerge, called="qbinmv"):
    """The mean vote p sharpened to 1/(1+exp(-k(p-0.5)))."""

    k: float = param(15.0, kind=number, low=0, open_low=True, doc="steepness")

    def for_labels(self) -> None:
        """None: its most probable labels are those of `binmv`."""

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        panel.binary_labels(str(self))
        # Written as a tanh, which cannot overflow for any k.
        p = 0.5 * (1 + np.tanh(0.5 * self.k * (vote_shares(panel)[:, 1] - 0.5)))
        return Verdict(posterior=np.stack([1 - p, p], axis=1))


class PredictedRelevance(SoftMerge, called="prm"):
    """What a user would say, given each judge's label (the predicted relevance model).

    P(user's grade | label) comes from the documents that users and other judges both labelled, and
    is averaged over the labels of a document. Documents that users labelled keep their vote.
    """

    takes_gold: ClassVar[bool] = True
    needs_users: ClassVar[bool] = True
    users: str = param("", kind=str, doc="judges who are users, by a pattern; default: gold labels")
    smoothing: float = param(
        1.0, kind=number, low=0, open_low=True, doc="observations of the mean user added to a level"
    )

    def for_labels(self) -> None:
        """None: it needs users."""

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        panel.whole_labels(str(self))
        labels, votes = self._counts(panel)
        pairs = labels.T @ votes
        if not pairs.any():
            raise MeasureError(
                f"{self} needs documents that users and other judges both labelled",
                code="no-double-judgment",
                remedy=("name users, as in prm(users='human*'), or give", Argument("gold")),
            )
        usual = pairs.sum(axis=0) / pairs.sum()
        return Verdict(posterior=_predicted(labels, votes, pairs + self.smoothing * usual))

    def learner(self, panel: Panel) -> Callable[[np.random.Generator], Floats]:
        """Draw P(user's grade | label) from what the double judgments say about it.

        A Bayesian bootstrap over topics, whose labels are alike (Rubin 1981); labels of one
        document count as one. `smoothing` is spread over all grades here: what users did not say
        yet they may say. With few topics weights vary more, as the mean of few does.
        """
        labels, votes = self._counts(panel)
        twice = np.flatnonzero(labels.any(axis=1) & votes.any(axis=1))
        topics, at = np.unique(panel.pool.topic_of[twice], return_inverse=True)
        size = labels.shape[1]
        seen = np.zeros((len(topics), size, size))
        np.add.at(seen, at, shares(labels[twice], 1)[:, :, None] * shares(votes[twice], 1)[:, None])
        shape = max(1 - 2 / len(topics), LEAST_SHAPE)

        def draw(rng: np.random.Generator) -> Floats:
            weight = rng.standard_gamma(shape, len(topics)) / shape
            unseen = rng.standard_gamma(self.smoothing / size, (size, size))
            return _predicted(labels, votes, np.tensordot(weight, seen, 1) + unseen + 1e-12)

        return draw

    def _counts(self, panel: Panel) -> tuple[Floats, Floats]:
        """The labels of judges and of users, both [document, grade]."""
        who = np.array([bool(self.users) and fnmatchcase(j, self.users) for j in panel.judges])
        votes = panel.among(np.flatnonzero(who)).counts()
        if panel.known is not None:
            votes[panel.known >= 0] += np.eye(len(panel.grades))[panel.known[panel.known >= 0]]
        return panel.among(np.flatnonzero(~who)).counts(), votes


def _predicted(labels: Floats, votes: Floats, pairs: Floats) -> Floats:
    """[document, grade]: users' own votes, else those that follow from labels, by `pairs` of both
    [label, grade]."""
    chance = pairs / pairs.sum(axis=1, keepdims=True)
    own = votes.any(axis=1, keepdims=True)
    return shares(np.where(own, votes, labels @ chance), 1)


class MajorityVote(LabelMerge, called="mv"):
    """The label with most votes (TH 4.1.2); drawn by resampling the judges."""

    depends_on: ClassVar[frozenset[str]] = frozenset({"seed"})
    ties: BinaryTie = param("random", kind=one_of(BinaryTie), doc="winner of a binary tie")
    graded: GradedVote = param(
        "plurality",
        kind=one_of(GradedVote),
        doc="of more than two grades: the one with most votes (ties: the lower), or the median",
    )

    def for_labels(self) -> LabelMerge:
        return self.but(ties="not") if self.ties == "random" else self

    def decide(self, panel: Panel, scope: str, rng: np.random.Generator) -> Verdict:
        panel.whole_labels(str(self))
        return Verdict(self._winner(panel.counts(), panel, rng))

    def redraw(self, panel: Panel, rng: np.random.Generator) -> Ints:
        """Let as many judges, or families, drawn with replacement vote.

        A document that no drawn judge labelled keeps the whole panel's vote.
        """
        votes = panel.counts(panel.resampled(rng))
        alone = votes.sum(axis=1) == 0
        if alone.any():
            votes[alone] = panel.counts()[alone]
        return self._winner(votes, panel, rng)

    def _winner(self, votes: Floats, panel: Panel, rng: np.random.Generator) -> Ints:
        if not panel.binary and self.graded == "median":
            upto = np.cumsum(votes, axis=1)
            return np.asarray(np.argmax(2 * upto >= upto[:, -1:], axis=1))
        if not panel.binary:
            return plurality(votes)
        against, in_favour = votes[:, 0], votes[:, 1]
        if self.ties == "random":
            # A coin for every document: none depends on which others tie.
            tie_wins = rng.random(len(votes)) < 0.5
        else:
            tie_wins = np.full(len(votes), self.ties == "relevant")
        tie = in_favour == against
        return np.where(tie, tie_wins, in_favour > against).astype(np.int64)


def plurality(votes: Floats) -> Ints:
    """Return the place of the grade with most votes; ties go to the lower grade."""
    return np.asarray(np.argmax(votes, axis=1))


class _GivesLabels(Protocol):
    def fit_predict(self, data: Any, /) -> Any: ...


class _GivesProbabilities(Protocol):
    def fit_predict_proba(self, data: Any, /) -> Any: ...


Aggregator: TypeAlias = "_GivesLabels | _GivesProbabilities"


def is_aggregator(thing: object) -> bool:
    """Tell whether an object takes a frame with the columns task, worker and label."""
    return hasattr(thing, "fit_predict_proba") or hasattr(thing, "fit_predict")


class CrowdKit(LabelMerge):
    """Probabilities where the aggregator has `fit_predict_proba`, else its labels."""

    aggregator: Any = required(kind=lambda value: value, doc="the aggregator")

    def __str__(self) -> str:
        return f"crowd-kit {type(self.aggregator).__name__}"

    @property
    def gives(self) -> str:  # type: ignore[override]
        return "probabilities" if self._has_posterior else "labels"

    @property
    def drawn_from(self) -> str:  # type: ignore[override]
        return "posterior" if self._has_posterior else "judges"

    @property
    def _has_posterior(self) -> bool:
        return hasattr(self.aggregator, "fit_predict_proba")

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        panel.whole_labels(str(self))
        size, soft = len(panel.grades), self._has_posterior
        posterior = np.zeros((len(panel.pool), size))
        for frame in self._frames(panel, scope):
            tasks = np.unique(frame["task"].to_numpy())
            if soft:
                answer = self.aggregator.fit_predict_proba(frame)
                answer = answer.reindex(index=tasks, columns=range(size)).to_numpy(dtype=float)
            else:
                labels = self.aggregator.fit_predict(frame).reindex(tasks).to_numpy(dtype=float)
                answer = np.where(np.isnan(labels), np.nan, labels == np.arange(size)[:, None]).T
            known = ~np.isnan(answer).all(axis=1)
            posterior[tasks] = np.nan_to_num(answer)
            if not known.all():
                document = panel.pool.documents[int(tasks[np.flatnonzero(~known)[0]])]
                raise MeasureError(
                    f"{self} gave no label to document '{document}' ({int((~known).sum())} in all)",
                    code="unlabelled-document",
                    remedy="use an aggregator that labels every task, or another scope",
                )
        notes = self._tied(panel)
        if soft:
            return Verdict(posterior=posterior, notes=notes)
        return Verdict(np.argmax(posterior, axis=1), notes=notes)

    def _tied(self, panel: Panel) -> tuple[Note, ...]:
        """Note documents whose votes are tied, which aggregators decide in ways of their own."""
        counts = panel.counts()
        most = counts.max(axis=1, keepdims=True)
        number = int((((counts == most).sum(axis=1) > 1) & (most[:, 0] > 0)).sum())
        text = (
            f"{plural(number, 'document')} with equal votes for two labels, which {self} decides "
            "in its own way: crowd-kit's majority vote takes the lowest label, mv tosses a coin"
        )
        return noted("tied-votes", number, text, about="result")

    def _frames(self, panel: Panel, scope: Scope) -> Iterator[Any]:
        """Make frames whose tasks are documents and whose labels are places in the grades."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingExtra("pandas", "crowd", str(self)) from None

        rows: list[Ints] = [np.arange(len(panel.document))]
        if scope == "topic":
            topic = panel.pool.topic_of[panel.document]
            order = np.argsort(topic, kind="stable")
            rows = np.split(order, np.flatnonzero(np.diff(topic[order])) + 1)
        names = np.array(panel.judges, dtype=object)
        for part in rows:
            yield DataFrame(
                {
                    "task": panel.document[part],
                    "worker": names[panel.judge[part]],
                    "label": panel.choice[part],
                }
            )
