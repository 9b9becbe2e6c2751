"""The parts of a benchmark: contenders, their measurements, and goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Protocol

__all__ = [
    "Contender",
    "Faster",
    "Goal",
    "Measured",
    "Memory",
    "Printed",
    "Results",
    "Seconds",
    "Setting",
    "Suite",
    "Table",
    "Verdict",
    "Within",
]


@dataclass(frozen=True)
class Setting:
    """How large, how often, and where generated collections are kept."""

    folder: Path
    scale: float = 1.0
    quick: bool = False

    @property
    def full(self) -> bool:
        """Goals are meant for collections of full size."""
        return self.scale == 1.0

    def scaled(self, number: int, least: int = 1) -> int:
        return max(round(number * self.scale), least)


@dataclass(frozen=True)
class Contender:
    """A command that is started afresh for every measurement.

    Where its last line of output is a JSON object, ``values`` in it are compared with those of
    the other contenders, and ``seconds`` in it replaces the time of the whole process.
    """

    name: str
    command: Sequence[str]
    package: str | None = None  # left out where this cannot be imported
    note: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    fresh_folder: str | None = None  # an environment variable that names a new, empty folder
    most: int | None = None  # at most so many repetitions, for slow ones
    quick: bool = True  # False: too slow to start for --quick
    lines: int = 0  # lines that are read, for costs per line
    whole: bool = False  # the time of the whole process counts, whatever the script says
    answers: Sequence[int] = ()  # exit codes other than 0 that are answers, not failures


@dataclass
class Measured:
    """All repetitions of one contender."""

    contender: Contender
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)  # of the whole process, all cores together
    peak_mb: list[float] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    problem: str = ""

    @property
    def name(self) -> str:
        return self.contender.name

    @property
    def time(self) -> float:
        return median(self.seconds)

    @property
    def processor(self) -> float:
        return median(self.cpu)

    @property
    def memory(self) -> float:
        return median(self.peak_mb)


Results = Mapping[str, Measured]  # by name; only contenders that ran


@dataclass(frozen=True)
class Verdict:
    """A goal, and how near the results came."""

    goal: str
    measured: str
    met: bool


class Goal(Protocol):
    def judge(self, results: Results) -> Verdict | None:
        """None where a contender that the goal speaks of did not run."""


@dataclass(frozen=True)
class Faster:
    """`mine` takes at most 1/`times` of the time of `other`."""

    mine: str
    other: str
    times: float

    def judge(self, results: Results) -> Verdict | None:
        if self.mine not in results or self.other not in results:
            return None
        ratio = results[self.other].time / results[self.mine].time
        times = "" if self.times == 1 else f"at least {self.times:g} times "
        goal = f"{self.mine}: {times}faster than {self.other}"
        return Verdict(goal, f"{ratio:.1f} times", ratio >= self.times)


@dataclass(frozen=True)
class Within:
    """`mine` takes at most `times` the time of `other`."""

    mine: str
    other: str
    times: float

    def judge(self, results: Results) -> Verdict | None:
        if self.mine not in results or self.other not in results:
            return None
        ratio = results[self.mine].time / results[self.other].time
        goal = f"{self.mine}: within {self.times:g} times {self.other}"
        return Verdict(goal, f"{ratio:.2f} times", ratio <= self.times)


@dataclass(frozen=True)
class Memory:
    """`mine` stays below so many megabytes."""

    mine: str
    below_mb: float

    def judge(self, results: Results) -> Verdict | None:
        if self.mine not in results:
            return None
        peak = results[self.mine].memory
        goal = f"{self.mine}: below {self.below_mb:g} MB"
        return Verdict(goal, f"{peak:.0f} MB", peak < self.below_mb)


@dataclass(frozen=True)
class Seconds:
    """`mine` takes at most so many seconds on this machine, which the report describes."""

    mine: str
    most: float

    def judge(self, results: Results) -> Verdict | None:
        if self.mine not in results:
            return None
        time = results[self.mine].time
        return Verdict(f"{self.mine}: within {self.most:g} s", f"{time:.1f} s", time <= self.most)


@dataclass(frozen=True)
class Printed:
    """A value that `mine` prints is below a bound."""

    mine: str
    value: str
    below: float
    unit: str

    def judge(self, results: Results) -> Verdict | None:
        if self.mine not in results:
            return None
        found = results[self.mine].values[self.value]
        goal = f"{self.mine}: below {self.below:g} {self.unit}"
        return Verdict(goal, f"{found:.2f}", found < self.below)


@dataclass(frozen=True)
class Table:
    """A table of a report."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Suite:
    """One benchmark: a file in ``benchmarks/suites`` with a `SUITE`.

    base: the contender whose time is the unit of the ratios.
    contenders: makes what they need and lists them; they run in this order, round by round.
    tolerance: how far values of two contenders may lie apart.
    tables: more tables from the results, after that of the ratios.
    page: a page of the docs that shows these tables, between marks with the suite's name.
    """

    name: str
    about: str
    base: str
    contenders: Callable[[Setting], Sequence[Contender]]
    goals: Sequence[Goal] = ()
    repeats: int = 5
    tolerance: float = 1e-3
    tables: Callable[[Results], Sequence[Table]] = lambda _results: ()
    page: str | None = None
