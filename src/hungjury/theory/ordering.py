"""The partial order of judged lists (Ferrante et al. 2015; thesis, sections 3.3 and 3.4).

One list is below another when every measure that rewards better documents and better ranks has
to say so. Pairs outside the order are those that measures may decide differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.choices import OrderOf, OrderScale
from hungjury.base.errors import Argument, InputError, check_choice
from hungjury.base.parameters import MOST_GRADE, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table

Grades: TypeAlias = tuple[int, ...]
Relation: TypeAlias = Literal["less", "equal", "greater", "incomparable"]

_SIGNS = {"less": "<", "equal": "=", "greater": ">", "incomparable": "and"}


class Step(Record):
    """One move upwards: a better document at one rank, or a better one from further down."""

    kind: Literal["replacement", "swap"]
    ranks: tuple[int, ...]  # one rank for a replacement, two for a swap, the upper first
    before: Grades
    after: Grades

    def is_valid(self) -> bool:
        """Does `after` come from `before` by this move, and is the move upwards?"""
        moved = list(self.before)
        if self.kind == "swap":
            upper, lower = (rank - 1 for rank in self.ranks)
            moved[upper], moved[lower] = moved[lower], moved[upper]
        else:
            upper = self.ranks[0] - 1
            moved[upper] = self.after[upper]
        return tuple(moved) == self.after and self.before[upper] < self.after[upper]

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
    counts_a: NDArray[np.int64]  # rank: [rank, grade] documents of that grade and above down to
    counts_b: NDArray[np.int64]  # that rank; set: [grade]; ratio scale: [1] units of relevance

    @property
    def a_leads(self) -> list[tuple[int, ...]]:
        """Places where a's count is the larger one: (rank, grade), or (grade,) for sets."""
        return self._entries(self.counts_a > self.counts_b)

    @property
    def b_leads(self) -> list[tuple[int, ...]]:
        """Places where b's count is the larger one: (rank, grade), or (grade,) for sets."""
        return self._entries(self.counts_b > self.counts_a)

    def _entries(self, mask: NDArray[np.bool_]) -> list[tuple[int, ...]]:
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
        steps = _climb(ends[0], ends[1])
        assert all(step.is_valid() for step in steps)
        assert [ends[0], *(step.after for step in steps)][-1] == ends[1]
        return steps

    def matrices(self) -> str:
        """The counts that decide, side by side: a row for every rank, a column for every grade."""
        if self.scale == "ratio":
            return f"units of relevance: {self.counts_a[0]} and {self.counts_b[0]}"
        return self.table().to_text()

    def table(self) -> Table:
        """Return the counts that decide, side by side."""
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
    check_choice("kind", kind, get_args(OrderOf))
    check_choice("scale", scale, get_args(OrderScale))
    if kind == "rank" and scale == "ratio":
        raise InputError(
            "a ratio scale does not order ranked lists, because the value of a rank is not defined",
            code="no-ratio-order",
            remedy=("use", Argument("kind", "set"), ", or", Argument("scale", "ordinal")),
        )
    first, second = _labels(a, "a"), _labels(b, "b")
    if len(first) != len(second):
        raise InputError(
            f"a has {len(first)} documents, b has {len(second)}",
            code="wrong-length",
            remedy="compare lists of the same length; truncate the longer one",
        )
    top = _top(max_grade, first, second)
    sides = [_counts(labels, kind, scale, top) for labels in (first, second)]
    return ListComparison(_relation(*sides), first, second, kind, scale, *sides)


def _labels(given: Sequence[Any], name: str) -> Grades:
    labels = list(given)
    if not labels:
        raise InputError(f"{name} is empty", code="empty-ranking", remedy="give at least one grade")
    for rank, label in enumerate(labels, 1):
        if isinstance(label, bool) or not isinstance(label, (int, np.integer)) or label < 0:
            raise InputError(
                f"the label of {name} at rank {rank} is {label!r}",
                code="invalid-label",
                remedy="labels must be integer grades, 0 for not relevant and not judged",
            )
    return tuple(int(label) for label in labels)


def _top(max_grade: int | None, a: Grades, b: Grades) -> int:
    largest = max(*a, *b)
    if max_grade is None:
        return largest
    top = check_count("max_grade", max_grade, 0, MOST_GRADE)
    if largest > top:
        raise InputError(
            f"the largest label is {largest}, but max_grade is {top}",
            code="max-grade",
            argument="max_grade",
            remedy=f"max_grade must be at least {largest}",
        )
    return top


def _counts(labels: Grades, kind: str, scale: str, top: int) -> NDArray[np.int64]:
    """The figures by which lists are compared; all of a's must be within b's for a <= b."""
    grades = np.array(labels, dtype=np.int64)
    if scale == "ratio":
        return np.array([sum(labels)], dtype=np.int64)
    reached = grades[:, None] >= np.arange(top + 1)
    running: NDArray[np.int64] = np.cumsum(reached, axis=0, dtype=np.int64)
    return running if kind == "rank" else running[-1]


def _relation(a: NDArray[np.int64], b: NDArray[np.int64]) -> Relation:
    within, beyond = bool((a <= b).all()), bool((a >= b).all())
    if within and beyond:
        return "equal"
    if within:
        return "less"
    return "greater" if beyond else "incomparable"


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
