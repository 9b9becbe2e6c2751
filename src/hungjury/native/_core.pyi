"""Types of the native module."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class BadLine(Exception):
    """Arguments: line number, message."""

def precision_sums(
    ranks: NDArray[np.int32], p: NDArray[np.float64], lengths: NDArray[np.int32], unjudged: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def pair_sums(
    left: NDArray[np.float64], right: NDArray[np.float64], by_rank: bool
) -> NDArray[np.float64]: ...
def draw_grades(
    begin: NDArray[np.int64],
    said: NDArray[np.int32],
    stratum: NDArray[np.int32],
    prior: NDArray[np.float64],
    evidence: NDArray[np.float64],
    uniforms: NDArray[np.float64],
    drawn: NDArray[np.int8],
    chances: NDArray[np.float64],
    in_stratum: NDArray[np.int64],
    with_vote: NDArray[np.int64],
) -> None: ...
def score_lists(
    kernel: str,
    labels: NDArray[np.int16] | NDArray[np.uint8],
    worth: NDArray[np.float64],
    first: int,
    documents: int,
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    document: NDArray[np.int32],
    weight: NDArray[np.float64],
) -> NDArray[np.float64]: ...

class LabelTable:
    """Labels as columns of codes."""

    def __init__(self) -> None: ...
    def feed(self, piece: memoryview | bytes) -> None: ...
    def finish(self) -> None: ...
    def add(
        self,
        topics: list[str],
        iterations: list[str],
        documents: list[str],
        labels: NDArray[np.float64],
        lines: NDArray[np.int64],
    ) -> None: ...
    @property
    def topics(self) -> list[str]: ...
    @property
    def iterations(self) -> list[str]: ...
    @property
    def documents(self) -> list[str]: ...
    @property
    def rows(self) -> int: ...
    def take_columns(self) -> dict[str, NDArray[Any]]: ...

class Pool:
    """Judged documents by topic, found by id."""

    def __init__(self, topics: list[str], documents: list[str], offsets: list[int]) -> None: ...
    @staticmethod
    def of_table(
        table: LabelTable,
        topics: list[str],
        pairs: NDArray[np.int64],
        offsets: NDArray[np.int64],
    ) -> Pool: ...
    @property
    def documents(self) -> list[str]: ...
    def topic(self, name: str) -> int: ...
    def document(self, topic: int, name: str) -> int: ...

class RunStore:
    """A whole run in memory."""

    def __init__(self) -> None: ...
    def feed(self, piece: memoryview | bytes) -> None: ...
    def add(
        self,
        topics: list[str],
        documents: list[str],
        scores: NDArray[np.float64],
        lines: NDArray[np.int64],
    ) -> None: ...
    def finish(self) -> None: ...
    def align(
        self, pool: Pool, ties: str, single: bool, depth: int, others: int
    ) -> dict[str, Any]: ...
    def ranked(self, topic: str, ties: str, single: bool) -> tuple[list[str], list[float]]: ...
    @property
    def topics(self) -> list[str]: ...
    @property
    def rows(self) -> int: ...
    @property
    def tags(self) -> tuple[str, str]: ...

class RunStream:
    """A run aligned to a pool while it is read."""

    def __init__(self, pool: Pool, ties: str, single: bool, depth: int, others: int) -> None: ...
    def feed(self, piece: memoryview | bytes) -> None: ...
    def finish(self) -> None: ...
    def take(self) -> dict[str, Any]: ...
    @property
    def interleaved(self) -> bool: ...
    @property
    def rows(self) -> int: ...
    @property
    def other_topics(self) -> int: ...
    @property
    def tags(self) -> tuple[str, str]: ...
