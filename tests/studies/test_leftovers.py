"""Studies that are stopped from outside: an error or a signal ends them, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hungjury as hj
from builders.processes import started, wait_for

# Too many repetitions to be done before anybody can stop them.
STUDY = [sys.executable, "-m", "hungjury", "study", "markov", "--data", "demo", "-o", "out",
         "--repetitions", "5000", "--quiet"]  # fmt: skip
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    hj.simulate(systems=3, topics=4, documents=40, depth=10).write(tmp_path / "demo")
    return tmp_path


def session(number: int) -> list[str]:
    """The command lines of the processes of a session that are still there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (process / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == number and state != "Z":
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended meanwhile
            pass
    return found


def wait_for_results(folder: Path, study: subprocess.Popen[str]) -> None:
    """Until some have been stored. While a study has the file open nobody else can read it."""
    path = folder / "out" / "markov" / "jobs.sqlite"
    while not path.exists() or path.stat().st_size < 100_000:
        assert study.poll() is None, study.communicate()[1]
        time.sleep(0.05)


@pytest.mark.long
@needs_proc
@pytest.mark.parametrize(
    ("number", "codes", "everybody"),
    # Python ends by SIGINT itself, which shells show as 130 too, where it was in an exec() of text.
    [(signal.SIGTERM, (143,), False), (signal.SIGINT, (130, -signal.SIGINT), True)],
    ids=["SIGTERM", "Ctrl-C"],
)
def test_signals_leave_no_worker(
    here: Path, number: int, codes: tuple[int, ...], everybody: bool
) -> None:
    pytest.importorskip("joblib")
    study = subprocess.Popen(
        [*STUDY, "--jobs", "2"], cwd=here, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        wait_for_results(here, study)
        assert len(session(study.pid)) > 2  # the study and its workers
        (os.killpg if everybody else os.kill)(study.pid, number)
        _, said = study.communicate(timeout=60)
        assert study.returncode in codes
        assert "Traceback" not in said
        end = time.monotonic() + 20
        while session(study.pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert session(study.pid) == []
    finally:
        if session(study.pid):
            os.killpg(study.pid, signal.SIGKILL)


@pytest.mark.cluster
def test_a_scheduler_that_dies_ends_the_study_with_an_error(here: Path) -> None:
    pytest.importorskip("distributed")
    scheduler = started("scheduler", "--host", "127.0.0.1", "--port", "0")
    worker = study = None
    try:
        address = wait_for(scheduler, "Scheduler at:").split()[-1]
        worker = started("worker", address, "--nthreads", "1", "--no-nanny")
        engine = f"dask://{address.removeprefix('tcp://')}"
        command = [*STUDY, "--engine", engine]
        study = subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE, text=True)
        wait_for_results(here, study)
        scheduler.kill()
        _, said = study.communicate(timeout=90)
        assert study.returncode == 2
        assert "error: the cluster failed: " in said
        assert "finished jobs are stored" in said
        assert "Traceback" not in said
    finally:
        for process in filter(None, (study, worker, scheduler)):
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()
