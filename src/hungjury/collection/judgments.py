"""Judgments: labels per (topic, document, assessor)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.labels import MISSING, LabelPolicy
from hungjury.collection.notes import Note
from hungjury.collection.pool import Pool
from hungjury.collection.qrels import Qrels
from hungjury.collection.reading import read_labels
from hungjury.collection.sources import Source, expand
from hungjury.collection.tables import is_frame, read_table, table_format
from hungjury.errors import InputError, UnknownName

__all__ = ["Judgments", "read_judgments"]


@dataclass(frozen=True, eq=False)
class Judgments:
    """Rows (document, assessor, label) over a pool; what an assessor did not judge is no row."""

    pool: Pool
    assessors: list[str]
    document: NDArray[np.int32]
    assessor: NDArray[np.int32]
    label: NDArray[np.float64]
    grades: tuple[int, ...]
    soft: bool = False
    policies: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def topics(self) -> list[str]:
        return self.pool.topics

    @property
    def max_grade(self) -> int:
        return self.grades[-1]

    def __len__(self) -> int:
        return len(self.label)

    def __repr__(self) -> str:
        return (
            f"Judgments({len(self.assessors)} assessors, {len(self.topics)} topics, "
            f"{len(self.pool)} documents, {len(self)} labels)"
        )

    def matrix(self) -> NDArray[np.int16]:
        """Grades as [assessor, document], `MISSING` where there is none."""
        if self.soft:
            raise InputError(
                "these judgments are probabilities, not grades",
                remedy="merge them by binmv, and score by expected measures such as eRAP",
            )
        out = np.full((len(self.assessors), len(self.pool)), MISSING, dtype=np.int16)
        out[self.assessor, self.document] = self.label.astype(np.int16)
        return out

    def by(self, assessor: str) -> Qrels:
        """What one assessor said, as qrels."""
        if assessor not in self.assessors:
            raise UnknownName(
                f"there is no assessor '{assessor}'",
                remedy=f"the assessors are {', '.join(self.assessors[:20])}",
            )
        mine = self.assessor == self.assessors.index(assessor)
        documents, labels = self.document[mine], self.label[mine]
        order = np.argsort(documents)
        keep = np.zeros(len(self.pool), dtype=bool)
        keep[documents] = True
        return Qrels(
            self.pool.select(keep),
            None if self.soft else labels[order].astype(np.int16),
            self.grades,
            labels[order] if self.soft else None,
            policies=self.policies,
        )


def read_judgments(
    source: Any,
    duplicates: str = "error",
    grades: Iterable[int] | None = None,
    outside: str = "error",
    assessor_column: str | None = None,
    scaling: Any = None,
) -> Judgments:
    """Read the labels of several assessors.

    One file per assessor (named after the file), or one table or frame with an assessor column,
    or, when asked for by ``assessor_column="iteration"``, the second column of a qrels file, or
    ``{assessor: {topic: {document: label}}}``. The other arguments are those of `read_qrels`.
    """
    policy = LabelPolicy.of(duplicates, grades, outside, scaling)
    source = _listed(source)
    how = _how(source, assessor_column)
    found, assessors = read_labels(source, policy, assessor=how)
    return Judgments(
        found.pool,
        assessors,
        found.document,
        found.assessor,
        found.label,
        found.grades,
        found.soft,
        policy.used(found.grades),
        found.notes,
    )


def _listed(source: Any) -> Any:
    """Text sources as a list of files, so that streams are read only once."""
    if isinstance(source, Mapping) or is_frame(source):
        return source
    return expand(source)


def _how(source: Any, assessor_column: str | None) -> str:
    """Where the assessor's name stands."""
    if assessor_column not in (None, "iteration"):
        raise InputError(
            f"assessor_column is {assessor_column!r}",
            remedy='leave it out, or say "iteration" for the second column of a qrels file',
        )
    if isinstance(source, Mapping):
        return "file"
    if is_frame(source):
        return "column" if assessor_column is None else "iteration"
    if assessor_column == "iteration":
        return "iteration"
    first = source[0]
    kind = table_format(first)
    if kind is not None and read_table(first, kind).find("assessor") is not None:
        return "column"
    if len(source) == 1:
        raise InputError(
            "one file without an assessor column is one assessor",
            file=first.name,
            remedy='give one file per assessor, or assessor_column="iteration" if the second '
            "column of a qrels file names the assessor",
        )
    _check_names(source)
    return "file"


def _check_names(files: list[Source]) -> None:
    """Two files of one name would be one assessor, and the second one's labels conflicts."""
    seen: dict[str, str] = {}
    for file in files:
        if file.stem in seen:
            raise InputError(
                f"two files are called '{file.stem}' ({seen[file.stem]} and {file.name}), and an "
                "assessor is named after its file",
                remedy="name every file after its assessor, and give each file once",
            )
        seen[file.stem] = file.name
