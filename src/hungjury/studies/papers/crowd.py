"""Random relevance with crowd judges (CS section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from hungjury.named import flag, param, whole
from hungjury.studies.data import StudyData
from hungjury.studies.each_judge import SingleJudges, SingleRow, single_judges
from hungjury.studies.figures import TupleLines
from hungjury.studies.gold import DETERMINISTIC, RANDOMISED
from hungjury.studies.papers.panels import gathered, sizes_of_tuples, tuple_jobs
from hungjury.studies.recipe import RECIPES, Recipe, Report, Studied, StudyFigure, names
from hungjury.studies.runner import Job
from hungjury.studies.study_table import Cell, StudyTable, stem
from hungjury.studies.tuples import TupleStudy

__all__ = ["Crowd"]

MEASURES = ("AP", "DCG(base=10)", "RBP(p=0.8)")
PRINTED = (2, 3, 4, 5, 10, 20)  # Table 2's sizes; its last one is all judges but one
# Table 2's lines for each measure: gold standard, approach, and how the paper calls it.
LINES = (
    (DETERMINISTIC, "mv", "MV"),
    (DETERMINISTIC, "em-mv", "EM"),
    (DETERMINISTIC, "uni", "AWARE"),
    (DETERMINISTIC, "binmv", "BINMV"),
    (DETERMINISTIC, "qbinmv", "QBINMV"),
    (RANDOMISED, "binmv", "BINMV"),
    (RANDOMISED, "qbinmv", "QBINMV"),
)


@RECIPES.add("crowd")
class Crowd(Recipe):
    """What measures of random relevance do for single judges, and for merging several."""

    paper: ClassVar[str] = "Ferrante et al. 2019, Tables 1 and 2"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    measures: tuple[str, ...] = param(
        MEASURES, kind=names, doc="AP, RBP or DCG(base=...), which have an expected counterpart"
    )
    rel: int = param(1, kind=whole, low=1, doc="lowest relevant grade")
    sizes: tuple[int, ...] = param(
        (), kind=sizes_of_tuples, doc="judges merged; without, 2 to all but one"
    )
    tuples: int = param(10, kind=whole, low=1, doc="tuples of each size, at random")
    drop_empty: bool = param(
        False, kind=flag, doc="leave out judges with nothing relevant on some topic"
    )

    def jobs(self, data: StudyData) -> list[Job]:
        single = {"rel": self.rel, "drop_empty": self.drop_empty}
        alone = [Job(f"alone/{m}", score_alone, {"name": m, **single}) for m in self.measures]
        return [*alone, *tuple_jobs(data, **self._how())]

    def report(self, studied: Sequence[Studied]) -> Report:
        parts = [_Part(one, self.measures, gathered(one.data, one.results, **self._how()))
                 for one in studied]  # fmt: skip
        return Report(
            [
                _table_1(parts),
                self._table_2(parts, "tau_ap", "table-2"),
                self._table_2(parts, "tau", "table-2-tau"),
            ],
            [figure for part in parts for figure in part.figures(len(parts) > 1)],
            [*(part.remark(len(parts) > 1) for part in parts),
             f"Up to {self.tuples} tuples of each size. DGS: gold labels as they are; RGS: gold "
             "labels right with probability 0.95. AWARE has uniform weights, EM begins with the "
             "majority. In the figures all approaches are compared with DGS."],
        )  # fmt: skip

    def _how(self) -> dict[str, Any]:
        return {
            "measures": self.measures,
            "rel": self.rel,
            "sizes": self.sizes or None,
            "tuples": self.tuples,
            "approaches": ("mv", "em-mv", "uni", "binmv", "qbinmv"),
            "standards": (DETERMINISTIC, RANDOMISED),
            "drop_empty": self.drop_empty,
        }

    def _table_2(self, parts: Sequence[_Part], what: str, name: str) -> StudyTable:
        """A block for each set of systems, in the sizes that any of them has."""
        sizes = sorted({row.size for part in parts for row in part.study.rows})
        if not self.sizes:
            last = {max(row.size for row in part.study.rows) for part in parts}
            sizes = [k for k in sizes if k in PRINTED or k in last]
        rows: list[list[Cell]] = []
        for part in parts:
            cells = {(r.measure, r.gold, r.approach, r.size): r for r in part.study.rows}
            for measure in dict.fromkeys(row.measure for row in part.study.rows):
                for gold, approach, label in LINES:
                    mine = [cells.get((measure, gold, approach, k)) for k in sizes]
                    by = next(row.by for row in mine if row is not None)
                    values = (None if row is None else getattr(row, what) for row in mine)
                    rows.append([part.studied.name, gold, label, by, *values])
        title = f"{what} for different merging strategies and numbers M of merged judges"
        header = ["systems", "gold", "merge", "measure", *(f"M={k}" for k in sizes)]
        return _side_by_side(StudyTable(name, title, header, rows), parts)


@dataclass(frozen=True, eq=False)
class _Part:
    """One set of systems and its judges, and what was found about them."""

    studied: Studied
    measures: Sequence[str]
    study: TupleStudy

    @property
    def alone(self) -> SingleJudges:
        rows = [
            SingleRow(**row) for m in self.measures for row in self.studied.results[f"alone/{m}"]
        ]
        return SingleJudges(self.study.judges, rows)

    def figures(self, named: bool) -> list[StudyFigure]:
        """A picture for each measure; `named`: with the collection."""
        before, after = (
            (f"{self.studied.name}: ", f"-{stem(self.studied.name)}") if named else ("", "")
        )
        return [
            StudyFigure(f"table-2-{i}{after}",
                        f"{before}tau_ap of {name} by the number of merged judges",
                        TupleLines(self.study, name))
            for i, name in enumerate(dict.fromkeys(row.measure for row in self.study.rows), 1)
        ]  # fmt: skip

    def remark(self, named: bool) -> str:
        study, before = self.study, f"{self.studied.name}: " if named else ""
        numbers = f"{len(study.judges)} judges, {study.systems} systems, {study.topics} topics."
        return before + numbers


def _side_by_side(table: StudyTable, parts: Sequence[_Part]) -> StudyTable:
    """The table, without its first column where there is one collection only."""
    if len(parts) > 1:
        return table
    return replace(table, header=table.header[1:], rows=[row[1:] for row in table.rows])


def score_alone(
    data: StudyData, seed: int, name: str, rel: int, drop_empty: bool
) -> list[dict[str, Any]]:
    """A job: every judge alone, by one measure."""
    found = single_judges(
        data.judgments, data.runs, name, data.gold, rel, drop_empty=drop_empty
    )  # fmt: skip
    return [asdict(row) for row in found.rows]


def _table_1(parts: Sequence[_Part]) -> StudyTable:
    header = ["systems", "gold", "measure", "mean tau", "+- tau", "mean tau_ap", "+- tau_ap"]
    title = "tau and tau_ap averaged over judges, with 95 % confidence intervals"
    rows = [[part.studied.name, *row[:6]] for part in parts for row in part.alone.table().rows]
    return _side_by_side(StudyTable("table-1", title, header, rows), parts)
