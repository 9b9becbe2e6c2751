"""Several labels of one judge for one document: duplicates, conflicts and repeated answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.choices import Repeats
from hungjury.base.errors import Argument, InputError, Note, few, percent, plural
from hungjury.data.reading.bad_lines import Stop
from hungjury.data.reading.label_rows import Rows
from hungjury.data.reading.options import LabelPolicy


def without_duplicates(rows: Rows, policy: LabelPolicy, notes: list[Note], stop: Stop) -> Rows:
    """Return one row per document and judge, by the policy; `stop` is called with conflicts."""
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
    if policy.repeats != "error" and policy.duplicates == "error":
        return _one_of_repeats(rows, order, starts, policy.repeats, notes, stop)
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


def _one_of_repeats(
    rows: Rows,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    how: Repeats,
    notes: list[Note],
    stop: Stop,
) -> Rows:
    """Return one label for a judge's repeated labels of a document, and note their variance.

    order: rows by document and judge. starts: where each of these begins in it.
    """
    sizes = np.diff(np.append(starts, len(order)))
    label = rows.label[order]
    mean = np.add.reduceat(label, starts) / sizes
    many = sizes > 1
    within = np.add.reduceat((label - np.repeat(mean, sizes)) ** 2, starts)
    judge = rows.judge[order[starts]]
    shown = [
        f"{rows.judges[j] or 'all'} {(within[mine] / (sizes[mine] - 1)).mean():.3f} "
        f"({percent((within[mine] > 0).mean())} of {plural(int(mine.sum()), 'document')} differ)"
        for j in np.unique(judge[many])
        if (mine := many & (judge == j)).any()
    ]
    text = f"{plural(int(many.sum()), 'document')} labelled repeatedly by a judge: {how} of the "
    text += f"labels used; variance of repeated labels: {few(shown, 20)}"
    notes.append(Note("repeats", int(many.sum()), text, about="judges"))
    if how == "majority":
        values, place = np.unique(label, return_inverse=True)
        groups = np.repeat(np.arange(len(starts)), sizes)
        cell, count = np.unique(groups * len(values) + place, return_counts=True)
        best = np.lexsort((cell, -count, cell // len(values)))  # ties go to the lower label
        firsts = np.searchsorted(cell[best] // len(values), np.arange(len(starts)))
        chosen = values[cell[best][firsts] % len(values)]
    else:
        chosen = mean
        if (within > 0).any() and (label.max() > 1 or label.min() < 0):
            said = (
                f"repeated labels differ on the scale up to {label.max():g}: their mean is a share "
            )
            said += "of votes for labels 0 and 1 only"
            remedy = (Argument("repeats", "majority"), "or map the labels to 0 and 1")
            first = int(order[starts[int((within > 0).argmax())]])
            stop(rows.error(first, said, "fractional-mean", remedy))
            chosen = np.round(mean)
    kept = np.sort(order[starts])
    rows = rows.keep(kept)
    return replace(rows, label=chosen[np.argsort(order[starts])])


def _conflict(
    rows: Rows, group: NDArray[np.int64], members: NDArray[np.int64], count: int
) -> InputError:
    """Return the error about conflicting labels: a first example, and how many there are."""
    first = int(group[0])
    other = next(int(r) for r in group if rows.label[r] != rows.label[first])
    file, line = rows.at(other)
    before, before_line = rows.at(first)
    place = f"line {before_line}" if before == file else f"{before}:{before_line}"
    pair = int(rows.pair[first])
    whose, in_all = "", f"{plural(count, 'document')} with conflicting labels"
    advice: tuple[str | Argument, ...] = (", or read labels of several judges as judgments",)
    if rows.by_judges:
        whose = f", both by judge '{rows.judges[rows.judge[first]]}'"
        advice = (
            ", or, for repeated samples of one judge,",
            Argument("repeats", "mean", "majority"),
        )
        names = [rows.judges[j] for j in np.unique(rows.judge[members])]
        in_all += f" by {few(names)}" if len(names) > 1 else ""
        if len(rows.judges) == 1:
            column = Argument("judge_column", "iteration")
            advice += (", or, if the second column of a qrels file names the judge,", column)
    return InputError(
        f"document '{rows.table.documents[pair]}' of topic "
        f"'{rows.table.topics[rows.pair_topic[pair]]}' is labelled {rows.label[other]:g} here and "
        f"{rows.label[first]:g} in {place}{whose} ({in_all})",
        code="conflicting-labels",
        file=file,
        line=line,
        remedy=("use", Argument("duplicates", "first", "last", "max"), *advice),
    )
