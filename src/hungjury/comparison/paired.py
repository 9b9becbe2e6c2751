"""Paired comparisons: p-values, intervals and effect sizes for each measure and pair of systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import Multiplicity, SignificanceTest
from hungjury.base.errors import Note
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, in_report
from hungjury.base.tables import Table
from hungjury.data.reading.options import ScoreSettings
from hungjury.stats import multiple
from hungjury.stats import paired as stats


class PairedTest(NamedTuple):
    """A test: how it is called, and its functions of differences [pair, topic].

    p also takes the number of samples and the seed; ends, before these, 1 minus the level.
    """

    name: str
    p: Callable[[Floats, int, int], Any]
    ends: Callable[[Floats, float, int, int], tuple[Any, Any]]
    effect_size: Callable[[Floats], Any] = stats.cohens_d
    effect: str = "d_z"
    interval: str = "of the same test"  # how the interval of the mean difference is made
    draws: bool = True


def _student(differences: Floats, alpha: float, *_: int) -> tuple[Any, Any]:
    return stats.t_interval(differences, alpha)


TESTS: dict[SignificanceTest, PairedTest] = {
    "t": PairedTest(
        "Student's t", lambda d, *_: stats.t_test(d), _student, interval="Student's", draws=False
    ),
    # Signed ranks say nothing about the mean; its interval is Student's here too.
    "wilcoxon": PairedTest(
        "Wilcoxon's signed ranks", lambda d, *_: stats.wilcoxon(d), _student, stats.rank_biserial,
        "rank-biserial", "Student's", draws=False,
    ),
    "randomisation": PairedTest(
        "Fisher's randomisation", stats.randomisation_test, stats.randomisation_interval
    ),
    "bootstrap": PairedTest("Sakai's bootstrap", stats.bootstrap_test, stats.bootstrap_interval),
}  # fmt: skip
CORRECTIONS: dict[Multiplicity, Callable[[Floats], Floats]] = {
    "holm": multiple.holm,
    "bonferroni": multiple.bonferroni,
    "bh": multiple.benjamini_hochberg,
    "none": np.asarray,
}


def paired(
    differences: Floats,
    test: SignificanceTest,
    correction: Multiplicity,
    alpha: float,
    samples: int,
    seed: int,
    margin: float | None = None,
) -> dict[str, NDArray[Any]]:
    """Test differences [pair, topic]; the numbers of `Compared`, each an array [pair].

    All p-values are one family; those of equivalence are another.
    """
    how, correct = TESTS[test], CORRECTIONS[correction]
    p, (low, high) = how.p(differences, samples, seed), how.ends(differences, alpha, samples, seed)
    found = {
        "difference": differences.mean(axis=-1),
        "low": low,
        "high": high,
        "p": p,
        "p_corrected": correct(p),
        "wins": (differences > 0).sum(axis=-1),
        "ties": (differences == 0).sum(axis=-1),
        "losses": (differences < 0).sum(axis=-1),
        "effect": how.effect_size(differences),
    }
    if margin is not None:
        within = np.asarray(stats.equivalence_test(differences, margin))
        found |= {"p_equivalent": within, "p_equivalent_corrected": correct(within)}
    return found


def out_of_reach(
    test: SignificanceTest,
    correction: Multiplicity,
    alpha: float,
    samples: int,
    comparisons: int,
    topics: int,
) -> str:
    """The reason why no comparison could be significant, if there is one.

    Tests that count sign patterns have a smallest p-value, that of all topics on one side; tests
    that draw samples have 1 / (samples + 1).
    """
    family = comparisons if correction in ("holm", "bonferroni") else 1
    corrected = f" corrected by {correction} for {comparisons:,} comparisons" * (family > 1)
    if test in ("randomisation", "wilcoxon") and family * 2.0 ** (1 - topics) >= alpha:
        return (
            f"{topics} topics are too few for p-values below {alpha:g} by {test}{corrected}; "
            "nothing can be significant"
        )
    if test in ("randomisation", "bootstrap") and family / (samples + 1) >= alpha:
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
    p: float
    p_corrected: float
    wins: int  # topics where the system has the better value
    ties: int
    losses: int
    effect: float
    topics: int
    p_equivalent: float | None = None  # of a difference beyond the margin, where one is given
    p_equivalent_corrected: float | None = None


class Comparison(Record, Result, eq=False):
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

    def table(self) -> Table:
        """A row per measure and pair, with the columns of `Compared` and every digit."""
        names = [f.name for f in fields(Compared)]
        names = names if self.margin is not None else names[:-2]
        return Table(names, [[getattr(row, name) for name in names] for row in self.rows])

    def to_text(self, digits: int = 4) -> str:
        """Write a table against the baseline; without one, means with marks, and the pairs if
        they are few."""
        return str(in_report("comparison.comparison_text")(self, digits))

    def to_latex(self, digits: int = 4) -> str:
        """Write the table against the baseline, or means with superscripts, as booktabs."""
        return str(in_report("comparison.comparison_latex")(self, digits))

    def to_html(self, digits: int = 4) -> str:
        """Write the same table as HTML, with a caption."""
        return str(in_report("comparison.comparison_html")(self, digits))

    def plot(self, measure: str | None = None) -> Plot:
        """Draw the differences by a measure with their intervals; significant ones in colour.

        Parameters
        ----------
        measure : str, optional
            One of `measures`; default: the first.
        """
        return self._drawn("board_plots.draw_differences", measure or self.measures[0])
