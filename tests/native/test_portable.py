"""The native code is ISO C++17: another compiler takes it without extensions or warnings."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from builders.paths import ROOT

NATIVE = ROOT / "src" / "hungjury" / "native"
SOURCES = sorted(NATIVE.glob("*.cpp"))


def nanobind_headers() -> Path:
    found = importlib.util.find_spec("nanobind")
    if found is None or found.origin is None:
        pytest.skip("nanobind is only installed while building: pip install nanobind")
    return Path(found.origin).parent / "include"


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_clang_compiles_without_extensions(source: Path) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed")
    command = ["clang++", "-std=c++17", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"]
    for folder in (sysconfig.get_paths()["include"], nanobind_headers()):
        command += ["-isystem", str(folder)]
    done = subprocess.run(
        [*command, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_there_are_sources() -> None:
    assert len(SOURCES) > 3
