"""The project file: defaults of commands, checked with line numbers; `init` and `status`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hungjury as hj
from builders.commands import hungjury as run
from hungjury.base.errors import InputError

TEXT = """\
[collection]
judges = "judges/*"
runs = "runs/*"

[evaluation]
measures = ["P@5"]
draws = 200

[gate]
baseline = "system1"
candidate = "system2"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A simulated collection with a project file, as the current folder."""
    monkeypatch.chdir(tmp_path)
    hj.simulate(topics=6, systems=3, seed=1).write(tmp_path)
    (tmp_path / "hungjury.toml").write_text(TEXT)
    return tmp_path


def test_python_and_command_give_the_same_board(folder: Path) -> None:
    shown = json.loads(run("leaderboard", "--format", "json").stdout)
    board = hj.Project("hungjury.toml").leaderboard()
    assert board.to_dict()["systems"] == shown["systems"]
    assert hj.Project(folder).leaderboard(measure="AP").to_dict()["measure"] == "AP"


def test_all_problems_at_once_with_their_lines(folder: Path) -> None:
    (folder / "hungjury.toml").write_text("[colection]\njudges = 1\n[gate]\nmargn = 1\n")
    with pytest.raises(InputError) as caught:
        hj.Project("hungjury.toml")
    told = str(caught.value)
    assert "hungjury.toml:1: unknown table 'colection'; did you mean collection?" in told
    assert "hungjury.toml:4: unknown key 'margn'; did you mean margin?" in told


def test_a_line_that_is_not_toml(folder: Path) -> None:
    (folder / "hungjury.toml").write_text("[collection]\njudges = judges/*\n")
    with pytest.raises(InputError, match=r"hungjury\.toml:2: not TOML"):
        hj.Project("hungjury.toml")


def test_no_project_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hungjury init"):
        hj.Project(tmp_path / "hungjury.toml")


def test_a_path_outside_of_the_project_is_noted(folder: Path) -> None:
    (folder / "inner").mkdir()
    text = TEXT.replace('"judges/*"', '"../judges/*"').replace('"runs/*"', '"../runs/*"')
    (folder / "inner" / "hungjury.toml").write_text(text)
    project = hj.Project(folder / "inner")
    assert [note.kind for note in project.notes] == ["outside-project"] * 2


def test_paths_of_commands_are_those_of_the_project(folder: Path) -> None:
    (folder / "inner").mkdir()
    text = '[collection]\njudges = "judges/*"\nruns = "runs/*"\n[gate]\ngold = "../gold.qrels"\n'
    (folder / "inner" / "hungjury.toml").write_text(text)
    project = hj.Project(folder / "inner")
    assert project.options("gate")["gold"] == str(folder / "inner" / "../gold.qrels")
    assert [note.kind for note in project.notes] == ["outside-project"]
    assert project.options("leaderboard").keys() == {"judges", "runs"}
