"""Disagreement parameters p_{R|i}: what they are known to be, and what they are used for.

p_{R|i} is the probability that an independent user finds a document relevant, given that an
assessor gave it level i (PRM: Demeester et al. 2015).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hungjury.base.arrays import Array, Bools, Floats, Int16s, Ints
from hungjury.base.errors import Argument, InputError, Note, percent
from hungjury.base.parameters import MOST_DRAWS, check_count
from hungjury.base.records import Record
from hungjury.base.results import Cell, Result, Table
from hungjury.base.text import columns, finite
from hungjury.data.alignment import align
from hungjury.data.qrels import Qrels, needs_grades
from hungjury.data.reading.options import RunsLike
from hungjury.data.runs import as_runs
from hungjury.measures.base import ratio
from hungjury.measures.catalogue import Measure, MeasureLike, measure, measure_list
from hungjury.measures.evaluate import MeasureNames, score_alignment
from hungjury.stats.resampling import interval, resample_counts

LEVEL = 0.95  # of the intervals
SCORE_DRAWS = 200  # of p, for the scores of systems
Level = int | str


class ByLevel(dict[Any, float]):
    """Numbers by level; a category is found by its name and by its number."""

    def __init__(self, levels: list[int], values: Floats, names: Mapping[int, str]) -> None:
        super().__init__(
            (names.get(v, v), float(x)) for v, x in zip(levels, values.tolist(), strict=True)
        )
        self.names = names

    def __missing__(self, level: Any) -> float:
        if level in self.names:
            return self[self.names[level]]
        raise KeyError(level)


class Votes(Record, eq=False):
    """Labels by document, [document, level]: of assessors, of users, and of those who are both."""

    assessors: Ints
    users: Ints
    both: Ints
    topic: Ints  # [document]
    topics: int

    def pairs(self) -> Ints:
        """Count pairs of labels that an assessor and a user gave a document: [topic, level, level].

        Nobody is paired with themselves.
        """
        size = self.users.shape[1]
        out = np.zeros((self.topics, size, size), dtype=np.int64)
        each = self.assessors[:, :, None] * self.users[:, None, :]
        each[:, np.arange(size), np.arange(size)] -= self.both
        np.add.at(out, self.topic, each)
        return out

    def of(self, documents: Bools) -> Votes:
        """Keep only some documents."""
        names = ("assessors", "users", "both", "topic")
        return replace(self, **{name: getattr(self, name)[documents] for name in names})

    def by_document(self, relevant: Bools) -> tuple[Ints, Ints]:
        """Count pairs, and those with a relevant label of the user: both [document, level]."""
        seen = self.assessors * self.users.sum(axis=1, keepdims=True) - self.both
        hits = self.assessors * self.users[:, relevant].sum(axis=1, keepdims=True)
        return seen, hits - self.both * relevant


class PRM(Record, Result, eq=False):
    """Probabilities that a user finds a document relevant, by the level an assessor gave it.

    Attributes
    ----------
    levels : list of int
        The levels that assessors give.
    user_levels : list of int
        The levels that users give.
    scale : list of int
        All levels, of both and declared.
    relevant : list of int
        The users' levels that count as relevant.
    votes : Votes
        Labels of assessors and users by document.
    names : dict
        The names of levels that are categories.
    parts : dict of str to PRM
        The model of each kind of document, where kinds were named.
    smoothing, draws, seed
        As the model was fitted.

    Examples
    --------
    >>> import hungjury as hj
    >>> votes = {"ann": {"1": {"a": 1, "b": 1, "c": 0}}, "bob": {"1": {"a": 1, "b": 0, "c": 0}}}
    >>> model = hj.prm(votes)
    >>> round(model.p[1], 3)
    0.667

    Of the three labels 1, two meet another 1: a document that one judge finds relevant is relevant
    to the next with probability 2/3.
    """

    levels: list[int]
    user_levels: list[int]
    scale: list[int]
    relevant: list[int]
    smoothing: float
    votes: Votes
    draws: int
    seed: int
    names: Mapping[Any, str] = field(default_factory=dict)
    parts: Mapping[str, PRM] = field(default_factory=dict)
    prior: tuple[Floats, Floats] | None = None  # a kind's probabilities to start from, and weights
    notes: tuple[Note, ...] = ()

    @cached_property
    def pairs(self) -> Ints:
        """[topic, level, level]: pairs of an assessor's and a user's label of the same document."""
        said = np.isin(self.scale, self.user_levels)
        return self.votes.pairs()[:, self._given][:, :, said]

    @property
    def rated(self) -> Ints:
        """Labels of each level that assessors gave."""
        return np.asarray(self.votes.assessors.sum(axis=0)[self._given])

    @property
    def _given(self) -> Bools:
        """Which levels of the scale assessors give."""
        return np.isin(self.scale, self.levels)

    @cached_property
    def seen(self) -> Ints:
        """Observations of each level: how often a user labelled a document of it."""
        return np.asarray(self.pairs.sum(axis=(0, 2)))

    @cached_property
    def agreed(self) -> Ints:
        """Observations of each level in which the user said relevant."""
        return np.asarray(self._agreed_by_topic.sum(axis=0))

    @property
    def p(self) -> dict[Any, float]:
        """p_{R|i} by level, NaN for one that no document judged twice has."""
        return ByLevel(self.levels, self._p, self.names)

    @property
    def low(self) -> dict[Any, float]:
        """Lower end of each level's 95 % interval; NaN if judged twice in fewer than two topics."""
        return ByLevel(self.levels, self._ends[0], self.names)

    @property
    def high(self) -> dict[Any, float]:
        """Upper end of each level's 95 % interval."""
        return ByLevel(self.levels, self._ends[1], self.names)

    @cached_property
    def _p(self) -> Floats:
        hits, seen = self.agreed.astype(float), self.seen.astype(float)
        if self.prior is not None:
            hits, seen = hits + np.prod(self.prior, axis=0), seen + self.prior[1]
        return smoothed(hits, seen, self.smoothing)

    @cached_property
    def _agreed_by_topic(self) -> Ints:
        return np.asarray(self.pairs[:, :, np.isin(self.user_levels, self.relevant)].sum(axis=2))

    @cached_property
    def _resampled(self) -> Floats:
        """p of each level on resampled topics, [draw, level]; NaN where it does not occur."""
        counts = resample_counts(len(self.pairs), self.draws, self.seed)
        return smoothed(counts @ self._agreed_by_topic, counts @ self.pairs.sum(axis=2), 0.0)

    @cached_property
    def effective(self) -> Floats:
        """The number of independent observations of each level that would say as much.

        Labels of one topic, and pairs of one document, are alike: the variance of p over resampled
        topics says by how much (Korn and Graubard 1998). NaN for a level judged twice in one
        topic only.
        """
        from scipy.special import stdtrit

        relevant = np.isin(self.scale, self.relevant)
        seen, hits = (counts[:, self._given] for counts in self.votes.by_document(relevant))
        documents = (seen > 0).sum(axis=0)
        topics = np.count_nonzero(self.pairs.sum(axis=2), axis=0)
        out = np.full(len(self.levels), np.nan)
        for i in np.flatnonzero(topics > 1):
            p = self.agreed[i] / self.seen[i]
            drawn = self._resampled[:, i]
            moved = np.var(drawn[~np.isnan(drawn)]) * topics[i] / (topics[i] - 1)
            alone = ((hits[:, i] - p * seen[:, i]) ** 2).sum() / self.seen[i] ** 2
            inside = (self.agreed[i] + 0.5) / (self.seen[i] + 1)
            # Two exchangeable judges who agree are two pairs of one document.
            most = documents[i] / (2 if self.votes.both.any() else 1)
            worth = min(most, inside * (1 - inside) / max(moved, alone, 1e-12))
            reach = stdtrit([max(documents[i] - 1, 1), topics[i] - 1], 0.975)
            out[i] = worth * (reach[0] / reach[1]) ** 2
        return out

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """Quantiles of the Beta distribution of what is known about each p."""
        from scipy.special import betaincinv

        a, b = self._beta()
        tails = (1 - LEVEL) / 2, (1 + LEVEL) / 2
        low, high = (np.asarray(betaincinv(a, b, tail)) for tail in tails)
        return low, high

    def _beta(self) -> tuple[Floats, Floats]:
        """Parameters of the Beta posterior of each level, with Jeffreys' prior."""
        known = self.effective + (0.0 if self.prior is None else self.prior[1])
        return self._p * known + 0.5, (1 - self._p) * known + 0.5

    def draw(self, draws: int = SCORE_DRAWS, seed: int = 0) -> Floats:
        """Draw the probabilities of all levels, [draw, level].

        Each is drawn from its posterior; levels move together as they do on resampled topics. A
        level without an interval stays at its p.
        """
        from scipy.special import betaincinv

        check_count("draws", draws, 1, MOST_DRAWS)
        rng = np.random.default_rng(seed)
        at = rng.integers(self.draws, size=draws)
        together = self._resampled[at] + rng.normal(0, 1e-9, (draws, len(self.levels)))
        rank = np.argsort(np.argsort(np.nan_to_num(together), axis=0), axis=0)
        a, b = self._beta()
        drawn = betaincinv(a, b, (rank + 0.5) / draws)
        return np.asarray(np.where(np.isnan(drawn), self._p, drawn))

    @property
    def max_grade(self) -> int:
        """The largest level that users give."""
        return self.user_levels[-1]

    @property
    def rel(self) -> int | None:
        """The lowest relevant grade; None if a level above it is not relevant."""
        lowest = min(self.relevant)
        upwards = [level for level in self.user_levels if level >= lowest]
        return lowest if self.relevant == upwards and not self.names else None

    @property
    def notion(self) -> str:
        """The levels that count as relevant, in words."""
        if self.rel is not None:
            return f"grade {self.rel} and above"
        word = "level" if len(self.relevant) == 1 else "levels"
        return f"{word} {', '.join(str(self.names.get(v, v)) for v in self.relevant)}"

    def scenarios(self) -> list[PRM]:
        """Return the model for each notion of relevance: rel = 1, ..., the largest grade."""
        return [
            replace(self, relevant=[v for v in self.user_levels if v >= rel])
            for rel in range(1, self.max_grade + 1)
        ]

    def probability(self, level: Level) -> float:
        """Return p_{R|level}; a level without observations is an error unless smoothing is set."""
        value = self.p.get(self.names.get(level, level), np.nan)
        if not np.isnan(value):
            return value
        if self.smoothing > 0:
            return 0.5
        raise InputError(
            f"no document of level {level} was judged twice",
            code="unseen-level",
            remedy=(
                "use",
                Argument("smoothing", 1),
                "to start every level at one half, or collect double judgments",
            ),
        )

    def prob(self, max_grade: int) -> list[float]:
        """Return the probabilities of the grades 0 to `max_grade`, for ``eRAP(prob=...)``."""
        return [self.probability(grade) for grade in range(max_grade + 1)]

    def soft_qrels(self, qrels: Qrels) -> Qrels:
        """Replace labels by the probability that a user finds the document relevant."""
        levels, index = np.unique(_grades(qrels), return_inverse=True)
        p = np.array([self.probability(int(level)) for level in levels])[index]
        return qrels.plain(labels=None, p=p, grades=(0, 1))

    def version(self, name: MeasureLike, max_grade: int) -> Measure:
        """Return the PRM version of a measure.

        p_{R|i} is the probability of a grade for expected measures, its gain for measures with
        gains.
        """
        return measure(name).with_probabilities(self.prob(max_grade))

    def score(
        self,
        qrels: Qrels,
        runs: RunsLike,
        measures: MeasureNames,
        draws: int = SCORE_DRAWS,
        seed: int = 0,
    ) -> PRMScores:
        """Score runs by the PRM versions of measures, with the uncertainty of p.

        Parameters
        ----------
        qrels : Qrels
            Labels of an assessor.
        runs : Runs or source
            Runs, or anything `read_runs` takes.
        measures : str, Measure or list of these
            Measures, as `version` takes them.
        draws : int
            Draws of the probabilities.
        seed : int
            Random seed.

        Returns
        -------
        PRMScores
            Means over these topics. Intervals say how far they depend on probabilities that are
            known from few double judgments, and nothing else.
        """
        top = int(max(_grades(qrels).max(initial=0), 1))
        wanted = measure_list(measures)
        depth = max(one.unjudged_depth for one in wanted)
        aligned = align(as_runs(runs), qrels.pool, others=depth)
        at = [self.levels.index(v) if v in self.levels else -1 for v in range(top + 1)]

        def means(prob: list[float]) -> tuple[list[str], Floats]:
            versions = [one.with_probabilities(prob) for one in wanted]
            scores = score_alignment(aligned, qrels, versions, "judged", "zero", "nonrelevant")
            return scores.measures, scores.mean()

        best = self.prob(top)
        names, mean = means(best)
        drawn = [
            means([row[i] if i >= 0 else best[v] for v, i in enumerate(at)])[1]
            for row in self.draw(draws, seed).tolist()
        ]
        low, high = map(np.asarray, interval(np.stack(drawn), LEVEL))
        return PRMScores([str(one) for one in wanted], names, aligned.systems, mean, low, high)

    def relevant_counts(self, qrels: Qrels | None = None) -> tuple[int, float]:
        """Count relevant documents among some labels (default: all that assessors gave).

        Returns N_R^bin, how many are relevant, and N_R^PRM, how many a user is expected to find
        relevant (PRM eq. 1).
        """
        levels, counts = np.array(self.levels), self.rated
        if qrels is not None:
            levels, counts = np.unique(_grades(qrels), return_counts=True)
        pairs = [(int(v), int(n)) for v, n in zip(levels, counts, strict=True) if n]
        binary = sum(n for level, n in pairs if level in self.relevant)
        return binary, sum(n * self.probability(level) for level, n in pairs)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per level; None for what is not known of it."""
        return [
            {
                "level": level,
                **{name: finite(getattr(self, name)[level]) for name in ("p", "low", "high")},
                "pairs": int(self.seen[i]),
                "pairs_relevant": int(self.agreed[i]),
                "labels": int(self.rated[i]),
                "labels_relevant": int(self.rated[i]) * (self.levels[i] in self.relevant),
                "labels_expected": finite(float(self.rated[i] * self._p[i])),
            }
            for i, level in enumerate(self.p)
        ]

    def table(self) -> Table:
        """Return a row per level, of every kind where there are several, with every digit."""
        rows = [{"kind": name, **row} for name, one in self.parts.items() for row in one.rows()]
        return Table.of(rows or self.rows(), digits=3)

    def to_text(self) -> str:
        """Write a line per level."""
        lines = [["level", "P(relevant)", f"{percent(LEVEL)} interval", "pairs", "labels"]]
        for name, one in {"": self, **self.parts}.items():
            for row in one.rows():
                p = "unknown" if row["p"] is None else f"{row['p']:.3f}"
                ends = "-" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
                counts = [f"{row['pairs']:,}", f"{row['labels']:,}"]
                lines.append([f"{name} {row['level']}".strip(), p, ends, *counts])
        return columns(lines)


class PRMScores(Record, Result, eq=False):
    """Means of systems by PRM versions of measures, [measure, system], with the interval that the
    uncertainty of p alone gives.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=3, topics=5)
    >>> model = hj.prm(made.judgments)
    >>> found = model.score(made.judgments.qrels_of("judge1"), made.runs, "AP")
    >>> bool((found.low <= found.mean).all() and (found.mean <= found.high).all())
    True
    """

    measures: list[str]  # as they were asked for
    versions: list[str]  # with the probabilities of the model
    systems: list[str]
    mean: Floats
    low: Floats
    high: Floats

    def table(self) -> Table:
        """Return a row per system and measure."""
        rows: list[list[Cell]] = [
            [system, name, *(float(x[m, s]) for x in (self.mean, self.low, self.high))]
            for m, name in enumerate(self.measures)
            for s, system in enumerate(self.systems)
        ]
        return Table(["system", "measure", "mean", "low", "high"], rows)


def _grades(qrels: Qrels) -> Int16s:
    if qrels.labels is None:
        raise needs_grades("a model of relevance")
    return qrels.labels


def smoothed(hits: Array, total: Array, a: float) -> Floats:
    return ratio(hits + a, total + 2 * a)
