"""Paired systems: two-sided tests of a zero mean difference, intervals and effect sizes.

All take differences [..., topic] and return arrays [...], a float for one pair. Two systems
without any difference have p = 1. An interval contains the mean differences that its test does not
reject at alpha: 0 lies outside exactly where p < alpha.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hungjury.base.arrays import ArrayLike, Floats
from hungjury.base.parameters import check_share
from hungjury.stats._checks import Numbers, Seed, as_number, count, generator, numbers
from hungjury.stats.resampling import resample_counts

CELLS_AT_ONCE = 2**21  # entries of one block of a samples x pairs table, to bound memory
NOISE = 1e-12  # relative size below which a difference of sums is rounding


def t_test(differences: ArrayLike) -> Numbers:
    """Test by Student's paired t; p = 0 where all differences are the same and not 0."""
    from scipy.special import stdtr  # scipy.stats has the whole test but is slow to import

    table = _differences(differences)
    freedom = table.shape[-1] - 1
    statistic = np.sqrt(freedom) * _effect(table, _centred(table))
    return as_number(np.asarray(2 * stdtr(freedom, -statistic)))


def equivalence_test(differences: ArrayLike, margin: float) -> Numbers:
    """Test for equivalence by two one-sided t-tests, of a mean outside -margin to margin.

    Small values show that the mean is within the margin. Where all differences are the same, p is
    0 if they are within the margin, and 1 if not.
    """
    from scipy.special import stdtr

    table = _differences(differences)
    topics = table.shape[-1]
    mean = table.mean(axis=-1)
    error = np.sqrt((_centred(table) ** 2).sum(axis=-1) / (topics - 1) / topics)
    room = margin - np.abs(mean)  # to the nearer end, whose test has the larger p-value
    with np.errstate(over="ignore"):
        statistic = np.divide(
            room, error, out=np.where(room > 0, np.inf, -np.inf), where=np.asarray(error > 0)
        )
    return as_number(np.asarray(stdtr(topics - 1, -statistic)))


def wilcoxon(differences: ArrayLike) -> Numbers:
    """Test by Wilcoxon's signed ranks, zero differences left out.

    scipy chooses the exact distribution or its normal approximation by looking at all rows at
    once. Rows with ties or zeros are therefore given to it apart from those without: a pair has
    the same p-value alone as among others.
    """
    from scipy.stats import wilcoxon as signed_rank

    rows, shape = _rows(differences)
    sizes = np.sort(np.abs(rows), axis=-1)
    different = sizes[:, -1] > 0
    rough = (sizes[:, 0] == 0) | (sizes[:, 1:] == sizes[:, :-1]).any(axis=-1)
    pvalues = np.ones(len(rows))
    # In small tied samples scipy lists all sign changes of a row, up to 2**13 of them.
    step = 32
    for group in (np.flatnonzero(different & rough), np.flatnonzero(different & ~rough)):
        for start in range(0, len(group), step):
            block = group[start : start + step]
            pvalues[block] = signed_rank(rows[block], axis=-1).pvalue
    return as_number(pvalues.reshape(shape))


def randomisation_test(differences: ArrayLike, samples: int = 10000, rng: Seed = 0) -> Numbers:
    """Test by Fisher's randomisation: the sign of every topic's difference is random.

    p is the share of sign patterns whose mean is at least as far from 0 as the observed one: of
    all 2**topics patterns where these are at most `samples`, else of `samples` random ones and
    the observed one.
    """
    rows, shape = _rows(differences)
    coins, exact = _signs(rows.shape[-1], samples, rng)
    # Rounding must not separate patterns with the same sum.
    limit = np.abs(rows.sum(axis=-1)) - NOISE * np.abs(rows).sum(axis=-1)
    extreme = np.empty(len(rows))
    for block in _blocks(rows, len(coins)):
        extreme[block] = np.count_nonzero(np.abs(coins @ rows[block].T) >= limit[block], axis=0)
    pvalues = extreme / len(coins) if exact else (extreme + 1) / (samples + 1)
    return as_number(pvalues.reshape(shape))


class Tested(NamedTuple):
    """p-values of pairs, and the |mean difference| needed to be significant at alpha."""

    p: Numbers
    needed: Numbers


def bootstrap_test(differences: ArrayLike, samples: int = 1000, rng: Seed = 0) -> Numbers:
    """Test by Sakai's paired bootstrap (SIGIR 2006)."""
    return studentised_bootstrap(differences, samples, rng, alpha=None).p


def studentised_bootstrap(
    differences: ArrayLike, samples: int = 1000, rng: Seed = 0, alpha: float | None = 0.05
) -> Tested:
    """Test by Sakai's paired bootstrap, and find the difference it needs (SIGIR 2006).

    Differences are shifted to mean 0 and their topics resampled; p is (b + 1) / (samples + 1),
    never 0, where b samples have a |t| that reaches the observed one. The difference needed is the
    |mean| of the sample whose |t| is the (samples * alpha)-th largest; without `alpha` it is not
    looked for (NaN), which is faster. All pairs share the resampled topics.
    """
    rows, shape = _rows(differences)
    if alpha is not None:
        check_share("alpha", alpha)
    centred = _centred(rows)
    observed = _effect(rows, centred)
    pvalues, needed = np.empty(len(rows)), np.full(len(rows), np.nan)
    for block, means, statistics in _resampled(centred, samples, rng):
        reached = statistics >= observed[block, None] * (1 - NOISE)
        pvalues[block] = (np.count_nonzero(reached, axis=-1) + 1) / (samples + 1)
        if alpha is None:
            continue
        rank = max(1, round(samples * alpha)) - 1
        at_rank = np.argsort(-statistics, axis=-1, kind="stable")[:, rank, None]
        needed[block] = np.take_along_axis(means, at_rank, axis=-1)[:, 0]
    return Tested(as_number(pvalues.reshape(shape)), as_number(needed.reshape(shape)))


def _differences(differences: ArrayLike) -> Floats:
    return numbers(differences, "differences", unit="topic", least=2)


def _rows(differences: ArrayLike) -> tuple[Floats, tuple[int, ...]]:
    """Return differences as rows [pair, topic], and the shape of the leading axes."""
    table = _differences(differences)
    return table.reshape(-1, table.shape[-1]), table.shape[:-1]


def _blocks(rows: Floats, samples: int) -> Iterator[slice]:
    """Split rows into blocks, to bound the memory of tables of samples by rows."""
    step = max(1, CELLS_AT_ONCE // samples)
    return (slice(start, start + step) for start in range(0, len(rows), step))


def _centred(rows: Floats) -> Floats:
    """Shift rows to mean 0; equal differences become exactly 0."""
    return _without_noise(rows - rows.mean(axis=-1, keepdims=True), rows)


def _effect(rows: Floats, centred: Floats) -> Floats:
    """Return |mean| over standard deviation."""
    means = _without_noise(np.abs(rows.mean(axis=-1, keepdims=True)), rows)[..., 0]
    return _ratio(means, np.sqrt((centred**2).mean(axis=-1)))


def _without_noise(results: Floats, rows: Floats) -> Floats:
    """Replace results [..., any] that are rounding beside their row [..., topic] by 0."""
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    return np.where(np.abs(results) > NOISE * largest, results, 0.0)


def _ratio(size: Floats, spread: Floats) -> Floats:
    """Return size / spread: 0 where size is 0, infinite where only spread is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size == 0, 0.0, size / spread)


def _spread(means: Floats, squares: Floats) -> Floats:
    """Compute standard deviations from means and mean squares; rounding of these is 0."""
    variance = squares - means**2
    return np.asarray(np.sqrt(np.where(variance > NOISE * squares, variance, 0.0)))


def _resampled(centred: Floats, samples: int, rng: Seed) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield |mean| and |mean| / spread of resampled topics [row, sample], by blocks of rows."""
    count(samples, "samples")
    topics = centred.shape[-1]
    shares = resample_counts(topics, samples, rng) / topics
    for block in _blocks(centred, samples):
        means = np.abs(centred[block] @ shares.T)
        yield block, means, _ratio(means, _spread(means, centred[block] ** 2 @ shares.T))


def _signs(topics: int, samples: int, rng: Seed) -> tuple[Floats, bool]:
    """Return signs [pattern, topic]: all patterns if `samples` are enough for them (True)."""
    count(samples, "samples")
    exact = topics < 62 and 2**topics <= samples
    if exact:
        coins = np.arange(2**topics)[:, None] >> np.arange(topics) & 1
    else:
        coins = generator(rng).integers(0, 2, size=(samples, topics))
    return np.where(coins == 1, 1.0, -1.0), exact


def t_interval(differences: ArrayLike, alpha: float = 0.05) -> tuple[Numbers, Numbers]:
    """Return Student's interval of the mean difference: (low, high)."""
    from scipy.special import stdtrit

    table = _differences(differences)
    check_share("alpha", alpha)
    topics = table.shape[-1]
    error = np.sqrt((_centred(table) ** 2).sum(axis=-1) / (topics - 1) / topics)
    with np.errstate(invalid="ignore"):  # 0 * infinity: no interval at an alpha that rounds to 0
        half = stdtrit(topics - 1, 1 - alpha / 2) * error
    return _around(table.mean(axis=-1), half)


def bootstrap_interval(
    differences: ArrayLike, alpha: float = 0.05, samples: int = 1000, rng: Seed = 0
) -> tuple[Numbers, Numbers]:
    """Return the symmetric studentised interval of Sakai's test, from the same resamples.

    Infinite where too many resamples are of one value only, as with very few topics.
    """
    rows, shape = _rows(differences)
    check_share("alpha", alpha)
    centred = _centred(rows)
    rank = _fewest(alpha * samples)
    half = np.empty(len(rows))
    for block, _means, statistics in _resampled(centred, samples, rng):
        limit = -np.partition(-statistics, rank - 1, axis=-1)[:, rank - 1]
        half[block] = limit * np.sqrt((centred[block] ** 2).mean(axis=-1))
    return _around(rows.mean(axis=-1).reshape(shape), half.reshape(shape))


def randomisation_interval(
    differences: ArrayLike, alpha: float = 0.05, samples: int = 10000, rng: Seed = 0
) -> tuple[Numbers, Numbers]:
    """Return the interval of the randomisation test, from the same sign patterns.

    Subtract m from all differences, and call P the sum of those that keep their sign, M of those
    that change it. The pattern is as extreme as the observed one where |P - M| >= |P + M|, which
    is where P and M differ in sign: where m lies between the means of both groups. The test does
    not reject m while enough patterns contain it. Patterns with one group contain every m: with few
    topics the interval is infinite, as the test can then reject nothing.
    """
    rows, shape = _rows(differences)
    check_share("alpha", alpha)
    coins, exact = _signs(rows.shape[-1], samples, rng)
    # The observed pattern, which contains every m, is one of all patterns but not of random ones.
    needed = _fewest(alpha * len(coins)) if exact else _fewest(alpha * (samples + 1)) - 1
    low, high = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
    kept = np.asarray(coins > 0, dtype=float)
    for block in _blocks(rows, len(coins)) if needed else ():
        first, second = _group_means(rows[block], kept)
        low[block] = np.partition(np.minimum(first, second), needed - 1, axis=0)[needed - 1]
        high[block] = -np.partition(-np.maximum(first, second), needed - 1, axis=0)[needed - 1]
    return as_number(low.reshape(shape)), as_number(high.reshape(shape))


def cohens_d(differences: ArrayLike) -> Numbers:
    """Compute Cohen's d of paired samples, d_z: mean over standard deviation of differences.

    0 without any difference, infinite if all differences are equal.
    """
    table = _differences(differences)
    topics = table.shape[-1]
    size = np.sqrt((topics - 1) / topics) * _effect(table, _centred(table))
    return as_number(np.asarray(np.sign(table.mean(axis=-1)) * size))


def rank_biserial(differences: ArrayLike) -> Numbers:
    """Compute the matched-pairs rank-biserial correlation (Kerby 2014), Wilcoxon's effect size.

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
    """Return the smallest number of patterns that reaches a share of them, up to rounding."""
    return max(1, math.ceil(share_of_patterns * (1 - NOISE)))


def _group_means(rows: Floats, kept: Floats) -> tuple[Floats, Floats]:
    """Average the differences that keep, and those that change their sign: [pattern, row].

    Where one group is empty, -inf and inf, with everything between them.
    """
    number = kept.sum(axis=-1)[:, None]
    both = (number > 0) & (number < rows.shape[-1])
    sums = kept @ rows.T
    rest = rows.sum(axis=-1) - sums
    first, second = np.full(sums.shape, -np.inf), np.full(sums.shape, np.inf)
    np.divide(sums, number, out=first, where=both)
    np.divide(rest, rows.shape[-1] - number, out=second, where=both)
    return first, second
