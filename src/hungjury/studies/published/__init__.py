"""Numbers printed in the papers, for comparison with the results of a study.

A collection is recognised as a paper's by the facts that the paper lists: topics and runs,
and the least, mean and largest number of relevant documents. Names and paths do not count.
"""

from __future__ import annotations

from collections.abc import Iterable

from hungjury.base.records import Record
from hungjury.studies.data import Facts
from hungjury.studies.published import measures as graded
from hungjury.studies.published import thesis
from hungjury.studies.published.misprints import misprint_of

__all__ = [
    "Printed",
    "graded_facts",
    "graded_recognised",
    "graded_tau",
    "printed_facts",
    "recognised",
    "table_5_2",
    "table_5_3",
    "table_5_4",
]


class Printed(Record):
    """A number as printed, its place, and what is wrong with it."""

    value: float
    marks: str
    place: str
    misprint: str = ""


def printed_facts() -> dict[str, tuple[float, ...]]:
    """Table 5.1: topics, runs, and the least, mean and largest number of relevant documents."""
    return {name: tuple(map(float, cells)) for name, cells in _lines(thesis.TABLE_5_1, 2)}


def recognised(facts: Facts) -> str | None:
    """The collection of the thesis that has these facts."""
    mine = (facts.topics, facts.complete, facts.least, round(facts.mean, 2), facts.most)
    return next((name for name, printed in printed_facts().items() if printed == mine), None)


def table_5_2(collection: str) -> dict[tuple[str, str], Printed]:
    """{("AP", measure): Kendall's tau}, measures as the thesis calls them."""
    rows = dict(_lines(thesis.TABLE_5_2, 2))
    return _cells("5.2", collection, [("AP", rows[collection])])


def table_5_3(collection: str) -> dict[tuple[str, str], Printed]:
    """{(model, measure): Kendall's tau}; a model with recall ends in @Rec(T)."""
    rows, seen = [], set()
    for name, cells in _lines(thesis.TABLE_5_3[collection], 1):
        model = name.replace("_ID", "_LID") if name in seen else name  # the second LO_AD_ID
        seen.add(model)
        rows.append((model, cells))
    return _cells("5.3", collection, rows)


def table_5_4() -> dict[str, tuple[float, float]]:
    """{list: (Markov precision in discrete time, in continuous time)}"""
    return {
        name: (float(discrete), float(continuous))
        for name, (discrete, continuous) in _lines(thesis.TABLE_5_4, 1)
    }


def graded_facts() -> dict[str, tuple[float, ...]]:
    """Table 1 of the paper on graded average precision: topics, runs, relevance degrees, and the
    least, mean and largest number of relevant documents."""
    return {name: tuple(map(float, cells)) for name, cells in _lines(graded.TABLE_1, 2)}


def graded_recognised(facts: Facts) -> str | None:
    """The collection of that paper that has these facts."""
    mine = (facts.topics, facts.runs, facts.grades, facts.least, round(facts.mean, 2), facts.most)
    return next((name for name, printed in graded_facts().items() if printed == mine), None)


def graded_tau(collection: str) -> dict[tuple[tuple[float, ...], str, str], tuple[float, ...]]:
    """Tables 2 and 3: {(g, measure, other measure): tau on all topics, on those with few documents
    of grade 2, of grade 3}."""
    found = {}
    for _, (g, name, *cells) in _lines(graded.TABLES_2_AND_3[collection], 0):
        thresholds = tuple(map(float, g.strip("()").split(",")))
        for other, cell in zip(graded.COLUMNS, cells, strict=True):
            found[thresholds, name, other] = tuple(map(float, cell.split("/")))
    return found


def _lines(text: str, words: int) -> Iterable[tuple[str, list[str]]]:
    """The first words of each line, and its cells."""
    for line in text.strip().splitlines():
        parts = line.split()
        yield " ".join(parts[:words]), parts[words:]


def _cells(
    table: str, collection: str, rows: Iterable[tuple[str, list[str]]]
) -> dict[tuple[str, str], Printed]:
    place = f"thesis, Table {table}, p. {thesis.PAGES[table]}"
    return {
        (name, column): Printed(
            float(cell.rstrip("*")),
            cell[len(cell.rstrip("*")) :],
            place,
            misprint_of(table, collection, name, column),
        )
        for name, cells in rows
        for column, cell in zip(thesis.COLUMNS, cells, strict=True)
    }
