"""How does each command grow? Time and memory at 1, 4 and 16 times the size, with the exponent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log
from pathlib import Path

from benchmarks.generated import Shape, click_log, collection, feature_file, panel, ranker
from benchmarks.peers import threads
from benchmarks.suite import Contender, Measured, Results, Setting, Suite, Table

STEPS = (1, 4, 16)
START = "hungjury --version"
HUNGJURY = [sys.executable, "-m", "hungjury"]
FEW_POOLS = ["--repetitions", "2"]
TREES = 20
ANSWERS = (1, 3)  # something to report about the files; a gate that is closed, or undecided
TOPICS, JUDGES = 25, 5
SHAPE = Shape(runs=20, topics=TOPICS, depth=100, judged=400, relevant=40)


def _with_collection(step: int, setting: Setting) -> dict[str, list[str]]:
    """Commands on labels and runs, by the number of topics."""
    topics = setting.scaled(TOPICS, 2) * step
    files = collection(Shape(**{**vars(SHAPE), "topics": topics}), setting.folder)
    judges = ["--judges", str(Path(panel(files, JUDGES)[0]).parent / "*")]
    runs = [str(files.folder / "*.run")]
    both, shallow = [*judges, "--runs", *runs], ["-m", "nDCG@10"]
    return {
        "audit": [files.qrels, *runs],
        "doctor": [files.qrels, *runs],
        "evaluate": [files.qrels, *runs, *shallow],
        "curve": [files.qrels, *runs],
        "compare": [files.qrels, *runs, *shallow, "--baseline", "sys000"],
        "agreement": judges,
        "merge": [*judges, "--method", "em-mv"],
        "aware": [*both, "-m", "AP", "--weights", "sgl_tau_msd", "--replicates", "100"],
        "prm": judges,
        "leaderboard": [*both, *shallow],
        "plan": [*both, *shallow, "--budget", "200"],
        "gate": [*both, *shallow, "--baseline", "sys000", "--candidate", "sys001"],
        "simulate": ["--topics", str(topics), "--systems", "20", "-o", "{empty}"],
        "study markov": ["--gold", files.qrels, "--runs", *runs, *FEW_POOLS, "-o", "{empty}"],
    }


def _with_clicks(step: int, setting: Setting) -> dict[str, list[str]]:
    return {"clicks": [click_log(setting.scaled(20_000, 100) * step, setting.folder)]}


def _with_features(step: int, setting: Setting) -> dict[str, list[str]]:
    path = feature_file(setting.scaled(100, 10) * step, setting.folder)
    return {
        "train": [path, "--trees", str(TREES), "-o", "{empty}/model"],
        "rank": [ranker(path, TREES), path, "-o", "{empty}/ranked.run"],
    }


def _with_lists(step: int, setting: Setting) -> dict[str, list[str]]:
    """Commands on a measure alone, by the length of lists."""
    return {"theory balancing": ["AP", "RBP", "--length", str(setting.scaled(10_000, 100) * step)]}


SOURCES = (_with_collection, _with_clicks, _with_features, _with_lists)


def _name(command: str, step: int) -> str:
    return f"{command} x {step}"


def contenders(setting: Setting) -> list[Contender]:
    def one(name: str, *words: str) -> Contender:
        program = [*HUNGJURY, *words]
        return Contender(name, program, "hungjury", env=threads(1), whole=True, answers=ANSWERS)

    found = [one(START, "--version")]
    for source in SOURCES:
        for step in STEPS:
            for command, words in source(step, setting).items():
                found.append(one(_name(command, step), *command.split(), *words))
    return found


def _work(results: Results, command: str, step: int) -> float:
    """Processor seconds beyond the start of Python, when least was in the way."""
    return max(min(results[_name(command, step)].cpu) - min(results[START].cpu), 1e-3)


def _memory(measured: Measured, results: Results) -> float:
    """Megabytes beyond the start of Python; less than one is noise."""
    return max(measured.memory - results[START].memory, 1.0)


def _row(command: str, results: Results) -> list[str]:
    steps: list[Measured] = [results[_name(command, step)] for step in STEPS]
    cells = [f"{one.time:.2f} s, {one.memory:.0f} MB" for one in steps]
    grown = _work(results, command, STEPS[2]) / _work(results, command, STEPS[1])
    memory = _memory(steps[2], results) / _memory(steps[1], results)
    factor = log(STEPS[2] / STEPS[1])
    return [command, *cells, f"{log(grown) / factor:.2f}", f"{log(memory) / factor:.2f}"]


def tables(results: Results) -> Sequence[Table]:
    measured = dict.fromkeys(name.rpartition(" x ")[0] for name in results if name != START)
    whole = [name for name in measured if all(_name(name, step) in results for step in STEPS)]
    head = ["command", *(f"x {step}" for step in STEPS), "exponent of time", "of memory"]
    return [Table("Growth by command", head, [_row(name, results) for name in whole])]


SUITE = Suite(
    name="commands",
    about="Every command whose input can grow, as a whole process on one core, at 1, 4 and 16 "
    "times the size: 25, 100 and 400 topics of 20 systems with 5 judges, 20,000 to 320,000 result "
    "pages of a click log, 100 to 1,600 queries of 50 documents with 20 features, lists of "
    "10,000 to 160,000 documents. Exponents are those of the last step, without the start of "
    "Python: 1 is growth in line with the input.",
    base=START,
    contenders=contenders,
    repeats=3,
    tables=tables,
    page="how-to/growth.md",
)
