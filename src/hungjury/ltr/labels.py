"""Labels of documents that are to be ranked: whole grades, or the probability of every grade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import LabelKind
from hungjury.base.errors import InputError, check_choice
from hungjury.base.records import Record

GRADES: Final = "grades"
PROBABILITIES: Final = "probabilities"
LARGEST_GRADE = 30  # the gain table ends here, as LightGBM's does


class Labels(Record, eq=False):
    """Either whole grades [row], or probabilities [row, grade]; P(relevant) is the case of two."""

    grades: NDArray[np.int64] | None = None
    chances: Floats | None = None

    @property
    def largest(self) -> int:
        """The largest grade that occurs, or that has a probability."""
        if self.chances is not None:
            return int(self.chances.shape[1]) - 1
        assert self.grades is not None
        return int(self.grades.max(initial=0))

    def gains(self) -> Floats:
        """Return 2^grade - 1 of every row, or its expectation."""
        if self.chances is None:
            assert self.grades is not None
            return np.asarray(np.exp2(self.grades) - 1)
        return np.asarray(self.chances @ (np.exp2(np.arange(self.chances.shape[1])) - 1))

    def at_least(self, grade: int) -> Floats:
        """Return P(that grade and more) of every row; 0 or 1 where grades are known."""
        if self.chances is None:
            assert self.grades is not None
            return (self.grades >= grade).astype(float)
        return np.asarray(np.minimum(self.chances[:, grade:].sum(axis=1), 1.0))

    def plain(self) -> NDArray[Any]:
        """Return the grade of every row, or its probability of relevance."""
        return self.at_least(1) if self.grades is None else self.grades

    def take(self, rows: NDArray[Any]) -> Labels:
        if self.chances is not None:
            return Labels(chances=self.chances[rows])
        assert self.grades is not None
        return Labels(grades=self.grades[rows])

    @staticmethod
    def join(parts: Sequence[Labels]) -> Labels:
        grades = [p.grades for p in parts if p.grades is not None]
        chances = [p.chances for p in parts if p.chances is not None]
        if grades and chances:
            raise InputError(
                "some parts have grades, others probabilities",
                code="mixed-labels",
                remedy="give all the same kind",
            )
        if grades:
            return Labels(grades=np.concatenate(grades))
        width = max(c.shape[1] for c in chances)
        return Labels(
            chances=np.concatenate([np.pad(c, ((0, 0), (0, width - c.shape[1]))) for c in chances])
        )


def as_labels(
    given: ArrayLike,
    kind: LabelKind,
    rows: int,
    file: str | None = None,
    lines: NDArray[np.int64] | None = None,
) -> Labels:
    """Check labels of rows; `file` and `lines` locate errors."""
    check_choice("labels", kind, get_args(LabelKind))
    values = np.asarray(given)
    if values.dtype.kind not in "fiub":
        raise InputError(
            "the labels are not numbers",
            code="not-numbers",
            argument="labels",
            file=file,
            remedy="give numbers",
        )
    if values.ndim not in (1, 2) or len(values) != rows:
        raise InputError(
            f"the labels have the shape {values.shape}, but there are {rows} rows of features",
            code="wrong-shape",
            argument="labels",
            file=file,
            remedy="give one label per row, or probabilities [row, grade]",
        )
    of = _Complaints(values, file, lines)
    of.check(~np.isfinite(values), "is not a number", "give every row a label")
    if values.ndim == 2:
        return _of_matrix(values.astype(float), of)
    if kind == PROBABILITIES:
        of.check(
            (values < 0) | (values > 1),
            "is not a probability",
            "probabilities must be between 0 and 1",
        )
        p = values.astype(float)
        return Labels(chances=np.stack([1 - p, p], axis=1))
    of.check(
        values != np.floor(values),
        "is not an integer grade",
        'say labels="probabilities" if it is the probability of relevance',
    )
    of.check(values < 0, "is below 0", "grades count from 0; leave unjudged documents out")
    of.check(
        values > LARGEST_GRADE,
        f"is larger than the largest grade {LARGEST_GRADE}",
        "gains are 2^grade - 1; map the labels to small grades",
    )
    return Labels(grades=values.astype(np.int64))


class _Complaints:
    """Reports the first wrong label and its location."""

    def __init__(
        self,
        values: NDArray[Any],
        file: str | None,
        lines: Sequence[int] | NDArray[np.int64] | None,
    ) -> None:
        self.values, self.file, self.lines = values, file, lines

    def check(self, bad: NDArray[np.bool_], what: str, remedy: str) -> None:
        wrong = bad if bad.ndim == 1 else bad.any(axis=1)
        if not wrong.any():
            return
        row = int(np.flatnonzero(wrong)[0])
        shown = self.values[row].tolist()
        where = "" if self.lines is not None else f" of row {row}"
        raise InputError(
            f"the label {shown}{where} {what}",
            code="invalid-label",
            file=self.file,
            line=None if self.lines is None else int(self.lines[row]),
            remedy=remedy,
        )


def _of_matrix(chances: Floats, of: _Complaints) -> Labels:
    if not 2 <= chances.shape[1] <= LARGEST_GRADE + 1:
        raise InputError(
            f"there are probabilities of {chances.shape[1]} grades",
            code="grade-count",
            remedy=f"give a column for each of 2 to {LARGEST_GRADE + 1} grades, 0 first",
        )
    uneven = abs(chances.sum(axis=1) - 1) > 1e-6
    of.check(
        (chances < 0).any(axis=1) | uneven,
        "does not sum to 1",
        "probabilities of grades must be non-negative and sum to 1",
    )
    return Labels(chances=chances)
