"""What a policy does to rows of labels: maps and labels in texts, duplicates, repeated answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Ints
from hungjury.base.errors import Argument, InputError, few, percent, plural
from hungjury.base.text import decimal_of
from hungjury.data.reading.label_rows import SEVERAL, Rows
from hungjury.data.reading.values import Extraction, label_key, new_label

DUPLICATES = 0.01  # of the documents, with other labels in another file: more are other judges
SLIPS = 10  # so many documents may be labelled twice in files of any size


def relabel(rows: Rows) -> Rows:
    """Apply the map of labels, and leave out or refuse those that are not numbers."""
    policy = rows.policy
    if not rows.words and not policy.map:
        return rows
    given = rows
    if policy.extract is not None:
        rows = _extracted(rows, policy.extract)
    label, declared = _mapped(rows)
    unreadable = np.isnan(label) & ~declared
    if policy.missing != "error":
        texts = f": {_texts(given, unreadable)}"
        given.note_labels(unreadable, "missing", "empty or unreadable, left out", texts)
    elif unreadable.any():
        rows.stop(_unreadable(given, unreadable, policy.extract is None))
    gone = np.isnan(label)
    rows = replace(rows, label=label, words={})
    return rows.keep(~gone) if gone.any() else rows


def _extracted(rows: Rows, extract: Extraction) -> Rows:
    """Return the rows with the labels that are found in their texts."""
    found = {text: extract(text) for text in set(rows.words.values())}
    label, words = rows.label.copy(), {}
    done = np.zeros(len(label), dtype=bool)
    for row, text in rows.words.items():
        word = found[text]
        number = None if word is None else decimal_of(word.strip())
        if number is None:
            words[row] = text if word is None else word
        else:
            label[row], done[row] = number, True
    rows.note_labels(done, "extracted", f"found in texts by {extract.text}")
    return replace(rows, label=label, words=words)


def _mapped(rows: Rows) -> tuple[Floats, Bools]:
    """Return the new labels, and where the map says that a label is missing."""
    policy = rows.policy
    label = rows.label.copy()
    declared = np.zeros(len(label), dtype=bool)
    key = str if callable(policy.map) else label_key
    by_word: dict[str | float, list[int]] = {}
    for row, word in rows.words.items():
        by_word.setdefault(key(word), []).append(row)
    unseen = []
    changed = np.zeros(len(label), dtype=bool)
    pairs = _results(policy.map, rows) if callable(policy.map) else policy.map
    for old, new in pairs:
        at = by_word.get(old, []) if isinstance(old, str) else np.flatnonzero(rows.label == old)
        if not len(at):
            unseen.append(old if isinstance(old, str) else f"{old:g}")
        label[at] = np.nan if new is None else new
        declared[at] = new is None
        changed[at] = True
    rows.note_labels(changed & ~declared, "relabelled", "changed by the map")
    texts = f": {_texts(rows, declared)}"
    rows.note_labels(declared, "mapped-missing", "left out by the map", texts)
    text = f"the map names labels that do not occur: {few(unseen)}"
    rows.note("map-unseen", len(unseen), text)
    return label, declared


def _results(function: Callable[[Any], Any], rows: Rows) -> Iterator[tuple[str | float, Any]]:
    """Yield every label that occurs with its new one by a user's function, where it changes."""
    numbers = [int(v) if v == int(v) else float(v) for v in np.unique(rows.label) if v == v]
    for old in (*numbers, *dict.fromkeys(rows.words.values())):
        try:
            new = new_label(function(old))
        except Exception as error:
            at = [r for r, word in rows.words.items() if word == old]
            row = at[0] if at else rows.label == old
            said = f"map failed for the label {old!r}: {type(error).__name__}: {error}"
            remedy = "a map returns a number, or None for a label that is left out"
            raise rows.error(row, said, "map-failed", remedy) from error
        if new != old:
            yield old, new


def _texts(rows: Rows, mask: Bools, most: int = 10) -> str:
    """Write the texts of labels and how often each occurs: "'yes' (12), 'no' (3)"."""
    some = np.flatnonzero(mask).tolist()
    texts = (rows.words.get(row, f"{rows.label[row]:g}") for row in some)
    counts = Counter(_quoted(text) if text else "empty" for text in texts)
    return few([f"{text} ({n:,})" for text, n in counts.most_common()], most)


def _unreadable(rows: Rows, bad: Bools, as_they_are: bool) -> InputError:
    word = rows.words[int(bad.argmax())]
    what = f"the label {_quoted(word)} is not a number" if word else "the label is missing"
    words = list(dict.fromkeys(rows.words[row] for row in np.flatnonzero(bad).tolist()))
    what += rows.in_all(bad)
    if len(words) > 1:
        what += f"; the texts are {_texts(rows, bad)}"
    texts = [text for text in words if text]
    numbers = [text for text in texts if as_they_are and Extraction("number")(text)]
    others = [text for text in texts if text not in numbers]
    short = [t.lower() for t in others if len(t) <= 20 and not set(t) & set(",:")]
    remedy: list[str | Argument] = []
    if numbers:
        how = "each text" if not others else f"{len(numbers)} of {len(texts)} texts"
        remedy += [Argument("extract", "number"), f"takes the number in {how};"]
    if others:
        keys = dict.fromkeys(short[:10] or ["WORD"])
        line = Argument("map", ",".join(f"{key}:GRADE" for key in keys))
        remedy += [line, "gives words a grade;"]
    remedy += [Argument("missing", "drop"), "leaves out labels that are empty or not numbers"]
    return rows.error(bad, what, "unreadable-label", tuple(remedy))


def _quoted(word: str) -> str:
    """Return a label in quotes, shortened."""
    return f"'{word}'" if len(word) <= 40 else f"'{word[:40]}...'"


def without_duplicates(rows: Rows) -> Rows:
    """Return one row per document and judge, by the policy."""
    policy = rows.policy
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
        return _one_of_repeats(rows, order, starts)
    if conflicting.any() and not rows.by_judges:
        _check_one_source(rows, order, starts, conflicting)
    if conflicting.any() and policy.duplicates == "error":
        group = int(np.flatnonzero(conflicting)[0])
        mine = order[starts[group] : starts[group] + sizes[group]]
        members = order[np.repeat(conflicting, sizes)]
        rows.stop(_conflict(rows, mine, members, int(conflicting.sum())))
    same = int((sizes[~conflicting] - 1).sum())
    rows.note("duplicate", same, f"{plural(same, 'judgment')} repeated with the same label")
    if policy.duplicates != "error":
        count = int(conflicting.sum())
        text = f"{plural(count, 'document')} judged twice with different labels: used the "
        rows.note("conflict", count, f"{text}{policy.duplicates} label")
    if policy.duplicates == "max":  # the largest label of each comes first
        order = order[np.lexsort((-label, ordered))]
    chosen = order[starts + sizes - 1 if policy.duplicates == "last" else starts]
    return rows.keep(np.sort(chosen))


def _check_one_source(rows: Rows, order: Ints, starts: Ints, conflicting: Bools) -> None:
    """Refuse files that give other labels to many of the same documents: these are judges."""
    file = rows.file[order].astype(np.int64)
    apart = np.minimum.reduceat(file, starts) < np.maximum.reduceat(file, starts)
    count = int((conflicting & apart).sum())
    if count > max(SLIPS, DUPLICATES * len(starts)):
        said = f"{count:,} of {plural(len(starts), 'document')} have other labels in another file"
        remedy = "read the files as judgments, and merge them; or give the file of one judge"
        raise rows.error(int(order[0]), f"{said}: these are labels of several judges", SEVERAL,
                         remedy)  # fmt: skip


def _one_of_repeats(rows: Rows, order: Ints, starts: Ints) -> Rows:
    """Return one label for a judge's repeated labels of a document, and note their variance.

    order: rows by document and judge. starts: where each of these begins in it.
    """
    how = rows.policy.repeats
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
    rows.note("repeats", int(many.sum()), text, about="judges")
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
            rows.stop(rows.error(first, said, "fractional-mean", remedy))
            chosen = np.round(mean)
    firsts = order[starts]
    by_row = np.argsort(firsts)
    return replace(rows.keep(firsts[by_row]), label=chosen[by_row])


def _conflict(rows: Rows, group: Ints, members: Ints, count: int) -> InputError:
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
    said = (
        f"document '{rows.table.documents[pair]}' of topic "
        f"'{rows.table.topics[rows.pair_topic[pair]]}' is labelled {rows.label[other]:g} here and "
        f"{rows.label[first]:g} in {place}{whose} ({in_all})"
    )
    remedy = ("use", Argument("duplicates", "first", "last", "max"), *advice)
    return InputError(said, code="conflicting-labels", file=file, line=line, remedy=remedy)
