"""What the figures of a study show, in panels as the papers arrange them; `report` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Drawing", "Lines", "Matrices", "Matrix", "RateLines"]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture of a result: which one, by its name in `report`, and what it is drawn from."""

    picture: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Lines:
    """A panel: a line of values, one for each rate, under each name."""

    title: str
    series: Mapping[str, Sequence[float] | NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class RateLines:
    """Lines over the shares of the pool that are kept; `across` panels stand side by side."""

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
    """Correlations in colour, all on one scale; `across` panels stand side by side."""

    panels: Sequence[Matrix]
    across: int
