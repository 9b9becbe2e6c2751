"""A comparison as text, LaTeX and HTML."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hungjury.base.notes import plural
from hungjury.base.tables import Cell, Marked, Table
from hungjury.base.text import columns, latex_table, letter, tex
from hungjury.comparison.paired import TESTS

if TYPE_CHECKING:
    from hungjury.comparison.paired import Compared, Comparison

MOST_PAIRS = 15  # more pairs are listed only by to_csv and to_frame
ALPHABET = 26  # further systems get a letter and a number
SMALLEST_P = 0.0001


def comparison_text(found: Comparison, digits: int) -> str:
    """A caption, then the tables."""
    pairs = len(found.rows) // len(found.measures)
    listed = bool(found.baselines) or pairs <= MOST_PAIRS
    parts = ["\n".join(_explained(found, listed))]
    if not found.baselines:
        parts.append(columns(_mark_cells(found, digits), left=2))
    if listed:
        parts.append(columns(_difference_cells(found, digits), left=2))
    else:
        parts.append(
            f"The differences, intervals and p-values of all {pairs:,} pairs are in the CSV "
            "(--format csv, to_csv()), JSON and frames."
        )
    return "\n\n".join(parts)


def latex(found: Comparison, digits: int) -> str:
    """One booktabs table, with the caption as comments above it."""
    head = "".join(
        f"% {' '.join(line.split())}\n" for line in _explained(found, bool(found.baselines))
    )
    if not found.baselines:
        return head + replace(rounded_comparison(found, digits), caption="").to_latex()
    header, *rows = _difference_cells(found, digits)
    return head + latex_table([tex(h) for h in header], [_latex_row(row) for row in rows], left=2)


def rounded_comparison(found: Comparison, digits: int) -> Table:
    """Differences from the baseline; without one means, with the letters of those beaten."""
    caption = "; ".join(_explained(found, bool(found.baselines)))
    if found.baselines:
        header, *rows = _difference_cells(found, digits)
        return Table(header, rows, caption=caption, left=2)
    best = [
        mean.min() if measure in found.smaller else mean.max()
        for measure, mean in zip(found.measures, found.mean, strict=True)
    ]
    marks = {measure: _marks(found, measure) for measure in found.measures}
    lines: list[list[Cell]] = [[letter(s), name] for s, name in enumerate(found.systems)]
    for m, measure in enumerate(found.measures):
        for s, line in enumerate(lines):
            mean = formatted(found.mean[m, s], digits, measure in found.counts)
            bold = bool(np.isclose(found.mean[m, s], best[m]))
            line.append(Marked(mean, marks[measure][s], bold, raised=True))
    return Table(["", "system", *found.measures], lines, caption=caption, left=2)


def _explained(found: Comparison, intervals: bool) -> list[str]:
    """The caption: test, family of comparisons and intervals."""
    how = TESTS[found.test]
    topics = sorted({row.topics for row in found.rows})
    over = plural(topics[0], "topic") if len(topics) == 1 else f"{topics[0]} to {topics[-1]} topics"
    drawn = f", at most {found.samples:,} samples, seed {found.seed}" if how.draws else ""
    against = f"against {', '.join(found.baselines)}" if found.baselines else "all pairs"
    tests = plural(len(found.rows) // len(found.measures), "comparison")
    family = (
        "p-values are not corrected"
        if found.correction == "none"
        else f"p corrected by {found.correction} over the {tests} of a measure"
    )
    marks = (
        f"letters: systems that are significantly worse, p < {found.alpha:g}"
        if not found.baselines
        else f"*: p < {found.alpha:g}; W/T/L: topics won, tied, lost"
    )
    return [
        f"{against}; {how.name} test, two-sided, paired over {over}{drawn}",
        f"{family}; intervals ({how.interval}) are of one difference alone"
        if intervals
        else family,
        marks,
        *_equivalence(found),
    ]


def _equivalence(found: Comparison) -> list[str]:
    if found.margin is None:
        return []
    return [
        f"p within ±{found.margin:g}: two one-sided t tests, corrected likewise; "
        f"=: equivalent, p < {found.alpha:g}"
    ]


def _level(found: Comparison) -> str:
    return f"{100 * (1 - found.alpha):g} %"


def _difference_cells(found: Comparison, digits: int) -> list[list[str]]:
    """A line per comparison; the baseline's own line comes first for each measure."""
    corrected = "p" if found.correction == "none" else f"p ({found.correction})"
    effect = TESTS[found.test].effect
    rows = [["measure", "system", "mean", "difference", f"{_level(found)} interval", "p",
             corrected, *_within(found), "W/T/L", effect]]  # fmt: skip
    if not found.baselines:
        rows[0][2] = "versus"
    for measure in found.measures:
        count, start = measure in found.counts, len(rows)
        mine = [row for row in found.rows if row.measure == measure]
        above = ""
        for row in mine:
            if found.baselines and row.versus != above:
                above = row.versus
                name = above if len(found.baselines) == 1 else f"{above} (baseline)"
                mean = formatted(row.versus_mean, digits, count)
                rows.append(["", name, mean, *[""] * (len(rows[0]) - 3)])
            third = row.versus if not found.baselines else formatted(row.mean, digits, count)
            rows.append(["", row.system, third, *_numbers(found, row, digits, count)])
        rows[start][0] = measure
    return rows if found.correction != "none" else [[*r[:5], *r[6:]] for r in rows]


def _equivalent(found: Comparison, row: Compared) -> list[str]:
    p = row.p_equivalent_corrected
    return [] if p is None else [_p(p) + ("=" if found.equivalent(row) else " ")]


def _within(found: Comparison) -> list[str]:
    """The heading of the equivalence test, if there was one."""
    return [] if found.margin is None else [f"p within ±{found.margin:g}"]


def _numbers(found: Comparison, row: Compared, digits: int, count: bool) -> list[str]:
    ends = [formatted(end, 1 if count else digits, False, "+") for end in (row.low, row.high)]
    return [
        formatted(row.difference, digits, count, "+"),
        f"[{ends[0]}, {ends[1]}]",
        _p(row.p),
        _p(row.p_corrected) + ("*" if found.significant(row) else " "),
        *_equivalent(found, row),
        f"{row.wins}/{row.ties}/{row.losses}",
        formatted(row.effect, 2, False, "+"),
    ]


def formatted(value: float, digits: int, count: bool, sign: str = "") -> str:
    """Format a number: as an integer for counts, optionally with a sign."""
    return f"{value:{sign}.0f}" if count else f"{value:{sign}.{digits}f}"


def _p(value: float) -> str:
    return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.4f}"


def _mark_cells(found: Comparison, digits: int) -> list[list[str]]:
    """A line per system: its letter, name, and means with the letters of those it beats."""
    header = ["", "system"]
    table = [[letter(s), system] for s, system in enumerate(found.systems)]
    for m, measure in enumerate(found.measures):
        marks = _marks(found, measure)
        width = max(map(len, marks))
        header.append(measure + " " * (width + 1))
        for s, row in enumerate(table):
            mean = formatted(found.mean[m, s], digits, measure in found.counts)
            row.append(f"{mean} {marks[s].ljust(width)}")
    return [header, *table]


def _latex_row(row: list[str]) -> list[str]:
    """Names escaped, signs and infinity as mathematics."""
    numbers = []
    for cell in row[2:]:
        star = f"^{{{cell[-1]}}}" if cell.endswith(("*", "=")) else ""
        inside = cell.rstrip("*= ").replace("inf", r"\infty ")
        numbers.append(f"${inside}{star}$" if inside else "")
    return [tex(row[0]), tex(row[1]), *numbers]


def _marks(found: Comparison, measure: str) -> list[str]:
    """By system: the letters of the systems it beats, for superscripts."""
    place = {system: i for i, system in enumerate(found.systems)}
    beaten = found.beaten()
    many = len(found.systems) > ALPHABET
    out = []
    for system in found.systems:
        places = [place[other] for other in beaten[measure, system]]
        out.append(_ranges(places) if many else "".join(map(letter, places)))
    return out


def _ranges(places: list[int]) -> str:
    """Letters separated by commas; runs of three or more as first-last."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    parts = [
        f"{letter(run[0])}-{letter(run[-1])}" if len(run) > 2 else ",".join(map(letter, run))
        for run in runs
    ]
    return ",".join(parts)
