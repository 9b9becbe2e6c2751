"""Comparisons and scores as text, LaTeX and HTML, and in trec_eval's format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from hungjury.base.choices import Marks
from hungjury.base.errors import Argument, InputError, plural
from hungjury.base.results import Cell, Marked, Table
from hungjury.base.text import columns, latex_table, letter, tex
from hungjury.comparison.paired import TESTS, Compared, Comparison
from hungjury.measures.catalogue import Measure, trec_name
from hungjury.measures.scores import Scores
from hungjury.report.board import letters


def topic_table(scores: Scores) -> str:
    """Return a line per system and topic, a column per measure; '-' where nothing is counted."""
    counted, shown = scores.counted(), list(scores.columns(per_topic=True))
    rows = [["system", "topic", *(name for _, name, _ in shown)]]
    for s, system in enumerate(scores.systems):
        for t, topic in enumerate(scores.topics):
            if not counted[:, s, t].any():
                continue
            cells = []
            for m, _, values in shown:
                text = "undefined" if np.isnan(values[s, t]) else f"{values[s, t]:.4f}"
                cells.append(text if counted[m, s, t] else "-")
            rows.append([system, topic, *cells])
    return columns(rows, left=2)


def trec_lines(scores: Scores, measures: list[Measure], per_topic: bool, summary: bool) -> str:
    """``name<TAB>topic<TAB>value``, name padded to 22 columns, topics in byte order."""
    names = [trec_name(m) for m in measures]
    counted, mean = scores.counted(), scores.mean()
    lines: list[str] = []
    if per_topic and summary:
        scores.check_summary()
    order = sorted(range(len(scores.topics)), key=lambda t: scores.topics[t].encode())
    for s, system in enumerate(scores.systems):
        if per_topic:
            for t in order:
                for m, measure in enumerate(measures):
                    if counted[m, s, t] and names[m] != "num_q" and measure.average != "gmean":
                        value = _shown(scores.values[m, s, t], measure)
                        lines.append(f"{names[m]:<22}\t{scores.topics[t]}\t{value}")
        if summary:
            lines.append(f"{'runid':<22}\tall\t{system}")
            for m, measure in enumerate(measures):
                lines.append(f"{names[m]:<22}\tall\t{_shown(mean[m, s], measure)}")
    return "\n".join(lines) + "\n"


def _shown(value: float, measure: Measure) -> str:
    return formatted(value, 4, measure.average == "sum" and value == np.rint(value))


MOST_PAIRS = 15  # more pairs are listed only by to_csv and to_frame
ALPHABET = 26  # further systems get a letter and a number
SMALLEST_P = 0.0001


def comparison_text(found: Comparison, digits: int) -> str:
    """Return a caption, then the tables."""
    pairs = len(found.rows) // len(found.measures)
    listed = bool(found.baselines) or pairs <= MOST_PAIRS
    parts = ["\n".join(_explained(found, listed))]
    if not found.baselines:
        parts.append(_means(found, digits).to_text())
    if listed:
        parts.append(_differences(found, digits).to_text())
    else:
        parts.append(
            f"The differences, intervals and p-values of all {pairs:,} pairs are in the CSV "
            "(--format csv, to_csv()), JSON and frames."
        )
    return "\n\n".join(parts)


def comparison_latex(found: Comparison, digits: int) -> str:
    """Return one booktabs table, with the caption as comments above it."""
    lines = _explained(found, bool(found.baselines))
    head = "".join(f"% {' '.join(line.split())}\n" for line in lines)
    if not found.baselines:
        return head + _means(found, digits).to_latex()
    table = _differences(found, digits)
    shape = "ll" + "r" * (len(table.columns) - 2)
    return head + latex_table(
        list(map(tex, table.columns)), map(_latex_row, table.printed()), shape
    )


def comparison_table(found: Comparison, digits: int) -> Table:
    """Return the same table with the caption above it."""
    caption = "; ".join(_explained(found, bool(found.baselines)))
    table = _differences(found, digits) if found.baselines else _means(found, digits)
    return replace(table, caption=caption)


DAGGERS = "†‡§¶∥"


def compact_table(found: Comparison, decimals: int, marks: Marks | None, caption: str) -> Table:
    """Return systems by measures, baselines first, with marks and a caption that explains them."""
    signs = _signs(found, marks)
    table = _means(found, decimals, signs, second=True)
    says = [caption.strip(), "; ".join(_test_words(found))]
    marked = [cell for row in table.rows for cell in row if isinstance(cell, Marked)]
    level = f"(p < {found.alpha:g})"
    if found.baselines and signs:
        names = ", ".join(f"{sign} {name}" for name, sign in signs.items())
        worse = "; in parentheses: worse" * any("(" in cell.mark for cell in marked)
        says.append(f"Significantly better {level} than {names}{worse}")
    elif signs:
        says.append(f"Letters: systems that are significantly worse {level}")
    says.append("Best in bold" + ", second best underlined" * any(cell.second for cell in marked))
    text = " ".join(f"{one.rstrip('.')}." for one in says if one)
    first = [row for row in table.rows if row[1] in found.baselines]
    rows = [*sorted(first, key=lambda row: found.baselines.index(str(row[1]))),
            *(row for row in table.rows if row[1] not in found.baselines)]  # fmt: skip
    head = table.columns
    if found.baselines or not signs:  # no letters to name the systems by
        head, rows = head[1:], [row[1:] for row in rows]
    return replace(
        table, columns=head, rows=rows, caption=text, left=len(head) - len(found.measures)
    )


def _signs(found: Comparison, marks: Marks | None) -> dict[str, str]:
    """By system: the sign of those that others may be marked as better than."""
    if marks == "none":
        return {}
    if not found.baselines and marks != "dagger":
        return {name: letter(s) for s, name in enumerate(found.systems)}
    if marks == "letters" or (marks is None and len(found.baselines) > len(DAGGERS)):
        return {name: letter(s) for s, name in enumerate(found.baselines)}
    if not 0 < len(found.baselines) <= len(DAGGERS):
        raise InputError(
            f"daggers mark 1 to {len(DAGGERS)} baselines, got {len(found.baselines)}",
            code="marks",
            remedy=("use", Argument("marks", "letters"), "or name the baselines"),
        )
    return dict(zip(found.baselines, DAGGERS, strict=False))


def _means(
    found: Comparison, digits: int, signs: Mapping[str, str] | None = None, second: bool = False
) -> Table:
    """Return a row per system: its letter, name, and means with the signs of those it beats, in
    parentheses of those that beat it if they are baselines; by default letters."""
    signs = {name: letter(s) for s, name in enumerate(found.systems)} if signs is None else signs
    beaten = found.beaten()
    rows: list[list[Cell]] = [[letter(s), name] for s, name in enumerate(found.systems)]
    formats = {}
    for m, measure in enumerate(found.measures):
        show = partial(formatted, digits=digits, count=measure in found.counts)
        sign = 1 if measure in found.smaller else -1
        # As printed: what looks the same is equally good.
        ranked = list(dict.fromkeys(show(v) for v in sorted(found.mean[m], key=lambda v: sign * v)))
        for row, name, mean in zip(rows, found.systems, found.mean[m].tolist(), strict=True):
            better = [sign for one, sign in signs.items() if one in beaten[measure, name]]
            worse = [signs[b] for b in found.baselines if b in signs and name in beaten[measure, b]]
            many = not found.baselines and len(found.systems) > ALPHABET
            places = [found.systems.index(one) for one in beaten[measure, name]] if many else []
            mark = letters(places, 2, "-", ",") if many and signs else "".join(better)
            mark += f"({''.join(worse)})" if worse else ""
            at = ranked.index(show(mean))
            row.append(Marked(mean, mark, at == 0, raised=True, second=second and at == 1))
        formats[measure] = show
    return Table(["", "system", *found.measures], rows, digits, formats, left=2)


def _test_words(found: Comparison) -> tuple[str, str]:
    """Return what was tested over which topics, and the family of comparisons."""
    how = TESTS[found.test]
    topics = sorted({row.topics for row in found.rows})
    over = plural(topics[0], "topic") if len(topics) == 1 else f"{topics[0]} to {topics[-1]} topics"
    drawn = f", at most {found.samples:,} samples, seed {found.seed}" if how.draws else ""
    family = f"p corrected by {found.correction} over the {{}} of a measure"
    if how.together:
        family = "p-values hold for all pairs of systems together"
    elif found.correction == "none":
        family = "p-values are not corrected"
    family = family.format(plural(found.family, "comparison"))
    shown = len(found.rows) // len(found.measures)
    if shown < found.family and not how.together:
        family += f", {shown:,} of them shown"
    return f"{how.name} test, two-sided, paired over {over}{drawn}", family


def _explained(found: Comparison, intervals: bool) -> list[str]:
    """Return the caption: test, family of comparisons and intervals."""
    how = TESTS[found.test]
    tested, family = _test_words(found)
    against = f"against {', '.join(found.baselines)}" if found.baselines else "all pairs"
    ends = "hold together" if how.together else "are of one difference alone"
    marks = (
        f"letters: systems that are significantly worse, p < {found.alpha:g}"
        if not found.baselines
        else f"*: p < {found.alpha:g}; W/T/L: topics won, tied, lost"
    )
    lines = [
        f"{against}; {tested}",
        f"{family}; intervals ({how.interval}) {ends}" if intervals else family,
        marks,
    ]
    for measure, rows in found.anova.items():
        each = "; ".join(
            f"{row.source} F({row.df}, {rows[-1].df}) = {row.f:.2f}, p {_p(row.p)}, partial omega² "
            f"{row.omega2:.2f}"
            for row in rows[:-1]
        )
        lines.append(f"analysis of variance of {measure}: {each}")
    if found.by_labels:
        lines.append("P(better): over uncertain labels, on exactly these topics; p: over topics")
    if found.margin is not None:
        lines.append(
            f"p within ±{found.margin:g}: two one-sided t tests, corrected likewise; "
            f"=: equivalent, p < {found.alpha:g}"
        )
    return lines


def _differences(found: Comparison, digits: int) -> Table:
    """Return a line per comparison; the baseline's own line comes first for each measure."""
    corrected = "p" if found.correction == "none" else f"p ({found.correction})"
    interval = f"{100 * (1 - found.alpha):g} % interval"
    within = [] if found.margin is None else [f"p within ±{found.margin:g}"]
    chance = ["P(better)"] if found.by_labels else []
    rows = [["measure", "system", "mean" if found.baselines else "versus", "difference", interval,
             "p", corrected, *within, *chance, "W/T/L", TESTS[found.test].effect]]  # fmt: skip
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
    header, *rows = rows if found.correction != "none" else [[*r[:5], *r[6:]] for r in rows]
    return Table(header, rows, digits, left=2)


def _numbers(found: Comparison, row: Compared, digits: int, count: bool) -> list[str]:
    ends = [formatted(end, 1 if count else digits, False, "+") for end in (row.low, row.high)]
    within = row.p_equivalent_corrected
    equal = "=" if found.equivalent(row) else " "
    return [
        formatted(row.difference, digits, count, "+"),
        f"[{ends[0]}, {ends[1]}]",
        _p(row.p),
        _p(row.p_corrected) + ("*" if found.significant(row) else " "),
        *([] if within is None else [_p(within) + equal]),
        *([] if not found.by_labels else ["" if row.chance is None else f"{row.chance:.3f}"]),
        f"{row.wins}/{row.ties}/{row.losses}",
        formatted(row.effect, 2, False, "+"),
    ]


def formatted(value: float, digits: int, count: bool, sign: str = "") -> str:
    """Format a number: as an integer for counts, optionally with a sign."""
    return f"{value:{sign}.0f}" if count else f"{value:{sign}.{digits}f}"


def _p(value: float) -> str:
    return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.4f}"


def _latex_row(row: list[str]) -> list[str]:
    """Return names escaped, signs and infinity as mathematics."""
    numbers = []
    for cell in row[2:]:
        star = f"^{{{cell[-1]}}}" if cell.endswith(("*", "=")) else ""
        inside = cell.rstrip("*= ").replace("inf", r"\infty ")
        numbers.append(f"${inside}{star}$" if inside else "")
    return [tex(row[0]), tex(row[1]), *numbers]
