"""Claims of a study: a number, its uncertainty, and whether the claim holds.

A verdict rests on an interval, not on one number. A `Quantity` carries its values on
other topics, pools, tuples or seeds: draws that share their randomness with those of the other
quantities of a study, so that differences stay paired. A `Claim` is a quantity that has to be
positive; it holds if the whole interval is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record
from hungjury.stats.bootstrap import percentile_interval
from hungjury.studies.study_table import Cell, StudyTable
from hungjury.tables import Table

__all__ = [
    "DOES_NOT_HOLD",
    "HOLDS",
    "INCONCLUSIVE",
    "LEVEL",
    "Claim",
    "ClaimVerdict",
    "Quantity",
    "claims_table",
    "least",
    "mean_of_all",
    "most",
    "sensitivity_tables",
    "verdicts",
    "within",
]  # fmt: skip

Array = NDArray[np.float64]
ClaimVerdict = Literal["holds", "does not hold", "inconclusive"]
HOLDS: ClaimVerdict = "holds"
DOES_NOT_HOLD: ClaimVerdict = "does not hold"
INCONCLUSIVE: ClaimVerdict = "inconclusive"
LEVEL = 0.95
ROUNDING = 1e-12  # differences between sums of the same numbers


class Quantity(Record, eq=False):
    """A number, and draws of it [draw].

    Quantities are added and subtracted draw by draw, so they must come from the same study.
    """

    value: float
    draws: Array

    def __add__(self, other: Quantity | float) -> Quantity:
        if isinstance(other, Quantity):
            return Quantity(self.value + other.value, self.draws + other.draws)
        return Quantity(self.value + other, self.draws + other)

    def __sub__(self, other: Quantity | float) -> Quantity:
        if isinstance(other, Quantity):
            return Quantity(self.value - other.value, self.draws - other.draws)
        return Quantity(self.value - other, self.draws - other)

    def __rsub__(self, other: float) -> Quantity:
        return Quantity(other - self.value, other - self.draws)

    def interval(self) -> tuple[float, float]:
        """The central 95 % of the draws; NaN where a draw has no value, such as the tau of a
        measure that gives all systems the same mean."""
        if np.isnan(self.draws).any():
            return float("nan"), float("nan")
        low, high = percentile_interval(self.draws, LEVEL)
        return float(low), float(high)


def least(*quantities: Quantity) -> Quantity:
    """The smallest, which is positive if all are."""
    draws = np.min([one.draws for one in quantities], axis=0)
    return Quantity(min(one.value for one in quantities), draws)


def most(*quantities: Quantity) -> Quantity:
    """The largest, which is positive if any is."""
    draws = np.max([one.draws for one in quantities], axis=0)
    return Quantity(max(one.value for one in quantities), draws)


def mean_of_all(quantities: Iterable[Quantity]) -> Quantity:
    """Their mean."""
    found = list(quantities)
    total = reduce(Quantity.__add__, found)
    return Quantity(total.value / len(found), total.draws / len(found))


def within(difference: Quantity, allowed: float) -> Quantity:
    """Positive if the absolute difference is smaller than allowed."""
    return allowed - most(difference, 0 - difference)


class Claim(Record, eq=False):
    """A statement that holds if `quantity` is positive.

    text: the statement, in the paper's words. case: what it is tested on, such as a measure.
    measured: what the quantity is, in words. over: what the interval covers.
    """

    text: str
    case: str
    measured: str
    quantity: Quantity
    over: str

    @property
    def verdict(self) -> ClaimVerdict:
        low, high = self.quantity.interval()
        if low > ROUNDING:
            return HOLDS
        return DOES_NOT_HOLD if high <= ROUNDING else INCONCLUSIVE

    def numbers(self) -> tuple[float, float, float]:
        """Estimate and interval."""
        return (self.quantity.value, *self.quantity.interval())


def claims_table(claims: Sequence[Claim]) -> StudyTable:
    """Every claim with its estimate, its interval and the verdict."""
    rows: list[list[Cell]] = [
        [one.text, one.case, one.measured, one.over, *one.numbers(), one.verdict] for one in claims
    ]
    title = (
        "Claims: each holds if its quantity is positive; 95 % intervals over what is named, "
        "each claim by itself"
    )
    header = ["claim", "case", "quantity", "interval over", "estimate", "low", "high", "verdict"]
    return StudyTable("claims", title, header, rows)


def _cases(claims: Sequence[Claim]) -> list[str]:
    """The case of every claim; followed by the quantity where a claim is tested by several."""
    times = Counter((one.text, one.case) for one in claims)
    return [
        one.case if times[one.text, one.case] == 1 else f"{one.case}; {one.measured}"
        for one in claims
    ]


def verdicts(claims: Sequence[Claim]) -> Table:
    """A short version, for terminals."""
    rows: list[list[Cell]] = [
        [one.text, case, *one.numbers(), one.verdict]
        for one, case in zip(claims, _cases(claims), strict=True)
    ]
    return Table(["claim", "case", "estimate", "low", "high", "verdict"], rows, digits=3, left=2)


def sensitivity_tables(
    choices: Mapping[str, Sequence[Claim]], what: str
) -> tuple[StudyTable, StudyTable]:
    """How claims change under other choices than the first.

    Parameters
    ----------
    choices : mapping
        By the name of the choice: the same claims in the same order.
    what : str
        What is chosen, for the titles.

    Returns
    -------
    tuple of StudyTable
        Which claims keep their verdict under every choice, and all numbers; claims that no choice
        touches are left out.
    """
    names, cases = list(choices), _cases(next(iter(choices.values())))
    rows: list[list[Cell]] = []
    numbers: list[list[Cell]] = []
    for case, *same in zip(cases, *choices.values(), strict=True):
        if len({one.numbers() for one in same}) == 1:
            continue
        verdicts = [one.verdict for one in same]
        survives = len(set(verdicts)) == 1
        rows.append([same[0].text, case, *verdicts, "yes" if survives else "no"])
        numbers += [
            [one.text, case, name, *one.numbers(), one.verdict]
            for name, one in zip(names, same, strict=True)
        ]
    return (
        StudyTable(
            "sensitivity", f"Which conclusions survive: {what}",
            ["claim", "case", *names, "survives"], rows,
        ),
        StudyTable(
            "sensitivity-numbers", f"Claims by {what}, with 95 % intervals",
            ["claim", "case", "choice", "estimate", "low", "high", "verdict"], numbers,
        ),
    )  # fmt: skip
