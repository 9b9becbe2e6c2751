"""A leaderboard in words and tables: what was measured, what may be concluded, what may not."""

from __future__ import annotations

import math

import numpy as np

from hungjury.base.errors import percent, plural
from hungjury.base.results import Cell, Table
from hungjury.base.text import columns, letter, neighbours, number_text, visible_line
from hungjury.judges.families import favour_text
from hungjury.leaderboard.board import BoardRow, Leaderboard, Ranking
from hungjury.leaderboard.correction import Correction, Interval
from hungjury.leaderboard.evidence import Outlook
from hungjury.leaderboard.panel_error import OVERRATED_BY, PEOPLE
from hungjury.leaderboard.score_board import ScoreBoard


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


def sentences(correction: Correction, digits: int) -> list[str]:
    """Say how the panel differs from people, and what more labels would give."""
    level = correction.level
    size = f"{abs(level[0]):.{digits}f}"
    side = f"{size} {'above' if level[0] > 0 else 'below'}" if float(size) else "the same as"

    def span(interval: Interval, digits: int, sign: str = "") -> str:
        ends = f"{interval[1]:{sign}.{digits}f} to {interval[2]:{sign}.{digits}f}"
        return f"{percent(correction.interval_level)} interval {ends}"

    out = [
        f"The panel's level is {side} people's ({span(level, digits, '+')})."
        if correction.level_known
        else "The level of people's scores is not yet known.",
        f"Correlation of panel and people over systems: {correction.correlation[0]:.2f} "
        f"({span(correction.correlation, 2)}); of their grades over labelled documents: "
        f"{correction.agreement[0]:.2f} ({span(correction.agreement, 2)}).",
    ]
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
    intervals = correction.level_known or correction.decides == "gold"
    if correction.covered is not None and intervals and not correction.covered.weak:
        out.append(f"{correction.covered}.")  # a note says it of weak ones
    if correction.looks:
        out.append(
            f"Looks at {', '.join(f'{n:,}' for n in correction.looks)} labels: differences have to "
            f"be {correction.stretch:.2f} times as large as at a single look. What is told apart "
            "now is settled; labelling may stop here."
        )
    return out


BAR = 24  # characters
# How often leaders were the best, by the upper end of their P(best), and of how many boards: of all
# systems, and above 0.6 of five random ones (docs/leaderboard.md).
BEST_RECORD = (
    (0.2, 0.40, 277),
    (0.4, 0.30, 210),
    (0.6, 0.22, 125),
    (0.8, 0.80, 3623),
    (1, 0.95, 3292),
)
HEIGHTS = "▁▂▃▄▅▆▇█"
MOST_BARS = 12
MOST_JUDGES = 30
MOST_COLLECTIONS = 6  # with columns of their own in a text
CAUSES = {  # of uncertainty, and what they mean
    "topics": ("which topics were asked", "other topics like these would give different means"),
    "labels": ("labels of single documents", "errors that differ from topic to topic"),
    "judges": ("errors that the judges share", "the same on all topics, such as leniency"),
    "learned": ("few double judgments", "others would give other probabilities of what users say"),
    "panel": ("people may rank differently", "errors of the whole panel about single systems"),
    "gold": ("documents that people did not label", "other documents might have been drawn"),
}


def headline(board: Leaderboard) -> str:
    """Return one line about what was measured."""
    settings, grades = board.settings, board.settings.labels.grades
    scale = f"grades {grades[0]}-{grades[-1]}" if grades else "probabilities"
    if settings.rel is not None:
        scale = f"relevant from grade {settings.rel}"
    judged = plural(settings.judges, "judge")
    if settings.families not in (0, settings.judges):  # families share a vote, and copies
        judged += f" with {plural(settings.families, 'vote')}"
    judged += f" merged by {board.merge}, {scale}, means on the {board.scale}'s scale"
    return (
        f"{board.measure} on {_topics(board)}: {plural(len(board.systems), 'system')}, "
        f"{plural(len(board.topics), 'topic')}, "
        + ("probabilities of one source" if board.as_given else judged)
        + ("" if board.correction is None else f", {_corrected_by(board.correction)}")
    )


def _topics(board: Leaderboard) -> str:
    return "topics like these" if board.target == "population" else "these topics"


def board_text(board: Leaderboard, digits: int) -> str:
    """Return a table with bars for intervals, followed by the sources of uncertainty."""
    low, high = float(board.low.min()), float(board.high.max())
    width = max(len("group"), *(len(row.letters) for row in board.rows()))
    interval = f"{percent(board.settings.level)} interval"
    header = ["", "system", "mean", interval, "", "best", "ranks", "group".ljust(width)]
    rows = []
    for place, row in enumerate(board.rows(), 1):
        mean, first, last, best, ranks = _rounded(row, digits)
        bar = _bar(row, low, high)
        name = row.system + " †" * (row.system in board.kin)
        rows.append([str(place), name, mean, f"{first}-{last}", bar, best, ranks,
                     row.letters.ljust(width)])  # fmt: skip
    table = columns([header, *rows], left=2)
    return "\n".join([headline(board), "", table, "", *_below(board, digits)])


def rounded_board(board: Ranking, level: float, digits: int) -> Table:
    """Return a row per system with rounded numbers, for LaTeX and HTML."""
    header = ["system", f"{board.measure}, mean", f"{percent(level)} interval", "P(best)", "ranks",
              "groups"]  # fmt: skip
    rows = []
    for row in board.rows():
        mean, low, high, best, ranks = _rounded(row, digits)
        ranks = ranks.replace("-", "\N{EN DASH}")
        rows.append([row.system, mean, f"[{low}, {high}]", best, ranks, row.letters])
    return Table(header, rows, left=1)


def rounded_score_board(board: ScoreBoard, digits: int) -> Table:
    """Return a row per system with rounded numbers; with a few collections, also the mean, P(best)
    and groups on each."""
    table = rounded_board(board, board.level, digits)
    if len(board.parts) < 2:
        return table
    told = board.table().to_dicts()
    counts = {"wins": "{:d}", "mean_rank": "{:.1f}", "borda": "{:g}"}
    header = [*table.columns, "wins", "mean rank", "Borda"]
    rows = [
        [*row, *(form.format(of[name]) for name, form in counts.items())]
        for row, of in zip(table.rows, told, strict=True)
    ]
    if len(board.parts) <= MOST_COLLECTIONS:  # otherwise a line would be too long
        for name, part in board.parts.items():
            header.append(name)
            found = {one.system: one for one in part.rows()}
            for row in rows:
                one = found[str(row[0])]
                row.append(f"{one.mean:.{digits}f} {percent(one.p_best)} {one.letters}")
    return Table(header, rows, left=1)


def _rounded(row: BoardRow, digits: int) -> list[str]:
    """Return mean, ends of the interval, chance to be the best, and ranks."""
    low, high = row.rank_low, row.rank_high
    numbers = [number_text(value, digits) for value in (row.mean, row.low, row.high)]
    return [*numbers, percent(row.p_best), str(low) if low == high else f"{low}-{high}"]


def assumed(board: Leaderboard) -> list[str]:
    """Return what is assumed about the panel's error, and what families and kin would change."""
    found = board.assumed
    if found is None and board.as_given:
        return ["The probabilities are taken as true, and documents as independent."]
    if found is None:
        return ["Panel error 0: this is the panel's own view, not that of people."]
    judges, families = board.settings.judges, found.families
    of = "one LLM" if families == 1 else f"{families} LLMs or kinds of people"
    of = "one judge is" if judges == 1 else f"judges of {of} are"
    out = [
        f"Assumed: people label documents as they usually do after such votes, and {of} off by "
        f"{found.tau:g} of the measure's range for a typical system, beyond a level that all share."
    ]
    pairs = [step.pairs or 0 for step in board.steps if "families" in step.text]
    if pairs:
        out.append(f"If the judges are of different LLMs, declare it: {pairs[0]:,} pairs of "
                   f"systems would be told apart instead of {board.pairs_apart:,}.")  # fmt: skip
    elif judges > 1 and families == 1:
        out.append("Judges of different LLMs err less together: declare them as families, if any.")
    if board.kin:
        out.append(
            f"{plural(len(board.kin), 'system')} built on LLMs like the judges, marked †: assumed "
            f"to be over-rated by {found.overrated:g} ± {OVERRATED_BY:g} of the range, and each by "
            f"± {OVERRATED_BY:g} of its own; otherwise {found.undeclared:,} pairs would be told "
            "apart."
        )
    else:
        out.append("Systems built on LLMs should be declared: LLM judges over-rate them (--kin).")
    return out


def best_record(board: Leaderboard) -> str:
    """Return how often leaders with this P(best) were the best on public collections."""
    chance = float(board.p_best[0])
    upper, share, boards = next(row for row in BEST_RECORD if chance <= row[0])
    span = f"{percent(upper - 0.2)} to {percent(upper)}"
    share_of = f"{percent(share)} of {boards:,} boards"
    return f"On public collections leaders with a P(best) of {span} were the best in {share_of}."


def next_step(board: Leaderboard) -> str:
    """Return what would help most, with its expected effect."""
    if not board.steps:
        return "Next: nothing more to do: gold labels of the whole pool."
    step, effect = board.steps[0], ""
    if step.pairs is not None:
        more = step.pairs - board.pairs_apart
        effect = f": about {plural(more, 'more pair')} of systems would be told apart"
    return f"Next: {step.text}{effect}."


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
    if not _concludes(board):
        lines.append(
            "No pair of systems is told apart, because the panel agrees poorly with gold labels: "
            "look into the judges, or estimate from planned gold labels alone."
        )
    elif systems > 1:
        told = f"{board.pairs_apart:,} of {plural(systems * (systems - 1) // 2, 'pair')} of systems"
        lines.append(f"{told} can be told apart: {board.rule}. "
                     "Those that share a group letter cannot.")  # fmt: skip
    made = ", ".join(f"{percent(share)} {CAUSES[name][0]}" for name, share in board.shares.items())
    of = "a difference" if systems > 1 else "a mean"
    if any(board.shares.values()):
        lines.append(f"The uncertainty of {of} comes from: {made}.")
    if board.scale == "panel" and not board.as_given:
        said = "Means and intervals are on the panel's scale"
        lines.append(f"{said}; they do not say what people would give.")
    if board.assumed is not None or board.correction is None:
        lines.append(" ".join(assumed(board)))
    if board.assumed is not None and systems > 1:
        lines.append(best_record(board))
    lines.append(coverage(board))
    if board.outlook is not None:
        lines += _outlook(board, board.outlook, digits)
    if board.correction is not None:
        lines += sentences(board.correction, digits)
    if board.favours:
        lines.append(favour_text(board.favours))
    if board.kin_overrated is not None:
        middle, low, high = board.kin_overrated
        lines.append(
            f"By gold labels, the panel over-rates kin by {middle:+.{digits}f} "
            f"({percent(board.settings.level)} interval {low:+.{digits}f} to {high:+.{digits}f})."
        )
    if board.gold is not None:
        lines += ["", *_gold(board, digits)]
    return [*lines, next_step(board)]


def _outlook(board: Leaderboard, ahead: Outlook, digits: int) -> list[str]:
    """Return the precision with other numbers of topics and judges."""
    scale = " on the panel's scale" if board.scale == "panel" and not board.as_given else ""
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
    judges = [row for row in gold.rows if row.kind == "judge"]
    listed = judges[:MOST_JUDGES] + [row for row in gold.rows if row.kind != "judge"]
    rows: list[list[Cell]] = [
        [row.name, row.documents, *(number_text(v, digits) for v in (row.agreement, row.kappa,
         row.tau_ap))]
        for row in listed
    ]  # fmt: skip
    head = ["against gold", "documents", "agreement", "kappa", "tau_ap"]
    lines = [Table(head, rows, left=1).to_text()]
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


# Sentences of the report

SURE = 0.95
MOST_LEADERS = 5  # systems of which it is said what they are better than
MOST_NAMED = 6  # systems in one sentence

Sentence = list[str | tuple[str]]  # texts, and (name,) for an id


def letters(places: list[int], most: int = 3, dash: str = "–", between: str = "") -> str:
    """Return the letters of these places; runs of more than `most` neighbours as 'c–h'."""
    return between.join(
        f"{letter(first)}{dash}{letter(last)}" if last - first >= most
        else between.join(map(letter, range(first, last + 1)))
        for first, last in neighbours(places)
    )  # fmt: skip


def shown(text: str) -> str:
    """Return a name with invisible characters escaped."""
    return visible_line(text) or "(no name)"


def lead(board: Leaderboard, digits: int) -> dict[str, Sentence]:
    """Return the headline, and the sentences below it."""
    best = (shown(board.systems[0]),)
    level = percent(board.settings.level)
    where = f"{board.low[0]:.{digits}f} to {board.high[0]:.{digits}f}"
    panel = board.scale == "panel"
    whose = f"panel’s {level} interval" if panel else f"{level} interval"
    measured: Sentence = [
        best,
        f" has a {'panel ' if panel else ''}mean {board.measure} of {board.mean[0]:.{digits}f} "
        f"({whose} {where}).",
    ]
    if len(board.systems) == 1:
        measured.append(" Give at least two systems.")
    elif _concludes(board):
        chance = f" The chance that it is the best of the {len(board.systems):,} is "
        measured.append(f"{chance}{percent(float(board.p_best[0]))}")
        rival = 1 + int(np.argmax(board.p_best[1:]))
        share = float(board.p_best[rival])
        if share:
            measured += ["; for ", (shown(board.systems[rival]),), f" it is {percent(share)}"]
        measured.append(".")
    return {"head": _head(board, best), "below": measured}


def _head(board: Leaderboard, best: tuple[str]) -> Sentence:
    if len(board.systems) == 1:
        return ["Only one system, so there is nothing to compare: ", best]
    if not _concludes(board):
        return ["The panel agrees poorly with gold labels: nothing can be concluded"]
    near = _not_apart(board)
    equal = int((board.mean[1:] == board.mean[0]).sum())
    if equal:
        return [best, f" and {plural(equal, 'other system')} share the first place"]
    whose = ""
    if board.scale == "panel" and board.assumed is None:
        whose = " in the view of this panel"
    if not near:
        return [best, f" is better than every other system{whose}"]
    if board.p_best[0] >= SURE:
        return [best, f" is very likely the best of {len(board.systems):,}{whose}"]
    rest = "any other system"
    if len(near) == 1:
        return [best, " leads, but cannot be told apart from ", (shown(board.systems[near[0]]),)]
    if len(near) < len(board.systems) - 1:
        rest = f"{len(near):,} other systems"
    return [best, f" leads, but cannot be told apart from {rest}"]


def _not_apart(board: Leaderboard) -> list[int]:
    """Return places of the systems that cannot be told apart from the first."""
    return [s for s in range(1, len(board.systems)) if not board.apart[0, s]]


def conclusions(board: Leaderboard, digits: int) -> tuple[list[Sentence], list[Sentence]]:
    """Return sentences on what the reader may conclude, and on what not."""
    if not _concludes(board):
        assert board.correction is not None
        middle, low, high = board.correction.agreement
        why = (
            f"Who is better: grades of the panel and of people correlate by {middle:.2f} "
            f"({low:.2f} to {high:.2f}) on the documents that both labelled. Look into the judges, "
            "or estimate from planned gold labels alone."
        )
        return [], [[why], *_limits(board)]
    if len(board.systems) == 1:
        return [], _limits(board)
    return _may(board, digits), [*_open(board), *_limits(board)]


def _concludes(board: Leaderboard) -> bool:
    return board.correction is None or board.correction.concludes


def _may(board: Leaderboard, digits: int) -> list[Sentence]:
    """Say of the first systems which others they are better than."""
    whose = ", in the view of this panel" if board.scale == "panel" and not board.assumed else ""
    out: list[Sentence] = []
    systems = len(board.systems)
    for s in range(min(systems - 1, MOST_LEADERS)):
        worse = [i for i in range(s + 1, systems) if board.apart[s, i]]
        if not worse:
            continue
        start: Sentence = [
            f"On {_topics(board)}{whose}, " if not out else "",
            (shown(board.systems[s]),),
        ]
        rest: Sentence
        if len(worse) == systems - 1:
            rest = [" is better than every other system."]
        elif len(worse) == systems - 1 - s > 1:
            rest = [f" is better than all {len(worse):,} systems below it."]
        else:
            rest = [" is better than ", *_listed([board.systems[i] for i in worse]), "."]
        out.append(start + rest)
    if out and board.outlook is not None:
        gap = f"{board.outlook.difference:.{digits}f}"
        scale = " on the panel’s scale" if board.scale == "panel" else ""
        out.append([f"Smallest detectable difference between two systems: {gap}{scale}."])
    return out


def _listed(names: list[str]) -> Sentence:
    """Return the names, or the first of many."""
    few = names[:MOST_NAMED]
    out: Sentence = [part for name in few for part in (", ", (shown(name),))]
    more = [f" and {plural(len(names) - len(few), 'more system')}"] if names[MOST_NAMED:] else []
    return [*out[1:], *more]


def _open(board: Leaderboard) -> list[Sentence]:
    if all(len(group) == 1 for group in board.group_places):
        return []
    inside = "The order of systems inside a group that cannot be told apart: it may be chance."
    near = len(_not_apart(board))
    if not near or board.p_best[0] >= SURE:
        return [[inside]]
    return [
        [f"Who is best, the leader or one of the {plural(near, 'system')} close to it; and in "
         "general the order inside a group."]
    ]  # fmt: skip


def _limits(board: Leaderboard) -> list[Sentence]:
    beyond = "topics unlike these"
    if board.target != "population":
        beyond = "other topics: the uncertainty covers labels only"
    out: list[Sentence] = [[f"Anything about {beyond}."]]
    if board.scale == "panel":
        out.append(
            ["That people would give these means or differences: they are on the panel’s scale. ",
             " ".join(assumed(board))]
        )  # fmt: skip
    if board.correction is not None and board.correction.estimate == "model":
        out.append(
            ["That these are people’s means: it is not known how the documents with gold labels "
             "were chosen, and the model that corrects the panel may be wrong."]
        )  # fmt: skip
    return out
