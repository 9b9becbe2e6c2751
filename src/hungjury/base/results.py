"""Results: what every result can be turned into, written once.

A result names its rows in `table`, and in `_parts` what people read: sentences and tables. The rest
follows: text, CSV, JSON, LaTeX, HTML, data frames. Whatever takes more than a table (pictures,
reports) is in the room `report`, which this module alone imports, when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hungjury.base.choices import FrameBackend, PlotWidth
from hungjury.base.provenance import origin_of, with_provenance
from hungjury.base.records import Record
from hungjury.base.tables import Table, html_page, text_page
from hungjury.base.text import json_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Result:
    """Base of results. A subclass defines `table`, and `_parts` where it shows more than that."""

    def table(self) -> Table:
        """Return all rows, with every digit."""
        raise NotImplementedError

    def _parts(self) -> Iterable[str | Table]:
        """Return what people read: sentences and tables, in their order."""
        return [self.table()]

    def to_dict(self) -> Any:
        """Return the content as plain numbers, lists and strings; undefined numbers are None."""
        return self.table().to_dicts()

    def to_text(self) -> str:
        """Write sentences and tables as plain text, which is also what `print` shows."""
        return text_page(*self._parts())

    def to_csv(self, safe: bool = False) -> str:
        """Write a header line and one line per row, with every digit.

        Parameters
        ----------
        safe : bool
            Escape text that a spreadsheet would run as a formula.
        """
        return self.table().to_csv(safe)

    def to_json(self) -> str:
        """Write the content of `to_dict` as JSON, and which call and files it comes from."""
        return with_provenance(json_text(self.to_dict()), origin_of(self), apart=False)

    def to_latex(self) -> str:
        """Write a booktabs table."""
        return self.table().to_latex()

    def to_markdown(self) -> str:
        """Write a Markdown table."""
        return self.table().to_markdown()

    def to_html(self) -> str:
        """Write sentences and tables as HTML, which is also what notebooks show."""
        return html_page(*self._parts())

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars"}
            Which library's frame to make.
        """
        return self.table().to_frame(backend)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()

    def _drawn(self, picture: str, *how: Any) -> Plot:
        """Draw the result by a function of the room `report`, named as in `in_report`."""
        return Plot(in_report(picture)(self, *how))


def in_report(name: str) -> Any:
    """Return a function of the room `report`, such as "board.board_text", imported when used."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"hungjury.report.{module}"), function)


class Plot(Record, eq=False):
    """A picture of a result, which notebooks show.

    Attributes
    ----------
    figure
        The matplotlib figure, which may be changed.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> plot = hj.evaluate(sim.gold, sim.runs, "AP").plot()
    >>> plot.save("scores.svg")  # doctest: +SKIP
    """

    figure: Figure

    def save(self, path: str | os.PathLike[str], width: PlotWidth | None = None) -> None:
        """Write the picture; fonts are embedded in PDF as TrueType.

        Parameters
        ----------
        path : str or path
            The file; its ending (.svg, .png, .pdf) is the format.
        width : {"column", "page"}, optional
            Make it as wide as a column (3.35 inches) or a page (7 inches) of a paper.
        """
        in_report("pictures.save_picture")(self.figure, os.fspath(path), width)

    def to_text(self, width: int = 80) -> str:
        """Draw the picture with characters, for terminals; `print` shows this."""
        return str(in_report("pictures.terminal_text")(self.figure, width))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Plot({self.words})"

    @property
    def words(self) -> str:
        """A text alternative: the titles and axes."""
        parts = []
        for axes in self.figure.axes:
            names = (axes.get_title(), axes.get_title("left"), axes.get_ylabel(), axes.get_xlabel())
            parts += [" ".join(name.split()) for name in names if name]
        return "; ".join(dict.fromkeys(parts))

    def _repr_png_(self) -> bytes:
        return bytes(in_report("pictures.picture_bytes")(self.figure, "png"))
