"""The GitHub Action of the gate: its steps, run as a runner would run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from builders.paths import ROOT

yaml = pytest.importorskip("yaml")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="its steps are for bash")


@pytest.fixture
def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def decide(action: Any, folder: Path, arguments: str, does: str, undecided: str = "pass") -> Any:
    """Run the step that decides; what `hungjury` does is a line of shell."""
    (step,) = (step for step in action["runs"]["steps"] if step["name"] == "Decide")
    bin = folder / "bin"
    bin.mkdir(exist_ok=True)
    command = bin / "hungjury"
    command.write_text(f"#!/bin/sh\n{does}\n")
    command.chmod(0o755)
    (bin / "python").unlink(missing_ok=True)
    (bin / "python").symlink_to(sys.executable)
    given = {"HUNGJURY_ARGUMENTS": arguments, "HUNGJURY_UNDECIDED": undecided,
             "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}  # fmt: skip
    assert set(step["env"]) <= set(given)
    path = f"{bin}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=folder, env={**os.environ, **given, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_gate_decides_the_job(action: Any, tmp_path: Path) -> None:
    hj.simulate(topics=20, systems=8, documents=50, depth=20, seed=1).write(tmp_path)
    words = "--qrels gold.qrels --runs 'runs/*' --baseline system1 --candidate system8"
    worse = decide(action, tmp_path, words, f'exec "{sys.executable}" -m hungjury "$@"')
    assert worse.returncode == 1, worse.stderr
    assert "system8" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize(
    ("code", "undecided", "job"),
    [(0, "fail", 0), (1, "pass", 1), (2, "pass", 2), (3, "pass", 0), (3, "fail", 3)],
)
def test_undecided_is_the_users_choice(
    action: Any, tmp_path: Path, code: int, undecided: str, job: int
) -> None:
    """The gate's exit code is the job's: 0 not worse, 1 worse, 2 an error, 3 undecided."""
    done = decide(action, tmp_path, "--qrels 'my gold'", f"echo $*; exit {code}", undecided)
    assert done.returncode == job, done.stderr
    assert "gate --qrels my gold" in (tmp_path / "summary.md").read_text() + done.stdout


def test_arguments_are_not_run_as_code(action: Any, tmp_path: Path) -> None:
    decide(action, tmp_path, "--qrels $(touch evil) ; touch evil", "exit 0")
    assert not (tmp_path / "evil").exists()
