"""Jobs for the tests of studies: here, so that workers find them by name; and how to run them."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np

from builders.processes import ENVIRONMENT
from hungjury.studies.jobs import run_work

SCRIPT = [sys.executable, "-m", "builders.study_script"]


def draw(data, seed, count):
    """Random numbers, and something of the data."""
    rng = np.random.default_rng(seed)
    return {"values": rng.random(count), "topics": data.gold.topics, "documents": len(data.gold)}


def slow(data, seed, log, seconds):
    """The same, slowly. A line of the log is a start: key, then process; those that ended stand in
    a second log. From as many starts as the environment's HANG_AT says, no job ends."""
    line = f"{seed} {os.getpid()}\n".encode()
    starts = append(log, line).count(b"\n")
    time.sleep(600 if starts >= int(os.environ.get("HANG_AT", "1000")) else seconds)
    append(f"{log}-ended", line)
    return draw(data, seed, 3)


def append(path, line):
    """What is in a file after adding a line, at once, as others may do at the same time."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    os.write(handle, line)
    lines = os.pread(handle, os.fstat(handle).st_size, 0)
    os.close(handle)
    return lines


def picky(data, seed, number, log):
    """Fails for odd numbers until the log says otherwise."""
    if number % 2 and not os.path.exists(log):
        raise ValueError(f"{number} is odd\nand that is that")
    return number


def threads(data, seed):
    time.sleep(0.2)
    return [os.getpid(), os.environ.get("HUNGJURY_THREADS", "")]


def unstorable(data, seed):
    return object()


def deadly(data, seed, number):
    if number == 0:
        os._exit(9)
    time.sleep(0.05)
    return number


def run_jobs(jobs, sources, store, *more, **others):
    """The jobs of one collection."""
    (finished,) = run_work([(sources, list(jobs))], store, *more, **others)
    return finished


def reused(said):
    """What a study announces: jobs that are stored already, and those that were done otherwise."""
    form = r"\d+ jobs?: (\d+) stored already, \d+ to do(?: \((\d+) of them .*\))?"
    stored, outdated = re.fullmatch(form, said).groups(default="0")
    return int(stored), int(outdated)


def stored_keys(path):
    """Read as a stranger: from another connection, after the writer's death."""
    base = sqlite3.connect(path)
    try:
        return {key for (key,) in base.execute("select key from results")}
    except sqlite3.OperationalError:
        return set()
    finally:
        base.close()


def starts(log):
    return log.read_text().splitlines() if log.exists() else []


def kill_at_work(command, log, at):
    """Run a study whose jobs hang from this start on, and kill it with all its workers."""
    environment = {**ENVIRONMENT, "HANG_AT": str(at)}
    with subprocess.Popen(command, start_new_session=True, env=environment) as study:
        while len(starts(log)) < at and study.poll() is None:
            time.sleep(0.01)
        assert study.poll() is None, "the study has to be killed while it is at work"
        time.sleep(0.5)  # the results of the jobs before are being stored
        os.killpg(study.pid, signal.SIGKILL)
