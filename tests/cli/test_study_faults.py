"""A study whose store is damaged or whose disk is full: an error with exit code 2."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hungjury.cli.main import hungjury as group

COMMAND = [sys.executable, "-m", "hungjury", "study", "markov", "--data", "demo", "-o", "out",
           "--jobs", "1", "--quiet"]  # fmt: skip


@pytest.fixture
def here(tmp_path: Path) -> Path:
    words = ["simulate", "-o", str(tmp_path / "demo"), "--systems", "3", "--topics", "4"]
    assert CliRunner().invoke(group, [*words, "--depth", "10"]).exit_code == 0
    return tmp_path


def test_a_damaged_store_is_an_error(here: Path) -> None:
    folder = here / "out" / "markov"
    folder.mkdir(parents=True)
    (folder / "jobs.sqlite").write_bytes(b"SQLite format 3\x00" + b"rubbish" * 1000)
    done = subprocess.run(COMMAND, cwd=here, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "remedy:" in done.stderr


def test_a_store_that_cannot_grow_is_an_error(here: Path) -> None:
    def small() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(here)}
    done = subprocess.run(
        COMMAND, cwd=here, env=env, capture_output=True, text=True, preexec_fn=small
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "remedy:" in done.stderr
