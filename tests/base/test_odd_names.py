"""Names that mean something elsewhere: formulas, controls, underscores, a topic called "all"."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from click.testing import CliRunner

from builders.commands import ALL
from hungjury.base.errors import InputError
from hungjury.base.results import Table
from hungjury.base.text import csv_text
from hungjury.cli.main import hungjury as group

FORMULA = "=HYPERLINK(1)"


def run(*words: str) -> str:
    done = CliRunner().invoke(group, [*words, "--quiet"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two judges and two systems, one of each called like a formula."""
    monkeypatch.chdir(tmp_path)
    labels = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 c 1\n3 0 a 1\n3 0 c 0\n"
    for name in ("q", "=j", "k"):
        (tmp_path / name).write_text(labels)
    lists = "".join(f"{t} Q0 {d} {r} {-r} NAME\n" for t in "123" for r, d in enumerate("abc", 1))
    (tmp_path / "r1").write_text(lists.replace("NAME", FORMULA))
    back = "".join(f"{t} Q0 {d} {r} {-r} NAME\n" for t in "123" for r, d in enumerate("cba", 1))
    (tmp_path / "r2").write_text(back.replace("NAME", "plain"))
    return tmp_path


PANEL = ["--judges", "=j", "--judges", "k", "--runs", "r1", "--runs", "r2"]
WRITERS = {
    "evaluate": ["q", "r1", "r2", "--format", "csv"],
    "compare": ["q", "r1", "r2", "--format", "csv"],
    "curve": ["q", "r1", "r2"],
    "leaderboard": [*PANEL, "--draws", "100", "--format", "csv"],
    "aware": [*PANEL, "--weights", "uni", "--format", "csv"],
}


@pytest.mark.parametrize("name", WRITERS)
def test_formulas_are_exact_unless_asked(here: Path, name: str) -> None:
    exact = list(csv.reader(io.StringIO(run(name, *WRITERS[name]))))
    safe = list(csv.reader(io.StringIO(run(name, *WRITERS[name], "--csv-safe"))))
    cells = [(a, b) for one, two in zip(exact, safe, strict=True) for a, b in zip(one, two,
                                                                          strict=True)]  # fmt: skip
    changed = {(a, b) for a, b in cells if a != b}
    assert (FORMULA, f"'{FORMULA}") in changed
    assert all(b == f"'{a}" and a.startswith("=") for a, b in changed)


def test_every_command_with_csv_can_write_it_for_spreadsheets() -> None:
    """Those whose CSV is read back by its ids (plan, merge) write it exactly."""
    for name, command in ALL.items():
        forms = [p.type.choices for p in command.params if isinstance(p.type, click.Choice)]
        own = name == "merge"  # whose CSV is a table of merges
        if (not own and any("csv" in c for c in forms)) or name.startswith("study "):
            assert "csv_safe" in [p.name for p in command.params], name
    assert "csv_safe" in [p.name for p in ALL["label"].params]


@pytest.mark.parametrize("words", [["evaluate", "q", "r1"], ["curve", "q", "r1", "-o", "x.svg"],
                                   ["label", "q", "--export", "x"]])  # fmt: skip
def test_the_flag_is_refused_where_it_does_nothing(here: Path, words: list[str]) -> None:
    done = CliRunner().invoke(group, [*words, "--csv-safe"])
    assert done.exit_code == 2
    assert "--csv-safe" in done.output


def test_what_spreadsheets_take_for_formulas() -> None:
    odd = ["=1", "+1a", "-x", "@x", "\t=1", " =1", "＝1", "a=1", "-1", "", "a\rb"]
    (got,) = csv.reader(io.StringIO(csv_text([odd], safe=True), newline=""))
    assert got == ["'=1", "'+1a", "'-x", "'@x", "\\t=1", "' =1", "'＝1", "a=1", "-1", "", "a\\rb"]
    assert csv_text([[-1.5, None, 2]], safe=True) == "-1.5,,2\n"


def test_exact_csv_keeps_control_characters() -> None:
    odd = ["a\rb", "c\nd", 'e"f', "\x1b[0m", "\x00"[:0], "\t"]
    (got,) = csv.reader(io.StringIO(Table(odd, []).to_csv(), newline=""))
    assert got == odd


def test_cells_are_one_line_for_people() -> None:
    """Oracle: the number of lines of the same table with a plain name."""
    plain = Table(["name", "x"], [["abc", 1.0]])
    odd = Table(["na\nme", "x"], [["a\n\x1b[2J\r\tb", 1.0]], caption="")
    for form in ("to_text", "to_latex", "to_html"):
        text = getattr(odd, form)()
        assert text.count("\n") == getattr(plain, form)().count("\n")
        assert not set(text) & set("\x1b\r\t")
    assert r"a\n\x1b[2J\r\tb" in odd.to_text()
    assert r"a\textbackslash{}n\textbackslash{}x1b[2J" in odd.to_latex()


@pytest.fixture
def with_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("all 0 a 1\n2 0 a 1\n")
    (tmp_path / "r").write_text("all Q0 a 1 1 s\n2 Q0 b 1 1 s\n")
    return ["evaluate", "q", "r", "-m", "AP"]


@pytest.mark.parametrize("form", ["csv", "trec"])
def test_a_topic_called_all_does_not_hide_in_the_summary(with_all: list[str], form: str) -> None:
    with pytest.raises(InputError, match="the name of the summary"):
        run(*with_all, "-q", "--format", form)
    rows = run(*with_all, "-q", "-n", "--format", form).splitlines()
    assert len([row for row in rows if "all" in row]) == 1
    assert run(*with_all, "--format", form)


def test_a_topic_called_all_has_its_own_place_elsewhere(with_all: list[str]) -> None:
    found = json.loads(run(*with_all, "-q", "--format", "json"))
    assert found["mean"]["s"]["AP"] == 0.5
    assert found["topics"]["s"]["all"]["AP"] == 1.0
    table, means = run(*with_all, "-q").split("\n\n")
    assert "all" in table
    assert "all" not in means


def test_legends_hold_every_name_as_it_is(here: Path) -> None:
    """Labels that begin with _ are left out of legends by matplotlib itself."""
    pytest.importorskip("matplotlib")
    import numpy as np

    from hungjury.measures.curve import Curve
    from hungjury.report.board_plots import draw_precision_recall
    from hungjury.report.pictures import picture_bytes

    names = ["_hidden", "a_b^c", "$x_1$", "c\x1b[0m", "<&>", "plain"]
    figure = draw_precision_recall(Curve(names, [0.0, 1.0], np.ones((6, 2))))
    ElementTree.fromstring(picture_bytes(figure, "svg"))
    legend = figure.axes[0].get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown == ["_hidden", "a_b^c", "$x_1$", r"c\x1b[0m", "<&>", "plain"]
