"""compare: which systems differ, by how much, and could it be chance over topics?"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import FrameBackend, Multiplicity, SignificanceTest
from hungjury.collection.notes import Note, few
from hungjury.errors import InputError, MeasureError, UnknownName, check_choice, check_seed
from hungjury.scores import Scores
from hungjury.settings import ScoreSettings
from hungjury.tables import Table, json_text
from hungjury.uncertainty.common_topics import averages, common_values
from hungjury.uncertainty.paired import TESTS, Paired, out_of_reach, paired

if TYPE_CHECKING:
    from hungjury.report.pictures import Plot

__all__ = ["Compared", "Comparison", "compare"]

Array = NDArray[np.float64]
ROUNDING = 1e-12  # of values on one topic: less is no difference


@dataclass(frozen=True)
class Compared:
    """A system and another one by one measure; differences are system minus `versus`."""

    measure: str
    system: str
    versus: str
    mean: float
    versus_mean: float
    difference: float
    low: float  # the ends of the interval of the difference, this comparison taken alone
    high: float
    p: float
    p_corrected: float
    wins: int  # topics where the system has the better value
    ties: int
    losses: int
    effect: float
    topics: int
    p_equivalent: float | None = None  # of a difference beyond the margin, where one is given
    p_equivalent_corrected: float | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems against baselines, or all pairs of them; iterates over `rows`.

    systems: best first by the first measure. mean: [measure, system] over the topics that all
    systems have (sums for counts). rows: by measure, then by baseline, then in the
    order of systems. baselines: empty for all pairs.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=3, topics=10)
    >>> found = hj.compare(hj.evaluate(made.gold, made.runs, "AP"), baseline="system3")
    >>> [row.system for row in found]
    ['system1', 'system2']
    """

    measures: list[str]
    systems: list[str]
    mean: Array
    rows: list[Compared]
    baselines: list[str]
    test: SignificanceTest
    correction: Multiplicity
    alpha: float
    samples: int | None  # of the tests that draw
    seed: int | None
    counts: frozenset[str] = frozenset()  # measures that are summed over topics
    smaller: frozenset[str] = frozenset()  # measures that are better when smaller
    margin: float | None = None  # smaller differences do not matter
    settings: ScoreSettings = field(default_factory=ScoreSettings)
    notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __repr__(self) -> str:
        against = f"baseline {', '.join(self.baselines)}" if self.baselines else "all pairs"
        return f"Comparison({len(self.systems)} systems, {against}, {self.test})"

    def __str__(self) -> str:
        return self.to_text()

    def significant(self, row: Compared) -> bool:
        """Is the corrected p-value below alpha?"""
        return row.p_corrected < self.alpha

    def equivalent(self, row: Compared) -> bool:
        """Is the difference shown to be within the margin, by its corrected p-value?"""
        p = row.p_equivalent_corrected
        return p is not None and p < self.alpha

    def beaten(self) -> dict[tuple[str, str], list[str]]:
        """By (measure, system): the systems that are significantly worse, best first.

        Worse by the test's own effect: signed ranks may differ in sign from the mean.
        """
        out: dict[tuple[str, str], list[str]] = {
            (m, s): [] for m in self.measures for s in self.systems
        }
        for row in self.rows:
            if self.significant(row):
                wins = (row.effect > 0) != (row.measure in self.smaller)
                pair = (row.system, row.versus) if wins else (row.versus, row.system)
                out[row.measure, pair[0]].append(pair[1])
        place = {system: i for i, system in enumerate(self.systems)}
        return {key: sorted(found, key=place.__getitem__) for key, found in out.items()}

    def to_dict(self) -> dict[str, Any]:
        """Everything; numbers that are undefined or infinite are None."""
        beaten = self.beaten()
        return {
            "baselines": self.baselines,
            "margin": self.margin,
            "test": self.test,
            "correction": self.correction,
            "alpha": self.alpha,
            "samples": self.samples,
            "seed": self.seed,
            "effect": TESTS[self.test].effect,
            "interval": TESTS[self.test].interval,
            "settings": self.settings.to_dict(),
            "measures": self.measures,
            "mean": {
                system: {m: float(self.mean[i, s]) for i, m in enumerate(self.measures)}
                for s, system in enumerate(self.systems)
            },
            "beaten": {s: {m: beaten[m, s] for m in self.measures} for s in self.systems},
            "comparisons": self.table().to_dicts(),
            "notes": [note.to_dict() for note in self.notes],
        }

    def to_json(self) -> str:
        """What `to_dict` gives."""
        return json_text(self.to_dict())

    def table(self) -> Table:
        """A row per measure and pair, with the columns of `Compared` and every digit."""
        names = [f.name for f in fields(Compared)]
        names = names if self.margin is not None else names[:-2]
        return Table(names, [[getattr(row, name) for name in names] for row in self.rows])

    def to_csv(self, safe: bool = False) -> str:
        """A line per measure and pair, with full precision; `safe`: spreadsheets take no text for a
        formula."""
        return self.table().to_csv(safe)

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """A row per measure and pair, with the columns of `Compared`."""
        return self.table().to_frame(backend)

    def to_text(self, digits: int = 4) -> str:
        """A table against the baseline; without one means with marks, then the pairs if few."""
        from hungjury.report.comparison_text import text

        return text(self, digits)

    def to_latex(self, digits: int = 4) -> str:
        """The table against the baseline, or means with superscripts, as booktabs."""
        from hungjury.report.comparison_text import latex

        return latex(self, digits)

    def to_html(self, digits: int = 4) -> str:
        """The same table as HTML, under what was done."""
        from hungjury.report.comparison_text import printed

        return printed(self, digits).to_html()

    def _repr_html_(self) -> str:
        return self.to_html()

    def plot(self, measure: str | None = None) -> Plot:
        """Draw the differences by a measure with their intervals; significant ones in colour.

        Parameters
        ----------
        measure : str, optional
            One of `measures`; default: the first.
        """
        from hungjury.report.comparison_plots import draw_differences
        from hungjury.report.pictures import Plot

        return Plot(draw_differences(self, self.measures[0] if measure is None else measure))


def compare(
    scores: Scores,
    baseline: str | Sequence[str] | None = None,
    test: SignificanceTest = "t",
    correction: Multiplicity = "holm",
    *,
    alpha: float = 0.05,
    margin: float | None = None,
    samples: int = 10000,
    seed: int = 0,
) -> Comparison:
    """Test every system against baselines, or all pairs of systems, on each measure.

    Parameters
    ----------
    scores : Scores
        What `evaluate` gives.
    baseline : str or list of str, optional
        The systems to compare every other one with. Default: all pairs.
    test : {"t", "wilcoxon", "randomisation", "bootstrap"}
        Student's t, Wilcoxon's signed ranks, Fisher's randomisation (exact where `samples` covers
        all sign patterns), or Sakai's studentised bootstrap. All are paired by topic and two-sided.
    correction : {"holm", "bonferroni", "bh", "none"}
        Family-wise error (Holm, Bonferroni) or false discovery rate (Benjamini and Hochberg). The
        family is all comparisons on one measure.
    alpha : float
        Corrected p-values below it are significant; each interval has level 1 - alpha.
    margin : float, optional
        Also test whether systems are equivalent: whether their difference is within -margin to
        margin. These are two one-sided t-tests, whatever `test` is, corrected as a family of
        their own. "Not significant" alone does not show that systems are equally good.
    samples : int
        Resamples of randomisation and bootstrap.
    seed : int
        Random seed.

    Returns
    -------
    Comparison
        Differences, intervals, p-values, wins and losses, effect sizes.

    Notes
    -----
    Topics left out for one system are left out for all, with a note. Counts are compared by their
    sums. Geometric means and undefined values are refused.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=3, topics=10)
    >>> found = hj.compare(hj.evaluate(made.gold, made.runs, "AP"), baseline="system1")
    >>> len(found.rows)
    2
    """
    baselines = _names(baseline)
    _check(scores, baselines, test, correction, margin)
    check_seed(seed)
    values, kept, notes = common_values(scores)
    means = np.array([v.mean(axis=1) for v in values])
    smaller = scores.smaller or [False] * len(scores.measures)
    sign = -1.0 if smaller[0] else 1.0
    order = sorted(range(len(scores.systems)), key=lambda s: (-sign * means[0, s], s))
    one, other = _pairs(order, [scores.systems.index(name) for name in baselines])
    rows: list[Compared] = []
    for m, measure in enumerate(scores.measures):
        found = paired(
            _differences(values[m][one], values[m][other]),
            test,
            correction,
            alpha,
            samples,
            seed,
            margin,
        )
        if smaller[m]:
            found = found._replace(wins=found.losses, losses=found.wins)
        names = [(scores.systems[i], scores.systems[j]) for i, j in zip(one, other, strict=True)]
        rows += _rows(measure, names, means[m][one], means[m][other], found, kept[m])
    draws = TESTS[test].draws
    beyond = out_of_reach(test, correction, alpha, samples, len(one), min(kept))
    return Comparison(
        measures=scores.measures,
        systems=[scores.systems[s] for s in order],
        mean=means[:, order],
        rows=rows,
        baselines=baselines,
        test=test,
        correction=correction,
        alpha=alpha,
        samples=samples if draws else None,
        seed=seed if draws else None,
        counts=frozenset(
            m for m, a in zip(scores.measures, averages(scores), strict=True) if a == "sum"
        ),
        smaller=frozenset(m for m, less in zip(scores.measures, smaller, strict=True) if less),
        margin=margin,
        settings=scores.settings,
        notes=scores.notes
        + notes
        + ((Note("out-of-reach", len(one), beyond, about="result"),) if beyond else ()),
    )


def _names(baseline: str | Sequence[str] | None) -> list[str]:
    """Baselines, each once."""
    if baseline is None:
        return []
    return list(
        dict.fromkeys(
            [baseline]
            if isinstance(baseline, str) or not isinstance(baseline, Sequence)
            else baseline
        )
    )


def _check(
    scores: object,
    baselines: list[str],
    test: SignificanceTest,
    correction: Multiplicity,
    margin: float | None,
) -> None:
    """Complain about what cannot be compared, before any work."""
    if not isinstance(scores, Scores):
        raise InputError(
            f"expected Scores, got {type(scores).__name__}",
            code="not-scores",
            remedy="give what hungjury.evaluate(qrels, runs, measures) returns",
        )
    check_choice("test", test, get_args(SignificanceTest))
    check_choice("correction", correction, get_args(Multiplicity))
    if len(scores.systems) < 2:
        raise InputError(
            f"only one system, '{scores.systems[0]}'"
            if scores.systems
            else "no systems to compare",
            code="one-system",
            remedy="score the runs of at least two systems",
        )
    if margin is not None and not 0 < margin < math.inf:
        raise InputError(
            f"margin must be a positive number, got {margin!r}",
            code="bad-margin",
            remedy="give the largest difference that does not matter",
        )
    for baseline in baselines:
        if baseline in scores.systems:
            continue
        close = difflib.get_close_matches(str(baseline), scores.systems, n=1, cutoff=0.5)
        raise UnknownName(
            f"no system '{baseline}' for the baseline",
            remedy=f"did you mean '{close[0]}'?"
            if close
            else f"the systems are {few(scores.systems, 20)}",
        )
    if len(baselines) == len(scores.systems):
        raise InputError(
            "every system is a baseline",
            code="only-baselines",
            remedy="leave the baseline out to compare all pairs",
        )
    for measure, average in zip(scores.measures, averages(scores), strict=True):
        if average == "gmean":
            raise MeasureError(
                f"{measure} is a geometric mean: systems differ by a factor, not by a difference",
                code="geometric-mean",
                argument="measure",
                remedy="compare the measure it is a mean of, such as AP for GMAP",
            )


def _pairs(order: list[int], baselines: list[int]) -> tuple[list[int], list[int]]:
    """Systems to compare with systems: all others with each baseline, or the better of each pair
    first."""
    if baselines:
        others = [s for s in order if s not in baselines]
        return others * len(baselines), [b for b in baselines for _ in others]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _differences(one: Array, other: Array) -> Array:
    """[pair, topic]; what is rounding of the values is 0, so that it wins nothing."""
    out = one - other
    return np.where(np.abs(out) <= ROUNDING * np.maximum(np.abs(one), np.abs(other)), 0.0, out)


def _rows(
    measure: str, names: list[tuple[str, str]], one: Array, other: Array, found: Paired, topics: int
) -> list[Compared]:
    return [
        Compared(
            measure=measure,
            system=system,
            versus=versus,
            mean=float(one[i]),
            versus_mean=float(other[i]),
            difference=float(found.difference[i]),
            low=float(found.low[i]),
            high=float(found.high[i]),
            p=float(found.p[i]),
            p_corrected=float(found.corrected[i]),
            wins=int(found.wins[i]),
            ties=int(found.ties[i]),
            losses=int(found.losses[i]),
            effect=float(found.effect[i]),
            topics=topics,
            p_equivalent=None if found.equivalent is None else float(found.equivalent[i]),
            p_equivalent_corrected=(
                None if found.within_family is None else float(found.within_family[i])
            ),
        )
        for i, (system, versus) in enumerate(names)
    ]
