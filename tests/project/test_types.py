"""A user's type checker understands the package: the README's lines, and mistakes in a call."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import hungjury as hj
from builders.paths import ROOT
from hungjury import native
from hungjury.base.named import Named
from hungjury.data.open_scales import SCALINGS
from hungjury.judges.merge import MERGES
from hungjury.judges.weights import WEIGHTS
from hungjury.measures.catalogue import CATALOGUE


def checked(code: str, folder: Path) -> list[str]:
    """What mypy --strict says about a user's file, a line each."""
    pytest.importorskip("mypy", reason="pip install 'hungjury[dev]'")
    path = folder / "example.py"
    path.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", str(path)],  # strict, see pyproject
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if "example.py" in line]


@pytest.mark.long
def test_the_examples_of_the_readme_have_the_right_types(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.S)
    assert blocks
    assert checked("\n".join(blocks), tmp_path) == []


USED = """
import hungjury as hj

qrels = hj.read_qrels({"1": {"a": 1}}, duplicates="first", grades=range(2))
runs = hj.read_runs({"bm25": {"1": {"a": 0.5}}}, ties="input")
scores = hj.evaluate(qrels, runs, [hj.m.nDCG(cutoff=10), "AP"], undefined="drop")
depth: int | None = scores.settings.depth
tau: float = hj.stats.kendall([1, 2], [2, 1])
names: list[str] = [row["name"] for row in hj.merges()]
"""
WRONG = """
import hungjury as hj

hj.read_qrels("qrels", duplicates="frist")
hj.m.nDCG(cutof=10)
hj.m.AP(rel="2")
hj.m.IPrec()
hj.evaluate(3, "run", "AP")
hj.nothing_like_this
hj.m.nDCG(dcg="ln")
"""


@pytest.mark.long
def test_calls_that_are_right_and_wrong(tmp_path: Path) -> None:
    found = checked(USED + WRONG, tmp_path)
    wrong = [USED.count("\n") + line for line in range(4, 11)]
    assert [int(line.split(":")[1]) for line in found if ": error:" in line] == wrong


@pytest.mark.parametrize("cls", list(CATALOGUE), ids=lambda cls: cls.name)
def test_signatures_show_parameters(cls: type[hj.Measure]) -> None:
    shown = inspect.signature(cls).parameters
    assert list(shown) == [f.name for f in cls.params()]
    assert all(p.annotation is not inspect.Parameter.empty for p in shown.values())
    assert list(inspect.signature(cls.__call__).parameters) == ["self", "judged"]


@pytest.mark.parametrize(
    "cls", [*CATALOGUE, *MERGES, *SCALINGS, *WEIGHTS], ids=lambda cls: cls.name
)
def test_choices_are_literal_types(cls: type[Named]) -> None:
    """A type checker refuses the words that the parameter itself refuses."""
    for one in cls.params():
        if one.choices:
            owner = next(base for base in cls.__mro__ if one.name in inspect.get_annotations(base))
            annotation = inspect.get_annotations(owner)[one.name]
            annotation = eval(annotation, vars(sys.modules[owner.__module__]))
            assert get_args(annotation) == one.choices, one.name


def declared(name: str) -> dict[str, str]:
    """The fields of a typed dictionary in the stub of the native module."""
    stub = Path(hj.__file__).parent / "native" / "_core.pyi"
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
            return {ast.unparse(one.target): ast.unparse(one.annotation) for one in fields}
    raise AssertionError(name)


def test_native_tables_are_what_the_stub_says():
    features, labels = native.FeatureTable(), native.LabelTable()
    run = native.RunStream(native.Pool(["1"], ["a"], [0, 1]), "trec", False, 0, 0, False)
    for table, line in ((features, b"1 qid:1 1:2"), (labels, b"1 0 a 1"), (run, b"1 Q0 a 1 1 s")):
        table.feed(line + b"\n")
        table.finish()
    for name, found in (
        ("Features", features.take()),
        ("LabelColumns", labels.take_columns()),
        ("AlignedRun", run.take()),
        ("ActionColumns", native.ActionLog(0).take()),
    ):
        kinds = {
            key: "int" if isinstance(value, int) else f"NDArray[np.{value.dtype}]"
            for key, value in found.items()
        }
        assert kinds == declared(name)
