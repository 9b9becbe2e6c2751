"""Many runs: a collection like TREC-8's ad hoc task."""

from __future__ import annotations

from benchmarks.generated import Shape, collection
from benchmarks.peers import BYTES, ONE, PYTREC, RANX_ONE, RANX_TWO, TWO, evaluators
from benchmarks.suite import Contender, Faster, Setting, Suite, Within


def contenders(setting: Setting) -> list[Contender]:
    files = collection(Shape(runs=setting.scaled(129, 3)), setting.folder)
    return evaluators(files, setting)


SUITE = Suite(
    name="evaluate",
    about="129 runs of 50 topics with 1000 documents, 93,000 judgments, lines of a topic in no "
    "order, some equal scores: from files to the per-topic values of all runs. Times are "
    "without the start of Python and imports (suite startup has those), but for ranx cold.",
    base=ONE,
    contenders=contenders,
    goals=(
        Faster(ONE, PYTREC, 8),
        Faster(TWO, PYTREC, 12),
        Faster(ONE, "ir_measures", 15),
        Faster(ONE, RANX_ONE, 30),
        Faster(TWO, RANX_TWO, 30),
        Within(ONE, BYTES, 10),
    ),
)
