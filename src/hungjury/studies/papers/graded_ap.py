"""Graded average precision: do GAP, xGAP and eGAP heed their users' thresholds? (XG, section 6)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, ClassVar

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import integer, measure_names, number, param
from hungjury.base.results import Cell, Joined, Table
from hungjury.measures.catalogue import measure
from hungjury.measures.catalogue.average_precision import GAP, eGAP, threshold_probabilities, xGAP
from hungjury.studies.claims import Claim, Quantity, beside_print, in_cases
from hungjury.studies.data import StudyData
from hungjury.studies.jobs import Job
from hungjury.studies.measure_comparison import (
    METHODS,
    discriminative_power,
    few_highly_relevant,
    run_quartiles,
)
from hungjury.studies.papers import published
from hungjury.studies.papers.label_sets import (
    Found,
    LabelRecipe,
    LabelSet,
    PrintedNumbers,
    scores_of,
)
from hungjury.studies.recipe import Drawing, Lines, Report, Studied

# nDCG as in the random relevance paper: gains 5, 10, ... by grade, logarithm's base 10.
COMPARED = ("AP", "nDCG(base=10)", "RBP(p=0.8)", "Bpref")
PRINTED_AS = dict(zip(("AP", "nDCG", "RBP", "bpref"), COMPARED, strict=True))
HEADER = ("collection", "g", "", "with", "topics")
FEW = "few documents of a grade"
FAMILY = {"GAP": GAP, "xGAP": xGAP, "eGAP": eGAP}
DRAWN = {2: (0.1, 0.9), 3: (0.2, 0.2, 0.6)}  # Figures 1 and 2
ROUNDING = 1e-9
ALPHA = 0.05  # of the tests of power


class GradedAPRecipe(LabelRecipe, called="graded-ap"):
    """GAP, xGAP and eGAP compared with other measures: correlation, robustness and power."""

    paper: ClassVar[str] = "Ferrante, Ferro and Maistro 2014, Tables 1 to 3 and Figures 1 and 2"
    needs: ClassVar[tuple[str, ...]] = ("systems", "graded gold")
    published_reading: ClassVar[Mapping[str, Any]] = {
        "score_precision": "single", "map": {-2: 0, 4: 3},
    }  # fmt: skip
    compared: tuple[str, ...] = param(COMPARED, kind=measure_names, doc="measures to compare with")
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade of binary measures")
    step: float | None = param(
        None, kind=number, low=0.05, high=1,
        doc="step of the thresholds' probabilities; default: 0.1 for 2 relevant grades, else 0.2",
    )  # fmt: skip
    drawn: tuple[float, ...] | None = param(
        None,
        kind=threshold_probabilities,
        doc="values of g in the figures and for power; default: as in the paper, for 2 or 3 grades",
    )

    def check(self, data: StudyData) -> None:
        parts = 1 / (self.step or 1)
        if abs(parts - round(parts)) > ROUNDING:
            said = f"step is {self.step:g}, which does not divide 1"
            remedy = "use one over an integer, such as 0.1, 0.2 or 0.25"
            raise InputError(said, code="uneven-step", argument="step", remedy=remedy)
        super().check(data)
        tops = {whose: data.labels(whose).max_grade for whose in self.labels}
        if len(set(tops.values())) > 1:
            raise InputError(
                f"the labels' scales differ: largest grades {tops}",
                code="mixed-scales",
                remedy=("declare one scale with", Argument("grades")),
            )

    def measures(self, data: StudyData, whose: str) -> dict[str, str]:
        """All measures of the tables by their labels, those of the family followed by their g."""
        top = data.labels(whose).max_grade
        found = self._others(top)
        for g in self.grid(top):
            found |= {f"{name} {in_words(g)}": str(kind(g=g)) for name, kind in FAMILY.items()}
        return found

    def grid(self, top: int) -> list[tuple[float, ...]]:
        """All threshold distributions whose probabilities are multiples of the step."""
        parts = round(1 / (self.step or (0.1 if top == 2 else 0.2)))
        whole = (each for each in product(range(parts + 1), repeat=top) if sum(each) == parts)
        return [tuple(n / parts for n in each) for each in whole]

    def _others(self, top: int) -> dict[str, str]:
        found = {}
        for text in self.compared:
            one = self.relevant_from(measure(text), self.rel)
            if one.name == "nDCG" and not getattr(one, "gains", None):
                one = one.but(gains={k: 5 * k for k in range(1, top + 1)})
            found[text] = str(one)
        return found

    def sampled(self, data: StudyData, whose: str) -> dict[str, str]:
        """The measures of the figures."""
        top = data.labels(whose).max_grade
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
        return self._others(top) | {name: str(kind(g=g)) for name, kind in FAMILY.items()}

    def label_jobs(self, data: StudyData, whose: str) -> list[Job]:
        found, systems = [], self._systems(data, whose)
        measures = self.distinct(self.sampled(data, whose))
        how = {"labels": whose, "systems": systems, "measures": measures}
        for name, topics in topic_sets(data, whose).items():
            if topics:
                found += self.pool_jobs(data, whose, name, topics=topics, systems=systems)
            if len(topics) > 1:
                found.append(Job(f"power/{whose}/{name}", power_job, how | {"topics": topics}))
        return found

    def _systems(self, data: StudyData, whose: str) -> list[str]:
        """Runs above the first quartile of mean AP."""
        one = self.relevant_from(measure("AP"), self.rel)
        return run_quartiles(scores_of(data, whose, measures=one)).names

    def report(self, studied: Sequence[Studied]) -> Report:
        sets = self.label_sets(studied)
        by_top: dict[int, list[LabelSet]] = {}
        for one in sets:
            by_top.setdefault(one.labels.max_grade, []).append(one)
        shown: dict[str, Table | Drawing] = {"table-1": self._features(sets)}
        for top, mine in by_top.items():
            # The paper's numbers: Table 2 and Figure 1 for two relevant grades, else 3 and 2.
            number = 2 if top == 2 else 3
            ending = f"-grades-{top + 1}" if top > 3 and sum(t > 2 for t in by_top) > 1 else ""
            table, figure = f"table-{number}{ending}", f"figure-{number - 1}{ending}"
            shown[table] = self._correlations(number, mine)
            shown[figure] = self._robustness(number, top, mine)
            shown |= beside_the_paper(table, mine, self.rel)
        shown["power"] = self._power(sets)
        remark = (
            "Runs above the first quartile of mean AP; '-' without such a topic. Pool "
            "depth: the rank down to which most runs are judged without a gap on all topics."
        )
        claims = in_cases({one.title: graded_claims(one) for one in sets})
        claims = beside_print(claims, printed_claims(), "paper")
        return Report(shown, [remark], claims)

    def _robustness(self, number: int, top: int, sets: Sequence[LabelSet]) -> Drawing:
        """Figures 1 and 2, where there are such topics."""
        lines: dict[tuple[str, ...], Floats] = {}
        panels = []
        for one in sets:
            for mine in by_topics(one, 1):
                mean, topics = mine.pool_lines("tau"), mine.result("correlation")["topics"]
                series = {label: mean[one.place[label]] for label in (*FAMILY, *self.compared)}
                lines |= {(one.title, mine.topics, label): line for label, line in series.items()}
                panels.append(Lines(f"{one.title}, {mine.topics} ({topics})", series))
        what = "Kendall's tau with the whole pool at pool reduction rates"
        title = f"Figure {number - 1}: {what}, g = {in_words(self.drawn or DRAWN[top])}"
        heads = ("labels", "topics", "measure")
        return self.over_rates(title, lines, heads, "Kendall's τ", top, panels)

    def _power(self, sets: Sequence[LabelSet]) -> Table:
        """Discriminative power of the measures of the figures, by both tests."""
        rows: list[list[Cell]] = []
        for one in sets:
            g = in_words(self.drawn or DRAWN[one.labels.max_grade])
            for mine, label in product(by_topics(one, 2), (*FAMILY, *self.compared)):
                found, at = mine.result("power"), one.place[label]
                each = [found[test][what] for test in METHODS for what in ("power", "needed")]
                name = f"{label} {g}" if label in FAMILY else label
                rows.append([one.title, mine.topics, name, *(float(values[at]) for values in each)])
        heads = [head for test in METHODS for head in (test, f"{test}: difference needed")]
        title = f"Discriminative power: share of pairs of runs told apart at p < {ALPHA:g} by the "
        title += "paired bootstrap (1000 samples) and by the randomised Tukey HSD (5000)"
        return Table(["labels", "topics", "measure", *heads], rows, caption=title)

    def _correlations(self, number: int, sets: Sequence[LabelSet]) -> Table:
        """Tables 2 and 3: a block of three rows for each g."""
        topics = [by_topics(one) for one in sets]

        def cell(mine: Sequence[LabelSet], one: str, other: str) -> Joined:
            values = (part.correlation(one, other) for part in mine)
            return Joined(tuple(values), tuple(part.topics for part in mine))

        rows: list[list[Cell]] = []
        for g in self.grid(sets[0].labels.max_grade):
            columns = [f"GAP {in_words(g)}", *self.compared]
            for name in FAMILY:
                one = f"{name} {in_words(g)}"
                cells = [cell(mine, one, other) for mine in topics for other in columns]
                rows.append([in_words(g), name, *cells])
        header = ["g", "", *self.headings(sets, ["GAP", *self.compared])]
        title = f"Table {number}: Kendall's tau, {' / '.join(one.topics for one in topics[0])}"
        return Table(header, rows, digits=2, caption=title)

    def _features(self, sets: Sequence[LabelSet]) -> Table:
        """Table 1: what the labels look like."""
        most = max(sets, key=lambda one: one.labels.max_grade)
        few_names = [one.topics for one in by_topics(most)[1:]]
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


def power_job(data: StudyData, seed: int, **how: Any) -> dict[str, dict[str, Floats]]:
    """A job: by test, the power of each measure and the difference it needs. how: as in
    `scores_of`."""
    scores = scores_of(data, **how)
    tests = {test: discriminative_power(scores, test, ALPHA, seed=seed) for test in METHODS}
    return {test: {"power": one.power, "needed": one.needed} for test, one in tests.items()}


def beside_the_paper(table: str, sets: Sequence[LabelSet], rel: int) -> dict[str, Table]:
    """A row for each number of the paper's collections; no table where there is none.

    table: "table-2" or "table-3".
    """
    rows: list[list[Cell]] = []
    for one in sets:
        name = published.recognised("graded 1", one.facts(rel))
        for (g, family, other), printed in (
            {} if name is None else published.graded_tau(name)
        ).items():
            row, column = f"{family} {in_words(g)}", PRINTED_AS.get(other, f"GAP {in_words(g)}")
            if {row, column} <= one.place.keys():
                rows += [
                    [name, in_words(g), family, other, part.topics,
                     part.correlation(row, column), tau]
                    for part, tau in zip(by_topics(one), printed, strict=True)
                ]  # fmt: skip
    return published.beside(table, HEADER, rows, "paper")


def topic_sets(data: StudyData, whose: str) -> dict[str, list[str]]:
    """All topics, and for each grade above the lowest those with few documents of it."""
    labels = data.labels(whose)
    found = {"all topics": labels.topics}
    for grade in range(2, labels.max_grade + 1):
        found[f"few of grade {grade}"] = few_highly_relevant(labels, grade).names
    return found


def by_topics(one: LabelSet, least: int = 0) -> list[LabelSet]:
    """The results by set of topics, all topics first; of sets with at least so many topics."""
    topics = topic_sets(one.data, one.whose).items()
    return [replace(one, topics=name) for name, each in topics if len(each) >= least]


def in_words(g: tuple[float, ...]) -> str:
    """Probabilities as the paper writes them: (0.1, 0.9)."""
    return "(" + ", ".join(f"{value:.3g}" if value % 1 else f"{value:.1f}" for value in g) + ")"


def graded_claims(one: LabelSet) -> list[Claim]:
    """All claims that the study's measures, thresholds and rates allow."""
    topics, top = by_topics(one, 2), one.labels.max_grade  # one topic says nothing
    if not topics or top not in DRAWN or not set(COMPARED) <= set(one.place):
        return []
    users = published.numbers(f"graded users {top}")
    every, *few = topics
    claims = []
    if all(f"GAP {in_words(g)}" in one.place for g in users.values()):
        found = {mine.topics: _of_few(every, mine, users) for mine in few}
        claims += in_cases({every.topics: _of_correlation(every, users), **found})
    if {0.3, 0.1, 0.05} <= set(one.rates):
        found = {mine.topics: _of_robustness(mine, f", {FEW}") for mine in few}
        claims += in_cases({every.topics: _of_robustness(every), **found})
    return claims


def printed_claims() -> dict[str, list[Claim]]:
    """The claims on Tables 2 and 3, by collection."""
    found: dict[str, list[Claim]] = {}
    for collection, facts in published.numbers("graded 1").items():
        tables: list[dict[tuple[str, str], float]] = [{}, {}, {}]
        for (g, name, other), values in published.graded_tau(collection).items():
            column = PRINTED_AS.get(other, f"GAP {in_words(g)}")
            for cells, value in zip(tables, values, strict=False):
                cells[f"{name} {in_words(g)}", column] = value
        users = published.numbers(f"graded users {int(facts[2]) - 1}")
        every, *few = map(PrintedNumbers, tables)
        found[collection] = _of_correlation(every, users)
        for grade, part in enumerate(few[: int(facts[2]) - 2], 2):
            found[f"{collection}, few of grade {grade}"] = _of_few(every, part, users)
    return found


def _thresholds(found: Found, users: Mapping[str, tuple[float, ...]]) -> dict[str, Any]:
    """The thresholds in words, and tau of a measure by its thresholds with another measure; with
    GAP by the same ones."""

    def tau(name: str, g: str, other: str) -> Quantity:
        return found.tau(f"{name} {g}", f"GAP {g}" if other == "GAP" else other)

    return {"tau": tau, **{name: in_words(g) for name, g in users.items()}}


def _of_correlation(found: Found, users: Mapping[str, tuple[float, ...]]) -> list[Claim]:
    return published.claims("graded ap: correlation", **_thresholds(found, users))


def _of_few(every: Found, few: Found, users: Mapping[str, tuple[float, ...]]) -> list[Claim]:
    little = in_words(users["little"])

    def fall(name: str) -> Quantity:
        before, now = (found.tau(f"{name} {little}", "AP") for found in (every, few))
        return before - now

    return published.claims(f"graded ap: {FEW}", fall=fall, **_thresholds(few, users))


def _of_robustness(found: LabelSet, where: str = "") -> list[Claim]:
    grades = {"four": found.four_grades, "three": not found.four_grades}
    return published.claims(f"graded ap: robustness{where}", robust=found.robust, **grades)
