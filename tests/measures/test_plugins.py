"""Measures of other packages: found by their entry points or by --plugin, and checked by laws."""

import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import hungjury as hj
from builders.paths import ROOT
from hungjury.base.errors import HungjuryError
from hungjury.base.plugins import load_module, load_plugins
from hungjury.measures.base import CATALOGUE, Measure
from hungjury.testing import check_measure

PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
(PROJECT,) = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
GROUP, LINE = re.search(r'entry-points\."(.*?)"\]\n(.*)', PROJECT).groups()
ENTRY = f"[{GROUP}]\n{LINE}\n".replace('"', "")


def early():
    """The module of the page: its first example, down to where it is used."""
    (code,) = re.findall(r"```python\n(from typing.*?)\n\n\nimport hungjury as hj\n", PAGE, re.S)[
        :1
    ]
    return code + "\n"


@pytest.fixture
def installed(tmp_path):
    """The package of the page, as pip would install it into a folder of its own."""
    site = tmp_path / "site"
    info = site / "early_measures-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "early.py").write_text(early())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: early-measures\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY)
    return site


@pytest.mark.long
def test_the_package_can_be_installed(tmp_path):
    package, site = tmp_path / "package", tmp_path / "site"
    package.mkdir()
    (package / "pyproject.toml").write_text(PROJECT)
    (package / "early.py").write_text(early())
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("no uv beside this Python; `make` puts it there")
    words = ["pip", "install", "--quiet", "--no-deps", "--python", sys.executable]
    subprocess.run([uv, *words, "--target", site, package], check=True)
    (entry,) = site.glob("early_measures-1.0*/entry_points.txt")
    assert entry.read_text().split() == ENTRY.split()
    assert (site / "early.py").read_text() == early()


def run(*words, **how):
    command = [sys.executable, "-m", "hungjury", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **how)


def test_an_installed_package_adds_its_measure_everywhere(installed, tmp_path):
    hj.simulate(systems=2, topics=4).write(tmp_path / "demo")
    environment = {"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    files = (f"{tmp_path}/demo/gold.qrels", f"{tmp_path}/demo/runs/*")
    done = run("evaluate", *files, "-m", "early@5", "-m", "E(Early@5)", "--quiet", env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:3] == ["system", "Early@5", "E(Early@5)"]
    assert "Early@cutoff" in run("measures", env=environment).stdout
    board = run("leaderboard", "--judges", f"{tmp_path}/demo/judges/*", "--runs", files[1], "-m",
                "Early@5", "--draws", "100", "--quiet", env=environment)  # fmt: skip
    assert board.stdout.startswith("Early@5 on topics like these"), board.stderr


def test_a_module_in_this_folder(tmp_path):
    (tmp_path / "early.py").write_text(early())
    assert "Early@cutoff" in run("measures", "--plugin", "early", cwd=tmp_path).stdout
    missing = run("measures", "--plugin", "late", cwd=tmp_path)
    assert missing.returncode == 2
    assert "the plugin 'late' cannot be imported" in missing.stderr
    with pytest.raises(HungjuryError, match="no_such_module"):
        load_module("no_such_module")


def test_a_broken_plugin_gives_a_warning(monkeypatch, tmp_path):
    (tmp_path / "broken_plugin.py").write_text("1 / 0\n")
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hungjury.merges]\nbad = broken_plugin\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UserWarning, match="plugin 'bad' of broken could not be loaded: division"):
        load_plugins("hungjury.merges")


class Odd(Measure):
    """Breaks the laws: it counts the list's length, and is not within 0 and 1."""

    formula: ClassVar[str] = "Odd = N"

    def score(self, judged):
        return np.array(judged.length, dtype=float)


def test_what_a_measure_breaks_is_named():
    for name in ("AP", "nDCG@10", "INST"):
        check_measure(name)
    Odd.name = "Odd"
    CATALOGUE.add(Odd)
    try:
        with pytest.raises(AssertionError) as caught:
            check_measure("Odd")
    finally:
        del CATALOGUE._classes["odd"]
    assert "a value is outside 0 to 1" in str(caught.value)
    assert "unjudged documents at the end change it" in str(caught.value)
