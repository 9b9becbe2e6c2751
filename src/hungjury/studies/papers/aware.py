"""Combining measures instead of labels: AWARE against merging (TH sections 4.5 and 4.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, ClassVar

from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import flag, integer, param
from hungjury.base.records import Record
from hungjury.judges.weights import ESTIMATORS
from hungjury.studies.anova import Anova, factorial_anova
from hungjury.studies.claims import RESAMPLES, Cell, Claim, StudyTable, sensitivity_tables, stem
from hungjury.studies.data import StudyData
from hungjury.studies.figures import Groups, Interaction, MainEffects, TupleLines
from hungjury.studies.jobs import Job
from hungjury.studies.papers.aware_claims import Approaches, aware_claims
from hungjury.studies.papers.panels import (
    anova_beside,
    experiment,
    gathered,
    panel_remarks,
    sizes_of_tuples,
    tuple_jobs,
)
from hungjury.studies.recipe import RECIPES, Recipe, Report, Studied, StudyFigure, names
from hungjury.studies.tuple_experiment import APPROACHES, TupleStudy

__all__ = ["Aware", "all_analyses", "by_sizes", "common_sizes", "orientation_table", "renamed"]

ALL = ("approach", "size", "measure", "systems")  # as Figures 4.4 and 4.6 show them
PARTS = ("granularity", "gap", "weight")
PAIRS = (("granularity", "gap"), ("granularity", "weight"), ("gap", "weight"))


class Numbering(Record):
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


def common_sizes(
    found: Mapping[str, TupleStudy], instead: Mapping[str, TupleStudy] | None = None
) -> list[dict[str, Any]]:
    """Observations of all collections, which are the levels of the factor Systems, at the sizes
    that all of them have: the approaches of the thesis. instead: where the estimators come from."""
    common = set.intersection(*({row.size for row in study.rows} for study in found.values()))
    rows = []
    for name, study in found.items():
        mine = study.observations(systems=name)
        if instead is not None:
            mine = [row for row in mine if row["approach"] not in ESTIMATORS]
            mine += instead[name].observations(systems=name)
        rows += [row for row in mine if row["approach"] in APPROACHES and row["size"] in common]
    return rows


def all_analyses(
    rows: Sequence[Mapping[str, Any]],
) -> tuple[list[StudyTable], list[StudyFigure]]:
    """Tables 4.1 to 4.5 and their figures."""
    tables, figures, groups = [], [], []
    for numbering in RESPONSES:
        whole_one, parts = _analyses(rows, numbering.response)
        tables += _anova_tables(numbering, whole_one, parts)
        groups.append(_group_tables(numbering, whole_one, parts))
        figures += _figures(numbering, whole_one, parts)
    return [*tables, _summary(groups), *groups[0], *groups[1]], figures


def renamed(tables: Sequence[StudyTable], what: str) -> list[StudyTable]:
    """The same tables under other names."""
    return [replace(one, name=f"{one.name}-{stem(what)}", title=f"{one.title}, {what}")
            for one in tables]  # fmt: skip


def orientation_table(
    found: Mapping[str, TupleStudy], printed: Mapping[str, TupleStudy]
) -> StudyTable:
    """Estimators in both orientations, with the interval of the difference; RMSE has its sign
    changed, so that larger is better in all columns."""
    rows: list[list[Cell]] = []
    for name, study in found.items():
        text, other = Approaches(study, study), Approaches(printed[name], study)
        for numbering in RESPONSES:
            for approach in ESTIMATORS:
                both = [one.of(numbering.response, approach) for one in (text, other)]
                difference = both[0] - both[1]
                rows.append([name, numbering.title, approach, *(one.value for one in both),
                             difference.value, *difference.interval()])  # fmt: skip
    header = ["systems", "response", "estimator", "dissimilarity", "printed", "difference", "low",
              "high"]  # fmt: skip
    title = "Estimators in both orientations; RMSE over its largest value, with a minus sign"
    return StudyTable("orientations", title, header, rows)


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
    title = f"{numbering.title}, analysis of variance"
    return [
        _anova_table(numbering.table, f"{title} of all approaches", whole_one),
        _anova_table(numbering.parts_table, f"{title} of AWARE's components", parts),
    ]


def _anova_table(number: str, what: str, found: Anova) -> StudyTable:
    name, title = f"table-{number}", f"Table {number}: {what}"
    table = found.table()
    rows: list[list[Cell]] = [[_source(str(row[0])), *row[1:7]] for row in table.rows]
    header = ["Source", "SS", "DF", "MS", "F", "p-value", "omega2"]
    return StudyTable(name, title, header, rows, formats={"p-value": table.formats["p"]})


def _source(name: str) -> str:
    """A source of variance as the thesis calls it."""
    return "K-tuple Size" if name == "size" else "*".join(n.title() for n in name.split("*"))


def _group_tables(numbering: Numbering, whole_one: Anova, parts: Anova) -> list[StudyTable]:
    """Groups of approaches, then of granularities, gaps and weights."""
    tables = [_group_table(f"{numbering.effects}e", numbering, whole_one, "approach")]
    for letter, factor in zip("def", PARTS, strict=True):
        tables.append(_group_table(f"{numbering.parts}{letter}", numbering, parts, factor))
    return tables


def _group_table(number: str, numbering: Numbering, found: Anova, factor: str) -> StudyTable:
    table = found.tukey_table(factor, numbering.largest_first)
    rows = [[mean, level, marks] for level, mean, marks in table.rows]
    header = [f"Mean {numbering.response}", factor.title(), "Group"]
    title = f"Figure {number}: {numbering.title}, groups of {factor}"
    return StudyTable(f"figure-{number}", title, header, rows)


def _figures(numbering: Numbering, whole_one: Anova, parts: Anova) -> list[StudyFigure]:
    """Main effects, groups and interactions, lettered as in the thesis."""
    effects, interactions, mine = numbering.effects, numbering.interactions, numbering.parts
    others = [factor for factor in ("measure", "systems") if factor in whole_one.factors]
    main = {letter: factor for letter, factor in zip("abcd", ALL, strict=True)
            if factor in ("approach", "size", *others)}  # fmt: skip
    shown: dict[str, MainEffects | Groups | Interaction] = {
        effects: MainEffects(whole_one, main),
        f"{effects}e": Groups(whole_one, "approach", numbering.largest_first, "mv"),
        f"{interactions}a": Interaction(whole_one, "size", "approach"),
    }
    for factor in others:
        letter = "b" if factor == "measure" else "c"
        shown[f"{interactions}{letter}"] = Interaction(whole_one, factor, "approach")
    shown[mine] = MainEffects(parts, dict(zip("abc", PARTS, strict=True)))
    for letter, across, lines in (
        ("g", "granularity", "gap"), ("h", "granularity", "weight"), ("i", "weight", "gap")
    ):  # fmt: skip
        shown[f"{mine}{letter}"] = Interaction(parts, across, lines)
    return [
        StudyFigure(
            f"figure-{number}", f"Figure {number}: {numbering.title}, {figure.words}", figure
        )
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
    return StudyTable(
        "table-4.5", "Table 4.5: top groups for AP correlation and RMSE", header, rows
    )


def by_sizes(study: TupleStudy, collection: str = "") -> tuple[list[StudyTable], list[StudyFigure]]:
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


MEASURES = ("AP", "nDCG(base=2)@20", "ERR@20")
VOTES = ("sgl_tau_msd", "tpc_kld_msd")
PRINTED = "printed/"  # before the keys of jobs that weigh as the equations are printed


@RECIPES.add("aware")
class Aware(Recipe):
    """How many judges are enough, and how best to combine them: AWARE against merging."""

    paper: ClassVar[str] = "Ferrante et al. 2017; thesis, Tables 4.1 to 4.5, Figures 4.4 to 4.9"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    measures: tuple[str, ...] = param(MEASURES, kind=names, doc="measures to combine")
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade")
    sizes: tuple[int, ...] = param(
        (), kind=sizes_of_tuples, doc="numbers of judges in a tuple; default: 2 to all but one"
    )
    tuples: int = param(100, kind=integer, low=1, doc="random tuples of each size")
    replicates: int = param(1000, kind=integer, low=1, doc="random judges of each class")
    drop_empty: bool = param(
        False, kind=flag, doc="drop judges with no relevant document on some topic"
    )
    votes: tuple[str, ...] = param(
        VOTES, kind=names, doc="weights to try on votes as well as on measures"
    )
    resamples: int = param(
        RESAMPLES, kind=integer, low=20, doc="draws of topics and tuples for intervals"
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

    @property
    def chosen_measures(self) -> tuple[str, ...]:
        return self.measures

    def jobs(self, data: StudyData) -> list[Job]:
        printed = tuple_jobs(data, PRINTED, **self._printed())
        return [*tuple_jobs(data, **self._how()), *printed]

    def report(self, studied: Sequence[Studied]) -> Report:
        found = {one.name: gathered(one.data, one.results, **self._how()) for one in studied}
        printed = {
            one.name: gathered(one.data, one.results, PRINTED, **self._printed()) for one in studied
        }
        tables, figures = all_analyses(common_sizes(found))
        tables += anova_beside(found, tables)
        choices = {
            "dissimilarity": self._claims(found, found),
            "printed": self._claims(printed, found),
        }
        tables = [*sensitivity_tables(choices, "orientation of AWARE's weights"), *tables]
        tables += [orientation_table(found, printed), *renamed(all_analyses(
            common_sizes(found, printed))[0], "printed orientation")]  # fmt: skip
        for name, study in found.items():
            by_size, curves = by_sizes(study, name if len(found) > 1 else "")
            tables += by_size
            figures += curves
        return Report(tables, figures, self._remarks(found), choices["dissimilarity"])

    def _claims(
        self, estimators: Mapping[str, TupleStudy], others: Mapping[str, TupleStudy]
    ) -> list[Claim]:
        """Of every collection, which goes before the case where there are several."""
        claims = []
        for name, study in others.items():
            before = f"{name}, " if len(others) > 1 else ""
            each = aware_claims(Approaches(estimators[name], study), self.votes)
            claims += [replace(one, case=before + one.case) for one in each]
        return claims

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
            *panel_remarks(found),
        ]

    def _how(self) -> dict[str, Any]:
        return {
            "measures": self.measures,
            "rel": self.rel,
            "sizes": self.sizes or None,
            "tuples": self.tuples,
            "replicates": self.replicates,
            "drop_empty": self.drop_empty,
            "approaches": (*APPROACHES, *self._votes),
            "resamples": self.resamples,
        }

    @property
    def _votes(self) -> tuple[str, ...]:
        return tuple(f"votes({weights})" for weights in self.votes)

    def _printed(self) -> dict[str, Any]:
        """The same for the other orientation, which merges do not have."""
        mine = {"approaches": (*ESTIMATORS, *self._votes), "orientation": "printed"}
        return self._how() | mine
