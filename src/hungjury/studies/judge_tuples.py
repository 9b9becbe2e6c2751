"""Tuples of judges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hungjury.studies.seeds import seed_for

__all__ = ["judge_tuples", "membership"]


def judge_tuples(judges: int, size: int, most: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Different tuples of judges: all of them if there are at most `most`, else `most` of them
    at random."""
    if math.comb(judges, size) <= most:
        return list(itertools.combinations(range(judges), size))
    rng = np.random.default_rng(seed_for(seed, ("tuples", judges, size)))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < most:
        found[tuple(sorted(map(int, rng.permutation(judges)[:size])))] = None
    return list(found)


def membership(tuples: Sequence[tuple[int, ...]], judges: int) -> NDArray[np.bool_]:
    """[tuple, judge]"""
    out = np.zeros((len(tuples), judges), dtype=bool)
    for row, who in zip(out, tuples, strict=True):
        row[list(who)] = True
    return out
