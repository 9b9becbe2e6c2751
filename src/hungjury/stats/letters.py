"""Compact letter displays: groups such that two share one exactly if they are not told apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["letter_groups"]


def letter_groups(apart: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Groups of items that are not told apart, which together cover all such pairs.

    Parameters
    ----------
    apart : array of bool
        [one, other], symmetric: whether the two are told apart.

    Returns
    -------
    list of arrays
        The members of each group in ascending order, groups in the order of their first members.
        Two share a group if and only if they are not told apart; an item that is told apart from
        all others is a group of one.

    Notes
    -----
    Covering a graph with as few cliques as possible is hard; as usual for letter displays,
    groups are grown greedily, here from the pair that is farthest apart in the given order, and
    groups whose pairs all lie in other groups are dropped.
    """
    together = ~np.asarray(apart, dtype=bool)
    np.fill_diagonal(together, True)
    left = np.triu(together, 1)
    groups: list[NDArray[np.intp]] = []
    for first in range(len(together)):
        while left[first].any():
            groups.append(_grown(together, first, int(np.flatnonzero(left[first])[-1])))
            left[np.ix_(groups[-1], groups[-1])] = False
        if together[first].sum() == 1:
            groups.append(np.array([first]))
    return sorted(_needed(groups, len(together)), key=lambda group: group.tolist())


def _grown(together: NDArray[np.bool_], one: int, other: int) -> NDArray[np.intp]:
    """The clique grown from the pair by adding every item that fits."""
    fits = together[one] & together[other]
    for member in range(len(together)):
        if fits[member]:
            fits &= together[member]
    return np.flatnonzero(fits)


def _needed(groups: list[NDArray[np.intp]], size: int) -> list[NDArray[np.intp]]:
    """Drop groups whose pairs are all in other groups, smallest groups first."""
    times = np.zeros((size, size), dtype=np.int32)
    for group in groups:
        times[np.ix_(group, group)] += 1
    kept = []
    for group in sorted(groups, key=len):
        at = np.ix_(group, group)
        if len(group) > 1 and (times[at] > 1).all():
            times[at] -= 1
        else:
            kept.append(group)
    return kept
