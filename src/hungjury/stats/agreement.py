"""Agreement beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha; and errors of
judges compared with gold labels.

Counts are [document, grade] numbers of labels. Documents with fewer than two labels say nothing
about agreement and are left out. A coefficient is NaN (0 / 0) if chance alone gives full agreement,
that is, if all judges always give the same label.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hungjury import native
from hungjury.base.arrays import ArrayLike, Floats, Int16s, Int32s, Ints
from hungjury.base.records import Record
from hungjury.stats.resampling import normal_reach

AlphaLevel = Literal["nominal", "ordinal"]


class JudgePairs(Record, eq=False):
    """Agreement of every two judges, [judge, judge], on the documents that both judged."""

    common: Ints  # documents both judged
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
        return ratio((weight * seen).sum(axis=1), total), ratio(above, room)


def ratio(above: ArrayLike, below: ArrayLike) -> Floats:
    """Divide; NaN (undefined) where `below` is 0."""
    out = np.full(np.broadcast_shapes(np.shape(above), np.shape(below)), np.nan)
    np.divide(above, below, out=out, where=np.asarray(below) != 0)
    return out


def judge_pairs(
    document: Int32s,
    judge: Int32s,
    choice: Int16s,
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
    agreement = ratio(same, common)
    by_chance = ratio(expected, common**2)
    kappa = ratio(agreement - by_chance, 1 - by_chance)
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
    counts = _usable(counts)
    if not len(counts):
        return float("nan")
    weight = 1 / (counts.sum(axis=1) - 1)
    together = (counts * weight[:, None]).T @ counts
    together -= np.diag(counts.T @ weight)  # a label is not paired with itself
    often = together.sum(axis=1)
    distance = _ranked_between(often) if level == "ordinal" else 1 - np.eye(len(often))
    expected = float((np.outer(often, often) * distance).sum() / (often.sum() - 1))
    observed = float((together * distance).sum())
    return 1 - observed / expected if expected else float("nan")


def _ranked_between(often: Floats) -> Floats:
    """Square the number of labels from c to k, with half of those of c and k themselves."""
    middle = np.cumsum(often) - often / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)


def error_correlation(errors: Floats, weight: Floats | None = None) -> Floats:
    """[judge, judge]: correlation of errors on the documents that both judged.

    Parameters
    ----------
    errors
        Label minus gold label [judge, document]; NaN for a missing label.
    weight
        [document]: inverse inclusion probabilities; default: equal.

    Notes
    -----
    NaN where two judges share fewer than two documents, or one of them makes the same error on all.
    """
    known = ~np.isnan(errors)
    value = np.where(known, errors, 0.0)
    weights = known * (1.0 if weight is None else weight)
    total = weights @ known.T
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = ((weights * value) @ known.T) / total  # of a row's judge, on common documents
        product = ((weights * value) @ value.T) / total - mean * mean.T
        square = ((weights * value**2) @ known.T) / total - mean**2
        # Rounding leaves something of a variance that is 0.
        scale = np.where(square > 1e-12, square, np.nan)
        return np.asarray(product / np.sqrt(scale * scale.T))


def effective_judges(correlation: Floats) -> float:
    """Return the number of independent judges who would err as little together.

    n / (1 + (n - 1) r), r the mean correlation of errors; NaN if it is not known for any pair.
    """
    number = len(correlation)
    pairs = correlation[np.triu_indices(number, 1)]
    known = pairs[~np.isnan(pairs)]
    if not len(known):
        return float(number) if number == 1 else float("nan")
    return float(number / (1 + (number - 1) * max(float(known.mean()), 0.0)))


EDGES = tuple(k / 10 for k in range(11))


class ReliabilityBin(Record):
    """Documents with a share of votes from `low` to below `high` (1 belongs to the last bin).

    Attributes
    ----------
    documents
        How many there are.
    stated
        Their mean share of votes for relevant.
    relevant, relevant_low, relevant_high
        Share that is relevant by gold, with its interval (Wilson's).
    """

    low: float
    high: float
    documents: int
    stated: float
    relevant: float
    relevant_low: float
    relevant_high: float


def reliability(
    stated: Floats,
    relevant: Floats,
    weight: Floats,
    edges: Sequence[float] = EDGES,
    level: float = 0.95,
) -> tuple[ReliabilityBin, ...]:
    """Bins that hold documents; arrays are [document], `relevant` a share of the people."""
    place = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, len(edges) - 2)
    out = []
    for k in np.unique(place):
        mine = place == k
        w = weight[mine]
        share = float(w @ relevant[mine] / w.sum())
        low, high = _wilson(share, float(w.sum() ** 2 / (w @ w)), level)
        out.append(
            ReliabilityBin(
                low=edges[k],
                high=edges[k + 1],
                documents=int(mine.sum()),
                stated=float(w @ stated[mine] / w.sum()),
                relevant=share,
                relevant_low=low,
                relevant_high=high,
            )
        )
    return tuple(out)


def _wilson(share: float, number: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a share of `number`; with weights, that is the effective number."""
    reach = normal_reach(level)
    square = reach**2
    middle = (share + square / (2 * number)) / (1 + square / number)
    half = share * (1 - share) / number + square / (4 * number**2)
    width = reach * float(np.sqrt(half)) / (1 + square / number)
    return max(middle - width, 0.0), min(middle + width, 1.0)


def weighted_kappa(weight: Floats, labels: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """[resample]: agreement and Cohen's kappa, with weights [resample, document]."""
    total = weight.sum(axis=1)
    agree = weight @ (labels * shares).sum(axis=1) / total
    chance = ((weight @ labels) * (weight @ shares)).sum(axis=1) / total**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(agree), np.asarray((agree - chance) / (1 - chance))
