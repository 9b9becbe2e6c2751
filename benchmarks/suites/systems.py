"""Many systems: a sweep of a thousand runs, judged by ten judges."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generated import Shape, collection, panel
from benchmarks.peers import script
from benchmarks.suite import Contender, Memory, Printed, Seconds, Setting, Suite

BOARD, GOLD, REPORT, PLAN = (
    "leaderboard", "leaderboard with gold labels", "leaderboard and report", "plan",
)  # fmt: skip


def contenders(setting: Setting) -> list[Contender]:
    shape = Shape(
        runs=setting.scaled(1000, 4), topics=setting.scaled(200, 4), depth=100, judged=400,
        relevant=40,
    )  # fmt: skip
    files = collection(shape, setting.folder)
    judges = str(Path(panel(files, 10)[0]).parent)
    return [
        Contender(
            name,
            script("with_leaderboard.py", what, files.qrels, judges, *files.runs),
            "hungjury",
            note,
            lines=files.lines,
            whole=True,
        )
        for name, what, note in (
            (BOARD, "leaderboard", "nDCG@10, 1000 draws"),
            (GOLD, "gold", "1000 of them"),
            (REPORT, "report", "the page too"),
            (PLAN, "plan", "1000 documents"),
        )
    ]


SUITE = Suite(
    name="systems",
    about="1000 runs of 200 topics with 100 documents, 10 judges of 400 documents a topic: whole "
    "processes, from files to a leaderboard with its report, and to a plan.",
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
    ),
    repeats=3,
)
