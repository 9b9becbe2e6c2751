"""The README's examples run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from builders.paths import ROOT
from oracles.stats import tau_ap as tau_ap_loop

README = (ROOT / "README.md").read_text(encoding="utf-8")


PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


def test_the_lines_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("python")
    names: dict[str, Any] = {}
    exec(code, names)
    assert {"scores", "expected"} <= names.keys()
    truth, estimate = (names[name].to_dict() for name in ("scores", "expected"))
    value = tau_ap_loop(_means(estimate, "eRAP"), _means(truth, "AP"))
    assert float(capsys.readouterr().out.split()[-1]) == pytest.approx(value, abs=6e-4)


def _means(scores: dict[str, dict[str, dict[str, float]]], measure: str) -> list[float]:
    out = []
    for topics in scores.values():
        values = [each[measure] for each in topics.values()]
        out.append(sum(values) / len(values))
    return out


@pytest.mark.long
def test_the_lines_of_shell(tmp_path: Path) -> None:
    _script(
        tmp_path / "bin" / "hungjury",
        f"exec '{sys.executable}' -c 'from hungjury.cli.main import main; main()' \"$@\"",
    )
    _script(tmp_path / "bin" / "pip", "exit 0")
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", "\n".join(blocks("sh"))],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "error:" not in done.stderr
    assert (tmp_path / "demo" / "report.html").stat().st_size > 0


def test_extras_and_files_it_names_exist() -> None:
    for extra in re.findall(r"pip install '\.\[(\w+)\]'", README):
        assert re.search(rf"^{extra} = \[", PYPROJECT, re.M), extra
    for file in re.findall(r'\]\(([\w./-]+)\)|src="([\w./-]+)"', README):
        assert (ROOT / "".join(file)).exists(), file


def _script(path: Path, line: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
