"""Types of the native module."""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

COMPILER: str

class Features(TypedDict):
    """What a `FeatureTable` holds: cells row by row, and the first row of each query."""

    cells: NDArray[np.float64]
    labels: NDArray[np.float64]
    starts: NDArray[np.int64]
    lines: NDArray[np.int64]

class LabelColumns(TypedDict):
    """The topic of each (topic, document) pair; pair, iteration, label and line of each row."""

    pair_topic: NDArray[np.int32]
    pair: NDArray[np.int32]
    iteration: NDArray[np.int32]
    label: NDArray[np.float64]
    line: NDArray[np.uint32]

class AlignedRun(TypedDict):
    """Lists by topic, their judged documents with ranks, and what was odd about them."""

    topic: NDArray[np.int32]
    length: NDArray[np.int32]
    end: NDArray[np.int64]
    rank: NDArray[np.int32]
    document: NDArray[np.int32]
    tie_first: NDArray[np.int32]
    tie_last: NDArray[np.int32]
    other_topic: NDArray[np.int32]
    other_rank: NDArray[np.int32]
    other_hash: NDArray[np.uint64]
    other_id: NDArray[np.uint8]
    other_size: NDArray[np.int32]
    tied_lists: int
    precision_lists: int
    contradicted_lists: int
    cut_ties: int

class ActionColumns(TypedDict):
    """Actions, a row each."""

    session: NDArray[np.int64]
    page: NDArray[np.int64]
    query: NDArray[np.int64]
    record: NDArray[np.int64]
    rank: NDArray[np.int32]
    relevant: NDArray[np.int32]
    time: NDArray[np.float64]
    kind: NDArray[np.int8]

class BadLine(Exception):
    """Arguments: line number, code, message."""

def precision_sums(
    ranks: NDArray[np.int32], p: NDArray[np.float64], lengths: NDArray[np.int32], unjudged: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def relevance_moments(
    precisions: bool,
    p: NDArray[np.float64],
    offsets: NDArray[np.int64],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    rank: NDArray[np.int32],
    document: NDArray[np.int32],
    weight: NDArray[np.float64],
    weights: NDArray[np.float64],
    ranks: NDArray[np.int64],
    others: NDArray[np.int64],
    beyond: NDArray[np.int64],
    outside: float,
    factor: NDArray[np.float64],
    square: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def ideal_shares(
    chances: NDArray[np.float64],
    offsets: NDArray[np.int64],
    gains: NDArray[np.float64],
    discounts: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def pair_sums(
    left: NDArray[np.float64], right: NDArray[np.float64], by_rank: bool
) -> NDArray[np.float64]: ...
def row_products(
    row: NDArray[np.int32],
    column: NDArray[np.int32],
    value: NDArray[np.float64],
    weight: NDArray[np.float64],
    rows: int,
    first: int,
    last: int,
) -> NDArray[np.float64]: ...
def untied_pairs(values: NDArray[np.float64]) -> NDArray[np.int64]: ...
def shares_larger(values: NDArray[np.float64]) -> NDArray[np.float64]: ...
def largest_gaps(
    values: NDArray[np.float64], units: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def squared_distances(
    left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def kernel_sums(
    values: NDArray[np.float64], points: int, bandwidth: float
) -> NDArray[np.float64]: ...
def dawid_skene(
    document: NDArray[np.int32],
    judge: NDArray[np.int32],
    choice: NDArray[np.int16],
    group: NDArray[np.int64],
    judges: int,
    grades: int,
    posterior: NDArray[np.float64],
    tolerance: float,
    rounds: int,
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
]: ...
def distinct(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def grade_places(label: NDArray[np.float64], grades: NDArray[np.int64]) -> NDArray[np.int16]: ...
def count_keys(key: NDArray[np.int32], keys: int) -> NDArray[np.int64]: ...
def sum_by_key(
    key: NDArray[np.int32], other: NDArray[np.int32], value: NDArray[np.float64], keys: int
) -> NDArray[np.float64]: ...
def largest_labels(
    judge: NDArray[np.int32], label: NDArray[np.float64], judges: int
) -> NDArray[np.float64]: ...
def votes_repeat(
    document: NDArray[np.int32], judge: NDArray[np.int32], documents: int, judges: int
) -> bool: ...
def moments_with_rest(
    document: NDArray[np.int32],
    judge: NDArray[np.int32],
    label: NDArray[np.float64],
    rel: float,
    weight: NDArray[np.float64],
    family: NDArray[np.int32],
    topic: NDArray[np.int32],
    topics: int,
) -> NDArray[np.float64]: ...
def count_votes(
    document: NDArray[np.int32],
    judge: NDArray[np.int32],
    choice: NDArray[np.int16],
    share: NDArray[np.float64] | None,
    weight: NDArray[np.float64],
    documents: int,
    grades: int,
) -> NDArray[np.float64]: ...
def judge_pairs(
    document: NDArray[np.int32],
    judge: NDArray[np.int32],
    choice: NDArray[np.int16],
    documents: int,
    judges: int,
    grades: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
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
    counted: NDArray[np.float64],
    levels: NDArray[np.float64],
    offsets: NDArray[np.int64],
    first: int,
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    document: NDArray[np.int32],
    weight: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def walk_lists(
    kernel: str,
    worth: NDArray[np.float64],
    end: NDArray[np.int64],
    document: NDArray[np.int32],
    weight: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def grade_counts(
    labels: NDArray[np.int16] | NDArray[np.uint8], offsets: NDArray[np.int64], grades: int
) -> NDArray[np.int64]: ...
def lambdas(
    scores: NDArray[np.float64],
    gains: NDArray[np.float64],
    offsets: NDArray[np.int64],
    discounts: NDArray[np.float64],
    over_ideal: NDArray[np.float64],
    first: int,
    last: int,
    gradient: NDArray[np.float32],
    hessian: NDArray[np.float32],
) -> None: ...
def ranking_values(
    scores: NDArray[np.float64],
    gains: NDArray[np.float64],
    offsets: NDArray[np.int64],
    discounts: NDArray[np.float64],
    over_ideal: NDArray[np.float64],
    first: int,
    last: int,
    values: NDArray[np.float64],
) -> None: ...

class FeatureTable:
    """Rows of features, read from LETOR text."""

    def __init__(self) -> None: ...
    def feed(self, piece: memoryview | bytes) -> None: ...
    def finish(self) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def documents(self) -> list[str]: ...
    def take(self) -> Features: ...

class LabelTable:
    """Labels as columns of codes."""

    def __init__(self) -> None: ...
    def expect(self, bytes: int, largest: int) -> None: ...
    def feed(self, piece: memoryview | bytes) -> None: ...
    def finish(self) -> None: ...
    def take_words(self) -> None: ...
    def skip_iterations(self) -> None: ...
    @property
    def words(self) -> list[tuple[int, str]]: ...
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
    def take_columns(self) -> LabelColumns: ...

class PlainTable:
    """Rows of a separated table without anything unusual in it, for labels."""

    def __init__(
        self, labels: LabelTable, mark: str, columns: int, places: list[int], only_topic: str
    ) -> None: ...
    def feed(self, piece: memoryview | bytes) -> bool: ...
    def finish(self) -> bool: ...
    def undo(self) -> None: ...

def narrow_list_ids(ids: list[str]) -> list[str]: ...
def place_pairs(
    order: NDArray[np.int64], topic_of: NDArray[np.int32], rows: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]: ...
def warn_of_leaks() -> None: ...

class Pool:
    """Judged documents by topic, found by id."""

    def __init__(self, topics: list[str], documents: list[str], offsets: list[int]) -> None: ...
    @staticmethod
    def of_table(
        table: LabelTable,
        topics: NDArray[np.int64],
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
        self, pool: Pool, ties: str, single: bool, depth: int, others: int, named: bool
    ) -> AlignedRun: ...
    def ranked(self, topic: str, ties: str, single: bool) -> tuple[list[str], list[float]]: ...
    @property
    def topics(self) -> list[str]: ...
    @property
    def rows(self) -> int: ...
    @property
    def tags(self) -> tuple[str, str]: ...

class RunStream:
    """A run aligned to a pool while it is read."""

    def __init__(
        self, pool: Pool, ties: str, single: bool, depth: int, others: int, named: bool
    ) -> None: ...
    def feed(self, piece: memoryview | bytes) -> None: ...
    def finish(self) -> None: ...
    def append(self, next: RunStream) -> None: ...
    def take(self) -> AlignedRun: ...
    @property
    def interleaved(self) -> bool: ...
    @property
    def rows(self) -> int: ...
    @property
    def other_topics(self) -> int: ...
    @property
    def tags(self) -> tuple[str, str]: ...

class ActionLog:
    """Clicks of a log of queries and clicks, with their ranks."""

    def __init__(self, first: int) -> None: ...
    def judge(self, query: str, documents: list[str]) -> None: ...
    def feed(self, piece: memoryview | bytes) -> None: ...
    def finish(self) -> None: ...
    def meet(self, other: ActionLog) -> None: ...
    @property
    def interleaved(self) -> bool: ...
    @property
    def rows(self) -> int: ...
    def queries(self, first: int) -> list[str]: ...
    def take(self) -> ActionColumns: ...
