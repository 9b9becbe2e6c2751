"""Engines that run jobs: in this process, in processes on this machine, or on any joblib backend.

An engine does not decide anything about results: jobs do not depend on each other, on their order
or on where they are done.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, TypeVar

from hungjury.base.errors import Argument, InputError, MissingExtra, StudyFailed
from hungjury.base.files import cores
from hungjury.base.parameters import MOST_WORKERS, check_count
from hungjury.base.records import Record
from hungjury.base.text import integer_of

T = TypeVar("T")
U = TypeVar("U")
LOCAL = "local"
DASK = "dask://"
# A client that loses its scheduler logs by any of these, with the traceback of whatever it was at.
DASK_LOGS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
WAIT = 30  # seconds for a scheduler to answer, and for its first worker
CLOSING = 5  # seconds for a client to take leave, also of a scheduler that is gone
IN_BLOCK = 4  # jobs for each worker of a backend that gives the results of a block all at once
# Jobs handed out before they can be done. A cluster has many: workers who join late find
# something to do. On one machine joblib fails with a traceback when it is stopped with more than
# the few that its processes have room for.
AHEAD_ON_CLUSTER, AHEAD_HERE = 500, "2 * n_jobs"


class Engine(Record):
    """name: "local" (processes on this machine), "dask://HOST:PORT" (a Dask cluster), or any
    backend that joblib knows. workers: how many; default: one for each core, or as many as the
    cluster has."""

    name: str = LOCAL
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_count("workers", self.workers, 1, MOST_WORKERS)

    @property
    def threads(self) -> int | None:
        """Threads that a job may use, where it shares this machine with other jobs."""
        return max(1, cores() // self._local) if self.name == LOCAL and self._local > 1 else None

    @property
    def _local(self) -> int:
        return self.workers or cores()

    def run(
        self, work: Callable[[T], U], items: Sequence[T], lost: Callable[[T, BaseException], U]
    ) -> Iterator[U]:
        """Yield `work` of every item, in the order in which they are done. `lost` makes the result
        of an item that a cluster gave up, after several workers had died on it."""
        if self.name == LOCAL and min(self._local, len(items)) <= 1:
            yield from map(work, items)
            return
        with self._joblib(lost) as (joblib, backend), _chosen(joblib, backend):
            try:
                ahead = AHEAD_ON_CLUSTER if self.name.startswith(DASK) else AHEAD_HERE
                yield from _unordered(joblib, work, items, ahead)
            except BaseException:
                # Stop the processes on this machine: after a signal they would go on by themselves.
                executor = joblib.externals.loky.reusable_executor._executor
                if executor is not None:
                    executor.shutdown(wait=True, kill_workers=True)
                raise

    @contextmanager
    def _joblib(
        self, lost: Callable[[Any, BaseException], Any]
    ) -> Iterator[tuple[Any, dict[str, Any]]]:
        """joblib, and how its backend is chosen."""
        try:
            import joblib
        except ImportError:
            raise MissingExtra("joblib", "studies", f"the engine {self.name}") from None
        if not self.name.startswith(DASK):
            own = {"backend": "loky", "initializer": leave_with, "initargs": (os.getpid(),)}
            chosen = own if self.name == LOCAL else {"backend": self.name}
            yield joblib, {**chosen, "n_jobs": self._local}
            return
        client = _dask_client(self.name.removeprefix(DASK))
        with _without_logs(*DASK_LOGS):
            try:
                yield joblib, {"backend": _dask_backend(client, lost)}
            except BaseException as error:  # what Dask cancels is not an Exception
                of_dask = type(error).__module__.startswith("distributed.")
                if not of_dask and not isinstance(error, TimeoutError):
                    raise
                raise StudyFailed(
                    f"the cluster failed: {' '.join(str(error).split())}",
                    code="cluster-failed",
                    remedy="finished jobs are stored: start the cluster again and repeat the "
                    "command",
                ) from None
            finally:
                with suppress(Exception):  # whatever the study came to is known by now
                    client.close(timeout=CLOSING)


@contextmanager
def _without_logs(*names: str) -> Iterator[None]:
    """Without the logs of something whose failures become errors."""
    import logging

    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal. Those that are started in this context ignore it
    and print nothing: the process that started them stops them."""
    if threading.current_thread() is not threading.main_thread():  # no other may choose this
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


def leave_with(study: int) -> None:
    """End this worker when its study is killed, also in the middle of a job or before the first."""

    def watch() -> None:
        while os.getppid() == study:
            time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGTERM)  # as the study would have stopped it

    threading.Thread(target=watch, daemon=True).start()


def _dask_client(address: str) -> Any:
    _check_listening(address)
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("dask[distributed]", "studies", f"the engine {DASK}{address}") from None
    try:
        return Client(f"tcp://{address}", timeout=WAIT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise _no_scheduler(address, error) from None


def _check_listening(address: str) -> None:
    """Dask itself waits for ever for a name that does not exist."""
    import socket

    host, colon, port = address.rpartition(":")
    number = integer_of(port)
    try:
        if not colon or not host or number is None or not 0 < number < 65536:
            raise OSError("not HOST:PORT")
        socket.create_connection((host.strip("[]"), number), timeout=WAIT).close()
    except OSError as error:
        raise _no_scheduler(address, error) from None


def _no_scheduler(address: str, error: Exception) -> InputError:
    said = f"no Dask scheduler answers at {address}: {error}"
    remedy = "start one with `dask scheduler`, and name it as dask://HOST:PORT"
    return InputError(said, code="no-scheduler", remedy=remedy)


def _dask_backend(client: Any, lost: Callable[[Any, BaseException], Any]) -> Any:
    """joblib's backend with two fixes: when Dask gives up a task, joblib would wait
    forever; and when only one worker is there at the start, joblib would use none."""
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            try:
                return max(2, int(super().effective_n_jobs(n_jobs)))
            except TimeoutError:
                address = client.scheduler.address
                said = f"no worker has joined the Dask scheduler at {address} within {WAIT} seconds"
                remedy = f"start one with `dask worker {address}`"
                raise InputError(said, code="no-workers", remedy=remedy) from None

        def submit(self, func: Any, callback: Any = None) -> Any:
            ((_, (item,), _),) = func.items
            future = super().submit(func, callback)

            def finish(done: Future[Any]) -> None:
                error = done.exception()
                if error is not None:
                    callback([lost(item, error)])

            future.add_done_callback(finish)
            return future

    return Backend(client=client, wait_for_workers_timeout=WAIT)


def _chosen(joblib: Any, backend: dict[str, Any]) -> Any:
    """The context in which joblib uses a backend."""
    try:
        return joblib.parallel_config(**backend)
    except (ValueError, ImportError) as error:
        said = f"unknown engine: {error}"
        remedy = "use local, dask://HOST:PORT or the name of a joblib backend"
        raise InputError(said, code="unknown-engine", argument="engine", remedy=remedy) from None


def _unordered(
    joblib: Any, work: Callable[[T], U], items: Sequence[T], ahead: int | str
) -> Iterator[U]:
    """Yield results as they come. In batches of one, none waits for another."""
    calls = (joblib.delayed(work)(item) for item in items)
    try:
        one_by_one = joblib.Parallel(
            batch_size=1, pre_dispatch=ahead, return_as="generator_unordered"
        )
    except ValueError:  # this backend can only give all results at once
        blocks = joblib.Parallel(batch_size=1)
        while block := list(islice(calls, IN_BLOCK * max(1, blocks.n_jobs))):
            yield from blocks(block)
        return
    with _without_interrupts():
        results = one_by_one(calls)
    try:
        yield from results
    except joblib.externals.loky.process_executor.TerminatedWorkerError:
        raise StudyFailed(
            "a worker process died, possibly out of memory",
            remedy=(
                "finished jobs are stored; run the study again, with fewer",
                Argument("workers"),
            ),
        ) from None
