"""Types of arguments for labels and runs: the objects, or sources to read them from.

A source is a path, a glob, an open file, a list of these, a data frame (pandas, polars, pyarrow)
or nested mappings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame, IntoLazyFrame

    from hungjury.collection.judgments import Judgments
    from hungjury.collection.qrels import Qrels
    from hungjury.collection.runs import RunFiles, Runs

__all__ = [
    "FileLike",
    "FilesLike",
    "JudgmentsLike",
    "LabelsLike",
    "QrelsLike",
    "RunsLike",
    "ScoresLike",
    "VotesLike",
]

FileLike: TypeAlias = "str | os.PathLike[str] | IO[str] | IO[bytes]"
FilesLike: TypeAlias = "FileLike | Sequence[str | os.PathLike[str]]"
Records: TypeAlias = "Sequence[tuple[object, ...]]"  # named tuples, as ir_measures has them
Frame: TypeAlias = "IntoDataFrame | IntoLazyFrame"
ByTopic: TypeAlias = Mapping[str, Mapping[str, float]]  # {topic: {document: value}}
LabelsLike: TypeAlias = "FilesLike | Frame | Records | ByTopic"
ScoresLike: TypeAlias = "FilesLike | Frame | Records | ByTopic | Mapping[str, ByTopic]"
VotesLike: TypeAlias = "FilesLike | Frame | Records | Mapping[str, Qrels | LabelsLike]"

QrelsLike: TypeAlias = "Qrels | LabelsLike"
RunsLike: TypeAlias = "Runs | RunFiles | ScoresLike"
JudgmentsLike: TypeAlias = "Judgments | VotesLike"
