"""Products of the effects that documents have on two systems, summed over documents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hungjury import native
from hungjury.base.arrays import Floats, Int32s, Ints
from hungjury.base.files import cores
from hungjury.measures.batch import on_all_cores

ENTRIES_AT_ONCE = 1 << 22  # of sparse tables
WEIGHTS_AT_ONCE = 2  # that the native code sums with
PRODUCTS_FOR_A_CORE = 1 << 22  # of two entries; starting a thread for fewer takes longer


def row_products(
    row: Int32s, column: Int32s, value: Floats, weights: Sequence[Floats], rows: int
) -> list[Floats]:
    """[row, row] for each of the weights [column]: products of the rows of a sparse table, whose
    entries are given, summed over columns."""
    out: list[Floats] = []
    for start in range(0, len(weights), WEIGHTS_AT_ONCE):
        weight = np.stack(weights[start : start + WEIGHTS_AT_ONCE], axis=1)
        used = np.any(weight > 0, axis=1)
        if used.all():
            out += _weighted_products(row, column, value, weight, rows)
        else:
            some = np.flatnonzero(used[column])
            out += _weighted_products(row[some], column[some], value[some], weight, rows)
    return out


def _weighted_products(
    row: Int32s, column: Int32s, value: Floats, weight: Floats, rows: int
) -> list[Floats]:
    """The same for weights [column, weight] that the native code takes at once."""
    sums = np.zeros((rows, rows, weight.shape[1]))
    work = int((np.bincount(column, minlength=1).astype(float) ** 2).sum()) * weight.shape[1]
    shares = min(cores(), 1 + work // PRODUCTS_FOR_A_CORE)
    # Half of the table is worked out, so the first rows take longest: shares of equal area.
    ends = np.round(rows * (1 - np.sqrt(1 - np.linspace(0, 1, shares + 1)))).astype(int).tolist()

    def add(share: tuple[int, int]) -> None:
        found = native.row_products(row, column, value, weight, rows, *share)
        sums[slice(*share)] = found.reshape(-1, *sums.shape[1:])

    on_all_cores(add, [*pairwise(ends)])
    both = [one + one.T for one in np.moveaxis(sums, 2, 0)]
    for one in both:
        one[np.diag_indices(rows)] /= 2
    return both


def sums_by_topic(values: Floats, topic: Ints, topics: int) -> Floats:
    """[topic, ...]: rows of documents [document, ...], whose topics ascend, added up."""
    present, first = np.unique(topic, return_index=True)
    out = np.zeros((topics, *values.shape[1:]))
    if len(first):
        out[present] = np.add.reduceat(values, first, axis=0)
    return out


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
        self.waiting = 0  # numbers in `held`
        self.held: list[tuple[Int32s, Ints, Floats]] = []  # entries
        # [system, topic and draw], for each of the weights: half of the products with bases, bases
        self.crossed: list[list[tuple[Floats, Floats]]] = [[] for _ in weights]

    def add_table(self, documents: slice, values: Floats) -> None:
        """values: [system, document, part]"""
        for total, weight in zip(self.sums, self.weights, strict=True):
            mine = weight[documents]
            used = mine > 0
            if used.any():
                flat = (values[:, used] * np.sqrt(mine[used, None])).reshape(self.systems, -1)
                total += flat @ flat.T  # one array with itself: BLAS does half of the work

    def add_linear(
        self,
        documents: slice,
        system: Ints,
        document: Ints,
        value: Floats,
        topic: Ints,
        bases: Floats,
        rate: Floats,
    ) -> None:
        """system, document, value [entry, part]: of lists that contain documents, counted among
        these; topic: [document]; bases: [topic, system, draw]; rate: [draw, document, part]"""
        real = value.any(axis=1)
        row, document, value = system[real].astype(np.int32), document[real], value[real]
        topics, systems, draws = bases.shape
        each = np.einsum("np,knp->kn", value, rate[:, document])
        squares = np.einsum("kdp,ldp->dkl", rate, rate).reshape(len(topic), -1)
        key = topic[document] * systems + row
        flat = bases.transpose(1, 0, 2).reshape(systems, -1)
        for weight, held in zip(self.weights, self.crossed, strict=True):
            mine = weight[documents]
            if not mine.any():
                continue
            heavy = mine[document]
            own = [np.bincount(key, one * heavy, topics * systems) for one in each]
            pool = sums_by_topic(squares * mine[:, None], topic, topics) / 2
            listed = np.stack(own, axis=1).reshape(bases.shape)
            half = listed + bases @ pool.reshape(topics, draws, draws)
            held.append((half.transpose(1, 0, 2).reshape(systems, -1), flat))
        self.held.append((row, document + documents.start, value))
        self.waiting += value.size
        if self.waiting > ENTRIES_AT_ONCE:
            self._add_held()

    def _add_held(self) -> None:
        """Add the products of what `add_linear` was given."""
        if not self.held:
            return
        row, document, value = (np.concatenate(one) for one in zip(*self.held, strict=True))
        parts = value.shape[1]
        column = (document[:, None] * parts + np.arange(parts)).ravel().astype(np.int32)
        weights = [np.repeat(weight, parts) for weight in self.weights]
        row = np.repeat(row, parts)
        found = row_products(row, column, value.ravel(), weights, self.systems)
        for total, products, held in zip(self.sums, found, self.crossed, strict=True):
            total += products
            if held:
                cross, bases = (np.concatenate(one, axis=1) for one in zip(*held, strict=True))
                half = cross @ bases.T
                total += half + half.T
            held.clear()
        self.held.clear()
        self.waiting = 0

    def finish(self) -> list[Floats]:
        """The sums, one for each weight."""
        self._add_held()
        return self.sums
