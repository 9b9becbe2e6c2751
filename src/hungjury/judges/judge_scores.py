"""Scores of systems under each judge alone, under random judges and under gold labels.

Three classes (TH 4.3.2): underestimating (few relevant), uniform, overestimating (most relevant).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from hungjury.base.arrays import Bools, Floats, NDArray
from hungjury.base.choices import Orientation
from hungjury.base.errors import Argument, InputError, MeasureError, Note, few, noted, plural
from hungjury.base.files import cores
from hungjury.base.parameters import MOST_DRAWS, check_count
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment, align
from hungjury.data.labels import as_judgments, as_qrels
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike
from hungjury.data.runs import Progress, RunFiles, Runs, as_runs, load
from hungjury.data.scales import check_gold
from hungjury.judges.panel import Panel
from hungjury.judges.weights import ScoredPanel
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.evaluate import MeasureNames, evaluate


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
            raise InputError(
                "every judge has some topic without a relevant document",
                code="topic-without-relevant",
                remedy="keep these judges, or leave out such topics",
            )
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
    if not wanted:
        raise MeasureError(
            "no measure was given", code="no-measure", remedy='name one, such as "AP"'
        )
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
    silent = [given.judges[k] for k in np.flatnonzero(~judged.any(axis=1))]
    if silent:
        raise InputError(
            f"{plural(len(silent), 'judge')} without judgments: {few(silent)}",
            code="silent-judge",
            remedy="leave them out",
        )
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


def check_measure_of_judges(one: Measure, rel: int | None, top: int) -> None:
    if one.expectation is not None:
        raise MeasureError(
            f"{one}: each judge's labels are scored as they are, not drawn",
            code="expected-measure",
            argument="measure",
            remedy=f"ask for {one.expectation.of}",
        )
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
        raise InputError(
            "gold labels and judgments have no topic in common",
            code="no-common-topic",
            argument="gold",
            remedy="check that both use the same topic ids",
        )
    scores = evaluate(labels.select(common), runs, measures)
    out = np.full((len(measures), len(scores.systems), len(topics)), np.nan)
    out[:, :, [topics.index(t) for t in scores.topics]] = scores.values
    return out


def gold_labels(gold: Qrels, rel: int | None) -> Qrels:
    """Bring gold labels to the scale of the judges' labels."""
    if rel is None:
        return gold
    if gold.labels is None:
        raise InputError(
            "rel needs grades, but the gold labels are probabilities",
            code="needs-grades",
            argument="rel",
            remedy="make them grades first, with Qrels.threshold(0.5)",
        )
    labels = np.where(gold.labels >= 0, gold.labels >= rel, gold.labels).astype(np.int16)
    return gold.plain(labels=labels, grades=(0, 1))


Score = Callable[[NDArray[np.uint8]], Floats]
"""From label vectors [n, document] to values [n, system, topic]; NaN where undefined."""

CLASSES = ("und", "uni", "ovr")
RARE = 0.05  # share of relevant documents for `und`, of not relevant ones for `ovr`
LABELS_AT_ONCE = 1 << 24


def class_probabilities(name: str, grades: int) -> Floats:
    """Return P(grade) of a class: equal for `uni`, else grade 0 set apart and the others equal."""
    if name == "uni":
        return np.full(grades, 1 / grades)
    lowest = {"und": 1 - RARE, "ovr": RARE}[name]
    return np.array([lowest] + [(1 - lowest) / (grades - 1)] * (grades - 1))


def draw_random_labels(
    chances: Floats, grades: Sequence[int], documents: int, seeds: Sequence[np.random.SeedSequence]
) -> NDArray[np.uint8]:
    """Draw the labels of a random judge for every seed: [seed, document]."""
    upto = np.cumsum(chances)[:-1]
    values = np.array(grades, dtype=np.uint8)
    out = np.empty((len(seeds), documents), dtype=np.uint8)

    def one(row: int) -> None:
        chance = np.random.default_rng(seeds[row]).random(documents)
        position = (chance >= upto[0]).view(np.uint8)
        for limit in upto[1:]:
            position += chance >= limit
        out[row] = values[position]

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(one, range(len(seeds)), chunksize=16))
    return out


def random_scores(
    scores: Sequence[Score],
    documents: int,
    grades: Sequence[int] = (0, 1),
    replicates: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Floats]:
    """Score random judges: [class, replicate, system, topic] for each of `scores`.

    Every replicate has its own seed, made from `seed`, its class and its number: it does not
    depend on how many others there are. Where a measure is undefined it scores 0.
    """
    check_count("replicates", replicates, 1, MOST_DRAWS)
    if len(grades) < 2 or min(grades) < 0 or max(grades) > 255:
        raise MeasureError(
            f"random judges are not defined for the grades {list(grades)}",
            code="invalid-grades",
            remedy="declare at least two grades from 0 to 255",
        )
    step = max(1, LABELS_AT_ONCE // max(documents, 1))
    total, done = len(CLASSES) * replicates, 0
    out: list[Floats] = []
    for c, root in enumerate(np.random.SeedSequence(seed).spawn(len(CLASSES))):
        chances, seeds = class_probabilities(CLASSES[c], len(grades)), root.spawn(replicates)
        for begin in range(0, replicates, step):
            some = seeds[begin : begin + step]
            labels = draw_random_labels(chances, grades, documents, some)
            for m, score in enumerate(scores):
                found = np.nan_to_num(score(labels), copy=False)
                if m == len(out):
                    out.append(np.empty((len(CLASSES), replicates, *found.shape[1:])))
                out[m][c, begin : begin + step] = found
            done += len(some)
            if progress is not None:
                progress(done, total, "scoring random judges")
    return out
