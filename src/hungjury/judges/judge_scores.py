"""Scores of systems under each judge alone and under gold labels, and all ways to combine judges
compared with gold labels by them (TH 4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from hungjury.base.arrays import Bools, Floats
from hungjury.base.choices import Orientation
from hungjury.base.errors import (
    Argument,
    InputError,
    MeasureError,
    Note,
    check_known,
    noted,
    plural,
)
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.data.alignment import Alignment, align
from hungjury.data.labels import as_judgments, as_qrels
from hungjury.data.qrels import Judgments, Qrels, needs_grades
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike
from hungjury.data.runs import Progress, RunFiles, Runs, as_runs, load
from hungjury.data.scales import check_gold
from hungjury.judges.merge import label_merge, merge
from hungjury.judges.merge_types import LabelMerge
from hungjury.judges.panel import Panel
from hungjury.judges.weights import ESTIMATORS, ScoredPanel, as_weights, comparable, random_scores
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure, MeasureLike, measure_list
from hungjury.measures.catalogue import measure as as_measure
from hungjury.measures.evaluate import MeasureNames, evaluate, score_alignment
from hungjury.measures.scores import Scores, over_topics
from hungjury.stats.correlation import kendall, rmse, tau_ap


class JudgedRuns(Record, eq=False):
    """Scores of systems under each judge alone.

    `values` are [measure, judge, system, topic], NaN where the measure is undefined; `filled` has
    what counts there instead: 0, or the worst value of a measure that is better when smaller.
    `judged` [judge, topic] is who judged what; `gold` [measure, system, topic] are the values under
    gold labels, NaN for topics without them.
    """

    judgments: Judgments
    alignment: Alignment
    scorers: list[Scorer]
    grades: tuple[int, ...]
    judges: list[str]
    values: Floats
    filled: Floats
    judged: Bools
    gold: Floats | None = None
    rel: int | None = None  # lowest relevant grade, where labels were taken as binary
    dropped: tuple[str, ...] = ()  # judges left out by `without_empty`

    @property
    def measures(self) -> list[Measure]:
        return [scorer.measure for scorer in self.scorers]

    @property
    def families(self) -> tuple[str, ...]:
        """The family of each judge."""
        family = dict(zip(self.judgments.judges, self.judgments.families, strict=True))
        return tuple(family[name] for name in self.judges)

    def panel(
        self,
        m: int,
        random: Floats | None = None,
        orientation: Orientation = "dissimilarity",
    ) -> ScoredPanel:
        """Return the judges as one measure sees them, beside random judges where given."""
        smaller = self.measures[m].smaller_is_better
        gold = None if self.gold is None else self.gold[m]
        return ScoredPanel(
            self.filled[m], self.judged, self.judges, smaller, random, gold, orientation
        )

    def random(
        self, replicates: int = 1000, seed: int = 0, progress: Progress | None = None
    ) -> list[Floats]:
        """Score random judges by each measure: [class, replicate, system, topic].

        All estimators share these scores.
        """
        grades, size = [g for g in self.grades if g >= 0], len(self.alignment.pool)
        scores = [one.filled for one in self.scorers]
        return random_scores(scores, size, grades, replicates, seed, progress)

    def without_empty(self) -> JudgedRuns:
        """Keep only judges with something relevant on every topic they judged."""
        empty = np.asarray(self._empty().any(axis=1))
        if empty.all():
            said = "every judge has some topic without a relevant document"
            remedy = "keep these judges, or leave out such topics"
            raise InputError(said, code="topic-without-relevant", remedy=remedy)
        names = [name for name, bad in zip(self.judges, empty, strict=True) if bad]
        return replace(
            self,
            judges=[name for name in self.judges if name not in names],
            values=self.values[:, ~empty],
            filled=self.filled[:, ~empty],
            judged=self.judged[~empty],
            dropped=(*self.dropped, *names),
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the judgments, the runs, the measures and these scores."""
        measures = tuple(dict.fromkeys(note for one in self.measures for note in one.notes()))
        return self.judgments.notes + self.alignment.notes + measures + self.own_notes

    @property
    def own_notes(self) -> tuple[Note, ...]:
        """Notes on these scores alone: a single judge, and judges who found nothing relevant."""
        alone = int(len(self.judgments.judges) == 1)
        notes = noted(
            "one-judge", alone, "only one judge: its scores are unchanged", about="judges"
        )
        what = "with nothing relevant on some topic"
        empty, out = self._empty(), self.dropped
        who = tuple(self.judges[k] for k in np.flatnonzero(empty.any(axis=1)))
        text = f"{plural(len(who), 'judge')} {what}, where every system scores 0 for them"
        notes += noted("empty-judge", int(empty.sum()), text, subjects=who, about="judges")
        text = f"left out {plural(len(out), 'judge')} {what}"
        return notes + noted("dropped-judge", len(out), text, subjects=out, about="judges")

    def _empty(self) -> Bools:
        """Find topics [judge, topic] judged with nothing relevant for one of the measures."""
        undefined = np.isnan(self.values).all(axis=2).any(axis=0)
        return np.asarray(undefined & self.judged)


def score_judges(
    judgments: JudgmentsLike | Panel,
    runs: RunsLike | Alignment,
    measures: MeasureNames,
    rel: int | None = None,
    gold: QrelsLike | None = None,
    drop_empty: bool = False,
    progress: Progress | None = None,
) -> JudgedRuns:
    """Score every judge's labels alone.

    Documents without a label of the judge are unjudged. rel: take labels as binary, with this as
    the lowest relevant grade. drop_empty: leave out judges with nothing relevant on some topic.
    runs: as for `evaluate`, or already aligned to the judgments' pool (then without gold).
    """
    wanted = measure_list(measures)
    panel = judgments if isinstance(judgments, Panel) else Panel.of(as_judgments(judgments), rel)
    given, labels, grades = panel.judgments, panel.matrix(), panel.grades
    for one in wanted:
        check_measure_of_judges(one, rel, grades[-1])
    under_gold = None
    if isinstance(runs, Alignment):
        aligned = runs
    else:
        loaded = as_runs(runs)
        if gold is not None:
            loaded = load(loaded)  # files are read once, but aligned with two pools
            gold = as_qrels(gold)
            if rel is None and gold.labels is not None:
                check_gold(gold.labels[gold.labels >= 0], gold.grades, given)
            under_gold = gold_values(gold, loaded, wanted, rel, given.topics)
        depth = max(m.unjudged_depth for m in wanted)
        aligned = align(loaded, given.pool, None, progress, depth)
    judged = given.pool.sum_by_topic(labels >= 0) > 0
    for note in panel.notes:
        if note.kind == "silent-judge":
            raise InputError(str(note), code=note.kind, remedy="leave them out")
    scorers = [Scorer(one, aligned, grades[-1]) for one in wanted]
    found = JudgedRuns(
        judgments=given,
        alignment=aligned,
        scorers=scorers,
        grades=grades,
        judges=given.judges,
        values=np.stack([scorer(labels) for scorer in scorers]),
        filled=np.stack([scorer.filled(labels) for scorer in scorers]),
        judged=judged,
        gold=under_gold,
        rel=rel,
    )
    return found.without_empty() if drop_empty else found


def check_no_expectation(one: Measure) -> None:
    """Refuse an expected measure where labels of judges are scored as they are, or drawn."""
    if one.expectation is not None:
        said = f"{one}: judges need no expectation, as their labels are scored as they are or drawn"
        remedy = f"ask for {one.expectation.of}"
        raise MeasureError(said, code="expected-measure", argument="measure", remedy=remedy)


def check_measure_of_judges(one: Measure, rel: int | None, top: int) -> None:
    check_no_expectation(one)
    own = one.threshold
    if rel is not None and own > 1:
        raise MeasureError(
            f"{one}: the labels are made binary at grade {rel}, so no label reaches {own}",
            code="two-thresholds",
            argument="rel",
            remedy=(f"use {one} without rel, or leave out", Argument("rel")),
        )
    one.check(top)


def gold_values(
    gold: QrelsLike,
    runs: Runs | RunFiles,
    measures: Sequence[Measure],
    rel: int | None,
    topics: list[str],
) -> Floats:
    """Score runs by gold labels: [measure, system, topic], NaN for topics without them."""
    labels = gold_labels(as_qrels(gold), rel)
    common = [t for t in topics if t in set(labels.topics)]
    if not common:
        said = "gold labels and judgments have no topic in common"
        remedy = "check that both use the same topic ids"
        raise InputError(said, code="no-common-topic", argument="gold", remedy=remedy)
    scores = evaluate(labels.select(common), runs, measures)
    out = np.full((len(measures), len(scores.systems), len(topics)), np.nan)
    out[:, :, [topics.index(t) for t in scores.topics]] = scores.values
    return out


def gold_labels(gold: Qrels, rel: int | None) -> Qrels:
    """Bring gold labels to the scale of the judges' labels."""
    if rel is None:
        return gold
    if gold.labels is None:
        raise needs_grades("a threshold of gold labels", "rel")
    labels = np.where(gold.labels >= 0, gold.labels >= rel, gold.labels).astype(np.int16)
    return gold.plain(labels=labels, grades=(0, 1))


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
        known = {one.approach: one for one in self.approaches}
        check_known("combination", approach, list(known))
        return known[approach]

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
    wanted = as_measure(measure)
    methods, notes = _scorable([label_merge(one) for one in merges], wanted)
    scored = score_judges(judgments, runs, wanted, rel, gold, drop_empty, progress)
    if scored.gold is None:
        said = "approaches are compared by gold labels"
        raise InputError(said, code="no-gold", remedy=("give", Argument("gold")))
    known = np.flatnonzero(~np.isnan(scored.gold[0]).all(axis=0))  # topics with gold labels
    truth = over_topics(scored.gold[0][:, known], wanted.average)

    def compared(approach: str, values: Floats, measure: str) -> ComparedApproach:
        """Compare the systems' means of values [system, gold topic] with gold."""
        means = over_topics(values, wanted.average)
        both = wanted.better(means), wanted.better(truth)
        tau, ap, error = float(kendall(*both)), float(tau_ap(*both)), float(rmse(means, truth))
        return ComparedApproach(approach, tau, ap, error, measure)

    (random,) = scored.random(replicates, seed, progress)
    panel = scored.panel(0, random, orientation)
    names, more = _comparable(panel, wanted)
    shown = str(wanted)
    found = []
    for name in names:
        weights = as_weights(name).of(panel)
        values = np.einsum("kt,kst->st", weights, panel.scores, optimize=True)
        found.append(compared(name, values[:, known], shown))
    for method in methods:
        merged = merge(scored.judgments, method, rel, seed=seed)
        soft = method.scored_in_expectation
        labels, one = (merged, wanted.for_probabilities()) if soft else (merged.hard(), wanted)
        scores = score_alignment(scored.alignment, labels, [one], "judged", "zero", "nonrelevant")
        found.append(compared(str(method), scores.values[0][:, known], str(one)))
    gold_topics = [scored.alignment.pool.topics[t] for t in known]
    for name, given in (others or {}).items():
        values = _values_of(name, given, scored.alignment.systems, gold_topics)
        found.append(compared(name, values, given.measures[0]))
    alone = zip(panel.judges, panel.scores, strict=True)
    judges = [compared(who, one[:, known], shown) for who, one in alone]
    return ApproachComparison(shown, found, judges, wanted.notes() + notes + more)


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
    seen = panel.scores, panel.random
    names = [name for name, way in ESTIMATORS.items() if comparable(way.gap, *seen)]
    out = [name for name in ESTIMATORS if name not in names]
    why = f"fro, rmse and kld compare scores in [0, 1], which those by {one} are not"
    return ["uni", *names], _left_out("estimator", out, why)


def _values_of(name: str, scores: Scores, systems: list[str], topics: list[str]) -> Floats:
    """[system, topic]: values by the first measure, in this order."""
    if set(scores.systems) != set(systems) or not set(topics) <= set(scores.topics):
        said = f"the scores '{name}' have other systems or topics"
        remedy = "score the same runs on all topics that have gold labels"
        raise InputError(said, code="other-scores", argument="others", remedy=remedy)
    rows, columns = map(scores.systems.index, systems), map(scores.topics.index, topics)
    return np.asarray(scores.values[0][np.ix_(list(rows), list(columns))])
