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


def decide(action: Any, folder: Path, arguments: str, undecided: str = "pass") -> Any:
    """Run the step that decides, with hungjury on the path as the first step installs it."""
    (step,) = (step for step in action["runs"]["steps"] if step["name"] == "Decide")
    bin = folder / "bin"
    bin.mkdir(exist_ok=True)
    command = bin / "hungjury"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hungjury "$@"\n')
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
    hj.simulate(topics=40, systems=8, seed=1).write(tmp_path)
    files = "--qrels gold.qrels --runs 'runs/*'"
    better = decide(action, tmp_path, f"{files} --baseline system8 --candidate system1")
    assert better.returncode == 0, better.stderr
    assert "system1" in (tmp_path / "summary.md").read_text()
    worse = decide(action, tmp_path, f"{files} --baseline system1 --candidate system8")
    assert worse.returncode == 1
    wrong = decide(action, tmp_path, f"{files} --baseline system1 --candidate nobody")
    assert wrong.returncode == 2


def test_undecided_is_the_users_choice(action: Any, tmp_path: Path) -> None:
    hj.simulate(topics=4, systems=3, seed=1).write(tmp_path)
    words = "--qrels gold.qrels --runs 'runs/*' --baseline system1 --candidate system2"
    codes = [decide(action, tmp_path, words, how).returncode for how in ("pass", "fail")]
    assert codes == [0, 3]


def test_arguments_are_not_run_as_code(action: Any, tmp_path: Path) -> None:
    decide(action, tmp_path, "--qrels $(touch evil) ; touch evil")
    assert not (tmp_path / "evil").exists()
