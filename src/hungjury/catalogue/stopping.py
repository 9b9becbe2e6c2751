"""Measures of users who read from the top and stop at some rank: RBP, gRBP and ERR."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue.base import (
    CATALOGUE,
    Array,
    Measure,
    cutoff_param,
    rel_param,
    rests_on,
)
from hungjury.catalogue.gain import (
    Discounted,
    Gains,
    check_scale,
    gain_table,
    gains_at_zero,
    gains_param,
    max_grade_param,
)
from hungjury.catalogue.kernels import Kernel, seen
from hungjury.collection.judged import Judged
from hungjury.errors import MeasureError
from hungjury.parameters import number, param

if TYPE_CHECKING:
    from hungjury.catalogue.closed_forms import Form

__all__ = ["ERR", "RBP", "gRBP"]

MOST_ERR_GAIN = 50  # beyond, 1 - 2^-gain is 1 in floating point


@CATALOGUE.add("RBP")
class RBP(Discounted):
    """Rank-biased precision: the rate of gain of a user who reads on with probability p."""

    paper: ClassVar[str] = "Moffat and Zobel 2008"
    proof: ClassVar[str] = "thesis, section 3.4.1"
    formula: ClassVar[str] = "RBP@k = (1 - p) Σ_{n≤k} p^(n-1) x_n"
    high: ClassVar[float] = 1.0
    p: float = param(0.8, kind=number, low=0, high=1, open_high=True, doc="persistence")
    rel: int = rel_param()

    def gain_of_grades(self, top: int) -> Array:
        return (np.arange(top + 1) >= self.rel).astype(float)

    def discount(self, ranks: Array) -> Array:
        return np.asarray((1 - self.p) * self.p ** (ranks - 1))

    @rests_on("score", "defined", "average", "normalised", "gain_of_grades", "discount")
    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        from hungjury.catalogue.expected import eRRBP

        if self.rel > 1:
            return super().for_probabilities(prob)
        return eRRBP(p=self.p, cutoff=self.cutoff, prob=prob)

    @rests_on("score", "defined", "gain_of_grades", "discount")
    def balancing_form(self, low: int, top: int) -> Form | None:
        from hungjury.catalogue.closed_forms import cut, of_persistence

        form = of_persistence(self.p, float(low >= self.rel), float(top >= self.rel))
        return None if form is None else cut(form, self.cutoff)


@CATALOGUE.add("gRBP")
class gRBP(Discounted):  # noqa: N801
    """RBP with graded gains, as shares of the largest gain of the scale."""

    paper: ClassVar[str] = "Sakai and Kando 2008"
    formula: ClassVar[str] = "gRBP@k = (1 - p) Σ_{n≤k} p^(n-1) gain(l_n) / largest gain"
    high: ClassVar[float] = 1.0
    p: float = param(0.8, kind=number, low=0, high=1, open_high=True, doc="persistence")
    max_grade: int | None = max_grade_param()
    gains: Gains = gains_param()

    def gain_of_grades(self, top: int) -> Array:
        largest = max(self.max_grade or top, top)
        table = gain_table(largest, self.gains, exponential=False)
        return np.asarray(table[: top + 1] / (table.max() or 1.0))

    @property
    def declared_grade(self) -> int:
        return self.max_grade or 0

    def check(self, max_grade: int) -> None:
        check_scale(self, self.max_grade, max_grade)

    def discount(self, ranks: Array) -> Array:
        return np.asarray((1 - self.p) * self.p ** (ranks - 1))

    @rests_on("score", "defined", "gain_of_grades", "discount")
    def balancing_form(self, low: int, top: int) -> Form | None:
        from hungjury.catalogue.closed_forms import cut, of_persistence

        gains = gain_table(top, self.gains, exponential=False)
        form = of_persistence(self.p, gains[low], gains[top]) if gains[0] == 0 else None
        return None if form is None else cut(form, self.cutoff)


@CATALOGUE.add("ERR")
class ERR(Measure):
    """Expected reciprocal rank at which a user who reads top-down is satisfied; a document of
    grade l satisfies with probability (2^l - 1) / 2^max_grade. With `gains`, gains take the place
    of grades, and the largest gain that of max_grade: `ERR(gains={1: 5})` on binary labels is
    satisfied by a relevant document with probability 31/32."""

    paper: ClassVar[str] = "Chapelle et al. 2009"
    proof: ClassVar[str] = "thesis, section 3.4.1, for gains that grow with the grade"
    formula: ClassVar[str] = (
        "ERR@k = Σ_{n≤k} (1/n) s_n Π_{m<n} (1 - s_m), s_n = (2^l_n - 1) / 2^max_grade; with "
        "gains s_n = (2^gain(l_n) - 1) / 2^(largest gain)"
    )
    at: ClassVar[str] = "cutoff"
    probability_gains: ClassVar[bool] = False
    max_grade: int | None = max_grade_param()
    gains: Gains = gains_param()
    cutoff: int | None = cutoff_param()

    def __post_init__(self) -> None:
        odd = [gain for _, gain in self.gains or () if not 0 <= gain <= MOST_ERR_GAIN]
        if odd:
            raise MeasureError(
                f"ERR: a gain is {odd[0]:g}, but has to be in [0, {MOST_ERR_GAIN}]",
                code="out-of-range",
                argument="gains",
                remedy="gains are exponents of 2, such as {1: 5}",
            )

    @property
    def declared_grade(self) -> int:
        return self.max_grade or 0

    def check(self, max_grade: int) -> None:
        check_scale(self, self.max_grade, max_grade)

    def satisfaction(self, top: int) -> Array:
        """P(a user is satisfied) by a document of grade 0 to `top`."""
        table = gain_table(max(self.max_grade or top, top), self.gains, exponential=False)
        return np.asarray((2.0 ** table[: top + 1] - 1) / 2.0 ** table.max(), dtype=float)

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        satisfying = self.satisfaction(judged.max_grade) > 0
        return np.asarray(judged.counts[..., satisfying].sum(axis=-1) > 0)

    @property
    def needs_nonrelevant(self) -> bool:  # type: ignore[override]
        return gains_at_zero(self.gains)

    def score(self, judged: Judged) -> Array:
        satisfied = judged.gains(self.satisfaction(judged.max_grade))
        unsatisfied = np.cumprod(1 - satisfied, axis=-1)
        reached = np.concatenate(
            [np.ones_like(unsatisfied[..., :1]), unsatisfied[..., :-1]], axis=-1
        )
        value = satisfied * reached / judged.ranks
        if self.cutoff is not None:
            value = value * (judged.ranks <= self.cutoff)
        return np.asarray(value.sum(axis=-1))

    @rests_on("score", "defined")
    def kernel(self, ranks: Array, top: int) -> Kernel:
        weights = seen(ranks, self.cutoff) / ranks
        return Kernel("cascade", self.satisfaction(top), weights)

    @rests_on("score", "defined")
    def balancing_form(self, low: int, top: int) -> Form | None:
        from hungjury.catalogue.closed_forms import cut, of_cascade

        if self.gains:
            return None
        chance = self.satisfaction(top)
        return cut(of_cascade(chance[low], chance[top]), self.cutoff)
