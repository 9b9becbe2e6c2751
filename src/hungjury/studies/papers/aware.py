"""Combining measures instead of labels: AWARE against merging (TH sections 4.5 and 4.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar

from hungjury.errors import Argument, InputError
from hungjury.named import flag, param, whole
from hungjury.studies.data import StudyData
from hungjury.studies.factorial import Anova, factorial_anova
from hungjury.studies.figures import Groups, Interaction, MainEffects, Shown, TupleLines
from hungjury.studies.papers.panels import experiment, gathered, sizes_of_tuples, tuple_jobs
from hungjury.studies.recipe import RECIPES, Recipe, Report, Studied, StudyFigure, names
from hungjury.studies.runner import Job
from hungjury.studies.study_table import Cell, StudyTable, stem
from hungjury.studies.tuples import TupleStudy

__all__ = ["Aware"]

MEASURES = ("AP", "nDCG(base=2)@20", "ERR@20")
PARTS = ("granularity", "gap", "weight")
PAIRS = (("granularity", "gap"), ("granularity", "weight"), ("gap", "weight"))


@dataclass(frozen=True)
class Numbering:
    """A response, and the thesis' numbers of what it reports about it."""

    response: str
    title: str
    table: str  # all approaches: analysis of variance,
    effects: str  # main effects and groups,
    interactions: str
    parts_table: str  # the same of the estimators' parts
    parts: str

    @property
    def largest_first(self) -> bool:
        return self.response != "rmse"


RESPONSES = (
    Numbering("tau_ap", "AP correlation", "4.1", "4.4", "4.5", "4.3", "4.8"),
    Numbering("rmse", "RMSE", "4.2", "4.6", "4.7", "4.4", "4.9"),
)


@RECIPES.add("aware")
class Aware(Recipe):
    """How many judges are enough, and how best to combine them: AWARE against merging."""

    paper: ClassVar[str] = "Ferrante et al. 2017; thesis, Tables 4.1 to 4.5, Figures 4.4 to 4.9"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    measures: tuple[str, ...] = param(MEASURES, kind=names, doc="measures to combine")
    rel: int = param(1, kind=whole, low=1, doc="lowest relevant grade")
    sizes: tuple[int, ...] = param(
        (), kind=sizes_of_tuples, doc="judges in a tuple; without, 2 to all but one"
    )
    tuples: int = param(100, kind=whole, low=1, doc="tuples of each size, at random")
    replicates: int = param(1000, kind=whole, low=1, doc="random judges of each class")
    drop_empty: bool = param(
        False, kind=flag, doc="leave out judges with nothing relevant on some topic"
    )

    def check(self, data: StudyData) -> None:
        super().check(data)
        sizes = experiment(data, **self._how()).sizes
        if len(sizes) < 2:
            raise InputError(
                f"the study {self.name} compares sizes of tuples, but there is only {sizes[0]}",
                code="one-size",
                remedy=("give at least four judges, or several", Argument("sizes")),
            )

    def jobs(self, data: StudyData) -> list[Job]:
        return tuple_jobs(data, **self._how())

    def report(self, studied: Sequence[Studied]) -> Report:
        found = {one.name: gathered(one.data, one.results, **self._how()) for one in studied}
        rows = _common_sizes(found)
        tables, figures, groups = [], [], []
        for numbering in RESPONSES:
            whole_one, parts = _analyses(rows, numbering.response)
            tables += _anova_tables(numbering, whole_one, parts)
            groups.append(_group_tables(numbering, whole_one, parts))
            figures += _figures(numbering, whole_one, parts)
        tables += [_summary(groups), *groups[0], *groups[1]]
        for name, study in found.items():
            by_size, curves = _by_size(study, name if len(found) > 1 else "")
            tables += by_size
            figures += curves
        return Report(tables, figures, self._remarks(found))

    def _remarks(self, found: Mapping[str, TupleStudy]) -> list[str]:
        """Numbers of each collection, and what the analyses of variance are of."""
        several = len(found) > 1
        numbers = [
            (f"{name}: " if several else "")
            + f"{len(study.judges)} judges, {study.systems} systems, {study.topics} topics."
            for name, study in found.items()
        ]
        factor = (
            "Systems is the collection; analyses are of the sizes that all collections have."
            if several
            else "With one set of systems the analyses of variance have no factor Systems."
        )
        return [
            *numbers,
            f"Up to {self.tuples} tuples of each size, {self.replicates} random judges of each "
            f"class. {factor} RMSE is divided by its largest value for each measure there. Groups "
            "are those of Tukey's HSD at 0.05.",
        ]

    def _how(self) -> dict[str, Any]:
        return {
            "measures": self.measures,
            "rel": self.rel,
            "sizes": self.sizes or None,
            "tuples": self.tuples,
            "replicates": self.replicates,
            "drop_empty": self.drop_empty,
        }


def _common_sizes(found: Mapping[str, TupleStudy]) -> list[dict[str, Any]]:
    """Observations of all collections, which are the levels of the factor Systems, at the sizes
    that all of them have."""
    common = set.intersection(*({row.size for row in study.rows} for study in found.values()))
    rows = [row for name, study in found.items() for row in study.observations(systems=name)]
    return [row for row in rows if row["size"] in common]


def _analyses(rows: Sequence[Mapping[str, Any]], response: str) -> tuple[Anova, Anova]:
    """Of all approaches (4.28), and of the parts of AWARE's estimators (4.31). A factor with one
    level is left out."""
    scale = "measure" if response == "rmse" else None
    estimators = [row for row in rows if "gap" in row]
    factors = ["measure", "systems"]
    return (
        factorial_anova(rows, response, ["approach", *factors], "size", scale_by=scale),
        factorial_anova(estimators, response, [*PARTS, *factors], "size", PAIRS, scale),
    )


def _anova_tables(numbering: Numbering, whole_one: Anova, parts: Anova) -> list[StudyTable]:
    title = f"{numbering.title}: analysis of variance"
    return [
        _anova_table(f"table-{numbering.table}", f"{title}, all approaches", whole_one),
        _anova_table(f"table-{numbering.parts_table}", f"{title}, AWARE's components", parts),
    ]


def _anova_table(name: str, title: str, found: Anova) -> StudyTable:
    table = found.table()
    rows: list[list[Cell]] = [[_source(str(row[0])), *row[1:7]] for row in table.rows]
    header = ["Source", "SS", "DF", "MS", "F", "p-value", "omega2"]
    return StudyTable(name, title, header, rows, formats={"p-value": table.formats["p"]})


def _source(name: str) -> str:
    """A source of variance as the thesis calls it."""
    return "K-tuple Size" if name == "size" else "*".join(n.title() for n in name.split("*"))


def _group_tables(numbering: Numbering, whole_one: Anova, parts: Anova) -> list[StudyTable]:
    """Groups of approaches, then of granularities, gaps and weights."""
    tables = [_group_table(f"figure-{numbering.effects}e", numbering, whole_one, "approach")]
    for letter, factor in zip("def", PARTS, strict=True):
        tables.append(_group_table(f"figure-{numbering.parts}{letter}", numbering, parts, factor))
    return tables


def _group_table(name: str, numbering: Numbering, found: Anova, factor: str) -> StudyTable:
    table = found.tukey_table(factor, numbering.largest_first)
    rows = [[mean, level, marks] for level, mean, marks in table.rows]
    header = [f"Mean {numbering.response}", factor.title(), "Group"]
    return StudyTable(name, f"{numbering.title}: groups of {factor}", header, rows)


def _figures(numbering: Numbering, whole_one: Anova, parts: Anova) -> list[StudyFigure]:
    """Main effects, groups and interactions, lettered as in the thesis."""
    effects, interactions, mine = numbering.effects, numbering.interactions, numbering.parts
    others = [factor for factor in ("measure", "systems") if factor in whole_one.factors]
    shown: dict[str, Shown] = {
        effects: MainEffects(whole_one, ["approach", "size", *others]),
        f"{effects}e": Groups(whole_one, "approach", numbering.largest_first, "mv"),
        f"{interactions}a": Interaction(whole_one, "size", "approach"),
    }
    for factor in others:
        letter = "b" if factor == "measure" else "c"
        shown[f"{interactions}{letter}"] = Interaction(whole_one, factor, "approach")
    shown[mine] = MainEffects(parts, PARTS)
    for letter, across, lines in (
        ("g", "granularity", "gap"), ("h", "granularity", "weight"), ("i", "weight", "gap")
    ):  # fmt: skip
        shown[f"{mine}{letter}"] = Interaction(parts, across, lines)
    return [
        StudyFigure(f"figure-{number}", f"Figure {number}: {numbering.title}", figure)
        for number, figure in shown.items()
    ]


def _summary(groups: list[list[StudyTable]]) -> StudyTable:
    """Table 4.5: the first group of each factor, best first, for both responses."""
    rows: list[list[Cell]] = []
    for both in zip(*groups, strict=True):
        top = [[row[1] for row in table.rows if str(row[2]).startswith("X")] for table in both]
        for place, levels in enumerate(zip_longest(*top, fillvalue="")):
            rows.append(["" if place else both[0].header[1], *levels])
    header = ["", *(numbering.title for numbering in RESPONSES)]
    return StudyTable("table-4.5", "Top groups for AP correlation and RMSE", header, rows)


def _by_size(study: TupleStudy, collection: str = "") -> tuple[list[StudyTable], list[StudyFigure]]:
    """What every approach achieves with tuples of every size: tables and curves."""
    before, after = (f"{collection}: ", f"-{stem(collection)}") if collection else ("", "")
    tables, figures = [], []
    for numbering in RESPONSES:
        for measure in dict.fromkeys(row.measure for row in study.rows):
            table = study.by_size(measure, numbering.response)
            file_name = re.sub("[^A-Za-z0-9]+", "-", measure).strip("-")
            name = f"{numbering.response}-{file_name}{after}"
            title = f"{before}{numbering.title} of {measure} by the size of the tuples"
            header = ["approach", *table.columns[1:]]
            tables.append(StudyTable(name, title, header, table.rows))
            lines = TupleLines(study, measure, numbering.response)
            figures.append(StudyFigure(name, title, lines))
    return tables, figures
