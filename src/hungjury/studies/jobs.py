"""The jobs of a study: seeds, stored results, and running what is not stored yet.

The rollback journal is used instead of the write-ahead log: results folders are often on
network drives, where the latter does not work. Every result is one transaction: a process
that is killed leaves all results it had finished, and nothing else.

A result is identified by its job's key and a fingerprint of everything it depends on: the function,
its arguments, the seed, the data (contents and policies) and the version of this package. What is
stored under the same fingerprint is reused; a changed parameter, seed, file or version
gives another fingerprint, and the job is run again.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sqlite3
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hungjury import __version__
from hungjury.base.errors import InputError, check_seed, plural
from hungjury.base.records import Record
from hungjury.data.runs import Progress
from hungjury.studies.data import Sources, study_data
from hungjury.studies.engines import Engine

T = TypeVar("T")


def seed_for(seed: int, key: str | tuple[str | int | float, ...]) -> np.random.SeedSequence:
    """Derive a seed from a study's seed and a key; different keys give independent seeds."""
    check_seed(seed)
    text = key if isinstance(key, str) else repr(key)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.SeedSequence([seed, *words.tolist()])


def integer_seed(seed: int, key: str) -> int:
    """Derive a seed as a number, which can be stored and sent."""
    return int(seed_for(seed, key).generate_state(1, np.uint64)[0] >> np.uint64(1))


def watched(items: Collection[T], progress: Progress | None) -> Iterator[T]:
    """Yield items of work; `progress` is called when each is done."""
    for done, item in enumerate(items, 1):
        yield item
        if progress is not None:
            progress(done, len(items), "running jobs")


ARRAY = "__array__"
_TABLE = """
create table if not exists results (
    key text not null,
    fingerprint text not null,
    value text,
    error text,
    seconds real not null,
    digest text not null,
    primary key (key, fingerprint)
)"""


def as_text(value: object) -> str:
    """Write a result as JSON, arrays included; floats keep all their digits."""
    return json.dumps(value, default=_plain, sort_keys=True)


def from_text(text: str) -> Any:
    """Read what `as_text` wrote. Tuples come back as lists."""
    return json.loads(text, object_hook=_array)


def _plain(value: object) -> Any:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {ARRAY: data, "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(
        f"a {type(value).__name__} cannot be stored: results are made of dictionaries, lists, "
        "text, numbers and arrays of numbers"
    )


def _array(found: dict[str, Any]) -> Any:
    if ARRAY not in found:
        return found
    values = np.frombuffer(base64.b64decode(found[ARRAY]), dtype=found["dtype"])
    return values.reshape(found["shape"]).copy()


class ResultStore(AbstractContextManager["ResultStore"]):
    """Results by key and fingerprint; results under other fingerprints are kept.

    While a store is open no other process can open it: two studies in one folder would do the work
    twice.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=0.0, isolation_level=None)
        except (OSError, sqlite3.OperationalError) as error:
            said = f"cannot be opened: {error}"
            remedy = "check the folder"
            raise InputError(said, code="unwritable-file", file=str(path), remedy=remedy) from None
        for step in ("pragma locking_mode = exclusive", "begin exclusive", _TABLE,
                     "select value, digest from results limit 0", "commit"):  # fmt: skip
            self._do(step)

    def _do(self, command: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a command; a file that somebody damaged is closed and named."""
        try:
            return self._base.execute(command, values).fetchall()
        except (sqlite3.Error, UnicodeError) as error:
            self._base.close()
            raise self._refused(error) from None

    def _refused(self, error: Exception) -> InputError:
        if "locked" in str(error):
            said = "another study is writing its results here"
            remedy = "wait for it to end, or choose another folder"
            return InputError(said, code="in-use", file=str(self.path), remedy=remedy)
        said = f"not a writable results file: {str(error).partition(' with text')[0]:.100}"
        remedy = "move it away, or choose another folder"
        return InputError(said, code="damaged-store", file=str(self.path), remedy=remedy)

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def finished(self) -> set[tuple[Any, ...]]:
        """Return key and fingerprint of all jobs that have a result, not an error."""
        return set(self._do("select key, fingerprint from results where error is null"))

    def put(
        self, key: str, fingerprint: str, value: str | None, error: str | None, seconds: float
    ) -> None:
        """Store a result (as text) or an error, durably."""
        row = (key, fingerprint, value, error, seconds, _digest(key, fingerprint, value))
        self._do("insert or replace into results values (?, ?, ?, ?, ?, ?)", *row)

    def values(self, wanted: Mapping[str, str]) -> dict[str, Any]:
        """Return the available results of the wanted {key: fingerprint}, in that order."""
        out: dict[str, Any] = {}
        for key, fingerprint in wanted.items():
            rows = self._do(
                "select value, digest from results "
                "where key = ? and fingerprint = ? and error is null",
                key, fingerprint,
            )  # fmt: skip
            for value, digest in rows:  # one at most
                if digest != _digest(key, fingerprint, value):
                    said = f"the stored result of '{key}' was changed after it was written"
                    remedy = "move this file away and run the study again"
                    raise InputError(said, code="damaged-store", file=str(self.path), remedy=remedy)
                out[key] = from_text(value)
        return out


def _digest(key: str, fingerprint: str, value: object) -> str:
    """A checksum that ties a result to its job."""
    return hashlib.sha256(repr((key, fingerprint, value)).encode()).hexdigest()


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
    """Results and errors by key. The first line of an error says what is wrong, the rest where."""

    results: dict[str, Any]
    failed: dict[str, str]


class _Task(Record):
    """A job on its way to a worker, and back with its result."""

    place: int  # of its collection
    job: Job
    sources: Sources
    seed: int
    threads: int | None
    fingerprint: str
    version: str = __version__
    value: str | None = None
    error: str | None = None
    seconds: float = 0.0


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
    check_seed(seed)
    tasks: list[_Task] = []
    for place, (sources, jobs) in enumerate(work):
        key, times = next(iter(Counter(job.key for job in jobs).most_common(1)), ("", 0))
        if times > 1:
            remedy = "give every job its own key"
            raise InputError(f"{times} jobs are called '{key}'", code="same-name", remedy=remedy)
        for job in jobs:
            own = job.seed(seed)
            fingerprint = _fingerprint(job, sources, own)
            tasks.append(_Task(place, job, sources, own, engine.threads, fingerprint))
    stored = store.finished()
    left = [one for one in tasks if (one.job.key, one.fingerprint) not in stored]
    if announce is not None:
        number, current = len(tasks), {one.fingerprint for one in tasks}
        before = {key for key, fingerprint in stored if fingerprint not in current}
        old = sum(one.job.key in before for one in left)
        plan = f"{plural(number, 'job')}: {number - len(left)} stored already, {len(left)} to do"
        if old:
            plan += f" ({old} of them were done with other parameters, data, seed or version)"
        announce(plan)
    failed: list[dict[str, str]] = [{} for _ in work]
    for count, done in enumerate(engine.run(_perform, left, _lost), 1):
        key = done.job.key
        store.put(key, done.fingerprint, done.value, done.error, done.seconds)
        if done.error is not None:
            failed[done.place][key] = done.error
        if progress is not None:
            progress(count, len(left), key)
    found = []
    for place, errors in enumerate(failed):
        mine = {one.job.key: one.fingerprint for one in tasks if one.place == place}
        found.append(Finished(store.values(mine), errors))
    return found


def _fingerprint(job: Job, sources: Sources, seed: int) -> str:
    """A digest of everything that a result depends on. seed: the job's own."""
    name = f"{job.function.__module__}:{job.function.__qualname__}"
    parts = [name, dict(job.arguments), seed, sources.digest, __version__]
    return hashlib.sha256(as_text(parts).encode()).hexdigest()


def _perform(task: _Task) -> _Task:
    """In a worker: run a job; an error fails only this job."""
    began = time.perf_counter()
    value = error = None
    try:
        if task.version != __version__:
            said = f"this worker has hungjury {__version__}, the study is done with {task.version}"
            remedy = "install the same version on all machines"
            raise InputError(said, code="other-version", remedy=remedy)
        if task.threads is not None:  # a local process that shares the cores with others
            os.environ["HUNGJURY_THREADS"] = str(task.threads)
        data = study_data(task.sources)
        value = as_text(task.job.function(data, task.seed, **task.job.arguments))
    except Exception as problem:
        what = str(problem).partition("\n")[0]
        error = f"{type(problem).__name__}: {what}\n\n{traceback.format_exc()}"
    return replace(task, value=value, error=error, seconds=time.perf_counter() - began)


def _lost(task: _Task, problem: BaseException) -> _Task:
    """The error of a job that never returned."""
    what = f"its worker died every time it was tried ({type(problem).__name__})\n\n{problem}"
    return replace(task, error=what)
