"""Jobs for the tests of studies: here, so that workers find them by name; and how to run them."""

import os
import time

import numpy as np

from hungjury.studies.runner import run_work


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
