"""The house has one direction: a file imports only from its own room or from rooms above it."""

import ast
import functools
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hungjury
from builders.paths import ROOT
from hungjury.measures.catalogue import CATALOGUE

PACKAGE = Path(hungjury.__file__).parent
# From top to bottom; rooms on one line are neighbours and may use each other's public names.
ROOMS = [
    ["base"],
    ["native"],
    ["stats"],
    ["data"],
    ["users"],
    ["measures"],
    ["m"],
    ["testing"],
    ["judges"],
    ["comparison"],
    ["leaderboard", "theory", "studies", "ltr"],
    ["projects"],
    ["report"],
    ["labelling"],
    ["cli"],
    ["__main__"],
]
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}
HEAVY = {"dask", "distributed", "ibis", "ir_datasets", "ir_measures", "jinja2", "joblib",
         "lightgbm", "matplotlib", "narwhals", "pandas", "polars", "pyarrow",
         "scipy", "sklearn", "starlette", "statsmodels", "uvicorn"}  # fmt: skip


def files(package):
    return sorted(p for p in package.rglob("*.py") if p != package / "__init__.py")


def room_of(path, package):
    first = path.relative_to(package).parts[0]
    return first.removesuffix(".py")


@functools.cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def statements_of(path):
    """All statements of a file, those inside others too; expressions are not searched."""
    found, left = [], [tree_of(path)]
    while left:
        inside = left.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            parts = getattr(inside, name, [])
            left += parts
            found += parts
    return found


def inside_imports(path, package):
    """(line, room or None for the package itself, dotted name below the package)."""
    here = ["hungjury", *path.relative_to(package).with_suffix("").parts]
    for node in statements_of(path):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = here[: len(here) - node.level] if node.level else []
            start = [*start, *(node.module.split(".") if node.module else [])]
            names = [[*start, alias.name] for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "hungjury" and not name[-1].startswith("__"):
                room = name[1] if len(name) > 1 and name[1] in FLOOR else None
                yield node.lineno, room, name[1:]


def upward(package):
    """Every import that goes down the list of rooms, or to no room at all, as a sentence."""
    found = []
    for path in files(package):
        mine = room_of(path, package)
        for line, room, name in inside_imports(path, package):
            allowed = mine == "cli" if room is None else FLOOR[room] <= FLOOR.get(mine, 0)
            if not allowed:
                what = ".".join(name) or "the package itself"
                found.append(f"{path.relative_to(package)}:{line} imports {what}")
    return found


def top_level(tree):
    """Statements that run on import: not those inside functions or `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or typing_only:
            continue
        yield node
        if isinstance(node, ast.stmt):  # expressions import nothing
            yield from top_level(node)


PRINTS = re.compile(r"print\(|exit\(|quit\(|SystemExit|sys\.std(?:out|err)\.")


def prints_or_exits(path):
    """Lines that print, or end the process."""
    maybe = PRINTS.search(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree_of(path)) if maybe else ():
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("print", "exit", "quit", "sys.exit", "os._exit", "SystemExit") or (
                called.startswith(("sys.stdout.", "sys.stderr."))
            ):
                yield node.lineno, called
        elif isinstance(node, ast.Raise) and node.exc and ast.unparse(node.exc) == "SystemExit":
            yield node.lineno, "SystemExit"


def test_every_file_has_a_room():
    strangers = {room_of(p, PACKAGE) for p in files(PACKAGE)} - set(FLOOR)
    assert not strangers, f"say in ROOMS where these belong: {sorted(strangers)}"


def test_nothing_imports_upward():
    assert upward(PACKAGE) == []


def test_results_name_functions_of_report_that_exist():
    """Pictures and pages of a result are made by `report`, which it calls by name when asked."""
    asked = re.compile(r'(?:in_report|_drawn)\(\s*"([\w.]+)"|drawn_by = "(\w+)"')
    named = {
        name or f"study_plots.{drawn}"
        for path in files(PACKAGE)
        for name, drawn in asked.findall(path.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    for name in named:
        module, function = name.split(".")
        assert callable(getattr(importlib.import_module(f"hungjury.report.{module}"), function))


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("stats/tau.py", "from hungjury.data.pool import Pool"),
        ("stats/tau.py", "def f():\n    import hungjury.measures.evaluate"),
        ("data/pool.py", "from hungjury import measures"),
        ("data/pool.py", "from ..measures import scores"),
        ("data/pool.py", "from .. import judges"),
        ("base/named.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
                     "    from hungjury.stats import tau"),
        ("measures/evaluate.py", "import hungjury"),
        ("measures/evaluate.py", "from hungjury import read_qrels"),
        ("report/text.py", "from hungjury.cli.main import main"),
    ],
)  # fmt: skip
def test_an_upward_import_is_seen(tmp_path, file, code):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(code)
    assert len(upward(tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("data/pool.py", "from hungjury import native\nfrom hungjury.base.errors import A"),
        ("data/pool.py", "from . import notes\nfrom .notes import Note\nimport numpy"),
        ("measures/scores.py", "from hungjury.base.errors import Note"),
        ("theory/axioms.py", "from hungjury.studies import power"),
        ("cli/main.py", "from hungjury import __version__\nimport hungjury"),
    ],
)
def test_a_downward_import_is_fine(tmp_path, file, code):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(code)
    assert upward(tmp_path) == []


def test_private_names_stay_in_their_room():
    private = [
        f"{path.relative_to(PACKAGE)}:{line} imports {'.'.join(name)}"
        for path in files(PACKAGE)
        for line, room, name in inside_imports(path, PACKAGE)
        if room != room_of(path, PACKAGE) and any(part.startswith("_") for part in name)
    ]
    assert private == []


def test_no_heavy_package_is_imported_by_importing_a_module():
    heavy = []
    for path in files(PACKAGE):
        for node in top_level(tree_of(path)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            heavy += [
                f"{path.relative_to(PACKAGE)}:{node.lineno} imports {name}"
                for name in names
                if name.split(".")[0] in HEAVY
            ]
    assert heavy == []


def test_only_the_command_line_prints_or_exits():
    found = [
        f"{path.relative_to(PACKAGE)}:{line} calls {what}"
        for path in [*files(PACKAGE), PACKAGE / "__init__.py"]
        if room_of(path, PACKAGE) != "cli"
        for line, what in prints_or_exits(path)
    ]
    assert found == []


@pytest.mark.parametrize(
    "code", ["print(1)", "import sys\nsys.exit(2)", "raise SystemExit", "raise SystemExit(2)",
             "import sys\nsys.stderr.write('x')"],
)  # fmt: skip
def test_printing_is_seen(tmp_path, code):
    path = tmp_path / "x.py"
    path.write_text(code)
    assert len(list(prints_or_exits(path))) == 1


def loaded_after(statement):
    """The outside packages that a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport sys\nprint(*{{m.split('.')[0] for m in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_heavy():
    loaded = loaded_after("import hungjury")
    assert "hungjury" in loaded
    assert not loaded & {"numpy", *HEAVY}


# What an evaluation of plain files does without. It needs numpy, which takes half of its time.
UNUSED = {*HEAVY, "concurrent", "csv", "glob", "isal", "json", "logging", "numpy.ma",
          "numpy.random", "pathlib", "queue", "rich", "shutil", "sqlite3", "tempfile",
          "hungjury.report", "hungjury.judges"}  # fmt: skip
BEFORE = "import sys\nbefore = {*sys.modules}"
AFTER = "print(*{*sys.modules} - before, file=sys.stderr)"


def small_collection(folder):
    (folder / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    (folder / "run").write_text("1 Q0 a 1 2.0 bm25\n1 Q0 b 2 1.0 bm25\n2 Q0 c 1 1.0 bm25\n")
    return str(folder / "qrels"), str(folder / "run")


@pytest.mark.parametrize("surface", ["command", "script"])
def test_evaluating_imports_only_what_it_needs(tmp_path, surface):
    qrels, run = small_collection(tmp_path)
    measures = ["AP", "nDCG@10", "P@10", "Bpref"]
    if surface == "command":
        words = ["hungjury", "evaluate", qrels, run, *(w for m in measures for w in ("-m", m))]
        code = f"sys.argv = {words}\nfrom hungjury.cli import start\nstart()"
    else:
        code = f"import hungjury as hj\nprint(hj.evaluate({qrels!r}, {run!r}, {measures}))"
    code = f"{BEFORE}\n{code}\n{AFTER}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "bm25" in done.stdout
    loaded = set(done.stderr.split())
    assert {"numpy", "hungjury.measures.evaluate"} <= loaded
    assert not loaded & UNUSED


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_of_the_program_is_printed_without_click(flag):
    code = f"{BEFORE}\nsys.argv = ['hungjury', {flag!r}]\nfrom hungjury.cli import start\nstart()"
    code = f"{code}\n{AFTER}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: hungjury [OPTIONS] COMMAND [ARGS]...\n\n  Retrieval")
    assert not set(done.stderr.split()) & {"click", "inspect", *UNUSED} - {"shutil"}


def test_no_class_compiles_methods_when_it_is_defined():
    """A frozen dataclass takes half a millisecond to define; a `Record` takes a tenth of it."""
    compiled = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for path in files(PACKAGE)
        for node in statements_of(path)
        if isinstance(node, ast.ClassDef)
        and any("dataclass(frozen=True" in ast.unparse(one) for one in node.decorator_list)
    ]
    assert compiled == [], "make them subclasses of hungjury.base.records.Record"


def test_commands_do_not_search_modules_for_garbage(tmp_path):
    """While they are imported, or at exit; whoever imports the package keeps Python's settings."""
    qrels, run = small_collection(tmp_path)
    code = (
        f"import gc, sys; sys.argv = ['hungjury', 'evaluate', {qrels!r}, {run!r}]; "
        "usual = gc.get_threshold(); import hungjury.cli.main, hungjury.measures.evaluate; "
        "print(gc.get_threshold() == usual); "
        "from hungjury.cli import OBJECTS, start; start(); print(gc.get_threshold()[0] == OBJECTS)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("True", "True")


@pytest.mark.parametrize(("asked", "turns"), [(None, "16"), ("20", "20")])
def test_idle_threads_of_linear_algebra_leave_the_other_cores_alone(asked, turns):
    """They read it when numpy is imported; whoever sets it keeps his number."""
    code = (
        "import os, sys; sys.argv = ['hungjury', '--help']; from hungjury.cli import start; "
        "start(); print('numpy' in sys.modules, os.environ['OPENBLAS_THREAD_TIMEOUT'])"
    )
    others = {name: value for name, value in os.environ.items() if "OPENBLAS" not in name}
    environment = others if asked is None else {**others, "OPENBLAS_THREAD_TIMEOUT": asked}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == f"False {turns}"


def test_leaderboards_do_without_scipy():
    """It takes longer to import than a small leaderboard takes to make."""
    loaded = loaded_after(
        "import hungjury as hj\nmade = hj.simulate(topics=2, documents=60)\n"
        "for merge in ('binmv', 'em-mv'):\n"
        "    hj.leaderboard(made.judgments, made.runs, 'nDCG@10', merge, draws=100)"
    )
    assert "numpy" in loaded
    assert "scipy" not in loaded


def test_importing_the_command_line_does_not_import_numpy():
    if importlib.util.find_spec("hungjury.cli") is None:
        pytest.skip("there is no command line yet")
    loaded = loaded_after("import hungjury.cli.main")
    assert not loaded & {"numpy", *HEAVY}


TOP = {
    "read_runs", "read_qrels", "read_judgments", "audit", "evaluate", "score_list", "measure",
    "measures", "merge", "merges", "aware", "agreement", "prm", "leaderboard", "compare",
    "plan", "gate", "agreement_with_gold", "calibrate", "train_ranker", "simulate",
    "Qrels", "Judgments", "Runs", "Scores", "Leaderboard", "Comparison", "Merged", "Agreement",
    "Measure", "Plan", "HungjuryError", "Audit", "AwareScores", "BoardRow", "Curve", "Gate",
    "GoldAgreement", "MeasureInfo", "MergeInfo", "Note", "PRM", "Plot", "Simulation", "Table",
    "Project", "diff", "Changes", "read_scores", "JudgeScores", "Gates",
    "read_answers", "Answers", "doctor", "Diagnosis", "Dominance", "PRMScores",
    "compare_merges", "ComparedMerge", "MergeComparison", "merge_table", "MergedTable",
    "leaderboards", "leaderboard_of_scores", "aware_of_scores", "ScoreBoard", "to_ir_measures",
    "m", "stats", "theory", "studies", "ltr", "testing", "users",
}  # fmt: skip
SPACES = ["", ".stats", ".theory", ".studies", ".ltr", ".users"]


@pytest.mark.parametrize("space", SPACES)
def test_every_public_name_is_there(space):
    module = importlib.import_module(f"hungjury{space}")
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert {name for name in dir(module) if not name.startswith("__")} == set(module.__all__)
    with pytest.raises(AttributeError, match="nothing_like_this"):
        module.nothing_like_this  # noqa: B018


def test_the_top_level_holds_what_people_meet():
    assert set(hungjury.__all__) == TOP


def test_no_public_name_is_hidden_by_a_module():
    """Importing a module sets its name in its package; a public name is kept all the same."""
    everything = "import importlib, pkgutil, hungjury, types\n" + (
        "for one in pkgutil.walk_packages(hungjury.__path__, 'hungjury.'):\n"
        "    if not one.name.endswith('__main__'): importlib.import_module(one.name)\n"
        f"for name in {SPACES}:\n"
        "    space = importlib.import_module('hungjury' + name)\n"
        "    print(*(n for n in space.__all__ if isinstance(getattr(space, n), types.ModuleType)))"
    )
    done = subprocess.run([sys.executable, "-c", everything], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(SPACES)
    spaces = {name.lstrip(".") for name in SPACES} | {"m", "testing"}
    assert set(done.stdout.split()) <= spaces


def test_m_holds_every_measure_and_nothing_else():
    public = {name: one for name, one in vars(hungjury.m).items() if not name.startswith("__")}
    assert public == {cls.name: cls for cls in CATALOGUE}
    assert str(hungjury.m.nDCG(cutoff=10)) == "nDCG@10"


def test_names_can_be_imported_with_a_star():
    names = {}
    exec("from hungjury import *", names)
    assert set(names) - {"__builtins__"} == TOP


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_architecture_names_files_that_exist():
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", ARCHITECTURE))
    folders = [PACKAGE, ROOT / "docs", ROOT / "tools", ROOT / "tests"]
    known = {path.as_posix() for folder in folders for path in folder.rglob("*.py")}
    assert {name for name in named if not any(k.endswith(f"/{name}") for k in known)} == set()


def test_the_architecture_names_every_room_and_fits_two_screens():
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert {room for room in rooms if f"| `{room}/`" not in ARCHITECTURE} == set()
    assert len(ARCHITECTURE.splitlines()) <= 110


def test_tests_mirror_the_rooms():
    tests = ROOT / "tests"
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    folders = {path.parent.name for path in tests.glob("*/*.py")}
    assert folders == rooms | {"builders", "oracles", "project"}
    assert list(tests.glob("test_*.py")) == []
    files = {str(path.relative_to(tests)): path for path in tests.glob("*/*.py")}
    lengths = {name: len(path.read_text().splitlines()) for name, path in files.items()}
    assert max(lengths.values()) <= 600, max(lengths, key=lengths.get)
