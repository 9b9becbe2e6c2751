"""Who is better: ranks, chances and groups, and what more topics and judges would show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import MeasureError
from hungjury.base.records import Record
from hungjury.judges.panel import Panel
from hungjury.leaderboard.draws import Drawn, Parts, draw_scores, mean_draws, reported_rate
from hungjury.leaderboard.options import BoardOptions
from hungjury.stats.multiple import NOISE, of_differences, simultaneous_widths
from hungjury.stats.resampling import normal_reach


class Standing(Record, eq=False):
    """Arrays over systems, in the order of the draws."""

    p_best: Floats
    rank_low: Ints
    rank_high: Ints
    beats: Floats  # [system, system]: P(row has the larger mean); equal means count half
    apart: NDArray[np.bool_]  # [system, system]: told apart


def standing(
    mean: Floats,
    draws: Floats,
    level: float = 0.95,
    together: bool = True,
    stretch: float = 1.0,
) -> Standing:
    """Ranks, chances and groups from means [system] and draws [draw, system]; larger is better.

    together: tell systems apart with all pairs taken together: at `level` no pair is told apart by
    chance; else pair by pair, by the chance that one beats the other. Under a panel error
    of unknown size the first would be a test of the size: it is the same for all pairs.

    stretch: the factor on the required difference if results are looked at more than once.

    A finite number of draws cannot show certainty: one more draw is counted in which all systems
    are equal, unless the draws are all the same.
    """
    if len(draws) > 1 and (draws != draws[0]).any():
        counted = np.vstack([draws, np.zeros(draws.shape[1])])
    else:
        counted = draws
    beats = native.shares_larger(np.ascontiguousarray(counted.T))
    above, equal = _places(counted)
    tail = (1 - level) / 2
    first = np.quantile((above + 1)[: len(draws)], tail, axis=0, method="inverted_cdf")
    last = np.quantile((above + equal)[: len(draws)], 1 - tail, axis=0, method="inverted_cdf")
    if together:
        apart = _told_apart(mean, draws, level, stretch)
    else:
        apart = np.maximum(beats, beats.T) >= 1 - tail
    return Standing(
        np.where(above == 0, 1 / equal, 0.0).mean(axis=0),
        first.astype(np.int64),
        last.astype(np.int64),
        beats,
        apart,
    )


def _places(draws: Floats) -> tuple[Ints, Ints]:
    """[draw, system]: how many systems are larger, and how many equal, itself included."""
    order = np.argsort(-draws, axis=1, kind="stable")
    ordered = np.take_along_axis(draws, order, axis=1)
    place = np.arange(draws.shape[1])
    new = np.ones(draws.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ends = np.ones(draws.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, place, place[-1])[:, ::-1], axis=1)[:, ::-1]
    above, equal = np.empty_like(first), np.empty_like(first)
    np.put_along_axis(above, order, first, axis=1)
    np.put_along_axis(equal, order, last - first + 1, axis=1)
    return above, equal


def _told_apart(mean: Floats, draws: Floats, level: float, stretch: float) -> NDArray[np.bool_]:
    """Pairs whose means differ by more than chance explains, in all comparisons at once: the
    largest standardised difference of all pairs is what each pair is compared with."""
    needed = simultaneous_widths(draws, level, stretch)
    noise = NOISE * max(float(np.abs(draws).max(initial=0)), 1e-300)
    return np.asarray(np.abs(mean[:, None] - mean) > np.maximum(needed, noise))


TIMES = (0.5, 1, 2, 4)  # topics
SHARES = (0.25, 0.5, 0.75)  # of the judges, measured
MORE = (1.5, 2)  # times as many judges, extrapolated
DRAWS = 100  # for each smaller panel


class Outlook(Record):
    """The smallest detectable difference between two systems with other numbers of topics and of
    judges: as far as the interval of a typical difference reaches to either side.
    """

    difference: float  # with the present topics and judges
    topics: list[tuple[int, float]]
    judges: list[tuple[int, float]]  # with the panel's own view only
    measured: int  # how many of `judges` were measured on smaller panels; the rest is extrapolated
    floor: float | None = None  # limit set by panel error, with any number of topics and judges


def look_ahead(
    panel: Panel,
    drawn: Drawn,
    options: BoardOptions,
    parts: Parts,
    seed: np.random.SeedSequence,
) -> Outlook:
    """Estimate the precision with other numbers of topics and judges.

    More judges of the same kind share the panel error: with one, no smaller panels are measured,
    and `floor` says what remains. In the panel's own view smaller panels are measured.
    """
    level, total = options.level, of_differences(parts.total)
    here = typical(total, level)
    if parts.panel is not None:
        fixed = of_differences(parts.panel)
        topics = topics_curve(parts.number, total - fixed, fixed, level)
        return Outlook(here, topics, [], 0, typical(fixed, level))
    # What judges share is learned from all documents, so more topics help there too; only where
    # judges are resampled does it stay as long as there are no more of them.
    fixed = 0 * total
    if parts.shared is not None and options.merge.gives == "weights":
        fixed = of_differences(parts.shared)
    topics = topics_curve(parts.number, total - fixed, fixed, level)

    def with_fewer(size: int) -> float:
        mine = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, size))
        order = np.random.default_rng(mine).permutation(len(panel.judges))
        try:
            fewer = draw_scores(panel.only(order[:size]), drawn.alignment, short, mine)
        except MeasureError:  # a label model that so few judges cannot support
            return np.nan
        _, small = mean_draws(fewer.cells, fewer.draws, options.target, mine)
        total = small.scaled(reported_rate(chosen, fewer.cells.mean(axis=1), small.number)).total
        needed = typical(of_differences(total), level) * spread / _spread(fewer)
        return min(needed, widest)

    # Fewer judges may see all systems closer together: a difference counts by how far apart
    # systems are.
    spread = _spread(drawn)
    chosen, short = options.measure, options.but(draws=DRAWS)
    widest = chosen.high - chosen.low if chosen.average == "mean" else np.inf
    judges, measured = judges_curve(len(panel.judges), here, with_fewer)
    return Outlook(here, topics, judges, measured)


def _spread(drawn: Drawn) -> float:
    """Return how far apart the systems' means are."""
    return max(float(drawn.cells.mean(axis=1).std()), 1e-12)


def typical(variance: Floats, level: float) -> float:
    """Return how far the interval of a difference reaches to either side, the median over pairs.

    variance: [system, system], of the differences.
    """
    sd = np.sqrt(variance[np.triu_indices(len(variance), 1)])
    return float(normal_reach(level) * np.median(sd)) if len(sd) else 0.0


def topics_curve(number: int, part: Floats, fixed: Floats, level: float) -> list[tuple[int, float]]:
    """part, fixed: variances [system, system] of differences, of which the first shrinks with the
    number of topics."""
    counts = sorted({max(round(number * times), 1) for times in TIMES})
    part = np.maximum(part, 0)  # differences of sums may fall below by rounding
    return [(n, typical(part * number / n + fixed, level)) for n in counts]


def judges_curve(
    number: int, difference: float, measure: Callable[[int], float]
) -> tuple[list[tuple[int, float]], int]:
    """Measured on smaller panels by `measure`; for larger ones a + b / judges is fitted."""
    sizes = sorted({round(number * share) for share in SHARES} & set(range(2, number)))
    found = [(k, measure(k)) for k in sizes]
    curve = [(k, value) for k, value in found if not np.isnan(value)] + [(number, difference)]
    # A single small panel may look good by luck: precision must not fall with more judges.
    needed = np.maximum.accumulate([value for _, value in reversed(curve)])[::-1]
    curve = [(k, float(value)) for (k, _), value in zip(curve, needed, strict=True)]
    if len(curve) < 2:
        return curve, len(curve)
    size, value = np.array(curve).T
    squares = value**2  # variances add up
    slope, floor = np.polyfit(1 / size, squares, 1)
    slope = min(max(slope, 0.0), squares[-1] * number)
    floor = squares[-1] - slope / number  # the fit goes through the present panel
    more = [round(number * times) for times in MORE]
    return [*curve, *((k, float(np.sqrt(floor + slope / k))) for k in more)], len(curve)
