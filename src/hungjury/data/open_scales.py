"""Open scales, such as magnitude estimates: scalings to probabilities, one for each judge."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from hungjury.base.arrays import Bools, Floats, Ints
from hungjury.base.errors import Argument, InputError, MeasureError, Remedy, few, plural
from hungjury.base.named import Catalogue, Named
from hungjury.base.parameters import number, one_of, param
from hungjury.base.records import Record

if TYPE_CHECKING:
    from hungjury.data.reading.label_rows import Rows

LINEAR = Argument("scaling", "linear")
ScaledTogether = Literal["judge", "topic", "all"]


class Problem(NamedTuple):
    """Why labels cannot be scaled: which of them, what is wrong, what to do."""

    at: int
    text: str
    remedy: Remedy


def _first(labels: Floats, bad: Bools, said: str, remedy: Remedy) -> Problem | None:
    """Return the problem of the first bad label, if there is one."""
    at = int(bad.argmax())
    return Problem(at, f"the label {labels[at]:g} {said}", remedy) if bad[at] else None


class Scaling(Named):
    """A rising function of labels to [0, 1], the same for all labels that are scaled together."""

    by: ScaledTogether = param(
        "judge",
        kind=one_of(ScaledTogether),
        doc="what is scaled together: labels of a judge, of a judge on a topic, or all",
    )

    def shares(self, judges: Sequence[str]) -> list[tuple[Scaling, list[int]]]:
        """Return this scaling, for all judges."""
        return [(self, list(range(len(judges))))]

    def problem(self, labels: Floats) -> Problem | None:
        """Return why the labels cannot be scaled, if so."""
        return None

    def chances(self, labels: Floats) -> Floats:
        raise NotImplementedError


SCALINGS = Catalogue("scaling", Scaling)


class _Odds(Scaling):
    """Magnitudes x are odds in units of a typical magnitude c: p = x^k / (x^k + c^k)."""

    k: float = param(1.0, kind=number, low=0, open_low=True, doc="steepness")

    def log_typical(self, labels: Floats) -> float:
        raise NotImplementedError

    def chances(self, labels: Floats) -> Floats:
        # As a logistic function of logarithms, where no power can overflow before the end.
        with np.errstate(divide="ignore", over="ignore"):
            above = np.log(labels) - self.log_typical(labels)
            return np.asarray(1 / (1 + np.exp(-self.k * above)))


class Geometric(_Odds, called="geometric"):
    """p = x^k / (x^k + g^k), g the geometric mean of the labels scaled together.

    Ratios of labels become ratios of odds, in whatever unit a judge counts: twice the label is
    twice the odds (with k = 1), the geometric mean has p = 0.5. Labels must be above 0.
    """

    def problem(self, labels: Floats) -> Problem | None:
        others = Argument("scaling", "percentile", "linear")
        remedy = (Argument("scaling", "median"), "takes labels of 0;", others, "takes any")
        return _first(labels, labels <= 0, "is not above 0", remedy)

    def log_typical(self, labels: Floats) -> float:
        return float(np.log(labels).mean())


class Median(_Odds, called="median"):
    """p = x^k / (x^k + m^k), m the median of the labels scaled together.

    As geometric, but labels may be 0 (then p = 0), and a few extreme labels do not move the others.
    """

    def problem(self, labels: Floats) -> Problem | None:
        others = (Argument("scaling", "percentile", "linear"), "takes any labels")
        if np.median(labels) == 0 and labels.min() == 0:
            return Problem(0, "their median is 0, so no ratio can be computed", others)
        return _first(labels, labels < 0, "is below 0", others)

    def log_typical(self, labels: Floats) -> float:
        return float(np.log(np.median(labels)))


class Linear(Scaling, called="linear"):
    """p = (x - low) / (high - low), between ends that are given or those of the labels."""

    low: float | None = param(
        None, kind=number, doc="label with p = 0; the smallest one scaled together if not given"
    )
    high: float | None = param(
        None, kind=number, doc="label with p = 1; the largest one scaled together if not given"
    )

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low >= self.high:
            said = f"{self}: low must be below high"
            remedy = "write linear(low=0, high=100)"
            raise MeasureError(said, code="low-above-high", argument="low", remedy=remedy)

    def _ends(self, labels: Floats) -> tuple[float, float]:
        low = float(labels.min()) if self.low is None else self.low
        return low, float(labels.max()) if self.high is None else self.high

    def problem(self, labels: Floats) -> Problem | None:
        low, high = self._ends(labels)
        outside = (labels < low) | (labels > high)
        if not outside.any() and not 0 < high - low < np.inf:
            return Problem(
                0,
                f"labels from {low:g} to {high:g} are all equal or too far apart",
                (
                    "declare the ends, as in",
                    Argument("scaling", "linear(low=0, high=100)"),
                    "or use",
                    Argument("scaling", "percentile"),
                ),
            )
        said = f"is not between {low:g} and {high:g}"
        remedy = ("declare ends that include all labels, or leave them out:", LINEAR)
        return _first(labels, outside, said, remedy)

    def chances(self, labels: Floats) -> Floats:
        low, high = self._ends(labels)
        return np.asarray((labels - low) / (high - low))


class Percentile(Scaling, called="percentile"):
    """p = the share of the labels scaled together that are lower, equal ones counted half.

    Uses only the order of labels; p is 0.5 on average, however many documents are relevant.
    """

    def chances(self, labels: Floats) -> Floats:
        _, place, count = np.unique(labels, return_inverse=True, return_counts=True)
        return np.asarray(((np.cumsum(count) - count / 2) / len(labels))[place])


def scale_rows(rows: Rows) -> Rows:
    """Return the rows with probabilities as labels; those that cannot be scaled are left out."""
    label, p = rows.label, np.full(len(rows.label), np.nan)
    for scaling, judges in rows.policy.scaling.shares(rows.judges):
        alike = []
        mine = np.flatnonzero(np.isin(rows.judge, judges))
        for members in _together(rows, mine, scaling.by):
            together = label[members]
            problem = scaling.problem(together)
            if problem is not None:
                row = int(members[problem.at])
                said = f"{scaling} of {_whose(rows, row, scaling.by)}: {problem.text}"
                rows.stop(rows.error(row, said, "unsuitable-scaling", problem.remedy))
                continue
            p[members] = scaling.chances(together)
            if together.min() == together.max():
                alike.append(_whose(rows, int(members[0]), scaling.by))
        if len(mine):
            _note(rows, label[mine], scaling, alike)
    return replace(rows, label=p).keep(~np.isnan(p))


def _together(rows: Rows, mine: Ints, by: str) -> list[Ints]:
    """Return the numbers of the rows that are scaled together, of some rows."""
    key = np.zeros(len(mine), dtype=np.int64)
    if by != "all":
        key += rows.judge[mine]
    if by == "topic":
        key = key * (int(rows.pair_topic.max()) + 1) + rows.pair_topic[rows.pair[mine]]
    order = np.argsort(key, kind="stable")
    return np.split(mine[order], np.flatnonzero(np.diff(key[order])) + 1) if len(mine) else []


def _whose(rows: Rows, row: int, by: str) -> str:
    who = rows.judges[rows.judge[row]] if by != "all" else ""
    said = f"the labels of judge '{who}'" if who else "the labels"
    if by == "topic":
        said += f" on topic '{rows.table.topics[rows.pair_topic[rows.pair[row]]]}'"
    return said


def _note(rows: Rows, label: Floats, scaling: Scaling, alike: list[str]) -> None:
    span = f"from {label.min():g} to {label.max():g}"
    text = f"{plural(len(label), 'label')} {span} scaled to probabilities by {scaling}"
    rows.note("scaled", len(label), text)
    below = int((label < 0).sum())
    text = f"{plural(below, 'label')} below 0 scaled like the others, not read as unjudged"
    rows.note("scaled-negative", below, text)
    text = "nothing can be learned where all labels are the same"
    rows.note("scaled-constant", len(alike), text, subjects=tuple(alike), about="result")


ScalingLike = str | Scaling | Mapping[str, Any]
EXAMPLE = Argument("scaling", "crowd=linear(low=0, high=1),gpt*=linear(low=0, high=3)")

LETTERS = 3  # common characters that names need for a pattern


class JudgeScaling(Record):
    """Rules (pattern, scaling); the first one that matches a judge's name counts."""

    rules: tuple[tuple[str, Scaling], ...]

    def __str__(self) -> str:
        return ",".join(f"{pattern}={scaling}" for pattern, scaling in self.rules)

    def shares(self, judges: Sequence[str]) -> list[tuple[Scaling, list[int]]]:
        """Return each scaling and the places of the judges that it is for."""
        if list(judges) == [""]:
            raise _refused("scaling names judges, but these labels have no judges",
                           ("name one scaling:", LINEAR))  # fmt: skip
        left = dict(enumerate(judges))
        out = []
        for pattern, scaling in self.rules:
            mine = [j for j, name in left.items() if fnmatchcase(name, pattern)]
            if not mine:
                raise _refused(
                    f"the scaling of '{pattern}' applies to no judge",
                    f"the judges are {few(judges, 10)}; the first pattern that matches one counts",
                )
            out.append((scaling, mine))
            left = {j: name for j, name in left.items() if j not in mine}
        if left:
            raise _refused(
                f"no scaling for {plural(len(left), 'judge')}: {few(left.values())}",
                ("'*=linear' at the end is for all judges left, as in", EXAMPLE),
            )
        return out


def scaling_of(given: object) -> Scaling | JudgeScaling | None:
    """Return a scaling or rules for judges, from an object or text; None for none."""
    if given is None or isinstance(given, (Scaling, JudgeScaling)):
        return given
    if isinstance(given, str):
        parts = re.split(r",(?![^(]*\))", given)  # not inside parentheses
        rules = [re.fullmatch(r"\s*([^=(]*?)\s*=(.*)", part, re.S) for part in parts]
        if not any(rules):
            return SCALINGS.parse(given)
        pairs = [(rule[1], rule[2].strip()) for rule in rules if rule and rule[1]]
        if len(pairs) < len(parts):
            raise _refused(f"invalid scaling {given!r}", ("give every scaling a judge:", EXAMPLE))
    elif isinstance(given, Mapping) and given:
        pairs = [(str(pattern), one) for pattern, one in given.items()]
    else:
        raise _refused(
            f"invalid value {given!r} for scaling",
            ("use", Argument("scaling", *(cls.name for cls in SCALINGS)), ", or one per judge:",
             EXAMPLE),
        )  # fmt: skip
    return JudgeScaling(tuple((pattern, _one(scaling)) for pattern, scaling in pairs))


def _one(given: object) -> Scaling:
    found = scaling_of(given)
    if not isinstance(found, Scaling):
        raise _refused(f"invalid value {given!r} for scaling", ("name one scaling:", EXAMPLE))
    return found


def _refused(message: str, remedy: Remedy) -> InputError:
    return InputError(message, code="invalid-scaling", argument="scaling", remedy=remedy)


def patterns_of(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return patterns that match some judges and none of the others."""
    if len(names) > 1:
        start = commonprefix(names)  # noqa: RUF071
        if len(start) >= LETTERS and not any(name.startswith(start) for name in others):
            return [f"{_plain(start)}*"]
        end = commonprefix([name[::-1] for name in names])[::-1]  # noqa: RUF071
        if len(end) >= LETTERS and not any(name.endswith(end) for name in others):
            return [f"*{_plain(end)}"]
    return [_plain(name) for name in names]


def _plain(name: str) -> str:
    """Escape a name for use as a pattern."""
    return re.sub(r"[][*,=()]", "?", name)
