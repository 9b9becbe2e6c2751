"""Random relevance: how expected measures relate to the others, how robust and how discriminative
they are (RR, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import integer, number, param
from hungjury.base.results import Cell, Table
from hungjury.data.alignment import align
from hungjury.measures.catalogue import measure
from hungjury.measures.catalogue.average_precision import GAP, threshold_probabilities
from hungjury.studies.claims import (
    Claim,
    Quantity,
    beside_print,
    in_cases,
    least,
    median_of,
    most,
    sensitivity,
    within,
)
from hungjury.studies.data import StudyData
from hungjury.studies.gold import Doubt
from hungjury.studies.jobs import Job
from hungjury.studies.kinds import probabilities, whole_numbers
from hungjury.studies.measure_comparison import PoolScores, power_of
from hungjury.studies.papers import published
from hungjury.studies.papers.label_sets import (
    POWER_RATES,
    LabelRecipe,
    LabelSet,
    PrintedNumbers,
    correlation_job,
    power_rates,
    rising,
)
from hungjury.studies.recipe import Drawing, Matrix, Report, Studied, file_stem

CASES = ("hard", "medium", "lenient")
COMMON = ("nDCG", "ERR", "gRBP", "bpref", "infAP")  # the same in all cases
OWN = ("GAP", "eRAP-1", "eRAP-2", "eRRBP-1", "eRRBP-2")
STABLE = ("nDCG", "bpref", "infAP")
PRECISIONS, WALKS = ("GAP", "eRAP-1", "eRAP-2"), ("eRRBP-1", "eRRBP-2")
AROUND, ALIKE = 0.1, 0.05  # of a correlation
OPTIONS = {"eRAP": ("eRAP-1", "eRAP-2"), "eRRBP": ("eRRBP-1", "eRRBP-2")}
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
                rows.append([one.title, depth, doubt.unjudged, *taus, gap_claim(found).verdict])
        header = ("labels", "depth", "unjudged", *CASES, gap_claim(found).text)
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
    number = len(pool.whole.topics)
    drawn = np.random.default_rng(seed).integers(number, size=number)
    topics = drawn if resample else np.arange(number)

    def power(values: Floats) -> float:
        p, _ = power_of(values[:, topics], "bootstrap", None, samples, seed)
        return float(np.mean(p < ALPHA))

    scores = [pool.whole, *(pool.sample(rate) for rate in rates)]
    return np.array([[power(values) for values in each.values] for each in scores]).T


def _runs(studied: Sequence[Studied]) -> str:
    numbers = {one.name: f"{len(one.data.sources.runs)} runs" for one in studied}
    return ", ".join(f"{runs} of {name}" if name else runs for name, runs in numbers.items())


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


def in_own_case(found: LabelSet, name: str, other: str, what: str = "tau") -> list[Quantity]:
    """Correlations of two measures of the same case, in all cases."""
    return [found.tau(label(name, case), label(other, case), what) for case in CASES]


def relevance_claims(found: LabelSet) -> list[Claim]:
    """All claims that the study's rates allow."""
    claims = [*_of_correlation(found)]
    if {0.3, 0.1, 0.05} <= set(found.rates):
        claims += _of_robustness(found)
    if len(POWER_RATES) == len(power_rates(found.rates)):
        claims += _of_power(found)
    return claims


def printed_claims() -> dict[str, list[Claim]]:
    """By the paper's collection: its claims on the power that it prints."""
    found = {}
    for column, name in enumerate(published.numbers("relevance collections")):
        powers = {
            (measure if case == "-" else f"{measure} {case}", 1.0): float(printed[column]) / 100
            for measure, case, which, *printed in published.rows_of("relevance power")
            if which == "-"
        }
        found[name] = _of_power(PrintedNumbers(powers))
    return found


def gap_claim(found: LabelSet) -> Claim:
    """eRAP-2 and GAP: near with three grades, far with four."""
    tau, tau_ap = (in_own_case(found, "eRAP-2", "GAP", what) for what in ("tau", "tau_ap"))
    if found.four_grades:
        return Claim("eRAP-2 departs from GAP: below 0.65 with four grades",
                           "0.65 - the largest", 0.65 - most(*tau))  # fmt: skip
    return Claim("eRAP-2 is near GAP: tau and tau_ap above 0.8 with three grades",
                       "the least - 0.8", least(*tau, *tau_ap) - 0.8)  # fmt: skip


def _of_correlation(found: LabelSet) -> list[Claim]:
    tau, own = found.tau, partial(in_own_case, found)

    def grows(name: str, other: str, what: str = "tau") -> Quantity:
        return rising(*own(name, other, what))

    def every(names: Iterable[str], other: str) -> list[Quantity]:
        return [tau(name, other) for name in in_all_cases(names)]

    # The paper has three grades in T14 and four in T21, and what it says differs.
    if found.four_grades:
        low, close, walking, distant, between = 0.35, 0.83, 0.6, 0.45, (0.53, 0.63)
        near_ndcg = Claim("With four grades these are below 0.8",
                          "0.8 - the largest of GAP and eRAP",
                          0.8 - most(*every(PRECISIONS, "nDCG")))  # fmt: skip
    else:
        low, close, walking, distant, between = 0.55, 0.88, 0.75, 0.6, (0.8, 0.86)
        near_ndcg = Claim("With three grades these are around 0.9 or above",
                          "the least of GAP and eRAP - 0.85",
                          least(*every(PRECISIONS, "nDCG")) - 0.85)  # fmt: skip
    steps = "the smaller step, hard to medium to lenient"
    return [
        *(Claim(f"{what} of {name} with nDCG grows from hard to lenient", steps,
                grows(name, "nDCG", what))
          for name in ("eRAP-1", "eRAP-2", "GAP", *WALKS) for what in ("tau", "tau_ap")),
        near_ndcg,
        Claim("nDCG is nearer to gRBP than to eRRBP-1 if hard, farther if lenient",
              "the smaller of both differences",
              least(tau("gRBP", "nDCG") - tau("eRRBP-1 hard", "nDCG"),
                    tau("eRRBP-1 lenient", "nDCG") - tau("gRBP", "nDCG"))),
        Claim("In the medium case both are about the same", f"{ALIKE:g} - the difference",
              within(tau("gRBP", "nDCG") - tau("eRRBP-1 medium", "nDCG"), ALIKE)),
        Claim(f"tau of GAP and eRAP with ERR is below {low}", f"{low} - the largest",
              low - most(*every(PRECISIONS, "ERR"))),
        *(Claim(f"tau of {name} with ERR grows from hard to lenient", steps, grows(name, "ERR"))
          for name in ("eRAP-1", "eRAP-2", "GAP")),
        *(Claim(f"tau of {name} with GAP grows from hard to lenient", steps, grows(name, "GAP"))
          for name in ("eRAP-1", "eRAP-2")),
        Claim(f"tau of eRAP-1 with infAP is {close} or more", f"the least - {close}",
              least(*every(("eRAP-1",), "infAP")) - close),
        Claim("eRAP-2 is farther from infAP than eRAP-1", "the smallest difference",
              least(*(one - other for one, other in zip(
                  own("eRAP-1", "infAP"), own("eRAP-2", "infAP"), strict=True)))),
        Claim(f"tau of eRAP-2 with infAP is from {between[0]} to {between[1]}",
              "the smallest distance from the ends",
              least(*(q for one in every(("eRAP-2",), "infAP")
                      for q in (one - between[0], between[1] - one)))),
        Claim(f"tau of ERR with gRBP and eRRBP is around {walking}",
              f"{AROUND:g} - the largest difference from {walking}",
              least(*(within(one - walking, AROUND)
                      for one in (tau("gRBP", "ERR"), *every(WALKS, "ERR"))))),
        Claim(f"tau of nDCG with gRBP and eRRBP is around or below {distant}",
              f"{distant} + {AROUND:g} - the largest",
              distant + AROUND - most(tau("gRBP", "nDCG"), *every(WALKS, "nDCG"))),
        Claim("gRBP and eRRBP are nearer to ERR than GAP and eRAP are",
              "the least of the former - the largest of the latter",
              least(tau("gRBP", "ERR"), *every(WALKS, "ERR")) - most(*every(PRECISIONS, "ERR"))),
        Claim("eRAP-1 is almost GAP: tau and tau_ap above 0.9", "the least - 0.9",
              least(*own("eRAP-1", "GAP"), *own("eRAP-1", "GAP", "tau_ap")) - 0.9),
        gap_claim(found),
        Claim("eRRBP is almost gRBP: tau and tau_ap above 0.9", "the least - 0.9",
              least(*(q for name in WALKS for what in ("tau", "tau_ap")
                      for q in own(name, "gRBP", what))) - 0.9),
        *(Claim(f"tau of {name} with {other} grows from hard to lenient", steps,
                grows(name, other))
          for name in ("eRAP-1", "eRAP-2", *WALKS) for other in ("infAP", "bpref")),
    ]  # fmt: skip


def _of_robustness(found: LabelSet) -> list[Claim]:
    robust = found.robust

    def at(rate: float, names: Iterable[str]) -> list[Quantity]:
        return [robust(name, rate) for name in in_all_cases(names)]

    others = (*OWN, "gRBP")
    small = robust("eRAP-2 medium", 0.05)
    if found.four_grades:
        steady = [robust(name, 0.3) for name in ("nDCG", "bpref")]
        rest = at(0.3, ("infAP", *others, "ERR"))
        fallen = at(0.1, ("infAP", "GAP", "gRBP", "eRAP-1", *WALKS))
        clusters = [
            Claim("All measures look alike down to 30 % of the pool, with four grades",
                  f"30 %: {AROUND:g} - the largest less the least", AROUND - (
                      most(*steady, *rest) - least(*steady, *rest))),
            Claim("nDCG and bpref are always at the top", "30 %: the lesser - the best other",
                  least(*steady) - most(*rest)),
            Claim("On small pools all but nDCG, bpref and eRAP-2 fall below ERR",
                  "10 %: ERR - the best of them", robust("ERR", 0.1) - most(*fallen)),
        ]  # fmt: skip
    else:
        clusters = [
            Claim("GAP and eRAP are more robust than gRBP and eRRBP",
                  "30 %: the least of the former - the best of the latter",
                  least(*at(0.3, PRECISIONS)) - most(*at(0.3, ("gRBP", *WALKS)))),
        ]  # fmt: skip
    return [
        Claim("nDCG, bpref and infAP are among the most robust",
              "10 %: the least of them - the median of the others",
              least(*at(0.1, STABLE)) - median_of(*at(0.1, (*others, "ERR")))),
        Claim("ERR is more sensitive", "10 %: the median of the others - ERR",
              median_of(*at(0.1, (*STABLE, *others))) - robust("ERR", 0.1)),
        *clusters,
        Claim("eRAP-2 is more robust than GAP on small pools", "5 %, medium: eRAP-2 - GAP",
              small - robust("GAP medium", 0.05)),
        Claim("eRAP-2 is as robust as nDCG and bpref there",
              "5 %, medium: eRAP-2 - the lesser of both",
              small - least(robust("nDCG", 0.05), robust("bpref", 0.05))),
    ]  # fmt: skip


def _of_power(found: LabelSet | PrintedNumbers) -> list[Claim]:
    power = found.power

    def at(rate: float, names: Iterable[str]) -> list[Quantity]:
        return [power(name, rate) for name in in_all_cases(names)]

    everything = (*COMMON, *OWN)
    rest = [name for name in everything if name not in STABLE]
    strong = least(*(power(f"eRAP-2 {case}") for case in ("medium", "lenient")))
    steps = "the smaller step, hard to medium to lenient"
    above = [power(f"eRAP-2 {case}", 0.05) - most(power("nDCG", 0.05), power("bpref", 0.05))
             for case in CASES]  # fmt: skip
    return [
        *([Claim("On small pools eRAP-2 has more power than nDCG and bpref, with four grades",
                 "5 %, all cases: the least difference", least(*above))]
          if found.four_grades else []),
        Claim("ERR is one of the least discriminative", "the median of the others - ERR",
              median_of(*at(1.0, (n for n in everything if n != "ERR"))) - power("ERR")),
        Claim("nDCG, bpref and infAP are among the most discriminative",
              "the least of them - the median of the others",
              least(*at(1.0, STABLE)) - median_of(*at(1.0, rest))),
        Claim("gRBP and eRRBP tend to be less discriminative than the others",
              "the median of the others but ERR - the median of theirs",
              median_of(*at(1.0, (*STABLE, *PRECISIONS))) - median_of(*at(1.0, ("gRBP", *WALKS)))),
        *(Claim(f"Power of {name} grows from hard to lenient", steps, rising(*at(1.0, [name])))
          for name in ("eRAP-2", "eRRBP-2")),
        Claim("eRAP-2 has more power than nDCG, bpref and infAP",
              "medium and lenient: the lesser - the best of the three",
              strong - most(*at(1.0, STABLE))),
        *(Claim("Power is stable down to 50 % of the pool", f"{name}: 50 % - all + 0.05",
                power(name, 0.5) - power(name) + 0.05)
          for name in ("eRAP-2 medium", "GAP medium", "gRBP", "eRRBP-2 medium")),
        Claim("eRAP-2 keeps its power on small pools as nDCG and bpref do",
              "5 %, hard: eRAP-2 - the best of GAP, gRBP, eRAP-1 and eRRBP",
              power("eRAP-2 hard", 0.05)
              - most(*at(0.05, ("GAP", "gRBP", "eRAP-1", "eRRBP-1", "eRRBP-2")))),
    ]  # fmt: skip
