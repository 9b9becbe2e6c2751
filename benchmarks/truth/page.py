"""Tables and the picture of what was found, for people and for docs/leaderboard.md."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.truth.boards import BEFORE, BINS, DEFAULT, Compared, Distance
from benchmarks.truth.people import CommonPairs
from benchmarks.truth.public import MEASURES
from benchmarks.truth.reliability import POOLED_SIZES, Reliability, pooled
from hungjury.base.errors import plural

BEGIN, END = "<!-- truth: begin -->", "<!-- truth: end -->"
PICTURE = "reliability.svg"
FEW_BOARDS = ("all", "5 random", "2 random")
TOP_BOARDS = ("top 10", "top 10, official")
FAMILIES = ("irg_gpt-oss-120B", "irg_qwen3-80B", "irg_gpt-oss-20B", "irg_qwen3-30B")


def tables(found: Sequence[Compared], people: CommonPairs) -> str:
    """All tables as markdown."""
    usual = [c for c in found if c.way == DEFAULT.name]
    main = [c for c in usual if len(c.panel.judges) in POOLED_SIZES]
    return "\n\n".join(
        [
            "### Is P(A beats B) right?",
            _caption("Boards of all systems, of five and of two random ones", main),
            _reliability(_cells(main, FEW_BOARDS), "collection, measure, board"),
            "![reliability diagram](_static/reliability.svg)",
            "### By size and kind of panel",
            _reliability(_kinds(usual), "panels, boards of all systems"),
            "### Before",
            "The same boards of all systems by `em-neu` with `panel_error=0` (panels of five):",
            _reliability(_before(found), "collection"),
            "### The best ten systems",
            "Boards of the ten systems that the panel ranks first. The best systems are the "
            "hardest to order, above all with later re-rankers (`x_` runs of dl19) among them.",
            _reliability(_cells(main, TOP_BOARDS, by_measure=False), "collection, board"),
            "### How far panels are from people",
            "`error`: standard deviation over systems of panel mean minus NIST mean; `fitted`: "
            "after a linear fit; `level`: mean difference. Medians over panels.",
            _errors(usual),
            "### People as judges",
            _people(people),
            "### Expectation or mean grades",
            "τ_AP with NIST of boards scored by the expectation under the shares of votes, and of "
            "the measure on mean grades (for the other two measures both are the same).",
            _expectation(main),
        ]
    )


def _caption(what: str, found: Sequence[Compared]) -> str:
    panels = len({(c.collection, c.panel.judges) for c in found})
    sure = [pooled([c for c in found if c.board == "all" and c.collection == name]).sure
            for name in _names(found)]  # fmt: skip
    both = pooled([c for c in found if c.board == "all"]).sure
    each = ", ".join(f"{name} {s:.0%}" for name, s in zip(_names(found), sure, strict=True))
    return (
        f'{what}; {panels} random panels of 3, 5 and 9 judges, `target="topics"`. Cells: the share '
        "of pairs that NIST orders the same way, its 95 % interval over panels in brackets, and "
        "the share of pairs in the bin. On boards of all systems P ≥ 0.95 holds "
        f"{each} of the pairs, {both:.0%} over both."
    )


def _names(found: Sequence[Compared]) -> list[str]:
    return sorted({c.collection for c in found})


Rows = list[tuple[str, Reliability]]


def _cells(found: Sequence[Compared], boards: Sequence[str], by_measure: bool = True) -> Rows:
    out: Rows = []
    for name in _names(found):
        for board in boards:
            mine = [c for c in found if c.collection == name and c.board == board]
            if by_measure:
                for m in MEASURES:
                    label = f"{name}, `{m}`, {board}"
                    out.append((label, pooled([c for c in mine if c.measure == m])))
            else:
                out.append((f"{name}, {board}", pooled(mine)))
    return out


def _kinds(found: Sequence[Compared]) -> Rows:
    out: Rows = []
    for name in _names(found):
        for kind in ("one family", "mixed"):
            for size in sorted({len(c.panel.judges) for c in found}):
                mine = [c for c in found if c.collection == name and c.panel.kind == kind
                        and len(c.panel.judges) == size and c.board == "all"]  # fmt: skip
                if mine:
                    out.append((f"{name}, {plural(size, 'judge')}, {kind}", pooled(mine)))
    return out


def _before(found: Sequence[Compared]) -> Rows:
    out: Rows = []
    done = {(c.collection, c.panel) for c in found if c.way == BEFORE.name}
    for name in _names(found):
        for way in (BEFORE.name, DEFAULT.name):
            mine = [c for c in found if c.collection == name and c.way == way
                    and c.board == "all" and (name, c.panel) in done]  # fmt: skip
            if mine:
                out.append((f"{name}, {way}", pooled(mine)))
    return out


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
    main = [c for c in found if c.board == "all"]
    for way, mark in ((BEFORE.name, "s--"), (DEFAULT.name, "o-")):
        for name in _names(found):
            mine = [c for c in main if c.way == way and c.collection == name
                    and (len(c.panel.judges) in POOLED_SIZES)]  # fmt: skip
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
    writer.writerow(["collection", "measure", "kind", "judges", "way", "board", *bins, "apart",
                     "wrong", "error", "fitted", "level", "tau_ap", "plain_tau_ap"])  # fmt: skip
    for c in found:
        d = c.distance
        numbers = [n for pair in zip(c.pairs, c.right, strict=True) for n in pair]
        far = [""] * 4 if d is None else [d.error, d.fitted, d.level, d.tau_ap]
        writer.writerow([c.collection, c.measure, c.panel.kind, len(c.panel.judges), c.way, c.board,
                         *numbers, c.apart, c.wrong, *far, c.plain_tau_ap])  # fmt: skip
    return out.getvalue()


def update(docs: Path, text: str, picture: str) -> None:
    """Write the tables between their marks, and the picture."""
    path = docs / "leaderboard.md"
    whole = path.read_text(encoding="utf-8")
    before, _, rest = whole.partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
    (docs / "_static" / PICTURE).write_text(picture, encoding="utf-8")
