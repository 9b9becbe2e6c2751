"""The doctor tells files by their content, lists all problems at once, and says what to do next."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import hungjury as hj
from builders.commands import hungjury

TOPICS, DOCUMENTS = [str(t) for t in range(1, 9)], [f"d{i}" for i in range(25)]
PAIRS = [(t, d, i) for t in TOPICS for i, d in enumerate(DOCUMENTS)]


def table(label: Callable[[int], object]) -> str:
    rows = (
        f"{j},{t},{d},{label(i + len(j + t))}\n" for j in ("a", "bb", "ccc") for t, d, i in PAIRS
    )
    return "judge,topic,document,label\n" + "".join(rows)


FILES = {
    "likert.csv": (table(lambda i: 1 + i % 4), "labels of several judges"),
    "words.csv": (table(lambda i: ["yes", "no"][i % 2]), "labels of several judges"),
    "gaps.csv": (table(lambda i: ["1", "0", ""][i % 3]), "labels of several judges"),
    "typo.qrels": ("".join(f"{t} 0 {d} {33 if (t, d) == ('3', 'd3') else i % 4}\n"
                           for t, d, i in PAIRS), "labels"),
    "twice.qrels": ("".join(f"{t} 0 {d} {n}\n" for t, d, _ in PAIRS for n in (0, 1)), "labels"),
    "commented.qrels": ("# labels\n" + "".join(f"{t} 0 {d} {i % 2}\n" for t, d, i in PAIRS),
                        "labels"),
    "labels.jsonl": ("".join(json.dumps({"query_id": t, "doc_id": d, "relevance": i % 3}) + "\n"
                             for t, d, i in PAIRS), "labels"),
    "sys.run": ("".join(f"{t} Q0 {d} {i + 1} {100 - i} sys\n" for t, d, i in PAIRS), "run"),
    "bad.run": ("".join(f"{t} Q0 {d} {i + 1} {'x' if i == 4 else 100 - i} bad\n"
                        for t, d, i in PAIRS), "run"),
    "docs.jsonl": ('{"_id": "d1", "text": "one"}\n{"_id": "d2", "text": "two"}\n', "texts"),
    "train.letor": ("".join(f"{i % 3} qid:{t} 1:0.5 2:{i}\n" for t, _, i in PAIRS), "ranking data"),
    "out.txt": ("".join(f"map\t{t}\t0.5\n" for t in TOPICS), "scores"),
    "empty.txt": ("", "unknown"),
    "prose.txt": ("Dear all,\nthis is a letter.\n", "unknown"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, (text, _) in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_are_told_by_their_content(folder: Path) -> None:
    found = hj.doctor(list(FILES))
    assert {one.path: one.kind for one in found.files} == {
        n: kind for n, (_, kind) in FILES.items()
    }
    codes = {error.code for error in found.errors}
    assert {"unknown-file", "unreadable-label"} <= codes  # all at once
    assert found.exit_code == 2
    assert json.loads(found.to_json())["commands"] == list(found.commands)


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("likert.csv", "--grades 1-4", 1),
        ("gaps.csv", "--missing drop", 2),
        ("words.csv", "--map yes:GRADE", 2),
        ("twice.qrels", "--duplicates first", 2),
        ("typo.qrels", "", 1),
        ("commented.qrels", "", 0),
        ("labels.jsonl", "", 0),
    ],
)
def test_the_next_commands_have_the_options_they_need(
    folder: Path, name: str, options: str, code: int
) -> None:
    found = hj.doctor([name, "sys.run"])
    assert found.exit_code == code
    assert found.commands
    assert all(options in line for line in found.commands)
    if "GRADE" not in options:
        for line in found.commands:
            assert hungjury(*shlex.split(line)[1:], cwd=folder).returncode == 0, line


def test_runs_alone_and_what_is_not_there(folder: Path) -> None:
    found = hj.doctor("bad.run")
    assert [error.code for error in found.errors] == ["not-a-number"]
    assert found.commands == ()
    assert hj.doctor("train.letor").commands == ("hungjury train train.letor -o ranker.json",)


def test_the_command(folder: Path) -> None:
    done = hungjury("doctor", "likert.csv", "sys.run", cwd=folder)
    assert done.returncode == 1
    assert "next:\n  hungjury leaderboard --judges likert.csv --runs sys.run" in done.stdout
    assert "labels are 1, 2, 3, 4" in done.stdout
    assert "Traceback" not in hungjury("doctor", *FILES, cwd=folder).stderr
