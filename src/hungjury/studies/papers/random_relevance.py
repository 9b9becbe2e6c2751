"""Random relevance: how expected measures relate to the others, how robust and how discriminative
they are (RR, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from hungjury.studies.claims import Claim, beside_print, sensitivity_tables
from hungjury.studies.data import StudyData
from hungjury.studies.downsampling import PoolScores
from hungjury.studies.gold import Doubt
from hungjury.studies.jobs import Job
from hungjury.studies.measure_comparison import share_told_apart
from hungjury.studies.papers.label_sets import (
    ClaimData,
    LabelRecipe,
    LabelSet,
    correlation_job,
    distinct,
    label_sets,
    over_rates,
    places,
)
from hungjury.studies.papers.panels import sizes_of_tuples
from hungjury.studies.papers.relevance_claims import (
    CASES,
    COMMON,
    OWN,
    POWER_RATES,
    gap_claim,
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
)

# Figure 1: the thresholds' probabilities, by the number of relevant grades.
THRESHOLDS: dict[int, dict[str, tuple[float, ...]]] = {
    2: {"hard": (0.2, 0.8), "medium": (0.5, 0.5), "lenient": (0.7, 0.3)},
    3: {"hard": (0.1, 0.4, 0.5), "medium": (0.2, 0.4, 0.4), "lenient": (0.4, 0.4, 0.2)},
}
DARK, UNJUDGED = (0.05, 0.01, 0.1), (0.0, 0.01, 0.03)  # the paper has 0.05 for both
ALPHA = 0.05
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
        DEPTHS, kind=sizes_of_tuples, doc="ranks after which lists are cut, to see what it changes"
    )
    persistence: float = param(0.8, kind=number, low=0, high=1, doc="persistence of RBP's user")
    power_repetitions: int = param(1, kind=integer, low=1, doc="random pools for power")
    samples: int = param(1000, kind=integer, low=1, doc="samples of the bootstrap test")
    topic_samples: int = param(
        20, kind=integer, low=3, doc="resamples of topics for intervals of power"
    )

    def measures(self, data: StudyData, whose: str) -> dict[str, str]:
        top = data.labels(whose).max_grade
        graded = measure("nDCG").but(base=BASE, gains={k: GAIN * k for k in range(1, top + 1)})
        rbp = {"p": self.persistence}
        found = {
            "nDCG": str(graded),
            "ERR": "ERR",
            "gRBP": str(measure("gRBP").but(**rbp)),
            "bpref": "Bpref",
            "infAP": "infAP",
        }
        for case in CASES:
            g = self._thresholds(case, top)
            prob = (0.0, *map(float, np.cumsum(g).round(12)))
            found[f"GAP {case}"] = str(GAP(g=g))
            found[f"eRAP-1 {case}"] = str(measure("eRAP").but(prob=prob))
            found[f"eRRBP-1 {case}"] = str(measure("eRRBP").but(prob=prob, **rbp))
            for name, one in self._option_2(case, prob, self.doubts[0]).items():
                found[name] = one
        return found

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

    def _option_2(self, case: str, first: tuple[float, ...], doubt: Doubt) -> dict[str, str]:
        """eRAP and eRRBP of option 2, from the probabilities of option 1."""
        prob = (doubt.wrong, *first[1:-1], 1 - doubt.wrong)
        more = {} if doubt.unjudged == doubt.wrong else {"unjudged": doubt.unjudged}
        walk = measure("eRRBP").but(prob=prob, p=self.persistence, **more)
        return {
            f"eRAP-2 {case}": str(measure("eRAP").but(prob=prob, **more)),
            f"eRRBP-2 {case}": str(walk),
        }

    def _tried(self, data: StudyData, whose: str) -> dict[Doubt, dict[str, str]]:
        """The measures of option 2 by other choices: by their labels, another label."""
        top = data.labels(whose).max_grade
        found: dict[Doubt, dict[str, str]] = {}
        for doubt in self.doubts[1:]:
            found[doubt] = {}
            for case in CASES:
                prob = (0.0, *map(float, np.cumsum(self._thresholds(case, top)).round(12)))
                found[doubt] |= self._option_2(case, prob, doubt)
        return found

    def _all_measures(self, data: StudyData, whose: str) -> dict[str, str]:
        """The measures of the figures, and of other choices under their own names."""
        more = {name: name for one in self._tried(data, whose).values() for name in one.values()}
        return self.measures(data, whose) | more

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
            measures, shallow = self._all_measures(data, whose), self._cut_measures(data, whose)
            power = {"labels": whose, "measures": distinct(measures), "samples": self.samples}
            whole = power | {"rates": list(self.rates)}
            claimed = power | {"rates": list(self._power_rates[1:]), "resample": True}
            found += [
                *self.pool_jobs(whose, measures, measures),
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

    @property
    def _cut_doubts(self) -> list[Doubt]:
        """The first choice for grade 0, with every P(relevant) of documents without a label."""
        return [doubt for doubt in self.doubts if doubt.wrong == self.dark[0]]

    def _cut_measures(self, data: StudyData, whose: str) -> dict[str, str]:
        """GAP and option 2 by every choice, which is added to its labels."""
        mine, tried = self.measures(data, whose), self._tried(data, whose)
        found = {f"GAP {case}": mine[f"GAP {case}"] for case in CASES}
        for doubt in self._cut_doubts:
            each = tried.get(doubt, mine)
            found |= {f"eRAP-2 {case}, {doubt}": each[f"eRAP-2 {case}"] for case in CASES}
        return found

    def _depth_table(self, sets: Sequence[LabelSet]) -> Table:
        """tau of eRAP-2 with GAP by depth of the lists and P(relevant) of unjudged documents."""
        rows: list[list[Cell]] = []
        for one in sets:
            place = places(self._cut_measures(one.data, one.whose))
            for depth, doubt in product(self._depths(one.data, one.whose), self._cut_doubts):
                instead = {f"eRAP-2 {case}": f"eRAP-2 {case}, {doubt}" for case in CASES}
                found = ClaimData(one, place, (), instead=instead, topics=f"depth {depth}")
                taus = [found.tau(f"eRAP-2 {case}", f"GAP {case}").value for case in CASES]
                rows.append([one.title, depth, doubt.unjudged, *taus, gap_claim(found).verdict])
        header = ("labels", "depth", "unjudged", *CASES, gap_claim(found).text)
        title = "tau of eRAP-2 with GAP by depth of lists and P(relevant) of unjudged documents"
        return Table(header, rows, digits=3, caption=title)

    @property
    def _power_rates(self) -> tuple[float, ...]:
        """Rates at which power is claimed: the whole pool first."""
        return tuple(rate for rate in POWER_RATES if rate in (1.0, *self.rates))

    def _claims(self, sets: Sequence[LabelSet]) -> dict[str, list[Claim]]:
        """By the choice for option 2."""
        found: dict[str, list[Claim]] = {}
        for i, doubt in enumerate(self.doubts):
            found[str(doubt)] = []
            for one in sets:
                place = places(self._all_measures(one.data, one.whose))
                instead = self._tried(one.data, one.whose)[doubt] if i else None
                evidence = ClaimData(one, place, self.rates, self._power_rates, instead)
                found[str(doubt)] += relevance_claims(evidence)
        return found

    def report(self, studied: Sequence[Studied]) -> Report:
        sets = label_sets(studied, self.labels)
        place = {one.title: places(self._all_measures(one.data, one.whose)) for one in sets}
        matrices = {
            (one.title, case): _square(one.result("correlation"), place[one.title], case)
            for case in CASES
            for one in sets
        }
        robust = self._lines(place, {one.title: one.pool_lines("tau") for one in sets})
        power = self._lines(
            place, {one.title: np.mean(one.results("power"), axis=0) for one in sets}
        )
        explained = "tau above the diagonal, tau_ap below it (row: estimate, column: truth)"
        robust_table, robust_figure = self._over_rates(
            "Figure 2: robustness to pool down-sampling, Kendall's tau with the whole pool",
            robust, "Kendall's τ",
        )  # fmt: skip
        power_table, power_figure = self._over_rates(
            "Figure 3: discriminative power at pool samples", power, "pairs told apart"
        )
        choices = self._claims(sets)
        what = "P(relevant) of grade 0 and of documents without a label, in option 2"
        matrix_tables = {
            f"figure-1-{case}-{file_stem(whose)}": _matrix_table(whose, case, values, explained)
            for (whose, case), values in matrices.items()
        }
        panels = [
            Matrix(f"{whose}, {case}", COMMON + OWN, COMMON + OWN, values, ("τ", "τ_ap"))
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

    def _lines(
        self, place: Mapping[str, Mapping[str, int]], values: Mapping[str, Floats]
    ) -> dict[tuple[str, ...], Floats]:
        """{(labels, case, measure): a value for each rate}"""
        return {
            (whose, case, name): values[whose][place[whose][_label(name, case)]]
            for whose in place
            for case in CASES
            for name in (*COMMON, *OWN)
        }

    def _over_rates(
        self, title: str, lines: Mapping[tuple[str, ...], Floats], ylabel: str
    ) -> tuple[Table, Drawing]:
        heads, rates = ("labels", "case", "measure"), (1.0, *self.rates)
        return over_rates(title, lines, rates, heads, ylabel, len(CASES))


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
    scores = [pool.whole, *(pool.sample(rate) for rate in rates)]
    number = len(pool.whole.topics)
    drawn = np.random.default_rng(seed).integers(number, size=number)
    topics = drawn if resample else np.arange(number)
    found = [[share_told_apart(values[:, topics], ALPHA, samples, seed) for values in one.values]
             for one in scores]  # fmt: skip
    return np.asarray(found).T


def _runs(studied: Sequence[Studied]) -> str:
    if len(studied) == 1:
        return f"{len(studied[0].data.sources.runs)} runs"
    return ", ".join(f"{len(one.data.sources.runs)} runs of {one.name}" for one in studied)


def _label(name: str, case: str) -> str:
    return name if name in COMMON else f"{name} {case}"


def _square(found: Mapping[str, Any], place: Mapping[str, int], case: str) -> Floats:
    """tau above the diagonal, tau_ap below it."""
    mine = [place[_label(name, case)] for name in (*COMMON, *OWN)]
    tau, tau_ap = (np.asarray(found[what])[np.ix_(mine, mine)] for what in ("tau", "tau_ap"))
    return np.asarray(np.triu(tau) + np.tril(tau_ap, -1))


def _matrix_table(whose: str, case: str, values: Floats, explained: str) -> Table:
    header = ["", *COMMON, *OWN]
    rows: list[list[Cell]] = [
        [name, *map(float, row)] for name, row in zip(header[1:], values, strict=True)
    ]
    title = f"Figure 1, {whose}, {case} case: {explained}"
    return Table(header, rows, caption=title)
