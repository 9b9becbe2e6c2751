"""Features of a collection, as the papers list them (XG Table 1, TH Table 5.1)."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.align import Alignment
from hungjury.collection.qrels import Qrels
from hungjury.records import Record

__all__ = ["Facts", "collection_facts", "judged_depths"]


class Facts(Record):
    """Numbers of topics, runs and relevant documents, and how deep lists and pool are.

    Parameters
    ----------
    topics, runs : int
        Judged topics, and all runs.
    complete : int
        Runs that retrieve on every topic.
    length : int
        Documents in the longest list.
    depth : int
        Pool depth: the rank to which most runs are judged on all topics, see `judged_depths`.
    pooled : int
        Runs that are judged at least so deep.
    grades : int
        Grades of the scale.
    least, mean, most
        Relevant documents of a topic.
    """

    topics: int
    runs: int
    complete: int
    length: int
    depth: int
    pooled: int
    grades: int
    least: int
    mean: float
    most: int


def collection_facts(labels: Qrels, lists: Alignment, rel: int = 1) -> Facts:
    """The facts of graded or binary labels, and of runs that are aligned to their pool."""
    assert labels.labels is not None
    relevant = labels.pool.sum_by_topic(labels.labels >= rel)
    depths = judged_depths(lists)
    often = Counter(int(depth) for depth in depths if 0 < depth < lists.longest)
    depth = max(often, key=lambda d: (often[d], d)) if often else 0
    return Facts(
        topics=len(labels.topics),
        runs=len(lists.systems),
        complete=int(lists.retrieved.all(axis=1).sum()),
        length=lists.longest,
        depth=depth,
        pooled=int((depths >= depth).sum()),
        grades=labels.max_grade + 1,
        least=int(relevant.min()),
        mean=float(relevant.mean()),
        most=int(relevant.max()),
    )


def judged_depths(lists: Alignment) -> NDArray[np.int64]:
    """[system]: the rank down to which all lists of a run are judged without a gap.

    Lists that are judged to their end say nothing about the pool; a run that has only such lists
    counts as judged to the length of the longest list of all.
    """
    ranks = np.asarray(lists.rank, dtype=np.int64)
    cells = np.repeat(np.arange(len(lists.start)), lists.stop - lists.start)
    place = np.arange(len(ranks)) - lists.start[cells]
    unbroken = ranks == place + 1  # true up to the first gap, and false from there on
    depth = np.bincount(cells[unbroken], minlength=len(lists.start))
    depth[depth >= lists.length] = lists.longest
    return np.asarray(depth.reshape(lists.shape).min(axis=1), dtype=np.int64)
