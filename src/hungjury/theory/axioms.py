"""Replacement and Swap, the two properties that make a score a measure of utility.

Replacement: a better document at one rank must not make the score worse. Swap: a better document
that changes places with a worse one above it must not either. Together they say that a measure
agrees with the partial order of lists (thesis, section 3.4, Theorem 1).

Both lists of a pair are drawn from one pool, so that recall bases and ideal lists are the same for
both. What holds for a rich pool may fail for a poor one (the Q-measure does), so that all pools
with up to `length` documents of each grade are tried unless one is given.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError, check_seed
from hungjury.base.notes import plural
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, MOST_SAMPLES, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table
from hungjury.data.judged import BUDGET, many_lists
from hungjury.measures.catalogue import Measure, measure
from hungjury.measures.closed_forms import TOLERANCE
from hungjury.measures.names import IrMeasure

__all__ = [
    "AxiomReport",
    "Counterexample",
    "ListPairs",
    "ListScorer",
    "Lists",
    "MeasureLike",
    "all_pairs",
    "all_pools",
    "check_axioms",
    "is_small",
    "plentiful_pool",
    "random_pairs",
]

MeasureLike: TypeAlias = str | Measure | IrMeasure | Callable[[tuple[int, ...]], float]
Lists: TypeAlias = NDArray[np.int16]


class ListScorer:
    """A measure of the catalogue, or a user's function of the labels, on [list, place] grades."""

    def __init__(self, given: MeasureLike) -> None:
        self.given = given
        self.measure: Measure | None = None
        self.function: Callable[[tuple[int, ...]], float] | None = None
        if isinstance(given, (str, Measure, IrMeasure)):
            self.measure = measure(given)
            self.name = str(self.measure)
        elif callable(given):
            self.function = given
            self.name = getattr(given, "__name__", repr(given))
        else:
            raise InputError(
                f"{given!r} is not a measure",
                code="not-a-measure",
                remedy='give a name such as "AP", a Measure, or a function of the labels',
            )

    @property
    def smaller_is_better(self) -> bool:
        """The direction of a measure; larger is better for a user's function."""
        return self.measure is not None and self.measure.smaller_is_better

    def check(self, max_grade: int) -> None:
        """Raise an error for parameters that do not fit the scale."""
        if self.measure is not None:
            self.measure.check(max_grade)

    def __call__(self, lists: Lists, pool: Sequence[int]) -> Floats:
        """Values of the lists; NaN where the measure is undefined.

        pool: documents of each grade 0, 1, ... A user's function does not see it.
        """
        if self.function is not None:
            return np.array([self.function(tuple(row)) for row in lists.tolist()], dtype=float)
        assert self.measure is not None
        labels: Any = np.repeat(np.arange(len(pool)), pool)
        values = np.empty(len(lists))
        step = max(BUDGET // lists.shape[-1], 1)
        for start in range(0, len(lists), step):
            block = slice(start, start + step)
            values[block] = self.measure(many_lists(lists[block], labels, len(pool) - 1))
        return values


def plentiful_pool(length: int, grades: int) -> tuple[int, ...]:
    """Documents of each grade in the smallest pool from which every list can be drawn.

    A list of `length` ranks may hold one grade only, so that many of each grade are needed.
    Recall bases are then the same for all lists.
    """
    return (length,) * grades


MOST_LISTS = 1_000_000
"""A check is exhaustive up to this many lists, over all pools."""
MOST_PAIRS = 4_000_000
"""A check is exhaustive up to this many pairs of lists in memory at once."""
RANDOM_POOLS = 50
"""Pools among which the pairs of a random check are divided."""


class ListPairs(NamedTuple):
    """Pairs of lists over one pool, with their values; `after` must not score worse."""

    axiom: str
    before: Lists
    after: Lists
    value_before: Floats
    value_after: Floats
    pool: tuple[int, ...]

    def falling(self, smaller_is_better: bool) -> NDArray[np.int64]:
        """Numbers of the pairs whose score gets worse by more than rounding."""
        size = np.maximum(np.abs(self.value_before), np.abs(self.value_after))
        gain = self.value_after - self.value_before
        # A comparison with NaN, undefined, is false.
        return np.flatnonzero((-gain if smaller_is_better else gain) < -TOLERANCE * size)

    def compared(self) -> int:
        """How many pairs have two defined values."""
        return int(np.count_nonzero(~np.isnan(self.value_before + self.value_after)))


def is_small(length: int, grades: int, many_pools: bool) -> bool:
    """Whether there are few enough lists to check all."""
    if length > MOST_PAIRS.bit_length():  # even with two grades; their number would be huge
        return False
    lists: int = grades**length
    scored = lists * (length + 1) ** grades if many_pools else lists
    return scored <= MOST_LISTS and lists * length * max(length, grades) <= MOST_PAIRS


def all_pools(length: int, grades: int) -> list[tuple[int, ...]]:
    """The richest pool first, so that it gives the counterexample where it has one."""
    counts = itertools.product(range(length + 1), repeat=grades)
    richest = plentiful_pool(length, grades)
    return [richest, *(pool for pool in counts if sum(pool) >= length and pool != richest)]


def all_pairs(
    scorer: ListScorer, length: int, grades: int, pools: Sequence[tuple[int, ...]]
) -> Iterator[ListPairs]:
    """All pairs of all lists that can be drawn from each pool."""
    numbers = np.arange(grades**length)
    worth = grades ** np.arange(length - 1, -1, -1)
    lists = (numbers[:, None] // worth % grades).astype(np.int16)
    held = np.stack([(lists == grade).sum(axis=-1) for grade in range(grades)], axis=-1)
    pairs = {
        "replacement": _replacements(lists, worth, grades),
        "swap": _swaps(lists, worth),
    }
    for pool in pools:
        possible = np.all(held <= np.array(pool), axis=-1)
        values = np.full(len(lists), np.nan)
        values[possible] = scorer(lists[possible], pool)
        for axiom, (before, after) in pairs.items():
            both = possible[before] & possible[after]  # the others have no value
            low, high = before[both], after[both]
            yield ListPairs(axiom, lists[low], lists[high], values[low], values[high], pool)


def _replacements(
    lists: Lists, worth: NDArray[np.int64], grades: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the lists before and after every replacement; a list is a number in digits."""
    before, after = [], []
    for place, raised in itertools.product(range(lists.shape[1]), range(1, grades)):
        able = np.flatnonzero(lists[:, place] + raised < grades)
        before.append(able)
        after.append(able + raised * worth[place])
    return _in_order(before, after)


def _swaps(lists: Lists, worth: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the lists before and after every swap."""
    before, after = [], []
    for upper, lower in itertools.combinations(range(lists.shape[1]), 2):
        gap = lists[:, lower].astype(np.int64) - lists[:, upper]
        able = np.flatnonzero(gap > 0)
        before.append(able)
        after.append(able + gap[able] * (worth[upper] - worth[lower]))
    return _in_order(before, after)


def _in_order(
    before: list[NDArray[np.int64]], after: list[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    empty = np.empty(0, dtype=np.int64)
    low, high = np.concatenate([empty, *before]), np.concatenate([empty, *after])
    order = np.lexsort((high, low))
    return low[order], high[order]


def random_pairs(
    scorer: ListScorer,
    length: int,
    grades: int,
    given: tuple[int, ...] | None,
    samples: int,
    rng: np.random.Generator,
) -> Iterator[ListPairs]:
    """Random pairs, some from each of many pools."""
    number = RANDOM_POOLS if given is None else 1
    for turn in range(number):
        pool = given or plentiful_pool(length, grades)
        if turn > 0:
            pool = _random_pool(length, grades, rng)
        size = len(range(turn, samples, number))
        width = max(MOST_LISTS // sum(pool), 1)  # pool documents shuffled at once
        for start in range(0, size, width):
            draws = min(width, size - start)
            for axiom, before, after in _moves(pool, length, draws, rng):
                values = scorer(before, pool), scorer(after, pool)
                yield ListPairs(axiom, before, after, *values, pool)


def _random_pool(length: int, grades: int, rng: np.random.Generator) -> tuple[int, ...]:
    """At least one document more than the lists, or there is nothing to replace."""
    while True:
        counts = rng.integers(0, length + 1, size=grades)
        if counts.sum() > length:
            return tuple(counts.tolist())


def _moves(
    pool: tuple[int, ...], length: int, number: int, rng: np.random.Generator
) -> Iterator[tuple[str, Lists, Lists]]:
    """One replacement and one swap of each of `number` lists, where it changes something.

    Each list has its own preference among grades: with plain draws, all would hold the pool's
    share of relevant documents, and lists with few or many of them would never be seen.
    """
    documents = np.repeat(np.arange(len(pool), dtype=np.int16), pool)
    liking = np.exp(2 * rng.standard_normal((number, len(pool))))
    keys = rng.exponential(size=(number, len(documents))) / liking[:, documents]
    drawn = documents[np.argsort(keys, axis=-1)]
    lists, left = drawn[:, :length], drawn[:, length:]
    rows = np.arange(number)
    if left.shape[1]:
        place = rng.integers(0, length, size=number)
        other = lists.copy()
        other[rows, place] = left[rows, rng.integers(0, left.shape[1], size=number)]
        yield "replacement", *_upwards(lists, other, place)
    if length > 1:
        upper = rng.integers(0, length - 1, size=number)
        lower = rng.integers(upper + 1, length)
        other = lists.copy()
        other[rows, upper], other[rows, lower] = lists[rows, lower], lists[rows, upper]
        yield "swap", *_upwards(lists, other, upper)


def _upwards(one: Lists, other: Lists, place: NDArray[np.int64]) -> tuple[Lists, Lists]:
    """Each pair with the list first that has the lower grade at `place`; equal ones left out."""
    rows = np.arange(len(one))
    gap = other[rows, place].astype(int) - one[rows, place]
    up = (gap > 0)[:, None]
    kept = gap != 0
    return np.where(up, one, other)[kept], np.where(up, other, one)[kept]


MOST_SHOWN = 12
"""Documents of the longest list that is printed."""

MOST_DRAWN = 2_000_000_000
"""Documents of pools, times samples, of the longest random check: about a minute."""

AXIOMS = ("replacement", "swap")


class Counterexample(Record):
    """A pair of lists whose score gets worse where the axiom forbids it."""

    axiom: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    value_before: float
    value_after: float
    pool: tuple[int, ...]  # documents of each grade

    def __str__(self) -> str:
        if len(self.before) <= MOST_SHOWN:
            first, second = str(self.before), str(self.after)
        else:
            first = f"a list of {len(self.before)} documents"
            second = "with " + " and ".join(
                f"{after} for {before} at rank {rank}"
                for rank, (before, after) in enumerate(zip(self.before, self.after, strict=True), 1)
                if before != after
            )
        low, high = _told_apart(self.value_before, self.value_after)
        return (
            f"{first} scores {low}, {second} scores {high} "
            f"(documents of each grade in the pool: {self.pool})"
        )


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Both numbers with four digits, or as many as it takes to see that they differ."""
    for digits in range(4, 17):
        texts = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


class AxiomReport(Record, Result):
    """The result of a check; an axiom without counterexample is None."""

    measure: str
    length: int
    grades: int
    method: str  # "exhaustive" or "random"
    pools: int  # that were checked
    pairs: int  # compared: both values defined
    replacement: Counterexample | None
    swap: Counterexample | None
    proof: str = ""  # where both axioms are proved for all lists

    def verdict(self, axiom: str) -> str:
        """The counterexample, where the axiom is proved, or that it is not refuted."""
        found = getattr(self, axiom)
        if found is not None:
            return str(found)
        if self.proof:
            return f"proved ({self.proof})"
        return "not refuted: no counterexample among these lists"

    @property
    def refuted(self) -> bool:
        """Whether an axiom has a counterexample."""
        return self.replacement is not None or self.swap is not None

    def _head(self) -> str:
        return (
            f"{self.measure}, lists of {self.length} with {self.grades} grades: "
            f"{plural(self.pairs, 'pair')} over {plural(self.pools, 'pool')}, {self.method}"
        )

    def table(self) -> Table:
        """Return a row for each axiom."""
        return Table(["axiom", "found"], [[axiom, self.verdict(axiom)] for axiom in AXIOMS])

    def _parts(self) -> list[str | Table]:
        return [self._head(), self.table()]

    def to_text(self) -> str:
        """Write what was checked, then a line for each axiom."""
        return "\n".join([self._head(), *(f"  {axiom}: {self.verdict(axiom)}" for axiom in AXIOMS)])


def check_axioms(
    measure: MeasureLike,
    length: int,
    grades: int = 2,
    *,
    pool: Sequence[int] | None = None,
    samples: int = 20_000,
    seed: int = 0,
) -> AxiomReport:
    """Look for lists on which a measure violates Replacement or Swap.

    Parameters
    ----------
    measure : str, Measure or callable
        A measure, or a function from a tuple of grades to a number.
    length : int
        Length of the lists.
    grades : int
        Number of grades, 0 included.
    pool : sequence of int, optional
        Labels of all judged documents, for both lists of every pair. Default: every pool with up to
        `length` documents of each grade.
    samples : int
        Random pairs per axiom, where there are too many to check all.
    seed : int
        Random seed.

    Returns
    -------
    AxiomReport
        A counterexample to each axiom, or none.

    Notes
    -----
    Small cases are checked completely; in larger ones finding no counterexample is not a proof.
    Pairs with an undefined value are not compared. Ferrante, Ferro and Maistro (2015).

    Examples
    --------
    >>> import hungjury as hj
    >>> report = hj.theory.check_axioms("AP", 3)
    >>> report.replacement is None and report.swap is None
    True
    """
    length, grades = (
        check_count("length", length, 1, MOST_RANKS),
        check_count("grades", grades, 2, MOST_GRADE + 1),
    )
    samples = check_count("samples", samples, 1, MOST_SAMPLES)
    check_seed(seed)
    scorer = ListScorer(measure)
    scorer.check(grades - 1)
    given = None if pool is None else _pool_counts(pool, length, grades)
    if scorer.measure is None and given is None:
        given = plentiful_pool(length, grades)  # a user's function does not see the pool
    if is_small(length, grades, given is None):
        pools = all_pools(length, grades) if given is None else [given]
        search = all_pairs(scorer, length, grades, pools)
        return _report(scorer, length, grades, "exhaustive", search)
    _check_work(length * grades if given is None else sum(given), length, grades, samples)
    search = random_pairs(scorer, length, grades, given, samples, np.random.default_rng(seed))
    return _report(scorer, length, grades, "random", search)


def _check_work(documents: int, length: int, grades: int, samples: int) -> None:
    """Refuse a random check that would take hours: each sample shuffles the pool."""
    if documents * samples > MOST_DRAWN:
        raise InputError(
            f"lists of {length:,} with {grades:,} grades come from pools of up to {documents:,} "
            f"documents, too many for {samples:,} samples",
            code="too-much-work",
            argument="length",
            remedy=("lower", Argument("length"), "or", Argument("grades")),
        )


def _report(
    scorer: ListScorer, length: int, grades: int, method: str, search: Iterator[ListPairs]
) -> AxiomReport:
    """Go through the pairs until both axioms are refuted, or to the end."""
    found: dict[str, Counterexample | None] = dict.fromkeys(AXIOMS)
    pools: set[tuple[int, ...]] = set()
    compared = 0
    for pairs in search:
        pools.add(pairs.pool)
        compared += pairs.compared()
        if found[pairs.axiom] is None:
            found[pairs.axiom] = _first(pairs, scorer.smaller_is_better)
        if None not in found.values():
            break
    return AxiomReport(
        measure=scorer.name,
        length=length,
        grades=grades,
        method=method,
        pools=len(pools),
        pairs=compared,
        replacement=found["replacement"],
        swap=found["swap"],
        proof="" if scorer.measure is None else scorer.measure.proof,
    )


def _first(pairs: ListPairs, smaller_is_better: bool) -> Counterexample | None:
    falling = pairs.falling(smaller_is_better)
    if not len(falling):
        return None
    at = falling[0]
    return Counterexample(
        pairs.axiom,
        tuple(pairs.before[at].tolist()),
        tuple(pairs.after[at].tolist()),
        float(pairs.value_before[at]),
        float(pairs.value_after[at]),
        pairs.pool,
    )


def _pool_counts(pool: Sequence[int], length: int, grades: int) -> tuple[int, ...]:
    labels = [check_count("a label of the pool", label, 0, MOST_GRADE) for label in pool]
    if len(labels) < length:
        raise InputError(
            f"the pool has {len(labels)} documents, the lists have {length}",
            code="pool-too-small",
            argument="pool",
            remedy="give the labels of all judged documents, or use a shorter length",
        )
    if max(labels) >= grades:
        raise InputError(
            f"the pool has a label {max(labels)}, but with {grades} grades the largest is "
            f"{grades - 1}",
            code="outside-grades",
            remedy=("use", Argument("grades", max(labels) + 1)),
        )
    return tuple(labels.count(grade) for grade in range(grades))
