"""Provenance in results, results that are kept, rerun and compared."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from builders.commands import hungjury as run
from hungjury.base.errors import InputError
from hungjury.projects.history import diff, kept, moved_numbers

BOARD = ["leaderboard", "--judges", "judges/*", "--runs", "runs/*", "-m", "P@5", "--draws", "200"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A simulated collection as the current folder."""
    monkeypatch.chdir(tmp_path)
    hj.simulate(topics=6, systems=3, seed=1).write(tmp_path)
    return tmp_path


def test_json_says_where_it_comes_from(folder: Path) -> None:
    found = json.loads(run(*BOARD, "--format", "json").stdout)["provenance"]
    assert found["hungjury"] == hj.__version__
    assert found["command"][:2] == ["hungjury", "leaderboard"]
    paths = [one["path"] for one in found["inputs"]]
    assert paths == sorted(p.relative_to(folder).as_posix() for p in folder.glob("*/*"))
    for one in found["inputs"]:
        data = (folder / one["path"]).read_bytes()
        assert one["size"] == len(data)
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
    assert "numpy" in found["libraries"]


def test_same_inputs_give_the_same_json_apart_from_time_and_machine(folder: Path) -> None:
    one, other = (json.loads(run(*BOARD, "--format", "json").stdout) for _ in range(2))
    assert set(one.pop("made")) == {"time", "folder", "python", "machine"}
    other.pop("made")
    assert json.dumps(one) == json.dumps(other)


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


def test_a_project_keeps_results_once(folder: Path) -> None:
    run("init", "--judges", "judges/*", "--runs", "runs/*", "-m", "P@5", "--draws", "200")
    for _ in range(2):
        assert run("leaderboard").returncode == 0
    (first,) = kept("results")
    assert run("rerun", first).returncode == 0
    assert kept("results", "leaderboard") == [first]


def made(order: list[str], groups: list[list[str]], **more: Any) -> dict[str, Any]:
    """A leaderboard in JSON with these systems, best first."""
    return {
        "measure": "AP", "merge": "binmv", "target": "topics", "settings": {},
        "systems": [{"system": name} for name in order], "groups": groups,
        "judges": [{"name": "ann"}], "topics": {"1": 0.5}, **more,
    }  # fmt: skip


def test_diff_names_what_is_decided_otherwise() -> None:
    old = made(["a", "b", "c"], [["a", "b"], ["b", "c"]])
    new = made(["b", "a", "c", "d"], [["b"], ["a", "c", "d"]], judges=[{"name": "bob"}])
    found = diff(old, new)
    assert found.decided == (
        "2 pairs newly told apart: b > a, b > c.",
        "1 pair no longer told apart: a > c.",
    )
    assert found.around == (
        "1 system added: d.", "1 judge added: bob.", "1 judge removed: ann.",
    )  # fmt: skip
    assert not diff(old, old).decided


def test_systems_that_rose_and_fell_beyond_doubt() -> None:
    old, new = made(["a", "b"], [["a"], ["b"]]), made(["b", "a"], [["a"], ["b"]])
    assert diff(old, new).decided == (
        "b rose: rank 2 before, 1 now.",
        "a fell: rank 1 before, 2 now.",
        "1 pair told apart the other way round: b > a.",
    )


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"measure": "P@5"}, "measure was AP, now P@5"),
        ({"settings": {"level": 0.9}}, "level was None, now 0.9"),
        ({"topics": {"2": 0.1}}, "no topic in common"),
    ],
)
def test_boards_that_cannot_be_compared(other: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        diff(made(["a"], [["a"]]), {**made(["a"], [["a"]]), **other})


def test_diff_on_the_command_line(folder: Path) -> None:
    run(*BOARD, "--format", "json", "-o", "old.json")
    run(*BOARD, "--without", "judge5", "--format", "json", "-o", "new.json")
    done = run("diff", "old.json", "new.json")
    assert done.returncode in (0, 1)
    assert done.stdout
    run("evaluate", "gold.qrels", "runs/*", "--format", "json", "-o", "scores.json")
    done = run("diff", "old.json", "scores.json")
    assert done.returncode == 2
    assert "not a leaderboard" in done.stderr


def test_numbers_move_only_by_more_than_the_last_digit() -> None:
    assert moved_numbers({"a": [0.5]}, {"a": [0.5001]}) == []
    assert moved_numbers({"a": [0.5]}, {"a": [0.51]}) == ["a[0]: 0.5 before, 0.51 now"]
    assert moved_numbers({"a": 1}, {}) == ["a: 1 before, None now"]


def test_results_in_python_know_their_call(folder: Path) -> None:
    judgments = hj.read_judgments("judges/*")
    board = hj.leaderboard(judgments, "runs/*", "P@5", draws=200)
    found = json.loads(board.to_json())["provenance"]
    assert found["command"] == [
        "hj.leaderboard(Judgments, 'runs/*', 'P@5', draws=200)".replace(
            "Judgments", repr(judgments)
        )
    ]
    assert [one["path"] for one in found["inputs"]] == sorted(
        path.relative_to(folder).as_posix() for path in folder.glob("*/*")
    )
    again = hj.leaderboard(hj.read_judgments("judges/*"), "runs/*", "P@5", draws=200)
    assert again.to_json() == board.to_json()
