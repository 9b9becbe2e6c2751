"""Runs + labels + measures -> Scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import ScoredTopics, Undefined, Unjudged
from hungjury.base.errors import Argument, InputError, MeasureError, Note, check_choice
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS
from hungjury.base.records import Record
from hungjury.data.alignment import UNJUDGED_TOPIC, Alignment, align
from hungjury.data.judged import Judged, judge_lists, one_list
from hungjury.data.labels import as_qrels
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import (
    QrelsLike,
    RunsLike,
    ScoreSettings,
    ScoringOptions,
    assigned,
)
from hungjury.data.runs import Progress, as_runs
from hungjury.measures.catalogue import Measure, MeasureLike, measure, measure_list
from hungjury.measures.distribution import HitCounts
from hungjury.measures.scores import LEFT_OUT, NOT_RETRIEVED, SCORED, UNDEFINED, Scores

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hungjury.measures.catalogue.any_expectation import E

MeasureNames = MeasureLike | Iterable[MeasureLike]


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasureNames,
    topics: ScoredTopics | Iterable[str] = "judged",
    undefined: Undefined = "zero",
    unjudged: Unjudged = "nonrelevant",
    *,
    depth: int | None = None,
    distribution: bool = False,
    progress: Progress | None = None,
    **reading: Unpack[ScoringOptions],
) -> Scores:
    """Score runs against labels: a value for every measure, system and topic.

    The starting point where labels come from one source, or were merged (`merge`). It gives scores
    without saying whether differences between systems mean anything: use `compare` to test them
    over topics, and `leaderboard` where several judges gave labels. Labels may be probabilities,
    for measures that take them (eRAP and its relatives, E(X) of any measure X).

    Parameters
    ----------
    qrels : Qrels or source
        Labels, or anything `read_qrels` takes.
    runs : Runs or source
        Runs, or anything `read_runs` takes. Files are read while they are scored, with one ranked
        list in memory at a time.
    measures : str, Measure or list of these
        Such as ``"nDCG@10"``, ``hj.m.AP(rel=2)`` or trec_eval's ``"official"``.
    topics : {"judged", "retrieved"} or list of str
        ``"judged"``: all judged topics, and a topic missing from a run scores 0. ``"retrieved"``:
        each run is averaged over the judged topics it has. Or a list of topic ids.
    undefined : {"zero", "nan", "drop"}
        Topics where a measure is undefined, such as those without a relevant document, count as 0
        (ESL and fallout, where smaller is better, as their worst value), make the mean NaN, or are
        left out of it.
    unjudged : {"nonrelevant", "condensed"}
        Retrieved documents without a label count as not relevant, or are removed from the lists.
    depth : int, optional
        Use only the first `depth` ranks.
    distribution : bool
        For expectations E(X) of uncertain labels: draw label sets even where the expectation is
        exact, for intervals, quantiles and covariances between systems.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    **reading
        Options of `read_qrels` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read.

    Returns
    -------
    Scores
        Values by measure, system and topic; printed as means, best system first.

    Examples
    --------
    The relevant documents are at ranks 1 and 3: AP is the mean of 1/1 and 2/3, and one of the first
    two documents is relevant.

    >>> import hungjury as hj
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    >>> print(hj.evaluate(qrels, runs, ["AP", "P@2"]))
    system      AP     P@2
    bm25    0.8333  0.5000
    """
    wanted = measure_list(measures)
    check_choice("undefined", undefined, get_args(Undefined))
    check_choice("unjudged", unjudged, get_args(Unjudged))
    of_labels, of_runs, _ = assigned(reading, qrels, runs)
    labels = _chosen(as_qrels(qrels, **of_labels), topics)
    for one in wanted:
        check_measure(one, labels)
    lists = as_runs(runs, **of_runs)
    if lists.policy.ties == "expected" and unjudged == "condensed":
        raise MeasureError(
            "condensed lists do not support ties averaged over all orders",
            code="unsupported-ties",
            remedy=("use", Argument("ties", "trec", "input")),
        )
    drawn = [e for m in wanted if (e := m.expectation) and (distribution or not e.is_exact)]
    named = unjudged != "condensed" and any(e.chance_of_unjudged > 0 for e in drawn)
    others = MOST_RANKS if named else max(m.unjudged_depth for m in wanted)
    aligned = align(lists, labels.pool, depth, progress, others, named)
    policies = topics, undefined, unjudged
    return score_alignment(aligned, labels, wanted, *policies, distribution, progress)


def _chosen(qrels: Qrels, topics: ScoredTopics | Iterable[str]) -> Qrels:
    """Return the labels of the topics that are to be scored."""
    if isinstance(topics, str):
        check_choice("topics", topics, get_args(ScoredTopics))
        return qrels
    if not isinstance(topics, Iterable):
        raise InputError(
            f"invalid value {topics!r} for topics",
            code="invalid-choice",
            remedy=(
                "use",
                Argument("topics", "judged", "retrieved"),
                "or a list of topic ids",
            ),
        )
    wanted = [str(t) for t in topics]
    known = set(qrels.topics)
    unknown = [t for t in wanted if t not in known]
    if unknown or not wanted:
        raise InputError(
            f"topic '{unknown[0]}' has no judgments" if unknown else "the list of topics is empty",
            code="unjudged-topic",
            argument="topics",
            remedy="give ids of judged topics",
        )
    return qrels.select(wanted)


def check_measure(one: Measure, qrels: Qrels) -> None:
    """Raise early for a measure that does not fit the labels."""
    if qrels.soft and not one.takes_probabilities:
        raise MeasureError(
            f"{one} needs grades, but these labels are probabilities",
            code="needs-grades",
            remedy=f"E({one}) is its expectation; eRAP, eRRBP and eRDCG take probabilities; "
            "Qrels.threshold(0.5) makes grades",
        )
    if qrels.soft:
        one.check_probabilities(of_grades=qrels.p is None)
    one.check(qrels.max_grade)


class _View(Record):
    """One way of gathering labels, shared by all measures that want it."""

    needs_nonrelevant: bool
    rel: int | None = None  # for probabilities of grades: the threshold,
    prob: tuple[float, ...] | None = None  # or P(relevant) of each grade

    @staticmethod
    def of(measure: Measure, qrels: Qrels) -> _View:
        if not qrels.soft:
            return _View(measure.needs_nonrelevant)
        if qrels.p is not None:
            return _View(True)
        return _View(True, measure.threshold, getattr(measure, "prob", None))

    def lists(
        self, aligned: Alignment, qrels: Qrels, condensed: bool
    ) -> Iterator[tuple[NDArray[np.int64], Judged]]:
        if qrels.labels is not None:
            return judge_lists(
                aligned,
                qrels.labels,
                qrels.max_grade,
                condensed=condensed,
                needs_nonrelevant=self.needs_nonrelevant,
            )
        p = qrels.at_least(self.rel or 1).p
        if self.prob is not None and qrels.grade_p is not None:
            p = qrels.grade_p @ np.array(self.prob)
        nothing = np.zeros(len(qrels), dtype=np.int16)
        return judge_lists(aligned, nothing, 1, condensed=condensed, needs_nonrelevant=True, p=p)


def score_alignment(
    aligned: Alignment,
    qrels: Qrels,
    measures: Sequence[Measure],
    topics: ScoredTopics | Iterable[str],
    undefined: Undefined,
    unjudged: Unjudged,
    distribution: bool = False,
    progress: Progress | None = None,
) -> Scores:
    """Score runs that are aligned already."""
    chosen = not isinstance(topics, str)
    shape = (len(measures), *aligned.shape)
    values = np.empty((len(measures), len(aligned.length)))
    variance = None
    if any(m.has_variance or m.expectation for m in measures):
        variance = np.full(values.shape, np.nan)
    sampled: list[Note] = []
    kept: dict[int, NDArray[np.float32]] = {}
    certain: list[int] = []
    by_draws: list[int] = []
    hits: dict[int, HitCounts] = {}
    condensed, worst = unjudged == "condensed", np.zeros(values.shape)
    views: dict[_View, list[tuple[int, Measure]]] = {}
    for i, one in enumerate(measures):
        drawn = one.expectation
        if drawn is None or drawn.is_certain(qrels, condensed):
            scored = one if drawn is None else drawn.of
            views.setdefault(_View.of(scored, qrels), []).append((i, scored))
        elif variance is not None:
            from hungjury.measures.expectation import expected_scores

            found = expected_scores(aligned, qrels, drawn, condensed, distribution, progress)
            values[i], variance[i] = found.mean, found.variance
            if found.draws is not None:
                kept[i] = found.draws
            if found.hits is not None:
                hits[i] = found.hits
            if not found.exact:
                by_draws.append(i)
                sampled.append(_sampling_error(drawn, found.variance.reshape(aligned.shape)))
    for view, mine in views.items():
        for cells, judged in view.lists(aligned, qrels, condensed):
            for i, one in mine:
                values[i, cells] = one(judged)
                worst[i, cells] = one.where_undefined(judged)
                if variance is not None and one.has_variance:
                    variance[i, cells] = one.moments(judged)[1]
        for i, _ in mine:
            if variance is not None and measures[i].expectation:  # nothing is left to draw
                variance[i] = values[i] * 0
                certain.append(i)
    unknown = np.isnan(values)
    status = _status(unknown.reshape(shape), aligned.retrieved, topics)
    if undefined == "zero":  # a topic that counts as 0, or as the worst value, does so surely
        if variance is not None:
            variance[unknown] = 0.0
        values[unknown] = worst[unknown]
    kept |= {i: values[None, i].astype(np.float32) for i in certain}
    values.reshape(shape)[status == LEFT_OUT] = np.nan
    return Scores(
        measures=[str(m) for m in measures],
        systems=aligned.systems,
        topics=aligned.pool.topics,
        values=values.reshape(shape),
        status=status,
        settings=ScoreSettings(
            **aligned.policy.recorded,
            topics=topics if isinstance(topics, str) else "listed",
            undefined=undefined,
            unjudged=unjudged,
            depth=aligned.depth,
            labels=qrels.settings,
        ),
        averages=[m.average for m in measures],
        smaller=[m.smaller_is_better for m in measures],
        variance=None if variance is None else variance.reshape(shape),
        sampled=tuple(by_draws),
        hits=hits,
        draws={i: one.reshape(-1, *aligned.shape) for i, one in kept.items()},
        notes=(
            *qrels.notes,
            *sampled,
            *(note for note in aligned.notes if note.kind != UNJUDGED_TOPIC or not chosen),
            *dict.fromkeys(note for one in measures for note in one.notes(qrels)),
        ),
    )


def _sampling_error(measure: E, variance: Floats) -> Note:
    """Say how far drawn means may be from the expectation."""
    error = float(np.sqrt(variance.sum(axis=1)).max() / variance.shape[1] / np.sqrt(measure.draws))
    text = (
        f"{measure} is a mean over {measure.draws:,} drawn label sets; the standard error of a "
        f"system's mean is {error:.2g} or less"
    )
    return Note("sampled", measure.draws, text, about="result")


def _status(
    unknown: NDArray[np.bool_], retrieved: NDArray[np.bool_], topics: ScoredTopics | Iterable[str]
) -> NDArray[np.uint8]:
    status = unknown.astype(np.uint8)
    status *= UNDEFINED
    absent = ~retrieved
    if not absent.any():
        return status
    if isinstance(topics, str) and topics == "retrieved":
        status[:, absent] = LEFT_OUT
    else:
        status[absent & (status == SCORED)] = NOT_RETRIEVED
    return status


def _fits(label: Any) -> bool:
    try:
        return bool(abs(float(label)) <= MOST_GRADE)
    except (TypeError, ValueError, OverflowError):
        return False


def _check_in_pool(labels: Sequence[float | None], pool: Sequence[float]) -> None:
    """Check that every judged document of a list is in the pool."""
    listed = Counter(v for v in labels if v is not None)
    missing = listed - Counter(pool)
    if missing:
        raise InputError(
            f"the list contains {listed[next(iter(missing))]} documents labelled "
            f"{next(iter(missing)):g}, more than its pool",
            code="pool-too-small",
            argument="pool",
            remedy="the pool contains the labels of all judged documents, also those of the list",
        )


def score_list(
    name: MeasureLike,
    labels: Sequence[float | None],
    pool: Sequence[float] | None = None,
) -> float:
    """Score one ranked list, given its labels in rank order.

    For trying a measure out, for tests and for teaching; `evaluate` scores runs. Measures that are
    normalised by the relevant documents of the topic (AP, nDCG, recall) depend on `pool`.

    Parameters
    ----------
    name : str or Measure
        One measure.
    labels : sequence of float or None
        Labels in rank order; None for a document without a label. Grades or, for expected measures,
        probabilities.
    pool : sequence of float, optional
        Labels of all judged documents of the topic, those of the list included. Default: those of
        the list.

    Returns
    -------
    float
        The score; NaN where the measure is undefined, for example without a relevant document.

    Examples
    --------
    Two of three relevant documents are found, at ranks 1 and 3: (1/1 + 2/3 + 0) / 3.

    >>> import hungjury as hj
    >>> round(hj.score_list("AP", [1, 0, 1, None, 0], pool=[1, 1, 1, 0, 0]), 4)
    0.5556
    """
    one = measure(name)
    known = [v for v in labels if v is not None] if pool is None else list(pool)
    everything = [*known, *(v for v in labels if v is not None)]
    if not all(map(_fits, everything)):
        raise InputError(
            f"{one} cannot score the labels {list(labels)!r}",
            code="outside-grades",
            remedy=f"labels are numbers from {-MOST_GRADE} to {MOST_GRADE}",
        )
    _check_in_pool(labels, known)
    if all(v == int(v) for v in everything):
        top = max([1, *map(int, everything)])
        if one.declared_grade:
            top = max(top, one.declared_grade)
            one.check(top)
        grades = [None if v is None else int(v) for v in labels]
        return float(one(one_list(grades, [int(v) for v in known], top))[0])
    if not one.takes_probabilities or not all(0 <= v <= 1 for v in everything):
        raise InputError(
            f"{one} cannot score the labels {list(labels)!r}",
            code="invalid-label",
            remedy="labels are whole grades or, for expected measures, probabilities",
        )
    one.check_probabilities()
    outside = one.chance_of_unjudged
    p = [outside if v is None else v for v in labels]
    return float(one(one_list([0] * len(p), [0] * len(known), 1, p, sum(known)))[0])
