"""A study on a real Dask cluster: a scheduler and workers, each a process of its own."""

import os
import signal
import time
from contextlib import contextmanager

import pytest

from builders import study_jobs
from builders.processes import ENVIRONMENT, started, wait_for
from builders.study_jobs import run_jobs
from hungjury.base.errors import InputError, StudyFailed
from hungjury.studies import engines
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import Job, ResultStore, as_text

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
pytestmark = pytest.mark.cluster


@contextmanager
def cluster(size):
    """The address of a scheduler, and its workers."""
    here = ["--host", "127.0.0.1", "--port", "0"]
    processes = [started("scheduler", *here)]
    try:
        address = wait_for(processes[0], "Scheduler at:").split()[-1]
        for _ in range(size):
            processes.append(started("worker", address, "--nthreads", "1", "--no-nanny"))
        if size:
            with distributed.Client(address, set_as_default=False) as client:
                client.wait_for_workers(size, timeout=60)
        yield address.removeprefix("tcp://"), processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()
            process.stderr.close()


def of_process(log, number):
    """The lines of a log that a process wrote."""
    return [line for line in log.read_text().splitlines() if int(line.split()[1]) == number]


def test_a_study_survives_the_death_of_a_worker(study_sources, tmp_path):
    log, ends, killed = tmp_path / "log", tmp_path / "log-ended", []
    jobs = [Job(f"slow/{i}", study_jobs.slow, {"log": str(log), "seconds": 0.1}) for i in range(20)]
    with cluster(2) as (address, workers), ResultStore(tmp_path / "dask.sqlite") as store:

        def kill_one(done, total, key):
            """A worker that has done something, and is at work: it stops, so that it stays so."""
            until = time.monotonic() + 1
            while done >= 4 and not killed and time.monotonic() < until:
                workers[0].send_signal(signal.SIGSTOP)
                started, ended = (of_process(path, workers[0].pid) for path in (log, ends))
                if 0 < len(ended) < len(started):
                    workers[0].kill()
                    killed.append(done)
                workers[0].send_signal(signal.SIGCONT)
                time.sleep(0.01)

        found = run_jobs(jobs, study_sources, store, 3, Engine(f"dask://{address}"), kill_one)
        assert killed
        assert killed[0] < len(jobs) - 4
    assert found.failed == {}
    by_process = [int(line.split()[1]) for line in log.read_text().splitlines()]
    assert os.getpid() not in by_process
    assert len(by_process) > len(jobs), "nothing was under way when the worker died"
    with ResultStore(tmp_path / "alone.sqlite") as store:
        quick = [Job(j.key, j.function, {**j.arguments, "seconds": 0.0}) for j in jobs]
        alone = run_jobs(quick, study_sources, store, 3, Engine("local", 1))
    assert list(found.results) == [job.key for job in jobs]
    assert as_text(found.results) == as_text(alone.results)


def test_a_job_that_kills_its_workers_does_not_hold_up_the_study(
    study_sources, tmp_path, monkeypatch
):
    # Dask gives a task up when several workers have died of it; here, one is enough.
    monkeypatch.setitem(ENVIRONMENT, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    jobs = [Job(f"deadly/{i}", study_jobs.deadly, {"number": i}) for i in (1, 0, 2, 3)]
    with cluster(2) as (address, _), ResultStore(tmp_path / "dask.sqlite") as store:
        found = run_jobs(jobs, study_sources, store, engine=Engine(f"dask://{address}"))
    assert found.failed["deadly/0"].startswith("its worker died every time it was tried")
    # Dask blames whatever waited on the dead worker, too: those jobs are tried again next time.
    assert {*found.results, *found.failed} == {job.key for job in jobs}
    assert found.results


def test_a_client_that_cannot_close_hides_no_error(monkeypatch):
    class Stuck:
        def close(self, timeout):
            raise TimeoutError(f"timed out after {timeout} s.")

    monkeypatch.setattr(engines, "_dask_client", lambda address: Stuck())
    monkeypatch.setattr(engines, "_dask_backend", lambda client, lost: client)
    engine = Engine("dask://127.0.0.1:9")
    with pytest.raises(StudyFailed, match="the cluster failed: gone"), engine._joblib(lambda *_: _):
        raise distributed.comm.CommClosedError("gone")
    with engine._joblib(lambda *_: _):
        pass


def test_a_scheduler_without_workers(study_sources, tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "WAIT", 2)
    jobs = [Job("deadly/1", study_jobs.deadly, {"number": 1})]
    with cluster(0) as (address, _), ResultStore(tmp_path / "dask.sqlite") as store:
        expected = f"no worker has joined the Dask scheduler at tcp://{address} within 2 seconds"
        with pytest.raises(InputError, match=expected) as told:
            run_jobs(jobs, study_sources, store, engine=Engine(f"dask://{address}"))
    assert told.value.remedy == f"start one with `dask worker tcp://{address}`"


def test_nobody_at_the_address(study_sources, tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "WAIT", 0.3)
    jobs = [Job("deadly/1", study_jobs.deadly, {"number": 1})]
    with (
        ResultStore(tmp_path / "dask.sqlite") as store,
        pytest.raises(InputError, match="no Dask scheduler answers at 127"),
    ):
        run_jobs(jobs, study_sources, store, engine=Engine("dask://127.0.0.1:9"))
