"""How well does each judge alone rank systems, by measures of labels and of chances? (CS 4.2)"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.collection.judgments import as_judgments
from hungjury.collection.likes import JudgmentsLike, QrelsLike, RunsLike
from hungjury.collection.runs import as_runs, load
from hungjury.evaluation import MeasureNames
from hungjury.judges.judge_scores import label_matrix, score_judges
from hungjury.studies.checks import need_gold, need_judges
from hungjury.studies.gold import DETERMINISTIC, RANDOMISED, Truths, nearly_sure
from hungjury.tables import Table, html_page

__all__ = ["SingleJudges", "SingleRow", "single_judges"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SingleRow:
    """One way to score against one gold standard: a number for each judge."""

    measure: str
    by: str
    gold: str
    tau: Array
    tau_ap: Array
    rmse: Array


@dataclass(frozen=True, eq=False)
class SingleJudges:
    """All ways to score, and the judges they scored."""

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
) -> SingleJudges:
    """Score every judge alone, and compare the systems' means with gold.

    Parameters
    ----------
    judgments, runs, measures
        As in `aware`.
    gold : Qrels or source
        True labels.
    rel : int, optional
        Take labels as binary, relevant from this grade on.
    drop_empty : bool
        Leave out judges with nothing relevant on some topic.

    Returns
    -------
    SingleJudges
        For each measure, means over judges of correlation and distance.

    Notes
    -----
    Labels are compared with the deterministic gold standard (DGS); expected measures, with labels
    that are right with probability 0.95, with DGS and with the randomised gold standard (RGS),
    whose labels are right with the same probability.
    """
    need_gold(gold, "a study of judges")
    given = as_judgments(judgments)
    need_judges(given, "a mean over judges", 2)
    lists = load(as_runs(runs))
    scored = score_judges(given, lists, measures, rel, gold, drop_empty)
    truths = Truths(scored, gold, lists, rel, (DETERMINISTIC, RANDOMISED))
    labels, _ = label_matrix(given, rel)
    labels = labels[[given.judges.index(name) for name in scored.judges]]
    rows = []
    for m, one in enumerate(scored.measures):
        chances = Scorer(nearly_sure(one), scored.alignment, 1)
        for by, values, standard in (
            (str(one), scored.filled[m], DETERMINISTIC),
            (str(chances.measure), chances.filled(labels), DETERMINISTIC),
            (str(chances.measure), chances.filled(labels), RANDOMISED),
        ):
            means = values[:, :, truths.known].mean(axis=2)
            near = truths.nearness(standard, m, means)
            rows.append(SingleRow(str(one), by, standard, near.tau, near.tau_ap, near.rmse))
    return SingleJudges(scored.judges, rows)
