"""Runs + labels + measures -> Scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import ScoredTopics, Undefined, Unjudged
from hungjury.base.errors import Argument, InputError, MeasureError, Note
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS
from hungjury.data.alignment import UNJUDGED_TOPIC, Alignment, align
from hungjury.data.judged import Judged, judge_lists, many_lists
from hungjury.data.labels import as_qrels
from hungjury.data.qrels import MISSING, Qrels
from hungjury.data.reading.options import (
    QrelsLike,
    RunsLike,
    ScoreSettings,
    ScoringOptions,
    assigned,
)
from hungjury.data.runs import Progress, as_runs
from hungjury.measures.catalogue import Measure, MeasureLike, measure, measure_list
from hungjury.measures.scores import LEFT_OUT, NOT_RETRIEVED, SCORED, UNDEFINED, Scores

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hungjury.measures.catalogue.probabilities import E
    from hungjury.measures.drawn_labels import Expectation

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
        return qrels
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


def _gathered(
    one: Measure, aligned: Alignment, qrels: Qrels, condensed: bool
) -> Iterator[tuple[Ints, Judged]]:
    """Yield the lists with labels as a measure needs them."""
    labels, top, p = qrels.labels, qrels.max_grade, None
    if labels is None:
        labels, top, p = np.zeros(len(qrels), dtype=np.int16), 1, qrels.at_least(one.threshold).p
        prob = getattr(one, "prob", None)
        if prob is not None and qrels.grade_p is not None:
            p = qrels.grade_p @ np.array(prob)
    others = qrels.soft or one.needs_nonrelevant
    return judge_lists(aligned, labels, top, condensed=condensed, needs_nonrelevant=others, p=p)


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
    worst, variance = np.zeros(values.shape), np.full(values.shape, np.nan)
    condensed = unjudged == "condensed"
    found: dict[int, Expectation] = {}
    alike: dict[object, dict[int, Measure]] = {}  # measures that need the same labels
    for i, one in enumerate(measures):
        drawn = one.expectation
        if drawn is not None and not drawn.is_certain(qrels, condensed):
            from hungjury.measures.expectation import expected_scores

            found[i] = expected_scores(aligned, qrels, drawn, condensed, distribution, progress)
            values[i], variance[i] = found[i].mean, found[i].variance
            continue
        scored = one if drawn is None else drawn.of
        soft = scored.threshold, getattr(scored, "prob", None)
        alike.setdefault(soft if qrels.soft else scored.needs_nonrelevant, {})[i] = scored
    for mine in alike.values():
        for cells, judged in _gathered(next(iter(mine.values())), aligned, qrels, condensed):
            for i, one in mine.items():
                values[i, cells] = one(judged)
                worst[i, cells] = one.where_undefined(judged)
                if one.has_variance:
                    variance[i, cells] = one.moments(judged)[1]
    certain = [i for i, one in enumerate(measures) if one.expectation and i not in found]
    variance[certain] = values[certain] * 0  # nothing is left to draw
    unknown = np.isnan(values)
    status = np.where(unknown, UNDEFINED, SCORED).astype(np.uint8).reshape(shape)
    absent = ~aligned.retrieved
    if not chosen and topics == "retrieved":
        status[:, absent] = LEFT_OUT
    else:
        status[absent & (status == SCORED)] = NOT_RETRIEVED
    if undefined == "zero":  # a topic that counts as 0, or as the worst value, does so surely
        variance[unknown] = 0.0
        values[unknown] = worst[unknown]
    draws = {i: one.draws for i, one in found.items() if one.draws is not None}
    draws |= {i: values[None, i].astype(np.float32) for i in certain}
    values.reshape(shape)[status == LEFT_OUT] = np.nan
    sampled = tuple(i for i, one in found.items() if not one.exact)
    errors = [
        _sampling_error(e, found[i].variance.reshape(aligned.shape))
        for i in sampled
        if (e := measures[i].expectation)
    ]
    uncertain = any(m.has_variance or m.expectation for m in measures)
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
        variance=variance.reshape(shape) if uncertain else None,
        sampled=sampled,
        hits={i: one.hits for i, one in found.items() if one.hits is not None},
        draws={i: one.reshape(-1, *aligned.shape) for i, one in draws.items()},
        notes=(
            *qrels.notes,
            *errors,
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
    listed = [v for v in labels if v is not None]
    known = listed if pool is None else list(pool)
    everything = [*known, *listed]
    if not all(abs(v) <= MOST_GRADE for v in everything):
        said = f"{one} cannot score the labels {list(labels)!r}"
        remedy = f"labels are numbers from {-MOST_GRADE} to {MOST_GRADE}"
        raise InputError(said, code="outside-grades", remedy=remedy)
    if missing := Counter(listed) - Counter(known):
        label = next(iter(missing))
        raise InputError(
            f"the list contains {listed.count(label)} documents labelled {label:g}, more than its "
            "pool",
            code="pool-too-small",
            argument="pool",
            remedy="the pool contains the labels of all judged documents, also those of the list",
        )
    if all(v == int(v) for v in everything):
        top = max([1, one.declared_grade, *map(int, everything)])
        if one.declared_grade:
            one.check(top)
        grades = np.array([[MISSING if v is None else int(v) for v in labels]], dtype=np.int16)
        return float(one(many_lists(grades, [int(v) for v in known], top))[0])
    if not one.takes_probabilities or not all(0 <= v <= 1 for v in everything):
        said = f"{one} cannot score the labels {list(labels)!r}"
        remedy = "labels are whole grades or, for expected measures, probabilities"
        raise InputError(said, code="invalid-label", remedy=remedy)
    one.check_probabilities()
    p = np.array([[one.chance_of_unjudged if v is None else v for v in labels]], dtype=float)
    grades = np.zeros(p.shape, dtype=np.int16)
    return float(one(many_lists(grades, [0] * len(known), 1, p, sum(known)))[0])
