"""Tables of labels that are too large for memory, and a thousand judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.generated import Crowd, crowd
from benchmarks.peers import script
from benchmarks.suite import Contender, Memory, Results, Seconds, Setting, Suite, Table, Verdict

LABELS = (1_000_000, 10_000_000, 100_000_000)
MERGES = {"mean": "binmv", "EM": "em-mv"}
JUDGES = 1000
MOST_MB = 4000


def _name(what: str, labels: int) -> str:
    return f"{what} of {labels // 1_000_000}M labels"


def _judges(what: str) -> str:
    return f"{what} of {JUDGES:,} judges"


def contenders(setting: Setting) -> list[Contender]:
    out = []
    for labels in LABELS:
        size = setting.scaled(labels, 1000)
        path = crowd(Crowd(size // 10, max(size // 500, 1), JUDGES), setting.folder)
        out += [
            Contender(_name(what, labels), script("with_merge_table.py", path, method), "ibis",
                      lines=size, most=1 if labels == LABELS[-1] else None, whole=True)
            for what, method in MERGES.items()
        ]  # fmt: skip
    several = Crowd(setting.scaled(100_000, 100), setting.scaled(2000, 2), JUDGES, votes=100)
    path = crowd(several, setting.folder)
    out += [
        Contender(_judges(what), script("with_many_judges.py", path, what), "hungjury",
                  lines=several.labels)
        for what in ("agreement", "merge")
    ]  # fmt: skip
    return out


def tables(results: Results) -> Sequence[Table]:
    head = ["merge", "labels", "seconds", "CPU s", "µs per label", "CPU µs per label", "peak MB"]
    rows = []
    for what in MERGES:
        for labels in LABELS:
            if (one := results.get(_name(what, labels))) is not None:
                lines = one.contender.lines
                each = [f"{1e6 * t / lines:.2f}" for t in (one.time, one.processor)]
                sizes = [f"{lines:,}", f"{one.time:.1f}", f"{one.processor:.1f}"]
                rows.append([what, *sizes, *each, f"{one.memory:.0f}"])
    return [Table("Cost of a label", head, rows)]


@dataclass(frozen=True)
class Flat:
    """A label of the largest table costs no more processor time than `most` times one before."""

    what: str
    most: float = 1.5

    def judge(self, results: Results) -> Verdict | None:
        before, largest = (results.get(_name(self.what, labels)) for labels in LABELS[1:])
        if before is None or largest is None:
            return None
        costs = [one.processor / one.contender.lines for one in (before, largest)]
        goal = f"{self.what}: a label of 100M costs at most {self.most:g} times one of 10M"
        return Verdict(goal, f"{costs[1] / costs[0]:.2f} times", costs[1] <= self.most * costs[0])


SUITE = Suite(
    name="scale",
    about="From a CSV file of labels to a Parquet file of merged ones, in parts on disk: labels of "
    f"{JUDGES:,} judges, ten for a document, 50 documents for a topic; EM over all topics (whole "
    f"processes). And 10 million labels of {JUDGES:,} judges in memory, a hundred for a document: "
    "agreement of all pairs of judges, and EM over all topics.",
    base=_name("mean", LABELS[0]),
    contenders=contenders,
    goals=(
        *(Memory(_name(what, LABELS[-1]), MOST_MB) for what in MERGES),
        *(Flat(what) for what in MERGES),
        Seconds(_judges("agreement"), 60),
        Seconds(_judges("merge"), 60),
    ),
    repeats=2,
    tolerance=float("inf"),  # different tables, different values
    tables=tables,
)
