"""The expectation of a measure over uncertain labels: exact, or drawn.

Relevance is a random variable: every document has its own chances of grades, and one draw gives a
document the same label in all lists. Retrieved documents that nobody judged may be relevant, too;
they then belong to the pool of the list that retrieved them (see `E`).

Measures with a kernel have an exact expectation if labels are independent. A sum of weights over a
function of the number R of relevant documents is followed document by document, together with R; a
user who stops at a document, from the last rank up; nDCG of several grades by the counts of grades
in the best list. All others, and dependent labels, are drawn.
"""

from __future__ import annotations

from math import comb

import numpy as np

from hungjury import native
from hungjury.base.arrays import Floats, Ints
from hungjury.data.alignment import Alignment
from hungjury.data.qrels import Qrels
from hungjury.data.runs import Progress
from hungjury.measures.base import Kernel, pools_of, ratio, reach
from hungjury.measures.batch import kernel_of, on_all_cores, places, weighted_places
from hungjury.measures.catalogue.probabilities import E
from hungjury.measures.distribution import HitCounts
from hungjury.measures.drawn_labels import (
    Expectation,
    Labels,
    binomial,
    drawn_scores,
    known_others,
    likely,
)

PLACES_AT_ONCE = 1 << 20  # ranks of lists that are filled in at once
FOR_VARIANCE = 200  # label sets drawn where the mean is exact and the variance is not
MOST_STATES = 5000  # of the best list: how many documents it has of each grade or better


def expected_scores(
    aligned: Alignment,
    qrels: Qrels,
    measure: E,
    condensed: bool,
    distribution: bool = False,
    progress: Progress | None = None,
) -> Expectation:
    """Return the moments of a measure over uncertain labels, exact where that is possible.

    distribution: draw label sets in any case. A label set that leaves the measure undefined counts
    as the measure says: 0, or its worst value.
    """
    labels = Labels.of(aligned, qrels, measure, condensed)
    found = None if measure.dependent else exact_moments(labels, measure)
    if found is None:
        return drawn_scores(labels, measure, progress)
    mean, variance = found
    if distribution:
        drawn = drawn_scores(labels, measure, progress)
        spread = drawn.variance if variance is None else variance
        return Expectation(mean, spread, drawn.draws, hits=_hits(labels, measure))
    if variance is None:
        fewer = measure.but(draws=min(measure.draws, FOR_VARIANCE))
        variance = drawn_scores(labels, fewer, progress).variance
    return Expectation(mean, variance)


def _hits(labels: Labels, measure: E) -> HitCounts | None:
    """Return the documents that count, where each of them counts the same and nothing else does."""
    aligned = labels.aligned
    kernel = kernel_of(measure.of, aligned, labels.top)
    if kernel is None or kernel.name != "gains" or kernel.constant_unit is None or labels.outside:
        return None
    worth = kernel.worth[np.array(labels.grades)]
    used = kernel.weights[kernel.weights != 0]
    alike = len(np.unique(worth[worth != 0])) == len(np.unique(used)) == 1
    if not alike or aligned.tie_first is not None:
        return None
    near = aligned.upto(reach(kernel.weights))
    counted = np.zeros((len(aligned.systems), len(aligned.pool)), dtype=bool)
    cell, entry = places(near.start, near.stop)
    counted[cell // len(aligned.pool.topics), near.document[entry]] = True
    some = counted.any(axis=0)
    p = labels.chances @ (worth != 0)
    return HitCounts(p[some], aligned.pool.topic_of[some].astype(np.int64), counted[:, some])


def exact_moments(labels: Labels, measure: E) -> tuple[Floats, Floats | None] | None:
    """Return the mean and, if it has one, the variance of every cell; None: it has to be drawn."""
    one, aligned = measure.of, labels.aligned
    kernel = kernel_of(one, aligned, labels.top)
    if kernel is None or kernel.worth[0] != 0 or (labels.outside and aligned.tie_first is not None):
        return None
    worth = kernel.worth[np.array(labels.grades)]
    if kernel.name == "cascade":
        return _first_satisfied(labels, kernel, labels.chances @ worth, labels.chances @ worth**2)
    values = np.unique(worth[worth != 0])
    if kernel.name == "best":
        p = labels.chances @ (worth > 0)
        return _first_satisfied(labels, kernel, p, p)
    if len(values) <= 1:
        p = labels.chances @ (worth != 0)
        return _sum_over_relevant(labels, measure, kernel, p, float(values.sum()))
    if kernel.name == "gains" and not labels.outside:
        return _graded_gains(labels, kernel, worth)
    return None


def _first_satisfied(
    labels: Labels, kernel: Kernel, first: Floats, second: Floats
) -> tuple[Floats, Floats]:
    """Follow a user who stops at a document with a random chance, from the last rank up.

    first, second: moments [document] of that chance s. The value T_n from rank n on is
    s w_n + (1 - s) T_{n+1}, and s is independent of what follows.
    """
    aligned, scale = labels.aligned, kernel.worth[-1] if kernel.name == "cascade" else 1.0
    depth = min(aligned.longest, reach(kernel.weights))
    mean, square = (np.zeros(len(aligned.length)) for _ in range(2))
    step = max(PLACES_AT_ONCE // max(depth, 1), 1)
    for begin in range(0, len(mean), step):
        cells = slice(begin, begin + step)
        s1 = _filled_in(aligned, cells, depth, first, labels.outside * scale)
        s2 = _filled_in(aligned, cells, depth, second, labels.outside * scale**2)
        m, v = mean[cells], square[cells]
        for n in range(depth - 1, -1, -1):
            a, b, w = s1[:, n], s2[:, n], kernel.weights[n]
            v[:] = b * w**2 + 2 * w * (a - b) * m + (1 - 2 * a + b) * v
            m[:] = a * w + (1 - a) * m
    return mean, np.maximum(square - mean**2, 0)


def _filled_in(
    aligned: Alignment, cells: slice, depth: int, values: Floats, outside: float
) -> Floats:
    """Return the values of documents [list, rank], `outside` for those that are not in the pool."""
    out = np.where(np.arange(depth) < aligned.length[cells, None], outside, 0.0)
    row, entry = places(aligned.start[cells], aligned.stop[cells])
    near = aligned.rank[entry] <= depth
    row, entry = row[near], entry[near]
    out[row, aligned.rank[entry] - 1] = values[aligned.document[entry]]
    return np.asarray(out)


def _sum_over_relevant(
    labels: Labels, measure: E, kernel: Kernel, p: Floats, worth: float
) -> tuple[Floats, Floats]:
    """Follow weighted relevance, divided by what depends on the number of relevant documents."""
    aligned, pool = labels.aligned, labels.aligned.pool
    near, weight = weighted_places(aligned, kernel.weights)
    others = np.zeros(len(aligned.length), dtype=np.int64)  # documents outside the pool
    if labels.outside:
        others += np.maximum(aligned.length, 0) - (aligned.stop - aligned.start)
    beyond, hidden = _beyond(labels, measure, others)
    most = int(np.diff(pool.offsets).max() + (others + beyond).max(initial=0))
    factor, square = _factors(kernel, measure, labels, most, hidden)
    weight, weights = weight * worth, kernel.weights * worth
    ranks = np.clip(aligned.length, 0, reach(kernel.weights)).astype(np.int64)
    mean, variance = np.empty(len(ranks)), np.empty(len(ranks))

    def one_system(cells: slice) -> None:
        mean[cells], variance[cells] = native.relevance_moments(
            kernel.name == "precisions", p, pool.offsets, near.start[cells], near.stop[cells],
            near.rank, near.document, weight, weights, ranks[cells],
            others[cells], beyond[cells], labels.outside, factor, square,
        )  # fmt: skip

    topics = len(pool.topics)
    on_all_cores(one_system, [slice(i, i + topics) for i in range(0, len(ranks), topics)])
    return mean, variance


def _beyond(labels: Labels, measure: E, others: Ints) -> tuple[Ints, Ints | None]:
    """Count the documents that a list lacks and its recall base contains.

    Return those to be followed one by one [cell], and, for a whole collection, the rest [topic].
    """
    topics = len(labels.aligned.pool.topics)
    none = np.zeros(len(others), dtype=np.int64)
    if not labels.outside:
        return none, None
    if measure.collection is not None:
        most = int(others.max(initial=0))
        rest = measure.collection - np.diff(labels.aligned.pool.offsets) - most
        if (rest < 0).any():
            measure.refuse_collection()
        return most - others, rest
    if measure.recall_base != "retrieved":
        return none, None
    found = known_others(labels.aligned, measure)
    near = found.rank <= measure.base_depth
    cell = found.system[near].astype(np.int64) * topics + found.topic[near]
    mine = np.bincount(cell, minlength=len(others))
    retrieved = labels.aligned.unjudged_retrieved(measure.base_depth)
    return np.tile(retrieved, len(others) // topics) - mine, None


def _factors(
    kernel: Kernel, measure: E, labels: Labels, most: int, hidden: Ints | None
) -> tuple[Floats, Floats]:
    """Return one over the kernel's unit, and its square, [topic, relevant documents].

    The last column is for all larger numbers, too.
    """
    topics = labels.aligned.pool.topics
    none = np.zeros(len(topics), dtype=np.int64)
    first, last = (none, none) if hidden is None else likely(hidden, labels.outside)
    least = np.ceil(measure.least_relevant(topics)).astype(np.int64)
    whole = int(max(most + last.max(), least.max()))
    counts = np.zeros((whole + 1, labels.top + 1), dtype=np.int64)
    counts[:, -1] = np.arange(whole + 1)
    unit = np.asarray(kernel.unit(pools_of(counts)), dtype=float)
    share = np.nan_to_num(ratio(np.ones(whole + 1), unit))
    if unit.ndim:
        share[0] = 0.0
    known = share[np.maximum(np.arange(whole + 1), least[:, None])]
    if unit.ndim and hidden is None:
        known[:, 0] = 0.0
    table = np.stack([known, known**2], axis=1)[:, :, : most + 1]
    for t, number in enumerate(() if hidden is None else hidden.tolist()):
        chance = binomial(number, labels.outside, first[t], last[t])[::-1]
        mine = known[t, first[t] : last[t] + most + 1]
        table[t] = [np.convolve(one, chance, "valid") for one in (mine, mine**2)]
    steps = np.flatnonzero((np.diff(table, axis=-1) != 0).any(axis=(0, 1)))
    kept = int(steps.max(initial=-1)) + 2
    return np.ascontiguousarray(table[:, 0, :kept]), np.ascontiguousarray(table[:, 1, :kept])


def _graded_gains(
    labels: Labels, kernel: Kernel, worth: Floats
) -> tuple[Floats, Floats | None] | None:
    """Add up expected gains, or expected shares of the best list's gain."""
    aligned, chances = labels.aligned, labels.chances
    near, weight = weighted_places(aligned, kernel.weights)
    cell, entry = places(near.start, near.stop)
    document, weight = near.document[entry], weight[entry]

    def added(values: Floats, weights: Floats) -> Floats:
        each = weights * values[document]
        return np.bincount(cell, each, len(near.start)).astype(float)

    unit = kernel.constant_unit
    if unit is not None:
        mean = chances @ worth
        variance = np.maximum(chances @ worth**2 - mean**2, 0)
        return added(mean, weight) / unit, added(variance, weight**2) / unit**2
    if kernel.ideal is None:
        return None
    discount = kernel.ideal(int(np.diff(aligned.pool.offsets).max()))
    order = np.argsort(worth, kind="stable")
    gains = worth[order]
    last = reach(discount)
    positive = int((gains > 0).sum())
    if gains[0] < 0 or comb(last + positive, positive) > MOST_STATES:
        return None
    keep = slice(len(gains) - positive - 1, None)  # grades without a gain are as one
    merged = np.ascontiguousarray(chances[:, order][:, keep])
    merged[:, 0] = 1 - merged[:, 1:].sum(axis=1)
    share = native.ideal_shares(
        merged, aligned.pool.offsets, gains[keep], np.ascontiguousarray(discount[:last])
    )
    return added(share, weight), None
