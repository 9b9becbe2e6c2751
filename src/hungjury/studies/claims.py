"""Claims of a study: a number, its uncertainty by resampling, and whether the claim holds.

A verdict rests on an interval, not on one number. A `Quantity` carries draws of its value: what it
would be on other topics, pools, tuples or seeds. Topics are resampled by the bootstrap, and so are
units; both deviations are added to the estimate, centred. All quantities of a study share the same
resamples, which keeps their differences paired. A `Claim` is a quantity that has to be positive; it
holds if the whole interval is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import plural
from hungjury.base.records import Record
from hungjury.base.results import Cell, Table
from hungjury.stats.resampling import interval, resample_counts
from hungjury.studies.jobs import seed_for

RESAMPLES = 200
"""Default number of draws of a quantity."""
LEVEL = 0.95  # of all intervals


class Resampling(Record):
    """Draws from a seed; the same name always gives the same draws."""

    draws: int
    seed: int = 0

    def topics(self, number: int) -> Floats:
        """[draw, topic]: the share of each topic in a resample."""
        return resample_counts(number, self.draws, self._rng("topics")) / number

    def units(self, values: Floats, *name: str | int) -> Floats:
        """[draw]: deviation of the mean of independent values [unit] in resamples.

        name: identifies the units; other values of the same units get the same resamples. Widened
        by √(n/(n - 1)), since the variance of resamples of n is that much too small.
        """
        n = len(values)
        if n < 2:
            return np.zeros(self.draws)
        shares = _unit_shares(self, n, name)
        return np.asarray((shares @ values - values.mean()) * np.sqrt(n / (n - 1)))

    def joint(self, values: Floats, on_topics: Floats, *name: str | int) -> Floats:
        """[draw]: the mean of values [unit] with other units and on other topics.

        on_topics: [draw] means on resampled topics, of the first units at least, or [draw, unit].
        """
        moved = on_topics.reshape(self.draws, -1).mean(axis=1)
        return np.asarray(values.mean() + self.units(values, *name) + moved - moved.mean())

    def _rng(self, *name: str | int) -> np.random.Generator:
        return np.random.default_rng(seed_for(self.seed, ("resample", *name)))


@lru_cache(maxsize=64)
def _unit_shares(draws: Resampling, n: int, name: tuple[str | int, ...]) -> Floats:
    """[draw, unit]: the share of each of n units in a resample; kept, since all numbers of a study
    see the same."""
    return resample_counts(n, draws.draws, draws._rng("units", n, *name)) / n


@lru_cache
def too_narrow(number: int) -> float:
    """Return the factor by which draws of so few units have to be widened for intervals at `LEVEL`:
    their variance lacks a factor n/(n - 1), and their quantiles are the normal distribution's
    instead of Student's. One unit says nothing about others: infinite."""
    from scipy.special import ndtri, stdtrit

    if number < 2:
        return float("inf")
    freedom, upper = number - 1, (1 + LEVEL) / 2
    return float(stdtrit(freedom, upper) / ndtri(upper) * np.sqrt(number / freedom))


ClaimVerdict = Literal[
    "holds", "does not hold", "inconclusive", "too small to matter", "equal by construction"
]
NEGLIGIBLE = 0.01  # an interval inside this margin on both sides of 0 shows no difference
ROUNDING = 1e-12  # differences between sums of the same numbers


class Quantity(Record, eq=False):
    """A number, and draws of it [draw]; over: what the draws cover, such as "topics".

    Quantities are added and subtracted draw by draw, so they must come from the same study.
    """

    value: float
    draws: Floats
    over: str = ""

    def __add__(self, other: Quantity | float) -> Quantity:
        if isinstance(other, Quantity):
            return Quantity(self.value + other.value, self.draws + other.draws, self.over)
        return Quantity(self.value + other, self.draws + other, self.over)

    def __mul__(self, factor: float) -> Quantity:
        return Quantity(self.value * factor, self.draws * factor, self.over)

    def __neg__(self) -> Quantity:
        return self * -1

    def __sub__(self, other: Quantity | float) -> Quantity:
        return self + -other

    def __rsub__(self, other: float) -> Quantity:
        return -self + other

    def interval(self) -> tuple[float, float]:
        """The central interval of the draws at `LEVEL`; NaN where a draw has no value, such as the
        tau of a measure that gives all systems the same mean."""
        if np.isnan(self.draws).any():
            return float("nan"), float("nan")
        low, high = interval(self.draws, LEVEL)
        return float(low), float(high)


Together: TypeAlias = "Quantity | Iterable[Quantity]"


def least(*quantities: Together) -> Quantity:
    """The smallest, which is positive if all are."""
    return _draw_by_draw(np.min, quantities)


def most(*quantities: Together) -> Quantity:
    """The largest, which is positive if any is."""
    return _draw_by_draw(np.max, quantities)


def median_of(*quantities: Together) -> Quantity:
    """Their median, draw by draw."""
    return _draw_by_draw(np.median, quantities)


def mean_of(*quantities: Together) -> Quantity:
    """Their mean."""
    return _draw_by_draw(np.mean, quantities)


def rising(*quantities: Together) -> Quantity:
    """The smallest step from one to the next: positive where they grow."""
    return least(b - a for a, b in pairwise(_all_of(quantities)))


def _draw_by_draw(function: Callable[..., Floats], quantities: Iterable[Together]) -> Quantity:
    each = _all_of(quantities)
    value, *draws = function([np.append(one.value, one.draws) for one in each], axis=0)
    return Quantity(float(value), np.array(draws), each[0].over)


def _all_of(given: Iterable[Together]) -> list[Quantity]:
    return [one for part in given for one in ([part] if isinstance(part, Quantity) else part)]


def within(difference: Quantity, allowed: float) -> Quantity:
    """Positive if the absolute difference is smaller than allowed."""
    return allowed - most(difference, -difference)


class Claim(Record, eq=False):
    """A statement that holds if `quantity` is positive.

    text: the statement, in the paper's words. measured: what the quantity is, in words. case: what
    it is tested on, such as a measure. printed: the quantity on the numbers that the paper prints,
    by its collection, where it prints them.
    """

    text: str
    measured: str
    quantity: Quantity
    case: str = ""
    printed: Mapping[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> ClaimVerdict:
        """Equal by construction: 0 in every draw. Too small to matter: the interval is inside the
        margin, as in a test of equivalence."""
        if np.abs([self.quantity.value, *self.quantity.draws]).max() <= ROUNDING:
            return "equal by construction"
        low, high = self.quantity.interval()
        if low > -NEGLIGIBLE and high < NEGLIGIBLE:
            return "too small to matter"
        if low > ROUNDING:
            return "holds"
        return "does not hold" if high <= ROUNDING else "inconclusive"

    def told(self, case: str) -> dict[str, Cell]:
        """The cells of a table: verdict, claim, case, estimate and interval."""
        low, high = self.quantity.interval()
        estimate = {"estimate": self.quantity.value, "low": low, "high": high}
        return {"verdict": self.verdict, "claim": self.text, "case": case, **estimate}


def in_cases(claims: Mapping[str, Iterable[Claim]]) -> list[Claim]:
    """Claims by case, which goes before what they were tested on already."""
    return [
        replace(one, case=", ".join(filter(None, (case, one.case))))
        for case, each in claims.items()
        for one in each
    ]


def beside_print(
    claims: Sequence[Claim], printed: Mapping[str, Sequence[Claim]], paper: str = ""
) -> list[Claim]:
    """Add to claims what the same claims come to on a paper's printed numbers.

    printed: by the paper's collection. Claims are the same if texts and quantities are, and cases
    up to the first parameter ("RBP" and "RBP(p=0.8)"); with `paper`, cases do not count.
    """

    def key(one: Claim) -> tuple[str, str, str]:
        family = one.case.rpartition(", ")[2].partition("(")[0]
        return one.text, one.measured, paper or family

    tables = {
        name: {key(one): one.quantity.value for one in each} for name, each in printed.items()
    }
    found = []
    for claim in claims:
        mine = {name: table.get(key(claim), np.nan) for name, table in tables.items()}
        known = {name: value for name, value in mine.items() if not np.isnan(value)}
        found.append(replace(claim, printed=known))
    return found


def claims_table(claims: Sequence[Claim]) -> Table:
    """Every claim with its estimate, its interval and the verdict, and with the paper's own numbers
    where it prints them."""
    rows = [
        {
            **one.told(one.case),
            "quantity": one.measured,
            "interval over": one.quantity.over,
            "on the paper's numbers": ", ".join(
                f"{name} {value:+.3f}" for name, value in one.printed.items()
            ),
        }
        for one in claims
    ]
    caption = (
        f"Claims: each holds if its quantity is positive; {100 * LEVEL:.0f} % intervals over what "
        f"is named, each claim by itself. Intervals within {NEGLIGIBLE:g} of 0 are too small to "
        "matter"
    )
    return Table.of(rows, caption=caption)


def summary(claims: Sequence[Claim]) -> str:
    """Return how many claims hold and how many do not, and how many would by chance."""
    times = Counter(one.verdict for one in claims)
    found = "; ".join(f"{word}: {times[word]}" for word in get_args(ClaimVerdict) if times[word])
    chance = len(claims) * (1 - LEVEL) / 2
    return (
        f"{plural(len(claims), 'claim')}. {found[:1].upper()}{found[1:]}. If all quantities were "
        f"0, about {chance:.1f} would hold by chance, and as many would not."
    )


def _cases(claims: Sequence[Claim]) -> list[str]:
    """The case of every claim; followed by the quantity where a claim is tested by several."""
    times = Counter((one.text, one.case) for one in claims)
    return [
        one.case if times[one.text, one.case] == 1 else f"{one.case}; {one.measured}"
        for one in claims
    ]


def verdicts(claims: Sequence[Claim]) -> Table:
    """A short version, for terminals."""
    rows = [one.told(case) for one, case in zip(claims, _cases(claims), strict=True)]
    return Table.of(rows, digits=3, left=3)


def sensitivity(choices: Mapping[str, Sequence[Claim]], what: str) -> dict[str, Table]:
    """Show how claims change under other choices than the first.

    Parameters
    ----------
    choices : mapping
        By the name of the choice: the same claims in the same order.
    what : str
        What is chosen, for the captions.

    Returns
    -------
    dict of Table
        Which claims keep their verdict under every choice, and all numbers; claims that no choice
        touches are left out.
    """
    names, cases = list(choices), _cases(next(iter(choices.values())))
    header = ["claim", "case", "choice", "estimate", "low", "high", "verdict"]
    rows: list[list[Cell]] = []
    numbers: list[list[Cell]] = []
    for case, *same in zip(cases, *choices.values(), strict=True):
        told = [one.told(case) | {"choice": name} for name, one in zip(names, same, strict=True)]
        if len({(one["estimate"], one["low"], one["high"]) for one in told}) == 1:
            continue
        verdicts = [one["verdict"] for one in told]
        rows.append([same[0].text, case, *verdicts, "yes" if len(set(verdicts)) == 1 else "no"])
        numbers += [[one[name] for name in header] for one in told]
    survive = f"Which conclusions survive: {what}"
    caption = f"Claims by {what}, with {100 * LEVEL:.0f} % intervals"
    return {
        "sensitivity": Table(["claim", "case", *names, "survives"], rows, caption=survive),
        "sensitivity-numbers": Table(header, numbers, caption=caption),
    }
