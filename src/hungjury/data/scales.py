"""Scales of labels: labels outside a scale, scales without a zero, judges on different scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import exp, gcd, lgamma

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, Bools, Floats, Int16s, Ints
from hungjury.base.errors import Argument, InputError, Note, few, plural
from hungjury.base.parameters import MOST_GRADE
from hungjury.data.qrels import Judgments
from hungjury.data.reading.label_rows import Rows

FEW = 100  # labels far above the others are unusual if they are at most one in this many
RARE = 1000  # labels above a scale are stray if they are fewer than one in this many
WIDE = 10  # a label is stray if it is this many times larger than the scale below it
WIDE_STEP = 5  # labels in such steps or wider are not grades
EXPECTED = 20  # expected labels above a judge's largest: its scale certainly differs
LIKELY = 3  # the same: its scale probably differs
CROWD = 20  # judges of a crowd, and labels of each, that show how widely judges differ
SPARSE = 10  # in a crowd, most judges labelled fewer than one document in this many
CONSTANT = 0.95  # share of one label, of a judge who gives hardly any other
BY_CHANCE = 0.05  # expected judges of a crowd who never go so high: their scale may be the same
MOST_RULES = 6  # scalings of single judges that an error spells out
OPEN = Argument("scaling", "geometric", "median", "linear", "percentile")


def check_declared(rows: Rows) -> Rows:
    """Refuse, clip or leave out labels outside the declared grades.

    Labels below 0 have a meaning in qrels (pooled, not judged), and stay unless they are clipped.
    """
    policy = rows.policy
    if policy.grades is None:
        return rows
    bad = ~np.isin(rows.label, policy.grades)
    if not rows.by_judges and policy.outside != "clip":
        bad &= rows.label >= 0
    if bad.any() and policy.outside == "error":
        said = f"the label {rows.label[bad][0]:g} is not among the declared grades "
        said += _span(policy.grades) + rows.in_all(bad)
        remedy = ("use", Argument("outside", "clip", "missing"), ", or declare other grades")
        rows.stop(rows.error(bad, said, "outside-grades", remedy))
    elif bad.any():
        done = "clipped" if policy.outside == "clip" else "taken as missing"
        rows.note_labels(bad, "outside", f"outside the declared grades, {done}")
    if bad.any() and policy.outside == "clip":
        label = rows.label.copy()
        scale = np.array(policy.grades, dtype=float)
        # The nearest grade that is not above; what lies below the scale goes to its lowest grade.
        label[bad] = scale[np.maximum(np.searchsorted(scale, label[bad], side="right") - 1, 0)]
        rows = replace(rows, label=label)
    elif bad.any():
        rows = rows.keep(~bad)
    zero = policy.grades[0]
    if zero > 0:
        text = f"grades {_span(policy.grades)} are counted from 0: {zero} means not relevant"
        rows.note("zero-set", len(rows), text)
        rows = replace(rows, label=rows.label - zero * (rows.label >= 0))
    return rows


NO_ZERO = "no-zero"  # the kind of a note


def note_unusual(rows: Rows) -> None:
    """Note scales without a 0 and, in labels of one judge, those far above all others.

    A panel refuses judges without a 0, unless a lowest relevant grade is given. In qrels, to label
    relevant documents only is ordinary.
    """
    values, counts = rows.values
    values, counts = values[values >= 0], counts[values >= 0]
    if len(values) < 2 or not _grades(values).all():
        return
    if values[0] > 0 and (rows.by_judges or (len(values) > 2 and len(rows) >= FEW)):
        who = "no judge ever gives 0" if rows.by_judges else "no document is labelled 0"
        text = (
            f"{who}: the labels are {few([f'{v:g}' for v in values], 8)} (if {values[0]:g} means "
            f"not relevant, declare the grades {values[0]:g}-{values[-1]:g})"
        )
        rows.note(NO_ZERO, len(rows), text, about="judges" if rows.by_judges else "files")
    far = values > _top(values, counts, 0, FEW)
    if far.any() and not rows.by_judges:
        odd = np.isin(rows.label, values[far])
        text = (
            f"{plural(int(odd.sum()), 'label')} far above all others: {_listed(rows.label[odd])} "
            f"(a map can change them or leave them out)"
        )
        rows.note("stray-labels", int(odd.sum()), text)


def check_steps(rows: Rows) -> None:
    """Refuse labels in wide steps, such as 0, 33, 66 and 99: their gains would be wrong."""
    values = rows.values[0]
    values = values[values >= 0]
    if len(values) < 2 or len(values) > 20 or (values != np.floor(values)).any():
        return
    steps = [int(v) for v in values]
    wide = reduce(gcd, steps) >= WIDE_STEP and (len(steps) > 2 or steps[-1] >= 2 * WIDE_STEP)
    if not wide or steps[-1] > MOST_GRADE:
        return
    said = f"the labels are {few(map(str, steps), 8)}: grades count 0, 1, 2, ..."
    fitting = Argument("map", ",".join(f"{value}:{grade}" for grade, value in enumerate(steps)))
    remedy = (fitting, ", or, if these are the grades,", Argument("grades", steps))
    rows.stop(rows.error(rows.label == steps[-1], said, "wide-steps", remedy))


def check_judges(rows: Rows) -> Rows:
    """Refuse stray labels and different scales where no scale is declared."""
    scaled = rows.policy.scaling is not None  # where only codes such as 999 can be told apart
    bad = _stray(rows, scaled)
    stray = bad.any()
    kept = rows.keep(~bad) if stray else rows
    groups = {} if scaled else _groups(kept)
    if len(groups) > 1:  # first: judges of one scale may have no stray labels, or others
        rows.stop(_mixed_error(kept, groups, _listed(rows.label[bad]) if stray else ""))
    if stray:
        rows.stop(_stray_error(rows, bad, kept, scaled))
    if len(groups) < 2:
        return kept
    largest = max(groups.values(), key=len)  # an audit goes on with the largest group
    return kept.keep(np.isin(kept.judge, [kept.judges.index(name) for name in largest]))


def _stray(rows: Rows, scaled: bool) -> Bools:
    """Find the rows whose labels do not belong to the scale of the others."""
    values, counts = rows.values
    whole = _grades(values)
    bad = np.zeros(len(rows), dtype=bool)
    if not scaled:
        out = (values < 0) & (values >= -MOST_GRADE)
        out |= whole & (values > _top(values[whole], counts[whole], len(rows)))
        if out.any():
            bad = np.isin(rows.label, values[out])
    if (values[whole] > WIDE).any():
        bad |= _beyond_gap(rows, values[whole])
    return bad


def _grades(values: Floats) -> Bools:
    """Find the values that may be grades."""
    return np.asarray((values == np.floor(values)) & (values >= 0) & (values <= MOST_GRADE))


def _beyond_gap(rows: Rows, scale: Floats) -> Bools:
    """Find the rows beyond a wide gap in the labels of their judge.

    scale: labels that may be grades.
    """
    place = np.minimum(np.searchsorted(scale, rows.label), len(scale) - 1)
    whole = scale[place] == rows.label
    cell = rows.judge[whole].astype(np.int64) * len(scale) + place[whole]
    counts = np.bincount(cell, minlength=len(rows.judges) * len(scale))
    tops = [_top(scale[n > 0], n[n > 0], 0) for n in counts.reshape(-1, len(scale))]
    return np.asarray(whole & (rows.label > np.array(tops)[rows.judge]))


def _top(values: Floats, counts: Ints, total: int, few: int = 0) -> float:
    """Return the largest label of the scale: those above it are rare, or beyond a wide gap.

    few: a smaller gap, to more than twice the label before it, is enough where fewer than one label
    in this many is above it.
    """
    above = counts.sum()
    for i in range(len(values) - 1):
        above = above - counts[i]
        wide = values[i + 1] >= WIDE * (values[i] + 1) and values[i] <= WIDE
        gap = values[i + 1] > 2 * values[i] + 1 and above * few <= counts.sum()
        if values[i] >= 1 and (above * RARE <= total or wide or (few and gap)):
            return float(values[i])
    return np.inf


def _listed(labels: Array) -> str:
    """Write '6 (10), 8 (4)': labels and how often they occur."""
    values, counts = np.unique(labels, return_counts=True)
    return few([f"{v:g} ({n:,})" for v, n in zip(values, counts, strict=True)], 8)


def _stray_error(rows: Rows, bad: Bools, kept: Rows, scaled: bool) -> InputError:
    inside, values = kept.values[0], np.unique(rows.label[bad])
    top = int(inside[_grades(inside)].max(initial=1))
    count, low, high = int(bad.sum()), int(min(values[0], 0)), int(max(values[-1], top))
    leave = Argument("map", ",".join(f"{v:g}:missing" for v in values[:8]))
    remedy: tuple[str | Argument, ...] = (leave, "leaves them out")
    if not scaled:
        scale, outside = Argument("grades", range(top + 1)), Argument("outside", "missing")
        remedy = (scale, outside, "leaves them out;", leave, "too")
        if high <= WIDE * (top + 1):
            remedy += (";", Argument("grades", range(low, high + 1)), "if that is the scale")
    said = f"{plural(count, 'label')} outside the scale 0-{top} of all others: "
    said += f"{_listed(rows.label[bad])}; by judge: {rows.whose(bad)}"
    return rows.error(bad, said, "stray-labels", remedy)


Scale = tuple[bool, float]  # has it fractions, and its largest label


def _mixed_error(rows: Rows, groups: Mapping[Scale, list[str]], stray: str) -> InputError:
    lines = [
        f"0-{top:g}{' with fractions' if fractions else ''}: {plural(len(names), 'judge')} "
        f"({few(names)})"
        for (fractions, top), names in groups.items()
    ]
    if stray:
        lines.append(f"labels on none of these scales: {stray}")
    return InputError(
        "the judges use different scales, so their labels cannot be compared:"
        + "".join(f"\n  {line}" for line in lines),
        code="mixed-scales",
        remedy=(
            "choose judges of one scale with",
            Argument("only", "PATTERN"),
            "or",
            Argument("without", "PATTERN"),
            ";",
            Argument("scaling", _scaling_for(groups)),
            "turns the labels of each judge into probabilities;",
            Argument("grades", range(int(rows.values[0][-1]) + 1)),
            "says that every judge was offered this scale",
        ),
    )


def _scaling_for(groups: Mapping[Scale, list[str]]) -> str:
    """Return a scaling for each group of judges; what the others leave is the largest group.

    Where that needs too many rules to read, one that follows each judge's own smallest and largest
    label.
    """
    from hungjury.data.open_scales import patterns_of  # imported only for errors

    largest = max(groups, key=lambda scale: len(groups[scale]))
    rules = [
        f"{pattern}=linear(low=0, high={scale[1]:g})"
        for scale, names in groups.items()
        if scale != largest
        for pattern in patterns_of(
            names, [name for other, they in groups.items() if other != scale for name in they]
        )
    ]
    if len(rules) > MOST_RULES:
        return "linear"
    return ",".join([*rules, f"*=linear(low=0, high={largest[1]:g})"])


def _groups(rows: Rows) -> dict[Scale, list[str]]:
    """Return the judges by scale, where scales differ beyond doubt."""
    judge, judges, (values, _) = rows.judge, rows.judges, rows.values
    size = native.count_keys(judge, len(judges))
    top = native.largest_labels(judge, rows.label, len(judges))
    fractional = np.zeros(len(judges), dtype=bool)
    if (values != np.floor(values)).any():
        fractional[judge[rows.label != np.floor(rows.label)]] = True
    highest = top.max(initial=0)
    if fractional.any():
        if highest <= 1 or (size > 0).sum() == fractional.sum():
            return {}  # probabilities; or all on one open scale, which is refused elsewhere
        own = np.ones(len(judges), dtype=bool)
    else:
        due = _labels_due(size, top, rows)
        due[_may_lack(due >= LIKELY, size, top, rows)] = 0
        own = due >= EXPECTED
        near = own & (top == highest - 1)  # perhaps a judge who never gives the highest grade
        if near.any():
            names = tuple(judges[j] for j in np.flatnonzero(near))
            text = f"{plural(len(names), 'judge')} never used the highest grade, {highest:g}"
            rows.note("top-unused", len(names), text, subjects=names, about="judges")
        other, own = (own & ~near).any(), due >= LIKELY
        if not other:
            for limit in np.unique(top[own & (top < highest - 1)]):
                names = tuple(judges[j] for j in np.flatnonzero(own & (top == limit)))
                text = (
                    f"{plural(len(names), 'judge')} never gave a label above {limit:g}, as others "
                    "do: if this is another scale, their labels cannot be compared"
                )
                rows.note("lower-scale", len(names), text, subjects=names, about="judges")
            return {}
    groups: dict[Scale, list[str]] = {}
    for j in np.flatnonzero(size):
        scale = bool(fractional[j]), float(top[j] if own[j] else highest)
        groups.setdefault(scale, []).append(judges[j])
    return dict(sorted(groups.items()))


def _labels_due(size: Ints, top: Floats, rows: Rows) -> Floats:
    """Return the labels above its largest one expected of each judge, from the others' labels."""
    if not len(rows):  # every label is negative
        return np.zeros(len(size))
    values, counts = rows.values
    above = counts.sum() - np.cumsum(counts)[np.searchsorted(values, top, side="right") - 1]
    others = np.maximum(len(rows) - size, 1)
    return np.where(top >= 1, size * above / others, 0.0)


def _may_lack(asked: Bools, size: Ints, top: Floats, rows: Rows) -> Bools:
    """Find members of a crowd whose labels do not show that their scale is another one [judge].

    Where most judges labelled few of the documents they are a crowd, whose members differ widely in
    how often they give high grades. The shares of those who do are fitted by a beta distribution:
    it says how many members would give none. Who gives one label only shows no scale at all.
    """
    out = np.zeros(len(size), dtype=bool)
    if not asked.any() or np.median(size[size > 0]) * SPARSE > len(np.unique(rows.pair)):
        return out
    for limit in np.unique(top[asked]):
        above = np.bincount(rows.judge[rows.label > limit], minlength=len(size))
        users = (above > 0) & (size >= CROWD)
        if users.sum() < CROWD:
            continue
        share = above[users] / size[users]
        mean = share.mean()
        spread = share.var() - (share * (1 - share) / size[users]).mean()
        known = max(mean * (1 - mean) / max(spread, 1e-9) - 1, 1e-9)  # a + b
        b = (1 - mean) * known
        none = [exp(lgamma(b + n) - lgamma(b) + lgamma(known) - lgamma(known + n)) for n in size]
        mine = np.flatnonzero(asked & (top == limit))
        labels = [np.unique(rows.label[rows.judge == j], return_counts=True)[1] for j in mine]
        constant = np.array([n.max() >= CONSTANT * n.sum() for n in labels])
        due = sum(none[j] for j in np.flatnonzero(users | (asked & (top == limit))))
        together = (~constant).sum() <= 3 * (due + 1)
        alone = users.sum() * np.array(none)[mine] >= BY_CHANCE
        out[mine] = constant | (alone & together)
    return out


def scale_of(rows: Rows) -> tuple[tuple[int, ...], bool, Rows]:
    """Return the grades of the input, or (0, 1) and True for probabilities; and its rows."""
    label, values = rows.label, rows.values[0]
    if (values != np.floor(values)).any():
        if values[0] < 0 or values[-1] > 1:
            bad = (label < 0) | (label > 1)
            first, other = label[bad][0], label[label != np.floor(label)][0]
            said = "is fractional, but not between 0 and 1"
            if first == np.floor(first):
                said = f"is mixed with fractional labels such as {other:g}"
            meant = "labels must be integer grades or probabilities between 0 and 1"
            remedy = ("round to grades, or scale labels into [0, 1], for example with", OPEN)
            said = f"the label {first:g} {said}; {meant}"
            rows.stop(rows.error(bad, said, "not-a-label", remedy))
            rows = rows.keep(~bad)
        return (0, 1), True, rows
    if abs(values).max(initial=0) > MOST_GRADE:
        far = abs(label) > MOST_GRADE
        value = label[far][0]
        said = f"the label {value:g} is too {'large' if value > 0 else 'small'} for a grade"
        leave = (Argument("map", f"{value:g}:missing"), "leaves it out;")
        most = f"turns labels on an open scale into probabilities (grades are at most {MOST_GRADE})"
        ways = (*leave, OPEN, most)
        rows.stop(rows.error(far, said + rows.in_all(far), "not-a-grade", ways))
        rows = rows.keep(~far)
    declared = rows.policy.grades
    if declared is not None:
        first = max(declared[0], 0)  # which is 0 in the labels
        return tuple(g - first for g in declared if g >= 0), False, rows
    return tuple(range(int(rows.values[0].max(initial=1)) + 1)), False, rows


def check_gold(label: Int16s, grades: Sequence[int], judgments: Judgments) -> tuple[Note, ...]:
    """Refuse gold labels on another scale than the judges'; note where that is not certain.

    label: gold labels of judged documents, none negative.
    """
    if judgments.soft or tuple(grades) == judgments.grades or not len(label):
        return ()
    top, highest = int(label.max()), judgments.max_grade
    due = len(label) * float((judgments.label > top).mean())
    if top == highest or (top < highest and due < LIKELY):
        return ()  # a sample may lack the highest grades
    scales = f"gold labels are 0-{top}, but the judges' are 0-{highest}"
    near = abs(top - highest) == 1 and min(top, highest) > 1
    near |= top < highest and bool((label == top).all())  # which is noted for itself
    if near or (top < highest and due < EXPECTED):
        return (Note("gold-scale", len(label), scales, about="result"),)
    above = f" ({_listed(label[label > highest])})" if top > highest else ""
    said = f"{scales}{above}"
    remedy = (
        "use one scale; fix gold labels that are typos;",
        Argument("rel", 1),
        "makes both binary;",
        Argument("grades", range(max(top, highest) + 1)),
        "says that both were offered this scale",
    )
    raise InputError(said, code="gold-scale", argument="gold", remedy=remedy)


def _span(grades: Sequence[int]) -> str:
    """Write '0-3', or '0, 2, 8' where some are left out."""
    if list(grades) == list(range(grades[0], grades[-1] + 1)):
        return f"{grades[0]}-{grades[-1]}"
    return ", ".join(map(str, grades))
