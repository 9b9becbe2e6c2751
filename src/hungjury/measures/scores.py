"""Scores: the values of measures on systems and topics, and how they came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, NDArray
from hungjury.base.choices import CurveBy, FrameBackend, ScoresPicture
from hungjury.base.errors import InputError, Note, UnknownName, check_known, plural
from hungjury.base.parameters import check_count, check_share, order_by
from hungjury.base.provenance import origin_of, with_provenance
from hungjury.base.records import Record
from hungjury.base.results import Cell, Marked, Plot, Result, Table
from hungjury.base.text import json_text
from hungjury.data.reading.options import ScoreSettings
from hungjury.measures.curve import Curve, curve_of
from hungjury.measures.distribution import Dominance, HitCounts, Spread, functional, summarised
from hungjury.measures.distribution import averaged as averaged
from hungjury.measures.distribution import over_topics as over_topics
from hungjury.stats.correlation import with_ties

SCORED, UNDEFINED, NOT_RETRIEVED, LEFT_OUT = 0, 1, 2, 3
MANY_MEASURES = 12  # more of them do not fit a line
_BY_CELL = ("values", "status", "variance")  # arrays [..., system, topic]


class Scores(Record, Result, eq=False):
    """Scores of systems on topics by several measures, as `evaluate` returns them.

    Printing shows the means. They are means over these topics and say nothing about others; for
    differences between systems see `hungjury.compare`.

    Attributes
    ----------
    measures, systems, topics : list of str
        Names along the axes of `values`.
    values : ndarray
        [measure, system, topic]; NaN where a measure is undefined and not replaced.
    status : ndarray
        For every value: 0 scored, 1 undefined, 2 the system has no list for the topic, 3 left out
        by the topic policy.
    averages : list of str
        How each measure is summarised over topics: "mean", "sum" or "gmean".
    smaller : list of bool
        Measures that are better when smaller (default: none).
    variance : ndarray or None
        Where labels are uncertain, the variance of each value (NaN for measures without one).
    draws : dict of int to ndarray
        For measures whose labels were drawn, by their place in `measures`: values [draw, system,
        topic]. One draw labels the documents of all systems.
    hits : dict of int to HitCounts
        For measures that are shares of relevant documents: the documents that count, from which
        `wins` is exact.
    sampled : tuple of int
        Measures whose moments come from these draws, because they are not known exactly.
    spread : Spread
        What tables show beside each score; see `with_spread`.
    settings : ScoreSettings
        How runs were scored.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=3)
    >>> scores = hj.evaluate(made.gold, made.runs, ["AP", "nDCG@10"])
    >>> scores.values.shape, scores.mean().shape
    ((2, 2, 3), (2, 2))
    """

    axis: ClassVar[str] = "measure"  # the first one of `values`
    measures: list[str]
    systems: list[str]
    topics: list[str]
    values: Floats
    status: NDArray[np.uint8]
    settings: ScoreSettings = field(default_factory=ScoreSettings)
    averages: list[str] = field(default_factory=list)
    smaller: list[bool] = field(default_factory=list)
    variance: Floats | None = None
    draws: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    sampled: tuple[int, ...] = ()
    hits: dict[int, HitCounts] = field(default_factory=dict)
    spread: Spread = field(default_factory=lambda: Spread())
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Fill in what is not said of measures: means over topics, larger ones better."""
        self.averages[:] = self.averages or ["mean"] * len(self.measures)
        self.smaller[:] = self.smaller or [False] * len(self.measures)

    @property
    def std(self) -> Floats | None:
        """Standard deviation of each value, where labels are uncertain."""
        return None if self.variance is None else np.sqrt(np.maximum(self.variance, 0))

    def __repr__(self) -> str:
        each = zip(self.values.shape, (self.axis, "system", "topic"), strict=True)
        return f"{type(self).__name__}({', '.join(plural(*one) for one in each)})"

    def counted(self) -> Bools:
        """Say which cells enter the summary over topics, [measure, system, topic]."""
        out = self.status != LEFT_OUT
        if self.settings.undefined == "drop":
            out = out & (self.status != UNDEFINED)
        return np.asarray(out)

    def mean(self) -> Floats:
        """Summarise over topics, [measure, system]: means, sums for counts, geometric means."""
        return np.array([*map(summarised, self.values, self.counted(), self.averages)])

    def mean_std(self) -> Floats | None:
        """Compute the standard deviation of means due to uncertain labels, [measure, system].

        Labels of different topics are independent, unless an error shared by judges is assumed.
        None if no measure has a variance.
        """
        if self.variance is None:
            return None
        counted = self.counted()
        total = np.where(counted, self.variance, 0.0).sum(axis=-1)
        number = counted.sum(axis=-1)
        out = np.sqrt(total) / np.maximum(number, 1)
        for m in self.sampled:
            out[m] = self.mean_draws(m).std(axis=0, ddof=1)
        return np.asarray(out)

    def columns(self, per_topic: bool = False) -> Iterator[tuple[int, str, Floats]]:
        """Yield the measure, the name and the values of every column: [system] or with topics."""
        values, std = (self.values, self.std) if per_topic else (self.mean(), self.mean_std())
        for m, measure in enumerate(self.measures):
            yield m, measure, values[m]
            for name, q in self.spread.names(measure).items():
                if q is not None:
                    yield m, name, self.quantile(q, per_topic)[m]
                else:
                    yield m, name, np.full(values[m].shape, np.nan) if std is None else std[m]

    def mean_draws(self, measure: int = 0) -> Floats:
        """Return means over topics [draw, system] of a measure under drawn labels.

        One draw labels the documents of all systems, which keeps systems paired: differences,
        covariances and ranks can be computed row by row.
        """
        if measure not in self.draws:
            known = dict(enumerate(self.measures))
            said = f"no labels were drawn for {known.get(measure, f'measure {measure}')}"
            remedy = "evaluate expectations, such as E(nDCG@10), with distribution=True"
            raise InputError(said, code="no-draws", remedy=remedy)
        drawn = self.draws[measure].astype(float)
        return np.nan_to_num(summarised(drawn, self.counted()[measure], self.averages[measure]))

    def resampled_means(self, measure: int, number: int, seed: int) -> Floats:
        """Return as many rows of `mean_draws` as are asked for, with equal means equal."""
        drawn = with_ties(self.mean_draws(measure))
        if number <= len(drawn):
            return drawn[:number]
        return drawn[np.random.default_rng([seed, len(drawn)]).integers(len(drawn), size=number)]

    def quantile(self, q: float | Sequence[float], per_topic: bool = False) -> Floats:
        """Return quantiles of the distribution that uncertain labels give to scores.

        Parameters
        ----------
        q : float or sequence of float
            Probabilities, such as 0.5 for the median.
        per_topic : bool
            Those of every topic instead of those of means over topics.

        Returns
        -------
        ndarray
            [..., measure, system], with the axes of `q` first, or [..., measure, system, topic].
            NaN for measures whose labels were not drawn.

        Examples
        --------
        >>> import hungjury as hj
        >>> soft, run = {"q": {"a": 0.5, "b": 0.5}}, {"q": {"a": 2.0, "b": 1.0}}
        >>> scores = hj.evaluate(soft, run, "E(P@2)", distribution=True)
        >>> scores.quantile([0.1, 0.5, 0.9])[:, 0, 0].tolist()
        [0.0, 0.5, 1.0]
        """
        shape = self.values.shape if per_topic else self.values.shape[:2]
        out = np.full((*np.shape(q), *shape), np.nan)
        for m, cells in self.draws.items():
            drawn = cells if per_topic else self.mean_draws(m)
            at = (..., m, slice(None), slice(None)) if per_topic else (..., m, slice(None))
            out[at] = np.quantile(drawn, np.asarray(q, dtype=float), axis=0)
        return out

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends [measure, system] of the central interval of means, due to labels."""
        check_share("level", level)
        low, high = self.quantile([(1 - level) / 2, (1 + level) / 2])
        return low, high

    def covariance(self, measure: int = 0) -> Floats:
        """Return the covariances [system, system] of means under uncertain labels.

        Systems share documents: the variance of a difference is not the sum of both variances.
        """
        return np.atleast_2d(np.cov(self.mean_draws(measure), rowvar=False))

    def wins(self, measure: int = 0) -> Floats:
        """Return P(one system's mean is better than the other's) [system, system]; ties count half.

        Labels alone are uncertain here: topics are these, and there is no error of judges. Exact
        for precision and other shares of relevant documents, else from draws.
        """
        if measure in self.hits and self.counted()[measure].all():
            found = self.hits[measure].wins()
            return found if self.signs[measure] > 0 else found.T
        better = with_ties(self.mean_draws(measure)) * self.signs[measure]
        return native.shares_larger(np.ascontiguousarray(better.T))

    def with_spread(
        self, std: bool = True, level: float | None = None, quantiles: Iterable[float] = ()
    ) -> Scores:
        """Return scores that show beside each mean how far uncertain labels leave it open.

        Parameters
        ----------
        std : bool
            Show standard deviations.
        level : float, optional
            Show the ends of the central interval of this level.
        quantiles : sequence of float
            Show these quantiles, such as 0.5 for the median.

        Returns
        -------
        Scores
            The same scores; text, CSV, JSON and LaTeX have more columns. Intervals and quantiles
            need the distribution (`evaluate` with ``distribution=True``).

        Examples
        --------
        >>> import hungjury as hj
        >>> soft, run = {"q": {"a": 0.5, "b": 0.5}}, {"q": {"a": 2.0, "b": 1.0}}
        >>> scores = hj.evaluate(soft, run, "E(P@2)", distribution=True)
        >>> print(scores.with_spread(quantiles=[0.5]))
        system  E(P@2)  E(P@2) std  E(P@2) 50 %
        run     0.5000      0.3536       0.5000
        """
        quantiles = tuple(quantiles)
        for q in quantiles:
            check_share("quantiles", q)
        if level is not None:
            check_share("level", level)
        if (quantiles or level is not None) and not self.draws:
            self.mean_draws(0)
        return replace(self, spread=Spread(std, level, quantiles))

    def order(self, by: str | float = "mean", measure: int = 0) -> list[str]:
        """Return the systems, best first, by another functional than the expectation.

        Parameters
        ----------
        by : {"mean", "median", "wins"} or float
            The mean, the median, a quantile such as 0.1 (for the cautious), or the mean
            probability of being better than another system.
        measure : int
            The place of the measure in `measures`.

        Returns
        -------
        list of str
            Names of systems; equal ones in their given order. The orders can disagree: a system
            may have the larger mean, and still be worse with the larger probability.

        Examples
        --------
        >>> import hungjury as hj
        >>> soft = {"q": {"a": 0.9, "b": 0.5}}
        >>> runs = {"B": {"q": {"b": 1.0}}, "A": {"q": {"a": 1.0}}}
        >>> hj.evaluate(soft, runs, "E(P@1)", distribution=True).order("median")
        ['A', 'B']
        """
        check_count("measure", measure, 0, len(self.measures) - 1)
        sign, mean = self.signs[measure], self.mean()[measure]
        drawn = mean[None] if by == "mean" else self.mean_draws(measure)
        value = functional(sign * mean, sign * drawn, order_by(by))
        best = np.argsort(-value, kind="stable")
        return [self.systems[s] for s in best]

    def dominance(self, first: str, second: str, measure: int = 0) -> Dominance:
        """Say whether the first system dominates the second one (first-order dominance).

        Parameters
        ----------
        first, second : str
            Names of systems.
        measure : int
            The place of the measure in `measures`.

        Returns
        -------
        Dominance
            Whether the first system exceeds every value with at least the probability of the
            second one, which makes it better for every taste, and if not, the witness. Both are
            read from draws: differences below their sampling error are no differences.
        """
        for name in (first, second):
            check_known("system", name, self.systems)
        drawn = with_ties(self.mean_draws(measure)) * self.signs[measure]
        one, other = (np.sort(drawn[:, self.systems.index(name)]) for name in (first, second))
        values = np.unique(np.concatenate([one, other]))
        p, q = (1 - np.searchsorted(side, values, "right") / len(side) for side in (one, other))
        worst = int((q - p).argmax())
        if q[worst] <= p[worst]:
            return Dominance(True)
        witness = float(self.signs[measure] * values[worst])
        return Dominance(False, witness, float(p[worst]), float(q[worst]))

    def curve(self, rel: int = 1, by: CurveBy = "recall") -> Curve:
        """Return the precision-recall curve, interpolated at levels of recall or rank by rank.

        Parameters
        ----------
        rel : int
            Lowest relevant grade; the measures have to be scored for it.
        by : {"recall", "rank"}
            "recall": interpolated precision, from scores by ``"iprec_at_recall"``. "rank": recall
            and precision after every rank, from scores by ``R@n`` and ``P@n``; on one topic this
            is the saw-tooth curve. With scores by ``NumRet``, curves end with a system's longest
            list; ranks beyond a list would have no relevant documents.

        Returns
        -------
        Curve
            Means over topics, of every system at every level or rank that was scored.

        Examples
        --------
        >>> import hungjury as hj
        >>> measures = [f"{name}@{n}" for n in range(1, 5) for name in ("P", "R")]
        >>> run = {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
        >>> curve = hj.evaluate({"1": {"a": 1, "c": 1}}, run, measures).curve(by="rank")
        >>> print(curve.table())
        system  rank  recall  precision
        run        1  0.5000     1.0000
        run        2  0.5000     0.5000
        run        3  1.0000     0.6667
        run        4  1.0000     0.5000
        """
        return curve_of(self, rel, by)

    def select(
        self,
        systems: Iterable[str] | None = None,
        topics: Iterable[str] | None = None,
        measures: Iterable[str] | None = None,
    ) -> Scores:
        """Return the scores of some systems on some topics, in the order they have here."""
        s = _places(self.systems, systems, "system")
        t = _places(self.topics, topics, "topic")
        m = _places(self.measures, measures, "measure")

        def cut(values: Any) -> Any:
            return None if values is None else values[..., m, :, :][..., s, :][..., t]

        parts = {name: cut(getattr(self, name)) for name in _BY_CELL}
        for name, places in (("systems", s), ("topics", t), ("measures", m), ("averages", m),
                             ("smaller", m)):  # fmt: skip
            parts[name] = [getattr(self, name)[i] for i in places]
        draws = {m.index(i): one[:, s][..., t] for i, one in self.draws.items() if i in m}
        sampled = tuple(m.index(i) for i in self.sampled if i in m)
        hits = {m.index(i): one.select(s, t) for i, one in self.hits.items() if i in m}
        return replace(self, draws=draws, sampled=sampled, hits=hits, **parts)

    def rows(self) -> Iterator[tuple[str, str, str, float]]:
        """Yield (system, topic, measure, value) of every cell that counts, best system first."""
        counted = self.counted()
        columns = list(self.columns(per_topic=True))
        for s in self.best_first():
            system = self.systems[s]
            for t, topic in enumerate(self.topics):
                for m, name, values in columns:
                    if counted[m, s, t]:
                        yield system, topic, name, float(values[s, t])

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return ``{system: {topic: {measure: value}}}``."""
        out: dict[str, dict[str, dict[str, float]]] = {s: {} for s in self.systems}
        for system, topic, measure, value in self.rows():
            out[system].setdefault(topic, {})[measure] = value
        return out

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """Return the long form with the columns system, topic, measure, value."""
        return self.topic_table().to_frame(backend)

    def means(self, backend: FrameBackend = "pandas") -> Any:
        """Return a frame of means, a row per system, best first, and a column per measure.

        Parameters
        ----------
        backend : {"pandas", "polars"}
            In pandas the systems are the index, in polars the column "system".

        Returns
        -------
        DataFrame
            The summary over topics, as `mean` computes it.

        Examples
        --------
        >>> import hungjury as hj
        >>> scores = hj.evaluate({"1": {"a": 1}}, {"bm25": {"1": {"a": 2.0, "b": 1.0}}}, "P@2")
        >>> scores.means().loc["bm25", "P@2"]
        np.float64(0.5)
        """
        frame = self.table().to_frame(backend)
        return frame.set_index("system") if backend == "pandas" else frame

    def topic_table(self, summary: bool = False) -> Table:
        """Return a row for every cell that counts, as system, topic, measure, value; with
        `summary`, these are followed by the means as topic "all"."""
        cells = list(self.rows())
        if summary:
            self.check_summary()
            columns = list(self.columns())
            cells += [
                (self.systems[s], "all", name, float(values[s]))
                for s in self.best_first()
                for _, name, values in columns
            ]
        return Table(["system", "topic", "measure", "value"], cells)

    def better(self) -> Floats:
        """Return means for ranking systems, [measure, system]: larger is better, equal are tied."""
        return with_ties(self.signs[:, None] * self.mean())

    @property
    def signs(self) -> Floats:
        """[measure]: -1 where smaller is better, else 1."""
        return np.where(self.smaller, -1.0, 1.0)

    def best_first(self) -> list[int]:
        """Sort systems by the first measure's mean, best first, undefined last; equal ones in
        their given order."""
        return [int(s) for s in np.argsort(-self.better()[0], kind="stable")]

    def table(self, digits: int = 4) -> Table:
        """Return the means, a row per system, best first; the best of each measure is bold."""
        better, columns = self.better(), list(self.columns())
        best = better == np.where(np.isnan(better), -np.inf, better).max(axis=1, keepdims=True)
        rows: list[list[Cell]] = [
            [
                self.systems[s],
                *(
                    Marked(float(v[s]), bold=bool(best[m, s] and name == self.measures[m]))
                    for m, name, v in columns
                ),
            ]
            for s in self.best_first()
        ]
        formats = {
            name: partial(
                _shown, digits=digits, count=name == self.measures[m] and self._is_count(m)
            )
            for m, name, _ in columns
        }
        return Table(["system", *(name for _, name, _ in columns)], rows, digits, formats, left=1)

    def to_latex(self, digits: int = 4) -> str:
        """Write the means as a booktabs table."""
        return self.table(digits).to_latex()

    def to_markdown(self, digits: int = 4) -> str:
        """Write the means as a Markdown table."""
        return self.table(digits).to_markdown()

    def to_html(self, digits: int = 4) -> str:
        """Write the means as an HTML table."""
        return self.table(digits).to_html()

    def to_text(self, digits: int = 4) -> str:
        """Return a plain table: a line per system, best first by the first measure.

        Where measures are many and more than systems, it has a line per measure.
        """
        table = self.table(digits)
        if len(self.measures) <= max(MANY_MEASURES, len(self.systems)):
            return table.to_text()
        names, *values = zip(*table.printed(), strict=True)
        shown = [name for _, name, _ in self.columns()]
        lines = [[m, *line] for m, line in zip(shown, values, strict=True)]
        return Table(["measure", *names], lines, left=1).to_text()

    def plot(
        self,
        measure: str | None = None,
        what: ScoresPicture = "topics",
        other: str | None = None,
    ) -> Plot:
        """Draw the scores of systems.

        Parameters
        ----------
        measure : str, optional
            One of `measures`; default: the first.
        what : {"topics", "ranking", "scatter", "bump", "distribution", "heat-map"}
            "topics": a dot for every topic, and the mean of every system. "ranking": means with
            95 % intervals over topics (Student's). "scatter": two measures against each other,
            with Kendall's tau. "bump": ranks of the systems by every measure. "distribution":
            scores of all systems on each topic. "heat-map": systems by topics.
        other : str, optional
            The second measure of a scatter plot; default: the next one.
        """
        return self._drawn("board_plots.draw_scores", measure or self.measures[0], what, other)

    def _is_count(self, m: int) -> bool:
        """Say whether values are counts, shown as integers; expectations of counts may not be."""
        values = self.values[m][~np.isnan(self.values[m])]
        return self.averages[m] == "sum" and np.array_equal(values, np.rint(values))

    def to_csv(  # type: ignore[override]
        self, per_topic: bool = False, summary: bool = False, safe: bool = False
    ) -> str:
        """Return means as system,measure...; or every cell as system,topic,measure,value.

        With `summary`, cells are followed by the means as topic "all". `safe` protects text that
        spreadsheets would take for a formula.
        """
        return self._csv_table(per_topic, summary).to_csv(safe)

    def _csv_table(self, per_topic: bool, summary: bool) -> Table:
        return self.topic_table(summary) if per_topic else self.table()

    def check_summary(self) -> None:
        """Raise where rows of a topic could be taken for the summary over topics."""
        if "all" in self.topics:
            said = "a topic is called 'all', which is the name of the summary over topics"
            remedy = "leave out the summary (-n on the command line), or rename the topic"
            raise InputError(said, code="topic-all", remedy=remedy)

    def to_json(self, per_topic: bool = False) -> str:
        """Return means, settings and, with `per_topic`, every value; NaN is null."""
        text = json_text(self._content(per_topic))
        return with_provenance(text, origin_of(self), apart=False)

    def _content(self, per_topic: bool) -> dict[str, Any]:
        columns = list(self.columns())
        out: dict[str, Any] = {
            "measures": self.measures,
            "settings": self.settings.to_dict(),
            "mean": {
                self.systems[s]: {name: float(values[s]) for _, name, values in columns}
                for s in self.best_first()
            },
        }
        return out | {"topics": self.to_dict()} if per_topic else out


def _places(names: list[str], wanted: Iterable[str] | None, kind: str) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    asked = set(wanted)
    for name in sorted(asked):
        check_known(kind, name, names)
    if not asked:
        raise UnknownName(f"no {kind} left", remedy=f"choose from the {kind}s that were scored")
    return [i for i, name in enumerate(names) if name in asked]


def _shown(value: float, digits: int, count: bool) -> str:
    if np.isnan(value):
        return "undefined"
    return f"{value:.0f}" if count else f"{value:.{digits}f}"
