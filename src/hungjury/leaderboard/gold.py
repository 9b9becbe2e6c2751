"""Gold labels as a sample of a pool: documents, labels and inclusion probabilities."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import Argument, InputError, Note, plural
from hungjury.base.records import Record
from hungjury.data.labels import as_qrels
from hungjury.data.pool import Pool
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import QrelsLike
from hungjury.leaderboard.plan_file import Plan

ANSWERED = 0.8  # of the plan's first n documents have to be labelled for n to count as reached
FEW_LABELS = 50


class Sample(Record, eq=False):
    """Gold labels of some documents of a pool."""

    documents: Ints  # positions in the pool, ascending
    shares: Floats  # [labelled document, grade]: share of the people who gave it
    people: Ints  # [labelled document]: how many labelled it
    grades: tuple[int, ...]
    probability: Floats  # [document of the pool]: of being labelled; 1 where it is not known
    design: str | None = None  # a `GoldDesign`, "whole" for all of the pool, None: unknown
    skipped: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # due, unlabelled
    weight: Floats | None = None  # [document of the pool]: probabilities are proportional to it
    notes: tuple[Note, ...] = ()

    @property
    def at_least(self) -> Floats:
        """[labelled document, grade above the lowest]: share of people who gave at least it."""
        return np.asarray(self.shares[:, :0:-1].cumsum(axis=1)[:, ::-1])

    @property
    def disagreement(self) -> Floats:
        """[labelled document]: factor from the spread of people's labels to the variance of their
        mean.

        A document that one person labelled shows no spread; documents that several people labelled
        represent it. If there are none, the result is about that one person's view.
        """
        several = self.people > 1
        if not several.any():
            return np.zeros(len(self.people))
        each = 1 / self.people
        speaks_for = each.sum() / each[several].sum()
        return np.where(several, speaks_for / np.maximum(self.people - 1, 1), 0.0)

    def only(self, keep: NDArray[np.bool_], **changes: Any) -> Sample:
        """Some of the labelled documents."""
        return replace(
            self,
            documents=self.documents[keep],
            shares=self.shares[keep],
            people=self.people[keep],
            **changes,
        )


def gold_sample(
    gold: QrelsLike | Judgments,
    judgments: Judgments,
    rel: int | None = None,
    design: str | None = None,
    plan: Plan | None = None,
    weight: Floats | None = None,
) -> Sample:
    """Gold labels of the judged pool, with the probabilities that their design gives.

    Parameters
    ----------
    gold
        Labels of one person (anything `read_qrels` takes) or of several (`Judgments`).
    judgments
        The panel's labels; gold labels are a sample of its pool.
    rel
        Take labels as binary, with this as the lowest relevant grade.
    design, plan
        How the documents were chosen; None if that is not known.
    weight
        [document of the pool]: the plan's weights, for documents that the plan did not draw.
    """
    sample = _labelled(gold, judgments, rel)
    pool = judgments.pool
    if design == "plan" and plan is None:
        raise InputError(
            "gold labels by a plan need the plan", code="no-plan", remedy=("give", Argument("plan"))
        )
    if plan is not None and design not in (None, "plan"):
        raise InputError(
            f"a plan was given, but the gold labels' design is {design!r}",
            code="plan-and-design",
            remedy=("leave out", Argument("plan"), "or", Argument("gold_design")),
        )
    if len(sample.documents) == len(pool):
        return replace(sample, design="whole")
    if plan is not None:
        sample = _by_plan(sample, pool, plan, weight)
    elif design == "random":
        share = np.full(len(pool), len(sample.documents) / len(pool))
        sample = replace(sample, probability=share, weight=np.ones(len(pool)), design="random")
    elif design == "topics":
        sample = _whole_topics(sample, pool)
    number = len(sample.documents)
    if number < FEW_LABELS:
        text = f"only {plural(number, 'gold label')}: intervals are rough below {FEW_LABELS}"
        sample = replace(sample, notes=(*sample.notes, Note("few-labels", number, text,
                                                            about="result")))  # fmt: skip
    if number and (sample.shares == sample.shares[0]).all():
        text = "all gold labels are the same: nothing can be learned from their differences"
        note = Note("equal-labels", number, text, about="result")
        sample = replace(sample, notes=(*sample.notes, note))
    return sample


def _labelled(gold: QrelsLike | Judgments, judgments: Judgments, rel: int | None) -> Sample:
    """People's labels of documents of the pool."""
    pool = judgments.pool
    rows, label, scale = _people_rows(gold)
    top = max(*scale, *judgments.grades)
    grades = tuple(range(top + 1))
    if rel is not None:
        label, grades = np.where(label < 0, label, label >= rel), (0, 1)
    place = np.array([pool.find(topic, document) for topic, document in rows], dtype=np.int64)
    outside = int(((place < 0) & (label >= 0)).sum())
    keep = (place >= 0) & (label >= 0)
    if not keep.any():
        raise InputError(
            "no judged document has a gold label",
            code="no-gold-label",
            remedy="check that topics and documents have the same ids in both",
        )
    documents, at = np.unique(place[keep], return_inverse=True)
    counts = np.zeros((len(documents), len(grades)))
    np.add.at(counts, (at, label[keep].astype(np.int64)), 1)
    people = counts.sum(axis=1)
    notes: tuple[Note, ...] = ()
    if outside:
        text = f"{plural(outside, 'gold label')} of documents that no judge labelled, ignored"
        notes = (Note("gold-outside-pool", outside, text, about="result"),)
    return Sample(
        documents,
        counts / people[:, None],
        people.astype(np.int64),
        grades,
        np.ones(len(pool)),
        notes=notes,
    )


def _people_rows(
    gold: QrelsLike | Judgments,
) -> tuple[list[tuple[str, str]], NDArray[Any], tuple[int, ...]]:
    """(topic, document) pairs, their labels, and the scale."""
    given = gold if isinstance(gold, Judgments) else as_qrels(gold)
    if given.soft:
        raise InputError(
            "gold labels are probabilities",
            code="needs-grades",
            argument="gold",
            remedy="give grades as gold labels",
        )
    pool = given.pool
    if isinstance(given, Judgments):
        document, label = given.document.tolist(), np.asarray(given.label)
    else:
        document, label = list(range(len(pool))), np.asarray(given.labels)
    names, topics, topic = pool.documents, pool.topics, pool.topic_of
    return [(topics[topic[d]], names[d]) for d in document], label, given.grades


def _by_plan(sample: Sample, pool: Pool, plan: Plan, weight: Floats | None) -> Sample:
    """Labels in the plan's order, with the probabilities of the budget that was reached."""
    pairs = zip(plan.topics, plan.documents, strict=True)
    rows = np.array([pool.find(topic, document) for topic, document in pairs], dtype=np.int64)
    if (rows < 0).any():
        raise InputError(
            f"{plural(int((rows < 0).sum()), 'document')} of the plan are not in the judged pool",
            code="other-plan",
            remedy="give the judgments that the plan was made from",
        )
    done = np.isin(rows, sample.documents)
    if not done.any():
        raise InputError(
            "no document of the plan has a gold label",
            code="no-planned-label",
            remedy=("check that the labels belong to this plan, or leave out", Argument("plan")),
        )
    planned = np.isin(sample.documents, rows)
    unplanned = int((~planned).sum())
    if unplanned:
        text = f"{plural(unplanned, 'gold label')} of documents that the plan did not draw, ignored"
        note = Note("not-in-plan", unplanned, text, about="result")
        sample = sample.only(planned, notes=(*sample.notes, note))
    if plan.design == "topics":
        return _whole_topics(sample, pool)
    reached = _reached(done)
    due = rows[:reached]
    keep = np.isin(sample.documents, due)
    notes, late = sample.notes, int((~keep).sum())
    if late:
        text = f"{plural(late, 'gold label')} ignored: too many documents before have no label"
        notes = (*notes, Note("after-gap", late, text, about="result"))
    everywhere = np.ones(len(pool)) if weight is None else weight.copy()
    everywhere[rows] = plan.weight
    answered = done[:reached].mean()
    probability = np.minimum(1.0, plan.threshold(reached) * everywhere) * answered
    return sample.only(
        keep,
        probability=probability,
        design="plan",
        skipped=due[~done[:reached]],
        weight=everywhere,
        notes=notes,
    )


def _reached(done: NDArray[np.bool_]) -> int:
    """Return how far people got in the plan's order: up to the last labelled document before which
    nearly all are labelled."""
    share = np.cumsum(done) / np.arange(1, len(done) + 1)
    far = np.flatnonzero(done & (share >= ANSWERED))
    return int(far[-1]) + 1 if len(far) else int(np.flatnonzero(done)[0]) + 1


def _whole_topics(sample: Sample, pool: Pool) -> Sample:
    """Only topics whose pools are labelled completely count."""
    known = np.zeros(len(pool), dtype=bool)
    known[sample.documents] = True
    missing = np.asarray(pool.sum_by_topic(~known))
    whole = missing == 0
    if whole.sum() < 2:
        raise InputError(
            f"{plural(int(whole.sum()), 'topic')} with gold labels of all pooled documents",
            code="few-whole-topics",
            remedy=("label the whole pools of two or more topics, or use another",
                    Argument("gold_design")),
        )  # fmt: skip
    keep = whole[pool.topic_of[sample.documents]]
    notes = sample.notes
    if not keep.all():
        number = int((~keep).sum())
        text = f"{plural(number, 'gold label')} ignored: not all of their topic is labelled"
        notes = (*notes, Note("part-of-topic", number, text, about="result"))
    share = np.full(len(pool), whole.mean())
    return sample.only(keep, probability=share, design="topics", notes=notes)
