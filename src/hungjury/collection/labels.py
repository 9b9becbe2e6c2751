"""From rows of labels to one label per document (and judge): scales, duplicates, order."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.collection.notes import Note, few, plural
from hungjury.collection.pool import Pool, natural_order
from hungjury.collection.scaling import Scaling, scale_rows, scaling_of
from hungjury.errors import Argument, InputError, check_choice
from hungjury.settings import Duplicates, LabelSettings, Outside

__all__ = ["MISSING", "TOP_GRADE", "LabelPolicy", "Rows", "resolve"]

MISSING = np.int16(-32768)  # this judge did not judge this document
TOP_GRADE = 1000  # labels beyond it, also below zero, are not grades
OPEN = Argument("scaling", "geometric", "median", "linear", "percentile")


@dataclass(frozen=True)
class LabelPolicy:
    """How labels are read: duplicates, the declared scale, labels outside it, open scales."""

    duplicates: Duplicates = "error"
    grades: tuple[int, ...] | None = None
    outside: Outside = "error"
    scaling: Scaling | None = None

    def __post_init__(self) -> None:
        check_choice("duplicates", self.duplicates, get_args(Duplicates))
        check_choice("outside", self.outside, get_args(Outside))
        if self.scaling is not None and self.grades is not None:
            raise InputError(
                f"grades are declared, but the scaling {self.scaling} gives probabilities",
                code="grades-and-scaling",
                argument="grades",
                remedy="leave grades out; labels on an open scale are not grades",
            )
        if self.outside != "error" and self.grades is None:
            raise InputError(
                f"outside is {self.outside!r}, but no grades are declared",
                code="no-grades",
                remedy=("declare the scale, such as", Argument("grades", range(4)))
                if self.scaling is None
                else "leave outside out; an open scale has no bounds",
            )

    @staticmethod
    def of(
        duplicates: Duplicates,
        grades: Iterable[int] | None,
        outside: Outside,
        scaling: Any = None,
    ) -> LabelPolicy:
        scale = None if grades is None else _declared(grades)
        return LabelPolicy(duplicates, scale, outside, scaling_of(scaling))

    def used(self, grades: tuple[int, ...]) -> LabelSettings:
        """What results carry; `grades` are those that were found."""
        return LabelSettings(
            duplicates=self.duplicates,
            grades=grades,
            outside=self.outside,
            scaling=None if self.scaling is None else str(self.scaling),
        )


def _declared(grades: Iterable[int]) -> tuple[int, ...]:
    try:
        scale = tuple(sorted({operator.index(g) for g in grades}))
    except TypeError:
        problem = f"grades is {grades!r}"
    else:
        if len(scale) > 1 and scale[0] >= 0 and scale[-1] <= TOP_GRADE:
            return scale
        problem = f"the declared grades are {few(map(str, scale)) or 'none'}"
    raise InputError(
        problem,
        code="invalid-grades",
        remedy=(
            f"declare at least two integers from 0 to {TOP_GRADE}, such as",
            Argument("grades", range(4)),
        ),
    )


@dataclass(frozen=True)
class Rows:
    """Labels as they were read: one row each, with where it stood."""

    table: native.LabelTable  # knows the ids of topics and of (topic, document) pairs
    pair_topic: NDArray[np.int32]
    pair: NDArray[np.int32]
    judge: NDArray[np.int32]
    label: NDArray[np.float64]
    line: NDArray[np.int64]
    file: NDArray[np.int32]
    files: list[str]

    def at(self, row: int) -> tuple[str, int]:
        """File and line of a row."""
        return self.files[int(self.file[row])], int(self.line[row])

    def keep(self, rows: NDArray[np.generic]) -> Rows:
        return Rows(
            self.table, self.pair_topic, self.pair[rows], self.judge[rows], self.label[rows],
            self.line[rows], self.file[rows], self.files,
        )  # fmt: skip


@dataclass(frozen=True)
class Resolved:
    """One label for each (document, judge), documents in the order of the pool."""

    pool: Pool
    document: NDArray[np.int32]
    judge: NDArray[np.int32]
    label: NDArray[np.float64]
    grades: tuple[int, ...]  # (0, 1) for probabilities
    soft: bool
    notes: tuple[Note, ...]


def resolve(rows: Rows, policy: LabelPolicy, judges: list[str]) -> Resolved:
    notes: list[Note] = []
    rows = _declared_scale(rows, policy, notes)
    if not len(rows.pair):
        raise InputError(
            "no label is left", code="no-labels", remedy="check the declared grades and the input"
        )
    if policy.scaling is None:
        grades, soft = _scale(rows, policy)
        rows = _without_duplicates(rows, policy, notes, judges)
    else:  # an open scale: labels are counted once before they are compared with each other
        rows = _without_duplicates(rows, policy, notes, judges)
        rows, more = scale_rows(rows, policy.scaling, judges)
        grades, soft = (0, 1), True
        notes += more
    pool, position = _pool(rows)
    return Resolved(pool, position[rows.pair], rows.judge, rows.label, grades, soft, tuple(notes))


def _declared_scale(rows: Rows, policy: LabelPolicy, notes: list[Note]) -> Rows:
    if policy.grades is None:
        return rows
    bad = ~np.isin(rows.label, policy.grades) & (rows.label >= 0)
    if not bad.any():
        return rows
    count = int(bad.sum())
    first = int(np.flatnonzero(bad)[0])
    if policy.outside == "error":
        file, line = rows.at(first)
        raise InputError(
            f"the label {rows.label[first]:g} is not among the declared grades "
            f"{list(policy.grades)} ({plural(count, 'such label')} in all)",
            code="outside-grades",
            file=file,
            line=line,
            remedy=("use", Argument("outside", "clip", "missing"), ", or declare other grades"),
        )
    done = "clipped" if policy.outside == "clip" else "taken as missing"
    notes.append(
        Note("outside", count, f"{plural(count, 'label')} outside the declared grades, {done}")
    )
    if policy.outside == "missing":
        return rows.keep(~bad)
    label = rows.label.copy()
    scale = np.array(policy.grades, dtype=float)
    # The nearest grade that is not above; what lies below the scale goes to its lowest grade.
    label[bad] = scale[np.maximum(np.searchsorted(scale, label[bad], side="right") - 1, 0)]
    return replace(rows, label=label)


def _scale(rows: Rows, policy: LabelPolicy) -> tuple[tuple[int, ...], bool]:
    """The grades of the whole input, or (0, 1) and True for probabilities."""
    label = rows.label
    fractional = label != np.floor(label)
    if fractional.any():
        bad = np.flatnonzero((label < 0) | (label > 1))
        if len(bad):
            first = int(bad[0])
            file, line = rows.at(first)
            if fractional[first]:
                what = f"the label {label[first]:g} is fractional, but not between 0 and 1"
            else:
                other = label[int(np.flatnonzero(fractional)[0])]
                what = (
                    f"the label {label[first]:g} is mixed with fractional labels such as {other:g}"
                )
            raise InputError(
                f"{what}; labels must be integer grades or probabilities between 0 and 1",
                code="not-a-label",
                file=file,
                line=line,
                remedy=("round to grades, or scale labels into [0, 1], for example with", OPEN),
            )
        return (0, 1), True
    far = np.flatnonzero(abs(label) > TOP_GRADE)
    if len(far):
        file, line = rows.at(int(far[0]))
        value = label[far[0]]
        raise InputError(
            f"the label {value:g} is too {'large' if value > 0 else 'small'} for a grade",
            code="not-a-grade",
            file=file,
            line=line,
            remedy=(
                f"grades go from 0 to {TOP_GRADE}, labels below 0 down to {-TOP_GRADE}; scale "
                "labels on an open scale into [0, 1], for example with",
                OPEN,
            ),
        )
    if policy.grades is not None:
        return policy.grades, False
    return tuple(range(int(label.max(initial=1)) + 1)), False


def _without_duplicates(
    rows: Rows, policy: LabelPolicy, notes: list[Note], judges: list[str]
) -> Rows:
    key = rows.pair.astype(np.int64) * max(len(judges), 1) + rows.judge
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    if len(starts) == len(order):
        return rows
    label = rows.label[order]
    sizes = np.diff(np.append(starts, len(order)))
    lowest, highest = np.minimum.reduceat(label, starts), np.maximum.reduceat(label, starts)
    conflicting = highest > lowest
    if conflicting.any() and policy.duplicates == "error":
        group = int(np.flatnonzero(conflicting)[0])
        mine = order[starts[group] : starts[group] + sizes[group]]
        _raise_conflict(rows, mine, int(conflicting.sum()), judges)
    same = int((sizes[~conflicting] - 1).sum())
    if same:
        notes.append(
            Note("duplicate", same, f"{plural(same, 'judgment')} repeated with the same label")
        )
    if conflicting.any():
        count = int(conflicting.sum())
        notes.append(
            Note(
                "conflict",
                count,
                f"{plural(count, 'document')} judged twice with different labels: "
                f"the {policy.duplicates} label taken",
            )
        )
    if policy.duplicates == "last":
        chosen = order[starts + sizes - 1]
    elif policy.duplicates == "max":
        is_max = label == np.repeat(highest, sizes)
        chosen = order[
            np.minimum.reduceat(np.where(is_max, np.arange(len(order)), len(order)), starts)
        ]
    else:
        chosen = order[starts]
    return rows.keep(np.sort(chosen))


def _raise_conflict(rows: Rows, group: NDArray[np.int64], count: int, judges: list[str]) -> None:
    first = int(group[0])
    other = next(int(r) for r in group if rows.label[r] != rows.label[first])
    file, line = rows.at(other)
    before, before_line = rows.at(first)
    place = f"line {before_line}" if before == file else f"{before}:{before_line}"
    pair = int(rows.pair[first])
    whose, advice = f", both by judge '{judges[rows.judge[first]]}'", ""
    if judges == [""]:  # qrels: perhaps what was read is several judges
        whose, advice = "", ", or read labels of several judges as judgments"
    raise InputError(
        f"document '{rows.table.documents[pair]}' of topic "
        f"'{rows.table.topics[rows.pair_topic[pair]]}' is labelled {rows.label[other]:g} here and "
        f"{rows.label[first]:g} in {place}{whose} "
        f"({plural(count, 'document')} with conflicting labels)",
        code="conflicting-labels",
        file=file,
        line=line,
        remedy=("use", Argument("duplicates", "first", "last", "max"), advice),
    )


def _pool(rows: Rows) -> tuple[Pool, NDArray[np.int32]]:
    """The pool of all labelled pairs, and the position of every pair in it."""
    names = rows.table.topics
    order_of_topics = natural_order(names)
    rank = np.empty(len(names), dtype=np.int64)
    rank[order_of_topics] = np.arange(len(names))
    used = np.zeros(len(rows.pair_topic), dtype=bool)
    used[rows.pair] = True
    pairs = np.flatnonzero(used)
    pairs = pairs[np.argsort(rank[rows.pair_topic[pairs]], kind="stable")]
    position = np.full(len(used), -1, dtype=np.int32)
    position[pairs] = np.arange(len(pairs), dtype=np.int32)
    counts = np.bincount(rank[rows.pair_topic[pairs]], minlength=len(names))
    offsets = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64)
    kept = order_of_topics[counts > 0]
    topics = [names[t] for t in kept.tolist()]
    found = native.Pool.of_table(rows.table, kept, pairs, offsets)
    return Pool(topics, found, offsets), position
