"""Combinations of k judges: how many are enough, and how best to combine them (TH 4.4-4.6).

Scores under each judge and under random ones do not depend on the tuple: they are computed
once, and tuples only recombine them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import Orientation
from hungjury.base.errors import Argument, InputError, check_seed
from hungjury.base.parameters import MOST_SAMPLES, check_count
from hungjury.base.records import Record
from hungjury.data.judgments import as_judgments
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike
from hungjury.data.runs import Progress, Runs, as_runs, load
from hungjury.judges.judge_scores import (
    JudgeScores,
    check_measure_of_judges,
    grades_at,
    label_matrix,
    random_scores,
    score_judges,
)
from hungjury.judges.merge import label_merge
from hungjury.judges.merge_types import LabelMerge, Merged, MergeSettings
from hungjury.judges.panel import NOT_JUDGED, Panel
from hungjury.judges.weights import ESTIMATORS, normalised, raw_weights
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.evaluate import MeasureNames, score_alignment
from hungjury.studies.claims import Resampling
from hungjury.studies.downsampling import Experiment, Found, Part
from hungjury.studies.gold import DETERMINISTIC, NEARLY_SURE, RANDOMISED, Doubt, Truths
from hungjury.studies.jobs import seed_for
from hungjury.studies.judge_tuples import TupleRow, TupleStudy, judge_tuples, membership
from hungjury.studies.topics import need_gold, need_judges

__all__ = [
    "APPROACHES",
    "TupleExperiment",
    "TupleRow",
    "TupleStudy",
    "check_votes",
    "judge_tuples",
    "tuple_study",
    "votes_among",
    "weighted_majority",
]

BEGINNING = "votes("
ROUNDING = 1e-12  # keeps ties independent of the order of summation


def votes_among(approaches: list[str]) -> dict[str, str]:
    """Approaches such as "votes(sgl_tau_msd)", with their weights."""
    return {a: a[len(BEGINNING) : -1] for a in approaches if a.startswith(BEGINNING)}


def weighted_majority(
    labels: NDArray[np.int16], weights: Floats, topic_of: NDArray[np.integer[Any]]
) -> NDArray[np.int16]:
    """Binary labels [judge, document] and weights [tuple, judge, topic] to labels
    [tuple, document]: 1 where more than half of the weight of those who judged it says so."""
    out = np.empty((len(weights), labels.shape[1]), dtype=np.int16)
    for topic in range(weights.shape[2]):
        mine = topic_of == topic
        yes, judged = (labels[:, mine] == 1).astype(float), (labels[:, mine] >= 0).astype(float)
        in_favour, total = (weights[:, :, topic] @ votes for votes in (yes, judged))
        out[:, mine] = np.where(total > 0, in_favour > (0.5 + ROUNDING) * total, NOT_JUDGED)
    return out


def check_votes(votes: Mapping[str, str], top: int) -> None:
    for name, weights in votes.items():
        if top > 1:
            raise InputError(
                f"{name} is for binary labels, but grades go up to {top}",
                code="not-binary",
                remedy=("name the lowest relevant grade with", Argument("rel")),
            )
        if weights != "uni" and weights not in ESTIMATORS:
            raise InputError(
                f"unknown weights '{weights}' for votes", code="unknown-weights",
                remedy="use AWARE's weights, such as sgl_tau_msd",
            )  # fmt: skip


BASELINES = ("mv", "em-mv", "em-neu")
APPROACHES = ("uni", *ESTIMATORS, *BASELINES)
"""The 34 approaches of the thesis."""
DRAWN = ("tau_ap", "rmse")  # quantities that are drawn for claims
ON_TOPICS = 10  # tuples of each size that are also scored on resampled topics


class TupleExperiment(Experiment[TupleStudy]):
    """Parts: `("aware", measure)` for all sizes, and `("merge", method, size)` for all measures."""

    def __init__(
        self,
        judgments: JudgmentsLike,
        runs: RunsLike,
        measures: MeasureNames,
        gold: QrelsLike,
        rel: int | None = None,
        sizes: Iterable[int] | None = None,
        tuples: int = 100,
        approaches: Iterable[str] = APPROACHES,
        standards: Sequence[str] = (DETERMINISTIC,),
        replicates: int = 1000,
        seed: int = 0,
        orientation: Orientation = "dissimilarity",
        *,
        drop_empty: bool = False,
        doubts: Sequence[Doubt] = (NEARLY_SURE,),
        resamples: int = 0,
    ) -> None:
        check_seed(seed)
        need_gold(gold, "a study of judges")
        given = as_judgments(judgments)
        need_judges(given, "a study of tuples of judges")
        self.approaches = list(approaches)
        self.weights = [a for a in self.approaches if a == "uni" or a in ESTIMATORS]
        self.votes = votes_among(self.approaches)
        check_votes(self.votes, grades_at(given, rel)[-1])
        self.merges = {
            a: label_merge(a) for a in self.approaches if a not in {*self.weights, *self.votes}
        }
        self.doubts, chosen = tuple(doubts), measure_list(measures)
        self.measures = [str(one) for one in chosen]
        if any(method.scored_in_expectation for method in self.merges.values()):
            for one in chosen:
                one.for_probabilities()  # raises if there is no counterpart
        for one in chosen:
            check_measure_of_judges(one, rel, grades_at(given, rel)[-1])
        self.given, self.runs, self.gold, self.rel = given, runs, gold, rel
        self.standards, self.drop_empty = tuple(standards), drop_empty
        self.tuples, self.replicates, self.seed = tuples, replicates, seed
        self.orientation = orientation
        self.resampling = Resampling(resamples, seed) if resamples else None
        self.sizes = self._checked(sizes)

    # Expensive steps run only when a part needs them: listing the parts scores nothing.

    def __getstate__(self) -> dict[str, Any]:
        """Send the scores to other processes, not the runs."""
        _ = self.truths
        return {k: v for k, v in vars(self).items() if k not in ("runs", "lists")}

    @cached_property
    def lists(self) -> Runs:
        return load(as_runs(self.runs))

    @cached_property
    def scored(self) -> JudgeScores:
        return score_judges(
            self.given, self.lists, self.measures, self.rel, self.gold, self.drop_empty
        )

    @cached_property
    def truths(self) -> Truths:
        return Truths(
            self.scored, self.gold, self.lists, self.rel, self.standards, self.doubts,
            self.resampling,
        )  # fmt: skip

    @cached_property
    def panel(self) -> Panel:
        return Panel.of(self.given, self.rel)

    @cached_property
    def places(self) -> list[int]:
        """The places in the panel of the judges that are studied."""
        return [self.given.judges.index(name) for name in self.judges]

    @property
    def judges(self) -> list[str]:
        """Those studied; who is dropped for finding nothing relevant is known after scoring."""
        return self.scored.judges if self.drop_empty else self.given.judges

    def _checked(self, sizes: Iterable[int] | None) -> list[int]:
        number = len(self.judges)
        wanted = list(range(2, number)) if sizes is None else list(sizes)
        if not wanted or min(wanted) < 1 or max(wanted) > number:
            raise InputError(
                f"sizes of tuples must be from 1 to {number}, the number of judges, got {wanted}",
                code="out-of-range",
                argument="sizes",
                remedy=f"choose sizes from 1 to {number}",
            )
        check_count("tuples", self.tuples, 1, MOST_SAMPLES)
        return wanted

    def members(self, size: int) -> list[tuple[int, ...]]:
        """The tuples of a size, as places among the judges studied."""
        return judge_tuples(len(self.judges), size, self.tuples, self.seed)

    def parts(self) -> list[Part]:
        weighing = self.weights or self.votes
        weighed: list[Part] = [("aware", name) for name in self.measures if weighing]
        return [*weighed, *(("merge", how, k) for k in self.sizes for how in self.merges)]

    def run(self, part: Part) -> Found:
        if part[0] == "aware":
            rows = list(self._aware(self.measures.index(str(part[1]))))
        else:
            rows = list(self._merge(str(part[1]), int(part[2])))
        found: Found = {"rows": [list(asdict(row.numbers).values()) for row in rows]}
        if self.resampling is not None:
            for what in DRAWN:
                found[what] = np.stack([row.draws[what] for row in rows]).astype(np.float32)
        return found

    def gather(self, found: Mapping[Part, Found]) -> TupleStudy:
        rows = [TupleRow(*row) for part in self.parts() for row in found[part]["rows"]]
        order = {name: i for i, name in enumerate(self.approaches)}
        place = {name: i for i, name in enumerate(self.measures)}
        sorted_rows = sorted(
            range(len(rows)),
            key=lambda i: (
                place[rows[i].measure], rows[i].gold, rows[i].size, order[rows[i].approach]
            ),
        )  # fmt: skip
        draws = {}
        if self.resampling is not None:
            each = {what: [found[part][what] for part in self.parts()] for what in DRAWN}
            draws = {w: np.concatenate(e).astype(float)[sorted_rows] for w, e in each.items()}
        return TupleStudy(
            [rows[i] for i in sorted_rows],
            self.judges,
            len(self.scored.alignment.systems),
            len(self.truths.known),
            self.seed,
            draws,
        )

    def _aware(self, m: int) -> Iterator[_Row]:
        """All weights and sizes for one measure."""
        scored, known = self.scored, self.truths.known
        panel = scored.panel(m)
        random = None
        if {*self.weights, *self.votes.values()} != {"uni"}:
            grades = [grade for grade in scored.grades if grade >= 0]
            pool = len(scored.alignment.pool)
            (random,) = random_scores(
                [scored.scorers[m]], pool, grades, self.replicates, self.seed
            )  # fmt: skip
        names = {name: name for name in self.weights} | self.votes
        needed = list(dict.fromkeys(names.values()))
        raw = dict(raw_weights(needed, panel, random, self.orientation))
        scores = panel.scores[:, :, known]
        members = {k: membership(self.members(k), len(panel.scores)) for k in self.sizes}
        for name, size in itertools.product(names, self.sizes):
            weights = normalised(raw[names[name]], members[size][:, :, None] & panel.judged)
            if name in self.votes:
                labels = weighted_majority(self._labels, weights, scored.alignment.pool.topic_of)
                values = scored.scorers[m].filled(labels)[:, :, known]
            else:
                values = np.einsum("nkt,kst->nst", weights[:, :, known], scores, optimize=True)
            yield self._row(m, size, name, self.measures[m], values)

    @cached_property
    def _labels(self) -> NDArray[np.int16]:
        """[judge, document] of the judges studied."""
        labels, _ = label_matrix(self.given, self.rel)
        return labels[self.places]

    def _merge(self, how: str, size: int) -> Iterator[_Row]:
        """One merge and size for all measures."""
        method, chosen = self.merges[how], self.members(size)
        if not method.scored_in_expectation:
            labels = np.stack([_labels(self._merged(method, who).hard()) for who in chosen])
            for m, scorer in enumerate(self.scored.scorers):
                values = scorer.filled(labels)[:, :, self.truths.known]
                yield self._row(m, size, how, self.measures[m], values)
            return
        merged = [self._merged(method, who).plain() for who in chosen]
        for unjudged in dict.fromkeys(doubt.unjudged for doubt in self.doubts):
            mine = [doubt for doubt in self.doubts if doubt.unjudged == unjudged]
            expected = [mine[0].of_votes(one) for one in self.scored.measures]
            each = self._expected_values(merged, expected)
            for m, (one, values) in enumerate(zip(expected, each, strict=True)):
                for gold in self.truths.standards:
                    for doubt in mine if gold == RANDOMISED else mine[:1]:
                        yield self._row(m, size, how, str(one), values, gold, doubt)

    def _merged(self, method: LabelMerge, who: tuple[int, ...]) -> Merged:
        """Ties are broken by a seed of the tuple, independent of other tuples."""
        panel = self.panel.among(self.places[k] for k in who)
        rng = np.random.default_rng(seed_for(self.seed, ("merge", *who)))
        settings = MergeSettings(merge=str(method))
        return Merged.of(method, panel, method.decide(panel, "topic", rng), settings)

    def _expected_values(self, merged: Sequence[Qrels], measures: Sequence[Measure]) -> Floats:
        """[measure, tuple, system, topic]"""
        aligned, known = self.scored.alignment, self.truths.known
        each = [
            score_alignment(aligned, one, measures, "judged", "zero", "nonrelevant")
            for one in merged
        ]
        return np.stack([one.values[:, :, known] for one in each], axis=1)

    def _row(
        self, m: int, size: int, approach: str, by: str, values: Floats,
        gold: str = DETERMINISTIC, doubt: Doubt | None = None,
    ) -> _Row:  # fmt: skip
        """From values [tuple, system, topic]."""
        truth = doubt if gold == RANDOMISED else None
        near = self.truths.nearness(m, values, truth)
        row = TupleRow(
            measure=self.measures[m],
            size=size,
            approach=approach,
            gold=gold,
            by=by,
            tuples=len(near.tau),
            tau=float(near.tau.mean()),
            tau_std=_spread(near.tau),
            tau_ap=float(near.tau_ap.mean()),
            tau_ap_std=_spread(near.tau_ap),
            rmse=float(near.rmse.mean()),
            rmse_std=_spread(near.rmse),
            unjudged=None if doubt is None else doubt.unjudged,
            wrong=None if truth is None else truth.wrong,
        )
        if self.resampling is None:
            return _Row(row, {})
        moved = self.truths.on_other_topics(m, values[:ON_TOPICS], truth)
        draws = {
            what: self.resampling.joint(getattr(near, what), getattr(moved, what), size)
            for what in DRAWN
        }
        return _Row(row, draws)


class _Row(Record, eq=False):
    """A row, and draws of its means."""

    numbers: TupleRow
    draws: dict[str, Floats]


def _spread(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _labels(qrels: Qrels) -> NDArray[np.int16]:
    assert qrels.labels is not None
    return qrels.labels


def tuple_study(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasureNames,
    gold: QrelsLike,
    rel: int | None = None,
    sizes: Iterable[int] | None = None,
    tuples: int = 100,
    approaches: Iterable[str] = APPROACHES,
    standards: Sequence[str] = (DETERMINISTIC,),
    replicates: int = 1000,
    seed: int = 0,
    orientation: Orientation = "dissimilarity",
    progress: Progress | None = None,
    *,
    drop_empty: bool = False,
    doubts: Sequence[Doubt] = (NEARLY_SURE,),
    resamples: int = 0,
) -> TupleStudy:
    """Combine tuples of judges in many ways, and compare the systems' means with gold.

    Parameters
    ----------
    judgments, runs, measures
        As in `aware`.
    gold : Qrels or source
        True labels.
    sizes : iterable of int, optional
        Sizes of tuples. Default: 2 to all judges but one.
    tuples : int
        Random tuples of each size; all of them if there are fewer.
    approaches : iterable of str
        AWARE weights, merges of labels, and majorities of votes weighted by AWARE's weights, as in
        ``"votes(sgl_tau_msd)"``. Merges that give probabilities are scored by the measure's
        expected counterpart.
    standards : sequence of {"DGS", "RGS"}
        Deterministic and randomised gold standard, for merges that give probabilities; all others
        are compared with DGS.
    rel, replicates, seed, orientation, progress, drop_empty
        As in `aware`. Random judges label the pool of all judges.
    doubts : sequence of Doubt
        How far labels are trusted in the randomised gold standard, and how probable relevance is
        for documents without a label, there and for merges that give probabilities.
    resamples : int
        Draws of every mean with other tuples and on other topics (of the first 10 tuples), the same
        ones for all rows; for `TupleStudy.quantity`.

    Returns
    -------
    TupleStudy
        A row for each measure, size, approach and standard.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> found = hj.studies.tuple_study(
    ...     made.judgments, made.runs, "AP", made.gold, sizes=[2], tuples=2,
    ...     approaches=["uni", "em-mv"]
    ... )
    >>> [row.approach for row in found.rows]
    ['uni', 'em-mv']
    """
    return TupleExperiment(
        judgments, runs, measures, gold, rel, sizes, tuples, approaches, standards, replicates,
        seed, orientation, drop_empty=drop_empty, doubts=doubts, resamples=resamples,
    ).run_all(progress)  # fmt: skip
