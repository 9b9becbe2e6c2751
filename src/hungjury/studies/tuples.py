"""Combinations of k judges: how many are enough, and how best to combine them (TH 4.4-4.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hungjury.choices import Orientation
from hungjury.collection.likes import JudgmentsLike, QrelsLike, RunsLike
from hungjury.collection.runs import Progress
from hungjury.evaluation import MeasureNames
from hungjury.studies.gold import DETERMINISTIC, NEARLY_SURE, Doubt
from hungjury.studies.judge_tuples import judge_tuples
from hungjury.studies.tuple_experiment import APPROACHES, TupleExperiment
from hungjury.studies.tuple_rows import TupleRow, TupleStudy

__all__ = ["APPROACHES", "TupleExperiment", "TupleRow", "TupleStudy", "judge_tuples",
           "tuple_study"]  # fmt: skip


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
