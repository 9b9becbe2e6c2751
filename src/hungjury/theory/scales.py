"""Is a measure on an interval scale: do equal steps between lists raise it by equal amounts?

A difference of means assumes so. The thesis (chapter 3) orders lists and leaves the question open;
Ferrante, Ferro and Pontarollo (2017, 2019) ask it of the steps of an order: two lists that differ
by one step, with no list between them.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.choices import ListOrder
from hungjury.base.errors import InputError, check_choice
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table
from hungjury.measures.balancing_forms import TOLERANCE
from hungjury.theory.list_pairs import Lists, ListScorer, MeasureLike, all_lists, plentiful_pool

MOST_LISTS = 1024
"""Lists of the longest check: every list is compared with every other."""

Scale = Literal["interval", "ordinal", "not strict", "not ordered", "by ranks", "undefined"]
Places = NDArray[np.int64]
MEANINGS: dict[Scale, str] = {
    "interval": "all steps are equal",
    "ordinal": "steps differ",
    "not strict": "some steps leave the score",
    "not ordered": "some steps lower the score",
    "by ranks": "the score depends on ranks",
    "undefined": "some lists have no score",
}


class ListStep(Record):
    """Two lists with no other between them, the lower first, and their scores."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    value_before: float
    value_after: float

    @property
    def difference(self) -> float:
        """The score gained."""
        return self.value_after - self.value_before

    def __str__(self) -> str:
        return f"{self.before} → {self.after} {self.difference:+.4f}"


class ScaleReport(Record, Result):
    """The scale of a measure on the lists of one length.

    scale: "interval" (all steps raise the score by the same amount), "ordinal" (all raise it, by
    different amounts), "not strict" (some leave it), "not ordered" (some lower it), "by ranks"
    (sets with different scores by the ranks of their documents) or "undefined" (some list has no
    score). smallest, largest: the steps that differ most, as witnesses.
    """

    measure: str
    length: int
    grades: int
    order: str
    steps: int
    scale: Scale
    smallest: ListStep | None = None
    largest: ListStep | None = None

    def table(self) -> Table:
        """Return the two steps that differ most."""
        rows = [
            (name, str(one.before), str(one.after), one.difference)
            for name, one in (("smallest", self.smallest), ("largest", self.largest))
            if one is not None
        ]
        return Table(("step", "before", "after", "difference"), rows)

    def _parts(self) -> list[str | Table]:
        return [self.to_text().partition("\n")[0], self.table()]

    def to_text(self) -> str:
        """Write the verdict, and the steps that differ most."""
        head = (
            f"{self.measure}, lists of {self.length} with {self.grades} grades, order by "
            f"{self.order}, {self.steps} steps: {self.scale} ({MEANINGS[self.scale]})"
        )
        if self.scale == "interval" or self.smallest is None or self.largest is None:
            return head
        return f"{head}\n  smallest step: {self.smallest}\n  largest step: {self.largest}"


def interval_scale(
    measure: MeasureLike, length: int, grades: int = 2, order: ListOrder = "rank"
) -> ScaleReport:
    """Check whether a measure is on an interval scale: equal steps, equal differences.

    Means, differences of means and most tests assume an interval scale. On any other, a gain of
    0.1 at the top of the list and one of 0.1 further down are not the same improvement, and another
    measure that orders all lists alike may order systems' means differently.

    Parameters
    ----------
    measure : str, Measure or callable
        A measure, or a function from a tuple of grades to a number.
    length, grades : int
        All lists of this length with this many grades are compared.
    order : {"rank", "set", "top"}
        The order whose steps are to be equal. ``"rank"``: the partial order of ranked lists of
        `compare_lists`. ``"set"``: that of sets, where ranks do not matter. ``"top"``: the total
        order in which a better document at a rank outweighs everything below it.

    Returns
    -------
    ScaleReport
        The scale, and the two steps that differ most.

    Notes
    -----
    A step leads from a list to another with none between them. Every list is drawn from a pool with
    `length` documents of each grade.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.theory.interval_scale("RBP(p=0.5)", 4, order="top").scale
    'interval'
    >>> hj.theory.interval_scale("AP", 4).scale
    'ordinal'
    """
    length = check_count("length", length, 1, MOST_RANKS)
    grades = check_count("grades", grades, 2, MOST_GRADE + 1)
    check_choice("order", order, get_args(ListOrder))
    if length * np.log(grades) > np.log(MOST_LISTS):
        raise InputError(
            f"there are more than {MOST_LISTS:,} lists of {length} with {grades} grades",
            code="too-much-work",
            argument="length",
            remedy="use shorter lists or fewer grades",
        )
    scorer = ListScorer(measure)
    scorer.check(grades - 1)
    lists = all_lists(length, grades)
    values = scorer(lists, plentiful_pool(length, grades))
    defined = not np.isnan(values).any()
    if order == "set":
        values, lists = _sets(values, lists)
    before, after = _steps(lists, order, grades)
    about = (scorer.name, length, grades, order, len(before))
    if np.isnan(values).any():
        return ScaleReport(*about, scale="by ranks" if defined else "undefined")
    gain = values[after] - values[before]
    if scorer.smaller_is_better:
        gain = -gain
    low, high = int(gain.argmin()), int(gain.argmax())
    smallest, largest = (
        ListStep(
            tuple(lists[before[i]].tolist()),
            tuple(lists[after[i]].tolist()),
            float(values[before[i]]),
            float(values[after[i]]),
        )
        for i in (low, high)
    )
    return ScaleReport(*about, _scale(gain, values), smallest, largest)


def _scale(gain: NDArray[np.float64], values: NDArray[np.float64]) -> Scale:
    rounding = TOLERANCE * max(float(np.abs(values).max()), 1.0)
    if gain.min() < -rounding:
        return "not ordered"
    if gain.min() <= rounding:
        return "not strict"
    return "interval" if gain.max() - gain.min() <= rounding else "ordinal"


def _sets(values: NDArray[np.float64], lists: Lists) -> tuple[NDArray[np.float64], Lists]:
    """One list for each set, best first, with its score; NaN if the score depends on the order."""
    best = -np.sort(-lists, axis=1)
    sets, which = np.unique(best, axis=0, return_inverse=True)
    which = which.reshape(-1)
    low, high = np.full(len(sets), np.inf), np.full(len(sets), -np.inf)
    with np.errstate(invalid="ignore"):  # lists without a score
        np.minimum.at(low, which, values)
        np.maximum.at(high, which, values)
    alike = high - low <= TOLERANCE * np.maximum(np.abs(high), 1.0)
    return np.where(alike, high, np.nan), sets


def _steps(lists: Lists, order: ListOrder, grades: int) -> tuple[Places, Places]:
    """The places of the lower and the upper list of every step of the order."""
    if order == "top":
        by_digits = np.lexsort(lists.T[::-1])
        return by_digits[:-1], by_digits[1:]
    reached = lists[:, :, None] >= np.arange(1, grades)
    counts = np.cumsum(reached, axis=1) if order == "rank" else reached.sum(axis=1, keepdims=True)
    flat = counts.reshape(len(lists), -1)
    below: NDArray[np.bool_] = np.all(flat[:, None] <= flat[None], axis=2)
    np.fill_diagonal(below, False)
    paths = np.asarray(below, dtype=np.float32)
    before, after = np.nonzero(below & (paths @ paths == 0))
    return before, after
