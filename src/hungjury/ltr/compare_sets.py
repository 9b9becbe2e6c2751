"""Rankers compared on several data sets, side by side (TH Table 5.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hungjury.collection.notes import Note
from hungjury.errors import InputError
from hungjury.ltr.compare import ALGORITHMS, RankerComparison, compare_rankers
from hungjury.ltr.folds import FoldsLike
from hungjury.records import Record
from hungjury.tables import Cell, Table

__all__ = ["DataSetComparison", "compare_data_sets"]

CAPTION = "Rankers on several data sets by number of trees; * p < 0.05, ** p < 0.01 against {}"


class DataSetComparison(Record, eq=False):
    """The comparison on each data set, by name."""

    found: Mapping[str, RankerComparison]

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for one in self.found.values() for note in one.notes)

    def table(self) -> Table:
        """Measures and algorithms below each other, sizes of all data sets side by side."""
        tables = {name: one.table() for name, one in self.found.items()}
        first = next(iter(tables.values()))
        rows: list[list[Cell]] = [list(row[:2]) for row in first.rows]
        for one in tables.values():
            for row, more in zip(rows, one.rows, strict=True):
                row += more[2:]
        heads = [f"{name} {size}" for name, one in tables.items() for size in one.columns[2:]]
        baseline = next(iter(self.found.values())).objectives[0]
        caption = CAPTION.format(ALGORITHMS[baseline])
        return Table([*first.columns[:2], *heads], rows, caption=caption)

    def rows(self) -> list[dict[str, Any]]:
        """One for each data set, algorithm, measure and size."""
        return [{"data": name, **row} for name, one in self.found.items() for row in one.rows()]

    def to_latex(self) -> str:
        """The table in LaTeX."""
        return self.table().to_latex()

    def to_text(self) -> str:
        """The table, then what was tested on each data set."""
        each = [f"{name}: {line}" for name, one in self.found.items() for line in one.remarks()]
        return "\n".join([str(self.table()), "", *each])

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.table().to_html()


def compare_data_sets(sets: Mapping[str, FoldsLike], **how: Any) -> DataSetComparison:
    """Compare rankers on several data sets.

    Parameters
    ----------
    sets : mapping
        By name: the folds of a data set, as `compare_rankers` takes them.
    **how
        The other arguments of `compare_rankers`, the same for all.

    Returns
    -------
    DataSetComparison
        The comparison on each data set, and a table of all of them.
    """
    if not sets:
        raise InputError(
            "no data sets were given",
            code="no-data-sets",
            argument="sets",
            remedy="give the folds of at least one, by name",
        )
    return DataSetComparison({name: compare_rankers(folds, **how) for name, folds in sets.items()})
