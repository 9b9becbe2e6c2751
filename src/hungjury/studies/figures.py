"""Descriptions of the figures of a study, in panels as in the papers; `report` draws them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hungjury.base.records import Record
from hungjury.studies.anova import Anova
from hungjury.studies.judge_tuples import TupleStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawing", "Groups", "Interaction", "Lines", "MainEffects", "Matrices", "Matrix",
           "RateLines", "TupleLines"]  # fmt: skip


class Drawing(Record, ABC, eq=False):
    """Describes a figure, which is drawn when the study is written, because drawing is slow."""

    title: str

    @abstractmethod
    def draw(self) -> Figure:
        """Draw it with matplotlib."""


class Lines(Record, eq=False):
    """A panel: a line of values, one for each rate, under each name."""

    title: str
    series: Mapping[str, Sequence[float] | NDArray[np.float64]]


class RateLines(Drawing, eq=False):
    """Lines over the shares of the pool that are kept; `across` panels side by side."""

    panels: Sequence[Lines]
    rates: Sequence[float]
    ylabel: str
    across: int

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_rate_lines

        return draw_rate_lines(self)


class Matrix(Record, eq=False):
    """A panel: correlations [row, column]."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: NDArray[np.float64]


class Matrices(Drawing, eq=False):
    """Correlations in colour, all on one scale; `across` panels side by side."""

    panels: Sequence[Matrix]
    across: int

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_matrices

        return draw_matrices(self)


class TupleLines(Drawing, eq=False):
    """The performance of approaches by one measure, over the sizes of tuples of judges."""

    found: TupleStudy
    measure: str
    what: str = "tau_ap"

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_tuples

        return draw_tuples(self.found, self.measure, self.what)


class MainEffects(Drawing, eq=False):
    """Means of the response at the levels of some factors, each in a panel under its letter."""

    found: Anova
    factors: Mapping[str, str]  # by letter

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_main_effects

        return draw_main_effects(self.found, self.factors)


class Interaction(Drawing, eq=False):
    """Means of the response: levels of one factor across, a line for each level of another."""

    found: Anova
    across: str
    lines: str

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_interaction

        return draw_interaction(self.found, self.across, self.lines)


class Groups(Drawing, eq=False):
    """Levels of a factor by their means, with the best group and that of another level."""

    found: Anova
    factor: str
    largest_first: bool
    beside_of: str

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_tukey

        return draw_tukey(self.found, self.factor, self.largest_first, self.beside_of)
