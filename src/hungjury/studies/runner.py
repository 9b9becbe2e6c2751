"""Run the jobs of a study: results are stored as they finish, so that it can be resumed.

A result is identified by its job's key and a fingerprint of everything it depends on: the function,
its arguments, the seed, the data (contents and policies) and the version of this package. What is
stored under the same fingerprint is reused; a changed parameter, seed, file or version
gives another fingerprint, and the job is run again.
"""

from __future__ import annotations

import hashlib
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from hungjury import __version__
from hungjury.collection.notes import plural
from hungjury.collection.runs import Progress
from hungjury.errors import InputError, check_seed
from hungjury.records import Record
from hungjury.studies.data import Sources, StudyData, study_data
from hungjury.studies.engines import Engine
from hungjury.studies.seeds import integer_seed
from hungjury.studies.store import ResultStore, as_text

__all__ = ["Finished", "Job", "run_work"]

LOCAL_ENGINE = Engine()


class Job(Record):
    """A piece of a study that depends on no other: ``function(data, seed, **arguments)``.

    function: imported by name where the job is run. arguments: small and
    plain (text, numbers, lists and dictionaries of these). The result is made of dictionaries,
    lists, text, numbers and arrays. draws: jobs with the same word here get the same seed, for
    random draws that they share; by default each has its own.
    """

    key: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    draws: str = ""

    def seed(self, seed: int) -> int:
        """The seed of this job."""
        return integer_seed(seed, self.draws or self.key)


class Finished(Record):
    """Results and errors by key. `reused` results were there already; `outdated` ones of the others
    had been done before with other parameters, data, seed or version. The first line of an error
    says what is wrong, the rest where."""

    results: dict[str, Any]
    failed: dict[str, str]
    reused: int
    outdated: int


class _Task(Record):
    """A job on its way to a worker."""

    place: int  # of its collection
    job: Job
    sources: Sources
    seed: int
    threads: int | None
    version: str = __version__


class _Done(Record):
    place: int
    key: str
    value: str | None
    error: str | None
    seconds: float


def run_work(
    work: Sequence[tuple[Sources, Sequence[Job]]],
    store: ResultStore,
    seed: int = 0,
    engine: Engine = LOCAL_ENGINE,
    progress: Progress | None = None,
    announce: Callable[[str], None] | None = None,
) -> list[Finished]:
    """Do the jobs of some collections that are not in the store yet. A job that fails does not
    stop the others; it is tried again the next time. What a job finds does not depend on which
    other collections there are.

    progress: called with jobs done, jobs to do and the last key. announce: called once with a
    sentence on what is reused and what has to be done.
    """
    for _, jobs in work:
        _check(jobs, seed)
    wanted = [{job.key: _fingerprint(job, source, seed) for job in jobs} for source, jobs in work]
    current = {fingerprint for each in wanted for fingerprint in each.values()}
    there = [store.finished(each) for each in wanted]
    outdated = [store.outdated(each, current) for each in wanted]
    tasks = [
        _Task(place, job, sources, job.seed(seed), engine.threads)
        for place, (sources, jobs) in enumerate(work)
        for job in jobs
        if job.key not in there[place]
    ]
    failed: list[dict[str, str]] = [{} for _ in work]
    if announce is not None:
        announce(_plan(sum(map(len, wanted)), len(tasks), sum(map(len, outdated))))
    for count, done in enumerate(engine.run(_perform, tasks, _lost), 1):
        fingerprint = wanted[done.place][done.key]
        store.put(done.key, fingerprint, done.value, done.error, done.seconds)
        if done.error is not None:
            failed[done.place][done.key] = done.error
        if progress is not None:
            progress(count, len(tasks), done.key)
    return [
        Finished(store.values(wanted[i]), failed[i], len(there[i]), len(outdated[i]))
        for i in range(len(work))
    ]


def _check(jobs: Sequence[Job], seed: int) -> None:
    check_seed(seed)
    key, times = next(iter(Counter(job.key for job in jobs).most_common(1)), ("", 0))
    if times > 1:
        raise InputError(
            f"{times} jobs are called '{key}'",
            code="same-name",
            remedy="give every job its own key",
        )


def _plan(jobs: int, to_do: int, outdated: int) -> str:
    """A sentence on what is reused and what is run."""
    plan = f"{plural(jobs, 'job')}: {jobs - to_do} stored already, {to_do} to do"
    if outdated:
        plan += f" ({outdated} of them were done with other parameters, data, seed or version)"
    return plan


def _fingerprint(job: Job, sources: Sources, seed: int) -> str:
    """A digest of everything that a result depends on."""
    name = f"{job.function.__module__}:{job.function.__qualname__}"
    parts = [name, dict(job.arguments), job.seed(seed), sources.digest, __version__]
    return hashlib.sha256(as_text(parts).encode()).hexdigest()


def _perform(task: _Task) -> _Done:
    """In a worker: run a job; an error fails only this job."""
    began = time.perf_counter()
    value = error = None
    try:
        if task.version != __version__:
            raise InputError(
                f"this worker has hungjury {__version__}, the study is done with {task.version}",
                code="other-version",
                remedy="install the same version on all machines",
            )
        if task.threads is not None:  # a local process that shares the cores with others
            os.environ["HUNGJURY_THREADS"] = str(task.threads)
        value = as_text(_result(task, study_data(task.sources)))
    except Exception as problem:
        what = str(problem).partition("\n")[0]
        error = f"{type(problem).__name__}: {what}\n\n{traceback.format_exc()}"
    return _Done(task.place, task.job.key, value, error, time.perf_counter() - began)


def _lost(task: _Task, problem: BaseException) -> _Done:
    """The error of a job that never returned."""
    what = f"its worker died every time it was tried ({type(problem).__name__})\n\n{problem}"
    return _Done(task.place, task.job.key, None, what, 0.0)


def _result(task: _Task, data: StudyData) -> Any:
    return task.job.function(data, task.seed, **task.job.arguments)
