"""Random seeds of studies: every part has its own, which does not depend on where it runs."""

from __future__ import annotations

import hashlib

import numpy as np

from hungjury.errors import check_seed

__all__ = ["integer_seed", "seed_for"]


def seed_for(seed: int, key: str | tuple[str | int | float, ...]) -> np.random.SeedSequence:
    """The part of a study's seed that belongs to a key, independent of those of other keys."""
    check_seed(seed)
    text = key if isinstance(key, str) else repr(key)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.SeedSequence([seed, *words.tolist()])


def integer_seed(seed: int, key: str) -> int:
    """The same as a number, which can be stored and sent."""
    return int(seed_for(seed, key).generate_state(1, np.uint64)[0] >> np.uint64(1))
