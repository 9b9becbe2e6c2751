"""Claims of a study: a number, its uncertainty by resampling, and whether the claim holds.

Topics are resampled by the bootstrap, and so are units; both deviations are added to the estimate,
centred. All numbers of a study see the same resamples, so that their differences stay paired.

A verdict rests on an interval, not on one number. A `Quantity` carries its values on
other topics, pools, tuples or seeds: draws that share their randomness with those of the other
quantities of a study, so that differences stay paired. A `Claim` is a quantity that has to be
positive; it holds if the whole interval is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache, reduce
from typing import Any, Literal

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.records import Record
from hungjury.base.tables import Cell, Joined, Marked, Table
from hungjury.stats.resampling import interval, resample_counts
from hungjury.studies.jobs import seed_for

__all__ = [
    "DOES_NOT_HOLD",
    "HOLDS",
    "INCONCLUSIVE",
    "LEVEL",
    "RESAMPLES",
    "Cell",
    "Claim",
    "ClaimVerdict",
    "Joined",
    "Marked",
    "Quantity",
    "Resampling",
    "StudyTable",
    "claims_table",
    "least",
    "mean_of_all",
    "most",
    "sensitivity_tables",
    "stem",
    "too_narrow",
    "verdicts",
    "within",
]


def stem(text: str) -> str:
    """Turn text into a part of a file name."""
    return re.sub(r"[^\w.+@-]+", "-", text).strip("-")


class StudyTable(Record):
    """name: the stem of its files, such as "table-5.2". Empty cells are None."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4
    formats: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)

    @staticmethod
    def of(name: str, title: str, table: Table) -> StudyTable:
        """The table of a building block, printed as it says."""
        return StudyTable(name, title, table.columns, table.rows, table.digits, table.formats)

    def __post_init__(self) -> None:
        _ = self.table  # complains about rows that do not fit

    @cached_property
    def table(self) -> Table:
        return Table(self.header, self.rows, self.digits, self.formats, self.title)

    def __str__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table.to_html()

    def to_csv(self, safe: bool = False) -> str:
        """Full precision; `safe`: escape text that spreadsheets would take for formulas."""
        return self.table.to_csv(safe)

    def to_latex(self) -> str:
        """A booktabs table with its caption."""
        return self.table.to_latex()


RESAMPLES = 200
"""Default number of draws of a quantity."""
NORMAL, UPPER = 1.959964, 0.975  # of 95 % intervals


class Resampling(Record):
    """Draws from a seed; the same name always gives the same draws."""

    draws: int
    seed: int = 0

    def topics(self, number: int) -> Floats:
        """[draw, topic]: the share of each topic in a resample."""
        return resample_counts(number, self.draws, self._rng("topics")) / number

    def units(self, values: Floats, *name: str | int) -> Floats:
        """[draw]: deviation of the mean of independent values [unit] in resamples.

        name: identifies the units, so that other values of them get the same resamples. Widened by
        √(n/(n - 1)), since the variance of resamples of n is that much too small.
        """
        n = len(values)
        if n < 2:
            return np.zeros(self.draws)
        shares = _unit_shares(self, n, name)
        return np.asarray((shares @ values - values.mean()) * np.sqrt(n / (n - 1)))

    def joint(self, values: Floats, on_topics: Floats, *name: str | int) -> Floats:
        """[draw]: the mean of values [unit] with other units and on other topics.

        on_topics: [draw, unit] values on resampled topics, of the first units at least.
        """
        moved = on_topics.mean(axis=1)
        return np.asarray(values.mean() + self.units(values, *name) + moved - moved.mean())

    def _rng(self, *name: str | int) -> np.random.Generator:
        return np.random.default_rng(seed_for(self.seed, ("resample", *name)))


@lru_cache(maxsize=64)
def _unit_shares(draws: Resampling, n: int, name: tuple[str | int, ...]) -> Floats:
    """[draw, unit]: the share of each of n units in a resample; kept, since all numbers of a study
    see the same."""
    return resample_counts(n, draws.draws, draws._rng("units", n, *name)) / n


def too_narrow(number: int) -> float:
    """By how much resamples of so few units vary too little for intervals at 95 %: their variance
    lacks a factor n/(n - 1), and their quantiles are the normal distribution's instead of
    Student's. One unit says nothing about others: infinite."""
    from scipy.special import stdtrit

    if number < 2:
        return float("inf")
    freedom = number - 1
    return float(stdtrit(freedom, UPPER) / NORMAL * np.sqrt(number / freedom))


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
    draws: Floats

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
        low, high = interval(self.draws, LEVEL)
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
