"""Many labels: a crowd of ten thousand judges."""

from __future__ import annotations

from benchmarks.crowds import Crowd, crowd
from benchmarks.peers import script
from benchmarks.suite import Contender, Faster, Memory, Seconds, Setting, Suite

ALL = "hungjury, all labels"
EM, VOTE = "hungjury em-mv, a tenth", "hungjury mv, a tenth"
PEER_EM, PEER_VOTE = "crowd-kit Dawid-Skene, a tenth", "crowd-kit majority vote, a tenth"
TO_THE_END = "em-mv(start=shares, tol=1e-6)"  # as crowd-kit starts


def contenders(setting: Setting) -> list[Contender]:
    whole = Crowd(
        setting.scaled(1_000_000, 1000), setting.scaled(20_000, 20), setting.scaled(10_000, 20)
    )
    tenth = Crowd(whole.documents // 10, whole.topics // 10, whole.judges // 10)
    large, small = crowd(whole, setting.folder), crowd(tenth, setting.folder)
    note = "read, mean vote, EM over all topics"
    both = "with the reading of the file"
    return [
        Contender(
            ALL, script("with_merge.py", large, "binmv", "em-mv"), "hungjury", note,
            lines=whole.labels, whole=True,
        ),
        Contender(EM, script("with_merge.py", small, TO_THE_END), "hungjury", both),
        Contender(PEER_EM, script("with_crowdkit.py", small, "em-mv"), "crowdkit", both, most=3),
        Contender(VOTE, script("with_merge.py", small, "mv(ties=not)"), "hungjury", both),
        Contender(PEER_VOTE, script("with_crowdkit.py", small, "mv"), "crowdkit", both, most=3),
    ]  # fmt: skip


SUITE = Suite(
    name="labels",
    about="10 million labels of 1 million documents on 20,000 topics by 10,000 judges, from a CSV "
    "file (a whole process); and a tenth of it side by side with crowd-kit, both to convergence, "
    "without the start of Python and imports.",
    base=EM,
    contenders=contenders,
    goals=(
        Seconds(ALL, 60),
        Memory(ALL, 3000),
        Faster(EM, PEER_EM, 10),
        Faster(VOTE, PEER_VOTE, 10),
    ),
    repeats=3,
    tolerance=1e-5,
)
