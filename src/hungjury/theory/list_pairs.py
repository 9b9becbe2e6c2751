"""Pairs of judged lists that differ by one replacement or swap, and their scores.

Both lists of a pair are drawn from one pool, which gives both the same recall bases and ideal
lists.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hungjury.base.arrays import Floats, Int16s, Ints
from hungjury.base.errors import InputError
from hungjury.data.judged import BUDGET, many_lists
from hungjury.measures.catalogue import IrMeasure, Measure, measure
from hungjury.theory.balancing_forms import TOLERANCE

MeasureLike: TypeAlias = str | Measure | IrMeasure | Callable[[tuple[int, ...]], float]
Lists: TypeAlias = Int16s
Grades: TypeAlias = tuple[int, ...]


class ListScorer:
    """A measure of the catalogue, or a user's function of the labels, on [list, place] grades."""

    def __init__(self, given: MeasureLike) -> None:
        self.given = given
        self.measure: Measure | None = None
        if isinstance(given, (str, Measure, IrMeasure)):
            self.measure = measure(given)
            self.name = str(self.measure)
        elif callable(given):
            self.name = getattr(given, "__name__", repr(given))
        else:
            remedy = 'give a name such as "AP", a Measure, or a function of the labels'
            raise InputError(f"{given!r} is not a measure", code="not-a-measure", remedy=remedy)

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
        if self.measure is None:
            function: Any = self.given
            return np.array([function(tuple(row)) for row in lists.tolist()], dtype=float)
        labels: Any = np.repeat(np.arange(len(pool)), pool)
        values = np.empty(len(lists))
        step = max(BUDGET // lists.shape[-1], 1)
        for start in range(0, len(lists), step):
            block = slice(start, start + step)
            values[block] = self.measure(many_lists(lists[block], labels, len(pool) - 1))
        return values


def plentiful_pool(length: int, grades: int) -> tuple[int, ...]:
    """Documents of each grade in the smallest pool from which every list can be drawn.

    A list of `length` ranks may contain one grade only, and the pool needs that number of each.
    Recall bases are then the same for all lists.
    """
    return (length,) * grades


MOST_LISTS = 1_000_000  # a check is exhaustive up to this many lists, over all pools
MOST_PAIRS = 4_000_000  # a check is exhaustive up to this many pairs of lists in memory at once
RANDOM_POOLS = 50  # pools among which the pairs of a random check are divided


class ListPairs(NamedTuple):
    """Pairs of lists over one pool, with their values; `after` must not score worse."""

    axiom: str
    before: Lists
    after: Lists
    value_before: Floats
    value_after: Floats
    pool: tuple[int, ...]

    def falling(self, smaller_is_better: bool) -> Ints:
        """Numbers of the pairs whose score gets worse by more than rounding."""
        size = np.maximum(np.abs(self.value_before), np.abs(self.value_after))
        gain = self.value_after - self.value_before
        # A comparison with NaN, undefined, is false.
        return np.flatnonzero((-gain if smaller_is_better else gain) < -TOLERANCE * size)

    def at(self, number: int | np.intp) -> tuple[Grades, Grades, float, float]:
        """Return one pair with its values."""
        lists = (tuple(one[number].tolist()) for one in (self.before, self.after))
        values = (float(one[number]) for one in (self.value_before, self.value_after))
        return (*lists, *values)  # type: ignore[return-value]

    def compared(self) -> int:
        """Count the pairs with two defined values."""
        return int(np.count_nonzero(~np.isnan(self.value_before + self.value_after)))


def is_small(length: int, grades: int, many_pools: bool) -> bool:
    """Say whether there are few enough lists to check all."""
    if length > MOST_PAIRS.bit_length():  # even with two grades; their number would be huge
        return False
    lists: int = grades**length
    scored = lists * (length + 1) ** grades if many_pools else lists
    return scored <= MOST_LISTS and lists * length * max(length, grades) <= MOST_PAIRS


def all_pools(length: int, grades: int) -> list[tuple[int, ...]]:
    """Return all pools. The richest comes first and gives the counterexample where it has one."""
    counts = itertools.product(range(length + 1), repeat=grades)
    richest = plentiful_pool(length, grades)
    return [richest, *(pool for pool in counts if sum(pool) >= length and pool != richest)]


def all_lists(length: int, grades: int) -> Lists:
    """Return all lists; a list is its own number, in digits."""
    numbers = np.arange(grades**length)
    return (numbers[:, None] // _worth(length, grades) % grades).astype(np.int16)


def _worth(length: int, grades: int) -> Ints:
    return np.asarray(grades ** np.arange(length - 1, -1, -1))


def all_pairs(
    scorer: ListScorer, length: int, grades: int, pools: Sequence[tuple[int, ...]]
) -> Iterator[ListPairs]:
    """All pairs of all lists that can be drawn from each pool."""
    lists, worth = all_lists(length, grades), _worth(length, grades)
    counts = np.stack([(lists == grade).sum(axis=-1) for grade in range(grades)], axis=-1)
    moves = {"replacement": _replacements(lists, worth, grades), "swap": _swaps(lists, worth)}
    pairs = {axiom: _in_order(list(found)) for axiom, found in moves.items()}
    for pool in pools:
        possible = np.all(counts <= np.array(pool), axis=-1)
        values = np.full(len(lists), np.nan)
        values[possible] = scorer(lists[possible], pool)
        for axiom, (before, after) in pairs.items():
            both = possible[before] & possible[after]  # the others have no value
            low, high = before[both], after[both]
            yield ListPairs(axiom, lists[low], lists[high], values[low], values[high], pool)


def _replacements(lists: Lists, worth: Ints, grades: int) -> Iterator[Ints]:
    """Yield the numbers of lists before and after replacements, [2, pair]; a list is a number in
    digits."""
    for place, raised in itertools.product(range(lists.shape[1]), range(1, grades)):
        able = np.flatnonzero(lists[:, place] + raised < grades)
        yield np.stack([able, able + raised * worth[place]])


def _swaps(lists: Lists, worth: Ints) -> Iterator[Ints]:
    """Yield the numbers of lists before and after swaps, [2, pair]."""
    for upper, lower in itertools.combinations(range(lists.shape[1]), 2):
        gap = lists[:, lower].astype(np.int64) - lists[:, upper]
        able = np.flatnonzero(gap > 0)
        yield np.stack([able, able + gap[able] * (worth[upper] - worth[lower])])


def _in_order(pairs: list[Ints]) -> Ints:
    both = np.concatenate([np.empty((2, 0), dtype=np.int64), *pairs], axis=1)
    return np.asarray(both[:, np.lexsort(both[::-1])])


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

    Each list has its own preference among grades: with plain draws, all would contain the pool's
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


def _upwards(one: Lists, other: Lists, place: Ints) -> tuple[Lists, Lists]:
    """Each pair with the list first that has the lower grade at `place`; equal ones left out."""
    rows = np.arange(len(one))
    gap = other[rows, place].astype(int) - one[rows, place]
    up = (gap > 0)[:, None]
    kept = gap != 0
    return np.where(up, one, other)[kept], np.where(up, other, one)[kept]
