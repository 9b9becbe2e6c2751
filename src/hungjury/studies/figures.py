"""Descriptions of the figures of a study, in panels as in the papers; `report` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record
from hungjury.studies.factorial import Anova
from hungjury.studies.tuple_rows import TupleStudy

__all__ = ["Groups", "Interaction", "Lines", "MainEffects", "Matrices", "Matrix", "RateLines",
           "Shown", "TupleLines"]  # fmt: skip


class Lines(Record, eq=False):
    """A panel: a line of values, one for each rate, under each name."""

    title: str
    series: Mapping[str, Sequence[float] | NDArray[np.float64]]


class RateLines(Record, eq=False):
    """Lines over the shares of the pool that are kept; `across` panels side by side."""

    panels: Sequence[Lines]
    rates: Sequence[float]
    ylabel: str
    across: int


class Matrix(Record, eq=False):
    """A panel: correlations [row, column]."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: NDArray[np.float64]


class Matrices(Record, eq=False):
    """Correlations in colour, all on one scale; `across` panels side by side."""

    panels: Sequence[Matrix]
    across: int


class TupleLines(Record, eq=False):
    """The performance of approaches by one measure, over the sizes of tuples of judges."""

    found: TupleStudy
    measure: str
    what: str = "tau_ap"


class MainEffects(Record, eq=False):
    """Means of the response at the levels of some factors, each in a panel under its letter."""

    found: Anova
    factors: Mapping[str, str]  # by letter

    @property
    def words(self) -> str:
        return "main effects"


class Interaction(Record, eq=False):
    """Means of the response: levels of one factor across, a line for each level of another."""

    found: Anova
    across: str
    lines: str

    @property
    def words(self) -> str:
        return f"interaction of {self.across} and {self.lines}"


class Groups(Record, eq=False):
    """Levels of a factor by their means, with the best group and that of another level."""

    found: Anova
    factor: str
    largest_first: bool
    beside_of: str

    @property
    def words(self) -> str:
        return f"groups of {self.factor}"


Shown = RateLines | Matrices | TupleLines | MainEffects | Interaction | Groups
"""Anything that `report` can draw."""
