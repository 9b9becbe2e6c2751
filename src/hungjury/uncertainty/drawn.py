"""Scores under many draws of labels, or of judges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.catalogue import Measure
from hungjury.choices import Prior, Scope
from hungjury.collection.align import Alignment
from hungjury.collection.judgments import Judgments
from hungjury.collection.notes import Note
from hungjury.collection.runs import Progress
from hungjury.errors import InputError
from hungjury.judges.aware import combine_scores
from hungjury.judges.judge_scores import score_judges
from hungjury.judges.merged import Merge, Merged
from hungjury.judges.merging import merge
from hungjury.judges.weights import Weights
from hungjury.records import Record
from hungjury.scores import averaged
from hungjury.uncertainty.label_model import LabelDraws, Strata, draw_labels
from hungjury.uncertainty.score_draws import ScoreDraws, Summing, draws_at_once
from hungjury.uncertainty.strata import RankStrata

__all__ = ["Drawn", "Setting", "draw_scores"]

Floats = NDArray[np.float64]


class Setting(Record):
    """What all draws of scores have in common."""

    measure: Measure
    merge: Merge
    rel: int | None
    scope: Scope
    prior: Prior
    replicates: int  # random judges of AWARE


class Drawn(Record, eq=False):
    """Values of one measure, as they are averaged over topics (logs for a geometric mean)."""

    alignment: Alignment
    cells: Floats  # [system, topic]: the best estimate
    draws: ScoreDraws
    notes: tuple[Note, ...]  # about the merge; not about judgments and runs
    merged: Merged | None = None
    labels: LabelDraws | None = None
    weights: Floats | None = None  # [judge, topic] of AWARE


def draw_scores(
    judgments: Judgments,
    aligned: Alignment,
    setting: Setting,
    draws: int,
    seed: np.random.SeedSequence,
    progress: Progress | None = None,
) -> Drawn:
    """Score all systems under `draws` draws of labels, or of judges.

    aligned: the runs, with the judgments' pool.
    """
    weights = setting.merge.weights
    if weights is not None:
        return _resample_measures(judgments, aligned, setting, weights, draws, seed, progress)
    alone = len(judgments.judges) == 1
    method = setting.merge.for_one_judge() if alone else setting.merge
    merged = merge(judgments, method, setting.rel, setting.scope, _number(seed))
    scorer = Scorer(setting.measure, aligned, merged.max_grade)
    found = None
    if method.drawn_from == "model":
        found = draw_labels(merged, _strata(merged, aligned, setting), draws, seed,
                            _counter(progress, draws))  # fmt: skip
        labels = found.labels
        values = _summary(aligned, draws, lambda rows: _score(scorer, labels[rows]))
    else:
        rng = np.random.default_rng(seed)
        sample = merged.sampler(rng, completed=True)
        values = _summary(
            aligned, draws, lambda rows: _score(scorer, sample(rows.stop - rows.start))
        )
    if merged.labels is None:
        cells = values.cells
    else:  # a vote: the estimate uses its own labels, the draws those of resampled panels
        cells = _score(scorer, merged.labels[None])[0]
    return Drawn(aligned, cells, values, merged.notes, merged, found)


def _resample_measures(
    judgments: Judgments,
    aligned: Alignment,
    setting: Setting,
    weights: Weights,
    draws: int,
    seed: np.random.SeedSequence,
    progress: Progress | None,
) -> Drawn:
    scored = score_judges(judgments, aligned, setting.measure, setting.rel)
    random = None
    if weights.needs == "gold":
        raise InputError(
            "a leaderboard does not weigh judges by gold labels",
            code="gold-and-weights",
            remedy="use other weights, or `aware` (`hungjury aware`) with supervised weights",
        )
    if weights.needs == "random" and len(scored.judges) > 1:
        random = scored.random(setting.replicates, _number(seed), progress)
    found = combine_scores(scored, weights, random)
    average, rng = setting.measure.average, np.random.default_rng(seed)
    values = _summary(
        scored.alignment,
        draws,
        lambda rows: averaged(found.sample(rng, rows.stop - rows.start)[:, 0], average),
    )
    return Drawn(scored.alignment, averaged(found.values[0], average), values, scored.own_notes,
                 weights=found.weights)  # fmt: skip


def _strata(merged: Merged, aligned: Alignment, setting: Setting) -> Strata:
    """Documents by what systems' ranks say about them, by topic, or all in one."""
    judged = merged.panel.judged
    if setting.prior == "ranks":
        return RankStrata(aligned, judged).of
    topic = merged.pool.topic_of[judged].astype(np.int64)
    fixed = topic if setting.scope == "topic" else np.zeros_like(topic)
    return lambda grades, rng: fixed


def _score(scorer: Scorer, labels: NDArray[np.int16]) -> Floats:
    """[draw, system, topic]; undefined is 0."""
    by_system = np.empty((*scorer.alignment.shape, len(labels)))
    values = scorer.filled(labels, by_system.transpose(2, 0, 1))
    return averaged(values, scorer.measure.average)


def _summary(aligned: Alignment, draws: int, score: Callable[[slice], Floats]) -> ScoreDraws:
    """Summarise all draws, scored in blocks."""
    summing = Summing(draws, *aligned.shape)
    step = draws_at_once(len(aligned.length), len(aligned.pool))
    for start in range(0, draws, step):
        summing.add(score(slice(start, min(start + step, draws))))
    return summing.finish()


def _number(seed: np.random.SeedSequence) -> int:
    return int(seed.generate_state(1)[0])


def _counter(progress: Progress | None, total: int) -> Callable[[int], None] | None:
    """Count finished draws of all chains together."""
    if progress is None:
        return None
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        progress(min(done, total), total, "drawing labels")

    return count
