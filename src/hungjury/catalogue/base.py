"""What a measure is: a named value with a `score` over judged lists."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.judged import Judged
from hungjury.errors import Argument, MeasureError
from hungjury.named import Catalogue, Named, param, whole

__all__ = ["CATALOGUE", "NOTATION", "Array", "Measure", "cutoff_param", "ratio", "rel_param"]

Array = NDArray[np.float64]

NOTATION = {
    "n, m": "ranks, from 1 on",
    "N": "length of the ranked list",
    "k": "cutoff, the number behind @; without one, all ranks count",
    "l_n": "grade of the document at rank n; 0 if nobody judged it",
    "x_n": "1 if the document at rank n is relevant (l_n ≥ rel), else 0",
    "R": "relevant documents in the pool, retrieved or not",
    "gain(l)": "gain of grade l; the grade itself unless the parameters say otherwise",
    "best list": "the documents of the pool sorted by gain",
    "P(x_n = 1)": "probability that the document at rank n is relevant",
    "#{...}": "number of documents for which ... holds",
}
"""What the letters in formulas mean."""


class Measure(Named):
    """Base of all measures.

    `score` maps judged lists to [..., list] values; NaN, and a list that is not `defined`, say
    that the measure is undefined there. It never looks at how labels came about.
    """

    paper: ClassVar[str] = ""  # or the tool, where no paper defines it
    formula: ClassVar[str] = ""  # in the notation of `NOTATION`
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0  # inf where there is no bound
    smaller_is_better: ClassVar[bool] = False
    average: ClassVar[str] = "mean"  # over topics: "mean", "sum" or "gmean"
    every: ClassVar[bool] = False  # has to see documents judged not relevant too
    in_ties: ClassVar[bool] = False  # knows the mean over all orders inside ties
    takes_chances: ClassVar[bool] = False  # labels may be probabilities
    has_variance: ClassVar[bool] = False  # `moments` gives the variance too

    @property
    def unjudged_depth(self) -> int:
        """Ranks down to which documents outside the pool have to be known."""
        return 0

    def score(self, judged: Judged) -> Array:
        raise NotImplementedError

    def moments(self, judged: Judged) -> tuple[Array, Array]:
        """Mean and variance over uncertain labels, for measures that have them."""
        raise NotImplementedError

    def defined(self, judged: Judged) -> NDArray[np.bool_]:
        """[..., list]: is there anything relevant in the pool for this measure?"""
        return judged.relevant(getattr(self, "rel", 1)) > 0

    def check(self, max_grade: int) -> None:
        """Complain before any work about parameters that do not fit the scale."""
        rel = getattr(self, "rel", 1)
        if rel > max_grade:
            raise MeasureError(
                f"{self}: rel={rel}, but the largest grade of the labels is {max_grade}",
                remedy=f"choose rel from 1 to {max_grade}, or declare the grades",
            )

    def __call__(self, judged: Judged) -> Array:
        if judged.ties is not None and not self.in_ties:
            raise MeasureError(
                f'{self} does not support ties averaged over all orders (ties="expected")',
                code="unsupported-ties",
                remedy=("use", Argument("ties", "trec", "input"), "for this measure"),
            )
        return np.where(self.defined(judged), self.score(judged), np.nan)


CATALOGUE: Catalogue[Measure] = Catalogue("measure")


def rel_param() -> Any:
    return param(1, kind=whole, low=1, doc="lowest grade that counts as relevant")


def cutoff_param(required: bool = False) -> Any:
    doc = "ranks looked at"
    return (
        param(kind=whole, low=1, doc=doc) if required else param(None, kind=whole, low=1, doc=doc)
    )


def ratio(above: Any, below: Any) -> Array:
    """above / below, NaN where below is 0: undefined."""
    shape = np.broadcast_shapes(np.shape(above), np.shape(below))
    out = np.full(shape, np.nan)
    np.divide(above, below, out=out, where=np.asarray(below) != 0)
    return out
