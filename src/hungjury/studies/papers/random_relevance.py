"""Random relevance: how expected measures relate to the others, how robust and how discriminative
they are (RR, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, ClassVar

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import integer, number, param
from hungjury.base.tables import Cell, Table
from hungjury.data.alignment import align
from hungjury.measures.catalogue import measure
from hungjury.measures.catalogue.average_precision import GAP, threshold_probabilities
from hungjury.stats.paired import bootstrap_test
from hungjury.studies.claims import beside_print, sensitivity_tables
from hungjury.studies.data import StudyData
from hungjury.studies.gold import Doubt
from hungjury.studies.jobs import Job, seed_for
from hungjury.studies.measure_comparison import PoolScores
from hungjury.studies.papers.label_sets import (
    LabelRecipe,
    LabelSet,
    correlation_job,
    distinct,
    places,
    power_rates,
)
from hungjury.studies.papers.relevance_claims import (
    CASES,
    COMMON,
    OWN,
    gap_claim,
    label,
    power_beside,
    printed_claims,
    relevance_claims,
)
from hungjury.studies.recipe import (
    RECIPES,
    Drawing,
    Matrix,
    Report,
    Studied,
    file_stem,
    probabilities,
    whole_numbers,
)

# Figure 1: the thresholds' probabilities, by the number of relevant grades.
THRESHOLDS: dict[int, dict[str, tuple[float, ...]]] = {
    2: {"hard": (0.2, 0.8), "medium": (0.5, 0.5), "lenient": (0.7, 0.3)},
    3: {"hard": (0.1, 0.4, 0.5), "medium": (0.2, 0.4, 0.4), "lenient": (0.4, 0.4, 0.2)},
}
DARK, UNJUDGED = (0.05, 0.01, 0.1), (0.0, 0.01, 0.03)  # the paper has 0.05 for both
ALPHA = 0.05
ALL = COMMON + OWN
DEPTHS = (20, 100, 1000, 10000)  # of lists
GAIN, BASE = 5, 10  # of nDCG: gains 5, 10, 15, and the logarithm's base


def _case_param(case: str) -> Any:
    return param(
        None,
        kind=threshold_probabilities,
        doc=f"GAP's g in the {case} case; default: as in the paper, for 2 or 3 grades",
    )


@RECIPES.add("random-relevance")
class RandomRelevance(LabelRecipe):
    """Measures of random relevance compared with others: correlation, robustness, power."""

    paper: ClassVar[str] = "Ferrante, Ferro and Pontarollo 2018, Figures 1 to 3"
    needs: ClassVar[tuple[str, ...]] = ("systems", "graded gold")
    published: ClassVar[Mapping[str, Any]] = {"dark": (0.05,), "unjudged": (0.05,)}
    published_reading: ClassVar[Mapping[str, Any]] = {
        "score_precision": "single", "map": {-2: 0, 4: 3},
    }  # fmt: skip
    hard: tuple[float, ...] | None = _case_param("hard")
    medium: tuple[float, ...] | None = _case_param("medium")
    lenient: tuple[float, ...] | None = _case_param("lenient")
    dark: tuple[float, ...] = param(
        DARK, kind=probabilities,
        doc="option 2: P(relevant) of grade 0 and of unjudged documents, and 1 - P(relevant) of "
            "the largest grade; figures use the first value",
    )  # fmt: skip
    unjudged: tuple[float, ...] = param(
        UNJUDGED, kind=probabilities, doc="option 2: other P(relevant) of unjudged documents to try"
    )
    depths: tuple[int, ...] = param(
        DEPTHS, kind=whole_numbers, doc="ranks after which lists are cut, to see what it changes"
    )
    persistence: float = param(0.8, kind=number, low=0, high=1, doc="persistence of RBP's user")
    power_repetitions: int = param(1, kind=integer, low=1, doc="random pools for power")
    samples: int = param(1000, kind=integer, low=1, doc="samples of the bootstrap test")
    topic_samples: int = param(
        20, kind=integer, low=3, doc="resamples of topics for intervals of power"
    )

    def measures(self, data: StudyData, whose: str) -> dict[str, str]:
        """The measures of the figures, and those of option 2 by other choices, whose labels end in
        the choice."""
        top = data.labels(whose).max_grade
        gains, rbp = {k: GAIN * k for k in range(1, top + 1)}, {"p": self.persistence}
        found = {
            "nDCG": measure("nDCG").but(base=BASE, gains=gains),
            "ERR": measure("ERR"),
            "gRBP": measure("gRBP").but(**rbp),
            "bpref": measure("Bpref"),
            "infAP": measure("infAP"),
        }
        for case in CASES:
            g = self._thresholds(case, top)
            prob = (0.0, *map(float, np.cumsum(g).round(12)))
            found[f"GAP {case}"] = GAP(g=g)
            found[f"eRAP-1 {case}"] = measure("eRAP").but(prob=prob)
            found[f"eRRBP-1 {case}"] = measure("eRRBP").but(prob=prob, **rbp)
            for i, doubt in enumerate(self.doubts):
                choice = f"{case}, {doubt}" if i else case
                more: dict[str, Any] = {"prob": (doubt.wrong, *prob[1:-1], 1 - doubt.wrong)}
                if doubt.unjudged != doubt.wrong:
                    more["unjudged"] = doubt.unjudged
                found[f"eRAP-2 {choice}"] = measure("eRAP").but(**more)
                found[f"eRRBP-2 {choice}"] = measure("eRRBP").but(**more, **rbp)
        return {name: str(one) for name, one in found.items()}

    @property
    def doubts(self) -> list[Doubt]:
        """The relevance that option 2 gives to grade 0 and to documents without a label; the
        paper's choice first, then one of both changed at a time."""
        first = self.dark[0]
        return [
            Doubt(first, first),
            *(Doubt(first, unjudged) for unjudged in self.unjudged if unjudged != first),
            *(Doubt(dark, dark) for dark in self.dark[1:]),
        ]

    def _thresholds(self, case: str, top: int) -> tuple[float, ...]:
        given: tuple[float, ...] | None = getattr(self, case)
        if given is not None:
            return given
        if top not in THRESHOLDS:
            raise InputError(
                f"the paper has no {case} case for {top} relevant grades",
                code="no-paper-case",
                remedy=(
                    "give the shares of users by their lowest satisfying grade as",
                    Argument(case),
                ),
            )
        return THRESHOLDS[top][case]

    def jobs(self, data: StudyData) -> list[Job]:
        found = []
        for whose in self.labels:
            measures, shallow = self.measures(data, whose), self._cut_measures(data, whose)
            power = {"labels": whose, "measures": distinct(measures), "samples": self.samples}
            whole = power | {"rates": list(self.rates)}
            claimed = power | {"rates": power_rates(self.rates)[1:], "resample": True}
            found += [
                *self.pool_jobs(data, whose),
                *(Job(f"correlation/{whose}/depth {depth}", correlation_job,
                      {"labels": whose, "measures": distinct(shallow), "depth": depth})
                  for depth in self._depths(data, whose)),
                *(Job(f"power/{whose}/{n}", power_job, whole)
                  for n in range(self.power_repetitions)),
                *(Job(f"power-topics/{whose}/{n}", power_job, claimed)
                  for n in range(self.topic_samples)),
            ]  # fmt: skip
        return found

    def _depths(self, data: StudyData, whose: str) -> list[int]:
        """Depths up to the longest list."""
        longest = align(data.loaded_runs, data.labels(whose).pool).longest
        return sorted({min(depth, longest) for depth in self.depths})

    def _cut_measures(self, data: StudyData, whose: str) -> dict[str, str]:
        """GAP and eRAP by every choice, for lists that are cut."""
        mine = self.measures(data, whose).items()
        return {name: one for name, one in mine if name.startswith(("GAP", "eRAP-2"))}

    def _depth_table(self, sets: Sequence[LabelSet]) -> Table:
        """tau of eRAP-2 with GAP by depth of the lists and P(relevant) of unjudged documents."""
        rows: list[list[Cell]] = []
        doubts = [doubt for doubt in self.doubts if doubt.wrong == self.dark[0]]
        for one in sets:
            place = places(self._cut_measures(one.data, one.whose))
            for depth, doubt in product(self._depths(one.data, one.whose), doubts):
                found = _under(doubt, replace(one, place=place, topics=f"depth {depth}"))
                taus = [found.correlation(f"eRAP-2 {case}", f"GAP {case}") for case in CASES]
                rows.append([one.title, depth, doubt.unjudged, *taus, gap_claim(found).verdict])
        header = ("labels", "depth", "unjudged", *CASES, gap_claim(found).text)
        title = "tau of eRAP-2 with GAP by depth of lists and P(relevant) of unjudged documents"
        return Table(header, rows, digits=3, caption=title)

    def report(self, studied: Sequence[Studied]) -> Report:
        sets = self.label_sets(studied)
        matrices = {(one.title, case): _square(one, case) for case in CASES for one in sets}
        explained = "tau above the diagonal, tau_ap below it (row: estimate, column: truth)"
        heads = ("labels", "case", "measure")
        robust_table, robust_figure = self.over_rates(
            "Figure 2: robustness to pool down-sampling, Kendall's tau with the whole pool",
            _lines({one: one.pool_lines("tau") for one in sets}), heads, "Kendall's τ", len(CASES),
        )  # fmt: skip
        power = _lines({one: np.mean(one.numbered("power"), axis=0) for one in sets})
        title = "Figure 3: discriminative power at pool samples"
        power_table, power_figure = self.over_rates(
            title, power, heads, "pairs told apart", len(CASES)
        )
        choices = {
            str(doubt): [claim for one in sets for claim in relevance_claims(_under(doubt, one))]
            for doubt in self.doubts
        }
        what = "P(relevant) of grade 0 and of documents without a label, in option 2"
        matrix_tables = {
            f"figure-1-{case}-{file_stem(whose)}": _matrix_table(whose, case, values, explained)
            for (whose, case), values in matrices.items()
        }
        panels = [
            Matrix(f"{whose}, {case}", ALL, ALL, values, ("τ", "τ_ap"))
            for (whose, case), values in matrices.items()
        ]
        title = f"Figure 1: correlation of measures, {explained}"
        return Report(
            {
                **sensitivity_tables(choices, what),
                **matrix_tables,
                "figure-2": robust_table,
                "figure-3": power_table,
                **power_beside(sets, power),
                "depth": self._depth_table(sets),
            },
            {
                "figure-1": Drawing(title, "draw_matrices", (panels, len(sets))),
                "figure-2": robust_figure,
                "figure-3": power_figure,
            },
            [f"{_runs(studied)}. eRAP-1 and eRRBP-1 take their probabilities from "
             "GAP's thresholds (option 1), eRAP-2 and eRRBP-2 give some relevance to every "
             f"document (option 2). Robustness is the mean of {self.repetitions} random pools, "
             f"power that of {self.power_repetitions}, at p < 0.05 by the paired bootstrap."],
            beside_print(choices[str(self.doubts[0])], printed_claims(), "paper"),
        )  # fmt: skip


def _under(doubt: Doubt, one: LabelSet) -> LabelSet:
    """The same labels, with the measures of option 2 by this choice."""
    ending, places = f", {doubt}", one.place.items()
    chosen = {name.removesuffix(ending): i for name, i in places if name.endswith(ending)}
    return replace(one, place={**one.place, **chosen})


def _lines(values: Mapping[LabelSet, Floats]) -> dict[tuple[str, ...], Floats]:
    """{(labels, case, measure): a value for each rate}"""
    return {
        (one.title, case, name): each[one.place[label(name, case)]]
        for one, each in values.items()
        for case in CASES
        for name in ALL
    }


def power_job(
    data: StudyData,
    seed: int,
    labels: str,
    measures: Sequence[str],
    rates: Sequence[float],
    samples: int,
    resample: bool = False,
) -> Floats:
    """A job: discriminative power on one random pool, whole and at all rates: [measure, rate].
    resample: on topics drawn with replacement."""
    pool = PoolScores(data.labels(labels), data.loaded_runs, measures, seed)
    _, systems, number = pool.whole.values.shape
    drawn = np.random.default_rng(seed).integers(number, size=number)
    topics = drawn if resample else np.arange(number)
    one, other = np.triu_indices(systems, 1)

    def power(values: Floats) -> float:
        values, rng = values[:, topics], np.random.default_rng(seed_for(seed, ("bootstrap",)))
        return float(np.mean(bootstrap_test(values[one] - values[other], samples, rng) < ALPHA))

    scores = [pool.whole, *(pool.sample(rate) for rate in rates)]
    return np.array([[power(values) for values in each.values] for each in scores]).T


def _runs(studied: Sequence[Studied]) -> str:
    if len(studied) == 1:
        return f"{len(studied[0].data.sources.runs)} runs"
    return ", ".join(f"{len(one.data.sources.runs)} runs of {one.name}" for one in studied)


def _square(one: LabelSet, case: str) -> Floats:
    """tau above the diagonal, tau_ap below it."""
    found, mine = one.result("correlation"), [one.place[label(name, case)] for name in ALL]
    tau, tau_ap = (np.asarray(found[what])[np.ix_(mine, mine)] for what in ("tau", "tau_ap"))
    return np.asarray(np.triu(tau) + np.tril(tau_ap, -1))


def _matrix_table(whose: str, case: str, values: Floats, explained: str) -> Table:
    header = ["", *ALL]
    rows: list[list[Cell]] = [
        [name, *map(float, row)] for name, row in zip(header[1:], values, strict=True)
    ]
    title = f"Figure 1, {whose}, {case} case: {explained}"
    return Table(header, rows, caption=title)
