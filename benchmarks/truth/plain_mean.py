"""Scores on mean grades, the alternative to the expectation under the shares of votes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.data.alignment import Alignment
from hungjury.data.qrels import Judgments
from hungjury.judges.panel import Panel
from hungjury.judges.votes import vote_shares

Floats = NDArray[np.float64]
CUTOFF, REL = 10, 2


def ndcg_of_mean_grades(judgments: Judgments, alignment: Alignment) -> Floats:
    """[system]: nDCG@10 with the mean grade as the gain."""
    panel = Panel.of(judgments)
    gain = vote_shares(panel) @ np.array(panel.grades, dtype=float)
    discount = 1 / np.log2(np.arange(2, CUTOFF + 2))
    pool = alignment.pool
    ideal = np.array(
        [
            _best(gain[pool.slice(t)]) @ discount[: min(CUTOFF, len(gain[pool.slice(t)]))]
            for t in range(len(pool.topics))
        ]
    )
    weight = np.where(alignment.rank <= CUTOFF, 1 / np.log2(alignment.rank + 1.0), 0.0)
    total = _sums(alignment, weight * gain[alignment.document]).reshape(alignment.shape)
    return np.asarray(np.divide(total, ideal, where=ideal > 0, out=np.zeros_like(total)).mean(1))


def ap_of_mean_votes(judgments: Judgments, alignment: Alignment) -> Floats:
    """[system]: AP with the share of votes for relevance in place of relevance (eRAP)."""
    panel = Panel.of(judgments, REL)
    p = vote_shares(panel)[:, 1]
    base = alignment.pool.sum_by_topic(p)
    values = np.zeros(len(alignment.start))
    for cell, (start, stop) in enumerate(zip(alignment.start, alignment.stop, strict=True)):
        mine = p[alignment.document[start:stop]]
        above = np.cumsum(mine) - mine
        values[cell] = ((1 + above) * mine / alignment.rank[start:stop]).sum()
    total = values.reshape(alignment.shape)
    return np.asarray(np.divide(total, base, where=base > 0, out=np.zeros_like(total)).mean(1))


def _best(gain: Floats) -> Floats:
    return np.asarray(np.sort(gain)[::-1][:CUTOFF])


def _sums(alignment: Alignment, values: Floats) -> Floats:
    upto = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray(upto[alignment.stop] - upto[alignment.start])


PLAIN = {"nDCG@10": ndcg_of_mean_grades, "AP(rel=2)": ap_of_mean_votes}
