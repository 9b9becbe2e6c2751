"""Effects of the documents of one topic on the means of all systems, and their products.

Most kernels are linear in the worth of a document, so that its effect on a system has two parts:
what it adds where the system's list holds it, and what the pool as a whole changes with it, such as
an ideal list. The first is 0 except at the few places of a list that count, the second is a product
of two small tables. Products of two systems, summed over documents, follow from these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.records import Record
from hungjury.uncertainty.topic_lists import TopicLists

__all__ = ["Effects", "LinearEffects", "Products", "TabledEffects"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SPARSE = 0.25  # share of documents in the places of a list up to which sparse products are faster
ENTRIES_AT_ONCE = 1 << 22  # of sparse tables


class Effects(Protocol):
    """Effects [system, document, grade]."""

    def table(self) -> Floats:
        """The effects as one array."""

    def turned(self, turn: Floats) -> Effects:
        """[system, document, part]: with parts in place of grades, by `turn` [document, grade,
        part]."""

    def summed(self, weight: Floats) -> Floats:
        """[system]: sums over documents and grades, by weight [document, grade]."""

    def add_to(self, products: Products, documents: slice) -> None:
        """Add the products of these effects, which are those of some documents of the pool."""


class TabledEffects(Record, eq=False):
    """Effects of a measure that has no linear kernel."""

    values: Floats  # [system, document, grade]

    def table(self) -> Floats:
        return self.values

    def turned(self, turn: Floats) -> TabledEffects:
        return TabledEffects(np.einsum("sdg,dgp->sdp", self.values, turn))

    def summed(self, weight: Floats) -> Floats:
        return np.tensordot(self.values, weight, axes=2)

    def add_to(self, products: Products, documents: slice) -> None:
        products.add_table(documents, self.values)


class LinearEffects(Record, eq=False):
    """bases @ rate, plus slope * pull where a list holds the document."""

    lists: TopicLists
    at: Ints  # the documents, within the topic
    bases: Floats  # [system, draw]
    rate: Floats  # [draw, document, grade]
    slopes: Floats  # [draw, system, place]; one draw where they are all the same
    pull: Floats  # [draw, document, grade], with as many draws

    def table(self) -> Floats:
        grades = self.rate.shape[2]
        out = np.zeros((grades, len(self.bases), len(self.at)))
        slopes = [self.lists.by_document(slope)[:, self.at] for slope in self.slopes]
        for g in range(grades):
            np.matmul(self.bases, self.rate[:, :, g], out=out[g])
            for slope, pull in zip(slopes, self.pull, strict=True):
                out[g] += slope * pull[:, g]
        return np.moveaxis(out, 0, 2)

    def turned(self, turn: Floats) -> LinearEffects:
        rate, pull = (np.einsum("kdg,dgp->kdp", one, turn) for one in (self.rate, self.pull))
        return replace(self, rate=rate, pull=pull)

    def summed(self, weight: Floats) -> Floats:
        out = self.bases @ np.tensordot(self.rate, weight, axes=2)
        for slope, pull in zip(self.slopes, self.pull, strict=True):
            by_document = np.zeros(self.lists.documents)
            by_document[self.at] = (pull * weight).sum(axis=1)
            out += (slope * self.lists.at_places(by_document)).sum(axis=1)
        return np.asarray(out)

    def add_to(self, products: Products, documents: slice) -> None:
        if self.slopes.shape[2] > SPARSE * len(self.at):
            products.add_table(documents, self.table())
            return
        own = np.full(self.lists.documents + 1, len(self.at))
        own[self.at] = np.arange(len(self.at))
        at = own[self.lists.document]  # [system, place]; one more than there are for all others
        pull = np.concatenate([self.pull, np.zeros_like(self.pull[:, :1])], axis=1)
        value = sum(s[:, :, None] * p[at] for s, p in zip(self.slopes, pull, strict=True))
        products.add_linear(documents, at, np.asarray(value), self.bases, self.rate)


class Products:
    """[system, system]: products of effects, summed over documents and their grades or parts.

    Parameters
    ----------
    systems : int
        Number of systems.
    weights : arrays [document of the pool]
        Non-negative weights of the documents; there is a sum for each of these arrays.
    """

    def __init__(self, systems: int, weights: list[Floats]) -> None:
        self.systems, self.weights = systems, weights
        self.sums = [np.zeros((systems, systems)) for _ in weights]
        self._forget()

    def _forget(self) -> None:
        self.rows: list[NDArray[np.int32]] = []
        self.documents: list[Ints] = []
        self.values: list[Floats] = []
        self.bases: list[Floats] = []
        self.cross: list[list[Floats]] = [[] for _ in self.weights]
        self.held = 0

    def add_table(self, documents: slice, values: Floats) -> None:
        """values: [system, document, part]"""
        for total, weight in zip(self.sums, self.weights, strict=True):
            mine = weight[documents]
            used = mine > 0
            if used.any():
                flat = (values[:, used] * np.sqrt(mine[used, None])).reshape(self.systems, -1)
                total += flat @ flat.T  # one array with itself: BLAS does half of the work

    def add_linear(
        self, documents: slice, at: Ints, value: Floats, bases: Floats, rate: Floats
    ) -> None:
        """at: [system, place], documents among these, or one more than there are; value: [system,
        place, part]; bases: [system, draw]; rate: [draw, document, part]"""
        real = (at < rate.shape[1]) & value.any(axis=2)
        system = np.nonzero(real)[0].astype(np.int32)
        self.rows.append(system)
        self.documents.append(at[real] + documents.start)
        self.values.append(value[real])
        self.bases.append(bases)
        shared = np.concatenate([rate, np.zeros_like(rate[:, :1])], axis=1)
        for cross, weight in zip(self.cross, self.weights, strict=True):
            mine = weight[documents]
            heavy = shared * np.append(mine, 0.0)[:, None]
            own = np.stack([(value * one[at]).sum(axis=(1, 2)) for one in heavy], axis=1)
            pool = np.einsum("kdp,ldp->kl", heavy, shared)
            cross.append(own + bases @ pool / 2)
        self.held += value[real].size
        if self.held > ENTRIES_AT_ONCE:
            self._add_held()

    def _add_held(self) -> None:
        """Add the products of what `add_linear` was given."""
        if not self.rows:
            return
        row, document = np.concatenate(self.rows), np.concatenate(self.documents)
        value, bases = np.concatenate(self.values), np.concatenate(self.bases, axis=1)
        part = np.arange(value.shape[1])
        for total, weight, cross in zip(self.sums, self.weights, self.cross, strict=True):
            size = np.sqrt(weight[document])
            used = size > 0
            column = document[used, None] * len(part) + part
            sized = (value[used] * size[used, None]).ravel()
            total += native.row_products(
                np.repeat(row[used], len(part)),
                column.ravel().astype(np.int32),
                sized,
                sized,
                self.systems,
                len(weight) * len(part),
            )
            half = np.concatenate(cross, axis=1) @ bases.T
            total += half + half.T
        self._forget()

    def finish(self) -> list[Floats]:
        """The sums, one for each weight."""
        self._add_held()
        return self.sums
