"""Processes that tests start: parts of a Dask cluster, and waiting for what a process says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Jobs of the tests are found by the workers too.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}


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
