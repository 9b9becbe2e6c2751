"""Does the cost grow in line with the input, and with what is asked for?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.generated import Collection, Shape, collection, panel
from benchmarks.peers import hungjury, script, threads
from benchmarks.suite import Contender, Measured, Results, Setting, Suite, Table, Verdict

STEPS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Axis:
    """One way for a collection to grow; `start` is its size at the first step."""

    name: str
    start: int
    shape: Shape
    what: str = "line"

    def collection(self, step: int, setting: Setting) -> Collection:
        size = setting.scaled(self.start) * step
        if self.name == "runs":  # the first so many runs of the largest collection
            largest = replace(self.shape, runs=setting.scaled(self.start) * STEPS[-1])
            whole = collection(largest, setting.folder)
            return Collection(replace(largest, runs=size), whole.folder)
        if self.name == "topics":
            return collection(replace(self.shape, topics=size), setting.folder)
        return collection(replace(self.shape, depth=size), setting.folder)

    def contender(self, step: int, setting: Setting) -> Contender:
        files = self.collection(step, setting)
        return replace(hungjury(_name(self, step), files, 1), note="")


@dataclass(frozen=True)
class BoardAxis:
    """One way for a leaderboard to grow: more judges, draws or gold labels."""

    name: str
    start: int
    what: str  # what the costs are of
    unit: int = 1  # of these in a step of one

    def contender(self, step: int, setting: Setting) -> Contender:
        files = collection(BOARD, setting.folder)
        judges = panel(files, JUDGES * STEPS[-1])
        size = self.start * step
        number = {"judges": FEW_JUDGES, "draws": 100, "gold labels": 0} | {self.name: size}
        given = (str(n) for n in (number["draws"], number["gold labels"]))
        labels = judges[: number["judges"]]
        command = script(
            "with_board.py", *given, files.qrels, str(len(labels)), *labels, *files.runs
        )
        return Contender(
            _name(self, step), command, "hungjury", env=threads(1), lines=size * self.unit
        )


FEW_JUDGES = 2  # where something else grows
JUDGES = 8  # at first: their labels then cost as much as the start of a process
BOARD = Shape(runs=50, topics=100, depth=100, judged=400, relevant=40)
AXES = (
    Axis("runs", 8, Shape()),
    Axis("topics", 12_500, Shape(runs=1, depth=20, judged=5, relevant=1.5)),
    Axis("list length", 500, Shape(runs=8)),
    BoardAxis("judges", JUDGES, "label", BOARD.topics * BOARD.judged),
    BoardAxis("draws", 250, "draw"),
    BoardAxis("gold labels", 1000, "label"),
)


def _name(axis: Axis | BoardAxis, step: int) -> str:
    return f"{axis.name} x {step}"


def contenders(setting: Setting) -> list[Contender]:
    return [axis.contender(step, setting) for axis in AXES for step in STEPS]


def _points(axis: Axis | BoardAxis, results: Results) -> list[Measured]:
    return [results[n] for step in STEPS if (n := _name(axis, step)) in results]


def _least(one: Measured) -> float:
    """Processor seconds when least was in the way: other work on a machine only ever adds to them,
    and differences between medians would be of that."""
    return min(one.cpu)


def _slope(a: Measured, b: Measured) -> float:
    """Processor seconds per further line, free of the constant cost of starting."""
    return (_least(b) - _least(a)) / (b.contender.lines - a.contender.lines)


def tables(results: Results) -> Sequence[Table]:
    out = []
    for axis in AXES:
        each = [f"ns per {axis.what}", f"ns per further {axis.what}"]
        head = ["size", f"{axis.what}s", "least CPU s", *each, "peak MB"]
        points = _points(axis, results)
        rows = []
        for i, one in enumerate(points):
            lines = one.contender.lines
            further = f"{1e9 * _slope(points[i - 1], one):.0f}" if i else ""
            per_line = f"{1e9 * _least(one) / lines:.0f}"
            row = [f"{lines:,}", f"{_least(one):.3f}", per_line, further, f"{one.memory:.0f}"]
            rows.append([one.name, *row])
        out.append(Table(f"Growing {axis.name}", head, rows))
    return out


@dataclass(frozen=True)
class Linear:
    """The last doubling costs no more per line than `most` times the mean of the earlier ones."""

    axis: Axis | BoardAxis
    most: float = 1.25

    def judge(self, results: Results) -> Verdict | None:
        points = _points(self.axis, results)
        if len(points) < len(STEPS):
            return None
        ratio = _slope(points[-2], points[-1]) / _slope(points[0], points[-2])
        costs = f"costs no more than {self.most:g} times as before"
        goal = f"{self.axis.name}: a further {self.axis.what} {costs}"
        return Verdict(goal, f"{ratio:.2f} times", ratio <= self.most)


SUITE = Suite(
    name="growth",
    about="hungjury on one core, from files to per-topic values, on collections of growing size: "
    "more runs (of 50 topics with 1000 documents), more topics (of one run with 20 documents "
    "each), longer lists (8 runs, 50 topics); and leaderboards of 50 runs on 100 topics with more "
    "judges, draws or gold labels.",
    base=_name(AXES[0], 1),
    contenders=contenders,
    goals=tuple(Linear(axis) for axis in AXES),
    tolerance=float("inf"),  # different collections, different values
    tables=tables,
)
