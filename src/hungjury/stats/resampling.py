"""Resampling topics, intervals from draws, and sampling designs.

Priority sampling (Duffield, Lund and Thorup 2007) gives every unit one uniform number and draws in
the order of number / weight. After n draws a unit was included with probability
min(1, c * weight), c being the next ratio in the order: samples are nested and their probabilities
are known wherever the drawing stops.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hungjury.base.arrays import ArrayLike, Floats
from hungjury.base.parameters import check_share
from hungjury.stats._checks import Numbers, Seed, as_number, count, generator, numbers

CELLS_AT_ONCE = 2**22  # entries of one block of a table of resampled topics, to bound memory


def resample_counts(topics: int, draws: int, rng: Seed = 0) -> Floats:
    """Draw topics with replacement: [draw, topic], how often each topic is drawn."""
    count(topics, "topics")
    count(draws, "draws")
    random = generator(rng)
    return random.multinomial(topics, np.full(topics, 1 / topics), size=draws).astype(float)


def bootstrap_means(values: ArrayLike, draws: int = 1000, rng: Seed = 0) -> Floats:
    """Average over resampled topics: [..., topic] -> [draw, ...].

    One draw resamples the same topics for all leading axes: systems stay paired.
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


def topic_deviations(
    values: Floats, draws: int, resampling: np.random.Generator, scaling: np.random.Generator
) -> Floats:
    """Draw deviations of the mean over other topics from the mean over these.

    Parameters
    ----------
    values
        [..., topic], at least two topics.
    draws
        Number of draws.
    resampling, scaling
        Generators of the resampled topics and of the widening; may be the same one.

    Returns
    -------
    array
        [draw, ...]. A bootstrap of n topics is too narrow by sqrt((n-1)/n), and normal where
        Student's t is due. One chi-square variable per draw corrects both.
    """
    topics = values.shape[-1]
    deviation = bootstrap_means(values, draws, resampling) - values.mean(axis=-1)
    widths = np.sqrt(topics / scaling.chisquare(topics - 1, draws))
    return np.asarray(deviation * widths.reshape(-1, *[1] * (values.ndim - 1)))


def repeat_deviations(
    values: Sequence[Floats],
    weights: Sequence[float] | Floats,
    groups: Sequence[Sequence[int]],
    draws: int,
    rng: np.random.Generator,
    population: bool = True,
) -> Floats:
    """Draw deviations of systems' means with other repeats, such as seeds, from those with these.

    Parameters
    ----------
    values
        [run, topic] for each collection.
    weights
        Of the collections.
    groups
        The places of the runs of each system.
    draws
        Number of draws.
    rng
        Generator of the deviations.
    population
        What repeats do differently on single topics is part of how their means differ. If topics
        are resampled, it is in there already and taken off here.

    Returns
    -------
    array
        [draw, system]; 0 if every system has one run. The variance between repeats is estimated
        over all systems; one chi-square variable per draw widens few of them to Student's t.
    """
    sizes = np.array([len(mine) for mine in groups])
    freedom = int((sizes - 1).sum())
    if not freedom:
        return np.zeros((draws, len(groups)))
    groups = [list(mine) for mine in groups]
    means = np.sum([w * one.mean(axis=1) for w, one in zip(weights, values, strict=True)], axis=0)
    variance = sum(float(((means[mine] - means[mine].mean()) ** 2).sum()) for mine in groups)
    for weight, one in zip(weights, values, strict=True):
        topics = one.shape[1]
        if population and topics > 1:
            odd = one - one.mean(axis=1, keepdims=True)
            left = sum(float(((odd[mine] - odd[mine].mean(axis=0)) ** 2).sum()) for mine in groups)
            variance -= weight**2 * left / (topics - 1) / topics
    sd = np.sqrt(max(variance, 0.0) / rng.chisquare(freedom, (draws, 1)))
    return np.asarray(sd / np.sqrt(sizes) * rng.standard_normal((draws, len(groups))))


def interval(draws: ArrayLike, level: float = 0.95, axis: int = 0) -> tuple[Numbers, Numbers]:
    """Return the ends (low, high) of the central interval that contains `level` of the draws.

    Every interval that is made from draws comes from here. `axis` is the axis of the draws.

    Examples
    --------
    >>> low, high = interval(range(101), 0.9)
    >>> round(low), round(high)
    (5, 95)
    """
    check_share("level", level)
    table = np.moveaxis(np.asarray(draws, dtype=np.float64), axis, -1)
    table = numbers(table, "draws", unit="draw")
    low, high = np.quantile(table, [(1 - level) / 2, (1 + level) / 2], axis=-1)
    return as_number(low), as_number(high)


def normal_reach(level: float = 0.95) -> float:
    """Return how many standard errors a normal interval of this level reaches to each side.

    Examples
    --------
    >>> round(normal_reach(0.95), 2)
    1.96
    """
    from statistics import NormalDist  # scipy.special is slow to import

    check_share("level", level)
    return NormalDist().inv_cdf((1 + level) / 2)


def inclusion(weight: Floats, threshold: float) -> Floats:
    """Return the probability of each unit that its ratio is below the threshold."""
    return np.minimum(1.0, threshold * weight)


def expected_inclusion(weight: Floats, size: int) -> Floats:
    """Return min(1, c * weight) with the c that makes the probabilities add up to `size`."""
    if size >= len(weight):
        return np.ones(len(weight))
    ordered = np.sort(weight)[::-1]
    rest = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
    # With the k heaviest units certain, c = (size - k) / rest[k]; the first k that fits is right.
    certain = np.arange(size)
    scale = (size - certain) / rest[certain]
    k = int(np.argmax(scale * ordered[certain] <= 1 + 1e-12))
    return inclusion(weight, float(scale[k]))
