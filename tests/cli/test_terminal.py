"""What people see on a terminal: progress, wrapped sentences; notes; how a command starts."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hungjury.cli as started
from builders.calls import call, folder, here  # noqa: F401 - fixtures
from builders.commands import hungjury as shell

PANEL = "--judges judges/* --runs runs/*"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _self: True)
    monkeypatch.setenv("COLUMNS", "60")


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "line",
    [
        "evaluate gold.qrels runs/* -m AP", "curve gold.qrels runs/* -o c.csv",
        "audit gold.qrels runs/*", f"aware {PANEL}", f"plan {PANEL} --budget 5 -o p.csv",
        f"leaderboard {PANEL} --draws 100",
    ],
)  # fmt: skip
def test_progress_of_commands(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hungjury.cli.output.MANY_FILES", 4)
    said = call(*line.split()).stderr
    assert "\rreading " in said
    assert "[####################################]" in said
    assert "\r" not in call(*line.split(), "--quiet").stderr
    monkeypatch.setattr("hungjury.cli.output.MANY_FILES", 5)
    few = line.startswith(("evaluate", "curve", "audit"))  # files are read quickly
    assert ("\r" not in call(*line.split()).stderr) is few


@pytest.mark.usefixtures("terminal")
def test_an_audit_of_labels_alone_has_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hungjury.cli.output.MANY_FILES", 0)
    done = call("audit", "gold.qrels")
    assert (done.exit_code, done.stderr) == (0, "")


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "line",
    ["merge --judges judges/* --gold gold.qrels --rel 1", "audit few.qrels runs/*",
     f"leaderboard {PANEL} --draws 100", "doctor gold.qrels judges runs",
     "agreement --judges judges/*"],
)  # fmt: skip
def test_texts_for_people_are_wrapped(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*line.split(), *([] if line.startswith("doctor") else ["--quiet"])]
    shown = call(*words).stdout
    sentences = [text for text in shown.splitlines() if "  " not in text.strip()]
    assert max(map(len, sentences)) <= 60
    monkeypatch.setenv("COLUMNS", "1000")
    wide = call(*words).stdout
    assert wide != shown
    assert wide.split() == shown.split()
    rows = call(*words, "--format", "json").stdout
    monkeypatch.setenv("COLUMNS", "60")
    assert call(*words, "--format", "json").stdout.splitlines()[1] == rows.splitlines()[1]


# Notes


REPEATED = "note: 1 judgment repeated with the same label\n"
FEW = "note: only 40 gold labels: intervals are rough below 50\n"
SILENT = (
    "note: 1 judge with nothing relevant on some topic, where every system scores 0 for them: j3\n"
)
NOTED = {
    "agreement --judges odd.csv": REPEATED,
    "agreement --judges odd.csv --gold few.qrels": FEW + REPEATED,
    "merge --judges odd.csv --gold few.qrels --rel 1": REPEATED,
    "merge --judges odd.csv --rel 1":
        f"{REPEATED}merged: 180 documents for 6 topics, 3 judges merged by em-neu\n",
    "aware --judges odd.csv --runs runs/* --rel 1": SILENT + REPEATED,
    "aware --judges odd.csv --runs runs/* --rel 1 --all --gold gold.qrels --replicates 2": REPEATED,
    "prm --judges odd.csv --rel 1 --draws 5": REPEATED,
    "agreement --scores twice.csv --repeated-scores mean":
        "note: 2 repeated scores: a, 1, F twice.csv:3, a, 1, G twice.csv:3; took the mean\n",
    "aware --scores answers.csv --scale 1-5": "",
}  # fmt: skip


@pytest.fixture
def odd() -> None:
    """Labels of judges, one of whom labels one document twice; and such scores."""
    rows = [f"{t},doc{t}-{d},j{j},{(t + d * j) % 3}\n"
            for t in range(1, 7) for d in range(30) for j in range(1, 4)]  # fmt: skip
    Path("odd.csv").write_text("topic,document,judge,label\n" + "".join([*rows, rows[0]]))
    Path("twice.csv").write_text(
        "system,topic,F,G\na,1,0,1\na,1,1,1\na,2,1,0\nb,1,0,0\nb,2,1,1\nc,1,0.5,0\nc,2,0.25,1\n"
    )


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("line", NOTED)
def test_what_is_odd_about_labels_is_noted(line: str) -> None:
    said = call(*line.split()).stderr
    assert said == NOTED[line]


# Start and end


def test_an_interrupt_while_modules_are_loaded_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`hungjury` itself, with a main module that tells what Ctrl-C would do."""
    seen: list[Any] = []

    class Main(ModuleType):
        @property
        def main(self) -> Any:
            seen.append(signal.getsignal(signal.SIGINT))
            return lambda: seen.append(signal.getsignal(signal.SIGINT))

    monkeypatch.setitem(sys.modules, "hungjury.cli.main", Main("hungjury.cli.main"))
    monkeypatch.setattr(started.gc, "set_threshold", seen.append)
    monkeypatch.setattr(started.atexit, "register", seen.append)
    usual = signal.getsignal(signal.SIGINT)
    limits = [started.OBJECTS, started.gc.freeze]
    try:
        for handler, loading in ((signal.default_int_handler, signal.SIG_DFL),
                                 (signal.SIG_IGN, signal.SIG_IGN)):  # fmt: skip
            signal.signal(signal.SIGINT, handler)
            started.start()
            assert seen == [*limits, loading, handler]
            seen.clear()
    finally:
        signal.signal(signal.SIGINT, usual)


def test_a_result_that_cannot_be_flushed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[object] = []

    def full(stream: Any) -> None:
        flushed.append(stream)
        if flushed == [sys.stdout]:
            raise OSError(28, "full")
        stream._stream.flush()

    with monkeypatch.context() as patch:
        patch.setattr("hungjury.cli.main.hungjury.main", lambda **_: None)
        patch.setattr("hungjury.cli.output._Tolerant.flush", full)
        done = shell("measures")
    assert flushed
    assert (done.returncode, done.stderr.partition("\n")[0]) == (2, "error: full")


def test_modules_that_add_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    monkeypatch.setattr("hungjury.base.plugins.load_module", loaded.append)
    assert call("measures", "AP", "--plugin", "a", "--plugin", "b").exit_code == 0
    assert call("evaluate", "gold.qrels", "runs/*", "--plugin", "c", "--quiet").exit_code == 0
    assert loaded == ["a", "b", "c"]
    assert "No such option" in call("simulate", "--plugin", "c").stderr
