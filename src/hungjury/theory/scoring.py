"""Scores of many judged lists of one length that share one pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure, measure
from hungjury.catalogue.ir_names import IrMeasure
from hungjury.collection.judged import BUDGET, many_lists
from hungjury.errors import InputError

__all__ = ["ListScorer", "Lists", "MeasureLike", "plentiful_pool"]

MeasureLike: TypeAlias = str | Measure | IrMeasure | Callable[[tuple[int, ...]], float]
Lists: TypeAlias = NDArray[np.int16]
Floats: TypeAlias = NDArray[np.float64]


class ListScorer:
    """A measure of the catalogue, or a user's function of the labels, on [list, place] grades."""

    def __init__(self, given: MeasureLike) -> None:
        self.given = given
        self.measure: Measure | None = None
        self.function: Callable[[tuple[int, ...]], float] | None = None
        if isinstance(given, (str, Measure, IrMeasure)):
            self.measure = measure(given)
            self.name = str(self.measure)
        elif callable(given):
            self.function = given
            self.name = getattr(given, "__name__", repr(given))
        else:
            raise InputError(
                f"{given!r} is not a measure",
                code="not-a-measure",
                remedy='give a name such as "AP", a Measure, or a function of the labels',
            )

    @property
    def smaller_is_better(self) -> bool:
        """The direction of a measure; larger is better for a user's function."""
        return self.measure is not None and self.measure.smaller_is_better

    def check(self, max_grade: int) -> None:
        """Raise an error for parameters that do not fit the scale."""
        if self.measure is not None:
            self.measure.check(max_grade)

    def __call__(self, lists: Lists, pool: Sequence[int]) -> Floats:
        """Values of the lists; NaN where the measure is undefined.

        pool: documents of each grade 0, 1, ... A user's function does not see it.
        """
        if self.function is not None:
            return np.array([self.function(tuple(row)) for row in lists.tolist()], dtype=float)
        assert self.measure is not None
        labels: Any = np.repeat(np.arange(len(pool)), pool)
        values = np.empty(len(lists))
        step = max(BUDGET // lists.shape[-1], 1)
        for start in range(0, len(lists), step):
            block = slice(start, start + step)
            values[block] = self.measure(many_lists(lists[block], labels, len(pool) - 1))
        return values


def plentiful_pool(length: int, grades: int) -> tuple[int, ...]:
    """Documents of each grade in the smallest pool from which every list can be drawn.

    A list of `length` ranks may hold one grade only, so that many of each grade are needed.
    Recall bases are then the same for all lists.
    """
    return (length,) * grades
