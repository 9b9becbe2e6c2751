"""Tables of a study: a `Table` that has a caption, and a name for its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from hungjury.records import Record
from hungjury.tables import Cell, Joined, Marked, Table

__all__ = ["Cell", "Joined", "Marked", "StudyTable", "stem"]


def stem(text: str) -> str:
    """Turn text into a part of a file name."""
    return re.sub(r"[^\w.+@-]+", "-", text).strip("-")


class StudyTable(Record):
    """name: the stem of its files, such as "table-5.2". Empty cells are None."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4
    formats: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)

    @staticmethod
    def of(name: str, title: str, table: Table) -> StudyTable:
        """The table of a building block, printed as it says."""
        return StudyTable(name, title, table.columns, table.rows, table.digits, table.formats)

    def __post_init__(self) -> None:
        _ = self.table  # complains about rows that do not fit

    @cached_property
    def table(self) -> Table:
        return Table(self.header, self.rows, self.digits, self.formats, self.title)

    def __str__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table.to_html()

    def to_csv(self, safe: bool = False) -> str:
        """Full precision; `safe`: escape text that spreadsheets would take for formulas."""
        return self.table.to_csv(safe)

    def to_latex(self) -> str:
        """A booktabs table with its caption."""
        return self.table.to_latex()
