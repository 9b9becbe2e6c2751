"""Random relevance: how expected measures relate to the others, how robust and how discriminative
they are (RR, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import integer, number, param, probabilities, whole_numbers
from hungjury.base.results import Cell, Table
from hungjury.data.alignment import align
from hungjury.measures.catalogue import measure
from hungjury.measures.catalogue.average_precision import GAP, threshold_probabilities
from hungjury.studies.claims import Claim, Quantity, beside_print, in_cases, sensitivity
from hungjury.studies.data import StudyData
from hungjury.studies.gold import Doubt
from hungjury.studies.jobs import Job
from hungjury.studies.measure_comparison import PoolScores, power_of
from hungjury.studies.papers import published
from hungjury.studies.papers.label_sets import (
    POWER_RATES,
    Found,
    LabelRecipe,
    LabelSet,
    PrintedNumbers,
    correlation_job,
    power_rates,
)
from hungjury.studies.recipe import Drawing, Matrix, Report, Studied, before, file_stem

CASES = ("hard", "medium", "lenient")
COMMON = ("nDCG", "ERR", "gRBP", "bpref", "infAP")  # the same in all cases
OWN = ("GAP", "eRAP-1", "eRAP-2", "eRRBP-1", "eRRBP-2")
GAP_CLAIM = "eRAP-2 and GAP"
OPTIONS = {"eRAP": ("eRAP-1", "eRAP-2"), "eRRBP": ("eRRBP-1", "eRRBP-2")}
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


class RandomRelevance(LabelRecipe, called="random-relevance"):
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
        if top not in (2, 3):
            raise InputError(
                f"the paper has no {case} case for {top} relevant grades",
                code="no-paper-case",
                remedy=(
                    "give the shares of users by their lowest satisfying grade as",
                    Argument(case),
                ),
            )
        return published.numbers(f"relevance thresholds {top}")[case]

    def label_jobs(self, data: StudyData, whose: str) -> list[Job]:
        measures, shallow = self.measures(data, whose), self._cut_measures(data, whose)
        cut = {"labels": whose, "measures": self.distinct(shallow)}
        power = {"labels": whose, "measures": self.distinct(measures), "samples": self.samples}
        whole = power | {"rates": list(self.rates)}
        claimed = power | {"rates": power_rates(self.rates)[1:], "resample": True}
        return [
            *self.pool_jobs(data, whose),
            *(Job(f"correlation/{whose}/depth {depth}", correlation_job, cut | {"depth": depth})
              for depth in self._depths(data, whose)),
            *(Job(f"power/{whose}/{n}", power_job, whole) for n in range(self.power_repetitions)),
            *(Job(f"power-topics/{whose}/{n}", power_job, claimed)
              for n in range(self.topic_samples)),
        ]  # fmt: skip

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
            place = self.places(self._cut_measures(one.data, one.whose))
            for depth, doubt in product(self._depths(one.data, one.whose), doubts):
                found = _under(doubt, replace(one, place=place, topics=f"depth {depth}"))
                taus = [found.correlation(f"eRAP-2 {case}", f"GAP {case}") for case in CASES]
                (claim,) = _claims(found, GAP_CLAIM)
                rows.append([one.title, depth, doubt.unjudged, *taus, claim.verdict])
        header = ("labels", "depth", "unjudged", *CASES, claim.text)
        title = "tau of eRAP-2 with GAP by depth of lists and P(relevant) of unjudged documents"
        return Table(header, rows, digits=3, caption=title)

    def report(self, studied: Sequence[Studied]) -> Report:
        sets = self.label_sets(studied)
        matrices = {(one.title, case): _square(one, case) for case in CASES for one in sets}
        explained = "tau above the diagonal, tau_ap below it (row: estimate, column: truth)"
        heads = ("labels", "case", "measure")
        robust = _lines({one: one.pool_lines("tau") for one in sets})
        power = _lines({one: np.mean(one.numbered("power"), axis=0) for one in sets})
        choices = {
            str(doubt): in_cases({one.title: relevance_claims(_under(doubt, one)) for one in sets})
            for doubt in self.doubts
        }
        what = "P(relevant) of grade 0 and of documents without a label, in option 2"
        matrix_tables = {
            f"figure-1-{case}-{file_stem(whose)}": Table(
                ["", *ALL],
                [[name, *map(float, row)] for name, row in zip(ALL, values, strict=True)],
                caption=f"Figure 1, {whose}, {case} case: {explained}",
            )
            for (whose, case), values in matrices.items()
        }
        panels = [
            Matrix(f"{whose}, {case}", ALL, ALL, values, ("τ", "τ_ap"))
            for (whose, case), values in matrices.items()
        ]
        title = f"Figure 1: correlation of measures, {explained}"
        runs = ", ".join(f"{before(one.name)}{len(one.data.sources.runs)} runs" for one in studied)
        return Report(
            {
                **sensitivity(choices, what),
                **matrix_tables,
                "figure-1": Drawing(title, "draw_matrices", (panels, len(sets))),
                "figure-2": self.over_rates(
                    "Figure 2: robustness to pool down-sampling, Kendall's tau with the whole pool",
                    robust, heads, "Kendall's τ", len(CASES),
                ),
                "figure-3": self.over_rates(
                    "Figure 3: discriminative power at pool samples",
                    power, heads, "pairs told apart", len(CASES),
                ),
                **power_beside(sets, power),
                "depth": self._depth_table(sets),
            },
            [f"{runs}. eRAP-1 and eRRBP-1 take their probabilities from "
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
    number = len(pool.whole.topics)
    drawn = np.random.default_rng(seed).integers(number, size=number)
    topics = drawn if resample else np.arange(number)

    def power(values: Floats) -> float:
        p, _ = power_of(values[:, topics], "bootstrap", None, samples, seed)
        return float(np.mean(p < ALPHA))

    scores = [pool.whole, *(pool.sample(rate) for rate in rates)]
    return np.array([[power(values) for values in each.values] for each in scores]).T


def _square(one: LabelSet, case: str) -> Floats:
    """tau above the diagonal, tau_ap below it."""
    found, mine = one.result("correlation"), [one.place[label(name, case)] for name in ALL]
    tau, tau_ap = (np.asarray(found[what])[np.ix_(mine, mine)] for what in ("tau", "tau_ap"))
    return np.asarray(np.triu(tau) + np.tril(tau_ap, -1))


def power_beside(
    sets: Sequence[LabelSet], lines: Mapping[tuple[str, ...], Floats]
) -> dict[str, Table]:
    """A row for each number that is printed about the paper's collections; no table where there is
    none. lines: {(labels, case, measure): power, on the whole pool first}."""
    rows: list[list[Cell]] = []
    for one in sets:
        name = published.recognised("relevance collections", one.facts(rel=1))
        if name is None:
            continue
        column = list(published.numbers("relevance collections")).index(name)
        for by, case, which, *printed in published.rows_of("relevance power"):
            found = [
                float(lines[one.title, mine, label][0])
                for label in OPTIONS.get(by, (by,))
                for mine in ((case,) if case in CASES else CASES)
            ]
            value = min(found) if which == "least" else max(found)
            words = ["" if word == "-" else word for word in (case, which)]
            rows.append([name, by, *words, value, float(printed[column]) / 100])
    header = ("collection", "measure", "case", "")
    return published.beside(
        "figure-3", header, rows, "paper: discriminative power on the whole pool"
    )


def label(name: str, case: str) -> str:
    """The label of a measure in one case."""
    return name if name in COMMON else f"{name} {case}"


def in_all_cases(names: Iterable[str]) -> list[str]:
    """Labels of measures in all cases."""
    return list(dict.fromkeys(label(name, case) for name in names for case in CASES))


def in_own_case(
    found: LabelSet | PrintedNumbers, name: str, other: str, what: str = "tau"
) -> list[Quantity]:
    """Correlations of two measures of the same case, in all cases."""
    return [found.tau(label(name, case), label(other, case), what) for case in CASES]


def relevance_claims(found: LabelSet) -> list[Claim]:
    """All claims that the study's rates allow."""
    claims = [*_claims(found, "correlation", tau=found.tau), *_claims(found, GAP_CLAIM)]
    if {0.3, 0.1, 0.05} <= set(found.rates):
        claims += _claims(found, "robustness", robust=found.robust)
    if len(POWER_RATES) == len(power_rates(found.rates)):
        claims += _claims(found, "power", power=found.power)
    return claims


def printed_claims() -> dict[str, list[Claim]]:
    """By the paper's collection: its claims on the power that it prints."""
    found = {}
    for column, name in enumerate(published.numbers("relevance collections")):
        powers = {
            (measure if case == "-" else f"{measure} {case}", 100): float(printed[column]) / 100
            for measure, case, which, *printed in published.rows_of("relevance power")
            if which == "-"
        }
        numbers = PrintedNumbers(powers)
        found[name] = _claims(numbers, "power", power=numbers.power)
    return found


def _claims(found: Found, part: str, **names: Any) -> list[Claim]:
    """The claims of a part, which may also be on numbers in all cases: taus, robusts or powers."""

    def in_all(value: Callable[..., Quantity]) -> Callable[..., list[Quantity]]:
        return lambda where, *measures: [value(one, where) for one in in_all_cases(measures)]

    names |= {f"{name}s": in_all(value) for name, value in names.items()}
    grades = {"four": found.four_grades, "three": not found.four_grades}
    own = partial(in_own_case, found)
    return published.claims(f"random relevance: {part}", own=own, **grades, **names)
