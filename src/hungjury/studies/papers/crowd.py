"""Random relevance with crowd judges (CS section 4), and what the paper claims about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np

from hungjury.base.parameters import flag, integer, param
from hungjury.base.records import Record
from hungjury.base.tables import Cell, Table
from hungjury.studies.claims import (
    RESAMPLES,
    ROUNDING,
    Claim,
    Quantity,
    Resampling,
    beside_print,
    least,
    mean_of_all,
    sensitivity_tables,
    within,
)
from hungjury.studies.data import StudyData
from hungjury.studies.gold import (
    CONSTANT,
    DETERMINISTIC,
    RANDOMISED,
    Doubt,
    SingleJudges,
    SingleRow,
    TupleRow,
    TupleStudy,
    single_judges,
)
from hungjury.studies.jobs import Job
from hungjury.studies.papers.panels import (
    SIZES,
    crowd_beside,
    join_jobs,
    panel_remarks,
    sizes_of_tuples,
    tuple_jobs,
)
from hungjury.studies.papers.published import printed_numbers, printed_rows
from hungjury.studies.recipe import (
    RECIPES,
    Drawing,
    Recipe,
    Report,
    Studied,
    file_stem,
    names,
    probabilities,
)

MEASURES = ("AP", "DCG(base=10)", "RBP(p=0.8)")
TUPLES = 10
WRONG = (0.05, 0.01, 0.1)  # the paper has the first; on documents without a label it is silent
UNJUDGED = (0.0, 0.01, 0.03, 0.05)
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
    """Measures of random relevance for single judges, and for merging several."""

    paper: ClassVar[str] = "Ferrante et al. 2019, Tables 1 and 2"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    published: ClassVar[Mapping[str, Any]] = {
        "drop_empty": True, "wrong": (0.05,), "unjudged": (0.0,),
    }  # fmt: skip
    measures: tuple[str, ...] = param(
        MEASURES, kind=names, doc="AP, RBP or DCG(base=...), which have an expected counterpart"
    )
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade")
    sizes: tuple[int, ...] = param(
        (), kind=sizes_of_tuples, doc="numbers of judges to merge; default: 2 to all but one"
    )
    tuples: int = param(TUPLES, kind=integer, low=1, doc="random tuples of each size")
    drop_empty: bool = param(
        False, kind=flag, doc="drop judges with no relevant document on some topic"
    )
    wrong: tuple[float, ...] = param(
        WRONG, kind=probabilities, doc="P(wrong) of labels; tables use the first value"
    )
    unjudged: tuple[float, ...] = param(
        UNJUDGED,
        kind=probabilities,
        doc="P(relevant) of unjudged documents; tables use the first value",
    )
    resamples: int = param(
        RESAMPLES, kind=integer, low=20, doc="draws of topics, judges and tuples for intervals"
    )

    @property
    def doubts(self) -> list[Doubt]:
        """Degrees of trust in labels; the choice of the tables comes first."""
        return [Doubt(wrong, unjudged) for wrong in self.wrong for unjudged in self.unjudged]

    @property
    def chosen_measures(self) -> tuple[str, ...]:
        return self.measures

    def jobs(self, data: StudyData) -> list[Job]:
        alone = [
            Job(f"alone/{m}", score_alone, {"name": m, **self._labels()}, draws="tuples")
            for m in self.measures
        ]
        return [*alone, *tuple_jobs(data, self._scoring(), self._combining())]

    def report(self, studied: Sequence[Studied]) -> Report:
        doubts = self.doubts
        how = self._scoring(), self._combining()
        parts = [
            _Part(one, self.measures, join_jobs(one.data, one.results, *how)) for one in studied
        ]
        several = len(parts) > 1
        printed = {systems: printed_claims(systems) for systems in printed_numbers("panel systems")}
        choices = {
            str(doubt): beside_print(
                [claim for part in parts for claim in part.claims(doubt, several)], printed
            )
            for doubt in doubts
        }
        what = "P(wrong) of labels and P(relevant) of documents without a label"
        table_1, table_2 = _table_1(parts, doubts[0]), self._table_2(parts, "tau_ap")
        found = {part.studied.name: part.study for part in parts}
        shown = {
            "table-1": table_1,
            "table-2": table_2,
            "table-2-tau": self._table_2(parts, "tau"),
            "single-judges": _nearer(parts, doubts),
        }
        return Report(
            {
                **sensitivity_tables(choices, what),
                **(shown if several else {n: _without_systems(t) for n, t in shown.items()}),
                **crowd_beside(found, table_1, table_2),
            },
            {name: one for part in parts for name, one in part.figures(several).items()},
            [*(part.remark(several) for part in parts),
             f"Up to {self.tuples} tuples of each size. DGS: gold labels as they are; RGS: gold "
             f"labels wrong with probability {doubts[0].wrong:g}. In all lines of Tables 1 and 2 "
             "documents without a label are relevant with probability "
             f"{doubts[0].unjudged:g} where the measure is an expected one, and not relevant "
             "elsewhere. AWARE has uniform weights, EM begins with the majority. In the figures "
             f"all approaches are compared with DGS. The {CONSTANT} is a control to whom no "
             "document is relevant.",
             *panel_remarks(found)],
            choices[str(doubts[0])],
        )  # fmt: skip

    def _labels(self) -> dict[str, Any]:
        """Arguments on labels, for jobs of single judges and of tuples."""
        return {
            "rel": self.rel,
            "drop_empty": self.drop_empty,
            "doubts": tuple((doubt.wrong, doubt.unjudged) for doubt in self.doubts),
            "resamples": self.resamples,
        }

    def _scoring(self) -> dict[str, Any]:
        both = (DETERMINISTIC, RANDOMISED)
        return {"measures": self.measures, "standards": both, **self._labels()}

    def _combining(self) -> dict[str, Any]:
        return {
            "approaches": ("mv", "em-mv", "uni", "binmv", "qbinmv"),
            "sizes": self.sizes or None,
            "tuples": self.tuples,
        }

    def _table_2(self, parts: Sequence[_Part], what: str) -> Table:
        """A block for each set of systems, in the sizes that any of them has."""
        main = ((None, None), (self.unjudged[0], None), (self.unjudged[0], self.wrong[0]))
        sizes = sorted({size for part in parts for size in part.study.sizes})
        if not self.sizes:
            last = {part.study.sizes[-1] for part in parts}
            sizes = [k for k in sizes if k in PRINTED or k in last]
        rows: list[list[Cell]] = []
        for part in parts:
            cells = {
                (r.measure, r.gold, r.approach, r.size): r
                for r in part.study.rows
                if (r.unjudged, r.wrong) in main
            }
            for measure in part.study.measures:
                for gold, approach, label in LINES:
                    mine = [cells.get((measure, gold, approach, k)) for k in sizes]
                    by = next(row.by for row in mine if row is not None)
                    values = (None if row is None else getattr(row, what) for row in mine)
                    rows.append([part.studied.name, gold, label, by, *values])
            for row in part.alone:
                if row.control and row.doubt == self.doubts[0]:
                    same = [float(getattr(row, what)[0])] * len(sizes)
                    rows.append([part.studied.name, row.gold, CONSTANT, row.by, *same])
        title = f"Table 2: {what} for different merging strategies and numbers M of merged judges"
        header = ["systems", "gold", "merge", "measure", *(f"M={k}" for k in sizes)]
        return Table(header, rows, caption=title)


class _Part(Record, eq=False):
    """One set of systems and its judges, and what was found about them."""

    studied: Studied
    measures: Sequence[str]
    study: TupleStudy

    @cached_property
    def alone(self) -> list[SingleRow]:
        stored = (self.studied.results[f"alone/{m}"] for m in self.measures)
        return [_single_row(row) for rows in stored for row in rows]

    def claims(self, doubt: Doubt, named: bool) -> list[Claim]:
        """Labels trusted in one way; `named`: with the collection."""
        found = crowd_claims(self.study, self.alone, doubt)
        before = f"{self.studied.name}, " if named else ""
        return [replace(one, case=f"{before}{one.case}") for one in found]

    def figures(self, named: bool) -> dict[str, Drawing]:
        """A picture for each measure; `named`: with the collection."""
        name = self.studied.name
        before, after = (f"{name}: ", f"-{file_stem(name)}") if named else ("", "")
        return {
            f"tau_ap-{file_stem(measure)}{after}": Drawing(
                f"{before}tau_ap of {measure} by the number of merged judges",
                "draw_tuples",
                (self.study, measure),
            )
            for measure in self.study.measures
        }

    def remark(self, named: bool) -> str:
        study, before = self.study, f"{self.studied.name}: " if named else ""
        numbers = f"{len(study.judges)} judges, {study.systems} systems, {study.topics} topics."
        return before + numbers


def _without_systems(table: Table) -> Table:
    """The table without its first column, which says nothing where there is one collection."""
    return replace(table, columns=table.columns[1:], rows=[row[1:] for row in table.rows])


def score_alone(
    data: StudyData,
    seed: int,
    name: str,
    rel: int,
    drop_empty: bool,
    doubts: Sequence[tuple[float, float]],
    resamples: int,
) -> list[dict[str, Any]]:
    """A job: every judge alone, by one measure."""
    found = single_judges(
        data.judgments, data.runs, name, data.gold, rel, drop_empty=drop_empty,
        doubts=[Doubt(*one) for one in doubts], resampling=Resampling(resamples, seed),
    )  # fmt: skip
    return [asdict(row) for row in found.rows]


def _single_row(stored: dict[str, Any]) -> SingleRow:
    doubt = stored["doubt"]
    return SingleRow(**stored | {"doubt": None if doubt is None else Doubt(**doubt)})


def _table_1(parts: Sequence[_Part], doubt: Doubt) -> Table:
    header = ["systems", "gold", "measure", "mean tau", "+- tau", "mean tau_ap", "+- tau_ap"]
    title = "Table 1: tau and tau_ap averaged over judges, with 95 % confidence intervals"
    rows: list[list[Cell]] = []
    for part in parts:
        first = [row for row in part.alone if row.doubt in (None, doubt)]
        table = SingleJudges(part.study.judges, first).table()
        rows += [[part.studied.name, *row[:6]] for row in table.rows]
    return Table(header, rows, caption=title)


def _nearer(parts: Sequence[_Part], doubts: Sequence[Doubt]) -> Table:
    """Single judges under each doubt: mean tau_ap, and how many come nearer to gold."""
    rows: list[list[Cell]] = []
    for part in parts:
        found = {(row.measure, row.gold, row.doubt): row for row in part.alone if not row.control}
        for itself, gold, doubt in product(
            (row for row in part.alone if row.doubt is None), (DETERMINISTIC, RANDOMISED), doubts
        ):
            row = found[itself.measure, gold, doubt]
            nearer = int((row.tau_ap > itself.tau_ap + ROUNDING).sum())
            rows.append([
                part.studied.name, itself.measure, gold, doubt.wrong, doubt.unjudged,
                float(itself.tau_ap.mean()), float(row.tau_ap.mean()), nearer,
            ])  # fmt: skip
    header = ["systems", "measure", "gold", "wrong", "unjudged", "tau_ap of the measure",
              "tau_ap of the expected one", "judges nearer"]  # fmt: skip
    title = "Single judges by how far labels are trusted; how many come nearer to gold"
    return Table(header, rows, caption=title)


FEW, MANY = 5, 20  # judges: up to, and from
ALIKE = 0.05  # a difference of tau_ap up to which merges compete
LABELS = ("mv", "em-mv", "uni")  # merges to labels, and of measures: MV, EM and AWARE
ALONE, MERGED = "judges, topics", "tuples, topics"


def crowd_claims(study: TupleStudy, alone: Sequence[SingleRow], doubt: Doubt) -> list[Claim]:
    """All claims of the paper (CS 4.2 and 4.3), for every measure."""
    return [claim for one in study.measures for claim in _Found(study, alone, doubt, one).claims()]


def printed_claims(systems: str) -> list[Claim]:
    """The claims on Tables 1 and 2 as printed, for one of the paper's sets of systems."""
    doubt, whose = Doubt(), {label: approach for _, approach, label in LINES}
    alone = []
    for _, gold, by, tau, _, tau_ap, _ in (r for r in printed_rows("crowd 1") if r[0] == systems):
        measure, near = by.removeprefix("eR"), np.array([float(tau_ap)])
        expected = None if by == measure else doubt
        alone.append(
            SingleRow(measure, by, gold, np.array([float(tau)]), near, near, expected, near)
        )
    rows = []
    for _, gold, label, by, *cells in (r for r in printed_rows("crowd 2") if r[0] == systems):
        chances = (doubt.unjudged, doubt.wrong if gold == RANDOMISED else None)
        given = (None, None) if whose[label] in LABELS else chances
        for size, cell in zip(SIZES, cells, strict=True):
            name = by.removeprefix("eR")
            numbers = (np.nan, np.nan, float(cell), np.nan, np.nan, np.nan)
            rows.append(TupleRow(name, size, whose[label], gold, by, TUPLES, *numbers, *given))
    draws = np.array([[row.tau_ap] for row in rows])
    judges, topics, number = map(int, printed_numbers("panel systems")[systems])
    study = TupleStudy(rows, [""] * judges, number, topics, 0, {"tau_ap": draws})
    return crowd_claims(study, alone, doubt)


class _Found(Record):
    """Everything by one measure, labels trusted in one way."""

    study: TupleStudy
    alone: Sequence[SingleRow]
    doubt: Doubt
    measure: str

    def claims(self) -> list[Claim]:
        return [*self._of_single_judges(), *self._of_merges(), *self._of_probabilities()]

    def _claim(self, text: str, measured: str, quantity: Quantity, over: str = MERGED) -> Claim:
        return Claim(text, self.measure, measured, quantity, over)

    @property
    def _family(self) -> str:
        return self.measure.partition("(")[0]

    def _of_single_judges(self) -> list[Claim]:
        labels = self._single(DETERMINISTIC, None)
        expected = {gold: self._single(gold, self.doubt) for gold in (DETERMINISTIC, RANDOMISED)}
        behind = labels - expected[DETERMINISTIC]
        if self._family == "RBP":
            said = "Against DGS, RBP and eRRBP are almost the same"
            measured, quantity = f"{ALIKE:g} - their difference, DGS", within(behind, ALIKE)
        else:
            said = "Against DGS, measures of labels tend to be nearer"
            measured, quantity = "measure - expected measure, DGS", behind
        return [
            self._claim("Random measures against RGS are nearer to gold than measures against DGS",
                        "expected measure, RGS - measure, DGS",
                        expected[RANDOMISED] - labels, ALONE),
            self._claim(said, measured, quantity, ALONE),
        ]  # fmt: skip

    def _of_merges(self) -> list[Claim]:
        single, sizes = self._single(DETERMINISTIC, None), self.study.sizes
        many = [k for k in sizes if k >= MANY] or sizes[-1:]  # where there are fewer judges, all
        mv, em, uni = (self._mean(approach, many) for approach in LABELS)
        few_mv, few_em, few_uni = (self._few(approach) for approach in LABELS)
        return [
            self._claim("All merges are nearer to gold than single judges",
                        "the worst merge - single judges, DGS",
                        least(*map(self._all, (*LABELS, "binmv", "qbinmv"))) - single),
            self._claim("MV is the best merge of labels or measures of many judges",
                        f"MV - the better of EM and AWARE, {MANY} judges and more",
                        least(mv - em, mv - uni)),
            self._claim("AWARE is competitive for few judges",
                        f"AWARE - the better of MV and EM + {ALIKE:g}, up to {FEW} judges",
                        least(few_uni - few_mv, few_uni - few_em) + ALIKE),
            self._claim("EM almost never reaches MV", "MV - EM",
                        self._all("mv") - self._all("em-mv")),
        ]  # fmt: skip

    def _of_probabilities(self) -> list[Claim]:
        """Claims for eRRBP differ from those for eRAP and eRDCG, as in the paper."""
        labels = mean_of_all(map(self._all, LABELS))
        binmv = {gold: self._all("binmv", gold) for gold in (DETERMINISTIC, RANDOMISED)}
        few = self._few("binmv")
        if self._family == "RBP":
            own = [
                self._claim(f"With eRRBP, BINMV improves over {name} for few judges",
                            f"BINMV - {name}, DGS, up to {FEW} judges", few - self._few(approach))
                for name, approach in (("MV", "mv"), ("AWARE", "uni"))
            ]  # fmt: skip
        else:
            own = [
                self._claim("Against DGS, MV, EM and AWARE tend to be better than BINMV",
                            "mean of the three - BINMV, DGS", labels - binmv[DETERMINISTIC])
            ]  # fmt: skip
        return [
            *own,
            self._claim("BINMV against RGS often outperforms MV, EM and AWARE",
                        "BINMV, RGS - mean of the three", binmv[RANDOMISED] - labels),
            *(self._claim(f"QBINMV is typically better than BINMV against {gold}",
                          f"QBINMV - BINMV, {gold}", self._all("qbinmv", gold) - binmv[gold])
              for gold in (DETERMINISTIC, RANDOMISED)),
            self._claim("QBINMV is often better than MV, EM and AWARE",
                        "QBINMV, DGS - mean of the three", self._all("qbinmv") - labels),
        ]  # fmt: skip

    def _single(self, gold: str, doubt: Doubt | None) -> Quantity:
        wanted = (self.measure, gold, doubt, False)
        (row,) = [r for r in self.alone if (r.measure, r.gold, r.doubt, r.control) == wanted]
        assert row.draws is not None
        return Quantity(float(row.tau_ap.mean()), row.draws)

    def _all(self, approach: str, gold: str = DETERMINISTIC) -> Quantity:
        return self._mean(approach, self.study.sizes, gold)

    def _few(self, approach: str) -> Quantity:
        sizes = self.study.sizes
        return self._mean(approach, [k for k in sizes if k <= FEW] or sizes[:1])

    def _mean(self, approach: str, sizes: list[int], gold: str = DETERMINISTIC) -> Quantity:
        doubt = None if approach in LABELS else self.doubt
        return self.study.quantity("tau_ap", self.measure, approach, sizes, gold, doubt)
