"""The predicted relevance model: what another judge would say (PRM: Demeester et al. 2015).

p_{R|i} is the probability that an independent judge finds a document relevant, given that this
judge gave it level i. Every ordered pair of judges of the same document is one observation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import Argument, InputError, Note, check_seed, either, percent, plural
from hungjury.base.parameters import MOST_DRAWS, MOST_SMOOTHING, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table
from hungjury.base.text import columns, finite
from hungjury.data.labels import as_judgments
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import JudgeOptions, JudgmentsLike
from hungjury.measures.catalogue import Measure, MeasureLike, measure
from hungjury.stats.resampling import interval, resample_counts

if TYPE_CHECKING:
    from typing_extensions import Unpack

LEVEL = 0.95  # of the intervals
FEW_PAIRS = 100  # observations of a level below which a note warns


class PRM(Record, Result, eq=False):
    """Probabilities that another judge finds a document relevant, by the level it was given.

    Attributes
    ----------
    levels : list of int
        The levels of the scale.
    relevant : list of int
        The levels that count as relevant.
    pairs : array
        [topic, level, level]: ordered pairs of labels that two judges gave the same document.
    rated : array
        Labels of each level, in all judgments.
    smoothing, max_grade, draws, seed
        As the model was fitted.

    Examples
    --------
    >>> import hungjury as hj
    >>> votes = {"ann": {"1": {"a": 1, "b": 1, "c": 0}}, "bob": {"1": {"a": 1, "b": 0, "c": 0}}}
    >>> model = hj.prm(votes)
    >>> [round(p, 3) for p in model.prob(1)]
    [0.333, 0.667]

    Of the three labels 1, two meet another 1: a document that one judge finds relevant is relevant
    to the next with probability 2/3.
    """

    levels: list[int]
    relevant: list[int]
    smoothing: float
    rated: Ints
    max_grade: int
    pairs: Ints
    draws: int
    seed: int
    notes: tuple[Note, ...] = ()

    @cached_property
    def seen(self) -> Ints:
        """Observations of each level: how often another judge labelled a document of it."""
        return np.asarray(self.pairs.sum(axis=(0, 2)))

    @cached_property
    def agreed(self) -> Ints:
        """Observations of each level in which the other judge said relevant."""
        return np.asarray(self._agreed_by_topic.sum(axis=0))

    @cached_property
    def p(self) -> Floats:
        """p_{R|i} of each level i, NaN for one that no document judged twice has."""
        return _smoothed(self.agreed, self.seen, self.smoothing)

    @property
    def low(self) -> Floats:
        """Lower end of each level's 95 % interval; NaN if judged twice in fewer than two topics."""
        return self._ends[0]

    @property
    def high(self) -> Floats:
        """Upper end of each level's 95 % interval."""
        return self._ends[1]

    @cached_property
    def _agreed_by_topic(self) -> Ints:
        return np.asarray(self.pairs[:, :, np.isin(self.levels, self.relevant)].sum(axis=2))

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """Intervals from resampled topics, without samples in which a level does not occur.

        Samples of a level that occurs in one topic only are all alike.
        """
        seen = self.pairs.sum(axis=2)
        counts = resample_counts(len(seen), self.draws, self.seed)
        drawn = _smoothed(counts @ self._agreed_by_topic, counts @ seen, self.smoothing)
        low, high = (np.full(len(self.levels), np.nan) for _ in range(2))
        for i, column in enumerate(drawn.T):
            known = column[~np.isnan(column)]
            if len(known) and np.count_nonzero(seen[:, i]) > 1:
                low[i], high[i] = interval(known, LEVEL)
        return low, high

    @property
    def rel(self) -> int | None:
        """The lowest relevant grade; None if a level above it is not relevant."""
        lowest = min(self.relevant)
        upwards = [level for level in self.levels if level >= lowest]
        return lowest if self.relevant == upwards else None

    @property
    def notion(self) -> str:
        """The levels that count as relevant, in words."""
        if self.rel is not None:
            return f"grade {self.rel} and above"
        word = "level" if len(self.relevant) == 1 else "levels"
        return f"{word} {', '.join(map(str, self.relevant))}"

    def scenarios(self) -> list[PRM]:
        """Return the model for each notion of relevance: rel = 1, ..., the largest grade."""
        return [
            replace(self, relevant=[v for v in self.levels if v >= rel])
            for rel in range(1, self.max_grade + 1)
        ]

    def probability(self, level: int) -> float:
        """Return p_{R|level}; a level without observations is an error unless smoothing is set."""
        if level in self.levels:
            value = float(self.p[self.levels.index(level)])
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
        """Replace labels by the probability that another judge finds the document relevant."""
        levels, index = np.unique(_grades(qrels), return_inverse=True)
        p = np.array([self.probability(int(level)) for level in levels])[index]
        return qrels.plain(labels=None, p=p, grades=(0, 1))

    def version(self, name: MeasureLike, max_grade: int) -> Measure:
        """Return the PRM version of a measure.

        p_{R|i} is the probability of a grade for expected measures, its gain for measures with
        gains.
        """
        return measure(name).with_probabilities(self.prob(max_grade))

    def relevant_counts(self, qrels: Qrels | None = None) -> tuple[int, float]:
        """Count relevant documents among some labels (default: all that were given).

        Returns N_R^bin, how many are relevant, and N_R^PRM, how many another judge is expected to
        find relevant (PRM eq. 1).
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
                **{name: finite(float(getattr(self, name)[i])) for name in ("p", "low", "high")},
                "pairs": int(self.seen[i]),
                "pairs_relevant": int(self.agreed[i]),
                "labels": int(self.rated[i]),
            }
            for i, level in enumerate(self.levels)
        ]

    def table(self) -> Table:
        """Return a row per level, with every digit."""
        return Table.of(self.rows(), digits=3)

    def to_text(self) -> str:
        """Write a line per level."""
        lines = [["level", "P(relevant)", f"{percent(LEVEL)} interval", "pairs", "labels"]]
        for row in self.rows():
            p = "unknown" if row["p"] is None else f"{row['p']:.3f}"
            ends = "-" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
            counts = [f"{row['pairs']:,}", f"{row['labels']:,}"]
            lines.append([str(row["level"]), p, ends, *counts])
        return columns(lines)


def prm(
    judgments: JudgmentsLike,
    rel: int = 1,
    relevant: Iterable[int] | None = None,
    smoothing: float = 0.0,
    draws: int = 1000,
    seed: int = 0,
    **reading: Unpack[JudgeOptions],
) -> PRM:
    """Fit the predicted relevance model to documents judged more than once.

    Parameters
    ----------
    judgments : Judgments or source
        Labels of several judges, or anything `read_judgments` takes.
    rel : int
        Lowest relevant grade.
    relevant : iterable of int, optional
        The levels that count as relevant, instead of `rel`, where levels are categories (such as -2
        for junk).
    smoothing : float
        The number a in (n_R + a) / (n + 2a).
    draws : int
        Bootstrap samples of topics behind the intervals.
    seed : int
        Random seed.
    **reading
        Options of `read_judgments`, such as ``grades=range(4)``, for labels that are still to be
        read.

    Returns
    -------
    PRM
        The probability of every level, with counts and intervals (NaN for levels judged twice
        in one topic only); `PRM.scenarios` gives the model for every notion of relevance.

    Notes
    -----
    p_{R|i} is the probability that an independent judge finds a document relevant given that this
    judge gave it level i. Every ordered pair of judges of one document is one observation
    (Demeester et al. 2015).

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(topics=4, grades=3)
    >>> [len(model.levels) for model in hj.prm(made.judgments).scenarios()]
    [3, 3]
    """
    given = as_judgments(judgments, **reading)
    if given.soft:
        raise InputError(
            "these judgments are probabilities, not levels",
            code="needs-grades",
            remedy="give grades or categories",
        )
    check_count("draws", draws, 1, MOST_DRAWS)
    if not 0 <= smoothing <= MOST_SMOOTHING:
        raise InputError(
            f"smoothing must be a number from 0 to {MOST_SMOOTHING:,.0f}, got {smoothing}",
            code="out-of-range",
            argument="smoothing",
            remedy="0 for none, 1 is usual",
        )
    check_seed(seed)
    values, code = np.unique(given.label.astype(np.int64), return_inverse=True)
    levels = sorted({*values.tolist(), *given.grades})
    place = np.array([levels.index(v) for v in values.tolist()])[code]
    chosen = [v for v in levels if v >= rel] if relevant is None else sorted(set(relevant))
    if not chosen or (relevant is None and rel > given.max_grade):
        raise InputError(
            f"no level is relevant (levels are {levels})",
            code="no-relevant-level",
            remedy=("choose", Argument("rel"), "or", Argument("relevant"), "from these levels"),
        )
    unknown = sorted(set(chosen) - set(levels))
    if unknown:
        raise InputError(
            f"no label has the level {either(list(map(str, unknown)))}; the levels are "
            f"{', '.join(map(str, levels))}",
            code="no-relevant-level",
            remedy=("choose", Argument("relevant"), "from these levels"),
        )
    votes = np.bincount(
        given.document * len(levels) + place, minlength=len(given.pool) * len(levels)
    ).reshape(len(given.pool), len(levels))
    pairs = _pairs_by_topic(given, votes)
    if not pairs.any():
        raise InputError(
            "no document has two judgments",
            code="no-double-judgment",
            remedy="the model is estimated from double judgments; have some documents judged twice",
        )
    return PRM(
        levels=levels,
        relevant=chosen,
        smoothing=smoothing,
        rated=votes.sum(axis=0),
        max_grade=given.max_grade,
        pairs=pairs,
        draws=draws,
        seed=seed,
        notes=tuple(_notes(levels, pairs.sum(axis=2), votes)),
    )


def _grades(qrels: Qrels) -> NDArray[np.int16]:
    if qrels.labels is None:
        raise InputError(
            "these labels are probabilities", code="needs-grades", remedy="give graded qrels"
        )
    return qrels.labels


def _pairs_by_topic(judgments: Judgments, votes: Ints) -> Ints:
    """Count ordered pairs of labels that two judges gave a document: [topic, level, level]."""
    levels = votes.shape[1]
    others = votes[:, None, :] - np.eye(levels, dtype=np.int64)  # nobody is paired with themselves
    counts = judgments.pool.sum_by_topic((votes[:, :, None] * others).reshape(len(votes), -1).T)
    return counts.T.reshape(-1, levels, levels)


def _smoothed(hits: NDArray[Any], total: NDArray[Any], a: float) -> Floats:
    below = total + 2 * a
    out = np.full(np.shape(below), np.nan)
    np.divide(hits + a, below, out=out, where=below > 0)
    return out


def _notes(levels: list[int], seen: Ints, votes: Ints) -> Iterable[Note]:
    """seen: pairs [topic, level]; votes: labels [document, level]"""
    twice = int((votes.sum(axis=1) > 1).sum())
    if twice < len(votes):
        share = f"{twice / len(votes):.1%}"
        text = f"{plural(twice, 'document')} of {len(votes):,} ({share}) judged more than once"
        yield Note("double-judged", twice, text, about="judges")
    topics = (seen > 0).sum(axis=0)
    alone = tuple(str(level) for level, n in zip(levels, topics, strict=True) if n == 1)
    if alone:
        text = (
            f"no interval for {plural(len(alone), 'level')} judged twice in one topic only "
            "(intervals come from resampling topics)"
        )
        yield Note("one-topic", len(alone), text, subjects=alone, about="result")
    for level, count in zip(levels, seen.sum(axis=0), strict=True):
        if count < FEW_PAIRS:
            number = f"only {plural(int(count), 'pair')}" if count else "no pair"
            text = f"level {level} occurs in {number}: do not trust it"
            yield Note("few-pairs", int(count), text, about="result")
