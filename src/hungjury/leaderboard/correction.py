"""Correct a panel's leaderboard by gold labels, which makes it about people."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hungjury.base.arrays import Bools, Floats
from hungjury.base.errors import InputError, Note, few, noted, percent, plural
from hungjury.base.records import Record, fields_of
from hungjury.base.text import finite
from hungjury.data.alignment import Alignment
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import QrelsLike
from hungjury.judges.panel import Panel
from hungjury.judges.votes import vote_shares
from hungjury.leaderboard.direct import Direct, direct, features, predict, topic_differences
from hungjury.leaderboard.draws import Drawn, Estimate, Parts, as_reported, reported_rate
from hungjury.leaderboard.effects import scores_under
from hungjury.leaderboard.gold import FEW_LABELS, GoldLabels, gold_labels
from hungjury.leaderboard.options import BOARD, BoardOptions
from hungjury.leaderboard.panel_error import (
    PanelError,
    combine_estimates,
    expected_contrasts,
    normal_draws,
    wide_kernel,
)
from hungjury.leaderboard.plan import first_hit, plan_weights
from hungjury.leaderboard.plan_file import PlansLike, as_plans
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.catalogue import measure as as_measure
from hungjury.measures.scores import averaged
from hungjury.stats.agreement import effective_judges, error_correlation
from hungjury.stats.multiple import nominal_levels, of_differences, typical
from hungjury.stats.resampling import interval, normal_reach, topic_deviations

Interval = tuple[float, float, float]  # middle, low, high
POOR = 0.2  # correlation of the panel's grades with gold grades below which it is poor,
SOME_LABELS = 20  # with so many labels; with fewer if its whole interval is
PROVEN = ("nDCG", "DCG", "RBP", "P", "ERR")  # combined intervals hold: docs/how-to/spend-labels.md
# By measure and number of labels: the smaller share, of two collections, of pairs whose 95 %
# interval covered the difference by all labels (the table in docs/how-to/spend-labels.md).
_HEAD, *_ROWS = csv.reader(files(__package__).joinpath("covered.csv").read_text().splitlines())
MEASURED_AT = [int(labels) for labels in _HEAD[1:]]
COVERED = {name: tuple(map(float, shares)) for name, *shares in _ROWS}
SHALLOW, RANKS = 0.9, 10  # of the squared weights, in the first ranks, for a measure to combine
DEEPEST = 1000  # ranks that a measure without a cutoff is taken to see
RELIABLE = 0.75  # of the spread between systems that labels alone see has to be real for them to
# decide: docs/how-to/spend-labels.md has what was wrong before and after
WEAK = 0.88  # a share of pairs covered by 95 % intervals below which gates warn
WORTHWHILE = 0.8  # of a median pair's direct sd; labels above that carry more than the panel
LEVEL = 0.15  # of the measure's range: a level that is less certain is not yet known


class Covered(Record):
    """How often intervals of differences from gold labels covered the truth where it is known.

    Attributes
    ----------
    measure
        The measure that was tried: the one at hand, or the nearest by name and depth.
    labels
        The nearest number of labels that was tried.
    share
        Pairs of systems whose 95 % interval covered the difference by all labels; the smaller share
        of two public collections.
    """

    measure: str
    labels: int
    share: float

    def __str__(self) -> str:
        return (
            f"95 % intervals of differences by {self.measure} from {self.labels:,} gold labels "
            f"covered {percent(self.share)} of the pairs of systems on public collections"
        )

    @property
    def weak(self) -> bool:
        """Tell whether intervals covered clearly less than they say."""
        return self.share < WEAK

    @staticmethod
    def record(measure: Measure, labels: int) -> Covered | None:
        """Return the record of a measure, or of the nearest that was tried; None if none was."""
        names = {name: one for name, one in _tried().items() if one.name == measure.name}
        if not names:
            return None
        depths = np.log([one.depth or DEEPEST for one in (measure, *names.values())])
        nearest = [*names][int(np.argmin(np.abs(depths[1:] - depths[0])))]
        place = int(np.argmin(np.abs(np.log(np.array(MEASURED_AT) / max(labels, 1)))))
        return Covered(nearest, MEASURED_AT[place], COVERED[nearest][place])


@cache
def _tried() -> dict[str, Measure]:
    """The measures of the record, by the names it gives them."""
    return {name: as_measure(name) for name in COVERED}


class Correction(Record, eq=False):
    """How gold labels correct the panel. Arrays are in the order of the leaderboard's systems.

    Attributes
    ----------
    estimate
        "exact" (the whole pool is labelled), "combined" (with the panel), "direct" (gold labels
        alone) or "model" (it is not known how documents were chosen).
    design
        How documents were chosen: "plan", "random", "topics", "whole", or None if unknown.
    labels, skipped
        Documents with a gold label that is used, and documents that were due but have none.
    level
        The panel's mean over systems minus that of people, with its interval.
    level_known
        Whether labels support a level; if not, means stay on the panel's scale.
    decides
        "gold", or "panel" where labels would tell fewer systems apart than the panel alone does:
        ranks, chances and groups are then the panel's.
    slope
        People's differences between systems per difference of the panel.
    correlation
        Of the panel's and people's means over systems.
    agreement
        Correlation of the panel's mean grades with gold grades, over labelled documents.
    panel_error
        Standard deviation of the panel's error about systems, in units of the measure's
        range. None unless "combined", as is `slope`.
    effective_judges
        How many independent judges would err as little as these do together.
    direct_mean, direct_covariance
        Estimates from gold labels without the panel.
    expected
        (labels, difference between two systems that can just be told apart) for other numbers of
        labels; typical over pairs.
    interval_level
        Level of all these intervals.
    looks, stretch
        Numbers of labels at which the result is checked, and the factor by which a difference has
        to be larger than at a single look.
    depth
        For plans by depth, and for measures of the first relevant document: the ranks down to
        which every list is labelled by depth, how many it takes before labels decide who is better,
        and before intervals hold. None for others.
    reliability
        Share of the spread between systems, as labels alone see it, that is not their own error:
        1 minus the mean squared error of differences over the mean squared difference. Below 0.75
        the panel decides. None unless the estimate is "direct".
    covered
        How often intervals of such differences covered the truth where it is known. None if that
        was not measured: for other designs than plans by influence, and for other measures.
    """

    estimate: str
    design: str | None
    labels: int
    skipped: int
    level: Interval
    level_known: bool
    slope: Interval | None
    correlation: Interval
    agreement: Interval
    panel_error: Interval | None
    effective_judges: float | None
    direct_mean: Floats
    direct_covariance: Floats
    expected: list[tuple[int, float]]
    interval_level: float
    looks: tuple[int, ...] = ()
    stretch: float = 1.0
    decides: str = "gold"
    depth: tuple[int, int, int] | None = None
    covered: Covered | None = None
    reliability: float | None = None

    @property
    def reaches(self) -> bool:
        """Tell whether labels by depth reach far enough to decide who is better."""
        return self.depth is None or self.depth[0] >= self.depth[1]

    @property
    def holds(self) -> bool:
        """Tell whether labels by depth reach far enough for intervals."""
        return self.depth is None or self.depth[0] >= self.depth[2]

    @property
    def poor(self) -> bool:
        """Tell whether the panel's agreement with gold labels is poor; few labels do not say."""
        middle, _, high = self.agreement
        return high < POOR or (middle < POOR and self.labels >= SOME_LABELS)

    @property
    def concludes(self) -> bool:
        """Tell whether systems may be told apart: not by a panel that agrees poorly with gold."""
        alone = self.estimate in ("exact", "direct") and self.decides == "gold"
        return not self.poor or alone

    @property
    def poor_agreement(self) -> str:
        """A warning, for where the panel agrees poorly with gold labels."""
        middle, low, high = self.agreement
        rest = "the result rests on gold labels alone"
        return (
            f"the panel agrees poorly with gold labels (correlation {middle:.2f}, "
            f"{percent(self.interval_level)} interval {low:.2f} to {high:.2f}): "
            f"{rest if self.concludes else 'nothing can be concluded'}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain numbers and lists."""
        more = {"poor_agreement": self.poor, "concludes": self.concludes}
        return dict(finite(fields_of(self))) | more


def correlation_with_gold(panel: Floats, draws: Floats, level: float) -> Interval:
    """Correlation of the panel's means with draws of those of people, over systems."""
    ours, theirs = panel - panel.mean(), draws - draws.mean(axis=1, keepdims=True)
    size = np.sqrt((ours**2).sum() * (theirs**2).sum(axis=1))
    values = np.divide(theirs @ ours, size, out=np.zeros(len(size)), where=size > 0)
    return middle_and_ends(values, level)


def middle_and_ends(values: Floats, level: float) -> Interval:
    """The median of draws, and their interval."""
    low, high = interval(values, level)
    return float(np.median(values)), float(low), float(high)


def overrating(kin: Bools, made: Estimate, drawn: Drawn, options: BoardOptions) -> Interval | None:
    """By how much the panel over-rates kin, compared with other systems of equal gold score."""
    if not kin.any() or kin.all():
        return None
    better = -1.0 if options.measure.smaller_is_better else 1.0
    said = as_reported(options.measure, drawn.cells.shape[1])(drawn.cells.mean(axis=1))
    truth = better * (made.draws - made.draws.mean(axis=1, keepdims=True))
    over, group = better * (said - said.mean()) - truth, kin - kin.mean()
    # At equal scores: the slope of a group beside that of the scores, in every draw.
    size, common = (truth**2).sum(axis=1), truth @ group
    gap = over @ group - (over * truth).sum(axis=1) * common / size
    gap /= np.maximum(group @ group - common**2 / size, 1e-12)
    return middle_and_ends(gap, options.level)


def agreement_of_grades(gold: GoldLabels, panel: Panel, level: float) -> Interval:
    """Correlation of mean votes with gold grades, with an interval by Fisher's transform; 0 where
    either is the same for all documents."""
    said = vote_shares(panel)[gold.documents] @ np.array(panel.grades, dtype=float)
    number = len(said)
    if number < 4 or np.ptp(said) == 0 or np.ptp(gold.mean) == 0:
        return 0.0, -1.0, 1.0
    found = float(np.corrcoef(said, gold.mean)[0, 1])
    half = normal_reach(level) / np.sqrt(number - 3)
    middle = np.arctanh(np.clip(found, -1 + 1e-12, 1 - 1e-12))
    return found, float(np.tanh(middle - half)), float(np.tanh(middle + half))


def effective_number(gold: GoldLabels, panel: Panel) -> float | None:
    """Return the number of independent judges who would err as little; None if unknown."""
    if panel.share is not None:
        return None
    errors = gold.errors(panel.matrix()[:, gold.documents])
    correlation = error_correlation(errors, gold.weights)
    number = effective_judges(correlation)
    return None if np.isnan(number) else number


PREDICTIONS = 60  # draws of predicted labels
MORE_LABELS = (100, 200, 500, 1000)


def planned_gold(
    gold: QrelsLike | Judgments,
    plan: PlansLike | None,
    panel: Panel,
    alignment: Alignment,
    options: BoardOptions,
) -> GoldLabels:
    """Gold labels of the judged pool, chosen, by a plan or another design."""
    plans = as_plans(plan, gold if options.gold_design in (None, "plan") else None)
    weights = [
        plan_weights(panel, alignment, measure_list(one.measures), one.design) for one in plans
    ]
    found = gold_labels(gold, panel.judgments, panel.rel, options.gold_design, plans, weights)
    measures = {name for one in plans for name in one.measures}
    other = int(bool(plans) and str(options.measure) not in measures)
    text = f"the plan was made for {few(sorted(measures))}: its labels hold, with wider intervals"
    return found.noted("other-measure", other, text)


def gold_estimate(
    gold: GoldLabels,
    panel: Panel,
    drawn: Drawn,
    options: BoardOptions,
    seed: np.random.SeedSequence,
) -> tuple[Estimate, Correction, tuple[Note, ...]]:
    """Means on the people's scale, the correction that gave them, and notes."""
    measure, level = options.measure, options.level
    layer = PanelError.of(panel, drawn.alignment, measure, documents=False)
    rng, *topic_rngs = map(np.random.default_rng, seed.spawn(3))
    found = _direct(gold, panel, drawn, measure, rng)
    kind, why = _kind(gold, options, drawn.alignment)
    notes = (*gold.notes, *why)
    ours, number = drawn.cells.mean(axis=1), len(drawn.draws)
    topics = drawn.cells.shape[1]
    rate = reported_rate(measure, found.mean, topics)
    each = np.outer(rate, rate)
    unit = layer.unit / float(rate.mean())
    slope = tau = None
    mean, covariance = found.mean, found.covariance
    if kind == "combined":
        both = combine_estimates(mean, covariance, ours, layer.kernel, unit, number, rng, level)
        if len(gold.documents) >= FEW_LABELS and not worthwhile(both.covariance, covariance):
            kind = "direct"
            text = "so many labels carry more than the panel: the result rests on them alone"
            notes += noted("labels-alone", len(gold.documents), text, about="result")
    if kind == "combined":
        mean, covariance, draws, slope, tau = both
    else:
        if kind == "model":
            assert found.doubt is not None
            covariance = found.doubt + layer.covariances(rate)["panel"] / each
        noise = normal_draws(covariance, number, rng)
        if np.isfinite(found.freedom):
            noise *= np.sqrt(found.freedom / rng.chisquare(found.freedom, (number, 1)))
        draws = mean + noise
    moved = _into_range(measure, mean)
    reach = normal_reach(level) * float(np.sqrt(max(covariance.mean(), 0.0)))
    enough = len(gold.documents) >= FEW_LABELS and reach <= LEVEL * unit and not moved.any()
    longest = drawn.alignment.longest
    tried = kind in ("direct", "combined") and gold.design == "plan"
    depth, first = None, first_hit(measure, gold.grades[-1])
    if gold.depth is not None or (first and gold.design in ("plan", "random")):
        seen = min(measure.depth or longest, longest)
        depth = (gold.depth or 0, 1 if first else seen, seen)
    known = kind == "exact" or bool(enough and (depth is None or depth[0] >= depth[2]))
    mean, draws = mean + moved, draws + moved
    parts = Parts.of(found.cells, options.target, gold=covariance).scaled(rate)
    if options.target == "population":
        draws = draws + topic_deviations(found.cells, number, *topic_rngs)
    shown = as_reported(measure, topics)
    said, reported = shown(ours), shown(draws)
    low, high = interval((said - reported).mean(axis=1), level)

    wide = wide_kernel(layer.kernel)

    def left(covariance: Floats) -> Floats:
        """Turn the covariance of direct estimates into what is left in that of reported means."""
        if tau is not None:
            covariance = expected_contrasts(covariance, wide, tau[0])
        return covariance * each + parts.by_cause.get("topics", 0.0)

    correction = Correction(
        estimate=kind,
        design=gold.design,
        labels=len(gold.documents),
        skipped=len(gold.skipped),
        level=(float((said - shown(mean)).mean()), float(low), float(high)),
        level_known=known,
        slope=slope,
        correlation=correlation_with_gold(said, reported, level),
        agreement=agreement_of_grades(gold, panel, level),
        panel_error=None if tau is None else (tau[0] / unit, tau[1] / unit, tau[2] / unit),
        effective_judges=effective_number(gold, panel),
        direct_mean=shown(found.mean),
        direct_covariance=found.covariance * each,
        expected=[] if depth is not None else _expected(gold, found, left, level),
        interval_level=level,
        looks=options.looks,
        stretch=_stretch(gold, options.looks, 1 - level),
        depth=depth,
        covered=Covered.record(measure, len(gold.documents)) if tried and depth is None else None,
        reliability=reliability(mean, covariance) if kind == "direct" else None,
    )
    weak = correction.covered is not None and correction.covered.weak
    notes += noted("weak-intervals", int(weak), str(correction.covered), about="result")
    text = (
        f"{plural(len(gold.skipped), 'document')} of the plan skipped; if this depended on "
        f"their labels, a mean could be off by up to {np.max(found.worst * rate):.3f}"
    )
    notes += noted("skipped", len(gold.skipped), text, about="result")
    cells = found.cells + (mean - found.cells.mean(axis=1))[:, None]
    return Estimate("gold", shown(mean), cells, reported, reported, parts), correction, notes


def settled(
    estimate: Estimate, correction: Correction, panel: Estimate, apart: tuple[Floats, Floats]
) -> tuple[Estimate, Correction, tuple[Note, ...]]:
    """Keep the panel's probabilities where labels decide less, and its scale where labels do not
    support a level.

    apart: [system, system], who is told apart by gold and by the panel alone: 1 for a row that is
    better than the column, -1 for one that is worse.
    """
    notes: tuple[Note, ...] = ()
    number = plural(correction.labels, "gold label")
    reached, decisive, deepest = correction.depth or (0, 0, 0)
    by_gold, by_panel = apart
    opposed = bool((by_gold * by_panel < 0).any())
    fewer = np.abs(by_gold).sum() < np.abs(by_panel).sum()
    real = 1.0 if correction.reliability is None else correction.reliability
    unreliable = by_gold.any() and real < RELIABLE
    undecided = (unreliable or (fewer and not opposed)) and not correction.poor
    if (undecided and correction.estimate != "exact") or not correction.reaches:
        estimate = replace(
            estimate, draws=panel.draws, error=panel.error, around=panel.mean, parts=panel.parts
        )
        correction = replace(correction, decides="panel")
        why = "the panel alone tells more systems apart"
        if unreliable:
            why = f"{percent(1 - real)} of what they see between systems is their own error"
        if not correction.reaches:
            why = f"by depth they reach rank {reached} of every list, not {decisive}"
        text = f"{number} do not decide yet: {why}, so ranks and chances are the panel's"
        notes = (Note("undecided-labels", correction.labels, text, about="result"),)
    if not correction.level_known:
        estimate = replace(
            estimate,
            scale="panel",
            mean=panel.mean,
            cells=panel.cells,
            means=panel.means,
            around=estimate.centre,
        )
        why = "" if correction.holds else f": by depth they reach rank {reached}, not {deepest}"
        text = f"{number} do not support a level yet{why}, so means are on the panel's scale"
        if correction.decides == "gold":
            text += ", while ranks and chances follow the labels"
        notes = (*notes, Note("unknown-level", correction.labels, text, about="result"))
    return estimate, correction, notes


def _into_range(measure: Measure, mean: Floats) -> Floats:
    """The shift that brings means [system] into the measure's range.

    A handful of gold labels may put the level outside. The shift is the same for all systems:
    differences do not change, unless they are larger than the range.
    """
    low, high = averaged(np.array([measure.low, measure.high]), measure.average)
    up, down = low - mean.min(), high - mean.max()
    level = np.clip(0.0, up, down) if up <= down else (up + down) / 2
    return np.asarray(np.clip(mean + level, low, high) - mean)


def _direct(
    gold: GoldLabels, panel: Panel, drawn: Drawn, measure: Measure, rng: np.random.Generator
) -> Direct:
    aligned = drawn.alignment
    scorer = Scorer(measure, aligned, gold.grades[-1])
    topic = aligned.pool.topic_of.astype(np.int64)
    if gold.design == "topics":
        labels = np.zeros((1, len(topic)), dtype=np.int16)
        labels[0, gold.documents] = gold.shares.argmax(axis=1)
        known = np.unique(topic[gold.documents])
        return topic_differences(drawn.cells, scores_under(scorer, labels)[0][:, known], known)
    prediction = predict(features(panel, aligned), topic, gold, PREDICTIONS, rng)
    return direct(scorer, gold, prediction, rng)


def combines(measure: Measure, longest: int, top: int) -> bool:
    """Tell whether a few labels may be combined with the panel: for proven, shallow measures."""
    kernel = measure.kernel(np.arange(1.0, longest + 1), top)
    if kernel is None or measure.name not in PROVEN:
        return False
    squares = kernel.weights**2
    return bool(squares[:RANKS].sum() >= SHALLOW * squares.sum())


def reliability(mean: Floats, covariance: Floats) -> float:
    """Return the share of squared differences between means that is not due to their errors."""
    seen = float(((mean[:, None] - mean) ** 2).sum())
    return max(1 - float(of_differences(covariance).sum()) / seen, 0.0) if seen else 0.0


def worthwhile(combined: Floats, direct: Floats) -> bool:
    """Tell whether the panel adds enough to labels, from covariances with it and without."""
    level = BOARD["level"].default  # of no importance: only the ratio counts
    left, alone = (typical(of_differences(c), level) for c in (combined, direct))
    return left < WORTHWHILE * alone


def _kind(
    gold: GoldLabels, options: BoardOptions, alignment: Alignment
) -> tuple[str, tuple[Note, ...]]:
    """Which estimate the design and the measure allow."""
    if gold.design == "whole":
        return "exact", ()
    if gold.design is None:
        text = (
            "it is not known how the documents with gold labels were chosen, so only a model "
            "corrects the panel; say it with a plan or a gold design"
        )
        return "model", (Note("unknown-design", len(gold.documents), text, about="result"),)
    tried = Covered.record(options.measure, len(gold.documents)) is not None
    asked = options.estimate == "direct" or len(alignment.systems) == 1
    if asked and tried:
        return "direct", ()
    if gold.design == "topics":
        text = "gold labels of whole topics are used without the panel's differences"
    elif asked or not combines(options.measure, alignment.longest, gold.grades[-1]):
        text = f"{options.measure} from gold labels alone"
        text += "" if asked else ": combining them with the panel is not supported for this measure"
        text += "" if tried else ", whose intervals were not tried on data"
    else:
        return "combined", ()
    return "direct", (Note("direct-only", 1, text, about="result"),)


def _stretch(gold: GoldLabels, looks: Sequence[int], alpha: float) -> float:
    """The factor by which a difference must be larger at this look than at a single look."""
    if not looks:
        return 1.0
    from scipy.special import ndtri

    now, largest = len(gold.documents) + len(gold.skipped), max(looks)
    if now > largest:
        said = f"{plural(now, 'gold label')} are more than the largest budget of {largest:,}"
        remedy = "looks have to be declared before labelling, the largest budget included"
        raise InputError(said, code="after-last-look", remedy=remedy)
    upto = [*sorted(n for n in set(looks) if n < now), now]
    level = nominal_levels([n / largest for n in upto], alpha)[-1]
    return float(ndtri(level / 2) / ndtri(alpha / 2))


def _expected(
    gold: GoldLabels, found: Direct, left: Callable[[Floats], Floats], level: float
) -> list[tuple[int, float]]:
    """Smallest detectable differences, now and with more labels, by what is left of the covariance
    of direct estimates."""
    if gold.weight is None or found.spread is None or len(found.mean) < 2:
        return []
    now, pool = len(gold.documents), len(gold.weight)
    budgets = sorted({now, now + 50, now + 100, *(n for n in MORE_LABELS if n > now)})
    budgets = [n for n in budgets if n <= pool]
    contrasts = found.spread.contrasts_within(gold.weight, budgets)
    needed = [typical(of_differences(left(one)), level) for one in contrasts]
    return list(zip(budgets, needed, strict=True))
