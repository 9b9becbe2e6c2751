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


def test_a_command_takes_its_options_from_the_project(folder: Path) -> None:
    done = run("leaderboard", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["measure"] == "P@5"
    assert json.loads(done.stdout)["settings"]["draws"] == 200
    assert "project: hungjury.toml:" in done.stderr
    assert "--judges" in done.stderr


def test_what_is_typed_wins_and_is_shown(folder: Path) -> None:
    done = run("leaderboard", "-m", "AP", "--format", "json")
    assert json.loads(done.stdout)["measure"] == "AP"
    assert "typed instead: --measure" in done.stderr


def test_another_folder_by_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    done = run("gate", "--project", "../hungjury.toml", "--format", "json")
    assert done.returncode in (0, 1, 3), done.stderr
    assert "system2" in done.stdout


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


def test_several_collections_have_one_board(folder: Path) -> None:
    files = 'judges = "judges/*"\nruns = "runs/*"\n'
    both = f"[collections.one]\n{files}[collections.two]\n{files}[evaluation]\ndraws = 200\n"
    (folder / "hungjury.toml").write_text(both)
    project = hj.Project()
    assert list(project.collections) == ["one", "two"]
    assert list(project.leaderboard().parts) == ["one", "two"]
    assert project.leaderboard("one").systems
    done = run("leaderboard", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["collections"] == ["one", "two"]
    assert [row["system"] for row in found["systems"]] == project.leaderboard().systems
    alone = run("leaderboard", "--judges", "judges/*", "--runs", "runs/*", "--format", "json")
    assert "collections" not in json.loads(alone.stdout)  # typed files win
    with pytest.raises(InputError, match="choose one of one, two"):
        project.collection()


def test_init_writes_what_was_typed(folder: Path) -> None:
    (folder / "hungjury.toml").unlink()
    words = ["--judges", "judges/*", "--runs", "runs/*", "-m", "AP", "--draws", "300"]
    done = run("init", *words)
    assert done.returncode == 0, done.stderr
    project = hj.Project()
    assert project.options("leaderboard")["draws"] == 300
    assert project.options("leaderboard")["measures"] == ["AP"]
    again = run("init", *words)
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert run("init", *words, "--force").returncode == 0


def test_init_without_files_and_without_a_terminal(folder: Path) -> None:
    (folder / "hungjury.toml").unlink()
    done = run("init", "-m", "AP")
    assert done.returncode == 2
    assert "give --judges" in done.stderr
    assert not (folder / "hungjury.toml").exists()


def test_status_follows_the_files(folder: Path) -> None:
    assert "next: hungjury leaderboard" in run("status").stdout
    run("leaderboard")
    assert "nothing has changed since" in run("status").stdout
    (folder / "judges" / "judge1.qrels").unlink()
    told = run("status").stdout
    assert "judges/judge1.qrels is missing" in told
    assert "next: hungjury leaderboard" in told


def test_commands_do_what_they_do_without_a_project(folder: Path) -> None:
    """Options that would make a command do something else are taken if they are typed."""
    more = 'gold = "gold.qrels"\nqrels = "gold.qrels"\ngrades = "0-1"\n'
    text = TEXT.replace("[collection]\n", f"[collection]\n{more}")
    (folder / "hungjury.toml").write_text(text)
    judges = len(list(folder.glob("judges/*")))
    assert f"{judges} judges" in run("agreement", "--quiet").stdout
    assert run("merge", "--quiet").stdout.startswith("1 0 ")
    assert run("leaderboard", "--quiet").returncode == 0
    scored = run("evaluate", "gold.qrels", "runs/system1.run", "-m", "AP", "--quiet").stdout
    assert "system1" in scored
    assert "system2" not in scored  # files that are typed win
    (folder / "labels.csv").write_text("topic,document,judge,label\n1,doc1-0,anna,1\n")
    done = run("label", "--import", "labels.csv", "labels.db")
    assert done.returncode == 0, done.stderr
    assert run("label", "--export", "-", "labels.db").stdout == "1 0 doc1-0 1\n"


def test_paths_of_commands_are_those_of_the_project(folder: Path) -> None:
    (folder / "inner").mkdir()
    text = '[collection]\njudges = "judges/*"\nruns = "runs/*"\n[gate]\ngold = "../gold.qrels"\n'
    (folder / "inner" / "hungjury.toml").write_text(text)
    project = hj.Project(folder / "inner")
    assert project.options("gate")["gold"] == str(folder / "inner" / "../gold.qrels")
    assert [note.kind for note in project.notes] == ["outside-project"]
    assert project.options("leaderboard").keys() == {"judges", "runs"}
