"""Random relevance with crowd judges (CS section 4), and what the paper claims about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any, ClassVar

import numpy as np

from hungjury.base.parameters import integer, measure_names, param, probabilities
from hungjury.base.results import Cell, Table
from hungjury.studies.claims import (
    ROUNDING,
    Claim,
    Quantity,
    Resampling,
    beside_print,
    in_cases,
    sensitivity,
)
from hungjury.studies.combining import TupleStudy
from hungjury.studies.data import StudyData
from hungjury.studies.gold import CONSTANT, STANDARDS, Doubt, SingleJudges, SingleRow, single_judges
from hungjury.studies.jobs import Job
from hungjury.studies.papers import panels, published
from hungjury.studies.recipe import Drawing, Report, Studied, before, file_stem

MEASURES = ("AP", "DCG(base=10)", "RBP(p=0.8)")
TUPLES = 10
WRONG = (0.05, 0.01, 0.1)  # the paper has the first; on documents without a label it is silent
UNJUDGED = (0.0, 0.01, 0.03, 0.05)
SIZES = (2, 3, 4, 5, 10, 20, 30)  # of Table 2; the last one is all judges but one
APPROACHES = ("mv", "em-mv", "uni", "binmv", "qbinmv")


class Crowd(panels.PanelRecipe, called="crowd"):
    """Measures of random relevance for single judges, and for merging several."""

    paper: ClassVar[str] = "Ferrante et al. 2019, Tables 1 and 2"
    published: ClassVar[Mapping[str, Any]] = {
        "drop_empty": True, "wrong": (0.05,), "unjudged": (0.0,),
    }  # fmt: skip
    measures: tuple[str, ...] = param(
        MEASURES,
        kind=measure_names,
        doc="AP, RBP or DCG(base=...), which have an expected counterpart",
    )
    tuples: int = param(TUPLES, kind=integer, low=1, doc="random tuples of each size")
    wrong: tuple[float, ...] = param(
        WRONG, kind=probabilities, doc="P(wrong) of labels; tables use the first value"
    )
    unjudged: tuple[float, ...] = param(
        UNJUDGED,
        kind=probabilities,
        doc="P(relevant) of unjudged documents; tables use the first value",
    )

    @property
    def doubts(self) -> list[Doubt]:
        """Degrees of trust in labels; the choice of the tables comes first."""
        return [Doubt(wrong, unjudged) for wrong in self.wrong for unjudged in self.unjudged]

    def scoring(self) -> dict[str, Any]:
        doubts = tuple((doubt.wrong, doubt.unjudged) for doubt in self.doubts)
        return super().scoring() | {"standards": STANDARDS, "doubts": doubts}

    def jobs(self, data: StudyData) -> list[Job]:
        how = {name: one for name, one in self.scoring().items() if name != "standards"}
        alone = [
            Job(f"alone/{one}", score_alone, how | {"measures": one}, draws="tuples")
            for one in self.measures
        ]
        return [*alone, *self.tuple_jobs(data, approaches=APPROACHES)]

    def report(self, studied: Sequence[Studied]) -> Report:
        doubts, found = self.doubts, self.joined(studied, approaches=APPROACHES)
        alone = {
            one.name: [_single_row(row) for m in self.measures for row in one.results[f"alone/{m}"]]
            for one in studied
        }
        printed = {
            systems: printed_claims(systems) for systems in published.numbers("panel systems")
        }
        choices = {}
        for doubt in doubts:
            claims = {name: crowd_claims(found[name], alone[name], doubt) for name in found}
            choices[str(doubt)] = beside_print(in_cases(claims), printed)
        what = "P(wrong) of labels and P(relevant) of documents without a label"
        shown = {
            "table-1": _table_1(alone, doubts[0]),
            "table-2": self._table_2(found, alone, "tau_ap"),
            "table-2-tau": self._table_2(found, alone, "tau"),
            "single-judges": _nearer(alone, doubts),
        }
        beside = crowd_beside(found, shown["table-1"], shown["table-2"])
        shown = {name: panels.unnamed(table) for name, table in shown.items()}
        figures = {
            file_stem("tau_ap", one, name): Drawing(
                f"{before(name)}tau_ap of {one} by the number of merged judges",
                "draw_tuples",
                (study, one),
            )
            for name, study in found.items()
            for one in study.measures
        }
        remark = (
            f"Up to {self.tuples} tuples of each size. DGS: gold labels as they are; RGS: gold "
            f"labels wrong with probability {doubts[0].wrong:g}. In all lines of Tables 1 and 2 "
            "documents without a label are relevant with probability "
            f"{doubts[0].unjudged:g} where the measure is an expected one, and not relevant "
            "elsewhere. AWARE has uniform weights, EM begins with the majority. In the figures "
            f"all approaches are compared with DGS. The {CONSTANT} is a control to whom no "
            "document is relevant."
        )
        return Report(
            {**sensitivity(choices, what), **shown, **beside, **figures},
            panels.remarks(found, remark),
            choices[str(doubts[0])],
        )

    def _table_2(
        self, found: Mapping[str, TupleStudy], alone: Mapping[str, Sequence[SingleRow]], what: str
    ) -> Table:
        """A block for each set of systems, in the sizes that any of them has."""
        main = ((None, None), (self.unjudged[0], None), (self.unjudged[0], self.wrong[0]))
        sizes = sorted({size for study in found.values() for size in study.sizes})
        if not self.sizes:
            last = {study.sizes[-1] for study in found.values()}
            sizes = [k for k in sizes if k in SIZES[:-1] or k in last]
        rows: list[list[Cell]] = []
        lines = published.rows_of("crowd lines")
        for name, study in found.items():
            cells = {
                (r.measure, r.gold, r.approach, r.size): r
                for r in study.rows
                if (r.unjudged, r.wrong) in main
            }
            for measure, (gold, approach, label) in product(study.measures, lines):
                mine = [cells.get((measure, gold, approach, k)) for k in sizes]
                by = next(row.by for row in mine if row is not None)
                values = (None if row is None else getattr(row, what) for row in mine)
                rows.append([name, gold, label, by, *values])
            for row in alone[name]:
                if row.control and row.doubt == self.doubts[0]:
                    same = [float(getattr(row, what)[0])] * len(sizes)
                    rows.append([name, row.gold, CONSTANT, row.by, *same])
        title = f"Table 2: {what} for different merging strategies and numbers M of merged judges"
        header = ["systems", "gold", "merge", "measure", *(f"M={k}" for k in sizes)]
        return Table(header, rows, caption=title)


def score_alone(
    data: StudyData, seed: int, doubts: Sequence[tuple[float, float]], resamples: int, **how: Any
) -> list[dict[str, Any]]:
    """A job: every judge alone. how: further arguments of `single_judges`."""
    found = single_judges(
        data.judgments, data.runs, gold=data.gold, doubts=[Doubt(*one) for one in doubts],
        resampling=Resampling(resamples, seed), **how,
    )  # fmt: skip
    return [asdict(row) for row in found.rows]


def _single_row(stored: dict[str, Any]) -> SingleRow:
    doubt = stored["doubt"]
    return SingleRow(**stored | {"doubt": None if doubt is None else Doubt(**doubt)})


def _table_1(alone: Mapping[str, Sequence[SingleRow]], doubt: Doubt) -> Table:
    header = ["systems", "gold", "measure", "mean tau", "+- tau", "mean tau_ap", "+- tau_ap"]
    title = "Table 1: tau and tau_ap averaged over judges, with 95 % confidence intervals"
    rows: list[list[Cell]] = []
    for name, each in alone.items():
        first = [row for row in each if row.doubt in (None, doubt)]
        rows += [[name, *row[:6]] for row in SingleJudges([], first).table().rows]
    return Table(header, rows, caption=title)


def _nearer(alone: Mapping[str, Sequence[SingleRow]], doubts: Sequence[Doubt]) -> Table:
    """Single judges under each doubt: mean tau_ap, and how many come nearer to gold."""
    rows: list[list[Cell]] = []
    for name, each in alone.items():
        found = {(row.measure, row.gold, row.doubt): row for row in each if not row.control}
        for itself, gold, doubt in product(
            (row for row in each if row.doubt is None), STANDARDS, doubts
        ):
            row = found[itself.measure, gold, doubt]
            nearer = int((row.tau_ap > itself.tau_ap + ROUNDING).sum())
            rows.append([
                name, itself.measure, gold, doubt.wrong, doubt.unjudged,
                float(itself.tau_ap.mean()), float(row.tau_ap.mean()), nearer,
            ])  # fmt: skip
    header = ["systems", "measure", "gold", "wrong", "unjudged", "tau_ap of the measure",
              "tau_ap of the expected one", "judges nearer"]  # fmt: skip
    title = "Single judges by how far labels are trusted; how many come nearer to gold"
    return Table(header, rows, caption=title)


def crowd_beside(
    studies: Mapping[str, TupleStudy], table_1: Table, table_2: Table
) -> dict[str, Table]:
    """Tables 1 and 2 with the printed numbers; nothing for other collections."""
    known = panels.known_systems(studies)
    numbers_1 = {tuple(row[:3]): row[3:] for row in published.rows_of("crowd 1")}
    numbers_2 = {tuple(row[:4]): row[4:] for row in published.rows_of("crowd 2")}
    first: list[list[Cell]] = []
    for title, gold, by, *values in table_1.rows:
        key = (known.get(str(title), ""), str(gold), _family(by))
        for what, i in (("tau", 0), ("tau_ap", 2)) if key in numbers_1 else ():
            first.append([*key, what, values[i], numbers_1[key][i]])
    second: list[list[Cell]] = []
    for title, gold, approach, by, *values in table_2.rows:
        merge = (known.get(str(title), ""), str(gold), str(approach), _family(by))
        numbers = dict(zip(SIZES, numbers_2.get(merge, ()), strict=False))
        for head, value in zip(table_2.columns[4:], values, strict=True):
            size = int(head[2:])
            if size in numbers:
                second.append([*merge, size, value, numbers[size]])
    heads = ("systems", "gold", "measure", "")
    more = ("systems", "gold", "merge", "measure", "M")
    return {
        **published.beside("table-1", heads, first, "paper"),
        **published.beside("table-2", more, second, "paper: tau_ap"),
    }


def _family(measure: Cell) -> str:
    """A measure without its parameters, as the papers write it."""
    return str(measure).partition("(")[0]


FEW, MANY = 5, 20  # judges: up to, and from
LABELS = ("mv", "em-mv", "uni")  # merges to labels, and of measures: MV, EM and AWARE


Single = Callable[[str, bool], Quantity]  # by gold standard, and whether the measure is expected
Combined = Callable[[str, Sequence[int], str], Quantity]  # by approach, sizes, gold standard


def crowd_claims(study: TupleStudy, alone: Sequence[SingleRow], doubt: Doubt) -> list[Claim]:
    """All claims of the paper (CS 4.2 and 4.3), for every measure; labels trusted in one way."""

    def claims(measure: str) -> list[Claim]:
        def single(gold: str, expected: bool) -> Quantity:
            wanted = (measure, gold, doubt if expected else None, False)
            (row,) = [r for r in alone if (r.measure, r.gold, r.doubt, r.control) == wanted]
            assert row.draws is not None
            return Quantity(float(row.tau_ap.mean()), row.draws, "judges, topics")

        def combined(approach: str, sizes: Sequence[int], gold: str) -> Quantity:
            trusted = None if approach in LABELS else doubt
            return study.quantity("tau_ap", measure, approach, sizes, gold, trusted)

        return _claims_by(_family(measure), study.sizes, single, combined)

    return in_cases({one: claims(one) for one in study.measures})


def printed_claims(systems: str) -> list[Claim]:
    """The claims on Tables 1 and 2 as printed, for one of the paper's sets of systems."""
    alone = {tuple(row[1:3]): row[5] for row in published.rows_of("crowd 1") if row[0] == systems}
    merged = {tuple(row[1:4]): row[4:] for row in published.rows_of("crowd 2") if row[0] == systems}
    labels = {approach: label for _, approach, label in published.rows_of("crowd lines")}

    def claims(measure: str) -> list[Claim]:
        def single(gold: str, expected: bool) -> Quantity:
            value = float(alone[gold, f"eR{measure}" if expected else measure])
            return Quantity(value, np.array([value]))

        def combined(approach: str, sizes: Sequence[int], gold: str) -> Quantity:
            by = measure if approach in LABELS else f"eR{measure}"
            cells = dict(zip(SIZES, merged[gold, labels[approach], by], strict=True))
            value = float(np.mean([float(cells[size]) for size in sizes]))
            return Quantity(value, np.array([value]))

        return _claims_by(measure, SIZES, single, combined)

    return in_cases({one: claims(one) for one in map(_family, MEASURES)})


def _claims_by(
    measure: str, sizes: Sequence[int], single: Single, combined: Combined
) -> list[Claim]:
    """Claims by one measure. Those for eRRBP differ from those for eRAP and eRDCG, as in the
    paper."""
    few_sizes = [k for k in sizes if k <= FEW] or sizes[:1]
    many_sizes = [k for k in sizes if k >= MANY] or sizes[-1:]  # with fewer judges, all

    def among(sizes: Sequence[int]) -> Callable[..., Quantity]:
        return lambda approach, gold="DGS": combined(approach, sizes, gold)

    return published.claims(
        "crowd", rbp=measure == "RBP", others=measure != "RBP",
        labels=lambda gold: single(gold, False), expected=lambda gold: single(gold, True),
        every=among(sizes), few=among(few_sizes), many=among(many_sizes),
    )  # fmt: skip
