"""Many labels: a crowd of ten thousand judges."""

from __future__ import annotations

from benchmarks.generated import Crowd, crowd
from benchmarks.peers import script
from benchmarks.suite import Contender, Faster, Memory, Seconds, Setting, Suite

ALL = "hungjury, all labels"
EM, VOTE = "hungjury em-mv", "hungjury mv"
PEER_EM, PEER_VOTE = "crowd-kit Dawid-Skene", "crowd-kit majority vote"
FROM_FILE = ", with reading"
SCRIPTS = {"hungjury": "with_merge.py", "crowdkit": "with_crowdkit.py"}
TO_THE_END = "em-mv(start=shares, tol=1e-6)"  # as crowd-kit starts


def contenders(setting: Setting) -> list[Contender]:
    whole = Crowd(
        setting.scaled(1_000_000, 1000), setting.scaled(20_000, 20), setting.scaled(10_000, 20)
    )
    tenth = Crowd(whole.documents // 10, whole.topics // 10, whole.judges // 10)
    large, small = crowd(whole, setting.folder), crowd(tenth, setting.folder)
    pairs = [
        Contender(name + after, script(SCRIPTS[package], small, counted, how), package, most=3)
        for counted, after in (("merging", ""), ("all", FROM_FILE))
        for name, package, how in (
            (EM, "hungjury", TO_THE_END),
            (PEER_EM, "crowdkit", "em-mv"),
            (VOTE, "hungjury", "mv(ties=not)"),
            (PEER_VOTE, "crowdkit", "mv"),
        )
    ]
    note = "read, mean vote, EM over all topics"
    all_labels = script("with_merge.py", large, "all", "binmv", "em-mv")
    return [
        Contender(ALL, all_labels, "hungjury", note, lines=whole.labels, whole=True),
        *pairs,
    ]


SUITE = Suite(
    name="labels",
    about="10 million labels of 1 million documents on 20,000 topics by 10,000 judges, from a CSV "
    "file (a whole process); and a tenth of it side by side with crowd-kit, both to convergence: "
    "labels in memory as each library takes them, and with the reading of the file.",
    base=EM,
    contenders=contenders,
    goals=(
        Seconds(ALL, 60),
        Memory(ALL, 3000),
        Faster(EM, PEER_EM, 10),
        Faster(VOTE, PEER_VOTE, 10),
        Faster(EM + FROM_FILE, PEER_EM + FROM_FILE, 10),
    ),
    repeats=3,
    tolerance=1e-5,
)
