"""The README's examples run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.S)
    assert found is not None
    return found[1]


def test_the_lines_of_python(capsys: object) -> None:
    names: dict[str, object] = {}
    exec(block("python"), names)
    assert {"scores", "expected"} <= names.keys()


def test_the_lines_of_shell(tmp_path: Path) -> None:
    command = tmp_path / "bin" / "hungjury"
    command.parent.mkdir()
    command.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -c "
        "'from hungjury.cli.main import main; main()' \"$@\"\n"
    )
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", block("sh")],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "demo" / "report.html").stat().st_size > 0
