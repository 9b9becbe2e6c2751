"""Graded average precision: do GAP, xGAP and eGAP heed their users' thresholds? (XG, section 6)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import integer, number, param
from hungjury.base.tables import Cell, Joined, Table
from hungjury.measures.catalogue import measure
from hungjury.measures.catalogue.average_precision import GAP, eGAP, threshold_probabilities, xGAP
from hungjury.studies.data import StudyData
from hungjury.studies.downsampling import RATES
from hungjury.studies.figures import Drawing, Lines, RateLines
from hungjury.studies.jobs import Job
from hungjury.studies.papers.graded_claims import (
    COMPARED,
    GradedEvidence,
    beside_the_paper,
    graded_claims,
    in_words,
    topic_sets,
)
from hungjury.studies.papers.label_sets import (
    ClaimData,
    LabelRecipe,
    LabelSet,
    check_labels,
    correlation_job,
    distinct,
    headings,
    label_sets,
    places,
    pools_job,
    rate_table,
    relevant_from,
    score,
    shares,
)
from hungjury.studies.recipe import RECIPES, Report, Studied, names
from hungjury.studies.topics import run_quartiles

FAMILY = {"GAP": GAP, "xGAP": xGAP, "eGAP": eGAP}
DRAWN = {2: (0.1, 0.9), 3: (0.2, 0.2, 0.6)}  # Figures 1 and 2
ROUNDING = 1e-9
STEP = {2: 0.1}  # between thresholds' probabilities in Table 2; in Table 3 it is
COARSE = 0.2


@RECIPES.add("graded-ap")
class GradedAPRecipe(LabelRecipe):
    """GAP, xGAP and eGAP compared with other measures: correlation and robustness."""

    paper: ClassVar[str] = "Ferrante, Ferro and Maistro 2014, Tables 1 to 3 and Figures 1 and 2"
    needs: ClassVar[tuple[str, ...]] = ("systems", "graded gold")
    compared: tuple[str, ...] = param(COMPARED, kind=names, doc="measures to compare with")
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade of binary measures")
    step: float | None = param(
        None, kind=number, low=0.05, high=1,
        doc="step of the thresholds' probabilities; default: 0.1 for 2 relevant grades, else 0.2",
    )  # fmt: skip
    drawn: tuple[float, ...] | None = param(
        None,
        kind=threshold_probabilities,
        doc="values of g in the figures; default: as in the paper, for 2 or 3 grades",
    )
    rates: tuple[float, ...] = param(RATES, kind=shares, doc="shares of the pool that are kept")
    repetitions: int = param(20, kind=integer, low=1, doc="random pools for robustness")

    def check(self, data: StudyData) -> None:
        super().check(data)
        parts = 1 / (self.step or 1)
        if abs(parts - round(parts)) > ROUNDING:
            raise InputError(
                f"step is {self.step:g}, which does not divide 1",
                code="uneven-step",
                argument="step",
                remedy="use one over an integer, such as 0.1, 0.2 or 0.25",
            )
        tops = {whose: data.labels(whose).max_grade for whose in self.labels}
        if len(set(tops.values())) > 1:
            raise InputError(
                f"the labels' scales differ: largest grades {tops}",
                code="mixed-scales",
                remedy=("declare one scale with", Argument("grades")),
            )
        both = self.measures(data) | self._drawn_measures(data)
        check_labels(data, self.labels, dict.fromkeys(self.labels, both))

    def measures(self, data: StudyData) -> dict[str, str]:
        """All measures of the tables by their labels, those of the family followed by their g."""
        found = self._others(self._top(data))
        for g in self.grid(self._top(data)):
            found |= {f"{name} {in_words(g)}": str(kind(g=g)) for name, kind in FAMILY.items()}
        return found

    def grid(self, top: int) -> list[tuple[float, ...]]:
        """All threshold distributions whose probabilities are multiples of the step."""
        parts = round(1 / (self.step or STEP.get(top, COARSE)))
        return [tuple(n / parts for n in whole_parts) for whole_parts in _sums(parts, top)]

    def _top(self, data: StudyData) -> int:
        return data.labels(self.labels[0]).max_grade

    def _others(self, top: int) -> dict[str, str]:
        found = {}
        for text in self.compared:
            one = relevant_from(measure(text), self.rel)
            if one.name == "nDCG" and not getattr(one, "gains", None):
                one = one.but(gains={k: 5 * k for k in range(1, top + 1)})
            found[text] = str(one)
        return found

    def _drawn_measures(self, data: StudyData) -> dict[str, str]:
        top = self._top(data)
        g = self.drawn or DRAWN.get(top)
        if g is None:
            raise InputError(
                f"the paper draws no figure for {top} relevant grades",
                code="no-paper-case",
                remedy=(
                    "give the shares of users by their lowest satisfying grade as",
                    Argument("drawn"),
                ),
            )
        return {name: str(kind(g=g)) for name, kind in FAMILY.items()} | self._others(top)

    @property
    def chosen_measures(self) -> tuple[str, ...]:
        return self.compared

    def jobs(self, data: StudyData) -> list[Job]:
        found = []
        for whose in self.labels:
            systems = self._systems(data, whose)
            for name, topics in topic_sets(data, whose).items():
                if not topics:
                    continue
                part = {"labels": whose, "topics": topics, "systems": systems}
                all_of_them = part | {"measures": distinct(self.measures(data))}
                found.append(Job(f"correlation/{whose}/{name}", correlation_job, all_of_them))
                few = part | {"measures": distinct(self._drawn_measures(data)),
                              "rates": list(self.rates)}  # fmt: skip
                found += [
                    Job(f"pools/{whose}/{name}/{n}", pools_job, few)
                    for n in range(self.repetitions)
                ]
        return found

    def _systems(self, data: StudyData, whose: str) -> list[str]:
        """Runs above the first quartile of mean AP."""
        one = relevant_from(measure("AP"), self.rel)
        return run_quartiles(score(data, whose, [str(one)])).names

    def report(self, studied: Sequence[Studied]) -> Report:
        sets = label_sets(studied, self.labels)
        by_top: dict[int, list[LabelSet]] = {}
        for one in sets:
            by_top.setdefault(one.labels.max_grade, []).append(one)
        tables = {"table-1": self._features(sets)}
        figures: dict[str, Drawing] = {}
        for top, mine in by_top.items():
            # The paper's numbers: Table 2 and Figure 1 for two relevant grades, else 3 and 2.
            number = 2 if top == 2 else 3
            ending = f"-grades-{top + 1}" if top > 3 and sum(t > 2 for t in by_top) > 1 else ""
            table, figure = f"table-{number}{ending}", f"figure-{number - 1}{ending}"
            shown, lines = self._robustness(number, top, mine)
            heads = ("labels", "topics", "measure")
            tables[table] = self._correlations(number, mine)
            tables[figure] = rate_table(shown.title, lines, (1.0, *self.rates), heads)
            figures[figure] = shown
            tables |= beside_the_paper(table, mine, places(self.measures(mine[0].data)), self.rel)
        remark = (
            "Runs above the first quartile of mean AP; '-' without such a topic. Pool "
            "depth: the rank down to which most runs are judged without a gap on all topics."
        )
        claims = [claim for one in sets for claim in graded_claims(self._evidence(one))]
        return Report(tables, figures, [remark], claims)

    def _evidence(self, one: LabelSet) -> GradedEvidence:
        """By set of topics; sets of fewer than two topics say nothing."""
        kinds = self.measures(one.data), self._drawn_measures(one.data)
        names = [n for n, topics in topic_sets(one.data, one.whose).items() if len(topics) > 1]
        tables, figures = (
            {name: ClaimData(one, places(kind), self.rates, topics=name) for name in names}
            for kind in kinds
        )
        return GradedEvidence(self._top(one.data), tables, figures)

    def _robustness(
        self, number: int, top: int, sets: Sequence[LabelSet]
    ) -> tuple[RateLines, dict[tuple[str, ...], Floats]]:
        """Figures 1 and 2, and their lines."""
        lines = self._lines(sets)
        what = "Kendall's tau with the whole pool at pool reduction rates"
        title = f"Figure {number - 1}: {what}, g = {in_words(self.drawn or DRAWN[top])}"
        panels = [
            Lines(f"{one.title}, {name} ({len(topics)})",
                  {key[2]: line for key, line in lines.items() if key[:2] == (one.title, name)})
            for one in sets for name, topics in topic_sets(one.data, one.whose).items()
        ]  # fmt: skip
        return RateLines(title, panels, (1.0, *self.rates), "Kendall's τ", top), lines

    def _lines(self, sets: Sequence[LabelSet]) -> dict[tuple[str, ...], Floats]:
        """{(labels, topics, measure): a value for each rate}, where there are such topics."""
        place = places(self._drawn_measures(sets[0].data))
        found: dict[tuple[str, ...], Floats] = {}
        for one in sets:
            for name, topics in topic_sets(one.data, one.whose).items():
                if topics:
                    mean = one.pool_mean("tau", name)
                    found |= {(one.title, name, label): mean[i] for label, i in place.items()}
        return found

    def _correlations(self, number: int, sets: Sequence[LabelSet]) -> Table:
        """Tables 2 and 3: a block of three rows for each g."""
        data = sets[0].data
        measures, top = self.measures(data), self._top(data)
        place = places(measures)

        def cell(found_in: LabelSet, one: str, other: str) -> Joined:
            topics = tuple(topic_sets(found_in.data, found_in.whose))
            each = [found_in.result("correlation", name) for name in topics]
            values = tuple(
                float("nan") if found is None
                else float(np.asarray(found["tau"])[place[one], place[other]])
                for found in each
            )  # fmt: skip
            return Joined(values, topics)

        rows: list[list[Cell]] = []
        for g in self.grid(top):
            columns = [f"GAP {in_words(g)}", *self.compared]
            for name in FAMILY:
                one = f"{name} {in_words(g)}"
                cells = [cell(mine, one, other) for mine in sets for other in columns]
                rows.append([in_words(g), name, *cells])
        header = ["g", "", *headings(sets, ["GAP", *self.compared])]
        title = f"Table {number}: Kendall's tau, {' / '.join(topic_sets(data, self.labels[0]))}"
        return Table(header, rows, digits=2, caption=title)

    def _features(self, sets: Sequence[LabelSet]) -> Table:
        """Table 1: what the labels look like."""
        most = max(sets, key=lambda one: one.labels.max_grade)
        few_names = list(topic_sets(most.data, most.whose))[1:]
        rows: list[list[Cell]] = []
        for one in sets:
            facts = one.facts(self.rel)
            _, *few = topic_sets(one.data, one.whose).values()
            absent = [None] * (len(few_names) - len(few))
            rows.append(
                [one.title, facts.topics, *map(len, few), *absent, facts.runs,
                 len(self._systems(one.data, one.whose)), facts.length, facts.grades, facts.depth,
                 facts.pooled, facts.least, facts.mean, facts.most]
            )  # fmt: skip
        header = ["labels", "topics", *few_names, "runs", "above 1Q", "run length", "grades",
                  "pool depth", "runs so deep", "min relevant", "mean relevant",
                  "max relevant"]  # fmt: skip
        return Table(header, rows, digits=2, caption="Table 1: main features")


def _sums(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All lists of `parts` non-negative integers whose sum is `total`, in order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _sums(total - first, parts - 1):
            yield (first, *rest)
