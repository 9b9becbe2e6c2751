"""Compare all ways to combine judges with gold labels (TH 4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Literal, get_args

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import Orientation
from hungjury.base.errors import (
    Argument,
    InputError,
    MeasureError,
    Note,
    UnknownName,
    noted,
    plural,
)
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike
from hungjury.data.runs import Progress
from hungjury.judges.judge_scores import JudgedRuns, score_judges
from hungjury.judges.merge import label_merge, merge
from hungjury.judges.merge_types import LabelMerge
from hungjury.judges.weights import ESTIMATORS, Gap, ScoredPanel, as_weights, comparable
from hungjury.measures.catalogue import Measure, MeasureLike, measure_list
from hungjury.measures.evaluate import score_alignment
from hungjury.measures.scores import Scores, over_topics
from hungjury.stats.correlation import kendall, rmse, tau_ap

Closeness = Literal["tau", "tau_ap", "rmse"]


class ComparedApproach(Record):
    """One approach compared with gold: correlations of the systems' means, and their error."""

    approach: str
    tau: float
    tau_ap: float
    rmse: float
    measure: str  # what was computed: merges to probabilities take the expected measure


class ApproachComparison(Record, Result, eq=False):
    """All approaches to combine judges, and every judge alone, compared with gold labels."""

    measure: str
    approaches: list[ComparedApproach]
    judges: list[ComparedApproach]
    notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[ComparedApproach]:
        return iter(self.approaches)

    def __getitem__(self, approach: str) -> ComparedApproach:
        for one in self.approaches:
            if one.approach == approach:
                return one
        raise UnknownName(
            f"'{approach}' was not compared",
            remedy=f"choose from {', '.join(one.approach for one in self.approaches)}",
        )

    def best_first(self, by: Closeness = "tau_ap") -> list[ComparedApproach]:
        """Sort the approaches by "tau", "tau_ap" or "rmse"; equal ones by RMSE."""
        sign = 1 if by == "rmse" else -1
        return sorted(
            self.approaches, key=lambda one: (sign * np.nan_to_num(getattr(one, by)), one.rmse)
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """Return a dictionary for every approach."""
        return [asdict(one) for one in self.approaches]

    def table(self, digits: int = 4) -> Table:
        """Return a row per approach, best tau_ap first, then the mean judge and the best judge."""
        alone = [(one.tau, one.tau_ap, one.rmse) for one in self.judges]
        best = max(self.judges, key=lambda one: np.nan_to_num(one.tau_ap))
        found = [(one.approach, one.tau, one.tau_ap, one.rmse) for one in self.best_first()]
        found.append(("mean judge", *np.mean(alone, axis=0)))
        found.append((f"best judge ({best.approach})", best.tau, best.tau_ap, best.rmse))
        caption = f"{self.measure} compared with gold, best first"
        return Table(["approach", "tau", "tau_ap", "RMSE"], found, digits, caption=caption, left=1)

    def to_text(self, digits: int = 4) -> str:
        """Write the table as text."""
        return self.table(digits).to_text()


def compare_approaches(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasureLike,
    gold: QrelsLike | None,
    rel: int | None = None,
    replicates: int = 1000,
    seed: int = 0,
    orientation: Orientation = "dissimilarity",
    merges: Iterable[str] = (),
    others: Mapping[str, Scores] | None = None,
    progress: Progress | None = None,
    *,
    drop_empty: bool = False,
) -> ApproachComparison:
    """Compare merges and AWARE weights with gold labels.

    Parameters
    ----------
    judgments : Judgments or source
        Labels, or anything `read_judgments` takes.
    runs : Runs or source
        Runs, or anything `read_runs` takes.
    measure : str or Measure
        One measure.
    gold : Qrels or source
        True labels of some or all topics; means are taken over these.
    rel, replicates, seed, orientation, progress, drop_empty
        As in `aware`.
    merges : iterable of str
        Merges of labels. Those that give probabilities are scored by the measure's expected
        counterpart (such as eRAP) and left out, with a note, where it has none; the others by their
        most probable labels.
    others : mapping of str to Scores, optional
        Scores of the same systems made elsewhere.

    Returns
    -------
    ApproachComparison
        For each approach its correlation with and distance from gold.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> found = hj.studies.compare_approaches(
    ...     made.judgments, made.runs, "AP", made.gold, replicates=10, merges=["em-mv"]
    ... )
    >>> round(found["em-mv"].tau, 2)
    1.0
    """
    wanted = measure_list(measure)
    if len(wanted) != 1:
        raise MeasureError(
            f"{measure!r} matches more than one measure",
            code="several-measures",
            argument="measure",
            remedy="compare one at a time",
        )
    methods, notes = _scorable([label_merge(one) for one in merges], wanted[0])
    scored = score_judges(judgments, runs, wanted, rel, gold, drop_empty, progress)
    against = _Gold(scored)
    (random,) = scored.random(replicates, seed, progress)
    panel = scored.panel(0, random, orientation)
    names, more = _comparable(panel, wanted[0])
    shown = str(wanted[0])
    found = []
    for name in names:
        weights = as_weights(name).of(panel)
        values = np.einsum("kt,kst->st", weights, panel.scores, optimize=True)
        found.append(against.compare(name, values, shown))
    for method in methods:
        merged, one = merge(scored.judgments, method, rel, seed=seed), wanted[0]
        labels: Qrels = merged if method.scored_in_expectation else merged.hard()
        if method.scored_in_expectation:
            one = one.for_probabilities()
        scores = score_alignment(scored.alignment, labels, [one], "judged", "zero", "nonrelevant")
        found.append(against.compare(str(method), scores.values[0], str(one)))
    for name, given in (others or {}).items():
        found.append(against.compare(name, against.values(name, given), given.measures[0]))
    alone = zip(panel.judges, panel.scores, strict=True)
    judges = [against.compare(who, one, shown) for who, one in alone]
    return ApproachComparison(shown, found, judges, wanted[0].notes() + notes + more)


def _scorable(methods: list[LabelMerge], one: Measure) -> tuple[list[LabelMerge], tuple[Note, ...]]:
    """Return the merges that a measure can score, and a note on the others."""
    try:
        one.for_probabilities()
    except MeasureError:
        out = [str(method) for method in methods if method.scored_in_expectation]
        why = f"{one} has no counterpart for probabilities"
        return [m for m in methods if not m.scored_in_expectation], _left_out("merge", out, why)
    return methods, ()


def _left_out(what: str, out: list[str], why: str) -> tuple[Note, ...]:
    """Note merges or estimators that are not compared, if any."""
    text = f"left out {plural(len(out), what)}: {why}"
    return noted(f"left-out-{what}", len(out), text, subjects=tuple(out), about="result")


def _comparable(panel: ScoredPanel, one: Measure) -> tuple[list[str], tuple[Note, ...]]:
    """Return `uni` and the estimators that can compare such scores, and a note on the others."""
    assert panel.random is not None
    fit = {gap for gap in get_args(Gap) if comparable(gap, panel.scores, panel.random)}
    names = [name for name, estimator in ESTIMATORS.items() if estimator.gap in fit]
    out = [name for name in ESTIMATORS if name not in names]
    why = f"fro, rmse and kld compare scores in [0, 1], which those by {one} are not"
    return ["uni", *names], _left_out("estimator", out, why)


class _Gold:
    """The systems' means under gold labels, on the topics that have them."""

    def __init__(self, scored: JudgedRuns) -> None:
        if scored.gold is None:
            raise InputError(
                "approaches are compared by gold labels",
                code="no-gold",
                remedy=("give", Argument("gold")),
            )
        self.systems, self.topics = scored.alignment.systems, scored.alignment.pool.topics
        self.known = np.flatnonzero(~np.isnan(scored.gold[0]).all(axis=0))
        self.better, self.average = scored.measures[0].better, scored.measures[0].average
        self.means = over_topics(scored.gold[0][:, self.known], self.average)
        self.ranked = self.better(self.means)

    def compare(self, approach: str, values: Floats, measure: str) -> ComparedApproach:
        """Compare the systems' means of values [system, topic] with gold."""
        means = over_topics(values[:, self.known], self.average)
        ranked = self.better(means)
        return ComparedApproach(
            approach,
            float(kendall(ranked, self.ranked)),
            float(tau_ap(ranked, self.ranked)),
            float(rmse(means, self.means)),
            measure,
        )

    def values(self, name: str, scores: Scores) -> Floats:
        """Return the first measure's values, systems and topics in the order used here."""
        wanted = {self.topics[t] for t in self.known}
        if set(scores.systems) != set(self.systems) or not wanted <= set(scores.topics):
            raise InputError(
                f"the scores '{name}' have other systems or topics",
                code="other-scores",
                argument="others",
                remedy="score the same runs on all topics that have gold labels",
            )
        out = np.zeros((len(self.systems), len(self.topics)))
        rows = [scores.systems.index(s) for s in self.systems]
        for t in self.known:
            out[:, t] = scores.values[0][rows, scores.topics.index(self.topics[t])]
        return out
