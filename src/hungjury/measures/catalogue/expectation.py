"""E(X): the expectation of any measure X when labels are uncertain."""

from __future__ import annotations

from typing import ClassVar

from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError
from hungjury.base.parameters import MOST_DRAWS, integer, param, required
from hungjury.data.judged import Judged
from hungjury.measures.base import CATALOGUE, Measure, cutoff_param
from hungjury.measures.catalogue.expected import (
    chance_of_unjudged,
    check_prob,
    prob_param,
    refuse_for_chances,
    unjudged_param,
)
from hungjury.measures.names import IrMeasure, from_ir_measures, from_trec

__all__ = ["E"]


def a_measure(value: object) -> Measure:
    """A measure, or its name."""
    if isinstance(value, IrMeasure):
        value = from_ir_measures(value)
    found = [value] if isinstance(value, Measure) else from_trec(str(value))
    if found is None:
        found = [CATALOGUE.parse(str(value))]
    if len(found) != 1 or found[0].takes_probabilities:
        raise ValueError("one measure of certain labels, such as AP or nDCG@10")
    return found[0]


@CATALOGUE.add("E")
class E(Measure):
    """Expectation of a measure over label sets drawn from their probabilities, with variance and
    a 95 % interval; E(AP)'s mean is exact, but drawn where ties are averaged.
    `E(AP)@10` is `E(AP@10)`.

    With `prob`, grades are turned into probabilities of relevance, and the measure sees binary
    labels. Where unjudged documents may be relevant they are drawn too, in every list by itself;
    the recall base stays that of the pool, as in `eRAP`."""

    paper: ClassVar[str] = "Ferrante, Ferro and Pontarollo 2018 (relevance as a random variable)"
    formula: ClassVar[str] = (
        "E(X) = mean of X over label sets, each label drawn from its probabilities"
    )
    at: ClassVar[str] = "cutoff"
    positional: ClassVar[str] = "of"
    low: ClassVar[float] = float("-inf")
    high: ClassVar[float] = float("inf")
    takes_probabilities: ClassVar[bool] = True
    of: Measure = required(kind=a_measure, doc="the measure")
    draws: int = param(1000, kind=integer, low=2, high=MOST_DRAWS, doc="number of label sets drawn")
    seed: int = param(0, kind=integer, low=0, doc="seed of the draws")
    prob: tuple[float, ...] | None = prob_param()
    unjudged: float | None = unjudged_param()
    cutoff: int | None = cutoff_param()

    def __post_init__(self) -> None:
        if self.cutoff is not None:
            if self.of.at != "cutoff":
                raise MeasureError(
                    f"E: {self.of} takes no cutoff", code="no-cutoff", remedy=f"write E({self.of})"
                )
            if self.of.depth is not None:
                raise MeasureError(
                    f"E: {self.of} has a cutoff, and so has E ({self.cutoff})",
                    code="two-cutoffs",
                    remedy=f"write E({self.of})",
                )
            object.__setattr__(self, "of", self.of.but(cutoff=self.cutoff))
            object.__setattr__(self, "cutoff", None)
        for name in ("low", "high", "average", "smaller_is_better"):
            object.__setattr__(self, name, getattr(self.of, name))

    @property
    def expectation(self) -> E:
        return self

    @property
    def chance_of_unjudged(self) -> float:
        return chance_of_unjudged(self.prob, self.unjudged)

    @property
    def depth(self) -> int | None:
        return self.of.depth

    @property
    def declared_grade(self) -> int:
        return self.of.declared_grade if self.prob is None else len(self.prob) - 1

    def check(self, max_grade: int) -> None:
        if self.prob is not None:
            check_prob(self, self.prob, max_grade)
            max_grade = 1
        if self.chance_of_unjudged > 0 and max_grade > 1:
            raise MeasureError(
                f"{self}: unjudged documents may be relevant, but their grade is unknown (1 to "
                f"{max_grade})",
                code="unjudged-grade",
                remedy="give prob, the probability of relevance at each grade, or binary labels",
            )
        self.of.check(max_grade)

    def check_probabilities(self, of_grades: bool = False) -> None:
        refuse_for_chances(self, ("prob",))

    def score(self, judged: Judged) -> Floats:
        raise MeasureError(
            f"{self} draws labels for whole pools",
            code="needs-runs",
            remedy="score runs with evaluate()",
        )
