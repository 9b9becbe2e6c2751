"""Paired comparisons: p-values, intervals and effect sizes for each measure and pair of systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from hungjury.base.arrays import Array, Floats
from hungjury.base.choices import ComparisonPicture, Marks, Multiplicity, SignificanceTest
from hungjury.base.errors import Note, check_known
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, Table, in_report
from hungjury.data.reading.options import ScoreSettings
from hungjury.measures.scores import Scores
from hungjury.stats import multiple
from hungjury.stats import paired as stats
from hungjury.stats.multiple import Variance


class PairedTest(NamedTuple):
    """A test: how it is called, and its functions of differences [pair, topic].

    p also takes the number of samples and the seed; ends, before these, 1 minus the level. A test
    of all pairs at once, `together`, is a function of values [system, topic], 1 minus the level,
    samples and seed instead.
    """

    name: str
    p: Callable[[Floats, int, int], Any] = lambda d, *_: stats.t_test(d)
    ends: Callable[[Floats, float, int, int], Any] = lambda d, alpha, *_: stats.t_interval(d, alpha)
    effect_size: Callable[[Floats], Any] = stats.cohens_d
    effect: str = "d_z"
    interval: str = "of the same test"  # how the interval of the mean difference is made
    draws: bool = True
    together: Callable[[Floats, float, int, int], stats.Tested] | None = None


TESTS: dict[SignificanceTest, PairedTest] = {
    "t": PairedTest("Student's t", interval="Student's", draws=False),
    # Signed ranks say nothing about the mean; its interval is Student's here too.
    "wilcoxon": PairedTest(
        "Wilcoxon's signed ranks", lambda d, *_: stats.wilcoxon(d), effect_size=stats.rank_biserial,
        effect="rank-biserial", interval="Student's", draws=False,
    ),
    "randomisation": PairedTest(
        "Fisher's randomisation", stats.randomisation_test, stats.randomisation_interval
    ),
    "bootstrap": PairedTest("Sakai's bootstrap", stats.bootstrap_test, stats.bootstrap_interval),
    "tukey": PairedTest(
        "Tukey's HSD", draws=False, together=lambda v, alpha, *_: multiple.tukey_test(v, alpha)
    ),
    "randomised-tukey": PairedTest(
        "randomised Tukey HSD",
        together=lambda v, alpha, samples, seed: multiple.randomised_tukey(v, samples, seed, alpha),
    ),
}  # fmt: skip
CORRECTIONS: dict[Multiplicity, Callable[[Floats], Floats]] = {
    "holm": multiple.holm,
    "bonferroni": multiple.bonferroni,
    "bh": multiple.benjamini_hochberg,
    "none": np.asarray,
}


class Testing(Record):
    """How pairs of systems are tested."""

    test: SignificanceTest
    correction: Multiplicity
    alpha: float
    margin: float | None  # smaller differences do not matter
    samples: int | None = field(default=None, kw_only=True)  # of the tests that draw
    seed: int | None = field(default=None, kw_only=True)


def paired(values: Floats, pairs: tuple[list[int], list[int]], asked: Testing) -> dict[str, Array]:
    """Test pairs of systems by values [system, topic]; the numbers of `Compared`, each an array
    [pair].

    All p-values are one family; those of equivalence are another.
    """
    how, correct, alpha = TESTS[asked.test], CORRECTIONS[asked.correction], asked.alpha
    samples, seed = asked.samples or 0, asked.seed or 0
    differences = _differences(values[pairs[0]], values[pairs[1]])
    mean = differences.mean(axis=-1)
    if how.together is None:
        p = how.p(differences, samples, seed)
        low, high = how.ends(differences, alpha, samples, seed)
        level = corrected_alpha(correct(p), asked.correction, alpha)
        ends = (low, high) if level == alpha else how.ends(differences, level, samples, seed)
    else:
        every, needed = how.together(values, alpha, samples, seed)
        square = np.ones((len(values), len(values)))
        square[np.triu_indices(len(values), 1)] = every
        p = np.minimum(square, square.T)[pairs]
        low, high = ends = (mean - needed, mean + needed)
    found = {
        "difference": mean,
        "low": low,
        "high": high,
        "low_corrected": ends[0],
        "high_corrected": ends[1],
        "p": p,
        "p_corrected": correct(p),
        "wins": (differences > 0).sum(axis=-1),
        "ties": (differences == 0).sum(axis=-1),
        "losses": (differences < 0).sum(axis=-1),
        "effect": how.effect_size(differences),
    }
    if asked.margin is not None:
        within = np.asarray(stats.equivalence_test(differences, asked.margin))
        family = correct if how.together is None else multiple.holm
        found |= {"p_equivalent": within, "p_equivalent_corrected": family(within)}
    return found


def corrected_alpha(corrected: Floats, correction: Multiplicity, alpha: float) -> float:
    """Return 1 minus the level of intervals that exclude 0 where corrected p-values are below
    alpha, and nowhere else.

    Of m tests, r significant: alpha / m for Bonferroni, whose intervals hold together; for Holm
    alpha / (m - r), that of its last step; for Benjamini and Hochberg r alpha / m, at which the
    expected share of significant differences outside their intervals is at most alpha (Benjamini
    and Yekutieli 2005).
    """
    tests, found = len(corrected), int((corrected < alpha).sum())
    return {
        "none": alpha,
        "bonferroni": alpha / tests,
        "holm": alpha / max(tests - found, 1),
        "bh": alpha * max(found, 1) / tests,
    }[correction]


ROUNDING = 1e-12  # of values on one topic: smaller differences are ties


def _differences(one: Floats, other: Floats) -> Floats:
    """[pair, topic]: differences; those within rounding error are set to 0 and count as ties."""
    out = one - other
    return np.where(np.abs(out) <= ROUNDING * np.maximum(np.abs(one), np.abs(other)), 0.0, out)


def out_of_reach(asked: Testing, comparisons: int, topics: int) -> str:
    """The reason why no comparison could be significant, if there is one.

    Tests that count sign patterns have a smallest p-value, that of all topics on one side; tests
    that draw samples have 1 / (samples + 1).
    """
    test, alpha, samples = asked.test, asked.alpha, asked.samples
    family = comparisons if asked.correction in ("holm", "bonferroni") else 1
    corrected = f" corrected by {asked.correction} for {comparisons:,} comparisons" * (family > 1)
    if test in ("randomisation", "wilcoxon") and family * 2.0 ** (1 - topics) >= alpha:
        return (
            f"{topics} topics are too few for p-values below {alpha:g} by {test}{corrected}; "
            "nothing can be significant"
        )
    if samples is not None and family / (samples + 1) >= alpha:
        return (
            f"{samples:,} samples are too few for p-values below {alpha:g}{corrected}; "
            f"nothing can be significant with less than {math.floor(family / alpha):,}"
        )
    return ""


class Compared(Record):
    """Two systems compared by one measure; differences are system minus `versus`."""

    measure: str
    system: str
    versus: str
    mean: float
    versus_mean: float
    difference: float
    low: float  # the ends of the interval of the difference, this comparison taken alone
    high: float
    low_corrected: float  # those that exclude 0 where the corrected p-value is below alpha
    high_corrected: float
    p: float
    p_corrected: float
    wins: int  # topics where the system has the better value
    ties: int
    losses: int
    effect: float
    topics: int
    chance: float | None = None  # P(the system is better) where labels were drawn
    p_equivalent: float | None = None  # of a difference beyond the margin, where one is given
    p_equivalent_corrected: float | None = None


_AS_THEY_ARE = ("baselines", "measures", "margin", "family", "test", "correction", "alpha",
                "samples", "seed")  # fmt: skip


class Comparison(Testing, Result, eq=False):
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
    mean: Floats
    rows: list[Compared]
    baselines: list[str]
    counts: frozenset[str] = frozenset()  # measures that are summed over topics
    smaller: frozenset[str] = frozenset()  # measures that are better when smaller
    family: int = 0  # comparisons by one measure that p-values are corrected for
    anova: dict[str, list[Variance]] = field(default_factory=dict)  # by measure, for Tukey's HSD
    scores: Scores = field(kw_only=True)  # what was compared
    settings: ScoreSettings = field(default_factory=ScoreSettings)
    notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __repr__(self) -> str:
        against = f"baseline {', '.join(self.baselines)}" if self.baselines else "all pairs"
        return f"Comparison({len(self.systems)} systems, {against}, {self.test})"

    @property
    def by_labels(self) -> bool:
        """Say whether rows have the chance that a system is better under uncertain labels."""
        return any(row.chance is not None for row in self.rows)

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
        """All fields; undefined and infinite numbers are None."""
        beaten = self.beaten()
        return {
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
            "anova": {m: [row._asdict() for row in rows] for m, rows in self.anova.items()},
            "effect": TESTS[self.test].effect,
            "interval": TESTS[self.test].interval,
            "settings": self.settings.to_dict(),
            "mean": {
                system: {m: float(self.mean[i, s]) for i, m in enumerate(self.measures)}
                for s, system in enumerate(self.systems)
            },
            "beaten": {s: {m: beaten[m, s] for m in self.measures} for s in self.systems},
            "comparisons": self.table().to_dicts(),
            "notes": [note.to_dict() for note in self.notes],
        }

    def table(self) -> Table:
        """A row per measure and pair, with the columns of `Compared` and every digit."""
        names = [f.name for f in fields(Compared)]
        names = names if self.margin is not None else names[:-2]
        names = [name for name in names if name != "chance" or self.by_labels]
        return Table(names, [[getattr(row, name) for name in names] for row in self.rows])

    def select(self, systems: Sequence[str] | None = None, top: int | None = None) -> Comparison:
        """Return the comparisons of some systems; p-values stay corrected for all of them.

        Parameters
        ----------
        systems : sequence of str, optional
            The systems to show; baselines are always shown. Default: all.
        top : int, optional
            Of these, the best by the first measure.
        """
        for name in systems or ():
            check_known("system", name, self.systems)
        others = [s for s in self.systems if s not in self.baselines]
        asked = [s for s in others if systems is None or s in systems][:top]
        shown = {*asked, *self.baselines}
        places = [i for i, s in enumerate(self.systems) if s in shown]
        rows = [row for row in self.rows if row.system in shown and row.versus in shown]
        names = [self.systems[i] for i in places]
        return replace(self, systems=names, mean=self.mean[:, places], rows=rows)

    def compact(self, decimals: int = 3, marks: Marks | None = None, caption: str = "") -> Table:
        """Return the usual table of a paper: systems by measures, with marks of significance.

        The best system of each measure is bold, the second best underlined.

        Parameters
        ----------
        decimals : int
            Decimals of means.
        marks : {"dagger", "letters", "none"}, optional
            A superscript for each baseline that a system is significantly better than, in
            parentheses if it is worse: †, ‡, §, ¶, ∥ or letters. Without baselines, the letters of
            the systems that it is significantly better than. Default: daggers for up to five
            baselines.
        caption : str
            Your own words, before the test, its correction and level, which are always stated.

        Returns
        -------
        Table
            Its methods write LaTeX, Markdown, HTML, CSV and text.

        Examples
        --------
        >>> import hungjury as hj
        >>> made = hj.simulate(systems=3, topics=10)
        >>> found = hj.compare(hj.evaluate(made.gold, made.runs, "AP"), baseline="system3")
        >>> found.compact(caption="Results.").columns
        ['system', 'AP']
        """
        table: Table = in_report("comparison.compact_table")(self, decimals, marks, caption)
        return table

    def to_text(self, digits: int = 4) -> str:
        """Write a table against the baseline; without one, means with marks, and the pairs if
        they are few."""
        return str(in_report("comparison.comparison_text")(self, digits))

    def to_latex(self, digits: int = 4) -> str:
        """Write the table against the baseline, or means with superscripts, as booktabs."""
        return str(in_report("comparison.comparison_latex")(self, digits))

    def to_html(self, digits: int = 4) -> str:
        """Write the same table as HTML, with a caption."""
        return str(in_report("comparison.comparison_table")(self, digits).to_html())

    def to_markdown(self, digits: int = 4) -> str:
        """Write the same table as Markdown, below a caption."""
        return str(in_report("comparison.comparison_table")(self, digits).to_markdown())

    def plot(self, measure: str | None = None, what: ComparisonPicture = "differences") -> Plot:
        """Draw the differences by a measure; significant ones in colour.

        Parameters
        ----------
        measure : str, optional
            One of `measures`; default: the first.
        what : {"differences", "topics"}
            Mean differences with their corrected intervals, which exclude 0 where a difference is
            significant; or the differences on all topics, sorted, for the first six pairs.
        """
        return self._drawn("board_plots.draw_comparison", measure or self.measures[0], what)
