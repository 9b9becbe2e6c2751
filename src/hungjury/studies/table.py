"""Tables of results: rows and columns in, text, CSV, LaTeX and frames out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hungjury.plain import columns, csv_text, frame, latex_table, tex

__all__ = ["Cell", "Table"]

Cell = str | int | float


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of cells under named columns.

    Numbers are printed with `digits` decimals, NaN as '-', unless `formats` says how a column is
    printed; CSV and frames hold every digit.
    """

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4
    formats: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    left: int = 1  # columns of words, set to the left

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        return self.to_text()

    def printed(self) -> list[list[str]]:
        """Every cell as people read it."""
        how = [self.formats.get(name, self._plain) for name in self.columns]
        return [[show(cell) for show, cell in zip(how, row, strict=True)] for row in self.rows]

    def _plain(self, cell: Cell) -> str:
        if isinstance(cell, float):
            return "-" if cell != cell else f"{cell:.{self.digits}f}"
        return str(cell)

    def to_text(self) -> str:
        return columns([list(self.columns), *self.printed()], self.left)

    def to_csv(self) -> str:
        return csv_text(
            self.columns,
            ([repr(c) if isinstance(c, float) else c for c in row] for row in self.rows),
        )

    def to_latex(self) -> str:
        """A booktabs table."""
        cells = [[tex(cell) for cell in row] for row in self.printed()]
        return latex_table([tex(name) for name in self.columns], cells, self.left)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of "pandas" or "polars"."""
        data = {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}
        return frame(data, backend)
