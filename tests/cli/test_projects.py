"""Commands in the folder of a project: `init`, `status`, and the options that a project gives."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.commands import hungjury as run
from hungjury.base.errors import InputError
from hungjury.cli.main import hungjury as group

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
    hj.simulate(topics=6, systems=3, documents=20, depth=10, seed=1).write(tmp_path)
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


def test_the_state_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hj.simulate(topics=4, systems=3, documents=20, depth=8).write(tmp_path)
    panel = ["--judges", "judges/*", "--runs", "runs/*"]
    done = run("init", *panel, "-m", "P@5", "--draws", "100")
    assert done.stderr == "wrote hungjury.toml; now run `hungjury leaderboard`\n"
    assert "exists; edit it, or replace it with --force" in run("init", *panel).stderr
    there = ["project hungjury.toml", "collection all: judges 5, runs 3 (files)"]
    lines = run("status").stdout.splitlines()
    assert [lines[0], *lines[2:]] == [there[0], "no leaderboard yet", "next: hungjury leaderboard"]
    assert lines[1].endswith("judges 5, runs 3 (files)")
    done = run("leaderboard")
    first = done.stderr.splitlines()
    assert first[0] == "project: hungjury.toml: --judges, --runs, --measure, --draws"
    (kept,) = Path("results").glob("*.json")
    assert first[-1] == f"kept as {kept}"
    lines = run("status").stdout.splitlines()
    assert lines[2:] == [f"1 result kept; last leaderboard: {kept}", "nothing has changed since"]
    Path("runs/new.run").write_text(Path("runs/system1.run").read_text().replace("system1", "new"))
    lines = run("status").stdout.splitlines()
    assert lines[3:] == ["  since then: runs/new.run is new", "next: hungjury leaderboard"]
    done = run("leaderboard", "--draws", "120")
    assert done.stderr.splitlines()[0] == (
        "project: hungjury.toml: --judges, --runs, --measure; typed instead: --draws"
    )
    lines = run("status").stdout.splitlines()
    assert lines[-1].startswith("next: hungjury diff ")
    monkeypatch.setenv("HUNGJURY_KEEP", "no")
    assert "kept as" not in run("leaderboard", "--draws", "110").stderr
    monkeypatch.delenv("HUNGJURY_KEEP")
    assert run("leaderboard", "--draws", "130", "--quiet").stderr == ""
    assert len(list(Path("results").glob("*.json"))) == 3
    assert (
        run("agreement", "--quiet").stdout
        == hj.agreement(hj.read_judgments("judges/*"), hj.read_runs("runs/*"), "P@5")
        .to_text()
        .rstrip("\n")
        + "\n"
    )
    alone = [run(name, "--quiet").stdout for name in ("agreement", "merge")]
    toml = Path("hungjury.toml")
    toml.write_text(toml.read_text().replace("runs =", 'gold = "gold.qrels"\nruns ='))
    assert [run(name, "--quiet").stdout for name in ("agreement", "merge")] == alone
    toml.write_text(f"{toml.read_text()}\n[agreement]\nrel = 1\n")
    said = [run(name).stderr.splitlines()[0] for name in ("agreement", "merge")]
    assert ["--rel" in line for line in said] == [True, False]
    toml.write_text(toml.read_text().replace("gold =", "qrels ="))  # judges go before
    done = run("leaderboard", "--draws", "100")
    used = "--judges, --runs, --measure; typed instead: --draws"
    assert done.stderr.splitlines()[0] == f"project: hungjury.toml: {used}"


def test_what_a_project_file_lacks_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("init", "--runs", "r/*")
    assert "give --judges: there is no terminal to ask on" in done.stderr
    assert not Path("hungjury.toml").exists()
    assert run("init", "--runs", "r/*", "--judges", "j/*").returncode == 0
    written = Path("hungjury.toml").read_text()
    assert written == (
        '[collection]\nruns = "r/*"\njudges = "j/*"\n\n[evaluation]\nmeasures = "nDCG@10"\n'
    )
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _self: True)
    typed = "\nmine/*\nAP\n"
    assert run("init", "--force", stdin=typed).returncode == 0
    assert Path("hungjury.toml").read_text() == (
        '[collection]\njudges = "judges/*"\nruns = "mine/*"\n\n[evaluation]\nmeasures = "AP"\n'
    )


def test_what_commands_keep(folder: Path) -> None:
    gold = 'gold = "gold.qrels"\nqrels = "gold.qrels"\n'
    (folder / "hungjury.toml").write_text(TEXT.replace("[collection]\n", f"[collection]\n{gold}"))
    keeping = {
        "evaluate": ["evaluate"], "evaluate by topic": ["evaluate", "-q"],
        "evaluate for trec_eval": ["evaluate", "--format", "trec", "-m", "AP"],
        "compare": ["compare"], "gate": ["gate"],
    }  # fmt: skip
    for name, words in keeping.items():
        before = {*folder.glob("results/*.json")}
        said = run(*words).stderr
        new = {*folder.glob("results/*.json")} - before
        if name == "evaluate by topic":  # the same result as before
            assert new == set(), said
            assert "kept as" not in said
            for path in before:
                path.unlink()
            run(*words)
            new = {*folder.glob("results/*.json")}
        (kept,) = new
        assert words[0] in kept.name
        assert json.loads(kept.read_text())["provenance"]["command"] == ["hungjury", *words]
    before = {*folder.glob("results/*.json")}
    for words in (["agreement"], ["merge"], ["plan", "--budget", "5"]):
        done = run(*words)
        assert (done.returncode, "kept as" in done.stderr) == (0, False), done.stderr
    assert {*folder.glob("results/*.json")} == before


def test_a_gate_takes_judges_before_labels_and_a_list_of_candidates(folder: Path) -> None:
    text = TEXT.replace("[collection]\n", '[collection]\nqrels = "gold.qrels"\n')
    text = text.replace('candidate = "system2"', 'candidate = ["system2", "system3"]')
    (folder / "hungjury.toml").write_text(text)
    done = run("gate", "--format", "json")
    assert [one["candidate"] for one in json.loads(done.stdout)["gates"]] == ["system2", "system3"]
    used = "--judges, --runs, --measure, --draws, --baseline, --candidate"
    assert {*done.stderr.splitlines()[0].removeprefix("project: hungjury.toml: ").split(", ")} == {
        *used.split(", ")
    }


def test_completion_does_not_need_a_project_that_can_be_read(folder: Path) -> None:
    (folder / "hungjury.toml").write_text("nonsense")
    asked = {"COMP_WORDS": "hungjury leaderboard --mea", "COMP_CWORD": "2"}
    done = CliRunner().invoke(
        group, env={**asked, "_HUNGJURY_COMPLETE": "bash_complete"}, prog_name="hungjury"
    )
    assert done.stdout.strip() == "plain,--measure"


def test_a_project_elsewhere_is_told_with_its_notes(folder: Path) -> None:
    (folder / "inner").mkdir()
    text = TEXT.replace('"judges/*"', '"../judges/*"').replace('"runs/*"', '"../runs/*"')
    (folder / "inner" / "hungjury.toml").write_text(text)
    (folder / "hungjury.toml").unlink()
    words = ["--project", "inner/hungjury.toml"]
    done = run("agreement", *words)
    assert done.stderr.splitlines()[:2] == [
        "project: inner/hungjury.toml: --judges, --runs, --measure",
        "note: inner/hungjury.toml: judges is outside of the project's folder: inner/../judges/*",
    ]
    assert run("agreement", *words, "--quiet").stderr == ""
    told = run("status", *words).stdout.splitlines()
    assert told[-1] == "next: hungjury leaderboard --project inner/hungjury.toml"
    text = text.replace('"../runs/*"', '["../runs/system1.run", "../runs/none.run"]')
    (folder / "inner" / "hungjury.toml").write_text(text)
    assert "  missing: inner/../runs/none.run" in run("status", *words).stdout.splitlines()


def test_nothing_of_a_project_is_used(folder: Path) -> None:
    words = ["evaluate", "gold.qrels", "runs/system1.run", "-m", "AP"]
    assert run(*words).stderr.splitlines()[0] == (
        "project: hungjury.toml: --runs; typed instead: --measure"
    )
    (folder / "hungjury.toml").write_text('[collection]\njudges = "judges/*"\n')
    assert run(*words).stderr.splitlines()[0] == "project: hungjury.toml: nothing"


def test_init_with_closed_stdin(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "hungjury.toml").unlink()
    monkeypatch.setattr("hungjury.cli.init.sys", SimpleNamespace(stdin=None))
    assert "give --judges: there is no terminal to ask on" in run("init").stderr
