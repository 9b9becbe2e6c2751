"""Every command with arguments that work, on small files; a new command cannot be forgotten.

`sample_files` makes the files; `SAMPLES` holds the words of each command, without its output.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np
from click.testing import CliRunner, Result

from hungjury.cli.main import hungjury as group
from hungjury.cli.main import main

PANEL = ["--judges", "judges/*", "--runs", "runs/*"]
FILES = ["gold.qrels", "runs/*"]
QUICK = ["--trees", "5", "--leaves", "4", "--set", "num_threads=1"]
STUDY = ["--data", ".", "-o", "results", "--jobs", "1"]
SAMPLES = {
    "agreement": PANEL,
    "audit": FILES,
    "doctor": FILES,
    "aware": [*PANEL, "--rel", "1"],
    "clicks": ["clicks.csv"],
    "compare": [*FILES, "-m", "AP"],
    "compare-rankers": ["fold", "--folds", "3", *QUICK, "--sizes", "2", "--nav-rel", "2"],
    "completion": ["bash"],
    "curve": FILES,
    "diff": ["board.json", "board.json"],
    "evaluate": FILES,
    "gate": ["--qrels", "gold.qrels", "--runs", "runs/*", "--baseline", "system1",
             "--candidate", "system2"],
    "init": [*PANEL, "--force"],
    "label": ["labels.db", "--export", "-"],
    "leaderboard": [*PANEL, "--draws", "100"],
    "measures": [],
    "merge": ["--judges", "judges/*", "--rel", "1"],
    "plan": [*PANEL, "--budget", "10"],
    "prm": ["--judges", "judges/*", "--rel", "1", "--draws", "20"],
    "rank": ["ranker.json", "fold/test.txt"],
    "rerun": ["board.json"],
    "simulate": ["-o", "new", "--topics", "3"],
    "status": ["--project", "project/hungjury.toml"],
    "study aware": [*STUDY, "--replicates", "3", "--tuples", "1", "--sizes", "2", "--sizes", "3",
                    "--measures", "AP"],
    "study crowd": [*STUDY, "--tuples", "1", "--sizes", "2", "--resamples", "20",
                    "--measures", "AP"],
    "study graded-ap": [*STUDY, "--repetitions", "1", "--rates", "0.5"],
    "study markov": [*STUDY, "--repetitions", "1", "--rates", "0.5", "--lists", "6"],
    "study prm": [*STUDY, "--draws", "20"],
    "study random-relevance": [*STUDY, "--repetitions", "1", "--rates", "0.5", "--samples", "100"],
    "theory axioms": ["P@3", "--length", "3"],
    "theory balancing": ["AP", "--length", "10"],
    "theory figure": ["significance", "--trials", "10", "-o", "figure.svg"],
    "theory scale": ["AP", "--length", "3"],
    "theory order": ["0,1", "1,0"],
    "train": ["fold/train.txt", "--valid", "fold/vali.txt", *QUICK, "-o", "new.json"],
}  # fmt: skip


def commands(of: click.Group = group) -> Iterator[tuple[str, click.Command]]:
    """All commands, groups too, by the words that call them: 'study', 'study aware' and so on."""
    context = click.Context(of)
    for name in of.list_commands(context):
        command = of.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", one) for inner, one in commands(command))


ALL = dict(commands())
COMMANDS = {name: command for name, command in ALL.items() if not isinstance(command, click.Group)}


def invoke(*words: str) -> Result:
    """Run a command line; errors that are not ours, and ours, are raised."""
    done = CliRunner().invoke(group, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def run(*words: str) -> str:
    """What a command that works prints; 1 and 3 are verdicts of the audit and the gate."""
    done = invoke(*words)
    assert done.exit_code in (0, 1, 3), done.output
    return done.stdout


def simulate(folder: Path, **more: int) -> None:
    size = {"systems": 3, "topics": 5, "documents": 20, "depth": 10, "grades": 3} | more
    words = [word for name, value in size.items() for word in (f"--{name}", str(value))]
    run("simulate", "-o", str(folder), *words, "--quiet")


def sample_files(folder: Path) -> Path:
    """A collection, a click log, data to learn from, a ranker and a database of labels."""
    simulate(folder)
    _clicks(folder / "clicks.csv")
    (folder / "fold").mkdir()
    for seed, part in enumerate(("train", "vali", "test")):
        (folder / "fold" / f"{part}.txt").write_text(_letor(seed))
    _labels(folder / "labels.db")
    (folder / "project").mkdir()
    (folder / "project" / "hungjury.toml").write_text('[collection]\nruns = "../runs/*"\n')
    panel = [str(folder / word) if "*" in word else word for word in PANEL]
    board = ["leaderboard", *panel, "--draws", "100", "--format", "json", "--quiet"]
    with patch.object(sys, "argv", ["hungjury", *board]):
        (folder / "board.json").write_text(run(*board))
    return folder


def add_ranker(folder: Path) -> None:
    words = [str(folder / word) if word.startswith("fold") else word for word in SAMPLES["train"]]
    run("train", *words[:-1], str(folder / "ranker.json"), "--quiet")


def _clicks(path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{s},q{s % 3},{rank},{10 * i}\n" for s in range(60)
            for i, rank in enumerate(rng.integers(1, 6, 3).tolist())]  # fmt: skip
    path.write_text("session,query,rank,time\n" + "".join(rows))


def _letor(seed: int, queries: int = 12, size: int = 8) -> str:
    rng = np.random.default_rng(seed)
    lines = []
    for query in range(queries):
        for document in range(size):
            a, b = rng.normal(size=2).round(3).tolist()
            name = f"{seed}-{query}-{document}"
            grade = int(a > 0) + int(a > 1)
            lines.append(f"{grade} qid:{seed}{query} 1:{a} 2:{b} #docid = D{name}\n")
    return "".join(lines)


def _labels(path: Path) -> None:
    from hungjury.labelling.desk import Desk, Display
    from hungjury.labelling.items import Answer, DocumentList, Item, parse_grades
    from hungjury.labelling.store import LabelStore

    items = DocumentList("plan", [Item("1", f"d{i}") for i in range(2)])
    store = LabelStore(str(path), items, parse_grades("0 no, 1 yes"))
    desk = Desk(store, Display(), store.register(("anna",)))
    desk.answer(1, desk.task(1)["task"]["item"], Answer(1), 2.5)
    store.close()


def hungjury(
    *words: str, cwd: Path | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """The whole command as in a shell, errors and exit code too, but in this process."""
    before, environment = Path.cwd(), dict(os.environ)
    with CliRunner().isolation(stdin) as (out, err, _), patch.object(sys, "argv", ["", *words]):
        try:
            os.chdir(cwd or before)
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)
        sys.stdout.flush()
        sys.stderr.flush()
        return subprocess.CompletedProcess(
            words, code, out.getvalue().decode(), err.getvalue().decode()
        )
