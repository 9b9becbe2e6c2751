"""Descriptions of the figures of a study, in panels as in the papers; `report` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.base.records import Record
from hungjury.base.results import in_report
from hungjury.studies.anova import Anova
from hungjury.studies.judge_tuples import TupleStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Drawing(Record, eq=False):
    """Describes a figure, which is drawn when the study is written, because drawing is slow.

    The fields below the title are the arguments of the function in `report` that draws it.
    """

    title: str
    drawn_by: ClassVar[str]

    def draw(self) -> Figure:
        """Draw it with matplotlib."""
        _, *shown = (getattr(self, one.name) for one in fields(self))
        figure: Figure = in_report(f"study_plots.{self.drawn_by}")(*shown)
        return figure


class Lines(Record, eq=False):
    """A panel: a line of values, one for each rate, under each name."""

    title: str
    series: Mapping[str, Sequence[float] | NDArray[np.float64]]


class RateLines(Drawing, eq=False):
    """Lines over the shares of the pool that are kept; `across` panels side by side."""

    drawn_by = "draw_rate_lines"

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


class Matrices(Drawing, eq=False):
    """Correlations in colour, all on one scale; `across` panels side by side."""

    drawn_by = "draw_matrices"

    panels: Sequence[Matrix]
    across: int


class TupleLines(Drawing, eq=False):
    """The performance of approaches by one measure, over the sizes of tuples of judges."""

    drawn_by = "draw_tuples"

    found: TupleStudy
    measure: str
    what: str = "tau_ap"


class MainEffects(Drawing, eq=False):
    """Means of the response at the levels of some factors, each in a panel under its letter."""

    drawn_by = "draw_main_effects"

    found: Anova
    factors: Mapping[str, str]  # by letter


class Interaction(Drawing, eq=False):
    """Means of the response: levels of one factor across, a line for each level of another."""

    drawn_by = "draw_interaction"

    found: Anova
    across: str
    lines: str


class Groups(Drawing, eq=False):
    """Levels of a factor by their means, with the best group and that of another level."""

    drawn_by = "draw_tukey"

    found: Anova
    factor: str
    largest_first: bool
    beside_of: str
