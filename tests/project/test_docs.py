"""The site builds without a warning; its examples and those of the README print what they show."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from builders.commands import hungjury as command
from builders.paths import DOCS, ROOT
from hungjury.judges.merge import MERGES
from hungjury.measures.catalogue import CATALOGUE
from hungjury.studies.papers import RECIPES
from oracles.stats import tau_ap as tau_ap_loop


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "site_tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


examples = load("examples")


@pytest.fixture(autouse=True)
def same_catalogues() -> Iterator[None]:
    """Examples that add to a catalogue do not add to it for other tests."""
    catalogues = (CATALOGUE, MERGES, RECIPES)
    before = [dict(one._classes) for one in catalogues]
    yield
    for one, classes in zip(catalogues, before, strict=True):
        one._classes = classes


PAGES = examples.pages_with_examples()


def test_pages_promise_examples() -> None:
    assert {page.name for page in PAGES} >= {"tutorial.md", "compare-systems.md", "extend.md"}


@pytest.mark.long
@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_examples_print_what_the_page_shows(page: Path) -> None:
    found = list(examples.differences(page))
    told = "\n".join(f"{e}\n--- shown\n{shown}--- printed\n{now}" for e, shown, now in found)
    assert not found, f"{told}\nif this is right, `make examples` writes it into the page"


def test_an_example_that_prints_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- examples: run -->\n```console\n$ echo one\none\n$ echo two\nthree\n```\n"
        "```python\nprint(4)\n```\n\n```text\n5\n```\n"
    )
    assert [e for e, _, _ in examples.differences(page)] == ["$ echo two", "print(4)"]
    assert examples.update(page) == 2
    assert not list(examples.differences(page))


@pytest.mark.first
@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="pip install 'hungjury[docs]'")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
         "-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "html")],
        env={**os.environ, "PYTHONWARNINGS": "ignore::DeprecationWarning"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reference = tmp_path / "html" / "reference"
    assert "<math" in (reference / "measures" / "RBP.html").read_text(encoding="utf-8")
    command = (reference / "commands" / "leaderboard.html").read_text(encoding="utf-8")
    assert "--judge-column" in command
    function = (reference / "python" / "evaluate.html").read_text(encoding="utf-8")
    assert "Score runs against labels: a value for every measure" in function
    assert "src/hungjury/measures/evaluate.py#L" in function


def test_formulas_are_typeset() -> None:
    formulas = load("formulas")
    shown = formulas.typeset("X@k = (1/k) Σ_{n≤k} 2^l_n, l_n: grade at rank n")
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>k</mi></mrow></mfrac>" in shown
    assert "<munder><mo>∑</mo>" in shown
    assert "<msup><mn>2</mn><mrow><msub><mi>l</mi>" in shown
    assert shown.endswith('<p class="letters">l_n: grade at rank n</p></div>')
    for cls in CATALOGUE:
        assert "_" not in re.sub(r"<p.*", "", formulas.typeset(cls.formula)), cls.name


# The README's examples run as they stand.


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
    own = "hungjury simulate -o own; mv own/judges labels; mv own/runs runs\n"  # a user's files
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", own + "\n".join(blocks("sh"))],
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


def test_the_tutorial_runs_after_the_install_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs no package that only other extras install."""
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    code, shown = re.findall(r"```(?:python|text)\n(.*?)```", tutorial, re.S)
    for package in ("pandas", "polars", "pyarrow", "ibis", "duckdb", "lightgbm", "starlette"):
        monkeypatch.setitem(sys.modules, package, None)
    small = ["--topics", "8", "--grades", "4", "--odd", "copycat", "--odd", "constant"]
    assert command("simulate", "-o", "search", *small, cwd=tmp_path).returncode == 0
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert capsys.readouterr().out == shown


def test_extras_and_files_it_names_exist() -> None:
    for extra in re.findall(r"pip install '\.\[(\w+)\]'", README):
        assert re.search(rf"^{extra} = \[", PYPROJECT, re.M), extra
    for file in re.findall(r'\]\(([\w./-]+)\)|src="([\w./-]+)"', README):
        assert (ROOT / "".join(file)).exists(), file


def _script(path: Path, line: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
