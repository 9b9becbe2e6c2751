"""Rank-biased overlap of two rankings (Webber, Moffat and Zobel 2010), with ties.

Ties follow Corsi and Urbano (SIGIR 2024): an item that shares ranks t..b with others contributes
to the ranking's first d places by an amount that grows from 0 before t to 1.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import InputError
from hungjury.base.parameters import check_share

Ranking: TypeAlias = Iterable[Hashable | Sequence[Hashable] | AbstractSet[Hashable]]
Scored: TypeAlias = Mapping[Hashable, float]
RboTies: TypeAlias = Literal["a", "b", "w"]

CELLS_AT_ONCE = 2**20  # entries of one block of the item x depth tables, to bound memory


class _Places(NamedTuple):
    """Items in rank order: first rank of each one's tie, and how many ranks it takes to fill."""

    items: list[Hashable]
    top: Ints
    width: Ints

    def contributions(self, depths: Ints) -> Floats:
        """Return how much of each item is among the first d places, [item, depth]."""
        reached = (depths - self.top[:, None] + 1) / self.width[:, None]
        return np.asarray(np.clip(reached, 0, 1))

    def pick(self, chosen: Sequence[int]) -> "_Places":
        index = np.asarray(chosen, dtype=np.int64)
        return _Places([self.items[i] for i in chosen], self.top[index], self.width[index])


def rbo(a: Ranking | Scored, b: Ranking | Scored, p: float = 0.9, ties: RboTies = "a") -> float:
    r"""Compute the extrapolated rank-biased overlap of two rankings, with ties.

    Parameters
    ----------
    a, b : sequence or mapping
        Items, best first, with tied items in a list, tuple or set; or scores by item, higher first.
    p : float
        Persistence: the first 1 / (1 - p) ranks or so decide the result, ten for 0.9.
    ties : {"a", "b", "w"}
        The meaning of ties, see Notes.

    Returns
    -------
    float
        RBO_EXT, in [0, 1]: 0 for rankings without common items, 1 for the same order. It is the
        expected agreement at the depth where a user stops who reads on with probability p.

    Notes
    -----
    Agreement at depth d, with c the contributions of the items in either ranking: "a", sum(c_a c_b)
    / d, the mean over all orders of ties; "b", sum(c_a c_b) / sqrt(sum(c_a^2) sum(c_b^2)), where
    a ranking with ties agrees fully with itself; "w", 2 \|A and B\| / (\|A\| + \|B\|), where tied
    items share the first rank of their group. Unseen places of the shorter ranking are taken to
    agree as much as its seen ones did; in "a" and "b" such a place finds as much as the average
    available item of the longer ranking contributes, as published. "a" is then less than the
    mean over all orders where a tie of the longer ranking lies below the end of the shorter one.

    Use it for rankings that need not have the same items, such as two result lists. For rankings of
    the same items, such as leaderboards, `tau_ap` needs no parameter.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.stats.rbo(["x", "y"], ["x", "y"])
    1.0
    >>> round(hj.stats.rbo(["x", "y", "z"], ["y", "x", "w"]), 3)
    0.63

    The first two items are the same in another order, the third is not: agreement is 0, 1 and 2/3
    at the three depths, and 2/3 is taken to continue.
    """
    check_share("p", p)
    first, second = _places(a, "a", ties), _places(b, "b", ties)
    short, long = sorted((first, second), key=lambda places: len(places.items))
    agreement = _agreements(short, long, ties)
    depth = len(long.items)
    seen = (1 - p) * np.sum(agreement * p ** np.arange(depth))
    return float(min(1.0, seen + agreement[-1] * p**depth))


def _agreements(short: _Places, long: _Places, ties: str) -> Floats:
    """Compute agreement down to the longer ranking's end, extrapolated below the shorter one."""
    place = {item: index for index, item in enumerate(short.items)}
    common = [index for index, item in enumerate(long.items) if item in place]
    alone = [index for index, item in enumerate(long.items) if item not in place]
    long_common, long_alone = long.pick(common), long.pick(alone)
    short_common = short.pick([place[long.items[index]] for index in common])

    end, depth = len(short.items), len(long.items)
    agreement = np.empty(depth)
    step = max(1, CELLS_AT_ONCE // depth)
    # A block never straddles the end of the shorter ranking: below it the rule is another one.
    for start, stop in (*_blocks(0, end, step), *_blocks(end, depth, step)):
        depths = np.arange(start, stop) + 1
        overlap = short_common.contributions(depths) * long_common.contributions(depths)
        found = overlap.sum(axis=0)
        if start >= end:
            unseen = depths - end
            found = found + unseen * agreement[end - 1] * _mean_active(long_alone, depths)
        agreement[start:stop] = found / _size(short, long, depths, end, ties)
    return agreement


def _size(short: _Places, long: _Places, depths: Ints, end: int, ties: str) -> Floats:
    """Return the divisor of the overlap; unseen places of the shorter ranking are untied."""
    if ties == "a":
        return depths.astype(np.float64)
    power = 2 if ties == "b" else 1
    longer = (long.contributions(depths) ** power).sum(axis=0)
    if depths[0] > end:
        shorter = depths.astype(np.float64)
    else:
        shorter = (short.contributions(depths) ** power).sum(axis=0)
    return np.asarray(np.sqrt(shorter * longer) if ties == "b" else (shorter + longer) / 2)


def _mean_active(places: _Places, depths: Ints) -> Floats:
    """Average the contributions of the items that contribute at all.

    There is always one: below the end of the shorter ranking, the longer has more items at hand
    than the shorter could share.
    """
    table = places.contributions(depths)
    return np.asarray(table.sum(axis=0) / np.count_nonzero(table, axis=0))


def _blocks(start: int, stop: int, step: int) -> list[tuple[int, int]]:
    return [(low, min(low + step, stop)) for low in range(start, stop, step)]


def _places(ranking: Ranking | Scored, name: str, ties: str) -> _Places:
    groups = _tie_groups(ranking, name)
    items = [item for group in groups for item in group]
    if not items:
        raise _refused(f"{name} is empty", "empty-ranking", "give at least one item")
    if len(set(items)) < len(items):
        again = next(item for index, item in enumerate(items) if item in items[:index])
        said = f"{name} contains {again!r} more than once"
        raise _refused(said, "repeated-item", "list every item once")
    sizes = np.array([len(group) for group in groups])
    top = np.repeat(np.cumsum(sizes) - sizes + 1, sizes)
    # In variant "w" all tied items are complete at the first rank of their tie.
    width = np.ones(len(items), dtype=np.int64) if ties == "w" else np.repeat(sizes, sizes)
    return _Places(items, top, width)


def _tie_groups(ranking: Ranking | Scored, name: str) -> list[list[Hashable]]:
    """Split the ranking into groups of tied items, best group first."""
    if isinstance(ranking, Mapping):
        by_score: dict[float, list[Hashable]] = {}
        for item, score in ranking.items():
            if score != score:
                said, remedy = f"the score of {item!r} is NaN", "give it a score or leave it out"
                raise _refused(f"{name}: {said}", "undefined-values", remedy)
            by_score.setdefault(score, []).append(item)
        return [by_score[score] for score in sorted(by_score, reverse=True)]
    groups = [
        list(entry) if isinstance(entry, (list, tuple, AbstractSet)) else [entry]
        for entry in ranking
    ]
    if not all(groups):
        said, remedy = "has an empty group of ties", "leave empty groups out"
        raise _refused(f"{name} {said}", "empty-group", remedy)
    return groups


def _refused(said: str, code: str, remedy: str) -> InputError:
    return InputError(f"ranking {said}", code=code, remedy=remedy)
