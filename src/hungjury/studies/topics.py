"""Check the data of a study, and choose its topics and runs (XG 6, TH 5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hungjury.base.errors import Argument, InputError, MeasureError
from hungjury.base.parameters import check_count
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Cell, Table
from hungjury.data.alignment import align
from hungjury.data.labels import as_qrels
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import QrelsLike, RunsLike
from hungjury.data.runs import as_runs
from hungjury.measures.catalogue import measure_list
from hungjury.measures.evaluate import MeasureNames, check_measure
from hungjury.measures.scores import Scores


def need_gold(gold: QrelsLike, what: str) -> None:
    """Check that there are gold labels to compare with."""
    if gold is None:
        raise InputError(
            f"{what} needs gold labels, but there are none",
            code="needs-gold",
            argument="gold",
            remedy="give qrels of the same topics as gold labels",
        )


def need_judges(judgments: Judgments, what: str, least: int = 3) -> None:
    """Check that there are more judges than the size of tuples."""
    number = len(judgments.judges)
    if number < least:
        have = "there is only 1" if number == 1 else f"there are only {number}"
        raise InputError(
            f"{what} needs at least {least} judges, but {have}",
            code="too-few-judges",
            argument="judges",
            remedy="give more judges, one file each",
        )


def need_grades(top: int, what: str, least: int = 2) -> None:
    """Check that labels have more grades than relevant and not relevant."""
    if top < least:
        raise InputError(
            f"{what} needs more grades, but these labels go from 0 to {top}",
            code="too-few-grades",
            remedy=f"give labels with grades up to {least} or more, or declare the scale",
        )


def need_hard_labels(qrels: Qrels, what: str) -> None:
    if qrels.soft:
        raise InputError(
            f"{what} needs grades, but these labels are probabilities",
            code="needs-grades",
            remedy="make them grades first, with Qrels.threshold(0.5)",
        )


def need_measures(measures: MeasureNames, qrels: Qrels) -> None:
    """Check that the measures exist and fit the labels."""
    wanted = measure_list(measures)
    if not wanted:
        raise MeasureError(
            "no measure was given", code="no-measure", remedy='name one, such as "AP"'
        )
    for one in wanted:
        check_measure(one, qrels)


def need_systems(scores: Scores, what: str, least: int = 2) -> None:
    """Check that there are systems to compare, with a value for each topic."""
    if len(scores.systems) < least:
        raise InputError(
            f"{what} needs at least {least} systems, but there are {len(scores.systems)}",
            code="too-few-systems",
            argument="runs",
            remedy="give more runs",
        )
    if bool((scores.values != scores.values).any()):
        raise InputError(
            f"{what} needs a value for every system and topic, but some have none",
            code="undefined-values",
            remedy=(
                "score with",
                Argument("topics", "judged"),
                "and",
                Argument("undefined", "zero"),
            ),
        )


MANY = 10  # relevant documents for each highly relevant one


class Chosen(Record, Result, eq=False):
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

    def _parts(self) -> list[str | Table]:
        return [f"{len(self)} of {len(self.rows)}: {self.why}", self.table()]


def few_highly_relevant(qrels: QrelsLike, grade: int = 2) -> Chosen:
    """Find topics with few highly relevant documents.

    On such topics graded measures and binary ones disagree most (Ferrante, Ferro and Maistro 2014).

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
    check_count("grade", grade, 2, given.max_grade)
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

    Very poor runs are easy to tell from the others and raise all correlations; studies of measures
    leave them out.

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

    A run without results on a topic scores 0 there under most measures, which says more about the
    run than about the measures that a study compares.

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
