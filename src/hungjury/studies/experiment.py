"""Experiments in parts: independent jobs.

An experiment holds its data and can be sent to another process. Its jobs are plain tuples, what
they find is plain numbers: they can be run in any order, anywhere, any number of times, and put
together at the end.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from hungjury.collection.runs import Progress
from hungjury.errors import check_seed

__all__ = ["Experiment", "Found", "Job", "seed_for"]

Job = tuple[str | int | float, ...]
Found = dict[str, Any]
"""Numbers, words and lists of them under names: all that JSON can hold."""
Result = TypeVar("Result")


class Experiment(ABC, Generic[Result]):
    """Independent jobs, and their combined result."""

    @abstractmethod
    def jobs(self) -> list[Job]:
        """Everything there is to do."""

    @abstractmethod
    def run(self, job: Job) -> Found:
        """Do one job: the same numbers wherever and whenever it is run."""

    @abstractmethod
    def gather(self, found: Mapping[Job, Found]) -> Result:
        """The result, from what all jobs found."""

    def run_all(self, progress: Progress | None = None) -> Result:
        """All jobs here, one after the other."""
        jobs, found = self.jobs(), {}
        for done, job in enumerate(jobs, 1):
            found[job] = self.run(job)
            if progress is not None:
                progress(done, len(jobs), "running jobs")
        return self.gather(found)


def seed_for(seed: int, *key: str | int | float) -> np.random.SeedSequence:
    """The seed for a key, independent of everything else that is drawn."""
    check_seed(seed)
    digest = hashlib.sha256(repr(key).encode()).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest, dtype=np.uint32).tolist()])
