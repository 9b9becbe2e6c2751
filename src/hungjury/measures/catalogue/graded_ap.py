"""Graded average precision (XG: Ferrante, Ferro and Maistro; GAP: Robertson et al. 2010).

Users differ in the lowest grade k that satisfies them: k has probability g_k. G(k) is the share of
users satisfied by grade k, g_1 + ... + g_k.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError
from hungjury.base.parameters import numbers, required
from hungjury.data.judged import Judged
from hungjury.measures.base import CATALOGUE, Measure, cutoff_param, ratio
from hungjury.measures.catalogue.average_precision import precision_sum

__all__ = ["GAP", "eGAP", "xGAP"]


def threshold_probabilities(value: object) -> tuple[float, ...]:
    """Probabilities g_1, ..., g_c that add up to 1."""
    g = numbers(value)
    if any(v < 0 for v in g) or abs(sum(g) - 1) > 1e-9:
        raise ValueError(f"probabilities of the grades 1, 2, ... that add up to 1, not {sum(g):g}")
    return g


class GradedAP(Measure):
    """Base: the probabilities of thresholds, and when a topic is undefined."""

    at: ClassVar[str] = "cutoff"
    paper: ClassVar[str] = "Ferrante, Ferro and Maistro 2014"
    g: tuple[float, ...] = required(
        kind=threshold_probabilities,
        doc="P(the lowest grade that satisfies a user is k), k = 1, 2, ...",
    )
    cutoff: int | None = cutoff_param()

    @property
    def declared_grade(self) -> int:
        return len(self.g)

    def check(self, max_grade: int) -> None:
        if len(self.g) != max_grade:
            raise MeasureError(
                f"{self}: g has {len(self.g)} values, but the grades are 1 to {max_grade}",
                code="grade-count",
                argument="g",
                remedy=f"give {max_grade} probabilities, or declare the grades",
            )

    def weights(self, judged: Judged) -> Floats:
        """g_0 = 0, g_1, ..., filled up with zeros to the scale's largest grade."""
        weights = np.zeros(judged.max_grade + 1)
        given = self.g[: judged.max_grade]
        weights[1 : len(given) + 1] = given
        return weights

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        lowest = int(np.flatnonzero(self.weights(judged)).min(initial=judged.max_grade + 1))
        return judged.relevant(lowest) > 0

    def satisfied(self, judged: Judged) -> tuple[Floats, NDArray[np.bool_]]:
        """Sum over m <= n of G(min(grade_m, grade_n)) at every place n, and the places counted.

        Users with threshold k see precision among grades of k and more, so the sum is that of
        g_k times the running count of those grades, for k up to the grade at n.
        """
        weights = self.weights(judged)
        total = np.zeros(judged.labels.shape)
        for k in np.flatnonzero(weights):
            hits = judged.hits(int(k), self.cutoff)
            total += weights[k] * np.cumsum(hits, axis=-1) * hits
        return total, judged.hits(1, self.cutoff)


@CATALOGUE.add("GAP")
class GAP(GradedAP):
    """Graded average precision: precision expected over users, over the expected number of
    documents they find relevant."""

    paper: ClassVar[str] = "Robertson, Kanoulas and Yilmaz 2010"
    formula: ClassVar[str] = (
        "GAP@k = Σ_{n≤k} (1/n) Σ_{m≤n} G(min(l_m, l_n)) / Σ_l R(l) G(l), G(l) = g_1 + ... + "
        "g_l; R(l): pool documents of grade l"
    )

    def score(self, judged: Judged) -> Floats:
        total, counted = self.satisfied(judged)
        value = (counted * total / judged.ranks).sum(axis=-1)
        return ratio(value, judged.counts @ np.cumsum(self.weights(judged)))


@CATALOGUE.add("xGAP")
class xGAP(GradedAP):  # noqa: N801 - the paper's name
    """Extended graded average precision: like GAP, but every threshold is normalised by the
    number of documents at or above it before users are averaged (XG)."""

    paper: ClassVar[str] = "Ferrante, Ferro and Maistro 2014"
    formula: ClassVar[str] = (
        "xGAP@k = Σ_{n≤k} (1/n) [Σ_{i≤l_n} g_i / RB(i)] / G(l_n) Σ_{m≤n} G(min(l_m, l_n)), "
        "over ranks with G(l_n) > 0; G(l) = g_1 + ... + g_l; RB(i): pool documents of grade i "
        "and more"
    )

    def score(self, judged: Judged) -> Floats:
        total, counted = self.satisfied(judged)
        weights = self.weights(judged)
        share = np.zeros(judged.counts.shape)  # sum over k <= grade of g_k / RB(k)
        for k in np.flatnonzero(weights):
            share[..., k:] += np.nan_to_num(ratio(weights[k], judged.relevant(int(k))))[..., None]
        upto = np.cumsum(weights)
        scale = np.nan_to_num(ratio(share, upto))  # over G(grade), 0 where no user is satisfied
        grades = np.broadcast_to(judged.labels, counted.shape)
        spread = np.broadcast_to(scale, (*counted.shape[:-1], scale.shape[-1]))
        each = np.take_along_axis(spread, grades.astype(np.int64), axis=-1)
        return np.asarray((counted * each * total / judged.ranks).sum(axis=-1))


@CATALOGUE.add("eGAP")
class eGAP(GradedAP):  # noqa: N801
    """Expected graded average precision: the mean over users of AP at their threshold (XG)."""

    paper: ClassVar[str] = "Ferrante, Ferro and Maistro 2014"
    formula: ClassVar[str] = "eGAP@k = Σ_i g_i AP(rel=i)@k"
    averages_ties: ClassVar[bool] = True

    def score(self, judged: Judged) -> Floats:
        weights = self.weights(judged)
        value = np.zeros(judged.counts.shape[:-1])
        for k in np.flatnonzero(weights):
            sums = precision_sum(judged, int(k), self.cutoff)
            value = value + weights[k] * np.nan_to_num(ratio(sums, judged.relevant(int(k))))
        return value
