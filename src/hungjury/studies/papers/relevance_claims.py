"""Printed numbers and claims of the paper on random relevance (RR 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from hungjury.base.arrays import Floats
from hungjury.base.tables import Cell, Table
from hungjury.studies.claims import Claim, Quantity, least, median_of, most, within
from hungjury.studies.papers.label_sets import (
    POWER_RATES,
    LabelSet,
    PrintedNumbers,
    power_rates,
    rising,
)
from hungjury.studies.papers.published import (
    printed_numbers,
    printed_rows,
    published_table,
    recognised,
)

OPTIONS = {"eRAP": ("eRAP-1", "eRAP-2"), "eRRBP": ("eRRBP-1", "eRRBP-2")}


def power_beside(
    sets: Sequence[LabelSet], lines: Mapping[tuple[str, ...], Floats]
) -> dict[str, Table]:
    """A row for each number that is printed about the paper's collections; no table where there is
    none. lines: {(labels, case, measure): power, on the whole pool first}."""
    rows: list[list[Cell]] = []
    for one in sets:
        name = recognised("relevance collections", one.facts(rel=1))
        if name is None:
            continue
        column = list(printed_numbers("relevance collections")).index(name)
        for measure, case, which, *printed in printed_rows("relevance power"):
            found = [
                float(lines[one.title, mine, label][0])
                for label in OPTIONS.get(measure, (measure,))
                for mine in ((case,) if case in CASES else CASES)
            ]
            value = min(found) if which == "least" else max(found)
            words = ["" if word == "-" else word for word in (case, which)]
            rows.append([name, measure, *words, value, float(printed[column]) / 100])
    header = ("collection", "measure", "case", "")
    return published_table(
        "figure-3", header, rows, "paper: discriminative power on the whole pool"
    )


CASES = ("hard", "medium", "lenient")
COMMON = ("nDCG", "ERR", "gRBP", "bpref", "infAP")  # the same in all cases
OWN = ("GAP", "eRAP-1", "eRAP-2", "eRRBP-1", "eRRBP-2")
STABLE = ("nDCG", "bpref", "infAP")
PRECISIONS, WALKS = ("GAP", "eRAP-1", "eRAP-2"), ("eRRBP-1", "eRRBP-2")
AROUND, ALIKE = 0.1, 0.05  # of a correlation
TOPICS, POOLS, BOTH = "topics", "topics, pools", "topics, seeds"


def label(name: str, case: str) -> str:
    """The label of a measure in one case."""
    return name if name in COMMON else f"{name} {case}"


def in_cases(names: Iterable[str]) -> list[str]:
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
    for column, name in enumerate(printed_numbers("relevance collections")):
        powers = {
            (measure if case == "-" else f"{measure} {case}", 1.0): float(printed[column]) / 100
            for measure, case, which, *printed in printed_rows("relevance power")
            if which == "-"
        }
        found[name] = _of_power(PrintedNumbers(powers))
    return found


def gap_claim(found: LabelSet) -> Claim:
    """eRAP-2 and GAP: near with three grades, far with four."""
    tau, tau_ap = (in_own_case(found, "eRAP-2", "GAP", what) for what in ("tau", "tau_ap"))
    if found.four_grades:
        return found.claim(TOPICS, "eRAP-2 departs from GAP: below 0.65 with four grades",
                           "0.65 - the largest", 0.65 - most(*tau))  # fmt: skip
    return found.claim(TOPICS, "eRAP-2 is near GAP: tau and tau_ap above 0.8 with three grades",
                       "the least - 0.8", least(*tau, *tau_ap) - 0.8)  # fmt: skip


def _of_correlation(found: LabelSet) -> list[Claim]:
    tau, claim = found.tau, partial(found.claim, TOPICS)

    own = partial(in_own_case, found)

    def grows(name: str, other: str, what: str = "tau") -> Quantity:
        return rising(*own(name, other, what))

    def every(names: Iterable[str], other: str) -> list[Quantity]:
        return [tau(name, other) for name in in_cases(names)]

    # The paper has three grades in T14 and four in T21, and what it says differs.
    if found.four_grades:
        low, close, walking, distant, between = 0.35, 0.83, 0.6, 0.45, (0.53, 0.63)
        near_ndcg = claim("With four grades these are below 0.8",
                          "0.8 - the largest of GAP and eRAP",
                          0.8 - most(*every(PRECISIONS, "nDCG")))  # fmt: skip
    else:
        low, close, walking, distant, between = 0.55, 0.88, 0.75, 0.6, (0.8, 0.86)
        near_ndcg = claim("With three grades these are around 0.9 or above",
                          "the least of GAP and eRAP - 0.85",
                          least(*every(PRECISIONS, "nDCG")) - 0.85)  # fmt: skip
    steps = "the smaller step, hard to medium to lenient"
    return [
        *(claim(f"{what} of {name} with nDCG grows from hard to lenient", steps,
                grows(name, "nDCG", what))
          for name in ("eRAP-1", "eRAP-2", "GAP", *WALKS) for what in ("tau", "tau_ap")),
        near_ndcg,
        claim("nDCG is nearer to gRBP than to eRRBP-1 if hard, farther if lenient",
              "the smaller of both differences",
              least(tau("gRBP", "nDCG") - tau("eRRBP-1 hard", "nDCG"),
                    tau("eRRBP-1 lenient", "nDCG") - tau("gRBP", "nDCG"))),
        claim("In the medium case both are about the same", f"{ALIKE:g} - the difference",
              within(tau("gRBP", "nDCG") - tau("eRRBP-1 medium", "nDCG"), ALIKE)),
        claim(f"tau of GAP and eRAP with ERR is below {low}", f"{low} - the largest",
              low - most(*every(PRECISIONS, "ERR"))),
        *(claim(f"tau of {name} with ERR grows from hard to lenient", steps, grows(name, "ERR"))
          for name in ("eRAP-1", "eRAP-2", "GAP")),
        *(claim(f"tau of {name} with GAP grows from hard to lenient", steps, grows(name, "GAP"))
          for name in ("eRAP-1", "eRAP-2")),
        claim(f"tau of eRAP-1 with infAP is {close} or more", f"the least - {close}",
              least(*every(("eRAP-1",), "infAP")) - close),
        claim("eRAP-2 is farther from infAP than eRAP-1", "the smallest difference",
              least(*(one - other for one, other in zip(
                  own("eRAP-1", "infAP"), own("eRAP-2", "infAP"), strict=True)))),
        claim(f"tau of eRAP-2 with infAP is from {between[0]} to {between[1]}",
              "the smallest distance from the ends",
              least(*(q for one in every(("eRAP-2",), "infAP")
                      for q in (one - between[0], between[1] - one)))),
        claim(f"tau of ERR with gRBP and eRRBP is around {walking}",
              f"{AROUND:g} - the largest difference from {walking}",
              least(*(within(one - walking, AROUND)
                      for one in (tau("gRBP", "ERR"), *every(WALKS, "ERR"))))),
        claim(f"tau of nDCG with gRBP and eRRBP is around or below {distant}",
              f"{distant} + {AROUND:g} - the largest",
              distant + AROUND - most(tau("gRBP", "nDCG"), *every(WALKS, "nDCG"))),
        claim("gRBP and eRRBP are nearer to ERR than GAP and eRAP are",
              "the least of the former - the largest of the latter",
              least(tau("gRBP", "ERR"), *every(WALKS, "ERR")) - most(*every(PRECISIONS, "ERR"))),
        claim("eRAP-1 is almost GAP: tau and tau_ap above 0.9", "the least - 0.9",
              least(*own("eRAP-1", "GAP"), *own("eRAP-1", "GAP", "tau_ap")) - 0.9),
        gap_claim(found),
        claim("eRRBP is almost gRBP: tau and tau_ap above 0.9", "the least - 0.9",
              least(*(q for name in WALKS for what in ("tau", "tau_ap")
                      for q in own(name, "gRBP", what))) - 0.9),
        *(claim(f"tau of {name} with {other} grows from hard to lenient", steps,
                grows(name, other))
          for name in ("eRAP-1", "eRAP-2", *WALKS) for other in ("infAP", "bpref")),
    ]  # fmt: skip


def _of_robustness(found: LabelSet) -> list[Claim]:
    robust, claim = found.robust, partial(found.claim, POOLS)

    def at(rate: float, names: Iterable[str]) -> list[Quantity]:
        return [robust(name, rate) for name in in_cases(names)]

    others = (*OWN, "gRBP")
    small = robust("eRAP-2 medium", 0.05)
    if found.four_grades:
        steady = [robust(name, 0.3) for name in ("nDCG", "bpref")]
        rest = at(0.3, ("infAP", *others, "ERR"))
        fallen = at(0.1, ("infAP", "GAP", "gRBP", "eRAP-1", *WALKS))
        clusters = [
            claim("All measures look alike down to 30 % of the pool, with four grades",
                  f"30 %: {AROUND:g} - the largest less the least", AROUND - (
                      most(*steady, *rest) - least(*steady, *rest))),
            claim("nDCG and bpref are always at the top", "30 %: the lesser - the best other",
                  least(*steady) - most(*rest)),
            claim("On small pools all but nDCG, bpref and eRAP-2 fall below ERR",
                  "10 %: ERR - the best of them", robust("ERR", 0.1) - most(*fallen)),
        ]  # fmt: skip
    else:
        clusters = [
            claim("GAP and eRAP are more robust than gRBP and eRRBP",
                  "30 %: the least of the former - the best of the latter",
                  least(*at(0.3, PRECISIONS)) - most(*at(0.3, ("gRBP", *WALKS)))),
        ]  # fmt: skip
    return [
        claim("nDCG, bpref and infAP are among the most robust",
              "10 %: the least of them - the median of the others",
              least(*at(0.1, STABLE)) - median_of(*at(0.1, (*others, "ERR")))),
        claim("ERR is more sensitive", "10 %: the median of the others - ERR",
              median_of(*at(0.1, (*STABLE, *others))) - robust("ERR", 0.1)),
        *clusters,
        claim("eRAP-2 is more robust than GAP on small pools", "5 %, medium: eRAP-2 - GAP",
              small - robust("GAP medium", 0.05)),
        claim("eRAP-2 is as robust as nDCG and bpref there",
              "5 %, medium: eRAP-2 - the lesser of both",
              small - least(robust("nDCG", 0.05), robust("bpref", 0.05))),
    ]  # fmt: skip


def _of_power(found: LabelSet | PrintedNumbers) -> list[Claim]:
    power, claim = found.power, partial(found.claim, BOTH)

    def at(rate: float, names: Iterable[str]) -> list[Quantity]:
        return [power(name, rate) for name in in_cases(names)]

    everything = (*COMMON, *OWN)
    rest = [name for name in everything if name not in STABLE]
    strong = least(*(power(f"eRAP-2 {case}") for case in ("medium", "lenient")))
    steps = "the smaller step, hard to medium to lenient"
    above = [power(f"eRAP-2 {case}", 0.05) - most(power("nDCG", 0.05), power("bpref", 0.05))
             for case in CASES]  # fmt: skip
    return [
        *([claim("On small pools eRAP-2 has more power than nDCG and bpref, with four grades",
                 "5 %, all cases: the least difference", least(*above))]
          if found.four_grades else []),
        claim("ERR is one of the least discriminative", "the median of the others - ERR",
              median_of(*at(1.0, (n for n in everything if n != "ERR"))) - power("ERR")),
        claim("nDCG, bpref and infAP are among the most discriminative",
              "the least of them - the median of the others",
              least(*at(1.0, STABLE)) - median_of(*at(1.0, rest))),
        claim("gRBP and eRRBP tend to be less discriminative than the others",
              "the median of the others but ERR - the median of theirs",
              median_of(*at(1.0, (*STABLE, *PRECISIONS))) - median_of(*at(1.0, ("gRBP", *WALKS)))),
        *(claim(f"Power of {name} grows from hard to lenient", steps, rising(*at(1.0, [name])))
          for name in ("eRAP-2", "eRRBP-2")),
        claim("eRAP-2 has more power than nDCG, bpref and infAP",
              "medium and lenient: the lesser - the best of the three",
              strong - most(*at(1.0, STABLE))),
        *(claim("Power is stable down to 50 % of the pool", f"{name}: 50 % - all + 0.05",
                power(name, 0.5) - power(name) + 0.05)
          for name in ("eRAP-2 medium", "GAP medium", "gRBP", "eRRBP-2 medium")),
        claim("eRAP-2 keeps its power on small pools as nDCG and bpref do",
              "5 %, hard: eRAP-2 - the best of GAP, gRBP, eRAP-1 and eRRBP",
              power("eRAP-2 hard", 0.05)
              - most(*at(0.05, ("GAP", "gRBP", "eRAP-1", "eRRBP-1", "eRRBP-2")))),
    ]  # fmt: skip
