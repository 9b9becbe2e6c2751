"""The evidence behind a leaderboard: which systems rank which documents, how these were labelled,
how much they contribute to a system's score, and what more topics, judges or labels would show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Int16s, Int32s, Ints, NDArray
from hungjury.base.errors import MeasureError
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.judges.agreement import Agreement
from hungjury.judges.families import Jury, propose_families
from hungjury.judges.panel import Panel
from hungjury.judges.votes import AsGiven, vote_shares
from hungjury.leaderboard.correction import Correction, Interval
from hungjury.leaderboard.draws import MOST_KEPT, Drawn, Estimate, draw_scores, own_parts
from hungjury.leaderboard.effects import contributions, linear_kernel
from hungjury.leaderboard.gold import GoldLabels
from hungjury.leaderboard.options import BoardOptions
from hungjury.leaderboard.panel_error import SPREAD, TWO_FAMILIES, PanelError, kind_of_panel
from hungjury.leaderboard.plan import VOTE, expected_differences, first_hit, influence
from hungjury.measures.batch import Scorer, places
from hungjury.measures.catalogue import Measure
from hungjury.stats.multiple import of_differences, simultaneous_widths, told_apart, typical

if TYPE_CHECKING:
    from hungjury.leaderboard.board import Leaderboard

MOST_RANKS = 20  # ranks of a list that are shown
UNJUDGED, BEYOND = -1, -2  # in place of a document: not in the pool; after the end of the list
Places = Int32s
WORK = 100_000_000  # systems times documents times draws
FEWEST_DRAWS = 8


def depth_shown(measure: Measure) -> int:
    """The ranks that the measure uses, at most `MOST_RANKS`."""
    return min(measure.depth or MOST_RANKS, MOST_RANKS)


class Evidence(Record, eq=False):
    """The runs and labels that a leaderboard was made from; arrays are computed on demand.

    Attributes
    ----------
    options
        What the leaderboard was told.
    panel, jury
        The votes of all judges, and those who have a vote.
    agreement
        How judges agree with each other; None for one judge, and for probabilities.
    kin
        [system of the alignment]: is it built on LLMs like the judges?
    drawn
        Scores under draws of labels, with some of these draws.
    made
        Means of systems and their draws, in the order of the alignment's systems.
    layer
        The panel error, where one is assumed.
    labelled, correction, overrated
        The gold labels of the pool, how they corrected the means, and what kin are over-rated by.
    order
        The alignment's systems in the order of the leaderboard.
    """

    options: BoardOptions
    panel: Panel
    jury: Jury
    agreement: Agreement | None
    kin: Bools
    drawn: Drawn
    made: Estimate
    layer: PanelError | None = None
    labelled: GoldLabels | None = None
    correction: Correction | None = None
    overrated: Interval | None = None
    order: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def alignment(self) -> Alignment:
        return self.drawn.alignment

    @property
    def measure(self) -> Measure:
        return self.options.measure

    @property
    def depth(self) -> int:
        return depth_shown(self.measure)

    @cached_property
    def gold(self) -> Floats | None:
        """[document of the pool]: the mean gold label, NaN without one; None without any."""
        if self.labelled is None:
            return None
        known = np.full(len(self.panel.pool), np.nan)
        known[self.labelled.documents] = self.labelled.mean
        return known

    @cached_property
    def lists(self) -> Places:
        """[system, topic, rank]: the document's place in the pool, or `UNJUDGED`, or `BEYOND`."""
        return self._aligned[self.order]

    @cached_property
    def unjudged(self) -> Places:
        """[system, topic, rank]: the row among the alignment's `others` where a document is
        `UNJUDGED`, else -1."""
        others = self.alignment.others
        assert others is not None, "a leaderboard asks align() for them"
        out = np.full(self._aligned.shape, -1, dtype=np.int32)
        near = np.flatnonzero(others.rank <= self.depth)
        out[others.system[near], others.topic[near], others.rank[near] - 1] = near
        return np.asarray(out[self.order])

    @cached_property
    def _aligned(self) -> Places:
        """The lists of systems as they are aligned."""
        found, depth = self.alignment, self.depth
        ranks = np.arange(1, depth + 1)
        out = np.where(ranks <= found.length[:, None], UNJUDGED, BEYOND).astype(np.int32)
        cell, place = places(found.start, found.stop)
        near = found.rank[place] <= depth
        out[cell[near], found.rank[place[near]] - 1] = found.document[place[near]]
        return out.reshape(*found.shape, depth)

    @cached_property
    def probability(self) -> Floats:
        """[document, grade above the lowest]: chance of at least this grade by the panel."""
        merged, found = self.drawn.merged, self.drawn.labels
        if merged is None:  # scores are merged: use the judges' mean vote
            share = vote_shares(self.jury.panel)
        elif found is not None:
            share = np.zeros((len(merged.pool), merged.max_grade + 1))
            share[:, list(merged.panel.grades)] = found.posterior
        elif merged.posterior is not None:
            share = merged.posterior
        else:
            assert merged.labels is not None
            share = (merged.labels[:, None] == np.arange(merged.max_grade + 1)).astype(float)
        return np.asarray(np.cumsum(share[:, :0:-1], axis=1)[:, ::-1], dtype=float)

    @cached_property
    def contributions(self) -> NDArray[np.float32]:
        """[system, topic, rank]: the document's contribution to the system's score of the topic.

        By its gold label if there is one, else by the panel's possible labels.
        """
        merged = self.drawn.merged
        top = self.jury.panel.grades[-1] if merged is None else merged.max_grade
        scorer = Scorer(self.measure, self.alignment, top)
        labels, weights = self.label_sets(linear_kernel(scorer) is not None)
        lists = self._aligned
        out = np.zeros(lists.shape, dtype=np.float32)
        shown = np.unique(lists[lists >= 0]).astype(np.int64)
        for topic, mine, found in contributions(scorer, labels, weights, shown):
            at = np.searchsorted(shown[mine], lists[:, topic])
            here = np.take_along_axis(found, at, axis=1)
            out[:, topic] = np.where(lists[:, topic] >= 0, here, 0.0)
        return out[self.order]

    def label_sets(self, several: bool, by_gold: bool = True) -> tuple[Int16s, Floats]:
        """Labels [set, document], and the weight of each set on each topic [set, topic].

        One set of the most probable labels, unless several are wanted; with gold labels where
        these are known, unless only the panel's are wanted.
        """
        merged, drawn = self.drawn.merged, self.drawn.labels
        cells = len(self.alignment.systems) * len(self.alignment.pool)
        number = min(max(WORK // max(cells, 1), FEWEST_DRAWS), MOST_KEPT)
        if merged is None:
            labels = self.jury.panel.matrix()
        elif merged.labels is not None or not several:
            labels = merged.hard_labels[None].copy()
        elif drawn is not None:
            labels = drawn.labels[:number].copy()
        else:
            labels = merged.sample(0, number, completed=True)
        weights = self.drawn.weights
        if weights is None:
            weights = np.full((len(labels), self.alignment.shape[1]), 1 / len(labels))
        if self.gold is not None and by_gold:
            known = ~np.isnan(self.gold)
            labels[:, known] = np.rint(self.gold[known]).astype(np.int16)
        return labels, weights


TIMES = (0.5, 1, 2, 4)  # topics
SHARES = (0.25, 0.5, 0.75)  # of the judges, measured
MORE = (1.5, 2)  # times as many judges, extrapolated
DRAWS = 100  # for each smaller panel
MOST_COMPARED = 1000  # systems for which other assumptions are tried
LABELS_PROPOSED = 200  # by people, where nothing else would tell more systems apart


class Outlook(Record):
    """The smallest detectable difference between two systems with other numbers of topics and of
    judges: the one at which half of all pairs are told apart.
    """

    difference: float  # with the present topics and judges
    topics: list[tuple[int, float]]
    judges: list[tuple[int, float]]  # with the panel's own view only
    measured: int  # how many of `judges` were measured on smaller panels; the rest is extrapolated
    floor: float | None = None  # limit set by panel error, with any number of topics and judges


def look_ahead(evidence: Evidence, seed: np.random.SeedSequence) -> Outlook:
    """Estimate the precision with other numbers of topics and judges.

    More judges of the same kind share the panel error: with one, no smaller panels are measured,
    and `floor` says what remains. In the panel's own view smaller panels are measured.
    """
    made, options, panel = evidence.made, evidence.options, evidence.jury.panel
    chosen, level, parts = options.measure, options.level, made.parts
    total, wider = of_differences(parts.total), 1.0
    if options.together:
        needed = simultaneous_widths(made.draws, level)[np.triu_indices(len(made.mean), 1)]
        wider = float(np.median(needed)) / (typical(total, level) or 1.0)
    if "panel" in parts.by_cause:
        lasting = parts.by_cause["panel"] + parts.by_cause.get("learned", 0.0)
        fixed, documents = of_differences(lasting), of_differences(parts.by_cause["labels"])
        curve = topics_curve(parts.number, total - fixed - documents, fixed, level, documents)
        topics = [(n, wider * value) for n, value in curve]
        floor = wider * typical(fixed, level, fixed, SPREAD)
        return Outlook(dict(topics)[parts.number], topics, [], 0, floor)
    # What judges share is learned from all documents, so more topics help there too; only where
    # judges are resampled does it stay as long as there are no more of them.
    fixed = 0 * total
    if "judges" in parts.by_cause and options.merge.gives == "weights":
        fixed = of_differences(parts.by_cause["judges"])
    topics = [(n, wider * v) for n, v in topics_curve(parts.number, total - fixed, fixed, level)]

    def with_fewer(size: int) -> float:
        mine = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, size))
        order = np.random.default_rng(mine).permutation(len(panel.judges))
        try:
            fewer = draw_scores(panel.only(order[:size]), evidence.alignment, short, mine)
        except MeasureError:  # a label model that so few judges cannot support
            return np.nan
        total = of_differences(own_parts(fewer, options).total)
        needed = wider * typical(total, level) * spread / _spread(fewer)
        return min(needed, widest)

    # Fewer judges may see all systems closer together: a difference counts by how far apart
    # systems are.
    spread, short = _spread(evidence.drawn), options.but(draws=DRAWS)
    widest = chosen.high - chosen.low if chosen.average == "mean" else np.inf
    here = wider * typical(total, level)
    return Outlook(here, topics, *judges_curve(len(panel.judges), here, with_fewer))


def _spread(drawn: Drawn) -> float:
    """Return how far apart the systems' means are."""
    return max(float(drawn.cells.mean(axis=1).std()), 1e-12)


def topics_curve(
    number: int, part: Floats, fixed: Floats, level: float, documents: Floats | None = None
) -> list[tuple[int, float]]:
    """part, fixed: variances [system, system] of differences, of which the first shrinks with the
    number of topics. documents: a further part that does; it has an unknown factor, as has
    `fixed` then."""
    part = np.maximum(part, 0)  # differences of sums may fall below by rounding
    curve = []
    for n in sorted({max(round(number * times), 1) for times in TIMES}):
        unsure = fixed if documents is None else fixed + documents * number / n
        factor = (None, 0.0) if documents is None else (unsure, SPREAD)
        curve.append((n, typical(part * number / n + unsure, level, *factor)))
    return curve


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


class Step(Record):
    """Something that would tell more systems apart."""

    text: str
    pairs: int | None = None  # that would be told apart then, of all; None if it is not known


def next_steps(board: Leaderboard) -> list[Step]:
    """List what would help, with its effect, the most helpful first."""
    evidence, systems = board.evidence, len(board.systems)
    options, error, layer = evidence.options, evidence.made.error, evidence.layer
    if board.correction is not None and not board.correction.reaches:
        assert board.correction.depth is not None
        return [
            Step("label in the order of `hungjury plan --design depth` until labels reach rank "
                 f"{board.correction.depth[1]} of every list")
        ]  # fmt: skip
    if board.correction is not None:
        return [
            Step(f"label {more - board.correction.labels:,} more documents: the smallest "
                 f"detectable difference becomes {needed:.3f}")
            for more, needed in board.correction.expected[2:3]
        ]  # fmt: skip
    if board.alike:
        return [Step("give the runs of another system")]
    if layer is None or error is None:
        if isinstance(options.merge, AsGiven):
            text = "give the labels of those who judged, if you have them: their errors then count"
        else:
            text = "leave out panel_error=0 (--panel-error 0) to see what people would say"
        return [Step(text)]
    if board.pairs_apart == systems * (systems - 1) // 2:
        return [Step("nothing: all pairs of systems are told apart")]
    if systems > MOST_COMPARED:
        return [_more_topics(board.outlook)]
    twice = apart_in(error.draws(times=2.0), options)
    out = [Step(f"ask {2 * len(board.topics):,} topics", twice)]
    if options.panel_error is None and evidence.jury.declared == 1:
        judges = evidence.jury.panel.judges
        proposed = propose_families(judges)
        if proposed is None:
            text, kind = "add judges of a second LLM", TWO_FAMILIES
        else:
            pattern, number = proposed
            kind = kind_of_panel(len(judges), number)
            text = (f"declare the LLMs behind the judges: names suggest {number} "
                    f"(`--families '{pattern}'`)")  # fmt: skip
        out.insert(0, Step(text, apart_in(error.draws(layer.by_kind[kind]), options)))
    helpful = [step for step in out if (step.pairs or 0) > board.pairs_apart]
    helpful.sort(key=lambda step: -(step.pairs or 0))
    return helpful or [*_labels_to_ask(evidence, board.outlook), _more_topics(board.outlook)]


def _more_topics(ahead: Outlook | None) -> Step:
    """More topics, by the difference that they would detect."""
    if ahead is None:
        return Step("leave out outlook=False to see what more topics would give")
    topics, needed = ahead.topics[-1]
    return Step(f"ask {topics:,} topics: {_detects(ahead, needed)}")


def _labels_to_ask(evidence: Evidence, ahead: Outlook | None) -> list[Step]:
    """Gold labels, if a smaller difference is to be expected from them."""
    panel, alignment, measure = evidence.jury.panel, evidence.alignment, evidence.measure
    merged, budget = evidence.drawn.merged, min(LABELS_PROPOSED, len(panel.pool))
    if merged is None or merged.posterior is None:  # the merge at hand has no probabilities
        merged = panel.merged(VOTE)
    by_depth = first_hit(measure, panel.grades[-1])  # not foreseen
    if ahead is None or merged.posterior is None or by_depth:
        return []
    weight = influence(measure, alignment, merged)
    target = evidence.options.target
    expected = dict(expected_differences(measure, alignment, merged, weight, budget, target))
    if expected.get(budget, ahead.difference) >= ahead.difference:
        return []
    command = f"`hungjury plan --budget {budget}`"
    return [Step(f"label {budget:,} documents ({command}): {_detects(ahead, expected[budget])}")]


def _detects(ahead: Outlook, needed: float) -> str:
    was = f"{ahead.difference:.3f}"
    return f"the smallest detectable difference becomes about {needed:.3f} instead of {was}"


def apart_in(draws: Floats, options: BoardOptions) -> int:
    """Count the pairs that would be told apart by these draws."""
    beats = native.shares_larger(np.ascontiguousarray(draws.T))
    apart = told_apart(draws.mean(axis=0), draws, beats, options.level, options.together)
    return int(apart.sum()) // 2
