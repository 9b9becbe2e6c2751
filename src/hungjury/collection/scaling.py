"""Scalings turn labels on an open scale, such as magnitude estimates, into probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.notes import Note, plural
from hungjury.errors import Argument, MeasureError, Remedy
from hungjury.named import Catalogue, Named
from hungjury.parameters import number, one_of, param

if TYPE_CHECKING:
    from hungjury.collection.bad_lines import Stop
    from hungjury.collection.rows import Rows

__all__ = ["SCALINGS", "Scaling", "scale_rows"]

Array = NDArray[np.float64]
ScaledTogether = Literal["judge", "topic", "all"]


class Problem(NamedTuple):
    """Why labels cannot be scaled: which of them, what is wrong, what to do."""

    at: int
    text: str
    remedy: Remedy


class Scaling(Named):
    """A rising function of labels to [0, 1], the same for all labels that are scaled together."""

    by: ScaledTogether = param(
        "judge",
        kind=one_of(ScaledTogether),
        doc="what is scaled together: labels of a judge, of a judge on a topic, or all",
    )

    def shares(self, judges: Sequence[str]) -> list[tuple[Scaling, list[int]]]:
        """This scaling, for all judges."""
        return [(self, list(range(len(judges))))]

    def problem(self, labels: Array) -> Problem | None:
        """Why the labels cannot be scaled, if so."""
        return None

    def chances(self, labels: Array) -> Array:
        raise NotImplementedError


SCALINGS: Catalogue[Scaling] = Catalogue("scaling")


class _Odds(Scaling):
    """Magnitudes x are odds in units of a typical magnitude c: p = x^k / (x^k + c^k)."""

    k: float = param(1.0, kind=number, low=0, open_low=True, doc="steepness")

    def log_typical(self, labels: Array) -> float:
        raise NotImplementedError

    def chances(self, labels: Array) -> Array:
        # As a logistic function of logarithms, where no power can overflow before the end.
        with np.errstate(divide="ignore", over="ignore"):
            above = np.log(labels) - self.log_typical(labels)
            return np.asarray(1 / (1 + np.exp(-self.k * above)))


@SCALINGS.add("geometric")
class Geometric(_Odds):
    """p = x^k / (x^k + g^k), g the geometric mean of the labels scaled together.

    Ratios of labels become ratios of odds, in whatever unit a judge counts: twice the label is
    twice the odds (with k = 1), the geometric mean has p = 0.5. Labels must be above 0.
    """

    def problem(self, labels: Array) -> Problem | None:
        bad = np.flatnonzero(labels <= 0)
        if not len(bad):
            return None
        return Problem(
            int(bad[0]),
            f"the label {labels[bad[0]]:g} is not above 0",
            (
                Argument("scaling", "median"),
                "takes labels of 0;",
                Argument("scaling", "percentile", "linear"),
                "takes any",
            ),
        )

    def log_typical(self, labels: Array) -> float:
        return float(np.log(labels).mean())


@SCALINGS.add("median")
class Median(_Odds):
    """p = x^k / (x^k + m^k), m the median of the labels scaled together.

    As geometric, but labels may be 0 (then p = 0), and a few extreme labels do not move the others.
    """

    def problem(self, labels: Array) -> Problem | None:
        others = (Argument("scaling", "percentile", "linear"), "takes any labels")
        bad = np.flatnonzero(labels < 0)
        if len(bad):
            return Problem(int(bad[0]), f"the label {labels[bad[0]]:g} is below 0", others)
        if np.median(labels) == 0:
            return Problem(0, "their median is 0, so no ratio can be computed", others)
        return None

    def log_typical(self, labels: Array) -> float:
        return float(np.log(np.median(labels)))


@SCALINGS.add("linear")
class Linear(Scaling):
    """p = (x - low) / (high - low), between ends that are given or those of the labels."""

    low: float | None = param(
        None, kind=number, doc="label with p = 0; the smallest one scaled together if not given"
    )
    high: float | None = param(
        None, kind=number, doc="label with p = 1; the largest one scaled together if not given"
    )

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise MeasureError(
                f"{self}: low must be below high",
                code="low-above-high",
                argument="low",
                remedy="write linear(low=0, high=100)",
            )

    def _ends(self, labels: Array) -> tuple[float, float]:
        low = float(labels.min()) if self.low is None else self.low
        return low, float(labels.max()) if self.high is None else self.high

    def problem(self, labels: Array) -> Problem | None:
        low, high = self._ends(labels)
        bad = np.flatnonzero((labels < low) | (labels > high))
        if len(bad):
            return Problem(
                int(bad[0]),
                f"the label {labels[bad[0]]:g} is not between {low:g} and {high:g}",
                "declare ends that include all labels, or leave them out",
            )
        if not 0 < high - low < np.inf:
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
        return None

    def chances(self, labels: Array) -> Array:
        low, high = self._ends(labels)
        return np.asarray((labels - low) / (high - low))


@SCALINGS.add("percentile")
class Percentile(Scaling):
    """p = the share of the labels scaled together that are lower, equal ones counted half.

    Uses only the order of labels; p is 0.5 on average, however many documents are relevant.
    """

    def chances(self, labels: Array) -> Array:
        _, place, count = np.unique(labels, return_inverse=True, return_counts=True)
        return np.asarray(((np.cumsum(count) - count / 2) / len(labels))[place])


class Scaler(Protocol):
    """One scaling for all judges, or one for each."""

    def shares(self, judges: Sequence[str]) -> list[tuple[Scaling, list[int]]]: ...


def scale_rows(rows: Rows, scaler: Scaler, stop: Stop) -> tuple[Rows, tuple[Note, ...]]:
    """The rows with probabilities as labels, and notes on the scaling.

    stop: called with labels that cannot be scaled; where it returns, they are left out.
    """
    label, p = rows.label, np.full(len(rows.label), np.nan)
    notes: list[Note] = []
    for scaling, judges in scaler.shares(rows.judges):
        alike = []
        mine = np.flatnonzero(np.isin(rows.judge, judges))
        for members in _together(rows, mine, scaling.by):
            together = label[members]
            problem = scaling.problem(together)
            if problem is not None:
                row = int(members[problem.at])
                stop(
                    rows.error(
                        row,
                        f"{scaling} of {_whose(rows, row, scaling.by)}: {problem.text}",
                        code="unsuitable-scaling",
                        argument="scaling",
                        remedy=problem.remedy,
                    )
                )
                continue
            p[members] = scaling.chances(together)
            if together.min() == together.max():
                alike.append(_whose(rows, int(members[0]), scaling.by))
        if len(mine):
            notes += _notes(label[mine], scaling, alike)
    done = ~np.isnan(p)
    return replace(rows, label=p).keep(done), tuple(notes)


def _together(rows: Rows, mine: NDArray[np.int64], by: str) -> list[NDArray[np.int64]]:
    """The numbers of the rows that are scaled together, of some rows."""
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


def _notes(label: Array, scaling: Scaling, alike: list[str]) -> Iterator[Note]:
    count = len(label)
    span = f"from {label.min():g} to {label.max():g}"
    text = f"{plural(count, 'label')} {span} scaled to probabilities by {scaling}"
    yield Note("scaled", count, text)
    below = int((label < 0).sum())
    if below:
        text = f"{plural(below, 'label')} below 0 scaled like the others, not read as unjudged"
        yield Note("scaled-negative", below, text)
    if alike:
        text = "nothing can be learned where all labels are the same"
        yield Note("scaled-constant", len(alike), text, subjects=tuple(alike), about="result")
