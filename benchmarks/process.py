"""Starting contenders and measuring them from outside."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

from benchmarks.suite import Contender, Measured

__all__ = ["measure"]

Say = Callable[[str], None]
EMPTY = "{empty}"  # in a command: a new, empty folder
ANSWER = 1 << 18  # bytes at the end of what a contender prints that may hold its answer


@dataclass(frozen=True)
class Once:
    """One start of a contender, from the outside."""

    seconds: float
    cpu: float
    peak_mb: float
    answer: dict[str, Any]
    problem: str = ""

    @property
    def work(self) -> float:
        """The seconds that the contender itself counted, else those of the whole process."""
        return float(self.answer.get("seconds", self.seconds))


def measure(contenders: Sequence[Contender], repeats: int, say: Say) -> list[Measured]:
    """Start every contender `repeats` times, in rounds: whatever else the machine does in the
    meantime meets all of them alike. A contender that fails is not started again."""
    measured = [Measured(one) for one in contenders]
    for one in measured:
        one.problem = _absent(one.contender)
    for turn in range(repeats):
        say(f"round {turn + 1} of {repeats}")
        for one in measured:
            most = one.contender.most
            if one.problem or (most is not None and turn >= most):
                continue
            once = _run(one.contender)
            if once.problem:
                one.problem = once.problem
                continue
            seconds = once.seconds if one.contender.whole else once.work
            one.seconds.append(seconds)
            one.cpu.append(once.cpu)
            one.peak_mb.append(once.peak_mb)
            one.values = once.answer.get("values", {})
            say(f"  {one.name}: {seconds:.3f} s, {once.peak_mb:.0f} MB")
    return measured


def _absent(contender: Contender) -> str:
    if contender.package is None or importlib.util.find_spec(contender.package):
        return ""
    return f"{contender.package} is not installed"


def _run(contender: Contender) -> Once:
    env = {**os.environ, **contender.env}
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryFile() as out:
        if contender.fresh_folder is not None:
            env[contender.fresh_folder] = empty
        command = [word.replace(EMPTY, empty) for word in contender.command]
        with tempfile.TemporaryFile() as err:
            return _timed(command, env, out, err, contender.answers)


def _timed(
    command: Sequence[str], env: dict[str, str], out: IO[bytes], err: IO[bytes],
    answers: Sequence[int] = (),
) -> Once:  # fmt: skip
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=out, stderr=err, env=env)
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        child.kill()
        child.wait()
        raise
    seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    # A child's peak never falls below that of the process that started it: this one stays small
    # and imports nothing big.
    peak_mb = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    cpu = usage.ru_utime + usage.ru_stime
    if child.returncode and child.returncode not in answers:
        err.seek(0)
        said = err.read().decode("utf-8", "replace").strip().splitlines()
        return Once(seconds, cpu, peak_mb, {}, f"exit {child.returncode}: {' '.join(said[-1:])}")
    out.seek(max(out.seek(0, os.SEEK_END) - ANSWER, 0))
    answer = _answer(out.read())
    return Once(seconds, cpu, peak_mb, answer)


def _answer(printed: bytes) -> dict[str, Any]:
    """The JSON object in the last line of what was printed, if there is one."""
    lines = printed.decode("utf-8", "replace").strip().splitlines()
    if not lines or not lines[-1].startswith("{"):
        return {}
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer
