"""Combining measures instead of labels: AWARE against merging (TH sections 4.5 and 4.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product, zip_longest
from typing import Any, ClassVar

from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import integer, measure_names, names, one_of, param
from hungjury.base.records import Record
from hungjury.base.results import Cell, Table
from hungjury.judges.weights import ESTIMATORS
from hungjury.stats.correlation import TauTies
from hungjury.studies.anova import Anova, factorial_anova
from hungjury.studies.claims import Claim, Quantity, in_cases, mean_of, sensitivity
from hungjury.studies.combining import APPROACHES, PARTS, TupleStudy
from hungjury.studies.data import StudyData
from hungjury.studies.jobs import Job
from hungjury.studies.papers import panels, published
from hungjury.studies.recipe import Drawing, Report, Shown, Studied, before, file_stem

PAIRS = (("granularity", "gap"), ("granularity", "weight"), ("gap", "weight"))


MIXED = "Systems differ in topics or judges too, and their effects are not separated"


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


def _analysis(rows: Sequence[Mapping[str, Any]], mine: Numbering) -> tuple[Shown, list[Table]]:
    """Analyses of variance of one response, of all approaches (4.28) and of the parts of AWARE's
    estimators (4.31), with their figures; then Tukey's groups, lettered as in the thesis. A factor
    with one level is left out."""
    scale = "measure" if mine.response == "rmse" else None
    estimators, factors = [row for row in rows if "gap" in row], ["measure", "systems"]
    whole = factorial_anova(rows, mine.response, ["approach", *factors], "size", scale_by=scale)
    parts = factorial_anova(
        estimators, mine.response, [*PARTS, *factors], "size", PAIRS, scale_by=scale
    )
    title = f"{mine.title}, analysis of variance of"
    shown: dict[str, Table | Drawing] = {
        **_anova_table(mine.table, whole, f"{title} all approaches"),
        **_anova_table(mine.parts_table, parts, f"{title} AWARE's components"),
    }

    def group(number: str, found: Anova, factor: str) -> Table:
        ordered = found.tukey_table(factor, mine.largest_first).rows
        return Table(
            [f"Mean {mine.response}", factor.title(), "Group"],
            [[mean, level, marks] for level, mean, marks in ordered],
            caption=f"Figure {number}: {mine.title}, groups of {factor}",
        )

    def draw(number: str, what: str, how: str, *arguments: Any, numbers: Any = None) -> None:
        title = f"Figure {number}: {mine.title}, {what}"
        shown[f"figure-{number}"] = Drawing(title, how, arguments, numbers)

    def draw_interaction(number: str, found: Anova, across: str, lines: str) -> None:
        what = f"interaction of {across} and {lines}"
        draw(number, what, "draw_interaction", found, across, lines)

    lettered = zip("abcd", ("approach", "size", *factors), ("", *"abc"), strict=True)
    # As Figures 4.4 and 4.6 show main effects, and Figures 4.5 and 4.7 interactions.
    varied = [one for one in lettered if one[1] not in factors or one[1] in whole.factors]
    main = {letter: factor for letter, factor, _ in varied}
    draw(mine.effects, "main effects", "draw_main_effects", whole, main)
    number, tukey = f"{mine.effects}e", (whole, "approach", mine.largest_first, "mv")
    groups = [group(number, whole, "approach")]
    draw(number, "groups of approach", "draw_tukey", *tukey, numbers=groups[0])
    for _, factor, letter in varied[1:]:
        draw_interaction(f"{mine.interactions}{letter}", whole, factor, "approach")
    letters = dict(zip("abc", PARTS, strict=True))
    draw(mine.parts, "main effects", "draw_main_effects", parts, letters)
    for letter, factor in zip("def", PARTS, strict=True):
        groups.append(group(f"{mine.parts}{letter}", parts, factor))
        shown[f"figure-{mine.parts}{letter}"] = groups[-1]
    for letter, across, lines in (
        ("g", "granularity", "gap"), ("h", "granularity", "weight"), ("i", "weight", "gap")
    ):  # fmt: skip
        draw_interaction(f"{mine.parts}{letter}", parts, across, lines)
    return shown, groups


def _all_analyses(rows: Sequence[Mapping[str, Any]]) -> Shown:
    """Tables 4.1 to 4.5 and their figures."""
    (order, groups), (scores, others) = (_analysis(rows, mine) for mine in RESPONSES)
    return {**order, **scores, "table-4.5": _summary(groups, others)}


def _anova_table(number: str, found: Anova, title: str) -> dict[str, Table]:
    table = found.table()
    rows: list[list[Cell]] = [[_source(str(row[0])), *row[1:7]] for row in table.rows]
    header = ["Source", "SS", "DF", "MS", "F", "p-value", "omega2"]
    formats = {"p-value": table.formats["p"]}
    caption = f"Table {number}: {title}"
    return {f"table-{number}": Table(header, rows, formats=formats, caption=caption)}


def _source(name: str) -> str:
    """A source of variance as the thesis calls it."""
    return "K-tuple Size" if name == "size" else "*".join(n.title() for n in name.split("*"))


def _summary(*groups: Sequence[Table]) -> Table:
    """Table 4.5: the first group of each factor, best first, for both responses."""
    rows: list[list[Cell]] = []
    for both in zip(*groups, strict=True):
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
        for mine, approach in product(RESPONSES, ESTIMATORS):
            both = [Approaches(mine.response, one, study).of(approach)
                    for one in (study, printed[name])]  # fmt: skip
            difference = both[0] - both[1]
            rows.append([name, mine.title, approach, *(one.value for one in both),
                         difference.value, *difference.interval()])  # fmt: skip
    header = ["systems", "response", "estimator", "dissimilarity", "printed", "difference", "low",
              "high"]  # fmt: skip
    title = "Estimators in both orientations; RMSE over its largest value, with a minus sign"
    return panels.unnamed(Table(header, rows, caption=title))


def _by_sizes(found: Mapping[str, TupleStudy]) -> Shown:
    """Tables and curves of every approach with tuples of every size."""
    shown = {}
    for (collection, study), mine in product(found.items(), RESPONSES):
        for measure in study.measures:
            table = study.by_size(measure, mine.response)
            words = re.sub("[^A-Za-z0-9]+", "-", measure)
            title = f"{before(collection)}{mine.title} of {measure} by the size of the tuples"
            numbers = Table(["approach", *table.columns[1:]], table.rows, caption=title)
            how = (study, measure, mine.response)
            name = file_stem(mine.response, words, collection)
            shown[name] = Drawing(title, "draw_tuples", how, numbers)
    return shown


MEASURES = ("AP", "nDCG(base=2)@20", "ERR@20")
VOTES = ("sgl_tau_msd", "tpc_kld_msd")
PRINTED = "printed/"  # before the keys of jobs that weigh as the equations are printed


class Aware(panels.PanelRecipe, called="aware"):
    """Compare AWARE with merging: how many judges are enough, and how best to combine them."""

    paper: ClassVar[str] = "Ferrante et al. 2017; thesis, Tables 4.1 to 4.5, Figures 4.4 to 4.9"
    published: ClassVar[Mapping[str, Any]] = {
        "measures": ("AP", "nDCG(base=2)@20", "ERR(gains={1: 5})@20"),
        "tuples": 1000,
        "drop_empty": True,
        "tied": "sampled",
    }
    measures: tuple[str, ...] = param(MEASURES, kind=measure_names, doc="measures to combine")
    replicates: int = param(1000, kind=integer, low=1, doc="random judges of each class")
    tied: TauTies = param(
        "exact", kind=one_of(TauTies), doc="systems with equal means: all their orders, or 100"
    )
    votes: tuple[str, ...] = param(
        VOTES, kind=names, doc="weights to try on votes as well as on measures"
    )

    def check(self, data: StudyData) -> None:
        super().check(data)
        sizes = panels.tuple_scores(data, **self.scoring()).sizes(self.sizes or None)
        if len(sizes) < 2:
            raise InputError(
                f"the study {self.name} compares sizes of tuples, but there is only {sizes[0]}",
                code="one-size",
                remedy=("give at least four judges, or several", Argument("sizes")),
            )

    def scoring(self) -> dict[str, Any]:
        return super().scoring() | {"tied": self.tied}

    def _combining(self) -> dict[str, dict[str, Any]]:
        """By what goes before the keys of jobs: all approaches, and those that have another
        orientation."""
        votes = tuple(f"votes({weights})" for weights in self.votes)
        return {
            "": {"approaches": (*APPROACHES, *votes), "replicates": self.replicates},
            PRINTED: {"approaches": (*ESTIMATORS, *votes), "replicates": self.replicates,
                      "orientation": "printed"},
        }  # fmt: skip

    def jobs(self, data: StudyData) -> list[Job]:
        both = self._combining().items()
        return [job for name, how in both for job in self.tuple_jobs(data, name, **how)]

    def report(self, studied: Sequence[Studied]) -> Report:
        found, printed = (
            self.joined(studied, name, **how) for name, how in self._combining().items()
        )
        choices = {
            orientation: in_cases({
                name: aware_claims(estimators[name], found[name], self.votes) for name in found
            })
            for orientation, estimators in (("dissimilarity", found), ("printed", printed))
        }  # fmt: skip
        analyses = Report(_all_analyses(_common_sizes(found)))
        other_way = Report(_all_analyses(_common_sizes(found, printed)))
        shown = {
            **sensitivity(choices, "orientation of AWARE's weights"),
            **analyses.shown,
            **anova_beside(found, analyses.tables),
            "orientations": _orientation_table(found, printed),
            **{
                f"{name}-printed-orientation": replace(
                    one, caption=f"{one.caption}, printed orientation"
                )
                for name, one in other_way.tables.items()
            },
            **_by_sizes(found),
        }
        data = [one.data for one in studied]
        alike = len({frozenset((*d.gold.topics, *d.judgments.judges)) for d in data}) == 1
        for name, table in {} if alike else Report(shown).tables.items():
            if name.startswith("table-4.") and "Systems" in str(list(table.rows)):
                shown[name] = replace(table, caption=f"{table.caption}; {MIXED}")
        return Report(shown, self._remarks(found, alike), choices["dissimilarity"])

    def _remarks(self, found: Mapping[str, TupleStudy], alike: bool) -> list[str]:
        """Numbers of each collection, and what the analyses of variance are of. alike: the
        collections have the same topics and judges."""
        same = "sets of systems under the same topics and judges"
        factor = "With one set of systems the analyses of variance have no factor Systems."
        if len(found) > 1:
            thesis = f"as in the thesis {same}" if alike else f"not {same} (thesis): {MIXED}"
            factor = (
                f"Systems are the collections, {thesis}. Analyses are of the sizes that all "
                "collections have."
            )
        return panels.remarks(
            found,
            f"Up to {self.tuples} tuples of each size, {self.replicates} random judges of each "
            f"class. {factor} RMSE is divided by its largest value for each measure there. Groups "
            "are those of Tukey's HSD at 0.05.",
        )


def anova_beside(
    studies: Mapping[str, TupleStudy], tables: Mapping[str, Table]
) -> dict[str, Table]:
    """Tables 4.1 to 4.4 with the printed numbers, where both sets of systems are the thesis'."""
    if set(panels.known_systems(studies).values()) != set(published.numbers("panel systems")):
        return {}
    found: dict[str, Table] = {}
    for number in ("4.1", "4.2", "4.3", "4.4"):
        values = {str(row[0]): row for row in tables[f"table-{number}"].rows}
        rows: list[list[Cell]] = []
        for source, *cells in published.rows_of(f"thesis {number}"):
            for i, what in ((1, "SS"), (2, "DF"), (4, "F"), (6, "omega2")):
                if source in values and cells[i - 1] != "-":
                    rows.append([source, what, values[source][i], cells[i - 1]])
        title = f"thesis, p. {published.PAGES[number]}"
        found |= published.beside(f"table-{number}", ("Source", ""), rows, title)
    return found


HARMFUL = 16  # judges after whom more are harmful for scores by mv


class Approaches(Record, eq=False):
    """Means of approaches over sizes and measures; larger is better.

    what: "tau_ap", or "rmse" with its sign changed. estimators, others: the studies that have the
    estimators, and the other approaches.
    """

    what: str
    estimators: TupleStudy
    others: TupleStudy

    @cached_property
    def _largest(self) -> Mapping[str, float]:
        """RMSE of the measures is divided by its largest value, as in the analyses of variance."""
        return {
            m: max(r.rmse for r in self.others.rows if r.measure == m) for m in self.others.measures
        }

    def of(self, approach: str, size: int | None = None, measure: str | None = None) -> Quantity:
        """Of one approach."""
        study = self.estimators if "_" in approach else self.others
        sizes = self.others.sizes if size is None else [size]
        each = []
        for name in self.others.measures if measure is None else [measure]:
            found = study.quantity(self.what, name, approach, sizes)
            each.append(found * (-1 / self._largest[name]) if self.what == "rmse" else found)
        return mean_of(each)

    def but(self, *names: str) -> list[Quantity]:
        """Of all estimators but some."""
        return [self.of(one) for one in ESTIMATORS if one not in names]

    def level(self, part: str, *levels: str) -> Quantity:
        """The mean over estimators with one of these levels of a part."""
        found = (name for name, one in ESTIMATORS.items() if getattr(one, part) in levels)
        return mean_of(map(self.of, found))

    def loss(self, approach: str, measure: str) -> Quantity:
        """The loss of an approach from the first measure to another."""
        first = self.others.measures[0]
        return self.of(approach, measure=first) - self.of(approach, measure=measure)

    def claims(self, part: str, **names: Any) -> list[Claim]:
        """The claims of a part."""
        first, *others = self.others.measures
        sizes = self.others.sizes
        return published.claims(
            f"aware: {part}", of=self.of, but=self.but, level=self.level, loss=self.loss,
            losses=lambda measure: [self.loss(one, measure) for one in APPROACHES],
            of_votes=lambda weights: self.of(f"votes({weights})"),
            first=first, others=others, of_first_ranks=[m for m in others if m.startswith("ERR")],
            smallest=sizes[0], largest=sizes[-1],
            useful=max(size for size in sizes if size <= HARMFUL or size == sizes[0]), **names,
        )  # fmt: skip


def aware_claims(
    estimators: TupleStudy, others: TupleStudy, votes: Sequence[str] = ()
) -> list[Claim]:
    """All claims; votes: weights that weigh votes too."""
    order, scores = (Approaches(mine.response, estimators, others) for mine in RESPONSES)
    return [
        *order.claims("order"),
        *scores.claims("scores"),
        *order.claims("votes", votes=votes, where="order of systems"),
        *scores.claims("votes", votes=votes, where="scores"),
    ]
