"""Many tests at once, or one test many times: adjusted p-values, Tukey's HSD, simultaneous
intervals, letters of groups, and bounds for looking at results more than once.

The last axis is the family of tests; leading axes are separate families.

Randomised, for systems scored on the same topics (Carterette 2012; Sakai 2012), and by the
studentised range, for the levels of a factor in an analysis of variance (TH 4.30).

Testing after every batch of labels and stopping at the first significant result errs too often.
Bounds that spend the error rate over the looks (Lan and DeMets 1983), little at the first ones as
O'Brien and Fleming do, keep it over the whole path.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, SupportsIndex

import numpy as np

from hungjury import native
from hungjury.base.arrays import ArrayLike, Bools, Floats, Indices, Ints
from hungjury.base.errors import InputError
from hungjury.base.parameters import check_share
from hungjury.stats._checks import Seed, count, generator, numbers
from hungjury.stats.paired import CELLS_AT_ONCE, NOISE, Tested
from hungjury.stats.resampling import normal_reach


def bonferroni(pvalues: ArrayLike) -> Floats:
    """Multiply every p-value by the number of tests."""
    values = np.asarray(pvalues, dtype=float)
    return np.asarray(np.minimum(1, values * values.shape[-1]))


def holm(pvalues: ArrayLike) -> Floats:
    """Adjust by Holm's step-down method (1979): family-wise error, sharper than Bonferroni's."""
    values = np.asarray(pvalues, dtype=float)
    order = np.argsort(values, axis=-1)
    stepped = np.take_along_axis(values, order, axis=-1) * np.arange(values.shape[-1], 0, -1)
    return _put_back(np.maximum.accumulate(stepped, axis=-1), order)


def benjamini_hochberg(pvalues: ArrayLike) -> Floats:
    """Adjust by Benjamini and Hochberg's step-up method (1995): false discovery rate."""
    values = np.asarray(pvalues, dtype=float)
    tests = values.shape[-1]
    order = np.argsort(values, axis=-1)
    stepped = np.take_along_axis(values, order, axis=-1) * tests / np.arange(1, tests + 1)
    lowest_so_far = np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1]
    return _put_back(lowest_so_far, order)


def _put_back(adjusted: Floats, order: Indices) -> Floats:
    """Bring adjusted values from sorted order to the order of the tests."""
    result = np.empty_like(adjusted)
    np.put_along_axis(result, order, np.minimum(1, adjusted), axis=-1)
    return result


def of_differences(covariance: Floats) -> Floats:
    """Return the variances [item, item] of the differences of two means."""
    variance = np.diag(covariance)
    return np.maximum(variance[:, None] + variance - 2 * covariance, 0)


def chance_needed(level: float, stretch: float = 1.0) -> float:
    """Return the P(A beats B) from which two systems are told apart: 1 - (1 - level) / 2.

    Every pair is judged by itself. `stretch` is the factor on the difference that is required if
    results are looked at more than once.
    """
    from statistics import NormalDist  # scipy.special is slow to import

    return NormalDist().cdf(stretch * normal_reach(level))


def told_apart(
    mean: Floats,
    draws: Floats,
    beats: Floats,
    level: float,
    together: bool = False,
    stretch: float = 1.0,
) -> Bools:
    """[system, system]: which systems are told apart.

    Parameters
    ----------
    mean, draws, beats
        Means [system], draws of them [draw, system], and P(row beats column).
    level, stretch
        See `chance_needed`.
    together
        Require that at `level` no pair at all is told apart by chance: differences have to exceed
        the simultaneous interval of all pairs.
    """
    if not together:
        return np.asarray(np.maximum(beats, beats.T) >= chance_needed(level, stretch))
    needed = simultaneous_widths(draws, level, stretch)
    noise = NOISE * max(float(np.abs(draws).max(initial=0)), 1e-300)
    return np.asarray(np.abs(mean[:, None] - mean) > np.maximum(needed, noise))


NODES = 33  # values of the factor that an uncertain variance is averaged over


def typical(
    variance: Floats, level: float, uncertain: Floats | None = None, spread: float = 0.0
) -> float:
    """Return the smallest detectable difference: where half of all pairs are told apart.

    Parameters
    ----------
    variance
        [system, system], of the differences.
    level
        See `chance_needed`.
    uncertain, spread
        The part of the variance that has an unknown factor, the square of a log-normal variable
        whose logarithm has this standard deviation.
    """
    upper = np.triu_indices(len(variance), 1)
    if not len(upper[0]):
        return 0.0
    middle = float(np.median(np.sqrt(variance[upper])))
    if uncertain is None or not middle:
        return normal_reach(level) * middle
    from statistics import NormalDist

    share = float(np.median(uncertain[upper] / np.maximum(variance[upper], 1e-300)))
    normal = NormalDist()
    factors = [np.exp(2 * spread * (normal.inv_cdf((k + 0.5) / NODES) - spread))
               for k in range(NODES)]  # fmt: skip
    sds = [np.sqrt(1 - share + share * factor) for factor in factors]
    low, high = 0.0, 20.0
    for _ in range(50):
        half = (low + high) / 2
        beats = sum(normal.cdf(half / max(sd, 1e-12)) for sd in sds) / NODES
        low, high = (half, high) if beats < chance_needed(level) else (low, half)
    return float(high * middle)


def simultaneous_widths(
    draws: Floats, level: float, stretch: float = 1.0, with_first: bool = False
) -> Floats:
    """Return half widths of intervals of differences that hold for all pairs at once.

    Parameters
    ----------
    draws
        Means, [draw, item].
    level
        Probability that all intervals contain the true difference.
    stretch
        Factor on the widths, above 1 where results are looked at more than once.
    with_first
        Whether only the pairs of the first item with the others are compared.

    Returns
    -------
    array
        [item, item], 0 where the difference of two items is the same in all draws. The largest
        standardised deviation of all pairs is what each pair allows for.
    """
    sd = np.sqrt(of_differences(np.atleast_2d(np.cov(draws, rowvar=False))))
    sd = np.where(sd > NOISE * np.abs(draws).max(initial=0), sd, 0.0)
    unit = np.where(sd > 0, sd, np.inf)
    if with_first:
        unit[1:] = np.inf
    off = np.ascontiguousarray((draws - draws.mean(axis=0)).T)
    largest = native.largest_gaps(off, unit)
    return np.asarray(stretch * float(np.quantile(largest, level)) * sd)


class Variance(NamedTuple):
    """A source of an analysis of variance; omega2 is the share of variance that it explains."""

    source: str
    df: int
    sum_of_squares: float
    mean_square: float
    f: float
    p: float
    omega2: float


def two_way_anova(values: ArrayLike) -> list[Variance]:
    """Analyse the variance of values [system, topic]: systems, topics, and what is left (error).

    Both effects are tested against the error, which includes their interaction: there is one value
    per system and topic. The effect sizes are those of Olejnik and Algina (2003), partial omega
    squared; they are not below 0.
    """
    from scipy.special import fdtrc

    table = _two_systems(values)
    systems, topics = table.shape
    total = table - table.mean()
    by_system = total.mean(axis=1, keepdims=True)
    by_topic = total.mean(axis=0, keepdims=True)
    squares = [topics * float((by_system**2).sum()), systems * float((by_topic**2).sum())]
    left = float(((total - by_system - by_topic) ** 2).sum())
    df = [systems - 1, topics - 1]
    error = left / (df[0] * df[1])
    rows = []
    for source, d, square in zip(("systems", "topics"), df, squares, strict=True):
        f = square / d / error if error > 0 else np.inf if square > 0 else 0.0
        share = d * (f - 1) / (d * (f - 1) + table.size) if np.isfinite(f) else 1.0
        p = float(fdtrc(d, df[0] * df[1], f))
        rows.append(Variance(source, d, square, square / d, f, p, max(share, 0.0)))
    return [*rows, Variance("error", df[0] * df[1], left, error, np.nan, np.nan, np.nan)]


def tukey_test(values: ArrayLike, alpha: float = 0.05) -> Tested:
    """Test all pairs by Tukey's HSD, from values [system, topic] with topics as blocks.

    Pairs are in the order of `numpy.triu_indices`.
    The error is that of `two_way_anova`. Of many pairs, the studentised range is evaluated at 64
    points and interpolated in its logarithm: p-values differ by less than 1e-4.
    """
    from scipy.interpolate import PchipInterpolator
    from scipy.stats import studentized_range

    table = _two_systems(values)
    check_share("alpha", alpha)
    error = two_way_anova(table)[2]
    scale = np.sqrt(error.mean_square / table.shape[1])
    means = table.mean(axis=1)
    one, other = np.triu_indices(len(table), 1)
    size = np.abs(means[one] - means[other])
    size = np.where(size > NOISE * np.abs(table).max(), size, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(size == 0, 0.0, size / scale)
    known = np.isfinite(q)
    at = q[known] if len(q) <= 64 else np.linspace(0, max(q[known].max(initial=0.0), 1.0), 64)
    p = studentized_range.sf(at, len(table), error.df)
    if len(q) > 64:
        p = np.exp(PchipInterpolator(at, np.log(np.maximum(p, 1e-300)))(q[known]))
    pvalues = np.zeros(len(q))  # without any error every difference is certain
    pvalues[known] = p
    return Tested(pvalues, _range_quantile(1 - alpha, len(table), error.df) * scale)


def _two_systems(values: ArrayLike) -> Floats:
    table = numbers(values, "values", unit="topic")
    if table.ndim != 2 or len(table) < 2:
        said = f"the values have the shape {table.shape}"
        remedy = "give at least two systems as [system, topic]"
        raise InputError(said, code="wrong-shape", remedy=remedy)
    return table


def randomised_tukey(
    values: ArrayLike, samples: int = 5000, rng: Seed = 0, alpha: float = 0.05
) -> Tested:
    """Test all pairs by a randomised Tukey HSD, from values [system, topic].

    If systems were all the same, their scores on a topic could be exchanged. Each sample does so,
    topic by topic, and records the largest difference between two means. p is (b + 1) /
    (samples + 1), where b samples have a largest difference that reaches that of the pair; the
    difference needed is the 1 - alpha quantile of the largest differences.
    """
    table = _two_systems(values)
    count(samples, "samples")
    check_share("alpha", alpha)
    largest = _largest_differences(table, samples, generator(rng))
    means = table.mean(axis=1)
    one, other = np.triu_indices(len(table), 1)
    limit = np.abs(means[one] - means[other]) - NOISE * np.abs(table).max()
    # Sorted, the samples that reach a limit are all those from its place on.
    reached = samples - np.searchsorted(np.sort(largest), limit)
    p = (reached + 1) / (samples + 1)
    return Tested(np.asarray(p), float(np.quantile(largest, 1 - alpha)))


def _largest_differences(table: Floats, samples: int, rng: np.random.Generator) -> Floats:
    """Shuffle each topic's scores among systems, and return the range of their means."""
    out = np.empty(samples)
    step = max(1, CELLS_AT_ONCE // table.size)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        shuffled = rng.permuted(np.broadcast_to(table, (size, *table.shape)), axis=1)
        out[start : start + size] = np.ptp(shuffled.mean(axis=2), axis=1)
    return out


class TukeyGroups(NamedTuple):
    """Means in order, and the groups within which no two of them differ.

    `order`: levels, first the largest mean. `groups`: runs of places in `order`, (first, last),
    none inside another. `different` and `needed` [level, level]: whether two means differ, and
    how far apart they would have to be.
    """

    order: Ints
    groups: list[tuple[int, int]]
    different: Bools
    needed: Floats


def tukey_groups(
    means: ArrayLike, sizes: ArrayLike, ms_error: float, df_error: int, alpha: float = 0.05
) -> TukeyGroups:
    """Group means of `sizes` observations each by Tukey's HSD, with the error of the analysis.

    Two means differ when |difference| > q sqrt(ms_error (1/n + 1/m) / 2), q the 1 - alpha quantile
    of the studentised range of this many means (4.30, with the error's degrees of freedom).
    """
    centre, each = (numbers(given, name, unit="level", least=2)
                    for given, name in ((means, "means"), (sizes, "sizes")))  # fmt: skip
    check_share("alpha", alpha)
    q = _range_quantile(1 - alpha, len(centre), df_error)
    needed = q * np.sqrt(ms_error * (1 / each[:, None] + 1 / each) / 2)
    different = np.abs(centre[:, None] - centre) > needed
    order = np.argsort(-centre, kind="stable")
    groups = _runs(different[np.ix_(order, order)])
    return TukeyGroups(order, groups, different, np.asarray(needed))


@lru_cache
def _range_quantile(level: float, means: int, df: int) -> float:
    """Return a quantile of the studentised range; kept, since it takes a quarter of a second."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(level, means, df))


def _runs(different: Bools) -> list[tuple[int, int]]:
    """Find the longest runs of places without a difference inside."""
    found: list[tuple[int, int]] = []
    for first in range(len(different)):
        last = first
        while last + 1 < len(different) and not different[first : last + 1, last + 1].any():
            last += 1
        if not found or last > found[-1][1]:
            found.append((first, last))
    return found


def letter_groups(apart: Bools) -> list[Indices]:
    """Group items that are not told apart; the groups together cover all such pairs.

    Parameters
    ----------
    apart : array of bool
        [one, other], symmetric: whether the two are told apart.

    Returns
    -------
    list of arrays
        The members of each group in ascending order, groups in the order of their first members.
        Two share a group if and only if they are not told apart; an item that is told apart from
        all others is a group of one.

    Notes
    -----
    Covering a graph with as few cliques as possible is hard; as usual for letter displays,
    groups are grown greedily, here from the pair that is farthest apart in the given order, and
    groups whose pairs all lie in other groups are dropped.
    """
    together = ~np.asarray(apart, dtype=bool)
    np.fill_diagonal(together, True)
    left = np.triu(together, 1)
    groups: list[Indices] = []
    for first in range(len(together)):
        while left[first].any():
            groups.append(_grown(together, first, int(np.flatnonzero(left[first])[-1])))
            left[np.ix_(groups[-1], groups[-1])] = False
        if together[first].sum() == 1:
            groups.append(np.array([first]))
    return sorted(_needed(groups, len(together)), key=lambda group: group.tolist())


def _grown(together: Bools, one: int, other: int) -> Indices:
    """Grow a clique from a pair by adding every item that fits."""
    fits = together[one] & together[other]
    for member in range(len(together)):
        if fits[member]:
            fits &= together[member]
    return np.flatnonzero(fits)


def _needed(groups: list[Indices], size: int) -> list[Indices]:
    """Drop groups whose pairs are all in other groups, smallest groups first."""
    times = np.zeros((size, size), dtype=np.int32)
    for group in groups:
        times[np.ix_(group, group)] += 1
    kept = []
    for group in sorted(groups, key=len):
        at = np.ix_(group, group)
        if len(group) > 1 and (times[at] > 1).all():
            times[at] -= 1
        else:
            kept.append(group)
    return kept


POINTS = 1201  # of the grid on which densities are kept
FAR = 8.0  # standard deviations that it reaches
SMALLEST = 1e-300  # level of a look that is too early for any result to be significant


def check_looks(looks: Iterable[SupportsIndex]) -> list[int]:
    """Check `looks`: the numbers of labels at which results are looked at."""
    try:
        counts = [operator.index(number) for number in looks]
    except TypeError:
        counts = [0]
    if min(counts, default=1) < 1:
        said = f"looks must be numbers of gold labels, such as [100, 200], got {looks!r}"
        remedy = "give one or more positive integers, the last one the largest budget"
        raise InputError(said, code="invalid-looks", argument="looks", remedy=remedy)
    return counts


def nominal_levels(information: Sequence[float], alpha: float = 0.05) -> list[float]:
    """Return the two-sided error rate that each look may use, for `alpha` over all looks.

    Parameters
    ----------
    information
        Share of the largest budget that is reached at each look, ascending, at most 1.
    alpha
        Error rate over the whole path.

    Returns
    -------
    list of float
        A result at look k counts if its two-sided p-value is below the k-th number.

    Examples
    --------
    >>> [round(level, 3) for level in nominal_levels([0.5, 1])]
    [0.003, 0.049]
    """
    from scipy.special import ndtr, ndtri

    times = np.asarray(information, dtype=float)
    if not len(times) or (np.diff(times) <= 0).any() or times[0] <= 0 or times[-1] > 1:
        said = f"looks at {list(information)} of the largest budget"
        remedy = "looks are ascending shares of the largest budget, above 0 and at most 1"
        raise InputError(said, code="invalid-looks", remedy=remedy)
    # O'Brien-Fleming-like, alpha / 2 for either side.
    spent = 4 * ndtr(ndtri(alpha / 4) / np.sqrt(times))
    grid = np.linspace(-FAR, FAR, POINTS)  # of the score, whose variance is the information
    density = np.exp(-(grid**2) / (2 * times[0])) / np.sqrt(2 * np.pi * times[0])
    levels: list[float] = []
    before = 0.0
    for k, time in enumerate(times):
        if k:
            step = time - times[k - 1]
            kernel = np.exp(-((grid[:, None] - grid) ** 2) / (2 * step))
            density = (kernel / kernel.sum(axis=0)) @ density
        edge = _edge(grid, density, float(spent[k]) - before)
        before = float(spent[k])
        density = np.where(np.abs(grid) < edge, density, 0.0)
        levels.append(max(float(2 * ndtr(-edge / np.sqrt(time))), SMALLEST))
    return levels


def _edge(grid: Floats, density: Floats, outside: float) -> float:
    """Find where the two tails of a symmetric density contain `outside` together."""
    width = grid[1] - grid[0]
    half = len(grid) // 2
    # From the far end inwards, by the trapezoid rule.
    tail = density[half:][::-1]
    upto = np.concatenate([[0.0], np.cumsum((tail[1:] + tail[:-1]) / 2 * width)])
    return float(np.interp(outside / 2, upto, grid[half:][::-1]))
