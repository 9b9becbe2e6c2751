"""Rows of labels as they were read, and the resolved labels."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.collection.notes import Note
from hungjury.collection.pool import Pool
from hungjury.errors import InputError, Remedy
from hungjury.records import Record

__all__ = ["Resolved", "Rows"]


class Rows(Record, eq=False):
    """Labels in the order of the input; pairs are (topic, document)."""

    table: native.LabelTable
    pair_topic: NDArray[np.int32]
    pair: NDArray[np.int32]
    judge: NDArray[np.int32]
    label: NDArray[np.float64]
    line: NDArray[np.uint32]
    file: NDArray[np.unsignedinteger[Any]]
    files: list[str]
    judges: list[str]  # [""] for qrels

    @property
    def by_judges(self) -> bool:
        """Whether these are labels of several judges; else qrels."""
        return self.judges != [""]

    def __len__(self) -> int:
        return len(self.label)

    @cached_property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The different labels in ascending order, and how often each occurs."""
        return native.distinct(self.label)

    def at(self, row: int) -> tuple[str, int]:
        """File and line of a row."""
        return self.files[int(self.file[row])], int(self.line[row])

    def keep(self, rows: NDArray[np.generic]) -> Rows:
        """Some of the rows: a mask, or their numbers."""
        return replace(
            self,
            pair=self.pair[rows],
            judge=self.judge[rows],
            label=self.label[rows],
            line=self.line[rows],
            file=self.file[rows],
        )

    def count_by_judge(self, rows: NDArray[np.bool_]) -> dict[str, int]:
        """How many of some rows each judge has, judges with none left out."""
        counts = np.bincount(self.judge[rows], minlength=len(self.judges))
        return {self.judges[j]: int(counts[j]) for j in np.flatnonzero(counts)}

    def error(
        self, row: int, message: str, *, code: str, remedy: Remedy, argument: str | None = None
    ) -> InputError:
        """An error about a row."""
        file, line = self.at(row)
        return InputError(
            message, code=code, file=file, line=line, remedy=remedy, argument=argument
        )


class Resolved(Record, eq=False):
    """One label for each (document, judge), documents in the order of the pool."""

    pool: Pool
    judges: list[str]
    document: NDArray[np.int32]
    judge: NDArray[np.int32]
    label: NDArray[np.float64]
    grades: tuple[int, ...]  # (0, 1) for probabilities
    soft: bool
    notes: tuple[Note, ...]
