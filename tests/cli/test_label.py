"""`hungjury label`: what it serves, tells, stores and exports; nobody is waited for."""

from __future__ import annotations

import getpass
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

import hungjury as hj
from builders.commands import hungjury as shell
from builders.commands import sample_files
from builders.paths import DOCS
from hungjury.base.errors import InputError
from hungjury.cli import label
from hungjury.cli.reading import Reading
from hungjury.labelling.items import Answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_files(tmp_path_factory.mktemp("label"))


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


# The page


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The desks and results of pages that are served, each with one label; and opened addresses."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    monkeypatch.chdir(tmp_path)
    Path("plan.csv").write_text("topic,document\n1,d1\n1,d2\n2,d3\n2,d4\n")
    seen: list[Any] = []

    def make_app(desk: Any, after: Any) -> Any:
        desk.answer(
            desk.people[0].number, desk.task(desk.people[0].number)["task"]["item"], Answer(1), 1.0
        )
        seen.append((desk, after.__self__.arguments))
        return desk

    monkeypatch.setattr("hungjury.labelling.app.make_app", make_app)
    monkeypatch.setattr(
        "hungjury.labelling.app.serve", lambda desk, at: seen.append(at.getsockname()[1])
    )
    monkeypatch.setattr("hungjury.labelling.app.open_browser", seen.append)
    return seen


def test_a_page_is_served_as_asked_for(pages: list[Any]) -> None:
    Path("queries.tsv").write_text("1\tfirst\n2\tsecond\n")
    Path("documents.tsv").write_text("d1\tone\nd2\ttwo\n")
    Path("context.tsv").write_text("1\tsource of 1\nd3\tsource of d3\n")
    Path("rubric.txt").write_text("be strict\n")
    words = ["label", "plan.csv", "-o", "l.db", "--port", "0", "--share", "0.5", "--raters", "3"]
    words += ["--person", "anna", "--person", "benedict", "--grades", "0 no, 1 yes"]
    words += ["--queries", "queries.tsv", "--documents", "documents.tsv"]
    words += ["--link", "http://x/{document}", "--context", "context.tsv", "--rubric", "rubric.txt"]
    done = shell(*words)
    opened, (desk, results), port = pages
    lines = [line.split("  ") for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == ["anna", "benedict"]
    told = [line[-1] for line in lines]
    assert [place.partition("?")[0] for place in told] == [f"http://127.0.0.1:{port}/enter"] * 2
    assert len({place.partition("token=")[2] for place in told}) == 2
    assert [len(line) for line in done.stdout.splitlines()] == [
        len("benedict  ") + len(told[0])
    ] * 2
    assert (opened, results) == (told[0], [])
    assert (desk.share, desk.raters, [one.grade for one in desk.store.grades]) == (0.5, 3, [0, 1])
    first, _, third, _ = (desk.shown.task(item) for item in desk.items)
    assert (first["query"], first["title"] or first["text"], first["link"]) == (
        "first", "one", "http://x/d1"
    )  # fmt: skip
    assert (first["context"], third["context"]) == ("source of 1", "source of d3")
    assert (third["text"], third["rubric"]) == ("", "be strict")
    assert done.stderr.splitlines() == [
        "note: 2 documents without text, shown by link only: d3, d4",
        "Ctrl-C stops the server; every label is stored at once.",
        "",
        "l.db: 1 of 4 documents are labelled",
        f"  go on:   hungjury {shlex.join(words)}",
        "  export:  hungjury label --export labels.qrels l.db",
    ]
    assert done.returncode == 0


def test_who_labels(pages: list[Any]) -> None:
    words = ["label", "plan.csv", "-o", "l.db", "--port", "0", "--no-browser", "--quiet"]
    done = shell(*words)
    assert (done.returncode, done.stderr) == (0, "")
    (desk, _), _ = pages  # no browser
    assert [one.name for one in desk.people] == [getpass.getuser()]
    shell(*words, "--person", "zoe")
    shell(*words)
    shell("label", "l.db", "--port", "0", "--quiet", "--no-browser")
    desks = [page[0] for page in pages[2::2]]
    named = [[one.name for one in desk.people] for desk in desks]
    assert named == [["zoe"], [getpass.getuser(), "zoe"], [getpass.getuser(), "zoe"]]
    assert [len(desk.items) for desk in desks] == [4, 4, 4]


def test_answers_are_labelled_on_their_scale(pages: list[Any]) -> None:
    rows = "s1,1,j,3,one\ns2,1,j,4,two\n"
    Path("scored.csv").write_text(f"system,topic,judge,score,answer\n{rows}")
    answers = ["--answers", "scored.csv", "--scale", "1-5"]
    shell("plan", *answers, "--budget", "2", "-o", "answers.csv", "--quiet")
    words = ["--port", "0", "--quiet", "--no-browser"]
    done = shell("label", "answers.csv", *answers, "-o", "a.db", *words)
    assert done.returncode == 0, done.stderr
    desk = pages[0][0]
    assert [(one.grade, one.meaning) for one in desk.store.grades] == [
        (grade, "") for grade in range(1, 6)
    ]
    assert {desk.shown.task(item)["text"] for item in desk.items} == {"one", "two"}
    done = shell("label", "a.db", *answers, *words)  # has its grades
    assert done.returncode == 0, done.stderr
    Path("d.tsv").write_text("d1\tone\n")
    done = shell("label", "answers.csv", *answers, "-o", "b.db", "--documents", "d.tsv", *words)
    assert "--answers takes the place of --documents" in done.stderr
    done = shell("label", "answers.csv", *answers, "-o", "c.db", "--grades", "0 no, 1 yes", *words)
    assert [one.meaning for one in pages[-2][0].store.grades] == ["no", "yes"]


def test_a_lost_database_is_an_error(pages: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    lost = InputError("gone", code="database-lost", remedy="look for it")
    monkeypatch.setattr(
        "hungjury.labelling.app.serve",
        lambda desk, _at: vars(desk.store).update(lost=lost, rescued="elsewhere.db"),
    )
    done = shell("label", "plan.csv", "-o", "l.db", "--port", "0", "--no-browser", "--quiet")
    assert (done.returncode, done.stderr) == (2, "error: gone\n  remedy: look for it\n")


def test_results_need_judges_runs_and_a_measure(pages: list[Any], folder: Path) -> None:
    words = ["label", "plan.csv", "-o", "l.db", "--port", "0", "--no-browser", "--quiet"]
    panel = {"--judges": f"{folder}/judges/*", "--runs": f"{folder}/runs/*", "-m": "AP"}
    for name in panel:
        some = [word for flag, value in panel.items() if flag != name for word in (flag, value)]
        assert "results on the page need --judges, --runs and -m" in shell(*words, *some).stderr
    assert shell(*words, *(word for pair in panel.items() for word in pair)).returncode == 0
    assert pages[0][1][:5] == ["leaderboard", "--gold", "l.db", "-m", "AP"]


# Its parts


def test_names_of_people() -> None:
    assert label._names((" anna  b ", "c")) == ["anna b", "c"]
    assert label._names(("x" * 60,)) == ["x" * 60]
    for wrong in ("", "x" * 61, "a\x07"):
        with pytest.raises(click.BadParameter, match="1 to 60 printable characters"):
            label._names((wrong,))
    with pytest.raises(click.BadParameter, match="different name"):
        label._names(("a b", "a  b"))


def test_the_tunnel_of_the_help_leads_to_the_usual_port() -> None:
    words = f"ssh -L {label.PORT}:127.0.0.1:{label.PORT} HOST"
    assert words in str(label.label_command.help)
    assert words in (DOCS / "how-to" / "label.md").read_text(encoding="utf-8")


def test_texts_of_a_plan() -> None:
    Path("queries.tsv").write_text("1\tfirst\n")
    Path("documents.tsv").write_text("d1\tone\n")
    items = [label.Item("1", "d1"), label.Item("2", "d2"), label.Item("2", "d3")]
    none: Any = SimpleNamespace(answers=())

    def told(*given: Any) -> list[tuple[str, tuple[str, ...]]]:
        return [(note.text, note.subjects) for note in label._texts(items, *given, none)[1]]

    assert told((), (), None) == []
    assert told(("queries.tsv",), ("documents.tsv",), None) == [
        ("1 query without text, not shown", ("2",)),
        ("2 documents without text, not shown", ("d2", "d3")),
    ]
    assert told((), ("documents.tsv",), "http://x/{document}") == [
        ("2 documents without text, shown by link only", ("d2", "d3"))
    ]


def test_results_that_a_page_shows() -> None:
    store = SimpleNamespace(path="labels.db", grades=[SimpleNamespace(grade=0),
                                                      SimpleNamespace(grade=2)])  # fmt: skip
    desk: Any = SimpleNamespace(store=store)
    reading = Reading({"duplicates": "first", "outside": "clip"})
    assert label._leaderboard(desk, (), ("r",), "AP", reading) == []
    assert label._leaderboard(desk, ("j",), (), "AP", reading) == []
    assert label._leaderboard(desk, ("j",), ("r",), None, reading) == []
    assert label._leaderboard(desk, ("j", "k"), ("r",), "AP", reading) == [
        "leaderboard", "--gold", "labels.db", "-m", "AP", "--format", "json", "--quiet",
        "--grades", "0-2", "--duplicates", "first", "--outside", "clip",
        "--judges", "j", "--judges", "k", "--runs", "r",
    ]  # fmt: skip


def test_labels_are_stored_and_exported(tmp_path: Path) -> None:
    place = str(tmp_path / "new.db")
    Path("given.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    words = ["label", "plan.csv", "-o", place, "--import", "given.qrels", "--person", "anna"]
    Path("plan.csv").write_text("topic,document\n1,d1\n1,d2\n1,d3\n")
    done = shell(*words, "--grades", "0 no, 1 yes")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(f"2 labels read, 2 new; {place}: ")
    assert shell("label", place, "--import", "given.qrels", "--person", "anna").stderr.startswith(
        f"2 labels read, 0 new; {place}: "
    )
    assert shell("label", place, "--import", "given.qrels", "--person", "b", "--quiet").stderr == ""
    done = shell("label", place, "--export", "-")
    assert done.stdout.splitlines() == ["1 0 d1 1", "1 0 d2 0"]
    assert done.stderr != ""
    assert shell("label", place, "--export", "-", "--quiet").stderr == ""
    lines = shell("label", place, "--export", "-", "--all").stdout.splitlines()
    assert (lines[0].split(",")[:3], len(lines)) == (["topic", "document", "judge"], 5)


def test_texts_of_answers_and_files_of_people(tmp_path: Path) -> None:
    rows = "s1,1,j,3,one\ns2,1,j,4,two\n"
    Path("scored.csv").write_text(f"system,topic,judge,score,answer\n{rows}")
    found = hj.read_answers("scored.csv", scale="1-5")
    first, *_ = found.texts
    items = [label.Item("1", first), label.Item("1", "missing")]
    tables: Any = SimpleNamespace(answers=("scored.csv",), read_answers=lambda: found)
    shown, told = label._texts(items, (), (), None, tables)
    assert shown.documents.missing == {"missing"}
    assert [note.text for note in told] == ["1 document without text, not shown"]
    Path("rubric.txt").write_text("  how to label\n")
    assert label._only_text("rubric.txt") == "how to label"
    with pytest.raises(click.UsageError, match="give one file as --rubric"):
        label._only_text("runs/*")


def test_where_labels_are_stored() -> None:
    Path("plain.csv").write_text("topic,document\n1,d1\n")
    given, place = label._documents("plain.csv", "new.db", False)
    assert given is not None
    assert ([item.document for item in given.items], place) == (["d1"], "new.db")
    assert label._documents("labels.db", None, False) == (None, "labels.db")
    assert label._documents("plain.db", None, True) == (None, "plain.db")
    for words, told in (
        (("plain.csv", None, False), "name the database of labels: -o labels.db"),
        (("labels.db", "x.db", False), "give a plan and -o labels.db, or a database alone"),
    ):
        with pytest.raises(click.UsageError) as caught:
            label._documents(*words)
        assert caught.value.message == told
