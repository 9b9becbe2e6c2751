"""Tables of a study: as text, CSV and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from hungjury.errors import InputError
from hungjury.plain import columns, csv_text, latex_table, tex

__all__ = ["Cell", "Marked", "StudyTable"]


@dataclass(frozen=True)
class Marked:
    """A number with what is printed behind it, such as the stars of high correlations."""

    value: float
    mark: str = ""
    bold: bool = False


Cell = str | int | float | None | Marked


@dataclass(frozen=True)
class StudyTable:
    """name: the stem of its files, such as "table-5.2". Empty cells are None."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise InputError(
                    f"a row of {self.name} has {len(row)} cells under {len(self.header)} headings",
                    remedy="fill empty cells with None",
                )

    def shown(self, cell: Cell) -> str:
        """A cell as people read it."""
        if isinstance(cell, Marked):
            return self.shown(cell.value) + cell.mark
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "-"
        return f"{cell:.{self.digits}f}" if isinstance(cell, float) else str(cell)

    def __str__(self) -> str:
        shown = [list(self.header), *([self.shown(cell) for cell in row] for row in self.rows)]
        return f"{self.title}\n{columns(shown, self.words)}"

    def to_csv(self) -> str:
        """All digits, no marks."""
        return csv_text(self.header, ([_plain(cell) for cell in row] for row in self.rows))

    def to_latex(self) -> str:
        """A booktabs table with its caption."""
        body = [[self._in_latex(cell) for cell in row] for row in self.rows]
        table = latex_table(list(map(tex, self.header)), body, self.words)
        caption = rf"\caption{{{tex(self.title)}}}"
        return f"\\begin{{table}}\n{caption}\n{table}\\end{{table}}\n"

    @property
    def words(self) -> int:
        """The number of columns, from the left, that hold words."""
        texts = (any(isinstance(row[i], str) for row in self.rows) for i in range(len(self.header)))
        return sum(1 for _ in takewhile(bool, texts))

    def _in_latex(self, cell: Cell) -> str:
        text = tex(self.shown(cell))
        return rf"\textbf{{{text}}}" if isinstance(cell, Marked) and cell.bold else text


def _plain(cell: Cell) -> str | int | float | None:
    value = cell.value if isinstance(cell, Marked) else cell
    return repr(value) if isinstance(value, float) else value
