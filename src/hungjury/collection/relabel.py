"""Apply a map of labels, and drop empty and unreadable labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.bad_lines import Stop
from hungjury.collection.notes import Note, few, plural
from hungjury.collection.policy import LabelPolicy, label_key
from hungjury.collection.rows import Rows
from hungjury.errors import Argument, InputError

__all__ = ["counted", "relabel"]


def relabel(
    rows: Rows, words: Mapping[int, str], policy: LabelPolicy, notes: list[Note], stop: Stop
) -> Rows:
    """Rows whose labels are all numbers.

    words: the text of labels that are not numbers, by row; their labels are NaN.
    """
    if not words and not policy.map:
        return rows
    label, declared = _mapped(rows, words, policy, notes)
    unreadable = np.isnan(label) & ~declared
    if unreadable.any():
        if policy.missing == "error":
            stop(_unreadable(rows, words, unreadable))
        else:
            notes.append(_note(rows, unreadable, "missing", "empty or unreadable, left out"))
    gone = np.isnan(label)
    return replace(rows, label=label).keep(~gone) if gone.any() else replace(rows, label=label)


def _mapped(
    rows: Rows, words: Mapping[int, str], policy: LabelPolicy, notes: list[Note]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The new labels, and where the map says that a label is missing."""
    label = rows.label.copy()
    declared = np.zeros(len(label), dtype=bool)
    by_word: dict[str | float, list[int]] = {}
    for row, word in words.items():
        by_word.setdefault(label_key(word), []).append(row)
    unseen = []
    changed = np.zeros(len(label), dtype=bool)
    for old, new in policy.map:
        at = by_word.get(old, []) if isinstance(old, str) else np.flatnonzero(rows.label == old)
        if not len(at):
            unseen.append(old if isinstance(old, str) else f"{old:g}")
            continue
        label[at] = np.nan if new is None else new
        declared[at] = new is None
        changed[at] = True
    for mask, kind, text in (
        (changed & ~declared, "relabelled", "changed by the map"),
        (declared, "mapped-missing", "left out by the map"),
    ):
        if mask.any():
            notes.append(_note(rows, mask, kind, text))
    if unseen:
        text = f"the map names labels that do not occur: {few(unseen)}"
        notes.append(Note("map-unseen", len(unseen), text))
    return label, declared


def _note(rows: Rows, mask: NDArray[np.bool_], kind: str, text: str) -> Note:
    count = int(mask.sum())
    whose = f" ({counted(rows.count_by_judge(mask))})" if rows.by_judges else ""
    return Note(kind, count, f"{plural(count, 'label')} {text}{whose}")


def _unreadable(rows: Rows, words: Mapping[int, str], bad: NDArray[np.bool_]) -> InputError:
    first = int(np.flatnonzero(bad)[0])
    word, count = words[first], int(bad.sum())
    what = f"the label {quoted(word)} is not a number" if word else "the label is missing"
    if count > 1:
        whose = f": {counted(rows.count_by_judge(bad))}" if rows.by_judges else ""
        what += f" ({plural(count, 'such label')} in all{whose})"
    example = "WORD" if len(word) > 20 or set(word) & set(",:") else word.lower()
    mapped = (Argument("map", f"{example}:GRADE"), "gives words a grade;") if word else ()
    drop = (Argument("missing", "drop"), "leaves out labels that are empty or not numbers")
    return rows.error(first, what, code="unreadable-label", remedy=(*mapped, *drop))


def quoted(word: str) -> str:
    """A label in quotes, shortened."""
    return f"'{word}'" if len(word) <= 40 else f"'{word[:40]}...'"


def counted(counts: Mapping[str, int], most: int = 5) -> str:
    """'a 3, b 2 and 7 more', largest counts first."""
    largest = sorted(counts, key=lambda name: -counts[name])
    return few([f"{name} {counts[name]:,}" for name in largest], most)
