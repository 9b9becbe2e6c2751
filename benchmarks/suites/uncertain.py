"""Measures of uncertain and graded labels beside plain average precision."""

from __future__ import annotations

from benchmarks.generated import Shape, collection
from benchmarks.peers import script, threads
from benchmarks.suite import Contender, Setting, Suite, Within

PLAIN = "AP"
EXPECTED = "eRAP(prob=[0.05, 0.2, 0.6, 0.95])"
GRADED = "xGAP(g=[0.2, 0.4, 0.4])"


def contenders(setting: Setting) -> list[Contender]:
    files = collection(Shape(runs=setting.scaled(129, 3)), setting.folder)
    return [
        Contender(
            name,
            script("with_measure.py", files.qrels, name, *files.runs),
            "hungjury",
            note,
            threads(1),
        )
        for name, note in (
            (PLAIN, ""),
            (EXPECTED, "with exact variance; every document may be relevant"),
            (GRADED, "three thresholds"),
        )
    ]


SUITE = Suite(
    name="uncertain",
    about="129 runs of 50 topics with 1000 documents, from files to per-topic values, one core.",
    base=PLAIN,
    contenders=contenders,
    goals=(Within(EXPECTED, PLAIN, 3), Within(GRADED, PLAIN, 6)),
)
