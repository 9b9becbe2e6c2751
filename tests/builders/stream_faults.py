"""Every command with a full or closed stdout or stderr; prints what became of each as JSON.

Run as a program in a folder of `sample_files`. Commands run in forks of one process, so that
packages are loaded once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from builders.commands import SAMPLES, invoke

FAULTS = ("none", "stdout full", "stdout closed", "stderr full", "stderr closed")
LIMIT = 120  # seconds
# Packages that start threads do not survive a fork, and one study is like another.
LEFT_OUT = ("compare-rankers", "train", "rank", "clicks", "study", "theory figure")


def main() -> None:
    found = {}
    for name, words in SAMPLES.items():
        if name.startswith(LEFT_OUT):
            continue
        invoke(*name.split(), *words)  # loads what the command needs
        found[name] = {fault: _ended(fault, [*name.split(), *words]) for fault in FAULTS}
    sys.stdout.write(json.dumps(found))


def _ended(fault: str, words: list[str]) -> dict[str, object]:
    """Exit code, and what got through to stdout and stderr."""
    child = os.fork()
    if child == 0:
        _become(fault, words)
    _, status = os.waitpid(child, 0)
    out, err = (Path(name).read_text() for name in ("stdout.txt", "stderr.txt"))
    return {"code": os.waitstatus_to_exitcode(status), "stdout": out, "stderr": err}


def _become(fault: str, words: list[str]) -> None:
    from hungjury.cli.main import main as command

    signal.alarm(LIMIT)
    for number, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(f"{name}.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        full = fault == f"{name} full"
        os.dup2(os.open("/dev/full", os.O_WRONLY) if full else file, number)
        if fault == f"{name} closed":  # as Python starts without it
            os.close(number)
            setattr(sys, name, None)
    sys.argv = ["hungjury", *words]
    code: object = 0
    try:
        command()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        code = 99
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code if isinstance(code, int) else 98)


if __name__ == "__main__":
    main()
