"""Combining measures instead of labels: AWARE against merging (TH sections 4.5 and 4.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, ClassVar

from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import flag, integer, one_of, param
from hungjury.base.records import Record
from hungjury.base.tables import Cell, Table
from hungjury.judges.weights import ESTIMATORS
from hungjury.stats.correlation import TauTies
from hungjury.studies.anova import Anova, factorial_anova
from hungjury.studies.claims import RESAMPLES, Claim, sensitivity_tables
from hungjury.studies.combining import APPROACHES
from hungjury.studies.data import StudyData
from hungjury.studies.gold import TupleStudy
from hungjury.studies.jobs import Job
from hungjury.studies.papers.aware_claims import Approaches, aware_claims
from hungjury.studies.papers.panels import (
    anova_beside,
    join_jobs,
    panel_remarks,
    sizes_of_tuples,
    tuple_jobs,
    tuple_scores,
)
from hungjury.studies.recipe import (
    RECIPES,
    Drawing,
    Recipe,
    Report,
    Studied,
    file_stem,
    names,
)

ALL = ("approach", "size", "measure", "systems")  # as Figures 4.4 and 4.6 show them
PARTS = ("granularity", "gap", "weight")
PAIRS = (("granularity", "gap"), ("granularity", "weight"), ("gap", "weight"))


MIXED = "Systems differ in topics or judges too, and their effects are not separated"


def _circumstances(one: Studied) -> tuple[frozenset[str], frozenset[str]]:
    """The topics and judges of a collection."""
    return frozenset(one.data.gold.topics), frozenset(one.data.judgments.judges)


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


def _common_sizes(
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


class _Analysis:
    """Analyses of variance of one response: of all approaches (4.28), and of the parts of AWARE's
    estimators (4.31). A factor with one level is left out."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], numbering: Numbering) -> None:
        self.numbering, response = numbering, numbering.response
        scale = "measure" if response == "rmse" else None
        estimators = [row for row in rows if "gap" in row]
        factors = ["measure", "systems"]
        self.whole = factorial_anova(rows, response, ["approach", *factors], "size", scale_by=scale)
        self.parts = factorial_anova(estimators, response, [*PARTS, *factors], "size", PAIRS, scale)

    def anova_tables(self) -> dict[str, Table]:
        mine, what = self.numbering, f"{self.numbering.title}, analysis of variance"
        return {
            f"table-{mine.table}": _anova_table(
                self.whole, f"Table {mine.table}: {what} of all approaches"
            ),
            f"table-{mine.parts_table}": _anova_table(
                self.parts, f"Table {mine.parts_table}: {what} of AWARE's components"
            ),
        }

    def group_tables(self) -> dict[str, Table]:
        """Groups of approaches, then of granularities, gaps and weights."""
        shown = {f"{self.numbering.effects}e": (self.whole, "approach")}
        for letter, factor in zip("def", PARTS, strict=True):
            shown[f"{self.numbering.parts}{letter}"] = (self.parts, factor)
        return {
            f"figure-{number}": self._group_table(number, found, factor)
            for number, (found, factor) in shown.items()
        }

    def _group_table(self, number: str, found: Anova, factor: str) -> Table:
        table = found.tukey_table(factor, self.numbering.largest_first)
        rows = [[mean, level, marks] for level, mean, marks in table.rows]
        header = [f"Mean {self.numbering.response}", factor.title(), "Group"]
        title = f"Figure {number}: {self.numbering.title}, groups of {factor}"
        return Table(header, rows, caption=title)

    def figures(self) -> dict[str, Drawing]:
        """Main effects, groups and interactions, lettered as in the thesis."""
        mine, whole = self.numbering, self.whole
        others = [factor for factor in ("measure", "systems") if factor in whole.factors]
        shown = ("approach", "size", *others)
        main = {letter: f for letter, f in zip("abcd", ALL, strict=True) if f in shown}
        found: dict[str, Drawing] = {
            mine.effects: self._main_effects(mine.effects, whole, main),
            f"{mine.effects}e": Drawing(
                self._title(f"{mine.effects}e", "groups of approach"), "draw_tukey",
                (whole, "approach", mine.largest_first, "mv"),
            ),
            f"{mine.interactions}a": self._interaction(
                f"{mine.interactions}a", whole, "size", "approach"
            ),
        }  # fmt: skip
        for factor in others:
            number = f"{mine.interactions}{'b' if factor == 'measure' else 'c'}"
            found[number] = self._interaction(number, whole, factor, "approach")
        letters = dict(zip("abc", PARTS, strict=True))
        found[mine.parts] = self._main_effects(mine.parts, self.parts, letters)
        for letter, across, lines in (
            ("g", "granularity", "gap"), ("h", "granularity", "weight"), ("i", "weight", "gap")
        ):  # fmt: skip
            number = f"{mine.parts}{letter}"
            found[number] = self._interaction(number, self.parts, across, lines)
        return {f"figure-{number}": one for number, one in found.items()}

    def _title(self, number: str, what: str) -> str:
        return f"Figure {number}: {self.numbering.title}, {what}"

    def _main_effects(self, number: str, found: Anova, factors: Mapping[str, str]) -> Drawing:
        title = self._title(number, "main effects")
        return Drawing(title, "draw_main_effects", (found, factors))

    def _interaction(self, number: str, found: Anova, across: str, lines: str) -> Drawing:
        title = self._title(number, f"interaction of {across} and {lines}")
        return Drawing(title, "draw_interaction", (found, across, lines))


def _all_analyses(
    rows: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, Table], dict[str, Drawing]]:
    """Tables 4.1 to 4.5 and their figures."""
    analyses = [_Analysis(rows, numbering) for numbering in RESPONSES]
    groups = [one.group_tables() for one in analyses]
    tables: dict[str, Table] = {}
    figures: dict[str, Drawing] = {}
    for one in analyses:
        tables |= one.anova_tables()
        figures |= one.figures()
    return {**tables, "table-4.5": _summary(groups), **groups[0], **groups[1]}, figures


def _anova_table(found: Anova, title: str) -> Table:
    table = found.table()
    rows: list[list[Cell]] = [[_source(str(row[0])), *row[1:7]] for row in table.rows]
    header = ["Source", "SS", "DF", "MS", "F", "p-value", "omega2"]
    return Table(header, rows, formats={"p-value": table.formats["p"]}, caption=title)


def _source(name: str) -> str:
    """A source of variance as the thesis calls it."""
    return "K-tuple Size" if name == "size" else "*".join(n.title() for n in name.split("*"))


def _summary(groups: Sequence[Mapping[str, Table]]) -> Table:
    """Table 4.5: the first group of each factor, best first, for both responses."""
    rows: list[list[Cell]] = []
    for both in zip(*(each.values() for each in groups), strict=True):
        top = [[row[1] for row in table.rows if str(row[2]).startswith("X")] for table in both]
        for place, levels in enumerate(zip_longest(*top, fillvalue="")):
            rows.append(["" if place else both[0].columns[1], *levels])
    header = ["", *(numbering.title for numbering in RESPONSES)]
    return Table(header, rows, caption="Table 4.5: top groups for AP correlation and RMSE")


def _orientation_table(found: Mapping[str, TupleStudy], printed: Mapping[str, TupleStudy]) -> Table:
    """Estimators in both orientations, with the interval of the difference; RMSE has its sign
    changed, which makes larger better in all columns."""
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
    return Table(header, rows, caption=title)


def _by_sizes(
    study: TupleStudy, collection: str = ""
) -> tuple[dict[str, Table], dict[str, Drawing]]:
    """Tables and curves of every approach with tuples of every size."""
    before, after = (f"{collection}: ", f"-{file_stem(collection)}") if collection else ("", "")
    tables: dict[str, Table] = {}
    figures: dict[str, Drawing] = {}
    for numbering in RESPONSES:
        for measure in study.measures:
            table = study.by_size(measure, numbering.response)
            file_name = re.sub("[^A-Za-z0-9]+", "-", measure).strip("-")
            name = f"{numbering.response}-{file_name}{after}"
            title = f"{before}{numbering.title} of {measure} by the size of the tuples"
            tables[name] = Table(["approach", *table.columns[1:]], table.rows, caption=title)
            figures[name] = Drawing(title, "draw_tuples", (study, measure, numbering.response))
    return tables, figures


MEASURES = ("AP", "nDCG(base=2)@20", "ERR@20")
VOTES = ("sgl_tau_msd", "tpc_kld_msd")
PRINTED = "printed/"  # before the keys of jobs that weigh as the equations are printed


@RECIPES.add("aware")
class Aware(Recipe):
    """Compare AWARE with merging: how many judges are enough, and how best to combine them."""

    paper: ClassVar[str] = "Ferrante et al. 2017; thesis, Tables 4.1 to 4.5, Figures 4.4 to 4.9"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    published: ClassVar[Mapping[str, Any]] = {
        "measures": ("AP", "nDCG(base=2)@20", "ERR(gains={1: 5})@20"),
        "tuples": 1000,
        "drop_empty": True,
        "tied": "sampled",
    }
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
    tied: TauTies = param(
        "exact", kind=one_of(TauTies), doc="systems with equal means: all their orders, or 100"
    )
    votes: tuple[str, ...] = param(
        VOTES, kind=names, doc="weights to try on votes as well as on measures"
    )
    resamples: int = param(
        RESAMPLES, kind=integer, low=20, doc="draws of topics and tuples for intervals"
    )

    def check(self, data: StudyData) -> None:
        super().check(data)
        sizes = tuple_scores(data, **self._scoring()).sizes(self.sizes or None)
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
        scoring = self._scoring()
        printed = tuple_jobs(data, scoring, self._printed(), PRINTED)
        return [*tuple_jobs(data, scoring, self._combining()), *printed]

    def report(self, studied: Sequence[Studied]) -> Report:
        found, printed = (
            {o.name: join_jobs(o.data, o.results, self._scoring(), how, name) for o in studied}
            for how, name in ((self._combining(), ""), (self._printed(), PRINTED))
        )
        tables, figures = _all_analyses(_common_sizes(found))
        choices = {
            "dissimilarity": self._claims(found, found),
            "printed": self._claims(printed, found),
        }
        other_way, _ = _all_analyses(_common_sizes(found, printed))
        tables = {
            **sensitivity_tables(choices, "orientation of AWARE's weights"),
            **tables,
            **anova_beside(found, tables),
            "orientations": _orientation_table(found, printed),
            **{f"{name}-printed-orientation": _printed(one) for name, one in other_way.items()},
        }
        for name, study in found.items():
            by_size, curves = _by_sizes(study, name if len(found) > 1 else "")
            tables |= by_size
            figures |= curves
        alike = len({_circumstances(one) for one in studied}) == 1
        if not alike:
            tables = {
                name: replace(table, caption=f"{table.caption}; {MIXED}")
                if name.startswith("table-4.") and "Systems" in str(list(table.rows)) else table
                for name, table in tables.items()
            }  # fmt: skip
        return Report(tables, figures, self._remarks(found, alike), choices["dissimilarity"])

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

    def _remarks(self, found: Mapping[str, TupleStudy], alike: bool) -> list[str]:
        """Numbers of each collection, and what the analyses of variance are of. alike: the
        collections have the same topics and judges."""
        several = len(found) > 1
        numbers = [
            (f"{name}: " if several else "")
            + f"{len(study.judges)} judges, {study.systems} systems, {study.topics} topics."
            for name, study in found.items()
        ]
        same = "sets of systems under the same topics and judges"
        factor = "With one set of systems the analyses of variance have no factor Systems."
        if several:
            thesis = f"as in the thesis {same}" if alike else f"not {same} (thesis): {MIXED}"
            factor = (
                f"Systems are the collections, {thesis}. Analyses are of the sizes that all "
                "collections have."
            )
        return [
            *numbers,
            f"Up to {self.tuples} tuples of each size, {self.replicates} random judges of each "
            f"class. {factor} RMSE is divided by its largest value for each measure there. Groups "
            "are those of Tukey's HSD at 0.05.",
            *panel_remarks(found),
        ]

    def _scoring(self) -> dict[str, Any]:
        return {
            "measures": self.measures,
            "rel": self.rel,
            "drop_empty": self.drop_empty,
            "resamples": self.resamples,
            "tied": self.tied,
        }

    def _combining(self) -> dict[str, Any]:
        return {
            "approaches": (*APPROACHES, *self._votes),
            "sizes": self.sizes or None,
            "tuples": self.tuples,
            "replicates": self.replicates,
        }

    @property
    def _votes(self) -> tuple[str, ...]:
        return tuple(f"votes({weights})" for weights in self.votes)

    def _printed(self) -> dict[str, Any]:
        """Combine in the other orientation, which merges do not have."""
        mine = {"approaches": (*ESTIMATORS, *self._votes), "orientation": "printed"}
        return self._combining() | mine


def _printed(table: Table) -> Table:
    return replace(table, caption=f"{table.caption}, printed orientation")
