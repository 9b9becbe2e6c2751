"""Means over all orders of documents that are tied in score.

Notation: a tie has s documents at ranks f+1 .. f+s, h of them relevant; C relevant documents are
above it, and x is the relevance of a document. All orders inside a tie are equally likely (McSherry
and Najork 2008).
"""

from __future__ import annotations

import numpy as np

from hungjury.base.arrays import Array, Bools, Floats, Ints
from hungjury.data.judged import Judged


def within(judged: Judged, cutoff: Ints | int) -> Floats:
    """Return [..., list, place]: the chance that a place is in the first `cutoff` ranks."""
    limit = np.asarray(cutoff)[..., None] if np.ndim(cutoff) else np.asarray(cutoff)
    if judged.ties is None:
        return (judged.ranks <= limit).astype(float)
    first, last = judged.ties
    size = last - first + 1
    return np.clip(limit - first + 1, 0, size) / size


def _around(judged: Judged, hits: Bools | Floats) -> tuple[Array, Array]:
    """Return C and h for the tie of every place."""
    assert judged.ties is not None
    first, _ = judged.ties
    width = first.shape[-1]
    places = np.arange(width)
    fresh = np.ones(first.shape, dtype=bool)
    fresh[..., 1:] = first[..., 1:] != first[..., :-1]
    begin = np.maximum.accumulate(np.where(fresh, places, 0), axis=-1)
    closing = np.ones(first.shape, dtype=bool)
    closing[..., :-1] = fresh[..., 1:]
    end = np.minimum.accumulate(np.where(closing, places, width)[..., ::-1], axis=-1)[..., ::-1]
    total: Array = np.cumsum(hits, axis=-1)
    begin, end = (np.broadcast_to(x, hits.shape) for x in (begin, end))
    above: Array = np.take_along_axis(total - hits, begin, axis=-1)
    return above, np.take_along_axis(total, end, axis=-1) - above


def expected_precisions(judged: Judged, values: Bools | Floats, cutoff: int | None) -> Floats:
    """Return [..., list, place]: the mean over orders of relevance times precision, to `cutoff`."""
    assert judged.ties is not None
    first, last = judged.ties
    above, inside = _around(judged, values)
    f, size = first - 1, last - first + 1
    limit = judged.depth if cutoff is None else min(cutoff, judged.depth)
    seen = np.clip(limit - f, 0, size)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, judged.depth + 2))])
    one_over = harmonic[np.minimum(f + seen, judged.depth + 1)] - harmonic[f]
    # Sum over the ranks f+i seen of (C + 1 + (i-1)(h-x)/(s-1)) / (f+i), each with chance 1/s.
    spread = (inside - values) / np.maximum(size - 1, 1)
    each = (above + 1) * one_over + spread * (seen - (f + 1) * one_over)
    return np.asarray(values * each / size)


def precision_sums(judged: Judged, p: Floats, unjudged: float, cutoff: int | None) -> Floats:
    """Return [..., list]: the mean over orders of the sum of P(relevant) times expected precision.

    At rank f+i of a tie a document is relevant with h / s, and both it and an earlier one of the
    tie with (i-1)(h² - q) / (s(s-1)), q the sum of squares; h and q include the tie's documents
    without a label. Outside of recorded ties such documents are all alike: their order is the same.
    """
    assert judged.ties is not None
    shape = np.broadcast_shapes(p.shape, judged.ranks.shape)
    width, depth = shape[-1], judged.depth
    p = np.broadcast_to(p, shape).reshape(-1, width)
    first, last = (np.broadcast_to(x, shape).reshape(-1, width).astype(int) for x in judged.ties)
    length = np.broadcast_to(judged.length, shape[:-1]).reshape(-1, 1)
    rows = np.arange(len(p))[:, None]
    known, squares, labelled = np.zeros((3, len(p), depth + 2))
    for total, value in ((known, p), (squares, p**2), (labelled, np.ones_like(p))):
        np.add.at(
            total, (np.broadcast_to(rows, p.shape), first), value
        )  # of each tie, at its start
    size = np.ones_like(known)
    np.put_along_axis(size, first, (last - first + 1).astype(float), axis=1)
    others = size - labelled
    h, q = known + others * unjudged, squares + others * unjudged**2
    n = np.arange(depth + 2)
    tied = labelled > 0
    start = np.maximum.accumulate(np.where(tied, n, 0), axis=1)
    inside = (start > 0) & (n < start + np.take_along_axis(size, start, axis=1))
    h, q, s = (np.take_along_axis(x, start, axis=1) for x in (h, q, size))
    mean = np.where(inside, h / s, unjudged) * ((n >= 1) & (n <= length))
    both = np.where(inside, (n - start) * (h**2 - q) / (s * np.maximum(s - 1, 1)), 0.0)
    above = np.take_along_axis(np.cumsum(mean, axis=1), np.where(inside, start, n).clip(1) - 1, 1)
    limit = depth if cutoff is None else min(cutoff, depth)
    seen = (n >= 1) & (n <= np.minimum(length, limit))
    value = np.where(seen, (mean * (1 + above) + both) / n.clip(1), 0.0).sum(axis=1)
    return np.asarray(value.reshape(shape[:-1]))


def first_hit_distribution(judged: Judged, hits: Bools) -> tuple[Floats, Floats]:
    """Return ranks of the first relevant document and their chances, each [..., list, step].

    Lists without a relevant document have chance 0 everywhere.
    """
    assert judged.ties is not None
    first, last = judged.ties
    _, inside = _around(judged, hits)
    at = np.argmax(hits, axis=-1)[..., None]
    found = np.asarray(hits.any(axis=-1))
    full = [np.broadcast_to(x, hits.shape) for x in (first, last)]
    begin, stop = (np.take_along_axis(x, at, axis=-1)[..., 0] for x in full)
    h = np.take_along_axis(inside, at, axis=-1)[..., 0]
    size = np.where(found, stop - begin + 1, 1)
    steps = np.arange(int(size.max(initial=1)))
    # P(the first i documents of the tie are all not relevant), i = 0, 1, ...
    left = np.maximum(size[..., None] - h[..., None] - steps, 0)
    of = np.maximum(size[..., None] - steps, 1)
    none_yet = np.cumprod(np.concatenate([np.ones((*h.shape, 1)), left / of], axis=-1), axis=-1)
    chance = np.where(found[..., None], none_yet[..., :-1] - none_yet[..., 1:], 0.0)
    return (begin[..., None] + steps).astype(float), chance
