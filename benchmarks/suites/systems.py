"""Many systems: a sweep of a thousand runs, judged by ten judges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.generated import Collection, Shape, collection, panel
from benchmarks.peers import script
from benchmarks.suite import Contender, Memory, Printed, Seconds, Setting, Suite

BOARD, GOLD, REPORT, PLAN, BEST = (
    "leaderboard", "leaderboard with gold labels", "leaderboard and report", "plan",
    "leaderboard of the best 500 of 10,000 systems",
)  # fmt: skip


def contenders(setting: Setting) -> list[Contender]:
    shape = Shape(
        runs=setting.scaled(1000, 4), topics=setting.scaled(200, 4), depth=100, judged=400,
        relevant=40,
    )  # fmt: skip
    sweep = replace(shape, runs=setting.scaled(10_000, 8), topics=setting.scaled(50, 4))
    files, many = (collection(one, setting.folder) for one in (shape, sweep))

    def one(name: str, what: str, given: Collection, note: str) -> Contender:
        judges = Path(panel(given, 10)[0]).parent
        words = (what, given.qrels, str(judges), str(given.folder / "*.run"))
        return Contender(
            name, script("with_leaderboard.py", *words), "hungjury", note, lines=given.lines,
            whole=True,
        )  # fmt: skip

    return [
        one(BOARD, "leaderboard", files, "nDCG@10, 1000 draws"),
        one(GOLD, "gold", files, "1000 of them"),
        one(REPORT, "report", files, "the page too"),
        one(PLAN, "plan", files, "1000 documents"),
        one(BEST, "best", many, "50 topics"),
    ]


SUITE = Suite(
    name="systems",
    about="1000 runs of 200 topics with 100 documents, 10 judges of 400 documents a topic: whole "
    "processes, from files to a leaderboard with its report, and to a plan. And 10,000 runs of 50 "
    "such topics, of which the best 500 are compared.",
    base=BOARD,
    contenders=contenders,
    goals=(
        Seconds(BOARD, 30),
        Memory(BOARD, 2000),
        Seconds(GOLD, 30),
        Memory(GOLD, 2000),
        Printed(REPORT, "report_mb", 5, "MB of report"),
        Seconds(PLAN, 5),
        Memory(PLAN, 2000),
        Seconds(BEST, 60),
        Memory(BEST, 4000),
    ),
    repeats=3,
)
