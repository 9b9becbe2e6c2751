"""Runs + labels + measures -> Scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure, measure, measure_list
from hungjury.collection.align import Alignment, align
from hungjury.collection.judged import judge, one_list
from hungjury.collection.qrels import Qrels, as_qrels
from hungjury.collection.runs import Progress, RunFiles, RunPolicy, Runs, read_runs
from hungjury.collection.sources import expand
from hungjury.collection.tables import is_frame
from hungjury.errors import InputError, MeasureError
from hungjury.scores import LEFT_OUT, NOT_RETRIEVED, SCORED, UNDEFINED, Scores

__all__ = ["evaluate", "precision_recall", "score_list"]

MeasureNames = str | Measure | Iterable[str | Measure]


def evaluate(
    qrels: Any,
    runs: Any,
    measures: MeasureNames,
    topics: str | Iterable[str] = "judged",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    *,
    depth: int | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score runs against labels.

    qrels: `Qrels`, or anything `read_qrels` takes. runs: `Runs`, or anything `read_runs` takes;
    files are then read while they are scored, one list in memory at a time.
    topics: "judged" (a topic missing from a run scores 0), "retrieved" (a run is averaged over
    the judged topics it has) or a list of topic ids.
    undefined: topics with nothing relevant count as 0 ("zero"), make the mean NaN ("nan") or stay
    out of it ("drop").
    unjudged: retrieved documents without a label are "nonrelevant", or left out ("condensed").
    depth: look at the first `depth` ranks only.
    """
    wanted = measure_list(measures)
    if not wanted:
        raise MeasureError("no measure was given", remedy='name one, such as "nDCG@10"')
    _choice("undefined", undefined, ("zero", "nan", "drop"))
    _choice("unjudged", unjudged, ("nonrelevant", "condensed"))
    labels = _chosen(as_qrels(qrels), topics)
    for one in wanted:
        _check(one, labels)
    aligned = align(as_runs(runs), labels.pool, depth, progress)
    return score_alignment(aligned, labels, wanted, topics, undefined, unjudged)


def precision_recall(
    qrels: Any, runs: Any, rel: int = 1, *, progress: Progress | None = None
) -> Scores:
    """The precision-recall curve: interpolated precision at recall 0, 0.1, ..., 1."""
    levels = [measure(f"IPrec(rel={rel})@{i / 10}") for i in range(11)]
    return evaluate(qrels, runs, levels, progress=progress)


def as_runs(runs: Any) -> Runs | RunFiles:
    """Runs in memory as they are; files to be read while they are aligned."""
    if isinstance(runs, (Runs, RunFiles)):
        return runs
    if isinstance(runs, dict) or is_frame(runs):
        return read_runs(runs)
    return RunFiles(expand(runs), RunPolicy())


def _choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(
            f"{name} is {value!r}", remedy=f"{name} is one of {', '.join(map(repr, choices))}"
        )


def _chosen(qrels: Qrels, topics: str | Iterable[str]) -> Qrels:
    """The labels of the topics that are to be scored."""
    if isinstance(topics, str):
        _choice("topics", topics, ("judged", "retrieved"))
        return qrels
    wanted = [str(t) for t in topics]
    known = set(qrels.topics)
    unknown = [t for t in wanted if t not in known]
    if unknown or not wanted:
        raise InputError(
            f"topic '{unknown[0]}' has no judgments" if unknown else "the list of topics is empty",
            remedy="give ids of judged topics",
        )
    return qrels.select(wanted)


def _check(one: Measure, qrels: Qrels) -> None:
    if qrels.soft:
        raise MeasureError(
            f"{one} wants grades, but these labels are probabilities",
            remedy="binarise them first: labels of 0.5 and more as 1",
        )
    one.check(qrels.max_grade)


def score_alignment(
    aligned: Alignment,
    qrels: Qrels,
    measures: Sequence[Measure],
    topics: str | Iterable[str],
    undefined: str,
    unjudged: str,
) -> Scores:
    """Scores of lists that are aligned already."""
    assert qrels.labels is not None
    systems, number = aligned.shape
    flat = np.empty((len(measures), systems * number))
    for every in (False, True):
        mine = [i for i, m in enumerate(measures) if m.every == every]
        if not mine:
            continue
        condensed = unjudged == "condensed"
        for cells, judged in judge(
            aligned, qrels.labels, qrels.max_grade, condensed=condensed, every=every
        ):
            for i in mine:
                flat[i, cells] = measures[i](judged)
    values = flat.reshape(len(measures), systems, number)
    status = _status(values, aligned.retrieved, topics)
    if undefined == "zero":
        values = np.nan_to_num(values)
    values = np.where(status == LEFT_OUT, np.nan, values)
    return Scores(
        [str(m) for m in measures],
        aligned.systems,
        aligned.pool.topics,
        values,
        status,
        _policies(aligned, qrels, topics, undefined, unjudged),
        [m.average for m in measures],
        notes=qrels.notes + aligned.notes,
    )


def _status(
    values: NDArray[np.float64], retrieved: NDArray[np.bool_], topics: str | Iterable[str]
) -> NDArray[np.uint8]:
    status = np.where(np.isnan(values), UNDEFINED, SCORED).astype(np.uint8)
    missing = LEFT_OUT if topics == "retrieved" else NOT_RETRIEVED
    absent = np.broadcast_to(~retrieved, values.shape)
    if topics == "retrieved":
        status[absent] = missing
    else:
        status[absent & (status == SCORED)] = missing
    return status


def _policies(
    aligned: Alignment, qrels: Qrels, topics: str | Iterable[str], undefined: str, unjudged: str
) -> dict[str, Any]:
    return {
        "ties": aligned.policy.ties,
        "score_precision": aligned.policy.score_precision,
        "topics": topics if isinstance(topics, str) else "listed",
        "undefined": undefined,
        "unjudged": unjudged,
        "depth": aligned.depth,
        **qrels.policies,
    }


def score_list(
    name: str | Measure,
    labels: Sequence[int | None],
    pool: Sequence[int] | None = None,
) -> float:
    """The score of one judged list: labels in rank order, None for an unjudged document.

    pool: the labels of all judged documents of the topic; default: those of the list.
    NaN where the measure is undefined.
    """
    one = measure(name)
    known = [v for v in labels if v is not None] if pool is None else list(pool)
    for value in [*labels, *known]:
        if value is not None and value != int(value):
            raise InputError(
                f"the label {value!r} is no grade", remedy="labels are whole grades or None"
            )
    top = max([1, *known, *(v for v in labels if v is not None)])
    return float(one(one_list(labels, known, top))[0])
