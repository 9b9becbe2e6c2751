"""The gradient of nMCG-MART, and nMCG itself, for all queries of a set at once (TH 5.5.2)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.ltr.labels import Labels
from hungjury.machine import cores
from hungjury.records import Record
from hungjury.users.model import UserModel

__all__ = ["Queries", "class_shares", "dcg_queries", "nmcg_queries"]

Array = NDArray[np.float64]
Single = NDArray[np.float32]
Offsets = NDArray[np.int64]
WORTH_SHARING = 20_000  # with fewer documents starting threads costs more than they save


class Queries(Record, eq=False):
    """Gains of all documents, and for each query the weights of the ranks that users see.

    Ranks below the last column weigh 0. Values and lambdas of a query depend on it alone, so they
    are the same on any number of cores.
    """

    gains: Array  # [document]
    offsets: Offsets  # [query + 1]
    discounts: Array  # [query, rank]
    over_ideal: Array  # [query]: 1 / weighted gains of the documents sorted by gain; 0 without any

    @staticmethod
    def of(gains: Array, offsets: Offsets, discounts: Array) -> Queries:
        ideal = np.array(
            [
                _best(gains[begin:end], weights)
                for begin, end, weights in zip(offsets[:-1], offsets[1:], discounts, strict=True)
            ]
        )
        over_ideal = np.divide(1.0, ideal, out=np.zeros(len(ideal)), where=ideal > 0)
        return Queries(gains, offsets, np.ascontiguousarray(discounts), over_ideal)

    def lambdas(self, scores: Array) -> tuple[Single, Single]:
        """First and second derivatives of the pairwise cost at these scores, [document] each."""
        gradient, hessian = (np.empty(len(self.gains), dtype=np.float32) for _ in range(2))

        def work(first: int, last: int) -> None:
            native.lambdas(*self._given(scores), first, last, gradient, hessian)

        self._share_out(work)
        return gradient, hessian

    def values(self, scores: Array) -> Array:
        """[query]: weighted gains over the ideal, as the mean over all orders of tied documents;
        0 where nothing can be gained."""
        found = np.empty(len(self.over_ideal))

        def work(first: int, last: int) -> None:
            native.ranking_values(*self._given(scores), first, last, found)

        self._share_out(work)
        return found

    def _given(self, scores: Array) -> tuple[Array, Array, Offsets, Array, Array]:
        plain = np.ascontiguousarray(scores, dtype=np.float64)
        return plain, self.gains, self.offsets, self.discounts, self.over_ideal

    def _share_out(self, work: Callable[[int, int], None]) -> None:
        """Queries first to last for each core, with about as many documents."""
        shares = cores() if len(self.gains) >= WORTH_SHARING else 1
        steps = np.linspace(0, self.offsets[-1], shares + 1)[1:-1]
        cuts = np.unique([0, *np.searchsorted(self.offsets, steps), len(self.over_ideal)]).tolist()
        parts = list(pairwise(cuts))
        if len(parts) == 1:
            work(*parts[0])
            return
        with ThreadPoolExecutor(len(parts)) as pool:
            for done in [pool.submit(work, *part) for part in parts]:
                done.result()


def _best(gains: Array, weights: Array) -> float:
    """The weighted gains of documents sorted by gain."""
    best = np.sort(gains)[::-1][: len(weights)]
    return float(best @ weights[: len(best)])


def class_shares(labels: Labels, offsets: Offsets, nav_rel: int) -> Array:
    """[query]: the probability that exactly one document has grade `nav_rel` or more.

    With known grades 1 for navigational and 0 for informational queries; documents are
    independent, as everywhere where labels are probabilities.
    """
    p = labels.at_least(nav_rel)
    sure = p == 1
    surely = np.add.reduceat(sure.astype(np.int64), offsets[:-1])
    rest = np.where(sure, 0.0, p)
    none = np.multiply.reduceat(1 - rest, offsets[:-1])
    one = none * np.add.reduceat(rest / (1 - rest), offsets[:-1])
    return np.select([surely == 0, surely == 1], [one, none], 0.0)


def nmcg_queries(
    labels: Labels, offsets: Offsets, user: UserModel, nav_rel: int, cutoff: int
) -> Queries:
    """Queries whose ranks weigh as much as the users of their class look at them.

    Where labels are probabilities the class is uncertain too: the dynamics of both are mixed.
    """
    table = user.discounts(cutoff)
    informational, navigational = table[user.class_of(np.array([0, 1]))]
    share = class_shares(labels, offsets, nav_rel)[:, None]
    mixed = share * navigational + (1 - share) * informational
    return Queries.of(labels.gains(), offsets, mixed)


def dcg_queries(labels: Labels, offsets: Offsets, cutoff: int) -> Queries:
    """The same with DCG's discount 1 / log2(rank + 1), for every query alike."""
    discount = 1 / np.log2(np.arange(2, cutoff + 2))
    return Queries.of(
        labels.gains(), offsets, np.broadcast_to(discount, (len(offsets) - 1, cutoff))
    )
