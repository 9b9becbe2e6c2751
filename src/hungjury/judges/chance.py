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
from hungjury.judges.panel import Panel

__all__ = ["JudgePairs", "fleiss_kappa", "krippendorff_alpha", "pair_agreement", "pairs_of"]

AlphaLevel = Literal["nominal", "ordinal"]


class JudgePairs(Record, eq=False):
    """Two judges at a time, [judge, judge], on the documents that both judged."""

    common: NDArray[np.int64]  # documents both judged
    agreement: Floats  # share of them with the same label; NaN where there is none
    by_chance: Floats  # agreement expected from the label rates of the two
    kappa: Floats  # Cohen's

    def with_others(self) -> tuple[Floats, Floats]:
        """[judge]: agreement and kappa with all the others; each common document counts once."""
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


def pairs_of(panel: Panel) -> JudgePairs:
    """Cohen (1960): kappa = (observed - expected) / (1 - expected)."""
    judges = len(panel.judges)
    common, same, expected = (
        table.reshape(judges, judges)
        for table in native.judge_pairs(
            panel.document, panel.judge, panel.choice, len(panel.pool), judges, len(panel.grades)
        )
    )
    agreement = _ratio(same, common)
    by_chance = _ratio(expected, common**2)
    kappa = _ratio(agreement - by_chance, 1 - by_chance)
    return JudgePairs(common.astype(np.int64), agreement, by_chance, kappa)


def _usable(counts: Floats) -> Floats:
    return np.asarray(counts[counts.sum(axis=1) >= 2])


def pair_agreement(counts: Floats) -> float:
    """The share of pairs of labels of the same document that are equal."""
    counts = _usable(counts)
    total = counts.sum(axis=1)
    pairs = float((total * (total - 1)).sum())
    return float((counts * (counts - 1)).sum()) / pairs if pairs else float("nan")


def fleiss_kappa(counts: Floats) -> float:
    """Fleiss (1971). Documents may have different numbers of labels; each weighs the same."""
    counts = _usable(counts)
    if not len(counts):
        return float("nan")
    total = counts.sum(axis=1)
    observed = float(((counts * (counts - 1)).sum(axis=1) / (total * (total - 1))).mean())
    rates = counts.sum(axis=0) / total.sum()
    expected = float((rates**2).sum())
    return (observed - expected) / (1 - expected) if expected < 1 else float("nan")


def krippendorff_alpha(counts: Floats, level: AlphaLevel = "nominal") -> float:
    """Krippendorff's alpha from the coincidences of labels; missing labels are simply missing.

    level: "nominal" counts every difference the same, "ordinal" by the labels ranked between.
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
    expected = float((np.outer(often, often) * distance).sum()) / (often.sum() - 1)
    observed = float((together * distance).sum())
    return 1 - observed / expected if expected else float("nan")


def _ranked_between(often: Floats) -> Floats:
    """Squared: the labels from c to k, those of c and k themselves by half."""
    middle = np.cumsum(often) - often / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)
