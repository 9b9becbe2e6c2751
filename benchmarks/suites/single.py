"""One long run: many queries, few judgments each."""

from __future__ import annotations

from benchmarks.generated import Shape, collection
from benchmarks.peers import ONE, PYTREC, TWO, byte_reader, hungjury, pytrec_eval
from benchmarks.suite import Contender, Faster, Memory, Setting, Suite


def contenders(setting: Setting) -> list[Contender]:
    queries = setting.scaled(200_000, 100)
    shape = Shape(runs=1, topics=queries, depth=100, judged=5, relevant=1.5)
    files = collection(shape, setting.folder)
    return [
        byte_reader(files),
        hungjury(ONE, files, 1),
        hungjury(TWO, files, 2),
        pytrec_eval(files, most=2),
    ]


SUITE = Suite(
    name="single",
    about="A single run of 20 million lines: 200,000 queries with 100 documents, 5 judgments a "
    "query: from files to the per-topic values. Times are without the start of Python and imports.",
    base=ONE,
    contenders=contenders,
    goals=(Faster(ONE, PYTREC, 20), Faster(TWO, PYTREC, 20), Memory(ONE, 300), Memory(TWO, 300)),
)
