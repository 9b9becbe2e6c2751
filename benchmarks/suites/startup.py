"""How long it takes until something happens."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.generated import Shape, collection
from benchmarks.peers import script
from benchmarks.suite import Contender, Setting, Suite, Within

BARE, HELP = "bare Python", "hungjury --help"
COMMAND, LIBRARY, PEER = "hungjury evaluate", "hungjury script", "pytrec_eval script"


def contenders(setting: Setting) -> list[Contender]:
    files = collection(Shape(runs=1), setting.folder)
    tool = str(Path(sys.executable).with_name("hungjury"))
    paths = (files.qrels, files.runs[0])
    measures = [word for m in ("AP", "nDCG@10", "P@10", "Bpref") for word in ("-m", m)]
    note = "one run of 50,000 lines, 93,000 judgments, AP, nDCG@10, P@10, Bpref"
    return [
        Contender(BARE, [sys.executable, "-c", "pass"]),
        Contender("import numpy", [sys.executable, "-c", "import numpy"], "numpy"),
        Contender(HELP, [tool, "--help"], "hungjury"),
        Contender(COMMAND, [tool, "evaluate", *paths, *measures, "--quiet"], "hungjury", note),
        Contender(
            LIBRARY, script("with_hungjury.py", "-same", *paths), "hungjury", note, whole=True
        ),
        Contender(PEER, script("with_pytrec_eval.py", *paths), "pytrec_eval", note, whole=True),
    ]


SUITE = Suite(
    name="startup",
    about="Cold starts: whole processes, from nothing to the last byte of output. Both scripts "
    "compute the same values; all who evaluate import numpy.",
    base=BARE,
    contenders=contenders,
    goals=(Within(HELP, BARE, 4), Within(COMMAND, PEER, 0.6), Within(LIBRARY, PEER, 0.6)),
    repeats=15,
)
