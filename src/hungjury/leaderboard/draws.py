"""Draws of the systems' mean scores: sources of uncertainty, each counted once.

A thousand draws of a thousand systems on two hundred topics would take 1.6 GB. All that a
leaderboard needs are the mean over topics of every draw, mean and spread of every cell,
and the covariances between systems, which cost systems² * topics * draws: the only part of a
leaderboard with this cost. It is a matrix product.

Scores are drawn per topic. Their uncertainty is of two kinds: noise that is independent
between topics and averages out over them, and errors that topics share (a judge's leniency, a
prior), which do not. The covariance over draws of the topic means has both; that between topics
within draws, divided by their number, is the first kind alone; the difference is the second.

For these topics alone (`topics`) the drawn means are used directly. For topics like these
(`population`) topics are resampled too, but from the best estimates: drawn scores of different
topics differ by their label noise already, so resampling them would count it twice.

If a panel error is added to the means, it replaces the noise of labels and the errors that topics
share: they are part of it. Only what a merge learned from a sample of double judgments stays
uncertain beside it: the panel error is about judges, not about the size of that sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from hungjury.base.arrays import Floats, Int16s
from hungjury.base.choices import Target
from hungjury.base.errors import InputError, Note
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.runs import Progress
from hungjury.judges.aware import combine_scores
from hungjury.judges.judge_scores import score_judges
from hungjury.judges.merge import label_merge
from hungjury.judges.merge_types import Merged
from hungjury.judges.panel import Panel
from hungjury.judges.votes import AsGiven
from hungjury.judges.weights import Weights
from hungjury.leaderboard.label_model import LabelDraws, RankStrata, Strata, draw_labels
from hungjury.leaderboard.options import BoardOptions
from hungjury.leaderboard.panel_error import BELOW_SHARE, OVERRATED, PanelError, normal_draws
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure
from hungjury.measures.catalogue.probabilities import E
from hungjury.measures.evaluate import score_alignment
from hungjury.measures.scores import averaged
from hungjury.stats.correlation import with_ties
from hungjury.stats.resampling import topic_deviations

NUMBERS_AT_ONCE = 1 << 23  # scores, or labels, in one block of draws
LANES = 16  # label vectors that the native code scores at once
MOST_KEPT = 100  # draws of labels, after all were scored
ROUNDING = 1e-12  # of a variance: less is noise


class ScoreDraws(Record, eq=False):
    """Summary of scores [draw, system, topic]."""

    means: Floats  # [draw, system]: over topics
    cells: Floats  # [system, topic]: means over draws
    spread: Floats  # [system, topic]: standard deviations over draws
    products: Floats  # [system, system]: deviations from `cells`, summed over draws and topics

    def __len__(self) -> int:
        return len(self.means)

    @staticmethod
    def of(blocks: Iterable[Floats], systems: int, topics: int) -> ScoreDraws:
        """Summarise blocks of draws [draw, system, topic], which may be overwritten.

        Fastest where they are laid out as [system, topic, draw]. Deviations are taken from the
        first draw, which is near enough to the mean for sums of squares to lose no digits, and
        makes them 0 where all draws are the same.
        """
        first, sums, squares = np.zeros((3, systems, topics))
        products = np.zeros((systems, systems))
        means: list[Floats] = []
        for values in blocks:
            if not means:
                first = values[0].copy()
            means.append(values.mean(axis=2))
            by_system = values.transpose(1, 2, 0)
            by_system -= first[:, :, None]
            sums += by_system.sum(axis=2)
            squares += np.einsum("std,std->st", by_system, by_system)
            rows = by_system.reshape(len(by_system), -1)
            products += rows @ rows.T
        by_draw = np.ascontiguousarray(np.concatenate(means))  # sums follow the layout
        number = len(by_draw)
        shift = sums / number
        variance = np.maximum(squares / number - shift**2, 0)
        products -= number * shift @ shift.T
        return ScoreDraws(by_draw, first + shift, np.sqrt(variance), products)


class Drawn(Record, eq=False):
    """Values of one measure, as they are averaged over topics (logs for a geometric mean)."""

    alignment: Alignment
    cells: Floats  # [system, topic]: the best estimate
    draws: ScoreDraws
    notes: tuple[Note, ...]  # about the merge; not about judgments and runs
    merged: Merged | None = None
    learned: bool = False  # are the probabilities of labels known from a sample only?
    labels: LabelDraws | None = None
    weights: Floats | None = None  # [judge, topic] of AWARE


def draw_scores(
    panel: Panel,
    aligned: Alignment,
    options: BoardOptions,
    seed: np.random.SeedSequence,
    progress: Progress | None = None,
) -> Drawn:
    """Score all systems under draws of labels, or of judges.

    aligned: the runs, with the panel's pool.
    """
    weights, draws = options.merge.weights, options.draws
    if weights is not None:
        return _resample_measures(panel, aligned, options, weights, seed, progress)
    alone = len(panel.judges) == 1
    method = label_merge(options.merge.for_one_judge() if alone else options.merge)
    merged = panel.merged(method, options.scope, _number(seed))
    scorer = Scorer(options.measure, aligned, merged.max_grade)
    found = None
    if method.drawn_from == "model":
        found = draw_labels(merged, _strata(merged, aligned, options), draws, seed, progress)
        labels = found.labels
        values = _summary(aligned, draws, lambda rows: _score(scorer, labels[rows]))
        found = replace(found, labels=labels[:: -(-draws // MOST_KEPT)].copy())
    else:
        rng = np.random.default_rng(seed)
        sample = merged.sampler(rng, completed=True)
        values = _summary(
            aligned, draws, lambda rows: _score(scorer, sample(rows.stop - rows.start))
        )
    if merged.labels is None:
        cells = _exact_cells(merged, aligned, options.measure)
        cells = values.cells if cells is None else cells
    else:  # a vote: the estimate uses its own labels, the draws those of resampled panels
        cells = _score(scorer, merged.labels[None])[0]
    learned = method.learner(panel) is not None
    return Drawn(aligned, cells, values, merged.notes, merged, learned, found)


def _exact_cells(merged: Merged, aligned: Alignment, measure: Measure) -> Floats | None:
    """[system, topic]: expectations under given probabilities, if they need no draws; also those of
    answers, lists of one document, whose mean score anybody can check."""
    expected = measure if measure.takes_probabilities else E(of=measure)
    if measure.average == "gmean" or (isinstance(expected, E) and not expected.is_exact):
        return None
    answers = aligned.longest == 1 and merged.method.drawn_from == "posterior"
    if not isinstance(merged.method, AsGiven) and not answers:
        return None
    labels = merged.completed()
    scores = score_alignment(aligned, labels, [expected], "judged", "zero", "nonrelevant")
    return np.asarray(scores.values[0])


def _resample_measures(
    panel: Panel,
    aligned: Alignment,
    options: BoardOptions,
    weights: Weights,
    seed: np.random.SeedSequence,
    progress: Progress | None,
) -> Drawn:
    scored = score_judges(panel, aligned, options.measure, options.rel)
    random = None
    if weights.needs == "gold":
        said = "a leaderboard does not weigh judges by gold labels"
        remedy = "use other weights, or `aware` (`hungjury aware`) with supervised weights"
        raise InputError(said, code="gold-and-weights", remedy=remedy)
    if weights.needs == "random" and len(scored.judges) > 1:
        random = scored.random(options.replicates, _number(seed), progress)
    found = combine_scores(scored, weights, random)
    average, rng = options.measure.average, np.random.default_rng(seed)
    values = _summary(
        scored.alignment,
        options.draws,
        lambda rows: averaged(found.sample(rng, rows.stop - rows.start)[:, 0], average),
    )
    return Drawn(scored.alignment, averaged(found.values[0], average), values, scored.own_notes,
                 weights=found.weights)  # fmt: skip


def _strata(merged: Merged, aligned: Alignment, options: BoardOptions) -> Strata:
    """Documents by what systems' ranks say about them, by topic, or all in one."""
    judged = merged.panel.judged
    if options.prior == "ranks":
        return RankStrata(aligned, judged).of
    topic = merged.pool.topic_of[judged].astype(np.int64)
    fixed = topic if options.scope == "topic" else np.zeros_like(topic)
    return lambda grades, rng: fixed


def _score(scorer: Scorer, labels: Int16s) -> Floats:
    """[draw, system, topic]; undefined is 0."""
    by_system = np.empty((*scorer.alignment.shape, len(labels)))
    values = scorer.filled(labels, by_system.transpose(2, 0, 1))
    return averaged(values, scorer.measure.average)


def _summary(aligned: Alignment, draws: int, score: Callable[[slice], Floats]) -> ScoreDraws:
    """Summarise all draws, scored in blocks."""
    numbers = max(len(aligned.length), len(aligned.pool), 1)
    step = max(NUMBERS_AT_ONCE // numbers // LANES, 1) * LANES
    blocks = (slice(start, min(start + step, draws)) for start in range(0, draws, step))
    return ScoreDraws.of(map(score, blocks), *aligned.shape)


def _number(seed: np.random.SeedSequence) -> int:
    return int(seed.generate_state(1)[0])


class Parts(Record, eq=False):
    """Covariances [system, system] of the mean over topics, by cause.

    "topics": which topics were asked, for a population of them; "labels": label noise, independent
    between topics; "judges": errors of judges that topics share, or "panel": a panel error in place
    of these, and "learned": the uncertainty of probabilities that were learned; "gold": uncertainty
    left by gold labels, in place of all but topics.
    """

    by_cause: dict[str, Floats]
    number: int  # of topics

    @staticmethod
    def of(cells: Floats, target: Target, **others: Floats | None) -> Parts:
        """Of means over cells [system, topic]: topics, if they count, and all others there are."""
        systems, topics = cells.shape
        parts = {name: part for name, part in others.items() if part is not None}
        if target == "population":
            between = np.cov(cells) / topics if topics > 1 else np.zeros((systems, systems))
            parts = {"topics": np.atleast_2d(between), **parts}
        return Parts(parts, topics)

    @property
    def total(self) -> Floats:
        return np.asarray(sum(self.by_cause.values()))

    def scaled(self, rate: Floats) -> Parts:
        """Covariances of the means multiplied by `rate` [system]."""
        each = np.outer(rate, rate)
        return Parts({name: part * each for name, part in self.by_cause.items()}, self.number)

    def shares(self) -> dict[str, float]:
        """Shares of the variance of a difference, averaged over pairs; of a mean for one system.

        All are 0 where systems do not differ by more than rounding.
        """
        size = {name: _size(part) for name, part in self.by_cause.items()}
        total = sum(size.values())
        differ = total > ROUNDING * float(np.trace(self.total))
        return {name: value / total if differ else 0.0 for name, value in size.items()}


def _size(covariance: Floats) -> float:
    """Its contribution to the variance of differences between systems: the centred trace."""
    if len(covariance) == 1:
        return float(covariance[0, 0])
    return float(np.trace(covariance) - covariance.mean() * len(covariance))


def mean_draws(
    cells: Floats,
    draws: ScoreDraws,
    target: Target,
    seed: np.random.SeedSequence,
    layer: PanelError | None = None,
    as_given: bool = False,
    learned: bool = False,
) -> tuple[Floats, Floats, Parts]:
    """Draws [draw, system] of the panel's mean score, those of topics alone, and the parts.

    cells: [system, topic], the best estimates. draws: a summary of the drawn scores. layer: a panel
    error, to be added to the means. The draws then do not contain the errors that topics share.
    as_given: labels are independent; drawn means stay as they are, equal ones equal. learned: the
    probabilities of labels are uncertain, with a panel error too.
    """
    labels, _ = _label_parts(draws)
    mean = cells.mean(axis=1)
    shared = None if as_given or (layer is not None and not learned) else _shared(draws)
    cause = "judges" if layer is None else "learned"
    parts = Parts.of(cells, target, labels=labels, **{cause: shared})
    resampling, scaling, noise = (np.random.default_rng(one) for one in seed.spawn(3))
    if layer is None and as_given:
        means = with_ties(draws.means)
    elif layer is None or learned:
        means = draws.means + (mean - draws.means.mean(axis=0))
    else:
        means = mean + normal_draws(labels, len(draws), noise)
    others = np.zeros_like(means)
    if target == "population":
        others = topic_deviations(cells, len(draws), resampling, scaling)
    return means + others, mean + others, parts


def _label_parts(draws: ScoreDraws) -> tuple[Floats, Floats]:
    """Covariances of the topic mean: due to independent noise alone, and in total."""
    number, topics = len(draws), draws.cells.shape[1]
    means = draws.means - draws.means[0]  # exactly 0 where all draws are the same
    means -= means.mean(axis=0)
    together = means.T @ means
    total = together / (number - 1)
    if topics == 1:
        return total, total
    within = draws.products - topics * together
    return within / ((number - 1) * (topics - 1) * topics), total


def _shared(draws: ScoreDraws) -> Floats:
    """The covariance due to errors that topics share, without negative variances."""
    labels, total = _label_parts(draws)
    value, vector = np.linalg.eigh(total - labels)
    return np.asarray((vector * np.maximum(value, 0)) @ vector.T)


def own_parts(drawn: Drawn, options: BoardOptions) -> Parts:
    """Covariances of reported means in the panel's own view."""
    labels, _ = _label_parts(drawn.draws)
    parts = Parts.of(drawn.cells, options.target, labels=labels, judges=_shared(drawn.draws))
    return parts.scaled(reported_rate(options.measure, drawn.cells.mean(axis=1), parts.number))


class ErrorDraws(Record, eq=False):
    """Draws of the parts of the systems' means that people's labels would change, [draw, system].

    Kept apart to say what would change with other judges or topics.
    """

    mean: Floats  # [system], less what kin and depth are over-rated by
    topics: Floats
    documents: Floats
    learned: Floats | float  # of probabilities that were learned from a sample
    below: Floats  # about depth
    systems: Floats  # for a tau of 1
    kin: Floats
    overrated: Floats  # [system]
    tau: float

    def draws(self, tau: float | None = None, times: float = 1.0, kin: bool = True) -> Floats:
        """With another tau, this many times as many topics, or without what is assumed of kin."""
        lasting = self.learned + self.below
        out = self.mean + (self.topics + self.documents) / np.sqrt(times) + lasting
        out += (self.tau if tau is None else tau) * self.systems
        return np.asarray(out + (self.kin if kin else self.overrated))


class Estimate(Record, eq=False):
    """Means as they are reported, in the order of the alignment's systems.

    On the "panel" scale `means` are the panel's means with other topics or labels,
    and `draws` adds the panel error: these say who is better by people's labels, but nothing about
    the level, nor about the size of a difference.
    """

    scale: str  # "panel", or "gold" where gold labels corrected the means
    mean: Floats  # [system]
    cells: Floats  # [system, topic]: what is averaged to give the means
    means: Floats  # [draw, system], for intervals
    draws: Floats  # [draw, system], for ranks, chances and groups
    parts: Parts
    error: ErrorDraws | None = None  # what the draws are made of, with a panel error
    around: Floats | None = None  # [system]: what the draws are around, if not `mean`

    @property
    def centre(self) -> Floats:
        """[system]: what the draws are around, by which systems are ranked."""
        if self.error is not None:
            return self.error.mean
        return self.mean if self.around is None else self.around


def panel_estimate(
    drawn: Drawn,
    options: BoardOptions,
    layer: PanelError | None,
    seed: np.random.SeedSequence,
) -> Estimate:
    """The panel's means, with the panel's possible error."""
    means_seed, error_seed, learned_seed = seed.spawn(3)
    mean, topics = drawn.cells.mean(axis=1), drawn.cells.shape[1]
    means, others, parts = mean_draws(
        drawn.cells, drawn.draws, options.target, means_seed, layer,
        isinstance(options.merge, AsGiven), drawn.learned,
    )  # fmt: skip
    shown = as_reported(options.measure, topics)
    rate = reported_rate(options.measure, mean, topics)
    means, parts, said, error = shown(means), parts.scaled(rate), shown(mean), None
    draws = means
    if layer is not None:
        documents, below, systems, kin = layer.draw(len(means), np.random.default_rng(error_seed))
        better = -1.0 if options.measure.smaller_is_better else 1.0
        overrated = np.where(layer.kin, better * OVERRATED * layer.unit, 0.0)
        taken_off = overrated + (1 - BELOW_SHARE) * layer.below * rate
        learned: Floats | float = 0.0
        if "learned" in parts.by_cause:
            rng = np.random.default_rng(learned_seed)
            learned = normal_draws(parts.by_cause["learned"], len(means), rng)
        error = ErrorDraws(said - taken_off, shown(others) - said, documents * rate, learned,
                           below * rate, systems, kin, overrated, layer.tau)  # fmt: skip
        draws = error.draws()
        parts.by_cause.update(layer.covariances(rate))
    return Estimate("panel", said, drawn.cells, means, draws, parts, error)


def as_reported(measure: Measure, topics: int) -> Callable[[Floats], Floats]:
    """Means over topics as reported: geometric means and sums are not averages.

    Logarithms of few topics may be drawn far above that of the largest score.
    """
    if measure.average == "gmean":
        return lambda mean: np.exp(np.minimum(mean, np.log(measure.high)))
    return (lambda mean: mean * topics) if measure.average == "sum" else (lambda mean: mean)


def reported_rate(measure: Measure, mean: Floats, topics: int) -> Floats:
    """[system]: the change of a reported mean per change of the mean over topics."""
    if measure.average == "gmean":
        return np.asarray(np.exp(mean))
    return np.full(len(mean), float(topics) if measure.average == "sum" else 1.0)
