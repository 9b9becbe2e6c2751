"""CONTRIBUTING.md names what has to be touched to add something, and in how many lines.

Each example of `docs/extend.md` is added to a copy of the package, in the files that the guide
names and nowhere else; then it has to be there for users.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from builders.paths import DOCS, ROOT
from hungjury.native import _core

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXTEND = (DOCS / "extend.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| \[(.+?)\]\(docs/extend\.md#(.+?)\) \| (.+?) \| (\d+) \|$", re.M)


@dataclass(frozen=True)
class Row:
    """A thing to add: the section about it, what is touched, and the lines that it takes."""

    section: str
    touched: tuple[str, ...]
    lines: int


ROWS = {
    what: Row(section, tuple(re.findall(r"`(.+?)`", where)), int(lines))
    for what, section, where, lines in ROW.findall(GUIDE)
}


def example(section: str) -> str:
    """The first code of a section."""
    title = section.replace("-", " ").capitalize()
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", EXTEND, re.S | re.M)
    assert found is not None, f"docs/extend.md has no section '{title}'"
    code = re.search(r"^```py(?:thon)?\n(.*?)^```$", found[1], re.S | re.M)
    assert code is not None
    return code[1]


def declaration(code: str) -> tuple[str, str]:
    """The imports of an example, and what it declares; what it prints is left out."""
    imports, declared = [], []
    for node in ast.parse(code).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if ast.unparse(node) != "import hungjury as hj":
                imports.append(ast.unparse(node))
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) or is_entry(node):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            declared += ["", "", *code.splitlines()[first - 1 : node.end_lineno]]
    return "\n".join(imports), "\n".join(declared) + "\n"


def is_entry(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node).startswith("FORMATS.append(")


def lines_of(declared: str) -> int:
    return sum(bool(line.strip()) for line in declared.splitlines())


def add_to_file(code: str, touched: list[Path]) -> None:
    """A declaration at the end of the file."""
    imports, declared = declaration(code)
    (path,) = touched
    path.write_text(f"{path.read_text('utf-8')}\n{imports}\n{declared}", encoding="utf-8")


def add_recipe(code: str, touched: list[Path]) -> None:
    """A new file, and the line that imports it."""
    folder, package = touched
    imports, declared = declaration(code)
    shared = "import hungjury as hj\nfrom hungjury.base.parameters import param\n"  # by the page
    (folder / "spread.py").write_text(f"{shared}{imports}\n{declared}", encoding="utf-8")
    line = "from hungjury.studies.papers.spread import Spread\n"
    package.write_text(f"{package.read_text('utf-8')}{line}", encoding="utf-8")


def add_option(code: str, touched: list[Path]) -> None:
    """An entry at the end of the options for labels."""
    (path,) = touched
    text = path.read_text("utf-8")
    entries = re.search(r"^class LabelOptions\(.*?\n(?=\n\nclass )", text, re.S | re.M)
    assert entries is not None
    path.write_text(f"{text[: entries.end()]}{code}{text[entries.end() :]}", encoding="utf-8")


# Finders of an editable install would find the package itself, not its copy.
HEAD = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
import hungjury as hj
from click.testing import CliRunner
from hungjury.cli.main import hungjury

def command(*words):
    return CliRunner().invoke(hungjury, words).output

made = hj.simulate(systems=2, topics=3)
made.write("made")
"""
# How it is added, and code that fails where it is not there.
ADDED: dict[str, tuple[Callable[[str, list[Path]], None], str]] = {
    "a measure": (
        add_to_file,
        """
scores = hj.evaluate(made.gold, made.runs, "early@5")
assert 0 < scores.mean().mean() < 1
assert "Early" in command("measures")
""",
    ),
    "a merge": (
        add_to_file,
        """
assert hj.merge(made.judgments, "unanimous(high=0.7)", rel=1).p.max() == 0.7
assert "unanimous" in [merge["name"] for merge in hj.merges()]
""",
    ),
    "a format": (
        add_to_file,
        """
with open("labels.txt", "w") as file:
    file.write("#pipes\\n1|a|2\\n1|b|0\\n")
assert hj.read_qrels("labels.txt").to_text() == "1 0 a 2\\n1 0 b 0\\n"
assert "2 documents judged for 1 topic" in command("audit", "labels.txt")
""",
    ),
    "a reading option": (
        add_option,
        """
labels = {"1": {"a": 1, "b": 0}}
assert hj.read_qrels(labels, case="lower").settings.case == "lower"
assert hj.evaluate(labels, labels, "AP", case="keep").settings.labels.case == "keep"
assert "case : " in hj.read_judgments.__doc__
assert "--case [keep|lower]" in command("evaluate", "--help")
""",
    ),
    "a study recipe": (
        add_recipe,
        """
found = command("study", "spread", "--data", "made", "--rel", "1", "-o", "out", "--jobs", "1")
assert len(open("out/spread/made/table-1-Spread.csv").readlines()) == 3, found
""",
    ),
}


def test_the_guide_has_all_of_them() -> None:
    assert list(ROWS) == list(ADDED)


@pytest.mark.parametrize("what", ADDED)
def test_lines(what: str) -> None:
    code, row = example(ROWS[what].section), ROWS[what]
    declared = code if what == "a reading option" else declaration(code)[1]
    assert row.lines == lines_of(declared)


def test_the_examples_need_only_the_files_that_are_named(tmp_path: Path) -> None:
    """No two of them touch the same file."""
    ignored = shutil.ignore_patterns("*.cpp", "*.h")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    shutil.copy(_core.__file__, tmp_path / "src" / "hungjury" / "native")
    for what, (add, _) in ADDED.items():
        touched = [tmp_path / path for path in ROWS[what].touched]
        assert all(path.exists() for path in touched), touched
        add(example(ROWS[what].section), touched)
    assert len({path for row in ROWS.values() for path in row.touched}) == 6
    done = subprocess.run(
        [sys.executable, "-c", HEAD + "".join(check for _, check in ADDED.values())],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_files_and_commands_of_the_guide_exist() -> None:
    for path in re.findall(r"`((?:src|tests|docs)/[^`*]+)`", GUIDE):
        assert (ROOT / path).exists(), path
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake ([a-z]+)", GUIDE):
        assert re.search(rf"^(?:\w+ )*{target}(?: \w+)*:", makefile, re.M), target
    for page in re.findall(r"\]\(([\w./]+\.md)", GUIDE):
        assert (ROOT / page).exists(), page
