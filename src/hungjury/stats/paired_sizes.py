"""The size of the difference between paired systems: intervals and effect sizes.

All take differences [..., topic], as the tests do, and return arrays [...], a float for one pair.
An interval holds the mean differences that its test does not reject at alpha: 0 lies outside
exactly where p < alpha.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from hungjury.limits import check_share
from hungjury.stats._checks import Floats, Numbers, Seed, as_number, count
from hungjury.stats.paired_tests import (
    CELLS_AT_ONCE,
    NOISE,
    _centred,
    _differences,
    _effect,
    _resampled,
    _signs,
)


def t_interval(differences: ArrayLike, alpha: float = 0.05) -> tuple[Numbers, Numbers]:
    """Student's interval of the mean difference: (low, high)."""
    from scipy.special import stdtrit

    table = _differences(differences)
    check_share("alpha", alpha)
    topics = table.shape[-1]
    error = np.sqrt((_centred(table) ** 2).sum(axis=-1) / (topics - 1) / topics)
    return _around(table.mean(axis=-1), stdtrit(topics - 1, 1 - alpha / 2) * error)


def bootstrap_interval(
    differences: ArrayLike, alpha: float = 0.05, samples: int = 1000, rng: Seed = 0
) -> tuple[Numbers, Numbers]:
    """The symmetric studentised interval of Sakai's test, from the same resampled topics.

    Infinite where too many resamples are of one value only, as with very few topics.
    """
    table = _differences(differences)
    check_share("alpha", alpha)
    count(samples, "samples")
    rows = table.reshape(-1, table.shape[-1])
    centred = _centred(rows)
    rank = _fewest(alpha * samples)
    half = np.empty(len(rows))
    for block, _means, statistics in _resampled(centred, samples, rng):
        limit = -np.partition(-statistics, rank - 1, axis=-1)[:, rank - 1]
        half[block] = limit * np.sqrt((centred[block] ** 2).mean(axis=-1))
    return _around(table.mean(axis=-1), half.reshape(table.shape[:-1]))


def randomisation_interval(
    differences: ArrayLike, alpha: float = 0.05, samples: int = 10000, rng: Seed = 0
) -> tuple[Numbers, Numbers]:
    """The interval of the randomisation test, from the same sign patterns.

    Subtract m from all differences, and call P the sum of those that keep their sign, M of those
    that change it. The pattern is as extreme as the observed one where |P - M| >= |P + M|, so
    where P and M have not the same sign: where m lies between the means of both groups. The test
    does not reject m while enough patterns hold it. Patterns with one group hold every m, so that
    with few topics the interval is infinite, as the test can then reject nothing.
    """
    table = _differences(differences)
    check_share("alpha", alpha)
    count(samples, "samples")
    topics = table.shape[-1]
    rows = table.reshape(-1, topics)
    coins, exact = _signs(topics, samples, rng)
    # The observed pattern, which holds every m, is one of all patterns but not of random ones.
    needed = _fewest(alpha * len(coins)) if exact else _fewest(alpha * (samples + 1)) - 1
    low, high = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
    kept = np.asarray(coins > 0, dtype=float)
    step = max(1, CELLS_AT_ONCE // len(coins))
    blocks = [slice(start, start + step) for start in range(0, len(rows), step)]
    for block in blocks if needed else []:
        first, second = _group_means(rows[block], kept)
        low[block] = np.partition(np.minimum(first, second), needed - 1, axis=0)[needed - 1]
        high[block] = -np.partition(-np.maximum(first, second), needed - 1, axis=0)[needed - 1]
    shape = table.shape[:-1]
    return as_number(low.reshape(shape)), as_number(high.reshape(shape))


def cohens_d(differences: ArrayLike) -> Numbers:
    """Cohen's d of paired samples, d_z: mean over standard deviation of the differences.

    0 without any difference, infinite if all differences are equal.
    """
    table = _differences(differences)
    topics = table.shape[-1]
    size = np.sqrt((topics - 1) / topics) * _effect(table, _centred(table))
    return as_number(np.asarray(np.sign(table.mean(axis=-1)) * size))


def rank_biserial(differences: ArrayLike) -> Numbers:
    """Matched-pairs rank-biserial correlation (Kerby 2014), the effect size of Wilcoxon's test.

    Share of the ranks of |difference| in favour of the system, minus the share against it;
    zeros are left out, 0 without any difference.
    """
    from scipy.stats import rankdata

    table = _differences(differences)
    zeros = (table == 0).sum(axis=-1, keepdims=True)
    ranks = np.where(table == 0, 0.0, rankdata(np.abs(table), axis=-1) - zeros)
    total = ranks.sum(axis=-1)
    balance = (np.sign(table) * ranks).sum(axis=-1)
    out = np.divide(balance, total, out=np.zeros(total.shape), where=total > 0)
    return as_number(np.asarray(out))


def _around(middle: Floats, half: Floats) -> tuple[Numbers, Numbers]:
    return as_number(np.asarray(middle - half)), as_number(np.asarray(middle + half))


def _fewest(share_of_patterns: float) -> int:
    """The smallest number of patterns that makes up a share of them, up to rounding."""
    return max(1, math.ceil(share_of_patterns * (1 - NOISE)))


def _group_means(rows: Floats, kept: Floats) -> tuple[Floats, Floats]:
    """[pattern, row]: means of the differences that keep, and that change their sign.

    Where one group is empty, -inf and inf: the two hold everything between them.
    """
    number = kept.sum(axis=-1)[:, None]
    both = (number > 0) & (number < rows.shape[-1])
    sums = kept @ rows.T
    rest = rows.sum(axis=-1) - sums
    first, second = np.full(sums.shape, -np.inf), np.full(sums.shape, np.inf)
    np.divide(sums, number, out=first, where=both)
    np.divide(rest, rows.shape[-1] - number, out=second, where=both)
    return first, second
