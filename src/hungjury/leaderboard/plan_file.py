"""A plan: documents to label and in which order, as it is shown, written and read."""

from __future__ import annotations

import csv
import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from itertools import takewhile
from os import PathLike
from typing import Any, TypeAlias, get_args

import numpy as np

from hungjury.base.arrays import Bools, Floats, Ints, NDArray
from hungjury.base.choices import PlanDesign
from hungjury.base.errors import InputError, check_choice, plural
from hungjury.base.files import read_lines, write_whole
from hungjury.base.provenance import files_of
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.base.text import csv_text
from hungjury.data.pool import Pool
from hungjury.data.reading.formats import is_database, open_labels
from hungjury.data.reading.lines import PLAN_HEAD
from hungjury.stats.resampling import inclusion

COLUMNS = ("topic", "document", "probability", "order", "weight", "priority")
ANSWERED = 0.8  # of the plan's first n documents have to be labelled for n to count as reached
SHOWN = 10  # documents in a notebook
WRITTEN = "give a file written by `hungjury plan`"
JUDGE = "judge:"  # before a judge's name in the header of the file


def permanent_numbers(seed: int, names: Iterable[tuple[str, str]]) -> NDArray[np.uint64]:
    """Return a random number for each (topic, document): a keyed hash of the seed and the ids.

    It does not depend on other documents, on judges or on runs, so plans of one seed draw mostly
    the same documents (permanent random numbers, Ohlsson 1995).
    """
    key, out = int(seed).to_bytes(8, "little"), []
    for topic, document in names:
        text = f"{len(topic)}:{topic}{document}".encode("utf-8", "surrogateescape")
        out.append(hashlib.blake2b(text, digest_size=8, key=key).digest())
    return np.frombuffer(b"".join(out), dtype="<u8")


def named(pool: Pool) -> list[tuple[str, str]]:
    """Return the topic and the document of every place of a pool."""
    return [(pool.topics[t], d) for t, d in zip(pool.topic_of, pool.documents, strict=True)]


class PlanRows(Record, eq=False):
    """Documents in ascending order of their priority."""

    topics: list[str]
    documents: list[str]
    weight: Floats
    priority: Floats

    def __len__(self) -> int:
        return len(self.documents)

    def places(self, pool: Pool) -> Ints:
        """Return where the documents are in a pool; -1 for those that are not."""
        pairs = zip(self.topics, self.documents, strict=True)
        return np.array([pool.find(*pair) for pair in pairs], dtype=np.int64)

    def listed(self) -> list[list[Any]]:
        columns = (self.topics, self.documents, self.weight.tolist(), self.priority.tolist())
        return [list(row) for row in zip(*columns, strict=True)]


class Plan(PlanRows, Result, eq=False):
    """Documents to label, in the order in which to label them.

    Attributes
    ----------
    topics, documents
        The rows: topic and document ids.
    probability
        Inclusion probability of every row if all of the plan is labelled.
    order
        1 for the document to label first.
    weight
        Weights that the probabilities are proportional to; the mean over the whole pool is 1. For
        design "depth", the smallest rank in any run.
    priority
        Rows are in ascending order of this. Probabilities after the first n labels are
        ``min(1, c * weight)`` with c the priority of row n + 1; c is the share of documents, or
        of topics, where these were drawn with equal probabilities.
    next_priority
        The priority of the first document that is not in the plan; infinite if there is none.
    votes
        Labels of the rows: one list per judge, with None for no label.
    measures, design, budget, seed
        The arguments that the plan was made with.
    pool
        Number of documents to choose from.
    pool_topics
        Number of topics to choose from.
    frame
        Short hashes of the documents to choose from, ascending; see `covers`.
    reused
        Documents that were labelled already and need no new label, as `PlanRows`.
    labels_at_hand
        How many labels there were.
    expected
        Estimated in advance: (labels, smallest detectable difference between two systems).

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=3, topics=5)
    >>> plan = hj.plan(made.judgments, made.runs, "nDCG@10", 20)
    >>> len(plan.documents), int(plan.order[0])
    (20, 1)
    """

    next_priority: float
    votes: dict[str, list[float | None]]
    measures: list[str]
    design: PlanDesign
    budget: int
    seed: int
    pool: int
    pool_topics: int
    frame: NDArray[np.uint32]
    reused: PlanRows = field(default_factory=lambda: _rows([]))
    labels_at_hand: int = 0
    expected: list[tuple[int, float]] = field(default_factory=list)

    def __repr__(self) -> str:
        what = f"{plural(len(self), 'document')} of {self.pool:,}"
        return f"Plan({what}, design {self.design}, {', '.join(self.measures)})"

    @property
    def order(self) -> Ints:
        return np.arange(1, len(self) + 1)

    @property
    def probability(self) -> Floats:
        return self.probability_after(len(self) + len(self.reused))

    def threshold(self, rows: int) -> float:
        """The factor between weights and the probabilities after the first rows of the order."""
        if self.design == "uniform":
            return rows / self.pool
        if self.design == "topics":
            return self.whole_topics(rows) / self.pool_topics
        priority = in_order(self).priority
        return float(priority[rows]) if rows < len(priority) else self.next_priority

    def whole_topics(self, rows: int) -> int:
        """Count the topics that the first rows cover completely; for design "topics"."""
        topics = in_order(self).topics
        started = len(set(topics[:rows]))
        split = 0 < rows < len(topics) and topics[rows - 1] == topics[rows]
        return started - split

    def chance(self, weight: Floats, threshold: float) -> Floats:
        """Inclusion probabilities of documents by their weights."""
        if self.design == "depth":
            return np.clip(threshold - (weight - 1), 0.0, 1.0)
        return inclusion(weight, threshold)

    def probability_after(self, rows: int) -> Floats:
        """Inclusion probability of every listed document when labelling stops after the first rows
        of the order.

        For design "topics" the probability is that of a topic, and only topics that were labelled
        completely count.
        """
        return self.chance(self.weight, self.threshold(rows))

    def covers(self, pool: Pool) -> Bools:
        """[document of a pool]: could the plan have drawn it?"""
        return np.isin(short_hashes(permanent_numbers(self.seed, named(pool))), self.frame)

    def to_text(self) -> str:
        """A summary of the plan, and the precision to expect of it."""
        lines = [self._summary()]
        if self.expected:
            lines.append("Smallest detectable difference to expect on topics like these:")
            lines += [f"{labels:8,} labels  {size:.4f}" for labels, size in self.expected]
        return "\n".join(lines) + "\n"

    def _summary(self) -> str:
        return (
            f"Label {plural(len(self), 'document')} of {self.pool:,}, "
            f"{len(set(self.topics))} of {plural(self.pool_topics, 'topic')} "
            f"({', '.join(self.measures)}, design {self.design}, seed {self.seed})."
        ) + (
            f" {len(self.reused):,} of {plural(self.labels_at_hand, 'label')} at hand are reused."
            if self.labels_at_hand
            else ""
        )

    def table(self) -> Table:
        """A row per document, in the order to label them, with a column for each judge."""
        columns = self._columns()
        return Table(list(columns), list(zip(*columns.values(), strict=True)))

    def _parts(self) -> list[str | Table]:
        names = ["labels", "smallest detectable difference"]
        expected = [Table(names, self.expected)] if self.expected else []
        return [self._summary(), *expected, *self.table().head(SHOWN)]

    def to_csv(self, safe: bool = False) -> str:
        """Write the plan in the format of `read`: header lines with `#`, then a table."""
        lines = self._head() | {"digest": self.digest}
        head = "".join(f"# {name}: {value}\n" for name, value in lines.items())
        columns = self._columns()
        rows = ([_cell(value) for value in row] for row in zip(*columns.values(), strict=True))
        return f"{PLAN_HEAD}\n{head}{csv_text([list(columns), *rows], safe)}"

    def write(self, path: str | PathLike[str]) -> None:
        """Write `to_csv` to a file, atomically."""
        write_whole(path, self.to_csv())

    @staticmethod
    def read(path: str | PathLike[str]) -> Plan:
        """Read a plan that `write` or ``hungjury plan`` wrote."""
        return _parsed(read_lines(path, WRITTEN), str(path))

    def _head(self) -> dict[str, Any]:
        return {line: write(getattr(self, name)) for line, (name, write, _) in HEAD.items()}

    @property
    def digest(self) -> str:
        """A digest of everything but the judges' labels, which may be hidden from people."""
        text = json.dumps([self._head(), self.listed()])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _columns(self) -> dict[str, list[Any]]:
        values = (self.topics, self.documents, self.probability.tolist(), self.order.tolist(),
                  self.weight.tolist(), self.priority.tolist())  # fmt: skip
        said = {JUDGE + judge: labels for judge, labels in self.votes.items()}
        return dict(zip(COLUMNS, values, strict=True)) | said


def _frame(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(b64decode(text), dtype="<u4")


def _sizes(text: str) -> list[tuple[int, float]]:
    pairs = (pair.split("=") for pair in text.split())
    return [(int(labels), float(size)) for labels, size in pairs]


# The lines above the table: the field of a plan, how it is written, and how it is read.
HEAD: dict[str, tuple[str, Callable[[Any], Any], Callable[[str], Any]]] = {
    "measure": ("measures", "; ".join, lambda text: text.split("; ")),
    "design": ("design", str, str),
    "budget": ("budget", int, int),
    "seed": ("seed", int, int),
    "documents in the pool": ("pool", int, int),
    "topics in the pool": ("pool_topics", int, int),
    "next priority": ("next_priority", repr, float),
    "labels at hand": ("labels_at_hand", int, int),
    "reused": ("reused", lambda had: json.dumps(had.listed()), lambda t: _rows(json.loads(t))),
    "expected": ("expected", lambda e: " ".join(f"{n}={size:.6g}" for n, size in e), _sizes),
    "frame": ("frame", lambda frame: b64encode(frame.tobytes()).decode(), _frame),
}


def in_order(plan: Plan) -> PlanRows:
    """Return all documents that a plan drew, those with a label at hand included."""
    return _rows(sorted([*plan.listed(), *plan.reused.listed()], key=lambda row: row[3]))


def rows_reached(done: Bools) -> int:
    """Return how far people got in the plan's order: up to the last labelled document before which
    nearly all are labelled, or, in the first batch, up to where labels are worth most.

    People label a batch topic by topic: its labels have gaps until it is finished. Gaps are taken
    as random, and n labels of m documents are worth n * n / m.
    """
    labelled, upto = np.cumsum(done), np.arange(1, len(done) + 1)
    most = int(np.argmax(np.where(done, labelled**2 / upto, 0)))
    far = np.flatnonzero(done & (labelled / upto >= ANSWERED))
    return max(most, int(far[-1]) if len(far) else 0) + 1


PlanLike: TypeAlias = Plan | str | PathLike[str]
PlansLike: TypeAlias = PlanLike | Sequence[PlanLike]


def as_plans(given: PlansLike | None, gold: object = None) -> list[Plan]:
    """Plans, given or read from their files, and those in the databases of gold labels."""
    several = [given] if isinstance(given, (Plan, str, PathLike)) else given or []
    found = [
        plan for one in several for plan in ([one] if isinstance(one, Plan) else _plans_in(one))
    ]
    found += [plan for file in files_of(gold) if is_database(file) for plan in _plans_in(file)]
    return [*{plan.digest: plan for plan in found}.values()]


def _plans_in(path: str | PathLike[str]) -> list[Plan]:
    """The plan of a file, or all plans of a database of labels."""
    if not is_database(path):
        return [Plan.read(path)]
    with open_labels(str(path)) as base:
        rows = base.execute(
            "select name, text from plans where text != '' order by plan"
        ).fetchall()
    return [_parsed(text.splitlines(keepends=True), f"{path}: {name}") for name, text in rows]


def short_hashes(numbers: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the first half of each number, by which a plan remembers its pool."""
    return (numbers >> np.uint64(32)).astype("<u4")


def _cell(value: Any) -> Any:
    """Format a grade without decimals; empty for a missing label."""
    whole = isinstance(value, float) and value.is_integer()
    return "" if value is None else int(value) if whole else value


def _parsed(lines: list[str], name: str) -> Plan:
    if not lines or lines[0].strip() != PLAN_HEAD:
        raise InputError("this is not a plan", code="not-a-plan", file=name, line=1, remedy=WRITTEN)
    heads = list(takewhile(lambda line: line.startswith("# "), lines))
    head = dict(line[2:].rstrip("\r\n").partition(": ")[::2] for line in heads[1:])
    start = len(heads)
    rows = list(csv.reader(lines[start:]))
    if not rows or tuple(rows[0][: len(COLUMNS)]) != COLUMNS:
        said = f"the columns are not {', '.join(COLUMNS)}"
        remedy = "write the plan again; add columns on the right only"
        raise InputError(said, code="not-a-plan", file=name, line=start + 1, remedy=remedy)
    try:
        found = _made(head, rows)
        edited = head["digest"] != found.digest
    except (KeyError, ValueError, IndexError) as error:
        said = f"the plan is damaged: {error}"
        remedy = "write the plan again"
        raise InputError(said, code="damaged-file", file=name, remedy=remedy) from None
    if edited:
        said = "the plan was changed after it was written: its probabilities no longer hold"
        remedy = "give the file as `hungjury plan` wrote it, or make a new plan"
        raise InputError(said, code="edited-plan", file=name, remedy=remedy)
    return found


def _made(head: dict[str, str], rows: list[list[str]]) -> Plan:
    names, body = rows[0], sorted(rows[1:], key=lambda row: int(row[3]))
    if [int(row[3]) for row in body] != list(range(1, len(body) + 1)):
        raise ValueError("the column order does not count from 1")
    weight, priority = (np.array([float(row[c]) for row in body]) for c in (4, 5))
    threshold = float(head["next priority"])
    if not (weight > 0).all() or not (np.diff(np.append(priority, threshold)) >= 0).all():
        raise ValueError("a probability would be 0, or rows are not in ascending priority")
    said = {
        column[len(JUDGE) :]: [float(row[c]) if row[c] else None for row in body]
        for c, column in enumerate(names)
        if column.startswith(JUDGE)
    }
    check_choice("design", head["design"], get_args(PlanDesign))
    known = {name: read(head[line]) for line, (name, _, read) in HEAD.items()}
    topics, documents = [row[0] for row in body], [row[1] for row in body]
    return Plan(topics, documents, weight, priority, votes=said, **known)


def _rows(listed: list[list[Any]]) -> PlanRows:
    """The rows that `listed` gives."""
    topics, documents, weight, priority = zip(*listed, strict=True) if listed else [()] * 4
    return PlanRows(list(topics), list(documents), *map(np.array, (weight, priority)))
