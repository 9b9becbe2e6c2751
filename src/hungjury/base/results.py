"""Results: what every result can be turned into, written once, and the tables they are made of.

A result names its rows in `table`, and in `_parts` what people read: sentences and tables. The rest
follows: text, CSV, JSON, LaTeX, HTML, data frames. Whatever takes more than a table (pictures,
reports) is in the room `report`, which this module alone imports, when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from hungjury.base.choices import FrameBackend, PlotWidth
from hungjury.base.errors import InputError, MissingExtra
from hungjury.base.parameters import MOST_DIGITS, check_count
from hungjury.base.provenance import origin_of, with_provenance
from hungjury.base.records import Record
from hungjury.base.text import (
    columns,
    csv_text,
    finite,
    html_text,
    json_text,
    latex_table,
    markdown_text,
    number_text,
    tex,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Marked(Record):
    """A number or text with a mark printed after it, such as the stars of high correlations."""

    value: Any
    mark: str = ""
    bold: bool = False
    raised: bool = False  # in LaTeX, HTML and Markdown the mark is a superscript
    second: bool = False  # the second best of its column: underlined


class Joined(Record):
    """Several numbers in one cell, printed as 0.86/0.67. Those with names have a column each in
    CSV, JSON and frames, called by the cell's column and the name."""

    values: tuple[float, ...]
    names: tuple[str, ...] = ()


Cell = str | int | float | None | Marked | Joined


class Table(Record, eq=False):
    """Rows of cells under named columns; empty cells are None.

    Numbers are printed with `digits` decimals, NaN as '-', unless `formats` says how a column is
    printed. CSV, JSON and frames have every digit and no marks.

    Parameters
    ----------
    columns : sequence of str
        Their headings.
    rows : sequence of sequences
        Numbers, texts, None, `Marked` or `Joined` cells.
    digits : int
        Decimals of numbers as people read them.
    formats : mapping
        By heading: a function that prints a cell of that column.
    caption : str
        What the table shows; printed above it in text, LaTeX and HTML.
    left : int, optional
        The number of columns set to the left; default: those that contain words.

    Examples
    --------
    >>> import hungjury as hj
    >>> table = hj.Table(["system", "AP"], [["bm25", 0.25], ["dense", 0.5]])
    >>> print(table)
    system      AP
    bm25    0.2500
    dense   0.5000
    >>> print(table.to_csv(), end="")
    system,AP
    bm25,0.25
    dense,0.5
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4
    formats: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    caption: str = ""
    left: int | None = None

    @staticmethod
    def of(rows: Sequence[Mapping[str, Any]], **more: Any) -> Table:
        """Make a table of rows with the same keys, which become the headings."""
        return Table(list(rows[0]) if rows else [], [list(row.values()) for row in rows], **more)

    def __post_init__(self) -> None:
        check_count("digits", self.digits, 0, MOST_DIGITS)
        for row in self.rows:
            if len(row) != len(self.columns):
                said = f"a row has {len(row)} cells under {len(self.columns)} headings"
                raise InputError(said, code="wrong-length", remedy="fill empty cells with None")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()

    def head(self, number: int) -> list[str | Table]:
        """Return the first rows, and a sentence about the rest, for `html_page`."""
        more = len(self) - number
        if more <= 0:
            return [self]
        return [replace(self, rows=self.rows[:number]), f"{more:,} more rows"]

    @property
    def words(self) -> int:
        """The number of columns, from the left, that are set to the left."""
        if self.left is not None:
            return self.left
        texts = (any(isinstance(r[i], str) for r in self.rows) for i in range(len(self.columns)))
        return sum(1 for _ in takewhile(bool, texts))

    def printed(self) -> list[list[str]]:
        """Return every cell as people read it, without marks."""
        how = [self.formats.get(name, self._shown) for name in self.columns]
        return [
            [show(cell.value) for show, cell in zip(how, row, strict=True)] for row in self._cells()
        ]

    def _cells(self) -> list[list[Marked]]:
        """Return the rows, with a mark, maybe an empty one, for every cell."""
        return [
            [cell if isinstance(cell, Marked) else Marked(cell) for cell in row]
            for row in self.rows
        ]

    def _shown(self, cell: object) -> str:
        if isinstance(cell, Joined):
            return "/".join(map(self._shown, cell.values))
        if cell is None or cell != cell:
            return "-"
        return number_text(cell, self.digits) if isinstance(cell, float) else str(cell)

    def _rendered(self, markup: Markup, apart: str = "") -> list[list[str]]:
        """Return printed cells with their marks; in columns of superscripts, `apart` is before
        these."""
        raised = self._raised() if apart else [0] * len(self.columns)
        return [
            [
                markup.write(text, replace(cell, mark="")) + apart + markup.superscript(cell)
                if high
                else markup.write(text, cell)
                for text, cell, high in zip(texts, row, raised, strict=True)
            ]
            for texts, row in zip(self.printed(), self._cells(), strict=True)
        ]

    def to_text(self) -> str:
        """Write columns aligned with blanks; superscripts begin below each other."""
        widths = self._raised()
        head = [
            name + " " * (w + 1 if w else 0) for name, w in zip(self.columns, widths, strict=True)
        ]
        rows = [
            [
                f"{text} {cell.mark.strip().ljust(w)}" if w else text + cell.mark
                for text, cell, w in zip(texts, row, widths, strict=True)
            ]
            for texts, row in zip(self.printed(), self._cells(), strict=True)
        ]
        body = columns([head, *rows], self.words)
        return f"{self.caption}\n{body}" if self.caption else body

    def _raised(self) -> list[int]:
        """Return the length of the longest superscript of each column that has nothing else."""
        return [
            max(len(cell.mark.strip()) for cell in column)
            if all(cell.raised for cell in column)
            else 0
            for column in zip(*self._cells(), strict=True)
        ] or [0] * len(self.columns)

    def to_markdown(self) -> str:
        """Write a Markdown table: the best in bold, the second best underlined, superscripts."""
        rows = [["", *row, ""] for row in self._rendered(MARKDOWN)]
        sides = [":---" if i < self.words else "---:" for i in range(len(self.columns))]
        head = [["", *map(markdown_text, self.columns), ""], ["", *sides, ""]]
        body = "\n".join(" | ".join(row).strip() for row in [*head, *rows]) + "\n"
        return f"{markdown_text(self.caption)}\n\n{body}" if self.caption else body

    def split(self) -> Table:
        """Return the same table with a column for each of the named numbers that share cells, and
        one for the superscripts of a column."""
        names: list[str] = []
        found: list[Sequence[Cell]] = []  # by column
        for i, (name, raised) in enumerate(zip(self.columns, self._raised(), strict=True)):
            cells = [row[i] for row in self.rows]
            parts = next((cell.names for cell in cells if isinstance(cell, Joined)), ())
            names += [f"{name} {part}" for part in parts] or [name]
            for k in range(len(parts)):
                found.append([_part(cell, k) for cell in cells])
            if not parts:
                found.append(cells)
            if raised:
                names.append(f"{name} marks")
                found.append([row[i].mark.strip() for row in self._cells()])
        rows = [list(row) for row in zip(*found, strict=True)]
        return replace(self, columns=names, rows=rows)

    def to_csv(self, safe: bool = False) -> str:
        """Write a header line, then rows with all digits; `safe`: for spreadsheets (`csv_text`)."""
        table = self.split()
        exact = ([_exact(cell) for cell in row] for row in table.rows)
        return csv_text([table.columns, *exact], safe)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for every row; numbers that are undefined or infinite are None."""
        table = self.split()
        return [
            {name: finite(_value(cell)) for name, cell in zip(table.columns, row, strict=True)}
            for row in table.rows
        ]

    def to_json(self) -> str:
        """Write a list of the rows as objects."""
        return json_text(self.to_dicts())

    def to_latex(self) -> str:
        """Write a booktabs table, in a `table` environment where it has a caption."""
        head, shape = [], ""
        for i, (name, raised) in enumerate(zip(self.columns, self._raised(), strict=True)):
            # Numbers and superscripts are columns without a gap: points are below each other.
            head.append(rf"\multicolumn{{2}}{{c}}{{{tex(name)}}}" if raised else tex(name))
            shape += "r@{}l" if raised else "l" if i < self.words else "r"
        body = latex_table(head, self._rendered(LATEX, apart=" & "), shape)
        if not self.caption:
            return body
        head = [r"\begin{table}", r"\centering", rf"\caption{{{tex(self.caption)}}}"]
        return "\n".join([*head, rf"{body}\end{{table}}", ""])

    def to_html(self) -> str:
        """Write a `<table>`, every text escaped; columns of words have the class "text"."""
        kinds = [' class="text"' if i < self.words else "" for i in range(len(self.columns))]

        def line(cells: Iterable[str], tag: str) -> str:
            each = zip(kinds, cells, strict=True)
            return "<tr>" + "".join(f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in each) + "</tr>"

        head = line(map(html_text, self.columns), "th")
        body = "\n".join(line(row, "td") for row in self._rendered(HTML))
        caption = f"<caption>{html_text(self.caption)}</caption>\n" if self.caption else ""
        return f"<table>\n{caption}<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """Return a data frame of "pandas" or "polars"."""
        try:
            module = __import__(backend)
        except ImportError:
            raise MissingExtra(backend, "", f"to_frame(backend={backend!r})") from None
        table = self.split()
        each = enumerate(table.columns)
        data = {name: [_value(row[i]) for row in table.rows] for i, name in each}
        return module.DataFrame(data)


def text_page(*parts: str | Table) -> str:
    """Write sentences and tables below each other, with a blank line after a table."""
    return "".join(f"{one}\n\n" if isinstance(one, Table) else f"{one}\n" for one in parts).rstrip()


def html_page(*parts: str | Table) -> str:
    """Write sentences as paragraphs, and tables, as notebooks show them."""
    from html import escape

    return "".join(
        one.to_html() if isinstance(one, Table) else f"<p>{escape(one)}</p>\n" for one in parts
    )


class Markup(Record):
    """How a language writes text, the best and the second best number, and superscripts."""

    escape: Callable[[str], str]
    best: str
    second: str
    raised: str

    def write(self, text: str, cell: Marked) -> str:
        """Write a printed cell with its mark."""
        body = self.escape(text) + ("" if cell.raised else self.escape(cell.mark.strip()))
        if cell.bold or cell.second:
            body = (self.best if cell.bold else self.second).format(body)
        return body + self.superscript(cell)

    def superscript(self, cell: Marked) -> str:
        """Write the mark of a cell where it is raised."""
        mark = cell.mark.strip() if cell.raised else ""
        return self.raised.format(self.escape(mark)) if mark else ""


LATEX = Markup(tex, r"\textbf{{{}}}", r"\underline{{{}}}", r"\textsuperscript{{{}}}")
MARKDOWN = Markup(markdown_text, "**{}**", "<ins>{}</ins>", "<sup>{}</sup>")
HTML = Markup(html_text, "<strong>{}</strong>", "<u>{}</u>", "<sup>{}</sup>")


def _value(cell: Cell) -> Any:
    """Return a cell without marks."""
    if isinstance(cell, Joined):
        return "/".join(map(repr, cell.values))
    return cell.value if isinstance(cell, Marked) else cell


def _part(cell: Cell, place: int) -> Cell:
    """Return one of the numbers of a cell; any other cell is the first."""
    if isinstance(cell, Joined):
        return cell.values[place]
    return None if place else cell


def _exact(cell: Cell) -> Any:
    value = _value(cell)
    return repr(float(value)) if isinstance(value, float) else value


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
