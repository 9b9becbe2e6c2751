"""Combinations of k judges: how many are enough, and how best to combine them (TH 4.4-4.6).

Scores under each judge and under random ones do not depend on the tuple: they are computed
once, and tuples only recombine them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from hungjury.base.arrays import Bools, Floats, Int16s, NDArray
from hungjury.base.choices import Orientation
from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import MOST_SAMPLES, check_count
from hungjury.base.records import Record
from hungjury.base.results import Cell, Result, Table
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike
from hungjury.data.runs import Progress
from hungjury.judges.merge import label_merge
from hungjury.judges.merge_types import LabelMerge, Merged, MergeSettings
from hungjury.judges.panel import NOT_JUDGED
from hungjury.judges.weights import ESTIMATORS, as_weights, normalised, random_scores
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.evaluate import MeasureNames, score_alignment
from hungjury.stats.correlation import TauTies
from hungjury.studies.claims import Quantity, Resampling
from hungjury.studies.gold import DETERMINISTIC, RANDOMISED, Doubt, PanelScores, need_judges
from hungjury.studies.jobs import seed_for, watched

BASELINES = ("mv", "em-mv", "em-neu")
APPROACHES = ("uni", *ESTIMATORS, *BASELINES)
"""The 34 approaches of the thesis."""
PARTS = ("granularity", "gap", "weight")  # of estimators, as in their names
VOTES = "votes("  # before the weights of votes
NEAR = ("tau", "tau_ap", "rmse")
DRAWN = ("tau_ap", "rmse")  # quantities that are drawn for claims
ON_TOPICS = 10  # tuples of each size that are also scored on resampled topics
Row = dict[str, Any]  # by name: arrays over tuples
ROUNDING = 1e-12  # keeps ties independent of the order of summation


Key = tuple[str, str, int, str, float | None, float | None]


class TupleRow(Record):
    """One approach with tuples of one size: means and standard deviations over the tuples."""

    measure: str
    size: int
    approach: str
    gold: str  # DGS or RGS
    by: str  # what was computed: merges to probabilities take the expected measure
    tuples: int
    tau: float
    tau_std: float
    tau_ap: float
    tau_ap_std: float
    rmse: float
    rmse_std: float
    unjudged: float | None = None  # P(relevant) without a label, where `by` is an expected measure
    wrong: float | None = None  # P(wrong) of the labels of RGS


class TupleStudy(Record, Result, eq=False):
    """Results of tuples of judges, compared with gold labels.

    draws: [row, draw] under "tau_ap" and "rmse", the means with other tuples and on other topics;
    empty unless they were asked for.
    """

    rows: list[TupleRow]
    judges: list[str]
    systems: int
    topics: int
    seed: int
    draws: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def measures(self) -> list[str]:
        """The measures that were combined."""
        return list(dict.fromkeys(row.measure for row in self.rows))

    @cached_property
    def sizes(self) -> list[int]:
        """The sizes of tuples, ascending."""
        return sorted({row.size for row in self.rows})

    @cached_property
    def _places(self) -> dict[Key, int]:
        return {
            (r.measure, r.approach, r.size, r.gold, r.unjudged, r.wrong): i
            for i, r in enumerate(self.rows)
        }

    def quantity(
        self,
        what: str,
        measure: str,
        approach: str,
        sizes: Iterable[int],
        gold: str = DETERMINISTIC,
        doubt: Doubt | None = None,
    ) -> Quantity:
        """The mean over sizes of "tau_ap" or "rmse", for claims. doubt: for merges that give
        probabilities."""
        unjudged = None if doubt is None else doubt.unjudged
        wrong = None if doubt is None or gold == DETERMINISTIC else doubt.wrong
        rows = [self._places[measure, approach, size, gold, unjudged, wrong] for size in sizes]
        value = np.mean([getattr(self.rows[i], what) for i in rows])
        draws = np.asarray(self.draws[what][rows].mean(axis=0))
        return Quantity(float(value), draws, "tuples, topics")

    def table(self) -> Table:
        return Table.of([asdict(row) for row in self.rows])

    def observations(self, **more: Any) -> list[dict[str, Any]]:
        """Rows for an analysis of variance, estimators with their parts: granularity, gap and
        weight; `more` is added to each (systems="T08", say)."""
        parts = {name: dict(zip(PARTS, name.split("_"), strict=True)) for name in ESTIMATORS}
        return [{**asdict(row), **parts.get(row.approach, {}), **more} for row in self.rows]

    def by_size(self, measure: str, what: str = "tau_ap", gold: str = DETERMINISTIC) -> Table:
        """One measure: a row for every approach, a column for every size."""
        mine = [row for row in self.rows if (row.measure, row.gold) == (measure, gold)]
        if not mine:
            raise InputError(
                f"{measure} was not studied with {gold}", code="not-scored", remedy="look at `rows`"
            )
        sizes = list(dict.fromkeys(row.size for row in mine))
        cells: dict[tuple[str, int], float] = {}
        for row in mine:  # of several doubts the first
            cells.setdefault((row.approach, row.size), float(getattr(row, what)))
        names = dict.fromkeys(row.approach for row in mine)
        rows: list[list[Cell]] = [[name, *(cells[name, size] for size in sizes)] for name in names]
        return Table((f"{what} of {measure}", *(f"k={size}" for size in sizes)), rows, digits=3)

    def _parts(self) -> list[str | Table]:
        head = f"{len(self.judges)} judges, {self.systems} systems, {self.topics} topics"
        kinds = dict.fromkeys((row.measure, row.gold) for row in self.rows)
        return [
            head,
            *(part for m, g in kinds for part in (f"against {g}:", self.by_size(m, gold=g))),
        ]


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
    doubts: Sequence[Doubt] = (Doubt(),),
    resamples: int = 0,
    tied: TauTies = "exact",
) -> TupleStudy:
    """Combine tuples of judges in many ways, and compare the systems' means with gold.

    The rows say how near a panel of k judges comes to gold: tau and tau_ap of the order of systems
    (1 is the same order), RMSE of their means (0 is the same scores), as means over random tuples
    with their standard deviations. Use it to choose the number of judges and the way to combine
    them, on a collection with gold labels of many topics. Tuples of k out of n judges overlap when
    k is near n, so spreads shrink there also for lack of different tuples.

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
    tied : {"exact", "sampled"}
        tau_ap of systems with equal means: the mean over all their orders, or over 100 random ones.

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
    drawn = Resampling(resamples, seed) if resamples else None
    scores = TupleScores(
        judgments, runs, measures, gold, rel, standards, seed, drop_empty, doubts, drawn, tied
    )
    names = list(approaches)
    parts = tuple_parts(scores, names, sizes, tuples, replicates, orientation)
    found = (scores.run(**part) for part in watched(parts.values(), progress))
    return join_parts(scores, names, found)


def tuple_parts(
    scores: TupleScores,
    approaches: Sequence[str],
    sizes: Iterable[int] | None = None,
    tuples: int = 100,
    replicates: int = 1000,
    orientation: Orientation = "dissimilarity",
) -> dict[str, dict[str, Any]]:
    """List the independent parts of a study, as arguments of `TupleScores.run`: weights of one
    measure for all sizes, and a merge of one size for all measures. Tuples come in blocks, each as
    large as all before it: a study of more tuples has the same first ones. Nothing is scored."""
    scores.check(approaches)
    wanted, judges = scores.sizes(sizes), len(scores.judges)
    check_count("tuples", tuples, 1, MOST_SAMPLES)
    weighing = [name for name in approaches if _weights(name) is not None]
    how = {"replicates": replicates, "orientation": orientation, "sizes": wanted}
    weighed = {
        f"aware/{name}/{first}": {"measure": name, "approaches": weighing, "first": first,
                                  "stop": stop, **how}
        for name in scores.measures
        for first, stop in _blocks(tuples)
        if weighing
    }  # fmt: skip
    merged = {
        f"merge/{name}/{size}/{first}": {"approaches": [name], "sizes": [size], "first": first,
                                         "stop": stop}
        for size in wanted
        for first, stop in _blocks(min(tuples, comb(judges, size)))
        for name in approaches
        if name not in weighing
    }  # fmt: skip
    return weighed | merged


def _blocks(tuples: int) -> list[tuple[int, int]]:
    """The first ten, then as many as there are before, up to so many."""
    edges = [0]
    while edges[-1] < tuples:
        edges.append(min(tuples, max(ON_TOPICS, 2 * edges[-1])))
    return list(itertools.pairwise(edges))


def join_parts(
    scores: TupleScores, approaches: Sequence[str], found: Iterable[Sequence[Mapping[str, Any]]]
) -> TupleStudy:
    """Join the results of all parts, in the order of `tuple_parts`."""
    blocks: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for part in found:
        for row in part:
            blocks.setdefault(tuple(row["about"]), []).append(row)

    def place(about: tuple[Any, ...]) -> tuple[int, str, int, int]:
        measure, size, approach, gold, *_ = about
        return scores.measures.index(measure), gold, size, approaches.index(approach)

    rows: list[TupleRow] = []
    draws: dict[str, list[Floats]] = {what: [] for what in DRAWN}
    for about in sorted(blocks, key=place):
        mine = blocks[about]
        measure, size, approach, gold, by, unjudged, wrong = about
        near = {what: np.concatenate([one[what] for one in mine]) for what in NEAR}
        rows.append(
            TupleRow(
                measure, size, approach, gold, by, len(near["tau"]),
                unjudged=unjudged, wrong=wrong,
                **{what: float(each.mean()) for what, each in near.items()},
                **{f"{what}_std": _spread(each) for what, each in near.items()},
            )
        )  # fmt: skip
        if scores.resampling is not None:
            for what in DRAWN:
                moved = np.asarray(mine[0][f"{what}_on_topics"], dtype=float)
                draws[what].append(scores.resampling.joint(near[what], moved, size))
    return TupleStudy(
        rows,
        scores.judges,
        len(scores.scored.alignment.systems),
        len(scores.known),
        scores.seed,
        {what: np.array(each) for what, each in draws.items() if each},
    )


class TupleScores(PanelScores, eq=False):
    """Scores under each judge, which tuples of judges recombine; listing the parts scores
    nothing."""

    def __post_init__(self) -> None:
        super().__post_init__()
        need_judges(self.judgments, "a study of tuples of judges")

    def check(self, approaches: Iterable[str]) -> None:
        """Raise an error for approaches that do not exist or do not fit the labels."""
        if not approaches:
            raise InputError("no approach", code="no-approach", remedy="name one, such as 'mv'")
        for name in approaches:
            weights = _weights(name)
            if weights is None:
                if label_merge(name).scored_in_expectation:
                    for one in measure_list(self.measures):
                        one.for_probabilities()  # raises without a counterpart
            elif name != weights:
                _check_votes(name, weights, self.panel.grades[-1])

    def sizes(self, wanted: Iterable[int] | None) -> list[int]:
        """Check sizes of tuples; by default 2 to all judges but one."""
        number = len(self.judges)
        found = list(range(2, number)) if wanted is None else list(wanted)
        if not found or min(found) < 1 or max(found) > number:
            said = f"sizes of tuples must be from 1 to {number}, the number of judges, got {found}"
            remedy = f"choose sizes from 1 to {number}"
            raise InputError(said, code="out-of-range", argument="sizes", remedy=remedy)
        return found

    def run(
        self,
        approaches: Sequence[str],
        sizes: Sequence[int],
        first: int,
        stop: int,
        measure: str | None = None,
        replicates: int = 0,
        orientation: Orientation = "dissimilarity",
    ) -> list[Row]:
        """Run one of `tuple_parts`; the result does not depend on where or when.

        Returns rows with what they are about, correlations and distances of every tuple and, if
        asked for, those of the first tuples on resampled topics.
        """
        number = len(self.judges)
        drawn = {size: judge_tuples(number, size, stop, self.seed)[first:] for size in sizes}
        members = {size: each for size, each in drawn.items() if each}
        if measure is not None:
            m = self.measures.index(measure)
            rows = self._weighted(m, approaches, members, replicates, orientation)
        else:
            rows = self._merged_rows(approaches[0], sizes[0], members[sizes[0]])
        if first == 0:
            return list(rows)
        return [{k: v for k, v in row.items() if not k.endswith("_on_topics")} for row in rows]

    def _weighted(
        self, m: int, approaches: Sequence[str], members: Mapping[int, list[tuple[int, ...]]],
        replicates: int, orientation: Orientation,
    ) -> Iterator[Row]:  # fmt: skip
        """All weights and sizes for one measure."""
        scored, known = self.scored, self.known
        panel = scored.panel(m)
        weights_of = {name: str(_weights(name)) for name in approaches}
        needed = tuple(dict.fromkeys(weights_of.values()))
        raw = self._raw_weights(m, needed, replicates, orientation)
        scores = panel.scores[:, :, known]
        among = {size: membership(each, len(panel.scores)) for size, each in members.items()}
        for name, size in itertools.product(approaches, members):
            weights = normalised(raw[weights_of[name]], among[size][:, :, None] & panel.judged)
            if name != weights_of[name]:
                labels = weighted_majority(self.labels, weights, scored.alignment.pool.topic_of)
                values = scored.scorers[m].filled(labels)[:, :, known]
            else:
                values = np.einsum("nkt,kst->nst", weights[:, :, known], scores, optimize=True)
            yield self._row(m, size, name, self.measures[m], values)

    @cached_property
    def _kept(self) -> dict[tuple[Any, ...], Mapping[str, Floats]]:
        """Weights of all judges by name, which blocks of tuples share."""
        return {}

    def _raw_weights(
        self, m: int, needed: tuple[str, ...], replicates: int, orientation: Orientation
    ) -> Mapping[str, Floats]:
        key = (m, needed, replicates, orientation)
        if key not in self._kept:
            scored, panel = self.scored, self.scored.panel(m)
            if needed != ("uni",):
                grades = [grade for grade in scored.grades if grade >= 0]
                pool = len(scored.alignment.pool)
                (random,) = random_scores([scored.scorers[m]], pool, grades, replicates, self.seed)
                panel = scored.panel(m, random, orientation)
            self._kept[key] = {name: as_weights(name).raw(panel) for name in needed}
        return self._kept[key]

    def _merged_rows(
        self, approach: str, size: int, members: Sequence[tuple[int, ...]]
    ) -> Iterator[Row]:
        """One merge and size for all measures."""
        method = label_merge(approach)
        if not method.scored_in_expectation:
            hard = [self._merged(method, who).hard() for who in members]
            labels = np.stack([np.asarray(one.labels) for one in hard])
            for m, scorer in enumerate(self.scored.scorers):
                values = scorer.filled(labels)[:, :, self.known]
                yield self._row(m, size, approach, self.measures[m], values)
            return
        merged = [self._merged(method, who).plain() for who in members]
        for unjudged in dict.fromkeys(doubt.unjudged for doubt in self.doubts):
            mine = [doubt for doubt in self.doubts if doubt.unjudged == unjudged]
            expected = [mine[0].of_votes(one) for one in self.scored.measures]
            each = self._expected_values(merged, expected)
            for m, (one, values) in enumerate(zip(expected, each, strict=True)):
                for gold in self.standards:
                    for doubt in mine if gold == RANDOMISED else mine[:1]:
                        yield self._row(m, size, approach, str(one), values, gold, doubt)

    def _merged(self, method: LabelMerge, who: tuple[int, ...]) -> Merged:
        """Ties are broken by a seed of the tuple, independent of other tuples."""
        panel = self.panel.among(self.places[k] for k in who)
        rng = np.random.default_rng(seed_for(self.seed, ("merge", *who)))
        settings = MergeSettings(merge=str(method))
        return Merged.of(method, panel, method.decide(panel, "topic", rng), settings)

    def _expected_values(self, merged: Sequence[Qrels], measures: Sequence[Measure]) -> Floats:
        """[measure, tuple, system, topic]"""
        aligned, known = self.scored.alignment, self.known
        each = [
            score_alignment(aligned, one, measures, "judged", "zero", "nonrelevant")
            for one in merged
        ]
        return np.stack([one.values[:, :, known] for one in each], axis=1)

    def _row(
        self, m: int, size: int, approach: str, by: str, values: Floats,
        gold: str = DETERMINISTIC, doubt: Doubt | None = None,
    ) -> Row:  # fmt: skip
        """From values [tuple, system, topic]."""
        trusted = doubt if gold == RANDOMISED else None
        chances = None if doubt is None else doubt.unjudged, trusted and trusted.wrong
        row: Row = {"about": [self.measures[m], size, approach, gold, by, *chances]}
        row |= self.nearness(m, values, trusted)
        if self.resampling is not None:
            moved = self.on_other_topics(m, values[:ON_TOPICS], trusted)
            row |= {f"{what}_on_topics": moved[what].mean(axis=1).astype(np.float32)
                    for what in DRAWN}  # fmt: skip
        return row


def judge_tuples(judges: int, size: int, most: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Different tuples of judges in random order, or all of them if there are at most `most`. More
    of them begin with the same ones."""
    wanted = min(most, comb(judges, size))
    rng = np.random.default_rng(seed_for(seed, ("tuples", judges, size)))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < wanted:
        found[tuple(sorted(map(int, rng.permutation(judges)[:size])))] = None
    return list(found)


def membership(tuples: Sequence[tuple[int, ...]], judges: int) -> Bools:
    """[tuple, judge]"""
    out = np.zeros((len(tuples), judges), dtype=bool)
    np.put_along_axis(out, np.array(tuples), True, axis=1)
    return out


def _spread(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _weights(approach: str) -> str | None:
    """The AWARE weights of an approach such as "sgl_tau_msd" or "votes(sgl_tau_msd)"; None for
    merges."""
    if approach.startswith(VOTES):
        return approach[len(VOTES) : -1]
    return approach if approach == "uni" or approach in ESTIMATORS else None


def _check_votes(name: str, weights: str, top: int) -> None:
    if top > 1:
        raise InputError(
            f"{name} is for binary labels, but grades go up to {top}",
            code="not-binary",
            remedy=("name the lowest relevant grade with", Argument("rel")),
        )
    if weights != "uni" and weights not in ESTIMATORS:
        said = f"unknown weights '{weights}' for votes"
        remedy = "use AWARE's weights, such as sgl_tau_msd"
        raise InputError(said, code="unknown-weights", remedy=remedy)


def weighted_majority(
    labels: Int16s, weights: Floats, topic_of: NDArray[np.integer[Any]]
) -> Int16s:
    """Binary labels [judge, document] and weights [tuple, judge, topic] to labels
    [tuple, document]: 1 where more than half of the weight of those who judged it says so."""
    out = np.empty((len(weights), labels.shape[1]), dtype=np.int16)
    for topic in range(weights.shape[2]):
        mine = topic_of == topic
        yes, judged = (labels[:, mine] == 1).astype(float), (labels[:, mine] >= 0).astype(float)
        in_favour, total = (weights[:, :, topic] @ votes for votes in (yes, judged))
        out[:, mine] = np.where(total > 0, in_favour > (0.5 + ROUNDING) * total, NOT_JUDGED)
    return out
