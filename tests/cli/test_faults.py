"""Faults from outside: full disks, closed streams, signals, damaged stores, missing clusters.

Whatever happens, the exit code is 2 with one error on stderr, or 0 with the whole result.
"""

import errno
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from builders.commands import hungjury, sample_files
from builders.processes import ENVIRONMENT
from hungjury.base.errors import InputError
from hungjury.base.text import visible
from hungjury.cli import start
from hungjury.cli.failing import outside_error
from hungjury.studies.engines import Engine

COMMAND = [sys.executable, "-m", "hungjury"]
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    run.write_text("1 Q0 a 1 2 tag\n1 Q0 b 2 1 tag\n")
    return ["evaluate", str(qrels), str(run), "-m", "AP"]


def shell(arguments, redirect):
    """The command with some redirection, as (exit code, stdout, stderr)."""
    line = " ".join(f"'{word}'" for word in [*COMMAND, *arguments])
    done = subprocess.run(["sh", "-c", f"{line} {redirect}"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@needs_full
def test_a_full_stdout_is_an_error(files):
    code, _, said = shell(files, "> /dev/full")
    assert code == 2
    assert "error: No space left on device" in said
    assert "Traceback" not in said


@needs_full
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [(["--help"], ""), (["--version"], "1"), (["evaluate", "--help"], "1"),
     (["completion", "bash"], "")],
)  # fmt: skip
def test_help_that_cannot_be_printed_is_an_error(monkeypatch, words, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    code, _, said = shell(words, "> /dev/full")
    assert (code, said[:30]) == (2, "error: No space left on device")


def test_a_closed_stdout_is_an_error(files):
    code, _, said = shell(files, ">&-")
    assert code == 2
    assert "error: stdout is closed" in said


@pytest.mark.parametrize("redirect", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_notes_that_cannot_be_printed_lose_no_result(files, redirect):
    assert shell(files, redirect) == (0, hungjury(*files).stdout, "")


@needs_full
def test_a_full_disk_is_an_error(files):
    done = hungjury(*files, "-o", "/dev/full")
    assert (done.returncode, done.stdout) == (2, "")
    assert "No space left on device" in done.stderr


def test_a_reader_who_leaves_is_not_an_error(files):
    code, _, said = shell(["measures"], "| true")
    assert code == 0
    assert "Traceback" not in said


def test_a_pipe_gets_the_bytes_of_a_file(files, tmp_path):
    """Two ids that differ in an escape sequence stay two."""
    run, out = tmp_path / "odd", tmp_path / "out"
    run.write_text("1 Q0 a 1 2 \x1b[31mtag\n")
    command = [*files[:2], str(run), "-m", "AP", "-q", "--format", "csv", "--quiet"]
    piped = subprocess.run([*COMMAND, *command], capture_output=True, check=True).stdout
    assert hungjury(*command, "-o", str(out)).returncode == 0
    assert piped == out.read_bytes()
    assert b"\x1b[31mtag" in piped


def test_control_characters_are_escaped_for_people(files, tmp_path):
    path = tmp_path / "bad"
    path.write_text("1 Q0 a \x1b[2Jx 2 tag\n")
    said = hungjury(*files[:2], str(path)).stderr
    assert "'\\x1b[2Jx' is not an integer" in said
    assert "\x1b[2J" not in said
    assert visible("a\tb\n\x1b[0m\x9b\x7f\udcff") == "a\tb\n\\x1b[0m\\x9b\\x7f\\udcff"


@pytest.mark.long
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_end_a_command(files, number, code):
    reading = subprocess.Popen(
        [*COMMAND, "evaluate", files[1], "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # which background jobs ignore
    )  # fmt: skip
    run = "".join(f"1 Q0 d{i} {i + 1} {-i} tag\n" for i in range(50_000))
    reading.stdin.write(run.encode())  # more than a pipe holds: it is being read
    reading.send_signal(number)
    _, said = reading.communicate(timeout=60)
    assert reading.returncode == code
    assert b"Traceback" not in said


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(), "no-memory"),
        (OSError(5, "Input/output error", "x"), "system-error"),
        (sqlite3.DatabaseError("malformed"), "damaged-store"),
        (sqlite3.OperationalError("database or disk is full"), "damaged-store"),
        (TimeoutError(), "system-error"),
        (ValueError("a bug"), None),
    ],
)
def test_errors_from_outside_become_ours(error, code):
    found = outside_error(error)
    assert (found and found.code) == code
    assert found is None or found.remedy


@pytest.mark.parametrize("address", ["nowhere", "nowhere:", ":1", "127.0.0.1:1", "a.invalid:8786"])
def test_a_cluster_that_is_not_there_is_an_error(address):
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        list(Engine(f"dask://{address}").run(abs, [1, 2], lambda item, error: item))


def test_names_are_plain_text_in_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    from hungjury.report.pictures import new_picture, picture_bytes

    figure, axes = new_picture(3, 2)
    axes.plot([0, 1], [0, 1])
    axes.set_title("a$_b$ \x1b[0m $\\frac{x$")  # as a formula it would be an error
    axes.set_yticks([0, 1], ["$x$", "y_1"])
    assert picture_bytes(figure, "svg").startswith(b"<?xml")
    assert axes.title.get_text() == "a$_b$ \\x1b[0m $\\frac{x$"


def test_rows_of_latex_do_not_begin_with_what_ends_take():
    from hungjury.base.results import Table

    for name in ("[1]", "*x"):
        text = Table(("system", "AP"), [(name, 0.5)]).to_latex()
        assert f"\n{{}}{name} & " in text


@pytest.mark.long
@needs_full
def test_every_command_survives_full_and_closed_streams(tmp_path):
    """Without stdout a result is an error with exit code 2; without stderr nothing changes."""
    folder = sample_files(tmp_path / "demo")
    env = {**ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1", "HUNGJURY_THREADS": "1"}  # forks
    done = subprocess.run([sys.executable, "-m", "builders.stream_faults"], cwd=folder, check=True,
                          capture_output=True, env=env)  # fmt: skip
    found = json.loads(done.stdout)
    assert len(found) > 15
    for name, after in found.items():
        usual = after["none"]
        assert usual["code"] in (0, 1, 3), (name, usual)
        for fault in ("stderr full", "stderr closed"):
            silent = {**usual, "stderr": ""}
            assert after[fault] == silent, (name, fault)
        for fault, says in (("stdout full", "No space left"), ("stdout closed", "is closed")):
            code, said = after[fault]["code"], after[fault]["stderr"]
            assert code == (2 if usual["stdout"] else usual["code"]), (name, fault)
            assert not usual["stdout"] or f"error: {says}" in said.replace("stdout ", ""), name
            assert "Traceback" not in said


class Full(io.StringIO):
    """A stream that takes text and cannot write it."""

    def flush(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("name", ["/usr/bin/hungjury", "/lib/hungjury/__main__.py"])
def test_the_front_page_names_the_program_or_leaves_errors_to_it(name, monkeypatch, capsys):
    called = []
    monkeypatch.setattr("hungjury.cli.main.main", lambda: called.append(sys.argv))
    monkeypatch.setattr("hungjury.cli.atexit.register", lambda _: None)
    monkeypatch.setattr("hungjury.cli.gc.set_threshold", lambda _: None)
    monkeypatch.setattr("hungjury.cli.signal.signal", lambda *_: None)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    start()
    usual = "python -m hungjury" if "main" in name else "hungjury"
    assert capsys.readouterr().out.startswith(f"Usage: {usual} [OPTIONS]")
    assert called == []
    monkeypatch.setattr(sys, "stdout", Full())
    start()
    assert called == [[name, "--help"]]


def test_an_interrupt_during_imports_has_no_traceback():
    code = (
        "import os, signal, sys\n"
        "from hungjury.cli import start\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'hungjury.cli.main':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "start()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
