"""Results that are made again: `hungjury rerun` and `diff`."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from builders.commands import hungjury as run
from hungjury.cli import status
from hungjury.cli.main import hungjury as group

BOARD = ["leaderboard", "--judges", "judges/*", "--runs", "runs/*", "-m", "P@5", "--draws", "200"]
GATE = ["gate", "--qrels", "gold.qrels", "--runs", "runs/*", "--baseline", "system3",
        "--candidate", "system1", "--candidate", "system2", "-m", "P@5"]  # fmt: skip
KINDS = {
    "gate": GATE,
    "evaluate": ["evaluate", "gold.qrels", "runs/*", "-m", "AP"],
    "per-topic": ["evaluate", "gold.qrels", "runs/*", "-m", "AP", "-q"],
    "compare": ["compare", "gold.qrels", "runs/*", "-m", "AP"],
    "agreement": ["agreement", "--judges", "judges/*"],
    "aware": ["aware", "--judges", "judges/*", "--runs", "runs/*", "--rel", "1"],
    "merge": ["merge", "--judges", "judges/*", "--rel", "1", "--gold", "gold.qrels"],
    "prm": ["prm", "--judges", "judges/*", "--rel", "1", "--draws", "5"],
    "audit": ["audit", "gold.qrels", "runs/*"],
    "leaderboard": BOARD,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A simulated collection as the current folder."""
    monkeypatch.chdir(tmp_path)
    hj.simulate(topics=6, systems=3, documents=20, depth=10, seed=2).write(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", ["csv", "latex"])
def test_other_formats_have_it_beside(folder: Path, form: str) -> None:
    assert run(*BOARD, "--format", form, "-o", "board.txt").returncode == 0
    beside = json.loads((folder / "board.txt.provenance.json").read_text())
    assert beside["provenance"]["inputs"]
    done = run("rerun", "board.txt")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Nothing differs.\n"


def test_rerun_says_what_differs(folder: Path) -> None:
    run(*BOARD, "--format", "json", "-o", "board.json")
    assert run("rerun", "board.json").returncode == 0
    (folder / "judges" / "judge2.qrels").unlink()
    done = run("rerun", "board.json")
    assert done.returncode == 1
    assert "judges/judge2.qrels is missing" in done.stdout
    assert "systems[0].mean" in done.stdout


def test_rerun_refuses_other_files(folder: Path) -> None:
    done = run("rerun", "gold.qrels")
    assert done.returncode == 2
    assert "not a result with provenance" in done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_result_can_be_rerun(folder: Path, kind: str) -> None:
    done = run(*KINDS[kind], "--format", "json", "--quiet", "-o", "result.json")
    assert done.returncode in (0, 3), done.stderr
    assert json.loads((folder / "result.json").read_text())["provenance"]["inputs"]
    again = run("rerun", "result.json")
    assert (again.stdout, again.returncode) == ("Nothing differs.\n", 0), again.stderr
    first = next(folder.glob("judges/*"))
    first.write_text(first.read_text().replace(" 1\n", " 0\n", 1))
    assert run("rerun", "result.json").returncode == (
        0 if "gold.qrels" in KINDS[kind] and kind not in ("merge",) else 1
    )


def test_a_report_can_be_rerun(folder: Path) -> None:
    (folder / "topics.csv").write_text("topic,group\n1,a\n2,a\n3,b\n4,b\n")
    more = ["-m", "AP", "--slices", "topics.csv", "--title", "A week", "--report", "page.html"]
    assert run(*BOARD, *more, "--quiet").returncode == 0
    assert run("rerun", "page.html").stdout == "Nothing differs.\n"
    judge = folder / "judges" / "judge1.qrels"
    lines = judge.read_text().splitlines()
    flipped = [f"{line[:-1]}{1 - int(line[-1])}" for line in lines]
    judge.write_text("\n".join(flipped) + "\n")
    assert "the report differs" in run("rerun", "page.html").stdout


def test_results_of_python_say_so_to_rerun(folder: Path) -> None:
    board = hj.leaderboard("judges/*", "runs/*", "P@5", draws=200)
    (folder / "board.json").write_text(board.to_json())
    done = run("rerun", "board.json")
    assert done.returncode == 2
    assert "made in Python: hj.leaderboard('judges/*'" in done.stderr
    gates = hj.gate("gold.qrels", "runs/*", "system3", "system1", "P@5")
    assert json.loads(gates.to_json())["provenance"]["command"][0].startswith(
        "hj.gate('gold.qrels'"
    )


def test_diff_on_the_command_line(folder: Path) -> None:
    run(*BOARD, "--format", "json", "-o", "old.json")
    run(*BOARD, "--without", "judge5", "--format", "json", "-o", "new.json")
    assert "judge5" in run("diff", "old.json", "new.json").stdout
    run("evaluate", "gold.qrels", "runs/*", "--format", "json", "-o", "scores.json")
    done = run("diff", "old.json", "scores.json")
    assert done.returncode == 2
    assert "neither a leaderboard nor a gate" in done.stderr


def test_the_exit_code_of_diff_says_whether_anything_is_decided_otherwise(folder: Path) -> None:
    run(*GATE, "--format", "json", "-o", "old.json")
    gate = json.loads((folder / "old.json").read_text())
    gate["gates"][1]["verdict"] = "another"
    (folder / "new.json").write_text(json.dumps(gate))
    same, other = run("diff", "old.json", "old.json"), run("diff", "old.json", "new.json")
    assert (same.returncode, other.returncode) == (0, 1)
    assert "another now" in other.stdout


def test_a_result_is_repeated_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    here.mkdir()
    hj.simulate(topics=4, systems=3, documents=20, depth=8).write(there)
    words = ["evaluate", "gold.qrels", "runs/*", "-m", "AP", "--format", "json", "-o", "s.json"]
    assert run(*words, cwd=there).returncode == 0
    done = run("rerun", str(there / "s.json"), cwd=here)
    assert (done.returncode, done.stdout) == (0, "Nothing differs.\n")
    old = json.loads((there / "s.json").read_text())
    copied = shutil.copytree(there, tmp_path / "copied")
    gold = there / "gold.qrels"
    gold.write_text(gold.read_text().replace(" 1\n", " 0\n", 1))
    done = run("rerun", "s.json", cwd=copied)  # files that are here come before those over there
    assert (done.returncode, done.stdout) == (0, "Nothing differs.\n")
    done = run("rerun", "s.json", cwd=there)
    assert done.returncode == 1
    assert "gold.qrels" in done.stdout.splitlines()[0]
    old["provenance"]["command"] = ["hj.evaluate()"]
    monkeypatch.setattr("hungjury.projects.history.read_result", lambda _file: old)
    said = run("rerun", "s.json", cwd=there).stderr
    assert "this result was made in Python: hj.evaluate()" in said


@pytest.mark.parametrize("number", [0, 1, 20, 21, 30])
def test_at_most_twenty_numbers_that_differ_are_shown(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"command": ["hungjury", "evaluate"], "inputs": [], "hungjury": hj.__version__}
    old = {"provenance": record, "means": 1}
    monkeypatch.setattr("hungjury.projects.history.read_result", lambda _file: old)
    monkeypatch.setattr("hungjury.cli.status._again", lambda *_words: "{}")
    moved = [f"number {i}" for i in range(number)]
    monkeypatch.setattr("hungjury.projects.history.moved_numbers", lambda *_both: moved)
    done = run("rerun", "x.json")
    more = [f"{number - 20} more values differ"] * (number > 20)
    assert done.stdout.splitlines() == ([*moved[:20], *more] or ["Nothing differs."])
    assert done.returncode == (1 if number else 0)


def test_the_bare_page() -> None:
    page = (
        '<p>a</p>\n<a href="#history">h</a><section aria-labelledby="audit">x\ny</section>'
        '<section aria-labelledby="history">z</section><time datetime="1">t</time>b'
    )
    assert status._bare(page) == "<p>a</p>b"


def test_words_that_a_command_is_run_with_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def run(words: list[str], **how: Any) -> None:
        seen.append((words, how, list(sys.argv)))
        print("shown")
        raise SystemExit(1)

    monkeypatch.setattr(group, "main", run)
    monkeypatch.setattr(sys, "argv", ["before"])
    words = ["hungjury", "gate", "json", "--quiet", "-o", "x", "--plot=p", "--report", "r.html"]
    words += ["--rel", "2", "--format", "csv", "--title", "t"]
    assert status._again(words, "--format", "json") == "shown\n"
    assert status._again(words, "--report", "page") == "shown\n"
    assert status._again(words) == "shown\n"
    how = {"standalone_mode": False, "obj": "rerun"}
    first = ["gate", "json", "--rel", "2", "--quiet", "--format", "json"]
    second = ["gate", "json", "--rel", "2", "--format", "csv", "--title", "t", "--quiet",
              "--report", "page"]  # fmt: skip
    third = ["gate", "json", "--rel", "2", "--format", "csv", "--quiet"]
    assert seen == [(each, how, ["hungjury", *each]) for each in (first, second, third)]
    assert sys.argv == ["before"]
