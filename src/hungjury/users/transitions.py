"""The eight Markov user models and the constant one (TH 5.3.3).

The pull alpha(i, j) between two ranks is symmetric, so the stationary distribution of a chain that
moves from i to j with probability alpha(i, j) / sum_k alpha(i, k) is proportional to the sums of
pulls; the functions here give these sums, and no linear system is solved.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.users.chain import Array

__all__ = ["MODELS", "pull_sums"]

MODELS = ("constant", *("_".join(m) for m in product(("GL", "LO"), ("AD", "OR"), ("ID", "LID"))))
ROOM = 1 << 21  # pairs of places worked on at once, about 16 MB


@lru_cache(maxsize=16)
def pulls(kind: str, most: int) -> Array:
    """The pull over the distances 0 to `most`: TH (5.7); for LID one over log10(distance + 2)."""
    distance = np.arange(most + 1, dtype=float)
    table = 1 / (distance + 1) if kind == "ID" else 1 / np.log10(distance + 2)
    table[0] = 0
    table.setflags(write=False)
    return table


@lru_cache(maxsize=16)
def _reach(kind: str, most: int) -> Array:
    """The pulls over the distances 1 to m added up, for every m up to `most`."""
    table = np.cumsum(pulls(kind, most))
    table.setflags(write=False)
    return table


def pull_sums(
    model: str, hits: NDArray[np.bool_], ranks: NDArray[np.int32], length: NDArray[Any]
) -> Array:
    """[..., list, place]: the stationary distribution at relevant places, up to a factor.

    hits: [..., list, place] relevant; ranks: of the places; length: [..., list] documents in the
    list. Values at other places are meaningless.
    """
    if model == "constant":
        return np.ones(hits.shape)
    connected, space, kind = model.split("_")
    if space == "AD":
        sums = _all_documents(connected, kind, hits, ranks, length)
        alone = np.asarray(length)[..., None] == 1
    else:
        between = _pairs if connected == "GL" else _neighbours
        sums = between(kind, hits, ranks)
        alone = hits.sum(axis=-1, keepdims=True) == 1
    return np.where(alone, 1.0, sums)  # one state: nothing pulls, and the user stays there


def _all_documents(
    connected: str, kind: str, hits: NDArray[np.bool_], ranks: NDArray[np.int32], length: object
) -> Array:
    above = np.where(hits, ranks, 1) - 1
    below = np.maximum(np.asarray(length)[..., None] - 1 - above, 0)
    if connected == "LO":  # all neighbours pull alike: count them
        return np.asarray((above > 0).astype(float) + (below > 0))
    most = int(max(above.max(initial=0), below.max(initial=0)))
    table = _reach(kind, most)
    return np.asarray(table[above] + table[below])


def _neighbours(kind: str, hits: NDArray[np.bool_], ranks: NDArray[np.int32]) -> Array:
    """The pulls of the relevant documents just above and just below."""
    none = int(ranks.max(initial=0)) + 1
    seen = np.maximum.accumulate(np.where(hits, ranks, 0), axis=-1)
    ahead = np.minimum.accumulate(np.where(hits, ranks, none)[..., ::-1], axis=-1)[..., ::-1]
    edge = np.zeros((*hits.shape[:-1], 1), dtype=seen.dtype)
    before = np.concatenate([edge, seen[..., :-1]], axis=-1)
    after = np.concatenate([ahead[..., 1:], edge + none], axis=-1)
    table = pulls(kind, none)
    up = np.where(before > 0, table[np.abs(ranks - before)], 0.0)
    down = np.where(after < none, table[np.abs(after - ranks)], 0.0)
    return np.asarray(up + down)


def _pairs(kind: str, hits: NDArray[np.bool_], ranks: NDArray[np.int32]) -> Array:
    """The pulls of all other relevant documents, in blocks of bounded size.

    The pulls between a list's places are looked up once for all copies (replicates, judges).
    """
    places = hits.shape[-1]
    place_ranks = ranks.reshape(-1, places)
    lists = len(place_ranks)
    wanted = np.moveaxis(hits.reshape(-1, lists, places), 0, 2).astype(float)
    sums = np.empty_like(wanted)  # [list, place, copy]
    table = pulls(kind, int(ranks.max(initial=1)))
    rows = min(places, max(1, ROOM // max(places, 1)))
    some = max(1, ROOM // max(rows * places, 1))
    for first in range(0, lists, some):
        block = slice(first, first + some)
        for row in range(0, places, rows):
            here = place_ranks[block, row : row + rows]
            pull = table[np.abs(here[:, :, None] - place_ranks[block, None, :])]
            sums[block, row : row + rows] = pull @ wanted[block]
    return np.moveaxis(sums, 2, 0).reshape(hits.shape)
