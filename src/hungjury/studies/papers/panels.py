"""Building blocks of studies of many judges, and what the papers print beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from hungjury.base.parameters import integer
from hungjury.studies.claims import Cell, StudyTable
from hungjury.studies.data import StudyData
from hungjury.studies.downsampling import Part
from hungjury.studies.gold import NEARLY_SURE, Doubt
from hungjury.studies.jobs import Job
from hungjury.studies.judge_tuples import TupleStudy
from hungjury.studies.published import panels
from hungjury.studies.tuple_experiment import TupleExperiment

__all__ = [
    "anova_beside",
    "crowd_beside",
    "experiment",
    "gathered",
    "panel_remarks",
    "sizes_of_tuples",
    "tuple_jobs",
]


@lru_cache(maxsize=2)
def experiment(data: StudyData, seed: int = 0, **how: Any) -> TupleExperiment:
    """Made once in a process, which then does many of its parts. The seed changes what the parts
    find, but not which there are. doubts: as pairs of numbers, which jobs can be sent."""
    doubts = [Doubt(*one) for one in how.pop("doubts", ())] or [NEARLY_SURE]
    return TupleExperiment(
        data.judgments, data.runs, gold=data.gold, seed=seed, doubts=doubts, **how
    )


def tuple_jobs(data: StudyData, name: str = "", **how: Any) -> list[Job]:
    """A job for every part; name: goes before their keys. They share a seed: all of them look at
    the same tuples. Data that the experiment cannot use is refused here, before any job is done."""
    parts = experiment(data, **how).parts()
    return [
        Job(name + _key(part), run_part, {"part": part, **how}, draws="tuples") for part in parts
    ]


def run_part(data: StudyData, seed: int, part: Part, **how: Any) -> dict[str, Any]:
    """A job: a part of the experiment."""
    return experiment(data, seed, **how).run(part)


def gathered(data: StudyData, results: Mapping[str, Any], name: str = "", **how: Any) -> TupleStudy:
    """All parts together."""
    whole_one = experiment(data, **how)
    return whole_one.gather({part: results[name + _key(part)] for part in whole_one.parts()})


def _key(part: Part) -> str:
    return "/".join(map(str, part))


def sizes_of_tuples(value: object) -> tuple[int, ...]:
    """A list of sizes, for parameters."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ValueError("a list of integers")
    return tuple(sorted({integer(one) for one in value}))


ENDS = ["value", "published", "difference"]


def known_systems(studies: Mapping[str, TupleStudy]) -> dict[str, str]:
    """By title: the papers' name of collections with their numbers of judges, topics, systems."""
    found = {}
    for title, study in studies.items():
        numbers = (len(study.judges), study.topics, study.systems)
        for name, printed in panels.SYSTEMS.items():
            if printed == numbers:
                found[title] = name
    return found


def panel_remarks(studies: Mapping[str, TupleStudy]) -> list[str]:
    """A sentence for each collection that is the papers'."""
    return [
        f"{title or 'This'} is {name} of the papers, by its numbers of judges, topics and systems; "
        "tables with 'published' hold the printed numbers."
        for title, name in known_systems(studies).items()
    ]


def crowd_beside(
    studies: Mapping[str, TupleStudy], table_1: StudyTable, table_2: StudyTable
) -> list[StudyTable]:
    """Tables 1 and 2 with the printed numbers; nothing for other collections."""
    known = known_systems(studies)
    if not known:
        return []
    printed_1, printed_2 = dict(_table_1()), dict(_table_2())
    first: list[list[Cell]] = []
    for title, row in _titled(table_1, studies):
        key = (known.get(title, ""), str(row[0]), _family(row[1]))
        for what, value, number in zip(
            ("tau", "tau_ap"), (row[2], row[4]), printed_1.get(key, ()), strict=False
        ):
            first.append([*key, what, *_compared(value, number)])
    second: list[list[Cell]] = []
    heads = [str(head) for head in table_2.header if str(head).startswith("M=")]
    for title, row in _titled(table_2, studies):
        merge = (known.get(title, ""), str(row[0]), str(row[1]), _family(row[2]))
        for head, value in zip(heads, row[3:], strict=True):
            size = int(head[2:])
            if (*merge, size) in printed_2:
                second.append([*merge, size, *_compared(value, printed_2[(*merge, size)])])
    return [
        StudyTable("table-1-published", "Table 1 beside the paper",
                   ["systems", "gold", "measure", "", *ENDS], first),
        StudyTable("table-2-published", "Table 2 beside the paper: tau_ap",
                   ["systems", "gold", "merge", "measure", "M", *ENDS], second),
    ]  # fmt: skip


def anova_beside(
    studies: Mapping[str, TupleStudy], tables: Sequence[StudyTable]
) -> list[StudyTable]:
    """Tables 4.1 to 4.4 with the printed numbers, where both sets of systems are the thesis'."""
    if set(known_systems(studies).values()) != set(panels.SYSTEMS):
        return []
    found = []
    for number, text in panels.ANOVA.items():
        (mine,) = [one for one in tables if one.name == f"table-{number}"]
        values = {str(row[0]): row for row in mine.rows}
        rows: list[list[Cell]] = []
        for source, cells in _anova_lines(text):
            for i, what in ((1, "SS"), (2, "DF"), (4, "F"), (6, "omega2")):
                if source in values and cells[i - 1] not in ("-", ""):
                    printed = float(cells[i - 1])
                    rows.append([source, what, *_compared(values[source][i], printed)])
        title = f"Table {number} beside the thesis, p. {panels.PAGES[number]}"
        found.append(StudyTable(f"table-{number}-published", title, ["Source", "", *ENDS], rows))
    return found


def _titled(
    table: StudyTable, studies: Mapping[str, TupleStudy]
) -> Iterator[tuple[str, Sequence[Cell]]]:
    """Rows with the collection they are about, which is a column where there are several."""
    for row in table.rows:
        if len(studies) > 1:
            yield str(row[0]), row[1:]
        else:
            yield next(iter(studies)), row


def _family(measure: Cell) -> str:
    """A measure without its parameters, as the papers write it."""
    return str(measure).partition("(")[0]


def _compared(value: Cell, printed: float) -> list[Cell]:
    if not isinstance(value, (int, float)) or value != value:
        return [None, printed, None]
    return [float(value), printed, round(float(value) - printed, 12)]


def _table_1() -> Iterator[tuple[tuple[str, str, str], tuple[float, float]]]:
    for line in panels.TABLE_1.strip().splitlines():
        systems, gold, measure, tau, _, tau_ap, _ = line.split()
        yield (systems, gold, measure), (float(tau), float(tau_ap))


def _table_2() -> Iterator[tuple[tuple[str, str, str, str, int], float]]:
    for line in panels.TABLE_2.strip().splitlines():
        systems, gold, merge, measure, *values = line.split()
        for size, value in zip(panels.SIZES, values, strict=True):
            yield (systems, gold, merge, measure, size), float(value)


def _anova_lines(text: str) -> Iterator[tuple[str, list[str]]]:
    for line in text.strip().splitlines():
        source, *cells = line.split()
        yield source.replace("_", " "), [*cells, *[""] * (6 - len(cells))]
