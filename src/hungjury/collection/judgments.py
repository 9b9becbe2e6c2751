"""Judgments: labels per (topic, document, judge)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.labels import MISSING, LabelPolicy
from hungjury.collection.likes import VotesLike
from hungjury.collection.notes import Note
from hungjury.collection.pool import Pool
from hungjury.collection.qrels import Qrels
from hungjury.collection.reading import read_labels
from hungjury.collection.scaling import Scaling
from hungjury.collection.sources import Source, expand
from hungjury.collection.tables import is_frame, read_table, table_format
from hungjury.errors import Argument, InputError, UnknownName
from hungjury.settings import Duplicates, LabelSettings, Outside

__all__ = ["Judgments", "read_judgments"]


@dataclass(frozen=True, eq=False)
class Judgments:
    """Rows (document, judge, label) over a pool; what a judge did not judge is no row."""

    pool: Pool
    judges: list[str]
    document: NDArray[np.int32]
    judge: NDArray[np.int32]
    label: NDArray[np.float64]
    grades: tuple[int, ...]
    soft: bool = False
    settings: LabelSettings = field(default_factory=LabelSettings)
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
            f"Judgments({len(self.judges)} judges, {len(self.topics)} topics, "
            f"{len(self.pool)} documents, {len(self)} labels)"
        )

    def matrix(self) -> NDArray[np.int16]:
        """Grades as [judge, document], `MISSING` where there is none."""
        if self.soft:
            raise InputError(
                "these judgments are probabilities, not grades",
                remedy="merge them by binmv, and score by expected measures such as eRAP",
            )
        out = np.full((len(self.judges), len(self.pool)), MISSING, dtype=np.int16)
        out[self.judge, self.document] = self.label.astype(np.int16)
        return out

    def qrels_of(self, judge: str) -> Qrels:
        """What one judge said, as qrels."""
        if judge not in self.judges:
            raise UnknownName(
                f"there is no judge '{judge}'",
                remedy=f"the judges are {', '.join(self.judges[:20])}",
            )
        mine = self.judge == self.judges.index(judge)
        documents, labels = self.document[mine], self.label[mine]
        order = np.argsort(documents)
        keep = np.zeros(len(self.pool), dtype=bool)
        keep[documents] = True
        return Qrels(
            self.pool.select(keep),
            None if self.soft else labels[order].astype(np.int16),
            self.grades,
            labels[order] if self.soft else None,
            settings=self.settings,
        )


def read_judgments(
    source: VotesLike,
    duplicates: Duplicates = "error",
    grades: Iterable[int] | None = None,
    outside: Outside = "error",
    judge_column: str | None = None,
    scaling: str | Scaling | None = None,
) -> Judgments:
    """Read the labels of several judges.

    One file per judge (named after the file), or one table or frame with a judge column,
    or, when asked for by ``judge_column="iteration"``, the second column of a qrels file, or
    ``{judge: {topic: {document: label}}}``. The other arguments are those of `read_qrels`.
    """
    policy = LabelPolicy.of(duplicates, grades, outside, scaling)
    given = _listed(source)
    how = _how(given, judge_column)
    found, judges = read_labels(given, policy, judge=how)
    return Judgments(
        found.pool,
        judges,
        found.document,
        found.judge,
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


def _how(source: Any, judge_column: str | None) -> str:
    """Where the judge's name stands."""
    if judge_column not in (None, "iteration"):
        raise InputError(
            f"invalid value {judge_column!r} for judge_column",
            code="invalid-choice",
            remedy=(
                "leave it out, or use",
                Argument("judge_column", "iteration"),
                "if the second column of a qrels file names the judge",
            ),
        )
    if isinstance(source, Mapping):
        return "file"
    if is_frame(source):
        return "column" if judge_column is None else "iteration"
    if judge_column == "iteration":
        return "iteration"
    first = source[0]
    kind = table_format(first)
    if kind is not None and read_table(first, kind, True).find("judge") is not None:
        return "column"
    if len(source) == 1:
        raise InputError(
            "only one file, and it has no judge column",
            code="one-judge",
            file=first.name,
            remedy=(
                "give one file per judge, or use",
                Argument("judge_column", "iteration"),
                "if the second column of a qrels file names the judge",
            ),
        )
    _check_names(source)
    return "file"


def _check_names(files: list[Source]) -> None:
    """Two files of one name would be one judge, and the second one's labels conflicts."""
    seen: dict[str, str] = {}
    for file in files:
        if file.stem in seen:
            raise InputError(
                f"two files are called '{file.stem}' ({seen[file.stem]} and {file.name}), but "
                "judges are named after their files",
                code="same-name",
                remedy="give each judge's file its own name, and each file once",
            )
        seen[file.stem] = file.name
