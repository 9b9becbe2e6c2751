"""Experiments in independent parts.

An experiment holds its data and can be sent to another process. Its parts are named by plain
tuples and return plain numbers: they can be run in any order, anywhere, any number of
times, and put together at the end. A job of `runner.py` may do one part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from hungjury.collection.runs import Progress

__all__ = ["Experiment", "Found", "Part"]

Part = tuple[str | int | float, ...]
Found = dict[str, Any]
"""Numbers, words and lists of them under names: all that JSON can hold."""
Result = TypeVar("Result")


class Experiment(ABC, Generic[Result]):
    """Independent parts, and their combined result."""

    @abstractmethod
    def parts(self) -> list[Part]:
        """All parts."""

    @abstractmethod
    def run(self, part: Part) -> Found:
        """Run one part; the result does not depend on where or when."""

    @abstractmethod
    def gather(self, found: Mapping[Part, Found]) -> Result:
        """Combine the results of all parts."""

    def run_all(self, progress: Progress | None = None) -> Result:
        """Run all parts in this process, one after the other."""
        parts, found = self.parts(), {}
        for done, part in enumerate(parts, 1):
            found[part] = self.run(part)
            if progress is not None:
                progress(done, len(parts), "running jobs")
        return self.gather(found)
