"""How many judges are enough, and how best to combine them? k-tuples of judges (TH 4.4-4.6).

Scores under each judge and under random ones do not depend on the tuple: they are computed
once, and tuples only recombine them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import measure_list
from hungjury.collection.judgments import as_judgments
from hungjury.collection.likes import JudgmentsLike, QrelsLike, RunsLike
from hungjury.collection.qrels import Qrels
from hungjury.collection.runs import Progress, Runs, as_runs, load
from hungjury.errors import InputError, check_seed
from hungjury.evaluation import MeasureNames, score_alignment
from hungjury.judges.judge_scores import (
    JudgeScores,
    check_measure_of_judges,
    scale_of,
    score_judges,
)
from hungjury.judges.merged import Merge, Merged
from hungjury.judges.merging import merge_method
from hungjury.judges.panel import Panel
from hungjury.judges.random_judges import random_scores
from hungjury.judges.weights import ESTIMATORS, normalised, raw_weights
from hungjury.settings import MergeSettings, Orientation
from hungjury.studies.checks import need_gold, need_judges
from hungjury.studies.experiment import Experiment, Found, Job, seed_for
from hungjury.studies.gold import DETERMINISTIC, Nearness, Truths
from hungjury.studies.tuple_rows import TupleRow, TupleStudy

__all__ = ["APPROACHES", "TupleExperiment", "TupleRow", "TupleStudy", "judge_tuples",
           "tuple_study"]  # fmt: skip

Array = NDArray[np.float64]
Members = NDArray[np.bool_]
BASELINES = ("mv", "em-mv", "em-neu")
APPROACHES = ("uni", *ESTIMATORS, *BASELINES)
"""The 34 approaches of the thesis."""


def judge_tuples(judges: int, size: int, most: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Different tuples of judges: all of them where there are no more than `most`, else `most`
    at random."""
    if math.comb(judges, size) <= most:
        return list(itertools.combinations(range(judges), size))
    rng = np.random.default_rng(seed_for(seed, "tuples", judges, size))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < most:
        found[tuple(sorted(map(int, rng.permutation(judges)[:size])))] = None
    return list(found)


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
        Random tuples of each size; all of them where there are fewer.
    approaches : iterable of str
        AWARE weights and merges of labels. Merges that give probabilities are scored by the
        measure's expected counterpart.
    standards : sequence of {"DGS", "RGS"}
        Deterministic and randomised gold standard, for merges that give probabilities; all others
        are compared with DGS.
    rel, replicates, seed, orientation, progress, drop_empty
        As in `aware`. Random judges label the pool of all judges.

    Returns
    -------
    TupleStudy
        A row for each measure, size, approach and standard.
    """
    return TupleExperiment(
        judgments, runs, measures, gold, rel, sizes, tuples, approaches, standards, replicates,
        seed, orientation, drop_empty=drop_empty,
    ).run_all(progress)  # fmt: skip


class TupleExperiment(Experiment[TupleStudy]):
    """Jobs: `("aware", measure)` for all sizes, and `("merge", method, size)` for all measures."""

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
    ) -> None:
        check_seed(seed)
        need_gold(gold, "a study of judges")
        given = as_judgments(judgments)
        need_judges(given, "a study of tuples of judges")
        self.approaches = list(approaches)
        self.weights = [a for a in self.approaches if a == "uni" or a in ESTIMATORS]
        self.merges = {a: merge_method(a) for a in self.approaches if a not in self.weights}
        chosen = measure_list(measures)
        self.measures = [str(one) for one in chosen]
        if any(method.scored_in_expectation for method in self.merges.values()):
            self.expected = [one.for_probabilities() for one in chosen]
        for one in chosen:
            check_measure_of_judges(one, rel, scale_of(given, rel)[-1])
        self.given, self.runs, self.gold, self.rel = given, runs, gold, rel
        self.standards, self.drop_empty = tuple(standards), drop_empty
        self.tuples, self.replicates, self.seed = tuples, replicates, seed
        self.orientation = orientation
        self.sizes = self._checked(sizes)

    # What takes long is done when a job wants it: listing the jobs scores nobody.

    def __getstate__(self) -> dict[str, Any]:
        """Another process gets the scores; runs stay here."""
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
        return Truths(self.scored, self.gold, self.lists, self.rel, self.standards)

    @cached_property
    def panel(self) -> Panel:
        return Panel.of(self.given, self.rel)

    @cached_property
    def places(self) -> list[int]:
        """Where in the panel the judges stand that are studied."""
        return [self.given.judges.index(name) for name in self.judges]

    @property
    def judges(self) -> list[str]:
        """Those studied; who is dropped for finding nothing relevant is known after scoring."""
        return self.scored.judges if self.drop_empty else self.given.judges

    def _checked(self, sizes: Iterable[int] | None) -> list[int]:
        number = len(self.judges)
        wanted = list(range(2, number)) if sizes is None else list(sizes)
        if not wanted or min(wanted) < 1 or max(wanted) > number or self.tuples < 1:
            raise InputError(
                f"there are no {self.tuples} tuples of the sizes {wanted} among {number} judges",
                code="out-of-range",
                argument="sizes",
                remedy=f"choose sizes from 1 to {number}, and at least 1 tuple",
            )
        return wanted

    def members(self, size: int) -> list[tuple[int, ...]]:
        """The tuples of a size, as places among the judges studied."""
        return judge_tuples(len(self.judges), size, self.tuples, self.seed)

    def jobs(self) -> list[Job]:
        weighed: list[Job] = [("aware", name) for name in self.measures if self.weights]
        return [*weighed, *(("merge", how, k) for k in self.sizes for how in self.merges)]

    def run(self, job: Job) -> Found:
        if job[0] == "aware":
            rows = self._aware(self.measures.index(str(job[1])))
        else:
            rows = self._merge(str(job[1]), int(job[2]))
        return {"rows": [list(asdict(row).values()) for row in rows]}

    def gather(self, found: Mapping[Job, Found]) -> TupleStudy:
        rows = [TupleRow(*row) for job in self.jobs() for row in found[job]["rows"]]
        order = {name: i for i, name in enumerate(self.approaches)}
        rows.sort(key=lambda r: (self.measures.index(r.measure), r.gold, r.size, order[r.approach]))
        return TupleStudy(
            rows,
            self.judges,
            len(self.scored.alignment.systems),
            len(self.truths.known),
            self.seed,
        )

    def _aware(self, m: int) -> list[TupleRow]:
        """All weights and sizes for one measure."""
        scored, known = self.scored, self.truths.known
        panel = scored.panel(m)
        random = None
        if self.weights != ["uni"]:
            grades = [grade for grade in scored.grades if grade >= 0]
            pool = len(scored.alignment.pool)
            (random,) = random_scores(
                [scored.scorers[m]], pool, grades, self.replicates, self.seed
            )  # fmt: skip
        # [judge and topic, system]: a tuple's means are its weights times this.
        scores = np.swapaxes(panel.scores[:, :, known], 1, 2)
        scores = scores.reshape(-1, scores.shape[-1]) / len(known)
        chosen = {size: _membership(self.members(size), len(panel.scores)) for size in self.sizes}
        rows = []
        for name, raw in raw_weights(self.weights, panel, random, self.orientation):
            for size, members in chosen.items():
                weights = normalised(raw, members[:, :, None] & panel.judged)[:, :, known]
                means = weights.reshape(len(members), -1) @ scores
                near = self.truths.nearness(DETERMINISTIC, m, means)
                rows.append(self._row(m, size, name, DETERMINISTIC, self.measures[m], near))
        return rows

    def _merge(self, how: str, size: int) -> list[TupleRow]:
        """One merge and size for all measures."""
        method, chosen = self.merges[how], self.members(size)
        merged = [self._merged(method, who) for who in chosen]
        if method.scored_in_expectation:
            means, by = self._expected_means(merged), [str(one) for one in self.expected]
            standards = self.truths.standards
        else:
            means, by = self._means(merged), self.measures
            standards = (DETERMINISTIC,)
        return [
            self._row(m, size, how, gold, by[m], self.truths.nearness(gold, m, means[m]))
            for m in range(len(self.measures))
            for gold in standards
        ]

    def _merged(self, method: Merge, who: tuple[int, ...]) -> Merged:
        """Coins are thrown for the tuple, whichever others there are."""
        panel = self.panel.among(self.places[k] for k in who)
        rng = np.random.default_rng(seed_for(self.seed, "merge", *who))
        settings = MergeSettings(merge=str(method))
        return Merged.of(method, panel, method.decide(panel, "topic", rng), settings)

    def _means(self, merged: Sequence[Merged]) -> list[Array]:
        """[tuple, system] for each measure."""
        labels = np.stack([_labels(one.hard()) for one in merged])
        known = self.truths.known
        return [scorer.filled(labels)[:, :, known].mean(axis=2) for scorer in self.scored.scorers]

    def _expected_means(self, merged: Sequence[Merged]) -> list[Array]:
        aligned, known = self.scored.alignment, self.truths.known
        each = [
            score_alignment(aligned, one.plain(), self.expected, "judged", "zero", "nonrelevant")
            for one in merged
        ]
        means = np.stack([one.values[:, :, known].mean(axis=2) for one in each], axis=1)
        return list(means)

    def _row(
        self, m: int, size: int, approach: str, gold: str, by: str, near: Nearness
    ) -> TupleRow:
        numbers = []
        for values in (near.tau, near.tau_ap, near.rmse):
            spread = values.std(ddof=1) if len(values) > 1 else 0.0
            numbers += [float(values.mean()), float(spread)]
        return TupleRow(self.measures[m], size, approach, gold, by, len(near.tau), *numbers)


def _membership(tuples: Sequence[tuple[int, ...]], judges: int) -> Members:
    """[tuple, judge]"""
    out = np.zeros((len(tuples), judges), dtype=bool)
    for row, who in zip(out, tuples, strict=True):
        row[list(who)] = True
    return out


def _labels(qrels: Qrels) -> NDArray[np.int16]:
    assert qrels.labels is not None
    return qrels.labels
