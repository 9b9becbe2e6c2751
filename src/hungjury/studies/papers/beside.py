"""Published beside measured: tables for the collections of the thesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hungjury.records import Record
from hungjury.studies.facts import Facts
from hungjury.studies.published import Printed, printed_facts, recognised, table_5_2, table_5_3
from hungjury.studies.published.misprints import MISPRINTS
from hungjury.studies.published.thesis import PAGES
from hungjury.studies.study_table import Cell, StudyTable

__all__ = ["Measured", "published_tables"]

# What the thesis calls the measures of Tables 5.2 and 5.3, here with its parameters.
PRINTED_AS = {"AP": "AP", "P@10": "P@10", "Rprec": "Rprec", "bpref": "Bpref", "RBP": "RBP(p=0.8)"}
FEATURES = {"topics": "topics", "runs": "complete", "min relevant": "least",
            "mean relevant": "mean", "max relevant": "most"}  # of Table 5.1  # fmt: skip
HEADER = ("collection", "", "with", "value", "published", "difference", "misprint")


class Measured(Record, eq=False):
    """What a study found about a set of labels: its facts, and Kendall's tau by the labels of the
    two measures."""

    title: str
    facts: Facts
    tau: Mapping[tuple[str, str], float]

    @property
    def collection(self) -> str | None:
        """Its name in the thesis, where it is one of its collections."""
        return recognised(self.facts)


def published_tables(measured: Sequence[Measured]) -> tuple[list[StudyTable], list[str]]:
    """Tables 5.1 to 5.3 with the printed numbers, their misprints, and a remark for each of the
    thesis' collections; nothing where there is none."""
    known = [(one, one.collection) for one in measured]
    mine = [(one, name) for one, name in known if name is not None]
    if not mine:
        return [], []
    facts = [
        _row(name, feature, "", float(getattr(one.facts, field)), printed)
        for one, name in mine
        for (feature, field), printed in zip(FEATURES.items(), printed_facts()[name], strict=True)
    ]
    tables = [_table("5.1", "main features", facts, digits=2)]
    for number, title, printed_table, before in (
        ("5.2", "Kendall's tau of AP with the others", table_5_2, ""),
        ("5.3", "Kendall's tau of Markov precision with the others", table_5_3, "MP "),
    ):
        rows = [
            _row(name, before + row, column, one.tau.get((before + row, PRINTED_AS[column])), cell)
            for one, name in mine
            for (row, column), cell in printed_table(name).items()
        ]
        tables.append(_table(number, title, rows))
    tables.append(_misprints([name for _, name in mine]))
    return tables, [
        f"{one.title} is {name} of the thesis, by its numbers of topics, runs and relevant "
        f"documents (Table 5.1, p. {PAGES['5.1']}). Tables with 'published' hold the printed "
        "numbers. Figures 5.5 and 5.6 are printed without numbers."
        for one, name in mine
    ]


def _row(
    collection: str, row: str, column: str, value: float | None, printed: Printed | float
) -> list[Cell]:
    number = printed.value if isinstance(printed, Printed) else printed
    wrong = printed.misprint if isinstance(printed, Printed) else ""
    difference = None if value is None else float(np.round(value - number, 12))
    return [collection, row, column, value, number, difference, wrong]


def _table(number: str, title: str, rows: Sequence[Sequence[Cell]], digits: int = 4) -> StudyTable:
    place = f"Table {number} beside the thesis, p. {PAGES[number]}: {title}"
    return StudyTable(f"table-{number}-published", place, HEADER, rows, digits)


def _misprints(collections: Sequence[str]) -> StudyTable:
    rows: list[list[Cell]] = [
        [one.table, one.collection, one.row, ", ".join(one.columns), one.wrong, one.evidence]
        for one in MISPRINTS
        if one.collection in collections
    ]
    header = ["table", "collection", "row", "columns", "wrong", "evidence"]
    return StudyTable("misprints", "Misprints in the thesis' tables", header, rows)
