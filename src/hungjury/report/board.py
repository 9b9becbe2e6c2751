"""A leaderboard as text and tables, with the sentences about its correction by gold labels."""

from __future__ import annotations

import math

from hungjury.base.errors import percent, plural
from hungjury.base.tables import Table
from hungjury.base.text import columns, number_text
from hungjury.leaderboard.board import BoardRow, Leaderboard, Outlook
from hungjury.leaderboard.correction import Correction, Interval
from hungjury.leaderboard.panel_error import MEASURED, PEOPLE


def _corrected_by(correction: Correction) -> str:
    """Return part of a headline: how the panel is corrected."""
    labels = plural(correction.labels, "gold label")
    how = {
        "exact": f"gold labels of the whole pool ({labels})",
        "model": f"corrected by a model of {labels}, chosen in an unknown way",
        "direct": f"by {labels} alone",
        "combined": f"corrected by {labels}",
    }[correction.estimate]
    return f"{how}; {correction.poor_agreement}" if correction.poor else how


def sentences(correction: Correction, digits: int = 3) -> list[str]:
    """Say how the panel differs from people, and what more labels would give."""
    level = correction.level
    side = "above" if level[0] > 0 else "below"

    def span(interval: Interval, digits: int, sign: str = "") -> str:
        ends = f"{interval[1]:{sign}.{digits}f} to {interval[2]:{sign}.{digits}f}"
        return f"{percent(correction.interval_level)} interval {ends}"

    out = [
        f"The panel's level is {abs(level[0]):.{digits}f} {side} people's "
        f"({span(level, digits, '+')})."
    ]
    out.append(
        f"Correlation of panel and people over systems: {correction.correlation[0]:.2f} "
        f"({span(correction.correlation, 2)}); of their grades over labelled documents: "
        f"{correction.agreement[0]:.2f} ({span(correction.agreement, 2)})."
    )
    if correction.slope is not None and correction.panel_error is not None:
        slope, error = correction.slope, correction.panel_error
        out.append(
            f"A difference of 1 by the panel is {slope[0]:.2f} by people ({span(slope, 2)}); "
            f"beyond that the panel is off by {error[0]:.3f} of the measure's range for a typical "
            f"system ({span(error, 3)}). Between two people this is about {PEOPLE:g}."
        )
    if correction.effective_judges is not None:
        out.append(
            f"Errors of the judges are correlated: they count as {correction.effective_judges:.1f} "
            "independent judges."
        )
    if correction.expected:
        now, *more = correction.expected
        out.append(
            f"Smallest detectable difference with {now[0]:,} labels: {now[1]:.{digits}f}."
            + (" With more labels: " if more else "")
            + ", ".join(f"{labels:,}: {size:.{digits}f}" for labels, size in more)
        )
    if correction.looks:
        out.append(
            f"Looks at {', '.join(f'{n:,}' for n in correction.looks)} labels: differences have to "
            f"be {correction.stretch:.2f} times as large as at a single look. What is told apart "
            "now is settled; labelling may stop here."
        )
    return out


BAR = 24  # characters
HEIGHTS = "▁▂▃▄▅▆▇█"
MOST_BARS = 12
MOST_JUDGES = 30
CAUSES = {  # of uncertainty, and what they mean
    "topics": ("which topics were asked", "other topics like these would give different means"),
    "labels": ("labels of single documents", "errors that differ from topic to topic"),
    "judges": ("errors that the judges share", "the same on all topics, such as leniency"),
    "panel": ("people may rank differently", "errors of the whole panel about single systems"),
    "gold": ("documents that people did not label", "other documents might have been drawn"),
}


def headline(board: Leaderboard) -> str:
    """Return one line about what was measured."""
    of = "topics like these" if board.target == "population" else "these topics"
    return (
        f"{board.measure} on {of}: {plural(len(board.systems), 'system')}, "
        f"{plural(len(board.topics), 'topic')}, {plural(board.settings.judges, 'judge')}"
        f"{_shared(board)} merged by {board.merge}, {_scale(board)}"
        + ("" if board.correction is None else f", {_corrected_by(board.correction)}")
    )


def _shared(board: Leaderboard) -> str:
    """Return the number of families, if judges share votes."""
    families = board.settings.families
    if families in (0, board.settings.judges):
        return ""
    return f" in {families} families" if families > 1 else " of one family"


def _scale(board: Leaderboard) -> str:
    """Return the scale of the labels."""
    grades = board.settings.labels.grades
    if board.settings.rel is not None:
        return f"relevant from grade {board.settings.rel}"
    return f"grades {grades[0]}-{grades[-1]}" if grades else "probabilities"


def board_text(board: Leaderboard, digits: int) -> str:
    """Return a table with bars for intervals, followed by the sources of uncertainty."""
    width = max(len("group"), *(len(row.letters) for row in board.rows()))
    cells = [["", "system", *_headings(board), "", "best", "ranks", "group".ljust(width)]]
    ends = float(board.low.min()), float(board.high.max())
    for place, row in enumerate(board.rows(), 1):
        name, mean, low, high, best, ranks, letters = _rounded(row, digits)
        cells.append([str(place), name, mean, f"{low}-{high}", _bar(row, *ends), best, ranks,
                      letters.ljust(width)])  # fmt: skip
    return "\n".join([headline(board), "", columns(cells, left=2), "", *_below(board, digits)])


def _rounded(row: BoardRow, digits: int) -> list[str]:
    """Return name, mean, low, high, P(best), ranks and groups as text."""
    numbers = [f"{value:.{digits}f}" for value in (row.mean, row.low, row.high)]
    ranks = "-".join(map(str, dict.fromkeys((row.rank_low, row.rank_high))))
    return [row.system, *numbers, percent(row.p_best), ranks, row.letters]


def _headings(board: Leaderboard) -> tuple[str, str]:
    """Headings of means and intervals, which name the panel if they are on its scale."""
    level = percent(board.settings.level)
    if board.scale == "panel":
        return "panel mean", f"panel's {level}"
    return "mean", f"{level} interval"


def assumed(board: Leaderboard) -> str:
    """Return the assumed panel error, and what is known about such errors."""
    size = board.settings.panel_error
    low, high = MEASURED
    known = (
        f"Measured on public collections: {low:g} to {high:g} for LLM panels, about {PEOPLE:g} "
        "between two people. The best systems are the hardest to order. Human labels measure the "
        "error."
    )
    if not size:
        return f"Panel error 0: this is the panel's own view, not that of people. {known}"
    return (
        f"Assumed: the panel is off by {size:g} of the measure's range for a typical system "
        f"(--panel-error), beyond a level that all share. {known}"
    )


def _bar(row: BoardRow, low: float, high: float) -> str:
    """Return the interval as a line, the mean as a dot, on a scale from `low` to `high`."""
    width = (high - low) or 1.0

    def place(value: float) -> int:
        return round((value - low) / width * (BAR - 1))

    first, last = place(row.low), place(row.high)
    line = [" "] * BAR
    line[first : last + 1] = "─" * (last + 1 - first)
    line[min(max(place(row.mean), 0), BAR - 1)] = "●"
    return "".join(line)


def _below(board: Leaderboard, digits: int) -> list[str]:
    """Return the sources of uncertainty, and what would reduce it."""
    lines = []
    systems = len(board.systems)
    if board.correction is not None and not board.correction.concludes:
        lines.append(
            "No pair of systems is told apart, because the panel agrees poorly with gold labels: "
            "look into the judges, or estimate from planned gold labels alone."
        )
    elif systems > 1:
        pairs = systems * (systems - 1) // 2
        separated = int(board.apart.sum()) // 2
        lines.append(
            f"{separated:,} of {pairs:,} pairs of systems can be told apart; those that share a "
            "group letter cannot."
        )
    made = ", ".join(f"{percent(share)} {CAUSES[name][0]}" for name, share in board.shares.items())
    of = "a difference" if systems > 1 else "a mean"
    lines.append(f"The uncertainty of {of} comes from: {made}.")
    if board.scale == "panel":
        lines.append(
            "Means and intervals are on the panel's scale; they do not say what people would give."
        )
        lines.append(assumed(board))
    lines.append(coverage(board))
    if board.outlook is not None:
        lines += _outlook(board, board.outlook, digits)
    if board.correction is not None:
        lines += sentences(board.correction, digits)
    if board.gold is not None:
        lines += ["", *_gold(board, digits)]
    return lines


def _outlook(board: Leaderboard, ahead: Outlook, digits: int) -> list[str]:
    """Return the precision with other numbers of topics and judges."""
    scale = " on the panel's scale" if board.scale == "panel" else ""
    lines = [f"Smallest detectable difference: {ahead.difference:.{digits}f}{scale}. It becomes:"]
    curves = (("topic", ahead.topics, len(board.topics)), ("judge", ahead.judges,
              board.settings.judges))  # fmt: skip
    for noun, curve, now in curves:
        more = [f"{value:.{digits}f} with {plural(n, noun)}" for n, value in curve if n != now]
        if more:
            lines.append("  " + ", ".join(more))
    if ahead.floor is not None:
        lines.append(f"  {ahead.floor:.{digits}f} with any number of topics and of judges of the "
                     "same kind: they share the panel error; human labels reduce it")  # fmt: skip
    return lines


def coverage(board: Leaderboard) -> str:
    """Return a histogram of labels per document; median and deciles if the numbers vary a lot."""
    counts = board.labels_per_document
    total = sum(counts.values())
    most = max(counts.values())
    if len(counts) > MOST_BARS:
        each = sorted(n for n, documents in counts.items() for _ in range(documents))
        low, middle, high = (each[int(q * (len(each) - 1))] for q in (0.1, 0.5, 0.9))
        return f"Labels per document: {middle} (from {low} to {high} for 8 in 10)."
    bars = [
        f"{n} {HEIGHTS[round((len(HEIGHTS) - 1) * documents / most)]} {percent(documents / total)}"
        for n, documents in counts.items()
    ]
    return f"Labels per document: {', '.join(bars)}."


def _gold(board: Leaderboard, digits: int) -> list[str]:
    gold = board.gold
    assert gold is not None
    rows = [["against gold", "documents", "agreement", "kappa", "tau_ap"]]
    judges = [row for row in gold.rows if row.kind == "judge"]
    shown = judges[:MOST_JUDGES] + [row for row in gold.rows if row.kind != "judge"]
    for row in shown:
        numbers = [number_text(v, digits) for v in (row.agreement, row.kappa, row.tau_ap)]
        rows.append([row.name, str(row.documents), *numbers])
    lines = [columns(rows)]
    if len(judges) > MOST_JUDGES:
        lines.append(f"and {len(judges) - MOST_JUDGES} more judges (--format json has all)")
    if gold.overall is not None:
        mean, low, high = gold.overall
        named = f"{percent(gold.level)} interval"
        ends = f" ({named} {low:+.{digits}f} to {high:+.{digits}f})" if math.isfinite(low) else ""
        lines.append(
            f"bias of the panel on {plural(len(gold.topics), 'gold topic')}, mean over systems: "
            f"{mean:+.{digits}f}{ends}"
        )
    if gold.relevant is not None:
        ours, theirs = map(percent, gold.relevant)
        lines.append(f"relevant documents: {ours} by the panel, {theirs} by gold")
    return lines


def rounded_board(board: Leaderboard, digits: int) -> Table:
    """Return a row per system with rounded numbers, for LaTeX and HTML."""
    mean, interval = _headings(board)
    header = ["system", f"{board.measure}, {mean}", interval, "P(best)", "ranks", "groups"]
    rows = []
    for row in board.rows():
        name, mean, low, high, best, ranks, letters = _rounded(row, digits)
        ranks = ranks.replace("-", "\N{EN DASH}")
        rows.append([name, mean, f"[{low}, {high}]", best, ranks, letters])
    return Table(header, rows, left=1)
