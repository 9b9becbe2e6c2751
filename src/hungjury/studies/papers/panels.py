"""Building blocks of studies of many judges, and what the papers print beside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hungjury.base.parameters import integer
from hungjury.base.tables import Cell, Table
from hungjury.studies.combining import TupleScores, join_parts, tuple_parts
from hungjury.studies.data import StudyData
from hungjury.studies.gold import NEARLY_SURE, Doubt, TupleStudy
from hungjury.studies.jobs import Job
from hungjury.studies.papers.published import (
    COMPARED,
    PAGES,
    compared,
    printed_numbers,
    printed_rows,
    published_table,
)

SIZES = (2, 3, 4, 5, 10, 20, 30)  # of the paper's Table 2


@lru_cache(maxsize=2)
def tuple_scores(data: StudyData, seed: int = 0, **scoring: Any) -> TupleScores:
    """The scores of a collection, made once in a process, which then runs many parts of a study.
    doubts: as pairs of numbers, which jobs can be sent."""
    doubts = [Doubt(*one) for one in scoring.pop("doubts", ())] or [NEARLY_SURE]
    return TupleScores(
        data.judgments, data.runs, gold=data.gold, seed=seed, doubts=doubts, **scoring
    )


def tuple_jobs(
    data: StudyData, scoring: Mapping[str, Any], combining: Mapping[str, Any], name: str = ""
) -> list[Job]:
    """A job for every part of a study of tuples.

    scoring, combining: arguments of `TupleScores` and of `tuple_parts`. name: goes before the keys.
    The jobs share a seed: all of them look at the same tuples. Data that the study cannot use is
    refused here, before any job is done.
    """
    parts = tuple_parts(tuple_scores(data, **scoring), **combining)
    return [
        Job(name + key, run_part, {"part": part, "scoring": dict(scoring)}, draws="tuples")
        for key, part in parts.items()
    ]


def run_part(
    data: StudyData, seed: int, part: Mapping[str, Any], scoring: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """A job: a part of a study of tuples."""
    return tuple_scores(data, seed, **scoring).run(**part)


def join_jobs(
    data: StudyData, results: Mapping[str, Any], scoring: Mapping[str, Any],
    combining: Mapping[str, Any], name: str = "",
) -> TupleStudy:  # fmt: skip
    """Join the results of `tuple_jobs`."""
    scores = tuple_scores(data, **scoring)
    found = [results[name + key] for key in tuple_parts(scores, **combining)]
    return join_parts(scores, combining["approaches"], found)


def sizes_of_tuples(value: object) -> tuple[int, ...]:
    """A list of sizes, for parameters."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ValueError("a list of integers")
    return tuple(sorted({integer(one) for one in value}))


def known_systems(studies: Mapping[str, TupleStudy]) -> dict[str, str]:
    """By title: the papers' name of collections with their numbers of judges, topics, systems."""
    names = {numbers: name for name, numbers in printed_numbers("panel systems").items()}
    mine = {t: (len(one.judges), one.topics, one.systems) for t, one in studies.items()}
    return {title: names[numbers] for title, numbers in mine.items() if numbers in names}


def panel_remarks(studies: Mapping[str, TupleStudy]) -> list[str]:
    """A sentence for each collection that is the papers'."""
    return [
        f"{title or 'This'} is {name} of the papers, by its numbers of judges, topics and systems; "
        "tables with 'published' contain the printed numbers."
        for title, name in known_systems(studies).items()
    ]


def crowd_beside(
    studies: Mapping[str, TupleStudy], table_1: Table, table_2: Table
) -> dict[str, Table]:
    """Tables 1 and 2 with the printed numbers; nothing for other collections."""
    known = known_systems(studies)
    printed_1 = {tuple(row[:3]): row[3:] for row in printed_rows("crowd 1")}
    printed_2 = {
        (*row[:4], size): float(value)
        for row in printed_rows("crowd 2")
        for size, value in zip(SIZES, row[4:], strict=True)
    }
    first: list[list[Cell]] = []
    for title, gold, by, *values in table_1.rows:
        key = (known.get(str(title), ""), str(gold), _family(by))
        if key in printed_1:
            tau, _, tau_ap, _ = map(float, printed_1[key])
            first.append([*key, "tau", *compared(values[0], tau)])
            first.append([*key, "tau_ap", *compared(values[2], tau_ap)])
    second: list[list[Cell]] = []
    sizes = [int(head[2:]) for head in table_2.columns if head.startswith("M=")]
    for title, gold, approach, by, *values in table_2.rows:
        merge = (known.get(str(title), ""), str(gold), str(approach), _family(by))
        for size, value in zip(sizes, values, strict=True):
            if (*merge, size) in printed_2:
                second.append([*merge, size, *compared(value, printed_2[(*merge, size)])])
    heads = ("systems", "gold", "measure", "", *COMPARED)
    more = ("systems", "gold", "merge", "measure", "M", *COMPARED)
    return {
        **published_table("table-1", heads, first, "paper"),
        **published_table("table-2", more, second, "paper: tau_ap"),
    }


def anova_beside(
    studies: Mapping[str, TupleStudy], tables: Mapping[str, Table]
) -> dict[str, Table]:
    """Tables 4.1 to 4.4 with the printed numbers, where both sets of systems are the thesis'."""
    if set(known_systems(studies).values()) != set(printed_numbers("panel systems")):
        return {}
    found: dict[str, Table] = {}
    for number in ("4.1", "4.2", "4.3", "4.4"):
        values = {str(row[0]): row for row in tables[f"table-{number}"].rows}
        rows: list[list[Cell]] = []
        for source, *cells in printed_rows(f"thesis {number}"):
            for i, what in ((1, "SS"), (2, "DF"), (4, "F"), (6, "omega2")):
                if source in values and cells[i - 1] != "-":
                    printed = float(cells[i - 1])
                    rows.append([source, what, *compared(values[source][i], printed)])
        heads = ("Source", "", *COMPARED)
        found |= published_table(f"table-{number}", heads, rows, f"thesis, p. {PAGES[number]}")
    return found


def _family(measure: Cell) -> str:
    """A measure without its parameters, as the papers write it."""
    return str(measure).partition("(")[0]
