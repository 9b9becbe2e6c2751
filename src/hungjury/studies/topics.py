"""Choose topics and runs for a study (XG 6, TH 5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hungjury.collection.align import align
from hungjury.collection.likes import QrelsLike, RunsLike
from hungjury.collection.qrels import as_qrels
from hungjury.collection.runs import as_runs
from hungjury.errors import InputError
from hungjury.records import Record
from hungjury.scores import Scores
from hungjury.studies.checks import need_grades, need_hard_labels, need_systems
from hungjury.tables import Cell, Table, html_page

__all__ = ["Chosen", "complete_runs", "few_highly_relevant", "run_quartiles"]

MANY = 10  # relevant documents for each highly relevant one


class Chosen(Record, eq=False):
    """A choice of topics or runs: `names` are the chosen ones, `why` the reason."""

    names: list[str]
    why: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]  # of all that were looked at, the name first

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def table(self) -> Table:
        mine = set(self.names)
        marked = [(*row, "yes" if row[0] in mine else "no") for row in self.rows]
        return Table((*self.columns, "chosen"), marked)

    def _repr_html_(self) -> str:
        return html_page(f"{len(self)} of {len(self.rows)}: {self.why}", self.table())

    def to_text(self) -> str:
        return f"{len(self)} of {len(self.rows)}: {self.why}\n{self.table()}"

    def __str__(self) -> str:
        return self.to_text()


def few_highly_relevant(qrels: QrelsLike, grade: int = 2) -> Chosen:
    """Find topics with few highly relevant documents.

    Parameters
    ----------
    qrels : Qrels or source
        Labels.
    grade : int
        The high grade.

    Returns
    -------
    Chosen
        Topics with R(1) >= 10 R(grade) and R(grade) > 0, and a table of all.

    Examples
    --------
    >>> import hungjury as hj
    >>> relevant = {f"d{i}": 1 for i in range(10)}
    >>> hj.studies.few_highly_relevant({"1": {**relevant, "best": 2}, "2": {"best": 2}}).names
    ['1']
    """
    given = as_qrels(qrels)
    need_hard_labels(given, "a choice of topics by grades")
    need_grades(given.max_grade, "a choice of topics by grades")
    if not 2 <= grade <= given.max_grade:
        raise InputError(
            f"grade is {grade}",
            code="out-of-range",
            argument="grade",
            remedy=f"grade must be between 2 and {given.max_grade}",
        )
    assert given.labels is not None
    low, high = (given.pool.sum_by_topic(given.labels == g) for g in (1, grade))
    few = (high > 0) & (low >= MANY * high)
    rows = [(t, int(a), int(b)) for t, a, b in zip(given.topics, low, high, strict=True)]
    return Chosen(
        [t for t, yes in zip(given.topics, few, strict=True) if yes],
        f"at least {MANY} documents of grade 1 for each of grade {grade}",
        ("topic", "grade 1", f"grade {grade}"),
        rows,
    )


def run_quartiles(scores: Scores, measure: str | None = None) -> Chosen:
    """Find the runs better than the first (worst) quartile of a measure's means.

    Parameters
    ----------
    scores : Scores
        The result of `evaluate`.
    measure : str, optional
        Default: the first measure.

    Returns
    -------
    Chosen
        The runs' names; the table gives each run's quartile, 1 for the worst.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> scores = hj.evaluate(made.gold, made.runs, ["AP", "nDCG@10"])
    >>> hj.studies.run_quartiles(scores, "AP").names
    ['system1', 'system2', 'system3']
    """
    need_systems(scores, "a choice of runs by quartiles")
    name = scores.measures[0] if measure is None else measure
    if name not in scores.measures:
        raise InputError(
            f"{name} was not scored", code="not-scored", remedy=f"choose from {scores.measures}"
        )
    at = scores.measures.index(name)
    means, better = scores.mean()[at], scores.better()[at]
    limits = np.quantile(better, [0.25, 0.5, 0.75])
    quartile = 1 + (better[:, None] > limits).sum(axis=1)
    best = [int(i) for i in np.argsort(-better, kind="stable")]
    side = "below" if scores.signs[at] < 0 else "above"
    return Chosen(
        [s for s, q in zip(scores.systems, quartile, strict=True) if q > 1],
        f"{name} {side} {abs(limits[0]):.4f}, the first quartile",
        ("system", name, "quartile"),
        [(scores.systems[i], float(means[i]), int(quartile[i])) for i in best],
    )


def complete_runs(qrels: QrelsLike, runs: RunsLike) -> Chosen:
    """Find the runs that retrieve something on every judged topic.

    Parameters
    ----------
    qrels : Qrels or source
        Labels.
    runs : Runs or source
        Runs.

    Returns
    -------
    Chosen
        The runs' names, and a table of all.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> hj.studies.complete_runs(made.gold, made.runs).names
    ['system1', 'system2', 'system3', 'system4']
    """
    aligned = align(as_runs(runs), as_qrels(qrels).pool)
    retrieved = aligned.retrieved.sum(axis=1)
    total = len(aligned.pool.topics)
    pairs = list(zip(aligned.systems, map(int, retrieved), strict=True))
    return Chosen(
        [system for system, number in pairs if number == total],
        f"retrieve on all {total} topics",
        ("system", "topics"),
        pairs,
    )
