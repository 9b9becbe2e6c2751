"""The work that frames of many systems take grows with them, not with their square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hungjury.base import tables
from hungjury.data.runs import read_runs
from hungjury.measures.scores import Scores

PACKAGE = str(Path(tables.__file__).parents[1])
FEW, MANY = 20, 80
ROWS = 5


def instructions(work: Callable[[], Any]) -> int:
    """Instructions of Python that the package executes: the same on every machine."""
    counted = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal counted
        if PACKAGE not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        counted += event == "opcode"
        return trace

    work()  # what is imported and cached at first use does not count
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted


def runs_frame(systems: int) -> Any:
    pandas = pytest.importorskip("pandas")
    number = systems * ROWS
    return pandas.DataFrame(
        {
            "system": [f"s{i // ROWS}" for i in range(number)],
            "topic": ["1"] * number,
            "document": [f"d{i % ROWS}" for i in range(number)],
            "score": [float(-i) for i in range(number)],
        }
    )


def scores(systems: int) -> Scores:
    shape = (1, systems, ROWS)
    names = [f"s{i}" for i in range(systems)]
    return Scores(["AP"], names, list("12345"), np.zeros(shape), np.zeros(shape, np.uint8))


WORK: dict[str, Callable[[Any], Any]] = {
    "read_runs": read_runs,
    "to_frame": lambda found: found.to_frame(),
    "to_dict": lambda found: found.to_dict(),
    "to_csv": lambda found: found.to_csv(True, True),
}


@pytest.mark.parametrize("name", WORK)
def test_work_is_linear_in_systems(name: str) -> None:
    make = runs_frame if name == "read_runs" else scores
    few, many = (instructions(lambda n=n: WORK[name](make(n))) for n in (FEW, MANY))  # type: ignore[misc]
    assert FEW * ROWS < few < many < MANY / FEW * 1.1 * few
