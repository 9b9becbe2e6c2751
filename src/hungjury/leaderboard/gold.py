"""Gold labels of some documents of a pool: how they were chosen, what they represent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from hungjury.base.arrays import Array, Bools, Floats, Ints
from hungjury.base.errors import Argument, InputError, Note, noted, percent, plural
from hungjury.base.records import Record
from hungjury.data.labels import as_qrels
from hungjury.data.pool import Pool
from hungjury.data.qrels import Judgments, needs_grades
from hungjury.data.reading.options import QrelsLike
from hungjury.data.scales import check_gold
from hungjury.leaderboard.plan_file import Plan, in_order, named, rows_reached

FEW_LABELS = 50


class GoldLabels(Record, eq=False):
    """Gold labels of some documents of a pool."""

    documents: Ints  # positions in the pool, ascending
    shares: Floats  # [labelled document, grade]: share of the people who gave it
    raters: Ints  # [labelled document]: how many labelled it
    grades: tuple[int, ...]
    probability: Floats  # [document of the pool]: of being labelled; 1 where it is not known, 0
    # for documents that no plan could draw
    design: str | None = None  # a `GoldDesign`, "whole" for all of the pool, None: unknown
    skipped: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # due, unlabelled
    weight: Floats | None = None  # [document of the pool]: probabilities are proportional to it
    depth: int | None = None  # ranks down to which all lists are labelled, by plans by depth
    notes: tuple[Note, ...] = ()

    @property
    def at_least(self) -> Floats:
        """[labelled document, grade above the lowest]: share of people who gave at least it."""
        return np.asarray(self.shares[:, :0:-1].cumsum(axis=1)[:, ::-1])

    @property
    def mean(self) -> Floats:
        """[labelled document]: the mean of its gold grades."""
        return np.asarray(self.shares @ np.array(self.grades, dtype=float))

    def errors(self, said: Array) -> Floats:
        """[judge, labelled document]: labels minus mean gold grades; NaN for no label."""
        return np.asarray(np.where(said < 0, np.nan, said) - self.mean)

    @property
    def disagreement(self) -> Floats:
        """[labelled document]: factor from the spread of people's labels to the variance of their
        mean.

        A document that one person labelled shows no spread; documents that several people labelled
        represent it. If there are none, the result is about that one person's view.
        """
        several = self.raters > 1
        if not several.any():
            return np.zeros(len(self.raters))
        each = 1 / self.raters
        speaks_for = each.sum() / each[several].sum()
        return np.where(several, speaks_for / np.maximum(self.raters - 1, 1), 0.0)

    def only(self, keep: Bools, **changes: Any) -> GoldLabels:
        """Some of the labelled documents."""
        return replace(
            self,
            documents=self.documents[keep],
            shares=self.shares[keep],
            raters=self.raters[keep],
            **changes,
        )

    @property
    def weights(self) -> Floats:
        """[labelled document]: how many documents of the pool it represents."""
        return np.asarray(1 / self.probability[self.documents])

    def noted(self, code: str, number: int, text: str) -> GoldLabels:
        """With a note on a number of labels, unless that is 0."""
        return replace(self, notes=self.notes + noted(code, number, text, about="result"))


def gold_labels(
    gold: QrelsLike | Judgments,
    judgments: Judgments,
    rel: int | None = None,
    design: str | None = None,
    plans: Sequence[Plan] = (),
    weights: Sequence[Floats] = (),
) -> GoldLabels:
    """Gold labels of the judged pool, with the probabilities that their design gives.

    Parameters
    ----------
    gold
        Labels of one person (anything `read_qrels` takes) or of several (`Judgments`).
    judgments
        The panel's labels; gold labels are a sample of its pool.
    rel
        Take labels as binary, with this as the lowest relevant grade.
    design, plans
        How the documents were chosen; None if that is not known.
    weights
        [document of the pool] for each plan: its weights, for documents that it did not draw.
    """
    found = _labelled(gold, judgments, rel)
    pool = judgments.pool
    if design == "plan" and not plans:
        raise InputError(
            "gold labels by a plan need the plan", code="no-plan", remedy=("give", Argument("plan"))
        )
    if plans and design not in (None, "plan"):
        raise InputError(
            f"a plan was given, but the gold labels' design is {design!r}",
            code="plan-and-design",
            remedy=("leave out", Argument("plan"), "or", Argument("gold_design")),
        )
    if len(found.documents) == len(pool):
        return replace(found, design="whole")
    if plans:
        found = _by_plans(found, pool, plans, weights)
    elif design == "random":
        share = np.full(len(pool), len(found.documents) / len(pool))
        found = replace(found, probability=share, weight=np.ones(len(pool)), design="random")
    elif design == "topics":
        found = _whole_topics(found, pool)
    number = len(found.documents)
    if number < FEW_LABELS:
        text = f"only {plural(number, 'gold label')}: intervals are rough below {FEW_LABELS}"
        found = found.noted("few-labels", number, text)
    if number and (found.shares == found.shares[0]).all():
        text = "all gold labels are the same: nothing can be learned from their differences"
        found = found.noted("equal-labels", number, text)
    return found


def _labelled(gold: QrelsLike | Judgments, judgments: Judgments, rel: int | None) -> GoldLabels:
    """People's labels of documents of the pool."""
    pool, given = judgments.pool, gold if isinstance(gold, Judgments) else as_qrels(gold)
    if given.soft:
        raise needs_grades("a comparison with gold labels", "gold")
    place = np.array([pool.find(*name) for name in named(given.pool)], dtype=np.int64)
    label: Any = given.label if isinstance(given, Judgments) else given.labels
    if isinstance(given, Judgments):
        place = place[given.document]
    outside = int(((place < 0) & (label >= 0)).sum())
    keep = (place >= 0) & (label >= 0)
    if not keep.any():
        remedy = "check that topics and documents have the same ids in both"
        raise InputError("no judged document has a gold label", code="no-gold-label", remedy=remedy)
    notes = _unusual(place[keep], label[keep], judgments)
    if rel is None:
        notes += check_gold(label[keep], given.grades, judgments)
        grades = tuple(range(max(*given.grades, *judgments.grades) + 1))
    else:
        label, grades = np.where(label < 0, label, label >= rel), (0, 1)
    documents, at = np.unique(place[keep], return_inverse=True)
    counts = np.zeros((len(documents), len(grades)))
    np.add.at(counts, (at, label[keep].astype(np.int64)), 1)
    raters = counts.sum(axis=1)
    shares, known = counts / raters[:, None], np.ones(len(pool))
    found = GoldLabels(documents, shares, raters.astype(np.int64), grades, known, notes=notes)
    text = f"{plural(outside, 'gold label')} of documents that no judge labelled, ignored"
    found = found.noted("gold-outside-pool", outside, text)
    negative = int((label < 0).sum())
    text = f"{plural(negative, 'gold label')} below 0, taken as not labelled"
    return found.noted("gold-negative", negative, text)


def _unusual(place: Ints, label: Array, judgments: Judgments) -> tuple[Note, ...]:
    """Note gold labels without a 0, and those that equal the labels of a judge.

    place: the labelled documents, as positions in the pool.
    """
    notes: tuple[Note, ...] = ()
    if label.min() > 0 and (label != label[0]).any():
        text = "no gold label is 0: check that documents that are not relevant were labelled too"
        notes = noted("gold-no-zero", len(label), text, about="result")
    gold = np.full(len(judgments.pool), -1.0)
    gold[place] = label
    common = gold[judgments.document] >= 0
    judge, number = judgments.judge[common], len(judgments.judges)
    same = gold[judgments.document[common]] == judgments.label[common]
    seen, equal = np.bincount(judge, minlength=number), np.bincount(judge[same], minlength=number)
    twins = np.flatnonzero((equal == seen) & (seen >= FEW_LABELS) & (seen == len(set(place))))
    names = tuple(judgments.judges[k] for k in twins)
    text = "gold labels equal those of a judge on every document"
    return notes + noted("gold-equals-judge", len(names), text, subjects=names, about="result")


def _by_plans(
    found: GoldLabels, pool: Pool, plans: Sequence[Plan], weights: Sequence[Floats]
) -> GoldLabels:
    """Labels in the order of plans, with the probabilities of the budgets that were reached.

    Plans of one seed draw by the same random numbers: a document is drawn if any of them draws it,
    with the largest of its probabilities. Other seeds draw independently.
    """
    if len(plans) > 1 and any(plan.design == "topics" for plan in plans):
        said = "a plan by whole topics cannot be combined with another plan"
        raise InputError(said, code="topics-and-plan", remedy=("give one", Argument("plan")))
    drawn, due = np.zeros((2, len(pool)), dtype=bool)
    weight = np.ones(len(pool))
    by_seed: dict[int, Floats] = {}
    depth = 0
    for plan, usual in zip(plans, weights or [np.ones(len(pool))] * len(plans), strict=True):
        rows = in_order(plan)
        place = rows.places(pool)
        here = np.flatnonzero(place >= 0)
        if not len(here):
            said = "no document of the plan is in the judged pool"
            remedy = "give the plan by which these documents were labelled"
            raise InputError(said, code="other-plan", remedy=remedy)
        place = place[here]
        drawn[place] = True
        done = np.isin(place, found.documents)
        if not done.any():
            continue
        if plan.design == "topics":
            return _whole_topics(_only_drawn(found, drawn), pool)
        reached = rows_reached(done)
        due[place[:reached]] = True
        covered = plan.covers(pool)
        covered[place] = True
        weight = usual / (usual[covered].mean() if plan.design == "influence" else 1)
        weight[place] = rows.weight[here]
        chance = plan.chance(weight, plan.threshold(int(here[reached - 1]) + 1))
        chance = np.where(covered, chance, 0.0)
        depth = max(depth, int(usual[chance < 1].min(initial=len(pool))) - 1)
        chance = chance * done[:reached].mean()
        by_seed[plan.seed] = np.maximum(by_seed.get(plan.seed, 0.0), chance)
    if not by_seed:
        raise InputError(
            "no document of the plan has a gold label",
            code="no-planned-label",
            remedy=("check that the labels belong to this plan, or leave out", Argument("plan")),
        )
    found = _only_drawn(found, drawn)
    keep = due[found.documents]
    late = int((~keep).sum())
    probability = 1 - np.prod([1 - one for one in by_seed.values()], axis=0)
    by_depth = {plan.design == "depth" for plan in plans}
    found = found.only(
        keep,
        probability=probability,
        design="plan",
        skipped=np.setdiff1d(np.flatnonzero(due), found.documents),
        weight=None if plans[-1].design == "depth" else weight,
        depth=depth if by_depth == {True} else None,
    )
    unseen = probability == 0
    share = percent(float(weight[unseen].sum() / weight.sum()))
    if by_depth == {False}:
        text = (
            f"{plural(int(unseen.sum()), 'document')} joined the pool after the plan ({share} of "
            "the weight): predicted, not sampled"
        )
        found = found.noted("after-plan", int(unseen.sum()), text)
    text = f"{plural(late, 'gold label')} ignored: too many documents before have no label"
    return found.noted("after-gap", late, text)


def _only_drawn(found: GoldLabels, drawn: Bools) -> GoldLabels:
    """Labels of documents that a plan drew."""
    planned = drawn[found.documents]
    other = int((~planned).sum())
    text = f"{plural(other, 'gold label')} of documents that the plan did not draw, ignored"
    return found.only(planned).noted("not-in-plan", other, text)


def _whole_topics(found: GoldLabels, pool: Pool) -> GoldLabels:
    """Only topics whose pools are labelled completely count."""
    unknown = np.ones(len(pool), dtype=bool)
    unknown[found.documents] = False
    whole = np.asarray(pool.sum_by_topic(unknown)) == 0
    if whole.sum() < 2:
        raise InputError(
            f"{plural(int(whole.sum()), 'topic')} with gold labels of all pooled documents",
            code="few-whole-topics",
            remedy=("label the whole pools of two or more topics, or use another",
                    Argument("gold_design")),
        )  # fmt: skip
    keep = whole[pool.topic_of[found.documents]]
    left = int((~keep).sum())
    text = f"{plural(left, 'gold label')} ignored: not all of their topic is labelled"
    share = np.full(len(pool), whole.mean())
    return found.only(keep, probability=share, design="topics").noted("part-of-topic", left, text)
