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

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import Argument, MeasureError
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment, Others
from hungjury.data.pool import Pool
from hungjury.data.qrels import Qrels
from hungjury.data.runs import Progress
from hungjury.measures.base import Kernel, pools_of
from hungjury.measures.batch import Labels as LabelSets
from hungjury.measures.batch import Scorer, kernel_of, on_all_cores, weighted_places
from hungjury.measures.catalogue.probabilities import E

BLOCK = 100  # label sets scored at once; draws do not depend on it
PLACES_AT_ONCE = 1 << 20  # ranks of lists that are filled in at once
FOR_VARIANCE = 200  # label sets drawn where the mean is exact and the variance is not
MOST_STATES = 5000  # of the best list's counts of grades
TAIL = 10.0  # standard deviations beyond which a binomial number is not followed


class Expectation(Record, eq=False):
    """Moments of every cell [system * topic], and the draws if there are any."""

    mean: Floats
    variance: Floats
    draws: NDArray[np.float32] | None = None  # [draw, cell]
    exact: bool = True


class Labels(Record, eq=False):
    """Uncertain labels of aligned lists."""

    aligned: Alignment
    chances: Floats  # [document, grade]
    grades: tuple[int, ...]
    outside: float  # P(relevant) of documents outside the pool

    @staticmethod
    def of(aligned: Alignment, qrels: Qrels, measure: E, condensed: bool) -> Labels:
        """Turn labels into chances; negative labels say nothing about a document."""
        outside = 0.0 if condensed else measure.chance_of_unjudged
        if condensed:
            aligned = _condensed(aligned, qrels)
        p = measure.relevance(qrels)
        if p is not None:
            return Labels(aligned, np.stack([1 - p, p], axis=1), (0, 1), outside)
        assert qrels.grade_p is not None, "labels are uncertain"
        return Labels(aligned, np.ascontiguousarray(qrels.grade_p), qrels.grades, outside)

    @property
    def top(self) -> int:
        return self.grades[-1]

    @property
    def unjudged(self) -> Ints:
        """[cell]: documents of each list that are outside the pool."""
        a = self.aligned
        return np.asarray(np.maximum(a.length, 0) - (a.stop - a.start), dtype=np.int64)


def _condensed(aligned: Alignment, qrels: Qrels) -> Alignment:
    """Return the lists without documents that nobody judged."""
    kept = np.ones(len(aligned.document), dtype=bool)
    if qrels.labels is not None:
        kept = qrels.labels[aligned.document] >= 0
    upto = np.concatenate([[0], np.cumsum(kept)])
    start, stop = upto[aligned.start], upto[aligned.stop]
    sizes = stop - start
    length = np.where(aligned.length < 0, -1, sizes).astype(np.int32)
    order = np.argsort(start, kind="stable")
    rank = np.arange(upto[-1]) - np.repeat(start[order], sizes[order]) + 1
    document = aligned.document[kept]
    return replace(
        aligned, start=start, stop=stop, length=length, rank=rank.astype(np.int32),
        document=document, tie_first=None, tie_last=None,
    )  # fmt: skip


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
    if found is not None and found[1] is not None and not distribution:
        return Expectation(found[0], found[1])
    if found is None:
        return _drawn_scores(labels, measure, progress)
    fewer = measure if distribution else measure.but(draws=min(measure.draws, FOR_VARIANCE))
    drawn = _drawn_scores(labels, fewer, progress)
    variance = drawn.variance if found[1] is None else found[1]
    return Expectation(found[0], variance, drawn.draws if distribution else None)


# Exact


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
    depth = min(aligned.longest, int(np.flatnonzero(kernel.weights).max(initial=-1)) + 1)
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
    start, stop = aligned.start[cells], aligned.stop[cells]
    length = aligned.length[cells, None]
    out = np.where(np.arange(depth) < length, outside, 0.0)
    sizes = stop - start
    row = np.repeat(np.arange(len(sizes)), sizes)
    entry = np.arange(sizes.sum()) + np.repeat(start - (np.cumsum(sizes) - sizes), sizes)
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
    last = int(np.flatnonzero(kernel.weights).max(initial=-1)) + 1
    others = labels.unjudged if labels.outside else np.zeros(len(aligned.length), dtype=np.int64)
    beyond, hidden = _beyond(labels, measure, others)
    most = int(np.diff(pool.offsets).max() + (others + beyond).max(initial=0))
    factor, square = _factors(kernel, measure, labels, most, hidden)
    weight, weights = weight * worth, kernel.weights * worth
    ranks = np.clip(aligned.length, 0, last).astype(np.int64)
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
    return np.tile(labels.aligned.unjudged_retrieved(measure.base_depth), len(others) // topics) - (
        mine
    ), None


def _factors(
    kernel: Kernel, measure: E, labels: Labels, most: int, hidden: Ints | None
) -> tuple[Floats, Floats]:
    """Return one over the kernel's unit, and its square, [topic, relevant documents].

    The last column is for all larger numbers, too.
    """
    topics = labels.aligned.pool.topics
    reach = np.zeros(len(topics)) if hidden is None else hidden * labels.outside
    spread = np.sqrt(reach * (1 - labels.outside))
    first = np.maximum(np.floor(reach - TAIL * spread - TAIL), 0).astype(np.int64)
    last = np.ceil(reach + TAIL * spread + TAIL).astype(np.int64) if hidden is not None else first
    least = np.ceil(measure.least_relevant(topics)).astype(np.int64)
    whole = int(max(most + last.max(), least.max()))
    counts = np.zeros((whole + 1, labels.top + 1), dtype=np.int64)
    counts[:, -1] = np.arange(whole + 1)
    unit = np.asarray(kernel.unit(pools_of(counts)), dtype=float)
    share = np.zeros(whole + 1)
    np.divide(1.0, unit, out=share, where=np.broadcast_to(unit != 0, share.shape))
    if unit.ndim:
        share[0] = 0.0
    rows = []
    for t in range(len(topics)):
        known = share[np.maximum(np.arange(whole + 1), least[t])] if least[t] else share
        if unit.ndim:
            known[0] = 0.0 if hidden is None else known[0]
        rows.append([known, known**2])
        if hidden is not None:
            chance = _binomial(int(hidden[t]), labels.outside, first[t], last[t])
            mine = slice(first[t], last[t] + most + 1)
            rows[-1] = [np.convolve(one[mine], chance[::-1], "valid") for one in rows[-1]]
    table = np.array(rows)[:, :, : most + 1]
    steps = np.flatnonzero((np.diff(table, axis=-1) != 0).any(axis=(0, 1)))
    kept = int(steps.max(initial=-1)) + 2
    return np.ascontiguousarray(table[:, 0, :kept]), np.ascontiguousarray(table[:, 1, :kept])


def _binomial(number: int, p: float, first: int, last: int) -> Floats:
    """Return the probabilities of `first`, ..., `last` successes."""
    from scipy.special import gammaln, xlog1py, xlogy

    k = np.arange(first, last + 1)
    inside = k <= number
    k = np.minimum(k, number)
    ways = gammaln(number + 1) - gammaln(k + 1) - gammaln(number - k + 1)
    chance = np.where(inside, np.exp(ways + xlogy(k, p) + xlog1py(number - k, -p)), 0.0)
    return np.asarray(chance / chance.sum())


def _graded_gains(
    labels: Labels, kernel: Kernel, worth: Floats
) -> tuple[Floats, Floats | None] | None:
    """Add up expected gains, or expected shares of the best list's gain."""
    aligned, chances = labels.aligned, labels.chances
    near, weight = weighted_places(aligned, kernel.weights)
    cell = np.repeat(np.arange(len(near.start)), near.stop - near.start)
    entry = np.concatenate([[0], np.cumsum(near.stop - near.start)])
    at = np.arange(entry[-1]) - np.repeat(entry[:-1] - near.start, near.stop - near.start)
    document, weight = near.document[at], weight[at]

    def added(values: Floats, weights: Floats) -> Floats:
        each = weights * values[document]
        return np.bincount(cell, each, len(near.start)).astype(float)

    if kernel.constant:
        unit = float(np.asarray(kernel.unit(pools_of(np.zeros((1, len(kernel.worth)), np.int64)))))
        mean = chances @ worth
        variance = np.maximum(chances @ worth**2 - mean**2, 0)
        return added(mean, weight) / unit, added(variance, weight**2) / unit**2
    if kernel.ideal is None:
        return None
    discount = kernel.ideal(int(np.diff(aligned.pool.offsets).max()))
    order = np.argsort(worth, kind="stable")
    gains = worth[order]
    last = int(np.flatnonzero(discount).max(initial=-1)) + 1
    positive = int((gains > 0).sum())
    if gains[0] < 0 or _states(last, positive) > MOST_STATES:
        return None
    keep = slice(len(gains) - positive - 1, None)  # grades without a gain are as one
    merged = np.ascontiguousarray(chances[:, order][:, keep])
    merged[:, 0] = 1 - merged[:, 1:].sum(axis=1)
    share = native.ideal_shares(
        merged, aligned.pool.offsets, gains[keep], np.ascontiguousarray(discount[:last])
    )
    return added(share, weight), None


def _states(cutoff: int, grades: int) -> float:
    """Count the states of a best list: how many documents it has of each grade or better."""
    from math import comb

    return comb(cutoff + grades, grades)


# Drawn


def known_others(aligned: Alignment, measure: E, named: bool = False) -> Others:
    """Return the documents outside the pool, which an alignment remembers if it is asked to."""
    others = aligned.others
    if others is None or (named and len(others.rank) and not others.ids):
        raise MeasureError(
            f"{measure}: which unjudged documents were retrieved is known only for runs",
            code="needs-runs",
            remedy="use evaluate()",
        )
    return others


class World(Record, eq=False):
    """Everything that is drawn: the documents of the pool, then those outside it, by topic."""

    aligned: Alignment
    at_least: Floats  # [document, k]: P(grade k or more), k = 1, 2, ...
    keys: NDArray[np.uint64]  # [document]: what the draws of documents outside the pool depend on
    judged: NDArray[np.bool_]  # [document]: in the pool
    common: NDArray[np.bool_]  # [document]: in the recall base of every list

    @staticmethod
    def of(labels: Labels, measure: E) -> World:
        upto = np.cumsum(labels.chances[:, ::-1], axis=1)[:, ::-1][:, 1:]
        size = len(upto)
        if not labels.outside:
            everything = np.ones(size, dtype=bool)
            none = np.zeros(size, dtype=np.uint64)
            return World(labels.aligned, upto, none, everything, everything)
        if labels.aligned.tie_first is not None:
            raise MeasureError(
                f"{measure} draws unjudged documents, which ties averaged over all orders do not "
                "allow",
                code="unsupported-ties",
                remedy=("use", Argument("ties", "trec", "input"), "for this measure"),
            )
        return _with_others(labels, measure, upto)


def _with_others(labels: Labels, measure: E, upto: Floats) -> World:
    """Add the documents outside the pool that a run retrieved."""
    aligned, found = labels.aligned, known_others(labels.aligned, measure, named=True)
    pool, topics = aligned.pool, len(aligned.pool.topics)
    mixed = found.hash + found.topic.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    _, first, which = np.unique(mixed, return_index=True, return_inverse=True)
    order = np.argsort(found.topic[first], kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    topic = found.topic[first][order]
    place[order] = pool.offsets[topic + 1] + np.arange(len(order))
    before = np.searchsorted(topic, pool.topic_of)
    old = np.arange(len(pool)) + before
    size = len(pool) + len(order)
    cell = np.repeat(np.arange(len(aligned.start)), aligned.stop - aligned.start)
    entries = [
        np.concatenate([cell, found.system.astype(np.int64) * topics + found.topic]),
        np.concatenate([aligned.rank, found.rank]),
        np.concatenate([old[aligned.document], place[which]]),
    ]
    cells, rank, document = (one[np.lexsort(entries[1::-1])] for one in entries)
    nearest = np.full(len(order), np.iinfo(np.int32).max)
    np.minimum.at(nearest, which, found.rank)
    names = (f"{pool.topics[found.topic[row]]}\t{found.id(int(row))}" for row in first)
    chance = np.zeros((size, upto.shape[1]))
    chance[old], chance[place] = upto, labels.outside
    keys, judged = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=bool)
    keys[place] = [
        int.from_bytes(blake2b(name.encode(errors="surrogateescape"), digest_size=8).digest())
        for name in names
    ]
    judged[old] = True
    common = judged.copy()
    if measure.recall_base == "retrieved":
        common[place] = nearest <= measure.base_depth
    counts = np.bincount(topic, minlength=topics)
    extended = replace(
        aligned,
        pool=Pool(pool.topics, [], pool.offsets + np.concatenate([[0], np.cumsum(counts)])),
        start=np.searchsorted(cells, np.arange(len(aligned.start))),
        stop=np.searchsorted(cells, np.arange(len(aligned.start)), side="right"),
        rank=rank.astype(np.int32),
        document=document.astype(np.int32),
        others=None,
    )
    return World(extended, chance, keys, judged, common)


def _drawn_scores(labels: Labels, measure: E, progress: Progress | None) -> Expectation:
    """Score label sets, each drawn for all documents and lists at once."""
    world = World.of(labels, measure)
    aligned, one = world.aligned, measure.of
    draw = _drawing(world, labels, measure)
    scorer = Scorer(one, aligned, labels.top)
    pools = _pools_of_lists(world, labels, measure)
    cells = len(aligned.length)
    values = np.empty((measure.draws, cells), dtype=np.float32)
    mean, square = np.zeros(cells), np.zeros(cells)
    for start in range(0, measure.draws, BLOCK):
        if progress is not None:
            progress(start, measure.draws, f"drawing labels for {measure}")
        stop = min(start + BLOCK, measure.draws)
        drawn = draw(stop - start)
        counts = None if pools is None else pools(drawn)
        block = scorer.filled(drawn, counts=counts).reshape(len(drawn), -1)
        values[start:stop] = block
        mean += block.sum(axis=0)
        square += (block**2).sum(axis=0)
    mean /= measure.draws
    variance = np.maximum(square / measure.draws - mean**2, 0) * measure.draws / (measure.draws - 1)
    return Expectation(mean, variance, values, exact=False)


def _drawing(world: World, labels: Labels, measure: E) -> Callable[[int], LabelSets]:
    """Return the function that draws n label sets [n, document].

    A document outside the pool is drawn by a number made of its topic, its id and the seed: its
    labels do not depend on which other documents were retrieved.
    """
    rng = np.random.default_rng(measure.seed)
    salts = np.random.default_rng([measure.seed, 1])
    others = np.flatnonzero(~world.judged)
    grades = np.array(labels.grades, dtype=np.uint8 if labels.top < 256 else np.int16)

    def draw(number: int) -> LabelSets:
        uniform = np.empty((number, len(world.judged)))
        uniform[:, world.judged] = rng.random((number, len(world.judged) - len(others)))
        if len(others):
            salt = salts.integers(0, 2**64, size=(number, 1), dtype=np.uint64)
            uniform[:, others] = _scrambled(world.keys[others] ^ salt)
        places = np.zeros(uniform.shape, dtype=np.uint8)
        for k in range(world.at_least.shape[1]):
            places += uniform < world.at_least[:, k]
        return np.asarray(grades[places])

    return draw


def _scrambled(x: NDArray[np.uint64]) -> Floats:
    """Turn integers into uniform numbers in [0, 1) (the finaliser of SplitMix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((x ^ (x >> np.uint64(31))) >> np.uint64(11), dtype=float) * 2.0**-53


def _pools_of_lists(world: World, labels: Labels, measure: E) -> Callable[[LabelSets], Ints] | None:
    """Return the function from label sets to counts [n, system, topic, grade] of the pool of each
    list; None where that is the pool of its topic."""
    aligned, pool = world.aligned, world.aligned.pool
    least = np.ceil(measure.least_relevant(pool.topics)).astype(np.int64)
    if not labels.outside and not least.any():
        return None
    alone = np.flatnonzero(~world.common[aligned.document])  # in the recall base of their list only
    start, stop = (np.searchsorted(alone, ends) for ends in (aligned.start, aligned.stop))
    ranks = np.ones(len(alone), dtype=np.int32)
    own = replace(aligned, start=start, stop=stop, rank=ranks, document=aligned.document[alone])
    relevant = Scorer("CG", own, labels.top) if len(alone) else None
    shape = aligned.shape
    size, rest = (stop - start).reshape(shape), None
    if measure.collection is not None and labels.outside:
        rest = measure.collection - np.diff(labels.aligned.pool.offsets) - size
        if (rest < 0).any():
            measure.refuse_collection()
    rng = np.random.default_rng([measure.seed, 2])

    def count(drawn: LabelSets) -> Ints:
        out = np.empty((len(drawn), *shape, labels.top + 1), dtype=np.int64)
        for grade in range(labels.top + 1):
            out[..., grade] = pool.sum_by_topic((drawn == grade) & world.common)[:, None, :]
        if relevant is not None:  # labels are binary then
            found = relevant.filled(drawn).astype(np.int64)
            out[..., 1] += found
            out[..., 0] += size - found
        if rest is not None:
            from scipy.special import bdtrik

            chance = rng.random((len(drawn), 1, shape[1]))
            more = np.ceil(np.maximum(bdtrik(chance, rest, labels.outside), 0)).astype(np.int64)
            out[..., 1] += more
            out[..., 0] += rest - more
        out[..., -1] = np.maximum(out[..., -1], least)
        return out

    return count
