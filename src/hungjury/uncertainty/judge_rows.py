"""The judges of a leaderboard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.collection.judgments import Judgments
from hungjury.collection.notes import Note, percent, plural
from hungjury.judges.agreement import Agreement
from hungjury.judges.jury import Jury
from hungjury.records import Record
from hungjury.uncertainty.label_model import LabelDraws

__all__ = ["JudgeRow", "dependence", "judge_rows", "labels_per_document", "vote_share"]

Floats = NDArray[np.float64]
TOO_MUCH = 0.03  # agreement beyond what independent judges would have
FAR = 5.0  # in standard errors
FEW = 50  # common documents needed to compare two judges


class JudgeRow(Record):
    """One judge; None for what is not known."""

    name: str
    family: str
    labels: int
    covered: float  # share of the pool that the judge labelled
    relevant: float  # share of labels above the lowest grade
    kappa: float | None  # Cohen's, with the others
    accuracy: float | None  # how often right, by the label model
    weight: float | None  # share of the vote, or AWARE's weight; 0 for judges who do not vote


def judge_rows(
    found: Agreement, jury: Jury, labels: LabelDraws | None, weights: Floats | None
) -> list[JudgeRow]:
    """A row for every judge; `labels` and `weights` [judge, topic] are of those who vote."""
    _, kappa = found.pairs.with_others()
    voting = jury.judgments
    accuracy: dict[str, float] = {}
    if labels is not None:
        right = np.einsum("g,kgg->k", _prior(labels), labels.confusion)
        accuracy = dict(zip(voting.judges, right.tolist(), strict=True))
    weight = None if labels is not None else vote_share(voting)
    weight = weight if weights is None else weights.mean(axis=1)
    share = {} if weight is None else dict(zip(voting.judges, weight.tolist(), strict=True))
    family = dict(zip(voting.judges, voting.families, strict=True))
    pool = max(len(found.panel.pool), 1)
    return [
        JudgeRow(
            name=name,
            family=family.get(name, name),
            labels=int(found.labels[k]),
            covered=int(found.labels[k]) / pool,
            relevant=float(1 - found.label_rates[k, 0]),
            kappa=None if np.isnan(kappa[k]) else float(kappa[k]),
            accuracy=accuracy.get(name),
            weight=None if weight is None else share.get(name, 0.0),
        )
        for k, name in enumerate(found.judges)
    ]


def vote_share(judgments: Judgments) -> Floats:
    """[judge]: the mean over documents of a judge's share of the vote; these add up to 1."""
    document, judge = _votes(judgments)
    judges, documents = len(judgments.judges), len(judgments.pool)
    total = native.sum_by_key(document, judge, judgments.weight, documents)
    parts = np.divide(1.0, total, out=np.zeros(documents), where=total > 0)
    share = judgments.weight * native.sum_by_key(judge, document, parts, judges)
    return np.asarray(share / max(int((total > 0).sum()), 1))


def labels_per_document(judgments: Judgments) -> dict[int, int]:
    """How many documents of the pool have how many labels."""
    number = native.count_keys(_votes(judgments)[0], len(judgments.pool))
    labels, documents = np.unique(number, return_counts=True)
    return {int(n): int(d) for n, d in zip(labels, documents, strict=True)}


def _votes(judgments: Judgments) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Documents and judges of labels that are votes: not below 0."""
    counted = judgments.label >= 0
    if counted.all():
        return judgments.document, judgments.judge
    return judgments.document[counted], judgments.judge[counted]


def dependence(found: Agreement, judges: list[str], labels: LabelDraws) -> tuple[Note, ...]:
    """A note on judges who agree more than independent errors, as in the label model, explain.

    The expected agreement of two judges follows from the prior and their confusion matrices.
    judges: those of `labels`.
    """
    prior, confusion = _prior(labels), labels.confusion
    expected = np.einsum("g,kgl,mgl->km", prior, confusion, confusion, optimize=True)
    at = [found.judges.index(name) for name in judges]
    seen, common = (part[np.ix_(at, at)] for part in (found.pairs.agreement, found.pairs.common))
    compared = (common >= FEW) & ~np.isnan(expected)
    np.fill_diagonal(compared, False)
    error = np.sqrt(np.maximum(expected * (1 - expected), 1e-9) / np.maximum(common, 1))
    excess = np.where(compared, seen - expected, 0.0)
    many = int((excess > np.maximum(TOO_MUCH, FAR * error)).sum()) // 2
    if not many:
        return ()
    one, other = np.unravel_index(int(np.argmax(excess)), excess.shape)
    text = (
        f"{many} of {plural(int(compared.sum()) // 2, 'pair')} of judges agree more than judges "
        f"who err independently would, most of all {judges[one]} and "
        f"{judges[other]}: on {percent(seen[one, other])} of documents, where "
        f"{percent(expected[one, other])} would be expected. They may share errors, in which case "
        "the intervals are too narrow"
    )
    return (Note("dependent-judges", many, text, about="judges"),)


def _prior(labels: LabelDraws) -> Floats:
    """[grade]: shares of the grades among judged documents."""
    total = labels.posterior.sum(axis=0)
    return np.asarray(total / total.sum())
