"""Descriptions of the figures of a study, in panels as in the papers; `report` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hungjury.studies.factorial import Anova
from hungjury.studies.tuple_rows import TupleStudy

__all__ = ["Groups", "Interaction", "Lines", "MainEffects", "Matrices", "Matrix", "RateLines",
           "Shown", "TupleLines"]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Lines:
    """A panel: a line of values, one for each rate, under each name."""

    title: str
    series: Mapping[str, Sequence[float] | NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class RateLines:
    """Lines over the shares of the pool that are kept; `across` panels side by side."""

    panels: Sequence[Lines]
    rates: Sequence[float]
    ylabel: str
    across: int


@dataclass(frozen=True, eq=False)
class Matrix:
    """A panel: correlations [row, column]."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Matrices:
    """Correlations in colour, all on one scale; `across` panels side by side."""

    panels: Sequence[Matrix]
    across: int


@dataclass(frozen=True, eq=False)
class TupleLines:
    """The performance of approaches by one measure, over the sizes of tuples of judges."""

    found: TupleStudy
    measure: str
    what: str = "tau_ap"


@dataclass(frozen=True, eq=False)
class MainEffects:
    """Means of the response at the levels of some factors, each in a panel under its letter."""

    found: Anova
    factors: Mapping[str, str]  # by letter


@dataclass(frozen=True, eq=False)
class Interaction:
    """Means of the response: levels of one factor across, a line for each level of another."""

    found: Anova
    across: str
    lines: str


@dataclass(frozen=True, eq=False)
class Groups:
    """Levels of a factor by their means, with the best group and that of another level."""

    found: Anova
    factor: str
    largest_first: bool
    beside_of: str


Shown = RateLines | Matrices | TupleLines | MainEffects | Interaction | Groups
"""Anything that `report` can draw."""
