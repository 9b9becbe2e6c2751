"""The partial order of judged lists (Ferrante et al. 2015; thesis, sections 3.3 and 3.4).

One list is below another when every measure that rewards better documents and better ranks has
to say so. Pairs outside the order are those that measures may decide differently.

Is a measure on an interval scale: do equal steps of the order raise it by equal amounts? A
difference of means assumes so. The thesis (chapter 3) leaves the question open; Ferrante, Ferro and
Pontarollo (2017, 2019) ask it of two lists that differ by one step, with no list between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from hungjury.base.arrays import Array, Bools, Floats, Ints
from hungjury.base.choices import ListOrder, OrderOf, OrderScale
from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.theory.balancing_forms import TOLERANCE
from hungjury.theory.list_pairs import (
    Grades,
    ListPairs,
    Lists,
    ListScorer,
    MeasureLike,
    all_lists,
    plentiful_pool,
)

Relation: TypeAlias = Literal["less", "equal", "greater", "incomparable"]

_SIGNS = {"less": "<", "equal": "=", "greater": ">", "incomparable": "and"}


class Step(Record):
    """One move upwards: a better document at one rank, or a better one from further down."""

    kind: Literal["replacement", "swap"]
    ranks: tuple[int, ...]  # one rank for a replacement, two for a swap, the upper first
    before: Grades
    after: Grades

    def __str__(self) -> str:
        where = " and ".join(str(rank) for rank in self.ranks)
        return f"{self.before} -> {self.after}  {self.kind} at rank {where}"


class ListComparison(Record, Result, eq=False):
    """The relation of `a` to `b`, and the counts that show it."""

    relation: Relation
    a: Grades
    b: Grades
    kind: OrderOf
    scale: OrderScale
    counts_a: Ints  # rank: [rank, grade] documents of that grade and above down to
    counts_b: Ints  # that rank; set: [grade]; ratio scale: [1] units of relevance

    @property
    def a_leads(self) -> list[tuple[int, ...]]:
        """Places where a's count is the larger one: (rank, grade), or (grade,) for sets."""
        return self._entries(self.counts_a > self.counts_b)

    @property
    def b_leads(self) -> list[tuple[int, ...]]:
        """Places where b's count is the larger one: (rank, grade), or (grade,) for sets."""
        return self._entries(self.counts_b > self.counts_a)

    def _entries(self, mask: Bools) -> list[tuple[int, ...]]:
        first = (1, 0) if self.kind == "rank" else (0,)
        return [tuple(int(v) for v in entry) for entry in np.argwhere(mask) + first]

    @cached_property
    def chain(self) -> tuple[Step, ...] | None:
        """Replacements and swaps from the lower list to the upper one (Theorem 1).

        Empty for equal lists. None where no chain need exist: incomparable lists, and units of
        a ratio scale. Sets are written best first and need replacements only.
        """
        if self.relation == "incomparable" or self.scale == "ratio":
            return None
        ends = [self.a, self.b] if self.relation != "greater" else [self.b, self.a]
        if self.kind == "set":
            ends = [tuple(sorted(labels, reverse=True)) for labels in ends]
        return _climb(ends[0], ends[1])

    def table(self) -> Table:
        """Return the counts that decide, side by side: a row for every rank, a column for every
        grade."""
        if self.scale == "ratio":
            units = [int(self.counts_a[0]), int(self.counts_b[0])]
            return Table(["units of relevance", "a", "b"], [["both lists", *units]])
        sides = [np.atleast_2d(counts) for counts in (self.counts_a, self.counts_b)]
        grades = [f">={grade}" for grade in range(sides[0].shape[1])]
        head = ["documents of grade", *grades, "", *grades]
        names = (
            ["both lists"]
            if self.kind == "set"
            else [f"down to rank {rank}" for rank in range(1, len(sides[0]) + 1)]
        )
        rows = [
            [name, *mine, "", *theirs]
            for name, mine, theirs in zip(names, *(side.tolist() for side in sides), strict=True)
        ]
        return Table(head, rows, left=1)

    def _parts(self) -> list[str | Table]:
        return [*self.to_text().split("\n"), self.table()]

    def to_text(self) -> str:
        """Write how the lists compare, with the steps from one to the other."""
        lines = [f"{self.a} {_SIGNS[self.relation]} {self.b}: {self.relation}"]
        lines += [f"  {step}" for step in self.chain or ()]
        if self.relation == "incomparable":
            lines += [f"  {self._leads('a', self.a_leads)}", f"  {self._leads('b', self.b_leads)}"]
        return "\n".join(lines)

    @staticmethod
    def _leads(name: str, entries: list[tuple[int, ...]]) -> str:
        *rank, grade = entries[0]
        where = f" down to rank {rank[0]}" if rank else ""
        return f"{name} has more documents of grade {grade} and above{where}"


def compare_lists(
    a: Sequence[int],
    b: Sequence[int],
    kind: OrderOf = "rank",
    *,
    max_grade: int | None = None,
    scale: OrderScale = "ordinal",
) -> ListComparison:
    """Compare two judged lists of one length in the partial order of judged lists.

    Use it to see whether measures may disagree about two lists: if one is "less", every measure
    that satisfies Replacement and Swap scores it at most as high; if they are "incomparable", some
    measures prefer one and some the other.

    Parameters
    ----------
    a, b : sequence of int
        Grades in rank order.
    kind : {"rank", "set"}
        ``"rank"``: a <= b where b has, down to every rank, at least as many documents of every
        grade and above. ``"set"``: the same for the whole lists, whatever the ranks.
    max_grade : int, optional
        Largest grade of the scale. Default: the largest in both lists.
    scale : {"ordinal", "ratio"}
        ``"ratio"``: grades can be added up, which makes the order of sets total; that of ranked
        lists stays partial.

    Returns
    -------
    ListComparison
        Less, equal, greater or incomparable, with the counts that show it and, for ordered lists,
        the chain of replacements and swaps between them.

    Notes
    -----
    Ferrante, Ferro and Maistro (2015).

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.theory.compare_lists([0, 1, 0], [1, 0, 0]).relation
    'less'
    """
    if kind == "rank" and scale == "ratio":
        raise InputError(
            "a ratio scale does not order ranked lists, because the value of a rank is not defined",
            code="no-ratio-order",
            remedy=("use", Argument("kind", "set"), ", or", Argument("scale", "ordinal")),
        )
    first, second = _labels(a, "a"), _labels(b, "b")
    if len(first) != len(second):
        said = f"a has {len(first)} documents, b has {len(second)}"
        remedy = "compare lists of the same length; truncate the longer one"
        raise InputError(said, code="wrong-length", remedy=remedy)
    largest = max(*first, *second)
    top = largest if max_grade is None else check_count("max_grade", max_grade, 0, MOST_GRADE)
    if largest > top:
        said = f"the largest label is {largest}, but max_grade is {top}"
        remedy = f"max_grade must be at least {largest}"
        raise InputError(said, code="max-grade", argument="max_grade", remedy=remedy)
    grades = range(top + 1)
    sides = [
        np.array([sum(labels)]) if scale == "ratio" else _reached(np.array(labels), kind, grades)
        for labels in (first, second)
    ]
    within, beyond = (sides[0] <= sides[1]).all(), (sides[0] >= sides[1]).all()
    relation: Relation = "less" if within else "greater" if beyond else "incomparable"
    if within and beyond:
        relation = "equal"
    return ListComparison(relation, first, second, kind, scale, *sides)


def _labels(given: Sequence[int], name: str) -> Grades:
    labels = tuple(int(label) for label in given)
    if not labels:
        raise InputError(f"{name} is empty", code="empty-ranking", remedy="give at least one grade")
    for rank, label in enumerate(labels, 1):
        if label < 0:
            said = f"the label of {name} at rank {rank} is {label}"
            remedy = "labels must be integer grades, 0 for not relevant and not judged"
            raise InputError(said, code="invalid-label", remedy=remedy)
    return labels


def _reached(lists: Array, order: str, grades: range) -> Ints:
    """Count [..., rank, grade] the documents of each of the grades and above down to each rank;
    for sets, [..., grade] in the whole list. All of a's must be within b's for a <= b."""
    running = np.cumsum(lists[..., None] >= np.array(grades), axis=-2, dtype=np.int64)
    return np.asarray(running if order == "rank" else running[..., -1, :])


def _climb(start: Grades, goal: Grades) -> tuple[Step, ...]:
    """A chain from `start` up to `goal`, start <= goal in the order of ranked lists.

    Ranks are settled from the top. At the first rank that differs the goal has the larger grade.
    If a document further down fits between the two grades, the nearest such one is swapped in;
    else the goal's grade is put there. Either way the list stays <= goal: between the two ranks
    no document has a grade in the gap: all counts that grow were smaller than the goal's.
    (The proof in the thesis goes from the bottom and swaps with the nearest document of the lowest
    grade, which leaves the order on graded lists: it takes (1, 0, 2) below (2, 0, 1) to (1, 2, 0).)
    """
    steps: list[Step] = []
    now = list(start)
    for place, wanted in enumerate(goal):
        while now[place] < wanted:
            before = tuple(now)
            fits = (j for j in range(place + 1, len(now)) if now[place] < now[j] <= wanted)
            other = next(fits, None)
            if other is None:
                now[place] = wanted
                steps.append(Step("replacement", (place + 1,), before, tuple(now)))
            else:
                now[place], now[other] = now[other], now[place]
                steps.append(Step("swap", (place + 1, other + 1), before, tuple(now)))
    return tuple(steps)


MOST_LISTS = 1024  # lists of the longest check: every list is compared with every other

Scale = Literal["interval", "ordinal", "not strict", "not ordered", "by ranks", "undefined"]
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
    check_count("length", length, 1, MOST_RANKS)
    check_count("grades", grades, 2, MOST_GRADE + 1)
    if length * np.log(grades) > np.log(MOST_LISTS):
        said = f"there are more than {MOST_LISTS:,} lists of {length} with {grades} grades"
        remedy = "use shorter lists or fewer grades"
        raise InputError(said, code="too-much-work", argument="length", remedy=remedy)
    scorer = ListScorer(measure)
    scorer.check(grades - 1)
    lists = all_lists(length, grades)
    pool = plentiful_pool(length, grades)
    values = scorer(lists, pool)
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
    steps = ListPairs("step", lists[before], lists[after], values[before], values[after], pool)
    smallest, largest = (ListStep(*steps.at(i)) for i in (gain.argmin(), gain.argmax()))
    return ScaleReport(*about, _scale(gain, values), smallest, largest)


def _scale(gain: Floats, values: Floats) -> Scale:
    rounding = TOLERANCE * max(float(np.abs(values).max()), 1.0)
    if gain.min() < -rounding:
        return "not ordered"
    if gain.min() <= rounding:
        return "not strict"
    return "interval" if gain.max() - gain.min() <= rounding else "ordinal"


def _sets(values: Floats, lists: Lists) -> tuple[Floats, Lists]:
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


def _steps(lists: Lists, order: ListOrder, grades: int) -> tuple[Ints, Ints]:
    """The places of the lower and the upper list of every step of the order."""
    if order == "top":
        by_digits = np.lexsort(lists.T[::-1])
        return by_digits[:-1], by_digits[1:]
    flat = _reached(lists, order, range(1, grades)).reshape(len(lists), -1)
    below: Bools = np.all(flat[:, None] <= flat[None], axis=2)
    np.fill_diagonal(below, False)
    paths = np.asarray(below, dtype=np.float32)
    before, after = np.nonzero(below & (paths @ paths == 0))
    return before, after
