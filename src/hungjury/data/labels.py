"""Reduce rows of labels to one label per document (and judge)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.errors import Argument, InputError
from hungjury.base.notes import Note, few, plural
from hungjury.data.pool import Pool, natural_order
from hungjury.data.reading.bad_lines import Stop, raise_error
from hungjury.data.reading.label_rows import Resolved, Rows
from hungjury.data.reading.options import LabelPolicy
from hungjury.data.scales import check_declared, check_judges, check_steps, relabel, scale_of

__all__ = ["MISSING", "resolve"]

MISSING = np.int16(-32768)  # this judge did not judge this document


def resolve(
    rows: Rows, words: Mapping[int, str], policy: LabelPolicy, stop: Stop = raise_error
) -> Resolved:
    """One label per document and judge.

    words: the text of labels that are not numbers, by row. stop: called with every error; where
    it returns, the rows that are in error are left out.
    """
    notes: list[Note] = []
    rows = relabel(rows, words, policy, notes, stop)
    rows = check_declared(rows, policy, notes, stop)
    if not len(rows):
        raise InputError(
            "no label is left", code="no-labels", remedy="check the declared grades and the input"
        )
    if policy.grades is None:
        if policy.scaling is None:
            check_steps(rows, stop)
        if rows.by_judges:
            rows = check_judges(rows, policy.scaling is not None, notes, stop)
    if policy.scaling is None:
        grades, soft, rows = scale_of(rows, policy, stop)
        rows = _without_duplicates(rows, policy, notes, stop)
    else:  # an open scale: labels are counted once before they are compared with each other
        rows = _without_duplicates(rows, policy, notes, stop)
        from hungjury.data.open_scales import scale_rows

        rows, more = scale_rows(rows, policy.scaling, stop)
        grades, soft = (0, 1), True
        notes += more
    pool, position = _pool(rows)
    return Resolved(
        pool=pool,
        judges=rows.judges,
        document=position[rows.pair],
        judge=rows.judge,
        label=rows.label,
        grades=grades,
        soft=soft,
        notes=tuple(notes),
    )


def _without_duplicates(rows: Rows, policy: LabelPolicy, notes: list[Note], stop: Stop) -> Rows:
    if not native.votes_repeat(rows.pair, rows.judge, len(rows.pair_topic), len(rows.judges)):
        return rows
    key = rows.pair.astype(np.int64) * max(len(rows.judges), 1) + rows.judge
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    label = rows.label[order]
    sizes = np.diff(np.append(starts, len(order)))
    lowest, highest = np.minimum.reduceat(label, starts), np.maximum.reduceat(label, starts)
    conflicting = highest > lowest
    if conflicting.any() and policy.duplicates == "error":
        group = int(np.flatnonzero(conflicting)[0])
        mine = order[starts[group] : starts[group] + sizes[group]]
        stop(_conflict(rows, mine, order[np.repeat(conflicting, sizes)], int(conflicting.sum())))
    same = int((sizes[~conflicting] - 1).sum())
    if same:
        notes.append(
            Note("duplicate", same, f"{plural(same, 'judgment')} repeated with the same label")
        )
    if conflicting.any() and policy.duplicates != "error":
        count = int(conflicting.sum())
        notes.append(
            Note(
                "conflict",
                count,
                f"{plural(count, 'document')} judged twice with different labels: "
                f"used the {policy.duplicates} label",
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


def _conflict(
    rows: Rows, group: NDArray[np.int64], members: NDArray[np.int64], count: int
) -> InputError:
    """The error about conflicting labels: a first example, and how many there are."""
    first = int(group[0])
    other = next(int(r) for r in group if rows.label[r] != rows.label[first])
    file, line = rows.at(other)
    before, before_line = rows.at(first)
    place = f"line {before_line}" if before == file else f"{before}:{before_line}"
    pair = int(rows.pair[first])
    whose, in_all = "", f"{plural(count, 'document')} with conflicting labels"
    advice: tuple[str, ...] = (", or read labels of several judges as judgments",)
    if rows.by_judges:
        whose, advice = f", both by judge '{rows.judges[rows.judge[first]]}'", ()
        names = [rows.judges[j] for j in np.unique(rows.judge[members])]
        in_all += f" by {few(names)}" if len(names) > 1 else ""
    return InputError(
        f"document '{rows.table.documents[pair]}' of topic "
        f"'{rows.table.topics[rows.pair_topic[pair]]}' is labelled {rows.label[other]:g} here and "
        f"{rows.label[first]:g} in {place}{whose} ({in_all})",
        code="conflicting-labels",
        file=file,
        line=line,
        remedy=("use", Argument("duplicates", "first", "last", "max"), *advice),
    )


def _pool(rows: Rows) -> tuple[Pool, NDArray[np.int32]]:
    """The pool of all labelled pairs, and the position of every pair in it."""
    names = rows.table.topics
    order = natural_order(names)
    pairs, position, counts = native.place_pairs(order, rows.pair_topic, rows.pair)
    offsets = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64)
    kept = order[counts > 0]
    topics = [names[t] for t in kept.tolist()]
    found = native.Pool.of_table(rows.table, kept, pairs, offsets)
    return Pool(topics, found, offsets), position
