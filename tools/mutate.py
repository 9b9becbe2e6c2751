"""Mutation testing: change one thing in the code, and see whether a test fails.

    python tools/mutate.py --count 300 --seed 1 -j 2 --only stats/ --tests stats/

The mutants are a sample of all small changes (`changes.py`) of all rooms: those whose hash with the
seed is smallest, so the sample stays nearly the same while the code moves on. A first pass runs
every test file, or those of some rooms, and notes which tests reach which lines. Then each mutant
is imported in place of its module, in a process of its own, and meets the tests that reach its
line, as many as the budget allows: those that are most about its file, and quick ones. All of it
happens in a copy of the tree; a mutant is never written to disk. Results are kept in the output
folder: a run that was stopped goes on where it was, and `--survivors` tries those again that no
test noticed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import groupby
from pathlib import Path
from typing import Any

import coverage
import hypothesis  # noqa: F401 - imported once here, not again for every mutant
import pytest
import scipy.stats  # noqa: F401
from changes import changed, changes

ROOT = Path(__file__).resolve().parents[1]
ROOMS = sorted(place.parent.name for place in ROOT.glob("src/hungjury/*/__init__.py"))
NOT_RUN = {"project", "oracles"}  # tests about pages, types, imports and loops
LEFT_OUT = shutil.ignore_patterns(".*", "build", "dist", "studies-results", "__pycache__")
QUICK = 0.05  # seconds: no test is preferred for taking less
QUICK_ONES = "not (browser or notebook or cluster or long)"
PATIENCE = 15  # seconds of processor time a mutant may take beyond four times its tests' own


def main() -> None:
    options = arguments()
    tree, files = options.output / "tree", copied(options.output / "tree")
    files = [file for file in files if options.only in str(file.relative_to(tree))]
    reached = tests_by_line(tree, files, options)
    known = {}
    results = options.output / "results.jsonl"
    if results.exists():
        known = {(r["file"], r["change"]): r for r in map(json.loads, results.open())}
    mutants = sample(files, options)
    waiting = [
        m for m in mutants
        if (old := known.get((m["file"], m["change"]))) is None
        or (options.survivors and old["result"] in ("survived", "not reached"))
    ]  # fmt: skip
    print(f"{len(mutants)} mutants, {len(waiting)} to run", flush=True)

    def ended(mutant: dict[str, Any], status: int) -> None:
        mutant["result"] = outcome(mutant, status)
        known[mutant["file"], mutant["change"]] = mutant
        with results.open("a") as file:
            print(json.dumps(mutant), file=file)
        print(
            f"{mutant['result']:12} {mutant['file']}:{mutant['line']} {mutant['change']}",
            flush=True,
        )

    for mutant in waiting:
        mutant["tests"], mutant["seconds"] = chosen(reached, mutant, options.budget)
    in_processes(waiting, lambda mutant: run_mutant(tree, mutant), ended, options.jobs)
    summary([known[m["file"], m["change"]] for m in mutants])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Change the code; count changes no test notices.")
    parser.add_argument("--count", type=int, default=300, help="number of mutants (300)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--only", default="", help="only in files with this in the path")
    parser.add_argument(
        "--tests", default="", help="only test files whose path matches this pattern"
    )
    parser.add_argument("--budget", type=float, default=10, help="seconds of tests per mutant (10)")
    parser.add_argument("--survivors", action="store_true", help="try earlier survivors again")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "mutants")
    options = parser.parse_args()
    options.output = options.output.resolve()
    return options


def copied(tree: Path) -> list[Path]:
    """Copy the project, with the native code as installed, and import hungjury from there."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
    places = importlib.util.find_spec("hungjury").submodule_search_locations
    for built in (file for place in places for file in Path(place).glob("native/*.so")):
        shutil.copy(built, tree / "src" / "hungjury" / "native")
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
    sys.path[:0] = [str(tree / "src")]
    sys.dont_write_bytecode = False  # speeds up the import of test files
    os.chdir(tree)
    return sorted((tree / "src" / "hungjury").glob("*/**/*.py"))


def sample(files: list[Path], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The mutants of the seed."""
    everything = [
        {
            "file": str(file.relative_to(Path.cwd())),
            "line": c.line,
            "statement": c.statement,
            "number": c.number,
            "change": c.key,
        }
        for file in files
        for c in changes(file.read_text())
    ]

    def place(m: dict[str, Any]) -> str:
        return hashlib.sha256(f"{options.seed} {m['file']} {m['change']}".encode()).hexdigest()

    return sorted(everything, key=place)[: options.count]


def in_processes(
    jobs: Iterable[Any], work: Callable[[Any], int], ended: Callable[[Any, int], None], most: int
) -> None:
    """Do each job in a fork; `ended` gets the job and its wait status."""
    running: dict[int, Any] = {}

    def wait() -> None:
        process, status = os.wait()
        ended(running.pop(process), status)

    for job in jobs:
        if len(running) == most:
            wait()
        process = os.fork()
        if not process:
            silence = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(silence, stream)
            os._exit(work(job))
        running[process] = job
    while running:
        wait()


# Which tests reach which lines


class Reach:
    """A pytest plugin: the lines each test reaches, and the processor time each takes."""

    def __init__(self) -> None:
        source = ["src/hungjury"]
        self.coverage = coverage.Coverage(data_file=None, source=source, messages=False)
        self.seconds: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.coverage.switch_context("setup")  # what a fixture made, any test of the file may use

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self.coverage.switch_context(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        begun = time.process_time()
        result = yield
        self.seconds[item.nodeid] += time.process_time() - begun
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.seconds[report.nodeid] = float("inf")


def tests_by_line(
    tree: Path, files: list[Path], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """What `Reach` found, one entry per test file; computed again where a file has changed."""

    def name(file: Path) -> str:
        return str(file.relative_to(tree))

    code = hashlib.sha256(b"".join(f.read_bytes() for f in files))
    folder = options.output / "reach"
    folder.mkdir(exist_ok=True)
    stored = {}
    for file in sorted(tree.glob("tests/*/test_*.py")):
        if file.parent.name not in NOT_RUN and re.search(options.tests, name(file)):
            key = code.copy()
            key.update(file.read_bytes())
            stored[file] = folder / f"{file.parent.name}-{file.stem}-{key.hexdigest()[:12]}.json"

    def look(file: Path) -> int:
        plugin = Reach()
        plugin.coverage.start()
        pytest.main(["-p", "no:cacheprovider", "-m", QUICK_ONES, name(file)], [plugin])
        plugin.coverage.stop()
        data = plugin.coverage.get_data()
        lines = {
            str(Path(measured).relative_to(tree)): data.contexts_by_lineno(measured)
            for measured in data.measured_files()
        }
        seconds = {test: spent for test, spent in plugin.seconds.items() if spent < float("inf")}
        stored[file].write_text(json.dumps({"seconds": seconds, "lines": lines}))
        return 0

    missing = [file for file, place in stored.items() if not place.exists()]
    in_processes(
        missing,
        look,
        lambda file, _: print(f"looked at {name(file)}", flush=True),
        options.jobs,
    )
    reached = [json.loads(place.read_text()) for place in stored.values() if place.exists()]
    for found in reached:  # how many lines each test reaches
        contexts = (
            c for lines in found["lines"].values() for names in lines.values() for c in names
        )
        sizes = Counter(contexts)
        found["sizes"] = {test: sizes[test] + sizes["setup"] for test in found["seconds"]}
    return reached


def chosen(
    reached: list[dict[str, Any]], mutant: dict[str, Any], budget: float
) -> tuple[list[str], float]:
    """Tests that reach a mutant's line: half of the time is for those that reach little else than
    its file, the rest for quick ones."""
    near: dict[str, float] = {}
    for found in reached:
        lines = found["lines"].get(mutant["file"], {})
        at = (str(mutant["line"]), str(mutant["statement"]))
        contexts = {context for line in at for context in lines.get(line, [])}
        if contexts == {""}:  # reached while importing: tests that use anything in the file
            contexts = {context for names in lines.values() for context in names}
        here = Counter(context for names in lines.values() for context in names)
        for test in found["seconds"]:
            if test in contexts or "setup" in contexts:
                near[test] = (here[test] + here["setup"]) / max(1, found["sizes"][test])
    seconds = {test: spent for found in reached for test, spent in found["seconds"].items()}
    again: Counter[str] = Counter()
    for test in sorted(near, key=lambda test: seconds[test]):  # one case of each test before others
        again[test.split("[")[0]] += 1
        near[test] /= again[test.split("[")[0]]
    focused = sorted(near, key=lambda test: -near[test])
    quick = sorted(near, key=lambda test: -near[test] / (seconds[test] + QUICK))
    tests: list[str] = []
    total = 0.0
    for order, limit in ((focused, budget / 2), (quick, budget)):
        for test in order:
            if test not in tests and (not tests or total + seconds[test] <= limit):
                tests.append(test)
                total += seconds[test]
    places = [test.split("::")[0] for test in tests]
    return sorted(tests, key=lambda test: places.index(test.split("::")[0])), round(total, 2)


# One mutant


class Mutated(SourceFileLoader):
    """Finds and loads one module, with one change."""

    def __init__(self, tree: Path, file: str, number: int) -> None:
        name = ".".join(Path(file).with_suffix("").parts[1:]).removesuffix(".__init__")
        super().__init__(name, str(tree / file))
        self.number = number

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, fullname: str) -> Any:
        return compile(changed(Path(self.path).read_text(), self.number), self.path, "exec")


def run_mutant(tree: Path, mutant: dict[str, Any]) -> int:
    """Run a mutant's tests in this process: 0 if all of them pass."""
    limit = int(4 * mutant["seconds"]) + PATIENCE
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    signal.alarm(20 * limit)  # for one that waits forever, on a busy machine
    os.environ["CI"] = "1"  # the same hypothesis examples every time
    sys.meta_path.insert(0, Mutated(tree, mutant["file"], mutant["number"]))
    for _, tests in groupby(mutant["tests"], lambda test: test.split("::")[0]):  # by file
        status = int(pytest.main(["-x", "-p", "no:cacheprovider", *tests]))
        if status:
            return status
    return 0


def outcome(mutant: dict[str, Any], status: int) -> str:
    if not mutant["tests"]:
        return "not reached"
    if os.WIFSIGNALED(status):
        return (
            "timeout"
            if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM)
            else "killed"
        )
    return "killed" if os.WEXITSTATUS(status) else "survived"


def summary(results: list[dict[str, Any]]) -> None:
    columns = ["killed", "timeout", "survived", "not reached"]
    print("".join(f"{heading:>12}" for heading in ["", *columns, "noticed"]))
    for room in [*ROOMS, "all"]:
        counts = Counter(r["result"] for r in results if room in ("all", Path(r["file"]).parts[2]))
        if not counts:
            continue
        share = (counts["killed"] + counts["timeout"]) / counts.total()
        cells = [room, *(counts[c] for c in columns), f"{share:.0%}"]
        print("".join(f"{cell:>12}" for cell in cells))


if __name__ == "__main__":
    main()
