"""A plan: documents to label and in which order, as it is shown, written and read."""

from __future__ import annotations

import csv
from dataclasses import field
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import PlanDesign
from hungjury.base.errors import InputError, check_choice, plural
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table
from hungjury.base.text import csv_text
from hungjury.data.reading.formats import PLAN_HEAD
from hungjury.stats.resampling import inclusion

COLUMNS = ("topic", "document", "probability", "order", "weight", "priority")
SHOWN = 10  # documents in a notebook
JUDGE = "judge:"  # before a judge's name in the header of the file


class Plan(Record, Result, eq=False):
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
        Weights that the probabilities are proportional to; the mean over the whole pool is 1.
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
    digests
        Digests of the judgments and runs that the plan was made from.
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

    topics: list[str]
    documents: list[str]
    weight: Floats
    priority: Floats
    next_priority: float
    votes: dict[str, list[float | None]]
    measures: list[str]
    design: PlanDesign
    budget: int
    seed: int
    pool: int
    pool_topics: int
    digests: dict[str, str]
    expected: list[tuple[int, float]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        what = f"{plural(len(self), 'document')} of {self.pool:,}"
        return f"Plan({what}, design {self.design}, {', '.join(self.measures)})"

    @property
    def order(self) -> NDArray[np.int64]:
        return np.arange(1, len(self) + 1)

    @property
    def probability(self) -> Floats:
        return self.probability_after(len(self))

    def threshold(self, labels: int) -> float:
        """The factor between weights and the probabilities after the first `labels` rows."""
        if self.design == "uniform":
            return labels / self.pool
        if self.design == "topics":
            return self.whole_topics(labels) / self.pool_topics
        return float(self.priority[labels]) if labels < len(self) else self.next_priority

    def whole_topics(self, labels: int) -> int:
        """Count the topics that the first `labels` rows cover completely; for design "topics"."""
        started = len(set(self.topics[:labels]))
        split = 0 < labels < len(self) and self.topics[labels - 1] == self.topics[labels]
        return started - split

    def probability_after(self, labels: int) -> Floats:
        """Inclusion probability of every row when labelling stops after the first `labels` rows.

        For design "topics" the probability is that of a topic, and only topics that were labelled
        completely count.
        """
        return inclusion(self.weight, self.threshold(labels))

    def to_text(self) -> str:
        """A summary of the plan, and the precision to expect of it."""
        lines = [self._summary()]
        if self.expected:
            lines.append("Smallest detectable difference to expect (typical pair of systems):")
            lines += [f"{labels:8,} labels  {size:.4f}" for labels, size in self.expected]
        return "\n".join(lines) + "\n"

    def _summary(self) -> str:
        return (
            f"Label {plural(len(self), 'document')} of {self.pool:,}, "
            f"{len(set(self.topics))} of {plural(self.pool_topics, 'topic')} "
            f"({', '.join(self.measures)}, design {self.design}, seed {self.seed})."
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
        head = "".join(f"# {name}: {value}\n" for name, value in self._head().items())
        columns = self._columns()
        rows = ([_cell(value) for value in row] for row in zip(*columns.values(), strict=True))
        return f"{PLAN_HEAD}\n{head}{csv_text([list(columns), *rows], safe)}"

    def write(self, path: str | PathLike[str]) -> None:
        """Write `to_csv` to a file, atomically."""
        write_whole(path, self.to_csv())

    @staticmethod
    def read(path: str | PathLike[str]) -> Plan:
        """Read a plan that `write` or ``hungjury plan`` wrote."""
        try:
            with Path(path).open(encoding="utf-8-sig", newline="") as file:
                lines = file.readlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"cannot be read: {error}",
                code="unreadable-file",
                file=str(path),
                remedy="give a file written by `hungjury plan`",
            ) from None
        return _parsed(lines, str(path))

    def _head(self) -> dict[str, Any]:
        return {
            "measure": "; ".join(self.measures),
            "design": self.design,
            "budget": self.budget,
            "seed": self.seed,
            "documents in the pool": self.pool,
            "topics in the pool": self.pool_topics,
            "next priority": repr(self.next_priority),
            **{f"digest of {name}": value for name, value in self.digests.items()},
            "expected": " ".join(f"{labels}={size:.6g}" for labels, size in self.expected),
        }

    def _columns(self) -> dict[str, list[Any]]:
        values = (self.topics, self.documents, self.probability.tolist(), self.order.tolist(),
                  self.weight.tolist(), self.priority.tolist())  # fmt: skip
        said = {JUDGE + judge: labels for judge, labels in self.votes.items()}
        return dict(zip(COLUMNS, values, strict=True)) | said


PlanLike: TypeAlias = Plan | str | PathLike[str]


def as_plan(given: PlanLike) -> Plan:
    """A plan, given or read from its file."""
    return given if isinstance(given, Plan) else Plan.read(given)


def _cell(value: Any) -> Any:
    """Format a grade without decimals; empty for a missing label."""
    whole = isinstance(value, float) and value.is_integer()
    return "" if value is None else int(value) if whole else value


def _parsed(lines: list[str], name: str) -> Plan:
    if not lines or lines[0].strip() != PLAN_HEAD:
        raise InputError(
            "this is not a plan",
            code="not-a-plan",
            file=name,
            line=1,
            remedy="give a file written by `hungjury plan`",
        )
    heads = list(takewhile(lambda line: line.startswith("# "), lines))
    head = dict(line[2:].rstrip("\r\n").partition(": ")[::2] for line in heads[1:])
    start = len(heads)
    rows = list(csv.reader(lines[start:]))
    if not rows or tuple(rows[0][: len(COLUMNS)]) != COLUMNS:
        raise InputError(
            f"the columns are not {', '.join(COLUMNS)}",
            code="not-a-plan",
            file=name,
            line=start + 1,
            remedy="write the plan again; add columns on the right only",
        )
    try:
        return _made(head, rows)
    except (KeyError, ValueError, IndexError) as error:
        raise InputError(
            f"the plan is damaged: {error}",
            code="damaged-file",
            file=name,
            remedy="write the plan again",
        ) from None


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
    expected = [pair.split("=") for pair in head["expected"].split()]
    check_choice("design", head["design"], get_args(PlanDesign))
    return Plan(
        topics=[row[0] for row in body],
        documents=[row[1] for row in body],
        weight=weight,
        priority=priority,
        next_priority=threshold,
        votes=said,
        measures=head["measure"].split("; "),
        design=cast(PlanDesign, head["design"]),
        budget=int(head["budget"]),
        seed=int(head["seed"]),
        pool=int(head["documents in the pool"]),
        pool_topics=int(head["topics in the pool"]),
        digests={
            k.removeprefix("digest of "): v for k, v in head.items() if k.startswith("digest of ")
        },
        expected=[(int(labels), float(size)) for labels, size in expected],
    )
