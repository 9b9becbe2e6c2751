"""Descriptions of the figures of a study, in panels as in the papers; `report` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hungjury.base.records import Record
from hungjury.studies.anova import Anova
from hungjury.studies.judge_tuples import TupleStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Groups", "Interaction", "Lines", "MainEffects", "Matrices", "Matrix", "RateLines",
           "Shown", "TupleLines"]  # fmt: skip


class Shown(Record, eq=False):
    """What a figure shows. It is drawn when the study is written, because drawing is slow."""

    def draw(self) -> Figure:
        raise NotImplementedError


class Lines(Record, eq=False):
    """A panel: a line of values, one for each rate, under each name."""

    title: str
    series: Mapping[str, Sequence[float] | NDArray[np.float64]]


class RateLines(Shown, eq=False):
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


class Matrices(Shown, eq=False):
    """Correlations in colour, all on one scale; `across` panels side by side."""

    panels: Sequence[Matrix]
    across: int

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_matrices

        return draw_matrices(self)


class TupleLines(Shown, eq=False):
    """The performance of approaches by one measure, over the sizes of tuples of judges."""

    found: TupleStudy
    measure: str
    what: str = "tau_ap"

    def draw(self) -> Figure:
        from hungjury.report.study_plots import draw_tuples

        return draw_tuples(self.found, self.measure, self.what)


class MainEffects(Shown, eq=False):
    """Means of the response at the levels of some factors, each in a panel under its letter."""

    found: Anova
    factors: Mapping[str, str]  # by letter

    @property
    def words(self) -> str:
        return "main effects"

    def draw(self) -> Figure:
        from hungjury.report.anova_plots import draw_main_effects

        return draw_main_effects(self.found, self.factors)


class Interaction(Shown, eq=False):
    """Means of the response: levels of one factor across, a line for each level of another."""

    found: Anova
    across: str
    lines: str

    @property
    def words(self) -> str:
        return f"interaction of {self.across} and {self.lines}"

    def draw(self) -> Figure:
        from hungjury.report.anova_plots import draw_interaction

        return draw_interaction(self.found, self.across, self.lines)


class Groups(Shown, eq=False):
    """Levels of a factor by their means, with the best group and that of another level."""

    found: Anova
    factor: str
    largest_first: bool
    beside_of: str

    @property
    def words(self) -> str:
        return f"groups of {self.factor}"

    def draw(self) -> Figure:
        from hungjury.report.anova_plots import draw_tukey

        return draw_tukey(self.found, self.factor, self.largest_first, self.beside_of)
