"""Resampling topics, and intervals from samples."""

import numpy as np
from numpy.typing import ArrayLike

from hungjury.limits import check_share
from hungjury.stats._checks import (
    Floats,
    Numbers,
    Seed,
    as_number,
    count,
    generator,
    numbers,
)

CELLS_AT_ONCE = 2**22
"""Entries of one block of a table of resampled topics, to bound memory."""


def resample_counts(topics: int, draws: int, rng: Seed = 0) -> Floats:
    """[draws, topics]: how often each topic is drawn, `topics` draws with replacement a row."""
    count(topics, "topics")
    count(draws, "draws")
    random = generator(rng)
    return random.multinomial(topics, np.full(topics, 1 / topics), size=draws).astype(float)


def bootstrap_means(values: ArrayLike, draws: int = 1000, rng: Seed = 0) -> Floats:
    """Means over resampled topics: [..., topic] -> [draws, ...].

    One draw resamples the same topics for all leading axes, so that systems stay paired.
    """
    table = numbers(values, "values", unit="topic")
    count(draws, "draws")
    topics = table.shape[-1]
    rows = table.reshape(-1, topics)
    random = generator(rng)
    means = np.empty((draws, len(rows)))
    step = max(1, CELLS_AT_ONCE // topics)
    for start in range(0, draws, step):
        counts = resample_counts(topics, min(step, draws - start), random)
        means[start : start + len(counts)] = counts @ rows.T / topics
    return means.reshape(draws, *table.shape[:-1])


def percentile_interval(
    samples: ArrayLike, level: float = 0.95, axis: int = 0
) -> tuple[Numbers, Numbers]:
    """The central interval that holds `level` of the samples along `axis`: (low, high)."""
    check_share("level", level)
    table = np.moveaxis(np.asarray(samples, dtype=np.float64), axis, -1)
    table = numbers(table, "samples", unit="sample")
    low, high = np.quantile(table, [(1 - level) / 2, (1 + level) / 2], axis=-1)
    return as_number(low), as_number(high)
