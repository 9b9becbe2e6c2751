"""The judged documents of every topic."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, Bools, Int32s, Ints

DIGITS = re.compile("([0-9]+)")


def number_key(digits: str) -> tuple[int, str, str]:
    """Sort key for digits as numbers; `int` accepts only a few thousand digits."""
    significant = digits.lstrip("0")
    return len(significant), significant, digits


def natural_key(text: str) -> list[Any]:
    """Return a natural sort key, texts and numbers in turn: 9 before 10."""
    parts: list[Any] = DIGITS.split(text)
    parts[1::2] = map(number_key, parts[1::2])
    return parts


def natural_order(names: Iterable[str]) -> Ints:
    """Return the order that sorts names naturally, as indices."""
    listed = list(names)
    numbers = _numbers(listed)
    if numbers is not None:
        return np.lexsort(numbers.T[::-1])
    keys = [*map(natural_key, listed)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _numbers(names: list[str]) -> Ints | None:
    """[name, number]: the numbers in names that differ in nothing else, as ids of one collection
    often do; None for others, and where 7 and 07 would be the same number."""
    together = "\n".join(names)
    shapes = re.sub("[0-9]+", "0", together).split("\n")
    if len(shapes) != len(names) or len(set(shapes)) != 1:
        return None
    digits = re.findall("[0-9]+", together)
    sizes = np.array([*map(len, digits)]).reshape(len(names), -1)
    if not sizes.size or sizes.max() > 18:
        return None
    numbers = np.fromstring(" ".join(digits), dtype=np.int64, sep=" ").reshape(sizes.shape)
    padded = ((numbers < 10 ** (sizes - 1)) & (sizes > 1)).any(axis=0)
    return None if (padded & (sizes != sizes[0]).any(axis=0)).any() else numbers


def stable_order(values: Array) -> Ints | slice:
    """Return an index that sorts values, equal ones as they are; nothing is copied where they
    are sorted already."""
    if (values[1:] >= values[:-1]).all():
        return slice(None)
    return np.argsort(values, kind="stable")


class Pool:
    """Topics in natural order; the documents of a topic are contiguous.

    Everything that has one value per (topic, document) is an array over `documents`.
    """

    def __init__(
        self, topics: list[str], documents: list[str] | native.Pool, offsets: Ints
    ) -> None:
        self.topics, self.offsets = topics, offsets
        self._given = documents

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the native pool, which other processes rebuild on demand."""
        return Pool, (self.topics, self.documents, self.offsets)

    @cached_property
    def documents(self) -> list[str]:
        return self._given if isinstance(self._given, list) else self._given.documents

    def __repr__(self) -> str:
        return f"Pool({len(self.topics)} topics, {len(self)} documents)"

    @cached_property
    def topic_of(self) -> Int32s:
        """The topic's index of every document."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.offsets))

    @cached_property
    def native(self) -> native.Pool:
        if isinstance(self._given, native.Pool):
            return self._given
        return native.Pool(self.topics, self._given, self.offsets.tolist())

    def slice(self, topic: int) -> slice:
        return slice(int(self.offsets[topic]), int(self.offsets[topic + 1]))

    def find(self, topic: str, document: str) -> int:
        """Index of a document, -1 if it was not judged."""
        t = self.native.topic(topic)
        return -1 if t < 0 else self.native.document(t, document)

    def sum_by_topic(self, values: Array) -> Array:
        """Sum [..., document] values over each topic: [..., topic]."""
        kind = np.float64 if values.dtype.kind == "f" else np.int64
        return np.asarray(np.add.reduceat(values, self.offsets[:-1], axis=-1, dtype=kind))

    def of_topics(self, topics: Iterable[str]) -> Bools:
        """Tell which documents are of some topics."""
        wanted = set(topics)
        return np.repeat([topic in wanted for topic in self.topics], np.diff(self.offsets))

    def select(self, keep: Bools) -> Pool:
        """Return the pool with only some of its documents; topics left empty disappear."""
        counts = np.diff(np.concatenate([[0], np.cumsum(keep)])[self.offsets])
        offsets = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64)
        topics = [*compress(self.topics, counts)]
        return Pool(topics, [*compress(self.documents, keep)], offsets)
