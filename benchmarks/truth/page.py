"""Tables and the picture of what was found, for people and for docs/leaderboard.md."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import put_into_page
from benchmarks.truth.boards import BEFORE, BINS, DECLARED, DEFAULT, POPULATION, Compared, Distance
from benchmarks.truth.people import CommonPairs
from benchmarks.truth.public import MEASURES
from benchmarks.truth.reliability import Reliability, pooled

PICTURE = "reliability.svg"
FEW_BOARDS = ("all", "5 random", "2 random")
TOP_BOARDS = ("top 10", "top 10, official")
KINDS = ("one judge", "one family", "two families", "three families or more")
TOPICS = ("all", "20", "10")
BEST = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # edges of P(best)
FAMILIES = ("irg_gpt-oss-120B", "irg_qwen3-80B", "irg_gpt-oss-20B", "irg_qwen3-30B")


Rows = list[tuple[str, Reliability]]


def tables(found: Sequence[Compared], people: CommonPairs) -> str:
    """All tables as markdown."""
    graded = [c for c in found if not c.binary]
    usual = [c for c in graded if c.way == DEFAULT.name]
    main = [c for c in usual if c.measure in MEASURES]
    whole = [c for c in main if c.asked == "all"]
    return "\n\n".join(
        [
            "### Is P(A beats B) right?",
            _caption(main),
            _reliability(_by_kind(main), "panels, topics"),
            "![reliability diagram](_static/reliability.svg)",
            "### By measure",
            "All panels, all topics, boards of all systems.",
            _reliability(_by_measure([c for c in usual if c.asked == "all"]), "measure"),
            "### By board",
            "Boards of all systems, of five and of two random ones, and of the ten systems that "
            "the panel ranks first, with later runs (`x_` runs of dl19) or without. LLM "
            "re-rankers are declared as kin in the rows that say so.",
            _reliability(_by_board(graded), "collection, board"),
            "### Binary judges",
            "Labels of 2 and more as relevant, those of judges and of NIST.",
            _reliability(_by_kind([c for c in found if c.binary]), "panels, topics"),
            "### Topics like these",
            'Boards of one half of the topics with `target="population"`, compared with NIST\'s '
            "labels of the other half, whose own chance makes some pairs look wrong.",
            _reliability(_by_kind([c for c in graded if c.way == POPULATION.name]), "panels"),
            "### Ranks and leaders",
            _leaders(graded),
            "### Before",
            "The same boards with label noise and 0.035 of the range for every panel.",
            _before(graded),
            "### How far panels are from people",
            "`error`: standard deviation over systems of panel mean minus NIST mean; `fitted`: "
            "after a linear fit; `level`: mean difference. Medians over panels.",
            _errors(whole),
            "### People as judges",
            _people(people),
            "### Expectation or mean grades",
            "τ_AP with NIST of boards scored by the expectation under the shares of votes, and of "
            "the measure on mean grades (for the other two measures both are the same).",
            _expectation(whole),
        ]
    )


def _caption(found: Sequence[Compared]) -> str:
    panels = len({(c.collection, c.panel) for c in found})
    cells = below = 0
    worst = 0.0
    for kind, asked, m in itertools.product(KINDS, TOPICS, MEASURES):
        for name in _names(found):
            mine = [c for c in found if (c.panel.kind, c.asked, c.measure, c.collection, c.board)
                    == (kind, asked, m, name, "all")]  # fmt: skip
            if not mine:
                continue
            one = pooled(mine)
            for edge, right in zip(BINS[2:-1], one.right[2:], strict=True):
                cells += not np.isnan(right)
                below += bool(right < edge)
                worst = max(worst, edge - right) if right < edge else worst
    return (
        f'{panels} random panels, boards of all systems, `target="topics"`, four measures '
        f"({', '.join(f'`{m}`' for m in MEASURES)}) and both collections together. Cells: the "
        "share of pairs that NIST orders the same way, its 95 % interval over panels in brackets, "
        "and the share of pairs in the bin. Taken one by one (kind of panel, topics, measure, "
        f"collection, bin from 0.9 on), {below} of {cells} cells are below the lower end of their "
        f"bin, by at most {worst:.3f}."
    )


def _by_kind(found: Sequence[Compared]) -> Rows:
    out: Rows = []
    for kind, asked in itertools.product(KINDS, (*TOPICS, "half")):
        mine = [c for c in found if (c.panel.kind, c.asked, c.board) == (kind, asked, "all")]
        if mine:
            out.append((f"{kind}, {asked} topics" if asked != "half" else kind, pooled(mine)))
    return out


def _by_measure(found: Sequence[Compared]) -> Rows:
    names = dict.fromkeys(c.measure for c in found)
    each = {m: [c for c in found if c.measure == m and c.board == "all"] for m in names}
    return [(f"`{m}`", pooled(mine)) for m, mine in each.items()]


def _by_board(found: Sequence[Compared]) -> Rows:
    out: Rows = []
    for name in _names(found):
        for board in FEW_BOARDS + TOP_BOARDS:
            for way, words in ((DEFAULT.name, ""), (DECLARED.name, ", kin declared")):
                mine = [c for c in found if (c.collection, c.board, c.way, c.asked)
                        == (name, board, way, "all") and c.measure in MEASURES]  # fmt: skip
                if mine and (board == "top 10" or not words):
                    out.append((f"{name}, {board}{words}", pooled(mine)))
    return out


def _leaders(found: Sequence[Compared]) -> str:
    """Rank intervals that cover, and leaders that were best by their P(best)."""
    mine = [c for c in found if c.way == DEFAULT.name and c.asked == "all"]
    systems, inside = np.array([c.ranks for c in mine if c.board == "all"]).sum(axis=0)
    lines = []
    for board in (*FEW_BOARDS, "top 10"):
        known = np.array([pair for c in mine if c.board == board for pair in c.best], dtype=float)
        row = []
        for low, high in itertools.pairwise(BEST):
            here = known[(known[:, 0] >= low) & ((known[:, 0] < high) | (high == 1))]
            row.append(f"{here[:, 1].mean():.2f} of {len(here)}" if len(here) else "–")
        lines.append([board, *row])
    head = ["board, P(best) of the leader", *(f"{a:g}–{b:g}" for a, b in itertools.pairwise(BEST))]
    return (
        f"Of {systems:,} rank intervals at 95 %, {inside / systems:.3f} contain the rank by NIST. "
        "How often the leader of a board was the best by NIST:\n\n" + _markdown(head, lines)
    )


def _before(found: Sequence[Compared]) -> str:
    lines = []
    for kind in KINDS:
        row = [kind]
        for way in (BEFORE.name, DEFAULT.name):
            mine = [c for c in found if (c.panel.kind, c.way, c.asked, c.board)
                    == (kind, way, "all", "all") and c.measure in MEASURES]  # fmt: skip
            if mine:
                one = pooled(mine)
                right = " ".join("–" if np.isnan(r) else f"{r:.3f}" for r in one.right[2:])
                row += [right, f"{one.sure:.0%}"]
        lines.append(row)
    head = ["panels", "before: right from 0.9, 0.95, 0.99", "P ≥ 0.95", "now", "P ≥ 0.95"]
    return _markdown(head, lines)


def _names(found: Sequence[Compared]) -> list[str]:
    return sorted({c.collection for c in found})


def _reliability(rows: Rows, head: str) -> str:
    bins = [f"{a:g}–{b:g}" for a, b in itertools.pairwise(BINS)]
    lines = []
    for label, found in rows:
        cells = [
            "–" if np.isnan(right) else f"{right:.3f} [{low:.2f}, {high:.2f}] {share:.0%}"
            for right, low, high, share in zip(
                found.right, found.low, found.high, found.share, strict=True
            )
        ]
        tau = "–" if np.isnan(found.tau_ap) else f"{found.tau_ap:.3f}"
        lines.append([label, *cells, f"{found.apart:.0%}", f"{found.wrong:.2%}", tau])
    return _markdown([head, *bins, "told apart", "wrong of these", "τ_AP"], lines)


def _errors(found: Sequence[Compared]) -> str:
    lines = []
    for name in _names(found):
        for m in MEASURES:
            mine = [c.distance for c in found if c.collection == name and c.measure == m
                    and c.distance is not None]  # fmt: skip
            lines.append([name, f"`{m}`", str(len(mine)), *_distance(mine)])
    return _markdown(["collection", "measure", "panels", "error", "fitted", "level", "τ_AP"], lines)


def _distance(found: Sequence[Distance]) -> list[str]:
    of: list[tuple[Callable[[Distance], float], str]] = [
        (lambda d: d.error, ".3f"), (lambda d: d.fitted, ".3f"), (lambda d: d.level, "+.3f"),
        (lambda d: d.tau_ap, ".3f"),
    ]  # fmt: skip
    return [format(float(np.median([get(d) for d in found])), form) for get, form in of]


def _people(common: CommonPairs) -> str:
    """nDCG@10 on the pairs that NIST and both second judges labelled, lists condensed to these."""
    name = "nDCG@10"
    labels = common.people.matrix()
    nist = common.mean(common.nist, name)
    both = np.mean([common.mean(row, name) for row in labels], axis=0)
    others = {"one second judge": labels[:1], "the other": labels[1:]}
    lines = []
    for who, rows in others.items():
        mine = common.mean(rows[0], name)
        lines.append([who, "NIST", *_distance([Distance.of(mine, nist)])])
    lines.append(["mean of both", "NIST", *_distance([Distance.of(both, nist)])])
    lines.append(["NIST", "mean of both", *_distance([Distance.of(nist, both)])])
    for family in FAMILIES:
        mine = common.by(common.family(family), name)
        short = family.removeprefix("irg_")
        lines.append([short, "NIST", *_distance([Distance.of(mine, nist)])])
        lines.append([short, "mean of both", *_distance([Distance.of(mine, both)])])
    table = _markdown(["labels of", "compared with", "error", "fitted", "level", "τ_AP"], lines)
    pairs, right, apart, wrong = common.reliable(common.people, nist, name)
    bins = ", ".join(
        f"{r / n:.3f} of {n} pairs from {edge:g}"
        for edge, n, r in zip(BINS, pairs, right, strict=False)
        if n
    )
    return (
        f"`{name}` on the {len(common.nist):,} documents of dl19 that NIST and both second human "
        "judges labelled, lists condensed to these. A board by the two second judges is right "
        f"about NIST's order in {bins}; {apart} told apart, {wrong} of them wrong.\n\n{table}"
    )


def _expectation(found: Sequence[Compared]) -> str:
    lines = []
    for name in _names(found):
        for m in MEASURES:
            mine = [c for c in found if (c.collection, c.measure) == (name, m)]
            pairs = [
                (c.distance.tau_ap, c.plain_tau_ap)
                for c in mine
                if c.distance is not None and not np.isnan(c.plain_tau_ap)
            ]
            if pairs:
                ours, plain = np.array(pairs).T
                error = (ours - plain).std(ddof=1) / np.sqrt(len(ours))
                lines.append([name, f"`{m}`", f"{ours.mean():.4f}", f"{plain.mean():.4f}",
                              f"{(ours - plain).mean():+.4f} ± {error:.4f}"])  # fmt: skip
    return _markdown(["collection", "measure", "expectation", "mean grades", "difference"], lines)


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]
    return "\n".join(lines)


def diagram(found: Sequence[Compared]) -> str:
    """The reliability diagram as SVG: what boards say against how often they are right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4.2))
    axes = figure.subplots()
    main = [c for c in found if c.board == "all" and c.asked == "all" and c.measure in MEASURES]
    for way, mark in ((BEFORE.name, "s--"), (DEFAULT.name, "o-")):
        for name in KINDS:
            mine = [c for c in main if c.way == way and c.panel.kind == name and not c.binary]
            if not mine:
                continue
            one = pooled(mine)
            middle = np.arange(len(one.right))
            off = np.stack([one.right - one.low, one.high - one.right])
            axes.errorbar(middle, one.right, np.nan_to_num(off), fmt=mark, capsize=3,
                          label=f"{name}, {way}", alpha=0.9)  # fmt: skip
    edges = np.array(BINS)
    for k, (low, high) in enumerate(itertools.pairwise(edges)):
        axes.fill_between([k - 0.45, k + 0.45], low, high, color="0.85", zorder=0)
    bins = [f"{a:g}–{b:g}" for a, b in itertools.pairwise(BINS)]
    axes.set_xticks(range(len(bins)), bins)
    axes.set_xlabel("P(A beats B), as the board says")
    axes.set_ylabel("share of pairs that NIST orders so")
    axes.set_ylim(0.4, 1.02)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    return re.sub(r"[ \t]+\n", "\n", out.getvalue())


def csv_of(found: Sequence[Compared]) -> str:
    """A row for every kind of board by every panel."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    bins = [f"{what} {edge:g}" for edge in BINS[:-1] for what in ("pairs", "right")]
    writer.writerow(["collection", "measure", "kind", "judges", "way", "board", "topics", "binary",
                     *bins, "apart", "wrong", "error", "fitted", "level", "tau_ap",
                     "plain_tau_ap"])  # fmt: skip
    for c in found:
        d = c.distance
        numbers = [n for pair in zip(c.pairs, c.right, strict=True) for n in pair]
        far = [""] * 4 if d is None else [d.error, d.fitted, d.level, d.tau_ap]
        writer.writerow([c.collection, c.measure, c.panel.kind, len(c.panel.judges), c.way,
                         c.board, c.asked, c.binary, *numbers, c.apart, c.wrong, *far,
                         c.plain_tau_ap])  # fmt: skip
    return out.getvalue()


def update(docs: Path, text: str, picture: str) -> None:
    """Write the tables between their marks, and the picture."""
    put_into_page(docs / "leaderboard.md", "truth", text)
    (docs / "_static" / PICTURE).write_text(picture, encoding="utf-8")
