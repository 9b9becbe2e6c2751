"""Printed numbers and claims of the paper on graded average precision (XG 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from hungjury.base.records import Record
from hungjury.base.tables import Cell, Table
from hungjury.studies.claims import Claim, Quantity, least, most, within
from hungjury.studies.data import StudyData
from hungjury.studies.papers.label_sets import ClaimData, LabelSet, rising
from hungjury.studies.papers.published import COMPARED as BESIDE
from hungjury.studies.papers.published import compared, graded_recognised, graded_tau
from hungjury.studies.topics import few_highly_relevant

# nDCG as in the random relevance paper: gains 5, 10, ... by grade, logarithm's base 10.
COMPARED = ("AP", "nDCG(base=10)", "RBP(p=0.8)", "Bpref")
PRINTED_AS = dict(zip(("AP", "nDCG", "RBP", "bpref"), COMPARED, strict=True))
HEADER = ("collection", "g", "", "with", "topics", *BESIDE)


def beside_the_paper(
    table: str, sets: Sequence[LabelSet], place: Mapping[str, int], rel: int
) -> dict[str, Table]:
    """A row for each number of the paper's collections; no table where there is none.

    table: "table-2" or "table-3". place: of the measures' labels among those correlated.
    """
    rows: list[list[Cell]] = []
    for one in sets:
        name = graded_recognised(one.facts(rel))
        if name is None:
            continue
        topics = list(topic_sets(one.data, one.whose))
        for (g, family, other), printed in graded_tau(name).items():
            row, column = f"{family} {in_words(g)}", PRINTED_AS.get(other, f"GAP {in_words(g)}")
            if row not in place or column not in place:
                continue
            for which, number in zip(topics, printed, strict=True):
                found = one.result("correlation", which)
                value = None
                if found is not None:
                    value = float(np.asarray(found["tau"])[place[row], place[column]])
                cells = compared(value, number)
                rows.append([name, in_words(g), family, other, which, *cells])
    title = f"{table.replace('-', ' ').capitalize()} beside the paper"
    return {f"{table}-published": Table(HEADER, rows, caption=title)} if rows else {}


def topic_sets(data: StudyData, whose: str) -> dict[str, list[str]]:
    """All topics, and for each grade above the lowest those with few documents of it."""
    labels = data.labels(whose)
    found = {"all topics": labels.topics}
    for grade in range(2, labels.max_grade + 1):
        found[f"few of grade {grade}"] = few_highly_relevant(labels, grade).names
    return found


def in_words(g: tuple[float, ...]) -> str:
    """Probabilities as the paper writes them: (0.1, 0.9)."""
    return "(" + ", ".join(f"{value:.3g}" if value % 1 else f"{value:.1f}" for value in g) + ")"


AP, NDCG, RBP, BPREF = COMPARED
GAP, *EXTENDED = FAMILY = ("GAP", "xGAP", "eGAP")
LESS_THAN_NOTICEABLE = 0.8  # "less than 0.8 generally reflect noticeable changes in rankings"
ALIKE = 0.05  # a difference of tau that counts as none
MIDDLE, SMALL, SMALLEST = 0.3, 0.1, 0.05  # shares of the pool
TOPICS, POOLS = "topics", "topics, pools"


class _Users(Record):
    """The thresholds of the paper's examples: no weight on grade 1, little, and more; then
    those of hard and of lenient users, beside nDCG."""

    none: tuple[float, ...]
    little: tuple[float, ...]
    more: tuple[float, ...]
    hard: tuple[float, ...]
    lenient: tuple[float, ...]


USERS = {  # by the number of relevant grades
    2: _Users((0.0, 1.0), (0.1, 0.9), (0.3, 0.7), (0.1, 0.9), (0.9, 0.1)),
    3: _Users((0.0, 0.2, 0.8), (0.2, 0.2, 0.6), (0.4, 0.2, 0.4), (0.2, 0.0, 0.8), (0.8, 0.0, 0.2)),
}


class GradedEvidence(Record, eq=False):
    """Of one set of labels, by set of topics: correlations of all measures of the tables, and
    robustness of those of the figures. Sets with few topics of a grade come after all topics."""

    top: int
    tables: Mapping[str, ClaimData]
    figures: Mapping[str, ClaimData]


def graded_claims(found: GradedEvidence) -> list[Claim]:
    """All claims that the study's measures, thresholds and rates allow."""
    users = USERS.get(found.top)
    every, *few = found.tables
    place, rates = found.tables[every].place, found.figures[every].rates
    if users is None or not set(COMPARED) <= set(place):
        return []
    claims = []
    if all(f"GAP {in_words(g)}" in place for g in vars(users).values()):
        claims += _of_correlation(found.tables[every], users)
        for name in few:
            claims += _of_few(found.tables[every], found.tables[name], users)
    if {MIDDLE, SMALL, SMALLEST} <= set(rates):
        claims += _of_robustness(found.figures[every], found.top)
        for name in few:
            claims += _of_few_robustness(found.figures[name])
    return claims


def _tau(found: ClaimData, name: str, g: tuple[float, ...], other: str = AP) -> Quantity:
    return found.tau(f"{name} {in_words(g)}", other)


def _of_correlation(found: ClaimData, users: _Users) -> list[Claim]:
    claim = partial(found.claim, TOPICS)

    def with_gap(name: str, g: tuple[float, ...]) -> Quantity:
        return _tau(found, name, g, f"GAP {in_words(g)}")

    little, more = in_words(users.little), in_words(users.more)
    gap = _tau(found, GAP, users.little)
    return [
        claim("xGAP and eGAP come nearer to AP as g1 grows",
              f"the smaller step, {little} to {more}",
              least(*(rising(_tau(found, name, users.little), _tau(found, name, users.more))
                      for name in EXTENDED))),
        claim("xGAP and eGAP come nearer to GAP as g1 grows",
              f"the smaller step, {little} to {more}",
              least(*(rising(with_gap(name, users.little), with_gap(name, users.more))
                      for name in EXTENDED))),
        claim("A little weight on g1 brings GAP near to AP",
              f"{little} - {in_words(users.none)}", gap - _tau(found, GAP, users.none)),
        claim("It makes GAP rank as AP does, above 0.8", f"{little}: GAP - 0.8",
              gap - LESS_THAN_NOTICEABLE),
        claim("xGAP and eGAP stay farther from AP than GAP", f"{little}: GAP - the larger of both",
              gap - most(*(_tau(found, name, users.little) for name in EXTENDED))),
        *(claim(f"tau of {name} with nDCG grows with g1",
                f"{in_words(users.lenient)} - {in_words(users.hard)}",
                rising(*(_tau(found, name, g, NDCG) for g in (users.hard, users.lenient))))
          for name in FAMILY),
    ]  # fmt: skip


def _of_few(every: ClaimData, few: ClaimData, users: _Users) -> list[Claim]:
    """On topics with few documents of a grade; both sets of topics are drawn by themselves."""
    little, claim = in_words(users.little), partial(few.claim, TOPICS)

    def fall(name: str) -> Quantity:
        return _tau(every, name, users.little) - _tau(few, name, users.little)

    both = least(*map(fall, EXTENDED))
    nearest = most(*(_tau(few, name, users.little, NDCG) for name in EXTENDED))
    return [
        claim("There xGAP and eGAP depart from AP",
              f"{little}, all topics - these: the smaller fall", both),
        claim("There GAP departs less from AP than xGAP and eGAP",
              f"{little}: their smaller fall - GAP's", both - fall(GAP)),
        claim("There GAP is nearer to nDCG than xGAP and eGAP",
              f"{little}: GAP - the larger of both",
              _tau(few, GAP, users.little, NDCG) - nearest),
    ]  # fmt: skip


def _of_robustness(found: ClaimData, top: int) -> list[Claim]:
    def claim(text: str, rate: float, measured: str, quantity: Quantity) -> Claim:
        return found.claim(POOLS, text, f"{100 * rate:.0f} %: {measured}", quantity)

    at = found.robust
    stable = claim(
        "nDCG and bpref are most robust", SMALL, "the lesser of both - the best other",
        least(at(NDCG, SMALL), at(BPREF, SMALL))
        - most(*(at(name, SMALL) for name in (*FAMILY, AP, RBP))),
    )  # fmt: skip
    if top == 2:
        return [stable, *(
            claim("xGAP and eGAP are more robust than GAP on small pools", rate,
                  "the lesser of both - GAP", _over_gap(found, rate))
            for rate in (SMALL, SMALLEST)
        )]  # fmt: skip
    gap = at(GAP, SMALL)
    return [
        stable,
        claim("GAP is more robust than xGAP and eGAP", SMALL, "GAP - the better of both",
              gap - most(*(at(name, SMALL) for name in EXTENDED))),
        claim("GAP follows AP", SMALL, "0.05 - their difference",
              within(gap - at(AP, SMALL), ALIKE)),
    ]  # fmt: skip


def _of_few_robustness(few: ClaimData) -> list[Claim]:
    return [
        few.claim(POOLS, "There xGAP and eGAP are more robust than GAP",
                  f"{100 * rate:.0f} %: the lesser of both - GAP", _over_gap(few, rate))
        for rate in (MIDDLE, SMALL, SMALLEST)
    ]  # fmt: skip


def _over_gap(found: ClaimData, rate: float) -> Quantity:
    return least(*(found.robust(name, rate) for name in EXTENDED)) - found.robust(GAP, rate)
