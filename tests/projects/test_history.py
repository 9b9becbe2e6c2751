"""Provenance in results, results that are kept, rerun and compared."""

from __future__ import annotations

import gzip
import hashlib
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from builders.commands import hungjury as run
from hungjury.base.errors import InputError
from hungjury.projects.history import diff, keep, kept, moved_numbers, timeline

BOARD = ["leaderboard", "--judges", "judges/*", "--runs", "runs/*", "-m", "P@5", "--draws", "200"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A simulated collection as the current folder."""
    monkeypatch.chdir(tmp_path)
    hj.simulate(topics=6, systems=3, documents=20, depth=10, seed=2).write(tmp_path)
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


def test_gates_are_kept_rerun_and_compared(folder: Path) -> None:
    run("init", "--judges", "judges/*", "--runs", "runs/*", "-m", "P@5", "--draws", "200")
    words = ["gate", "--baseline", "system3", "--candidate", "system1"]
    for more in ([], ["--format", "json"]):  # the same result, which is kept once
        assert run(*words, *more).returncode in (0, 3)
    (first,) = kept("results", "gate")
    assert run("rerun", first).stdout == "Nothing differs.\n"
    content = json.loads(Path(first).read_text())
    assert content["gates"][0]["candidate"] == "system1"
    assert content["provenance"]["inputs"]
    assert run("diff", first, first).stdout == "Nothing that was decided has changed.\n"
    changed = json.loads(json.dumps(content))
    changed["gates"][0]["verdict"] = "worse"
    was = content["gates"][0]["verdict"]
    assert diff(content, changed).decided == (f"system1 by P@5: {was} before, worse now.",)
    changed["gates"][0]["margin"] = 0.5
    with pytest.raises(InputError, match=r"margin was 0\.0, now 0\.5"):
        diff(content, changed)
    with pytest.raises(InputError, match="one is a gate, the other a leaderboard"):
        diff(content, made(["a"], [["a"]]))


def test_a_report_in_a_project_shows_systems_over_time(folder: Path) -> None:
    run("init", "--judges", "judges/*", "--runs", "runs/*", "-m", "P@5", "--draws", "200")
    names = ("judge5", "judge4", "judge3")
    for name in names:
        assert run("leaderboard", "--report", "page.html", "--quiet").returncode == 0
        (folder / "judges" / f"{name}.qrels").unlink()
    page = (folder / "page.html").read_text()
    assert "in the 3 results kept" in page
    assert page.count('<svg class="line"') == 3
    other = hj.leaderboard("judges/*", "runs/*", "AP", draws=200)
    assert timeline("results", other) == []


def test_runs_carry_their_ir_metadata(folder: Path) -> None:
    head = "# ir_metadata.start\n# actor:\n#   team: us\n# ir_metadata.end\n"
    path = folder / "runs" / "system1.run"
    path.write_text(head + path.read_text())
    other = folder / "runs" / "system2.run"
    (folder / "runs" / "system2.run.gz").write_bytes(
        gzip.compress((head + other.read_text()).encode())
    )
    other.unlink()
    found = json.loads(run(*BOARD, "--format", "json").stdout)["provenance"]["inputs"]
    carried = {
        one["path"]: one.get("ir_metadata") for one in found if one["path"].startswith("runs")
    }
    assert carried == {
        "runs/system1.run": "actor:\n  team: us\n",
        "runs/system2.run.gz": "actor:\n  team: us\n",
        "runs/system3.run": None,
    }
    shown = run(*BOARD, "--format", "ir_metadata", "--quiet").stdout
    lines = shown.splitlines()
    assert (lines[0], lines[-1]) == ("# ir_metadata.start", "# ir_metadata.end")
    yaml = pytest.importorskip("yaml")
    content = yaml.safe_load("\n".join(line[2:] for line in lines[1:-1]))
    assert content["research goal"]["evaluation"]["reported measures"] == ["P@5"]
    assert content["implementation"]["executable"]["cmd"].startswith("hungjury leaderboard")
    files = {one["path"]: one for one in content["data"]["files"]}
    assert yaml.safe_load(files["runs/system1.run"]["ir_metadata"]) == {"actor": {"team": "us"}}
    assert files["runs/system3.run"]["sha256"] == found[-1]["sha256"]


def test_two_processes_lose_no_result(folder: Path) -> None:
    text = json.dumps({"systems": [], "made": {"time": "2026-01-05T09:00:00"}})
    contents = [text.replace("[]", f'["{i}"]') for i in range(40)]
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(keep, ["results"] * 40, ["leaderboard"] * 40, contents))
    found = [json.loads(Path(one).read_text())["systems"] for one in kept("results")]
    assert sorted(found) == sorted([str(i)] for i in range(40))


@pytest.mark.parametrize(
    "record",
    [
        3,
        {},
        {"hungjury": "1", "command": [], "inputs": []},
        {"hungjury": "1", "command": [3], "inputs": []},
        {"hungjury": "1", "command": ["hungjury"], "inputs": [3]},
        {"hungjury": "1", "command": ["hungjury"], "inputs": [{"path": "a"}]},
    ],
)
def test_a_result_with_an_edited_provenance_is_refused(tmp_path: Path, record: object) -> None:
    (tmp_path / "odd.json").write_text(json.dumps({"provenance": record, "systems": []}))
    for words in (["rerun", "odd.json"], ["diff", "odd.json", "odd.json"]):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert "odd.json: this is not a result with provenance" in done.stderr


@pytest.mark.parametrize(
    "board",
    [{"systems": [{}], "groups": []}, {"systems": 3, "groups": 4}, {"gates": [{}]}, {"gates": [3]}],
)
def test_an_edited_board_is_refused(board: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="not as hungjury writes it"):
        diff(board, board)
