"""Drawn labels: the moments of a measure that has no exact expectation, and whole distributions.

One draw gives a document the same label in all lists. Retrieved documents that nobody judged are
drawn, too, if they may be relevant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from itertools import islice

import numpy as np

from hungjury.base.arrays import Bools, Floats, Int32s, Ints, NDArray
from hungjury.base.errors import Argument, InputError, MeasureError
from hungjury.base.files import read_lines
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment, Others
from hungjury.data.pool import Pool
from hungjury.data.qrels import Qrels
from hungjury.data.runs import Progress
from hungjury.measures.batch import Labels as LabelSets
from hungjury.measures.batch import Scorer, places
from hungjury.measures.catalogue.probabilities import E
from hungjury.measures.distribution import HitCounts

BLOCK = 100  # label sets scored at once; draws do not depend on it
IN_CACHE = 1 << 13  # labels drawn at once: they stay in the processor's cache
TAIL = 10.0  # standard deviations beyond which a binomial number is not followed


class Expectation(Record, eq=False):
    """Moments of every cell [system * topic], and the draws if there are any."""

    mean: Floats
    variance: Floats
    draws: NDArray[np.float32] | None = None  # [draw, cell]
    exact: bool = True
    hits: HitCounts | None = None  # where means are shares of relevant documents


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


def _condensed(aligned: Alignment, qrels: Qrels) -> Alignment:
    """Return the lists without documents that nobody judged."""
    kept = np.ones(len(aligned.document), dtype=bool)
    if qrels.labels is not None:
        kept = qrels.labels[aligned.document] >= 0
    upto = np.concatenate([[0], np.cumsum(kept)])
    start, stop = upto[aligned.start], upto[aligned.stop]
    shorter = replace(
        aligned, start=start, stop=stop, document=aligned.document[kept], rank=aligned.rank[kept],
        length=np.where(aligned.length < 0, -1, stop - start).astype(np.int32),
        tie_first=None, tie_last=None,
    )  # fmt: skip
    cell, entry = places(shorter.start, shorter.stop)
    shorter.rank[entry] = entry - start[cell] + 1
    return shorter


def known_others(aligned: Alignment, measure: E, named: bool = False) -> Others:
    """Return the documents outside the pool, which an alignment remembers if it is asked to."""
    others = aligned.others
    if others is None or (named and len(others.rank) and not others.ids):
        said = "which unjudged documents were retrieved is known only for runs"
        raise measure.error(said, "needs-runs", "use evaluate()")
    return others


class World(Record, eq=False):
    """Everything that is drawn: the documents of the pool, then those outside it, by topic."""

    aligned: Alignment
    at_least: Floats  # [document, k]: P(grade k or more), k = 1, 2, ...
    keys: NDArray[np.uint64]  # [document]: what the draws of documents outside the pool depend on
    judged: Bools  # [document]: in the pool
    common: Bools  # [document]: in the recall base of every list

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
    cell, entry = places(aligned.start, aligned.stop)
    entries = [
        np.concatenate([cell, found.system.astype(np.int64) * topics + found.topic]),
        np.concatenate([aligned.rank[entry], found.rank]),
        np.concatenate([old[aligned.document[entry]], place[which]]),
    ]
    cells, rank, document = (one[np.lexsort(entries[1::-1])] for one in entries)
    nearest = np.full(len(order), np.iinfo(np.int32).max)
    np.minimum.at(nearest, which, found.rank)
    names = (f"{pool.topics[found.topic[row]]}\t{found.id(int(row))}" for row in first)
    chance = np.zeros((size, upto.shape[1]))
    chance[old], chance[place] = upto, labels.outside
    keys, judged = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=bool)
    keys[place] = [
        int.from_bytes(
            blake2b(name.encode(errors="surrogateescape"), digest_size=8).digest(), "big"
        )
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


def drawn_scores(labels: Labels, measure: E, progress: Progress | None) -> Expectation:
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
    pool = world.aligned.pool
    shifts = np.random.default_rng([measure.seed, 3])
    sd = np.hypot(measure.topic_shift, measure.judge_shift)
    middle = _without_shift(world.at_least, sd) if sd else None
    inside, together = np.flatnonzero(world.judged), np.arange(len(world.judged))
    if measure.clusters:
        together[inside] = inside[_clusters(labels.aligned.pool, measure.clusters)]
    grades = np.array(labels.grades, dtype=np.uint8 if labels.top < 256 else np.int16)
    keys = world.keys[others]
    kinds, kind_of = _alike(pool.topic_of, world.at_least if middle is None else middle)
    step = max(IN_CACHE // len(world.judged), 1)

    def draw(number: int) -> LabelSets:
        judged = rng.random((number, len(inside)))
        salt = salts.integers(0, 2**64, size=number if len(others) else 0, dtype=np.uint64)
        shift = np.zeros((number, 0))
        if middle is not None:
            shift = measure.topic_shift * shifts.standard_normal((number, len(pool.topics)))
            shift += measure.judge_shift * shifts.standard_normal((number, 1))
        out = np.empty((number, len(world.judged)), dtype=grades.dtype)
        for start in range(0, number, step):
            rows = slice(start, start + step)
            uniform = np.empty(out[rows].shape)
            uniform[:, inside] = judged[rows]
            if len(others):
                uniform[:, others] = _scrambled(keys ^ salt[rows, None])
            if measure.clusters:
                uniform = uniform[:, together]
            chances = world.at_least.T
            if middle is not None:
                moved = middle[kinds] + shift[rows, pool.topic_of[kinds], None]
                chances = np.ascontiguousarray(_logistic(moved).transpose(2, 0, 1))[..., kind_of]
            out[rows] = grades[sum(uniform < chance for chance in chances)]
        return out

    return draw


def _alike(topic: Int32s, rows: Floats) -> tuple[Ints, Ints]:
    """Return the first of all documents of a topic with equal rows, and which is whose."""
    _, first, which = np.unique(
        np.column_stack([topic, rows]), axis=0, return_index=True, return_inverse=True
    )
    return first, which.ravel()


def _logistic(x: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-x)))


def _without_shift(p: Floats, sd: float) -> Floats:
    """Return logits c whose shift by a normal variable leaves p: E(logistic(c + z)) = p."""
    from numpy.polynomial.hermite_e import hermegauss

    nodes, weights = hermegauss(41)
    weights = weights / weights.sum()
    out = np.where(p >= 1, np.inf, -np.inf)
    open_p, inverse = np.unique(p[(p > 0) & (p < 1)], return_inverse=True)
    c = np.log(open_p / (1 - open_p)) * np.sqrt(1 + 0.35 * sd**2)
    for _ in range(50):  # Newton's steps, which stay small
        each = _logistic(c[:, None] + sd * nodes)
        slope = np.maximum((each * (1 - each)) @ weights, 1e-12)
        c = c - np.clip((each @ weights - open_p) / slope, -1, 1)
    out[(p > 0) & (p < 1)] = c[inverse]
    return np.asarray(out)


def _clusters(pool: Pool, path: str) -> Ints:
    """Return for each document of the pool the first one of its cluster, or the document itself."""
    found = np.arange(len(pool))
    first: dict[tuple[str, str], int] = {}
    lines = read_lines(path, "write topic, document and cluster on each line", "surrogateescape")
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words and len(words) != 3:
            said = "a line of clusters has three columns: topic, document, cluster"
            remedy = "fix or remove this line"
            raise InputError(said, code="column-count", file=path, line=number, remedy=remedy)
        if words and (place := pool.find(words[0], words[1])) >= 0:
            found[place] = first.setdefault((words[0], words[2]), place)
    return found


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
    common = np.flatnonzero(world.common)
    shared = Pool(pool.topics, [], np.searchsorted(common, pool.offsets))
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
        chance = np.random.default_rng([measure.seed, 2]).random((measure.draws, shape[1]))
        beyond = iter(_successes(chance, rest, labels.outside))

    def count(drawn: LabelSets) -> Ints:
        out = np.empty((len(drawn), *shape, labels.top + 1), dtype=np.int64)
        known = drawn[:, common]
        for grade in range(labels.top + 1):
            out[..., grade] = shared.sum_by_topic(known == grade)[:, None, :]
        if relevant is not None:  # labels are binary then
            found = relevant.filled(drawn).astype(np.int64)
            out[..., 1] += found
            out[..., 0] += size - found
        if rest is not None:
            more = np.array(list(islice(beyond, len(drawn))))
            out[..., 1] += more
            out[..., 0] += rest - more
        out[..., -1] = np.maximum(out[..., -1], least)
        return out

    return count


def _successes(chance: Floats, numbers: Ints, p: float) -> Int32s:
    """Turn uniform numbers [draw, topic] into binomial ones [draw, system, topic], of so many
    trials [system, topic]: by the inverse distribution function, looked up in tables."""
    out = np.empty((len(chance), *numbers.shape), dtype=np.int32)
    for topic, uniform in enumerate(chance.T):
        trials, which = np.unique(numbers[:, topic], return_inverse=True)
        ends = np.transpose(likely(trials, p)).tolist()
        upto = [np.cumsum(binomial(n, p, *e)) for n, e in zip(trials.tolist(), ends, strict=True)]
        found = [e[0] + np.searchsorted(c[:-1], uniform) for c, e in zip(upto, ends, strict=True)]
        out[:, :, topic] = np.array(found)[which].T
    return out


def likely(number: Ints, p: float) -> tuple[Ints, Ints]:
    """Return the least and the largest number of successes in so many trials that is followed."""
    mean = number * p
    reach = TAIL * (np.sqrt(mean * (1 - p)) + 1)
    last = np.ceil(mean + reach).astype(np.int64)
    return np.maximum(np.floor(mean - reach), 0).astype(np.int64), last


def binomial(number: int, p: float, first: int, last: int) -> Floats:
    """Return the probabilities of `first`, ..., `last` successes."""
    from scipy.special import gammaln, xlog1py, xlogy

    k = np.arange(first, last + 1)
    inside = k <= number
    k = np.minimum(k, number)
    ways = gammaln(number + 1) - gammaln(k + 1) - gammaln(number - k + 1)
    chance = np.where(inside, np.exp(ways + xlogy(k, p) + xlog1py(number - k, -p)), 0.0)
    return np.asarray(chance / chance.sum())
