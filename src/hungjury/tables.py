"""Tables of results: rows and columns in; text, CSV, JSON, LaTeX, HTML and frames out."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, get_args

from hungjury.choices import FrameBackend
from hungjury.errors import InputError, MissingExtra, check_choice
from hungjury.numbers import decimal_of
from hungjury.visible import visible_line

__all__ = ["Cell", "Joined", "Marked", "Table", "columns", "csv_text", "html_page", "json_text",
           "latex_table", "letter", "tex"]  # fmt: skip

_TEX = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "–": "--", "—": "---", "…": r"\ldots{}", "“": "``", "”": "''", "‘": "`", "’": "'",
}  # fmt: skip
_MATHS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Π": "Pi", "Σ": "Sigma",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx",
    "→": "to", "√": "surd", "∞": "infty", "±": "pm", "×": "times", "÷": "div", "∈": "in",
}  # fmt: skip
# Plain LaTeX knows these as commands only; the letters of Latin alphabets it reads as they are.
_TEX |= {letter: rf"$\{command}$" for letter, command in _MATHS.items()} | {
    "−": "$-$", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}",
}  # fmt: skip

# What begins a formula in a spreadsheet, also in its full-width form.
_FORMULA = tuple("=+-@＝＋－＠")


@dataclass(frozen=True)
class Marked:
    """A number or text with what is printed behind it, such as the stars of high correlations."""

    value: Any
    mark: str = ""
    bold: bool = False
    raised: bool = False  # in LaTeX and HTML the mark is a superscript


@dataclass(frozen=True)
class Joined:
    """Several numbers in one cell, printed as 0.86/0.67. Those with names have a column each in
    CSV, JSON and frames, called by the cell's column and the name."""

    values: tuple[float, ...]
    names: tuple[str, ...] = ()


Cell = str | int | float | None | Marked | Joined


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of cells under named columns; empty cells are None.

    Numbers are printed with `digits` decimals, NaN as '-', unless `formats` says how a column is
    printed. CSV, JSON and frames hold every digit and no marks.

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
        The number of columns set to the left; default: those that hold words.

    Examples
    --------
    >>> table = Table(["system", "AP"], [["bm25", 0.25], ["dense", Marked(0.5, bold=True)]])
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
        """Rows with the same keys, which become the headings."""
        return Table(list(rows[0]) if rows else [], [list(row.values()) for row in rows], **more)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InputError(
                    f"a row has {len(row)} cells under {len(self.columns)} headings",
                    code="wrong-length",
                    remedy="fill empty cells with None",
                )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()

    def head(self, number: int) -> list[str | Table]:
        """The first rows, and a sentence about the rest, for `html_page`."""
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
        """Every cell as people read it, without marks."""
        how = [self.formats.get(name, self._shown) for name in self.columns]
        return [
            [show(_bare(cell)) for show, cell in zip(how, row, strict=True)] for row in self.rows
        ]

    def _shown(self, cell: object) -> str:
        if isinstance(cell, Joined):
            return "/".join(map(self._shown, cell.values))
        if cell is None or cell != cell:
            return "-"
        return f"{cell:.{self.digits}f}" if isinstance(cell, float) else str(cell)

    def _rendered(self, render: Callable[[str, Cell], str]) -> list[list[str]]:
        """Printed cells, each with its marks as `render` writes them."""
        return [
            [render(text, cell) for text, cell in zip(texts, row, strict=True)]
            for texts, row in zip(self.printed(), self.rows, strict=True)
        ]

    def to_text(self) -> str:
        """Columns aligned with blanks."""
        body = columns([list(self.columns), *self._rendered(_in_text)], self.words)
        return f"{self.caption}\n{body}" if self.caption else body

    def split(self) -> Table:
        """The same table with a column for each of the named numbers that share cells."""
        columns: list[str] = []
        rows: list[list[Cell]] = [[] for _ in self.rows]
        for i, name in enumerate(self.columns):
            cells = [row[i] for row in self.rows]
            parts = next((cell.names for cell in cells if isinstance(cell, Joined)), ())
            if not parts:
                columns.append(name)
                for row, cell in zip(rows, cells, strict=True):
                    row.append(cell)
                continue
            columns += [f"{name} {part}" for part in parts]
            for row, cell in zip(rows, cells, strict=True):
                row += _parts(cell, len(parts))
        return replace(self, columns=columns, rows=rows)

    def to_csv(self, safe: bool = False) -> str:
        """A header line, then all digits; for spreadsheets if `safe` (see `csv_text`)."""
        table = self.split()
        exact = ([_exact(cell) for cell in row] for row in table.rows)
        return csv_text([table.columns, *exact], safe)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for every row; numbers that are undefined or infinite are None."""
        table = self.split()
        return [
            {name: _finite(_value(cell)) for name, cell in zip(table.columns, row, strict=True)}
            for row in table.rows
        ]

    def to_json(self) -> str:
        """A list of the rows as objects."""
        return json_text(self.to_dicts())

    def to_latex(self) -> str:
        """A booktabs table, in a `table` environment where it has a caption."""
        body = latex_table(
            [tex(name) for name in self.columns], self._rendered(_in_latex), self.words
        )
        if not self.caption:
            return body
        return f"\\begin{{table}}\n\\caption{{{tex(self.caption)}}}\n{body}\\end{{table}}\n"

    def to_html(self) -> str:
        """A `<table>`, every text escaped; columns of words have the class "text"."""
        kinds = [' class="text"' if i < self.words else "" for i in range(len(self.columns))]

        def line(cells: Iterable[str], tag: str) -> str:
            each = zip(kinds, cells, strict=True)
            return "<tr>" + "".join(f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in each) + "</tr>"

        head = line(map(_html, self.columns), "th")
        body = "\n".join(line(row, "td") for row in self._rendered(_in_html))
        caption = f"<caption>{_html(self.caption)}</caption>\n" if self.caption else ""
        return f"<table>\n{caption}<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """A data frame of "pandas" or "polars"."""
        check_choice("backend", backend, get_args(FrameBackend))
        try:
            module = __import__(backend)
        except ImportError:
            raise MissingExtra(backend, "all", f"to_frame(backend={backend!r})") from None
        table = self.split()
        each = enumerate(table.columns)
        data = {name: [_value(row[i]) for row in table.rows] for i, name in each}
        return module.DataFrame(data)


def html_page(*parts: str | Table) -> str:
    """Sentences as paragraphs, and tables, as notebooks show them."""
    from html import escape

    return "".join(
        one.to_html() if isinstance(one, Table) else f"<p>{escape(one)}</p>\n" for one in parts
    )


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows of cells as aligned text: the first `left` columns to the left, numbers right."""
    rows = [[visible_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def csv_text(rows: Iterable[Sequence[Any]], safe: bool = False) -> str:
    """Rows as CSV, every cell exactly as it is.

    With `safe`, spreadsheets run nothing: texts that they would take for a formula (those that
    begin with =, +, -, @ or blanks before these) are preceded by an apostrophe, and control
    characters are escaped. Numbers stay numbers.
    """
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")  # what ends lines is quoted inside cells
    for row in rows:
        writer.writerow([_harmless(cell) for cell in row] if safe else row)
    return "".join(lines)


class _Lines(list[str]):
    """Takes the lines of a CSV writer, and ends them with a newline alone."""

    def write(self, line: str) -> None:
        self.append(line[:-2] + "\n")


def _harmless(cell: object) -> Any:
    if not isinstance(cell, str) or decimal_of(cell) is not None:
        return cell
    text = visible_line(cell)
    return f"'{text}" if text.lstrip()[:1] in _FORMULA else text


def json_text(content: object) -> str:
    """JSON as all results write it; numbers that are undefined or infinite are null."""
    return json.dumps(_finite(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def letter(place: int) -> str:
    """a, b, ..., z, a2, ..., z2, a3, ...: names that can be told apart when they are joined."""
    round_, at = divmod(place, 26)
    return chr(ord("a") + at) + (str(round_ + 1) if round_ else "")


def tex(text: str) -> str:
    """Text with LaTeX's own characters escaped."""
    return "".join(_TEX.get(c, c) for c in visible_line(text))


def latex_table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> str:
    """A booktabs table; cells are LaTeX already."""
    shape = "l" * left + "r" * (len(header) - left)
    lines = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(header) + r" \\",
             r"\midrule"]  # fmt: skip
    for row in rows:
        # After the end of a row, LaTeX takes [ and * for arguments of that end.
        start = "{}" if row[0].lstrip()[:1] in ("[", "*") else ""
        lines.append(start + " & ".join(row) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _in_text(text: str, cell: Cell) -> str:
    return text + cell.mark if isinstance(cell, Marked) else text


def _in_latex(text: str, cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return tex(text)
    mark = cell.mark.strip()
    if cell.raised:
        body = rf"\textbf{{{tex(text)}}}" if cell.bold else tex(text)
        return rf"{body}\textsuperscript{{{tex(mark)}}}" if mark else body
    return rf"\textbf{{{tex(text + cell.mark)}}}" if cell.bold else tex(text + cell.mark)


def _in_html(text: str, cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return _html(text)
    mark = _html(cell.mark.strip())
    if cell.raised and mark:
        mark = f"<sup>{mark}</sup>"
    body = _html(text) + mark
    return f"<strong>{body}</strong>" if cell.bold else body


def _html(text: str) -> str:
    from html import escape

    return escape(visible_line(text))


def _bare(cell: Cell) -> Any:
    return cell.value if isinstance(cell, Marked) else cell


def _value(cell: Cell) -> Any:
    """A cell without marks."""
    if isinstance(cell, Joined):
        return "/".join(map(repr, cell.values))
    return _bare(cell)


def _parts(cell: Cell, number: int) -> list[Cell]:
    """The numbers of a cell in as many columns; another cell stands in the first of them."""
    found = list(cell.values) if isinstance(cell, Joined) else [cell]
    return [*found, *[None] * (number - len(found))]


def _finite(value: object) -> Any:
    """The same without numbers that JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _exact(cell: Cell) -> Any:
    value = _value(cell)
    return repr(float(value)) if isinstance(value, float) else value
