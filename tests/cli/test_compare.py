"""hungjury compare, as a person or a script meets it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from builders.paths import DOCS
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury


def run(*arguments: str) -> Result:
    return CliRunner().invoke(hungjury, ["compare", *arguments])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    done = CliRunner().invoke(
        hungjury, ["simulate", "-o", str(folder), "--systems", "4", "--topics", "12"]
    )
    assert done.exit_code == 0
    return folder


@pytest.fixture
def files(demo: Path) -> list[str]:
    return [f"{demo}/gold.qrels", f"{demo}/runs/*"]


def test_a_baseline_and_a_test(files: list[str]) -> None:
    done = run(*files, "-m", "nDCG@10", "--baseline", "system2", "--test", "randomisation",
               "--correction", "bonferroni", "--samples", "500", "--seed", "3")  # fmt: skip
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("against system2; Fisher's randomisation test")
    assert "at most 500 samples, seed 3" in lines[0]
    assert "p (bonferroni)" in lines[4]
    assert lines[5].split()[:2] == ["nDCG@10", "system2"]
    assert len(lines) == 9


def test_all_pairs_and_default_measures(files: list[str]) -> None:
    done = run(*files, "--quiet")
    assert done.stdout.startswith("all pairs; Student's t test")
    header = done.stdout.splitlines()[4].split()
    assert header == ["system", "nDCG@10", "AP", "P@10", "RR"]
    assert done.stderr == ""


def test_every_format(files: list[str], tmp_path: Path) -> None:
    common = (*files, "-m", "AP", "--baseline", "system1")
    rows = list(csv.DictReader(io.StringIO(run(*common, "--format", "csv").stdout)))
    assert {row["versus"] for row in rows} == {"system1"}
    data = json.loads(run(*common, "--format", "json").stdout)
    assert [float(row["p"]) for row in rows] == [row["p"] for row in data["comparisons"]]
    out = tmp_path / "table.tex"
    done = run(*common, "--format", "latex", "-o", str(out))
    assert done.stdout == ""
    assert r"\begin{tabular}" in out.read_text()


def test_the_flags_of_evaluate_are_there(files: list[str], demo: Path) -> None:
    depth = run(*files, "-m", "AP", "--baseline", "system1", "-M", "5", "--format", "csv")
    cutoff = run(*files, "-m", "AP@5", "--baseline", "system1", "--format", "csv")
    assert depth.stdout.replace("AP,", "AP@5,") == cutoff.stdout
    some = run(*files, "-m", "AP", "--topics", "1,2,3", "--rel", "1", "--names", "stem")
    assert some.exit_code == 0, some.output
    assert "paired over 3 topics" in some.stdout


def test_topics_that_a_run_lacks_are_told(demo: Path, tmp_path: Path) -> None:
    for name in ("system1", "system2"):
        text = (demo / "runs" / f"{name}.run").read_text()
        kept = [line for line in text.splitlines(True) if name == "system2" or line[:2] != "1 "]
        (tmp_path / f"{name}.run").write_text("".join(kept))
    done = run(f"{demo}/gold.qrels", f"{tmp_path}/*.run", "-m", "AP", "--topics", "retrieved")
    assert "AP is compared on the 11 topics that all systems have, 1 left out" in done.stderr
    assert "paired over 11 topics" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--baseline", "sistem1"), "did you mean 'system1'"),
        (("-m", "GMAP"), "differ by a factor"),
        (("--topics", "1"), "1 topic in common"),
    ],
)
def test_errors_have_a_remedy(files: list[str], arguments: tuple[str, ...], said: str) -> None:
    problem = run(*files, "-m", "AP", *arguments).exception
    assert isinstance(problem, HungjuryError)
    assert said in str(problem)


@pytest.mark.parametrize("flag", [("--alpha", "0"), ("--test", "f"), ("--samples", "0")])
def test_bad_flags_are_refused(files: list[str], flag: tuple[str, str]) -> None:
    assert run(*files, *flag).exit_code == 2


PAGE = DOCS / "how-to" / "compare-systems.md"


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    exec(code, {})
    assert "against system3" in capsys.readouterr().out
