"""Agreement beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha.

Counts are [document, grade] numbers of labels. Documents with fewer than two labels say nothing
about agreement and are left out. A coefficient is NaN (0 / 0) if chance alone gives full agreement,
that is, if all judges always give the same label.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.errors import check_choice
from hungjury.base.records import Record

AlphaLevel = Literal["nominal", "ordinal"]


class JudgePairs(Record, eq=False):
    """Agreement of every two judges, [judge, judge], on the documents that both judged."""

    common: NDArray[np.int64]  # documents both judged
    agreement: Floats  # share of them with the same label; NaN where there is none
    by_chance: Floats  # agreement expected from the label rates of the two
    kappa: Floats  # Cohen's

    def with_others(self) -> tuple[Floats, Floats]:
        """Return agreement and kappa of each judge with the others, over all common documents."""
        weight = self.common.astype(float)
        np.fill_diagonal(weight, 0.0)
        total = weight.sum(axis=1)
        seen, expected = np.nan_to_num(self.agreement), np.nan_to_num(self.by_chance)
        above = (weight * (seen - expected)).sum(axis=1)
        room = (weight * (1 - expected)).sum(axis=1)
        return _ratio((weight * seen).sum(axis=1), total), _ratio(above, room)


def _ratio(above: NDArray[np.generic], below: NDArray[np.generic]) -> Floats:
    out = np.full(np.shape(below), np.nan)
    return np.asarray(np.divide(above, below, out=out, where=np.asarray(below) != 0))


def judge_pairs(
    document: NDArray[np.int32],
    judge: NDArray[np.int32],
    choice: NDArray[np.int16],
    shape: tuple[int, int, int],
) -> JudgePairs:
    """Compare every two judges by Cohen's kappa (1960).

    kappa = (observed - expected) / (1 - expected), on the documents that both judged.

    Parameters
    ----------
    document, judge, choice
        The document, the judge and the grade of every label, as positions.
    shape
        Numbers of documents, judges and grades.
    """
    documents, judges, grades = shape
    common, same, expected = (
        table.reshape(judges, judges)
        for table in native.judge_pairs(document, judge, choice, documents, judges, grades)
    )
    agreement = _ratio(same, common)
    by_chance = _ratio(expected, common**2)
    kappa = _ratio(agreement - by_chance, 1 - by_chance)
    return JudgePairs(common.astype(np.int64), agreement, by_chance, kappa)


def _usable(counts: Floats) -> Floats:
    return np.asarray(counts[counts.sum(axis=1) >= 2])


def pair_agreement(counts: Floats) -> float:
    """Return the share of pairs of labels of the same document that are equal."""
    counts = _usable(counts)
    total = counts.sum(axis=1)
    pairs = float((total * (total - 1)).sum())
    return float((counts * (counts - 1)).sum()) / pairs if pairs else float("nan")


def fleiss_kappa(counts: Floats) -> float:
    """Compute Fleiss' kappa (1971); documents with more labels do not weigh more."""
    counts = _usable(counts)
    if not len(counts):
        return float("nan")
    total = counts.sum(axis=1)
    observed = float(((counts * (counts - 1)).sum(axis=1) / (total * (total - 1))).mean())
    rates = counts.sum(axis=0) / total.sum()
    expected = float((rates**2).sum())
    return (observed - expected) / (1 - expected) if expected < 1 else float("nan")


def krippendorff_alpha(counts: Floats, level: AlphaLevel = "nominal") -> float:
    """Compute Krippendorff's alpha from the coincidences of labels; labels may be missing.

    level: "nominal" counts every difference the same, "ordinal" by the labels ranked between.

    Examples
    --------
    >>> round(krippendorff_alpha(np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])), 3)
    0.444
    """
    check_choice("level", level, get_args(AlphaLevel))
    counts = _usable(counts)
    if not len(counts):
        return float("nan")
    weight = 1 / (counts.sum(axis=1) - 1)
    together = (counts * weight[:, None]).T @ counts
    together -= np.diag(counts.T @ weight)  # a label is not paired with itself
    often = together.sum(axis=1)
    if level == "ordinal":
        distance = _ranked_between(often)
    else:
        distance = 1 - np.eye(len(often))
    expected = float((np.outer(often, often) * distance).sum() / (often.sum() - 1))
    observed = float((together * distance).sum())
    return 1 - observed / expected if expected else float("nan")


def _ranked_between(often: Floats) -> Floats:
    """Square the number of labels from c to k, with half of those of c and k themselves."""
    middle = np.cumsum(often) - often / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)
