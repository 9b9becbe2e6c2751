"""What a leaderboard says of its judges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.notes import Note, percent, plural
from hungjury.judges.agreement import Agreement
from hungjury.uncertainty.label_model import LabelDraws

__all__ = ["JudgeRow", "dependence", "judge_rows"]

Floats = NDArray[np.float64]
TOO_MUCH = 0.03  # agreement beyond what independent judges would have
FAR = 5.0  # in standard errors
FEW = 50  # common documents below which nothing is said


@dataclass(frozen=True)
class JudgeRow:
    """One judge: None where it is not known."""

    name: str
    labels: int
    relevant: float  # share of labels above the lowest grade
    kappa: float | None  # Cohen's, with the others
    accuracy: float | None  # how often right, by the label model
    weight: float | None  # share of all that the judges' labels tell, or AWARE's weight


def judge_rows(
    found: Agreement, labels: LabelDraws | None, weights: Floats | None
) -> list[JudgeRow]:
    """weights: [judge, topic] of AWARE."""
    _, kappa = found.pairs.with_others()
    accuracy = weight = None
    if labels is not None:
        prior = _prior(labels)
        accuracy = np.einsum("g,kgg->k", prior, labels.confusion)
        told = _information(prior, labels.confusion) * labels.votes
        weight = told / max(float(np.nansum(told)), 1e-300)
    elif weights is not None:
        weight = weights.mean(axis=1)
    return [
        JudgeRow(
            name,
            int(found.labels[k]),
            float(1 - found.label_rates[k, 0]),
            None if np.isnan(kappa[k]) else float(kappa[k]),
            None if accuracy is None else float(accuracy[k]),
            None if weight is None else float(weight[k]),
        )
        for k, name in enumerate(found.judges)
    ]


def _information(prior: Floats, confusion: Floats) -> Floats:
    """[judge]: mutual information of label and true grade."""
    joint = prior[:, None] * confusion
    label = joint.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = joint * np.log2(confusion / label)
    return np.asarray(np.nan_to_num(bits).sum(axis=(1, 2)))


def dependence(found: Agreement, labels: LabelDraws) -> tuple[Note, ...]:
    """Judges who agree more than the label model, where judges err independently, lets them.

    The expected agreement of two judges follows from the prior and their confusion matrices.
    """
    prior, confusion = _prior(labels), labels.confusion
    expected = np.einsum("g,kgl,mgl->km", prior, confusion, confusion, optimize=True)
    seen, common = found.pairs.agreement, found.pairs.common
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
        f"who err independently would, most of all {found.judges[one]} and "
        f"{found.judges[other]}: on {percent(seen[one, other])} of documents, where "
        f"{percent(expected[one, other])} would be expected. They may share errors, in which case "
        "the intervals are too narrow"
    )
    return (Note("dependent-judges", many, text, about="judges"),)


def _prior(labels: LabelDraws) -> Floats:
    """[grade]: their shares among judged documents."""
    total = labels.posterior.sum(axis=0)
    return np.asarray(total / total.sum())
