"""Random relevance with crowd judges (CS section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from hungjury.named import flag, param, whole
from hungjury.studies.data import StudyData
from hungjury.studies.each_judge import SingleJudges, SingleRow, single_judges
from hungjury.studies.figures import TupleLines
from hungjury.studies.gold import DETERMINISTIC, RANDOMISED
from hungjury.studies.papers.panels import gathered, sizes_of_tuples, tuple_jobs
from hungjury.studies.recipe import RECIPES, Recipe, Report, StudyFigure, names
from hungjury.studies.runner import Job
from hungjury.studies.study_table import Cell, StudyTable
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

    def report(self, data: StudyData, results: Mapping[str, Any]) -> Report:
        study = gathered(data, results, **self._how())
        alone = [SingleRow(**row) for m in self.measures for row in results[f"alone/{m}"]]
        measures = list(dict.fromkeys(row.measure for row in study.rows))
        return Report(
            [
                _table_1(SingleJudges(study.judges, alone)),
                self._table_2(study, "tau_ap", "table-2"),
                self._table_2(study, "tau", "table-2-tau"),
            ],
            [
                StudyFigure(f"table-2-{i}", f"tau_ap of {name} by the number of merged judges",
                            TupleLines(study, name))
                for i, name in enumerate(measures, 1)
            ],
            [f"{len(study.judges)} judges, {study.systems} systems, {study.topics} topics; "
             f"up to {self.tuples} tuples of each size. DGS: gold labels as they are; RGS: gold "
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

    def _table_2(self, study: TupleStudy, what: str, name: str) -> StudyTable:
        cells = {(r.measure, r.gold, r.approach, r.size): r for r in study.rows}
        sizes = sorted({row.size for row in study.rows})
        if not self.sizes:
            sizes = [k for k in sizes if k in PRINTED or k == sizes[-1]]
        rows: list[list[Cell]] = []
        for measure in dict.fromkeys(row.measure for row in study.rows):
            for gold, approach, label in LINES:
                mine = [cells[measure, gold, approach, k] for k in sizes]
                rows.append([gold, label, mine[0].by, *(getattr(row, what) for row in mine)])
        title = f"{what} for different merging strategies and numbers M of merged judges"
        header = ["gold", "merge", "measure", *(f"M={k}" for k in sizes)]
        return StudyTable(name, title, header, rows)


def score_alone(
    data: StudyData, seed: int, name: str, rel: int, drop_empty: bool
) -> list[dict[str, Any]]:
    """A job: every judge alone, by one measure."""
    found = single_judges(
        data.judgments, data.runs, name, data.gold, rel, drop_empty=drop_empty
    )  # fmt: skip
    return [asdict(row) for row in found.rows]


def _table_1(found: SingleJudges) -> StudyTable:
    header = ["gold", "measure", "mean tau", "+- tau", "mean tau_ap", "+- tau_ap"]
    title = "tau and tau_ap averaged over judges, with 95 % confidence intervals"
    return StudyTable("table-1", title, header, [row[:6] for row in found.table().rows])
