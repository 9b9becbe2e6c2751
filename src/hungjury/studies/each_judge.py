"""How well each judge alone ranks systems, by measures of labels and of probabilities (CS 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.collection.judgments import as_judgments
from hungjury.collection.likes import JudgmentsLike, QrelsLike, RunsLike
from hungjury.collection.runs import as_runs, load
from hungjury.evaluation import MeasureNames
from hungjury.judges.judge_scores import label_matrix, score_judges
from hungjury.records import Record
from hungjury.studies.checks import need_gold, need_judges
from hungjury.studies.gold import (
    DETERMINISTIC,
    NEARLY_SURE,
    RANDOMISED,
    Doubt,
    Nearness,
    Truths,
)
from hungjury.studies.resampling import Resampling
from hungjury.tables import Table, html_page

__all__ = ["SingleJudges", "SingleRow", "single_judges"]

Array = NDArray[np.float64]


class SingleRow(Record, eq=False):
    """One way to score against one gold standard: a number for each judge."""

    measure: str
    by: str
    gold: str
    tau: Array
    tau_ap: Array
    rmse: Array
    doubt: Doubt | None = None  # how far labels are trusted; None: completely
    draws: Array | None = None  # [draw]: the mean tau_ap with other judges, on other topics


class SingleJudges(Record, eq=False):
    """Results for all ways to score, and the judges."""

    judges: list[str]
    rows: list[SingleRow]

    def table(self) -> Table:
        """Means over judges, each with the half of its 95 % interval."""
        rows = [
            (one.gold, one.by, *_mean(one.tau), *_mean(one.tau_ap), *_mean(one.rmse))
            for one in self.rows
        ]
        names = ("gold", "measure", "tau", "+- tau", "tau_ap", "+- tau_ap", "rmse", "+- rmse")
        return Table(names, rows)

    def _repr_html_(self) -> str:
        return html_page(f"means over {len(self.judges)} judges", self.table())

    def to_text(self) -> str:
        return f"means over {len(self.judges)} judges\n{self.table()}"

    def __str__(self) -> str:
        return self.to_text()


def _mean(values: Array) -> tuple[float, float]:
    from scipy.special import stdtrit

    half = stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean()), float(half)


def single_judges(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasureNames,
    gold: QrelsLike,
    rel: int | None = None,
    *,
    drop_empty: bool = False,
    doubts: Sequence[Doubt] = (NEARLY_SURE,),
    resampling: Resampling | None = None,
) -> SingleJudges:
    """Score every judge alone, and compare the systems' means with gold.

    Parameters
    ----------
    judgments, runs, measures
        As in `aware`.
    gold : Qrels or source
        True labels.
    rel : int, optional
        Take labels as binary, with this as the lowest relevant grade.
    drop_empty : bool
        Leave out judges with nothing relevant on some topic.
    doubts : sequence of Doubt
        How far labels are trusted, for the expected measures and the randomised gold standard.
        Default: right with probability 0.95, documents without a label not relevant.
    resampling : Resampling, optional
        Also draw mean tau_ap with other judges and on other topics.

    Returns
    -------
    SingleJudges
        For each measure, means over judges of correlation and distance.

    Notes
    -----
    Labels are compared with the deterministic gold standard (DGS); expected measures, with labels
    that are right with probability 0.95, with DGS and with the randomised gold standard (RGS),
    whose labels are right with the same probability.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> found = hj.studies.single_judges(made.judgments, made.runs, "AP", made.gold)
    >>> found.judges
    ['judge1', 'judge2', 'judge3', 'judge4', 'judge5']
    """
    need_gold(gold, "a study of judges")
    given = as_judgments(judgments)
    need_judges(given, "a mean over judges", 2)
    lists = load(as_runs(runs))
    scored = score_judges(given, lists, measures, rel, gold, drop_empty)
    both = (DETERMINISTIC, RANDOMISED)
    truths = Truths(scored, gold, lists, rel, both, doubts, resampling)
    labels, _ = label_matrix(given, rel)
    labels = labels[[given.judges.index(name) for name in scored.judges]]
    rows = []
    for m, one in enumerate(scored.measures):

        def row(
            by: str, gold: str, values: Array, doubt: Doubt | None, m: int = m, name: str = str(one)
        ) -> SingleRow:
            known = values[:, :, truths.known]
            truth = doubt if gold == RANDOMISED else None
            near = truths.nearness(m, known, truth)
            draws = _draws(truths, m, known, truth, near, resampling)
            return SingleRow(
                measure=name,
                by=by,
                gold=gold,
                tau=near.tau,
                tau_ap=near.tau_ap,
                rmse=near.rmse,
                doubt=doubt,
                draws=draws,
            )

        rows.append(row(str(one), DETERMINISTIC, scored.filled[m], None))
        for doubt in doubts:
            chances = Scorer(doubt.of_labels(one), scored.alignment, 1)
            values = chances.filled(labels)
            rows += [row(str(chances.measure), gold, values, doubt) for gold in both]
    return SingleJudges(scored.judges, rows)


def _draws(
    truths: Truths, m: int, values: Array, truth: Doubt | None, near: Nearness,
    resampling: Resampling | None,
) -> Array | None:  # fmt: skip
    """[draw]: mean tau_ap over other judges, on other topics."""
    if resampling is None:
        return None
    moved = truths.on_other_topics(m, values, truth).tau_ap
    return resampling.joint(near.tau_ap, moved, "judges")
