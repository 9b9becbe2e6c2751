"""Tables of results: rows and columns in, text, CSV, LaTeX and frames out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from hungjury.errors import InputError
from hungjury.plain import columns, csv_text, frame, latex_table, tex

__all__ = ["Cell", "Joined", "Marked", "Table", "is_bold"]


@dataclass(frozen=True)
class Marked:
    """A number with what is printed behind it, such as the stars of high correlations."""

    value: float
    mark: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Joined:
    """Several numbers in one cell, printed as 0.86/0.67."""

    values: tuple[float, ...]


Cell = str | int | float | None | Marked | Joined


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of cells under named columns; empty cells are None.

    Numbers are printed with `digits` decimals, NaN as '-', unless `formats` says how a column is
    printed; CSV and frames hold every digit and no marks.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4
    formats: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InputError(
                    f"a row has {len(row)} cells under {len(self.columns)} headings",
                    remedy="fill empty cells with None",
                )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        return self.to_text()

    @property
    def words(self) -> int:
        """The number of columns, from the left, that hold words and are set to the left."""
        texts = (any(isinstance(r[i], str) for r in self.rows) for i in range(len(self.columns)))
        return sum(1 for _ in takewhile(bool, texts))

    def printed(self) -> list[list[str]]:
        """Every cell as people read it."""
        how = [self.formats.get(name, self._shown) for name in self.columns]
        return [[show(cell) for show, cell in zip(how, row, strict=True)] for row in self.rows]

    def _shown(self, cell: Cell) -> str:
        if isinstance(cell, Marked):
            return self._shown(cell.value) + cell.mark
        if isinstance(cell, Joined):
            return "/".join(map(self._shown, cell.values))
        if cell is None or cell != cell:
            return "-"
        return f"{cell:.{self.digits}f}" if isinstance(cell, float) else str(cell)

    def to_text(self) -> str:
        return columns([list(self.columns), *self.printed()], self.words)

    def to_csv(self) -> str:
        return csv_text(self.columns, ([_exact(cell) for cell in row] for row in self.rows))

    def to_latex(self) -> str:
        """A booktabs table."""
        cells = [
            [_in_latex(text, cell) for text, cell in zip(texts, row, strict=True)]
            for texts, row in zip(self.printed(), self.rows, strict=True)
        ]
        return latex_table([tex(name) for name in self.columns], cells, self.words)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of "pandas" or "polars"."""
        data = {name: [_value(row[i]) for row in self.rows] for i, name in enumerate(self.columns)}
        return frame(data, backend)


def is_bold(cell: Cell) -> bool:
    return isinstance(cell, Marked) and cell.bold


def _in_latex(text: str, cell: Cell) -> str:
    return rf"\textbf{{{tex(text)}}}" if is_bold(cell) else tex(text)


def _value(cell: Cell) -> Any:
    """A cell without marks."""
    if isinstance(cell, Joined):
        return "/".join(map(repr, cell.values))
    return cell.value if isinstance(cell, Marked) else cell


def _exact(cell: Cell) -> Any:
    value = _value(cell)
    return repr(value) if isinstance(value, float) else value
