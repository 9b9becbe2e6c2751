"""Processes that tests start: parts of a Dask cluster, and waiting for what a process says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from builders.paths import TESTS

# Processes find what the tests have, jobs for workers among it.
PLACES = (str(TESTS), os.environ.get("PYTHONPATH", ""))
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, PLACES))}


def started(part: str, *arguments: str) -> subprocess.Popen[str]:
    """The scheduler or a worker of a Dask cluster."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{part}", *arguments, "--no-dashboard"]
    return subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=ENVIRONMENT
    )


def wait_for(process: subprocess.Popen[str], words: str) -> str:
    """The line of standard error that has these words."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"{process.args} ended without saying {words!r}")


def hungjury(
    *arguments: str, cwd: Path | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, as a shell does."""
    call = [sys.executable, "-c", "from hungjury.cli.main import main; main()", *arguments]
    return subprocess.run(call, cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
