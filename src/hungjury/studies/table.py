"""Tables of a study: as text, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from hungjury.errors import InputError
from hungjury.plain import tex

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

    def to_csv(self) -> str:
        """All digits, no marks."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([_plain(cell) for cell in row] for row in self.rows)
        return out.getvalue()

    def to_latex(self) -> str:
        """A booktabs table with its caption."""
        lines = [
            r"\begin{table}",
            rf"\caption{{{tex(self.title)}}}",
            r"\begin{tabular}{" + "".join(map(self._side, range(len(self.header)))) + "}",
            r"\toprule",
            " & ".join(map(tex, self.header)) + r" \\",
            r"\midrule",
            *(" & ".join(map(self._in_latex, row)) + r" \\" for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def is_text(self, column: int) -> bool:
        """Does a column hold words?"""
        return any(isinstance(row[column], str) for row in self.rows)

    def _side(self, column: int) -> str:
        return "l" if self.is_text(column) else "r"

    def _in_latex(self, cell: Cell) -> str:
        text = tex(self.shown(cell))
        return rf"\textbf{{{text}}}" if isinstance(cell, Marked) and cell.bold else text


def _plain(cell: Cell) -> str | int | float | None:
    value = cell.value if isinstance(cell, Marked) else cell
    return repr(value) if isinstance(value, float) else value
