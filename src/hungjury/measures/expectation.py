"""The expectation of a measure over uncertain labels: drawn, and exact for average precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, MeasureError
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.judged import Judged, grade_counts, judge_lists
from hungjury.data.qrels import Qrels
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue.probabilities import E

BLOCK = 100  # label sets scored at once; draws do not depend on it
PLACES_AT_ONCE = 1 << 21  # ranks of all label sets together, where unjudged documents are drawn
NODES_AT_ONCE = 100  # of the quadrature
LEVEL = 0.95
Labels = NDArray[np.int16]


class Expectation(Record, eq=False):
    """Mean, variance and interval of every cell [system * topic]."""

    mean: Floats
    variance: Floats
    low: Floats
    high: Floats


def expected_scores(aligned: Alignment, qrels: Qrels, measure: E, condensed: bool) -> Expectation:
    """Score `draws` label sets of labels that are uncertain.

    A drawn set that leaves the measure undefined counts as the measure says: 0, or its worst value.
    """
    if measure.prob is not None:
        qrels = _mapped(qrels, measure.prob, measure.chance_of_unjudged)
    outside = 0.0 if condensed else measure.chance_of_unjudged
    rng = np.random.default_rng(measure.seed)
    cells = len(aligned.length)
    values = np.empty((measure.draws, cells), dtype=np.float32)
    mean, square = np.zeros(cells), np.zeros(cells)
    score = _scoring(aligned, qrels, measure, condensed, outside, rng)
    for start in range(0, measure.draws, BLOCK):
        stop = min(start + BLOCK, measure.draws)
        block = score(qrels.draw(rng, stop - start))
        values[start:stop] = block
        mean += block.sum(axis=0)
        square += (block**2).sum(axis=0)
    mean /= measure.draws
    variance = np.maximum(square / measure.draws - mean**2, 0) * measure.draws / (measure.draws - 1)
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    exact = None
    if aligned.tie_first is None and outside == 0:
        exact = measure.of.exact_expectation(aligned, qrels, condensed)
    return Expectation(mean if exact is None else exact, variance, low, high)


def _mapped(qrels: Qrels, prob: tuple[float, ...], outside: float) -> Qrels:
    """Turn grades into probabilities of relevance; negative labels say nothing about a document."""
    assert qrels.labels is not None
    p = np.where(qrels.labels >= 0, np.array(prob)[np.maximum(qrels.labels, 0)], outside)
    return qrels.plain(labels=None, grades=(0, 1), p=p)


def _scoring(
    aligned: Alignment,
    qrels: Qrels,
    measure: E,
    condensed: bool,
    outside: float,
    rng: np.random.Generator,
) -> Callable[[Labels], Floats]:
    """Return the function from label sets [n, document] to scores [n, cell]."""
    one, top = measure.of, qrels.max_grade

    def in_condensed_lists(labels: Labels) -> Floats:
        block = np.empty((len(labels), len(aligned.length)))
        for where, judged in judge_lists(
            aligned, labels, top, condensed=True, needs_nonrelevant=one.needs_nonrelevant
        ):
            block[:, where] = one.filled(judged)
        return block

    def with_unjudged(labels: Labels) -> Floats:
        block = np.empty((len(labels), len(aligned.length)))
        longest = np.minimum(aligned.length, one.depth or aligned.longest)
        step = max(PLACES_AT_ONCE // (len(labels) * max(int(longest.max(initial=1)), 1)), 1)
        for first in range(0, len(aligned.length), step):
            cells = np.arange(first, min(first + step, len(aligned.length)))
            judged = _drawn_lists(aligned, labels, cells, longest, outside, rng)
            # Not `one.filled`: where nothing in the pool is relevant, an unjudged document may be.
            with np.errstate(divide="ignore", invalid="ignore"):
                values = one.score(judged)
            known = np.isfinite(values)
            block[:, cells] = np.where(known, values, one.where_undefined(judged))
        return block

    if condensed:
        return in_condensed_lists
    if outside == 0:
        scorer = Scorer(one, aligned, top)
        return lambda labels: scorer.filled(labels).reshape(len(labels), -1)
    if aligned.tie_first is not None:
        raise MeasureError(
            f"{measure} draws unjudged documents, which ties averaged over all orders do not allow",
            code="unsupported-ties",
            remedy=("use", Argument("ties", "trec", "input"), "for this measure"),
        )
    return with_unjudged


def _drawn_lists(
    aligned: Alignment,
    labels: Labels,
    cells: NDArray[np.int64],
    longest: NDArray[np.int32],
    outside: float,
    rng: np.random.Generator,
) -> Judged:
    """Return lists cut at `longest` in which every document has a label.

    It is that of its label set [n, document], or one drawn for unjudged documents.
    """
    length = np.maximum(longest[cells], 0)
    size = max(int(length.max(initial=1)), 1)
    known = (rng.random((len(labels), len(cells), size)) < outside).astype(np.int16)
    for i, cell in enumerate(cells):
        mine = slice(aligned.start[cell], aligned.stop[cell])
        rank, document = aligned.rank[mine], aligned.document[mine]
        seen = rank <= length[i]
        at, given = rank[seen] - 1, labels[:, document[seen]]
        known[:, i, at] = np.where(given >= 0, given, known[:, i, at])
    ranks = np.arange(1, size + 1, dtype=np.int32)
    beyond = ranks > length[:, None]
    counted = np.cumsum(~beyond, axis=-1, dtype=np.int32)
    topic = cells % len(aligned.pool.topics)
    top = max(int(labels.max(initial=1)), 1)
    return Judged(
        labels=np.where(beyond, np.int16(0), known),
        ranks=np.where(beyond, aligned.longest + 1, ranks).astype(np.int32),
        judged=counted,
        pooled=counted,
        length=length,
        judged_length=length,
        counts=grade_counts(aligned, labels, top)[..., topic, :],
        depth=aligned.longest,
        unjudged_pool=np.zeros((len(labels), len(cells)), dtype=np.int64),
        topic=topic,
        topics=aligned.pool.topics,
    )


def expected_ap(
    aligned: Alignment, qrels: Qrels, rel: int, cutoff: int | None, condensed: bool
) -> Floats:
    """Compute E(AP) exactly, with a random number R of relevant documents; 0 where R = 0.

    With 1/R the integral of t^(R-1) over [0, 1], the expectation becomes the integral of
    Q(t)/t times the expected sum of precisions under the tilted probabilities
    q = p t / (1 - p + p t), where Q(t) is the product of all 1 - p + p t. The integrand is a
    polynomial, of a degree below the pool's size: Gauss-Legendre quadrature is exact.
    """
    from scipy.special import roots_legendre

    p = qrels.at_least(rel).p
    assert p is not None
    sizes = np.diff(qrels.pool.offsets)
    nodes, weights = roots_legendre(int(sizes.max() + 1) // 2 + 1)
    nodes, weights = (nodes + 1) / 2, weights / 2
    labels = np.zeros(len(p), dtype=np.int16)
    total = np.zeros(len(aligned.length))
    for start in range(0, len(nodes), NODES_AT_ONCE):
        t = nodes[start : start + NODES_AT_ONCE, None]
        factor = 1 - p + p * t
        tilted = p * t / factor
        with np.errstate(divide="ignore"):
            product = np.exp(qrels.pool.sum_by_topic(np.log(factor)))
        share = weights[start : start + NODES_AT_ONCE, None] * product / t
        for cells, judged in judge_lists(
            aligned, labels, 1, condensed=condensed, needs_nonrelevant=True, p=tilted
        ):
            assert judged.p is not None
            q = judged.p
            if cutoff is not None:
                q = q * (judged.ranks <= cutoff)
            above = np.cumsum(q, axis=-1) - q
            sums = (q * (1 + above) / judged.ranks).sum(axis=-1)
            total[cells] += (share[:, judged.topic] * sums).sum(axis=0)
    return total
