"""The parts of the command line by themselves: declared options, files to write, notes, errors.

All options of all commands are compared with a file, as a user can give them.
"""

from __future__ import annotations

import io
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from builders.commands import ALL, COMMANDS
from builders.commands import hungjury as shell
from builders.expected import assert_expected
from hungjury.base.errors import Argument, HungjuryError, InputError, Note
from hungjury.base.options import Option
from hungjury.cli import failing, main, options, output, reading, study, train
from hungjury.cli.main import hungjury as group
from hungjury.data.reading.sources import Source
from hungjury.data.runs import RunFiles

EXPECTED = Path(__file__).parent / "expected" / "options.txt"


# Options


def kind_of(one: click.Parameter) -> str:
    """The type of an option in words."""
    kind = one.type
    if isinstance(kind, click.IntRange | click.FloatRange):
        ends = "[("[kind.min_open], ")]"[not kind.max_open]
        return f"{kind.name} {ends[0]}{kind.min}, {kind.max}{ends[1]}"
    if isinstance(kind, click.Choice):
        return "|".join(map(str, kind.choices))
    return getattr(getattr(kind, "func", None), "__name__", kind.name)


def described(one: click.Parameter) -> str:
    """Everything about an option but its meaning."""
    parts = [", ".join(one.opts + one.secondary_opts), f"-> {one.name}:", kind_of(one)]
    parts += [f"metavar {one.metavar}"] if one.metavar else []
    default = one.get_default(click.Context(click.Command("x")))
    known = isinstance(default, (str, int, float, list, tuple)) and default not in ("", False, ())
    parts += [f"default {default!r}"] if known or default is True else []
    parts += [word for word in ("required", "multiple", "is_flag", "is_eager")
              if getattr(one, word, False)]  # fmt: skip
    parts += [] if one.expose_value else ["apart"]
    if isinstance(one, click.Option) and one.show_default:
        parts.append("shown")
    found = one.shell_complete(click.Context(click.Command("x"), resilient_parsing=True), "nDC")
    parts += [f"completes {item.value} ({item.type})" for item in found[:1]]
    return " ".join(parts)


@pytest.mark.parametrize("name", [name for name in COMMANDS if not name.startswith("study ")])
def test_the_options_of_a_command(name: str) -> None:
    lines = [described(each) for each in COMMANDS[name].params]
    assert_expected(EXPECTED, name, "\n".join([COMMANDS[name].short_help, *lines]))


@pytest.mark.parametrize("name", ["aware", "random-relevance"])
def test_the_options_of_a_study(name: str) -> None:
    command = COMMANDS[f"study {name}"]
    lines = [f"{described(one)}: {one.help}" for one in command.params]
    told = [command.help, command.short_help, *lines]
    assert_expected(EXPECTED, f"study {name}", "\n".join(told))


def test_summaries_of_all_commands_and_lists_of_merges() -> None:
    lines = [f"{name}: {text}" for name, text in main.summaries().items()]
    assert_expected(EXPECTED, "all commands", "\n".join(lines))
    shown = CliRunner().invoke(group, ["-h"]).output
    assert all(f"  {line.partition(':')[0]} " in shown for line in lines)
    for name, flag in (("merge", "method"), ("leaderboard", "merge")):
        (one,) = [each for each in COMMANDS[name].params if each.name == flag]
        assert_expected(EXPECTED, f"--{flag}", one.help)


@pytest.mark.parametrize("program", ["hungjury", "python -m hungjury"])
def test_the_help_of_the_program_is_laid_out_as_click_does_it(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = click.Context(group, info_name=program, **main.HELP)
    for columns in (1, *range(50, 110), 500):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert group.get_help(context) == click.Group.get_help(group, context)


VALUES: dict[str, tuple[Any, str, Any]] = {
    "decimal": (options.Number(0, 1), "0.5", 0.5),
    "end": (options.Number(0, 1), "1", 1.0),
    "infinite": (options.Number(), "inf", "'inf' is not a finite number."),
    "word": (options.Number(), "x", "'x' is not a finite number."),
    "above": (options.share, "1.1", "1.1 is not in the range 0<=x<=1."),
    "open": (options.inner_share, "1", "1.0 is not in the range 0<x<1."),
    "open below": (options.inner_share, "0", "0.0 is not in the range 0<x<1."),
    "grade": (options.grade, "0", "0 is not in the range 1<=x<=1000."),
}


@pytest.mark.parametrize("case", VALUES)
def test_numbers(case: str) -> None:
    kind, text, wanted = VALUES[case]
    if not isinstance(wanted, str):
        assert kind.convert(text, None, None) == wanted
        return
    with pytest.raises(click.BadParameter) as caught:
        kind.convert(text, None, None)
    assert caught.value.message == wanted


def test_numbers_as_numbers() -> None:
    assert options.Number(0, 1).convert(0.25, None, None) == 0.25


def test_options_of_functions_are_those_of_commands() -> None:
    def made(default: Any, typed: str = "", **how: Any) -> str:
        one = Option(default, "", name="a_b", **how)
        (found,) = options.declared(one, typed)(lambda: None).__click_params__
        return described(found)

    assert made(3, low=2, high=5) == "--a-b -> a_b: integer range [2, 5] default 3 shown"
    assert made(3.5, low=2, high=5, open_high=True) == (
        "--a-b -> a_b: float range [2, 5) default 3.5 shown"
    )
    assert made(False) == "--a-b -> a_b: boolean is_flag"
    assert made("x", choices=("x", "y")) == "--a-b -> a_b: x|y default 'x' shown"
    assert made(None, metavar="FILE") == "--a-b -> a_b: text metavar FILE"
    assert made(3, "c", high=5) == "--c -> a_b: integer range [0, 5] default 3 shown"


def test_lists() -> None:
    numbers = options.listed(options.count(9), "digits such as 1,2")
    assert numbers("1, 2,3") == [1, 2, 3]
    with pytest.raises(click.BadParameter) as caught:
        numbers("1;2")
    assert caught.value.message == "'1;2' is not a list of digits such as 1,2"


PLAIN = {
    "true": True, "false": False, "True": True, "3": 3, "0.5": 0.5, "[1, 2]": [1, 2],
    "word": "word", "a b": "a b", "1+": "1+", "TRUE": "TRUE",
}  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_values_as_in_python(text: str) -> None:
    assert repr(options.plain_value(text)) == repr(PLAIN[text])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    return tmp_path


FILES_TO_WRITE = {
    "new_file": {"a": "", "-": "", "folder/a": "", "no/a": "no folder 'no'; create it first",
                 "folder": "'folder' is a folder; give a file name"},
    "second_file": {"a": "", "-": "the result goes to stdout; give a file name",
                    "no/a": "no folder 'no'; create it first"},
    "page": {"a.html": "", "A.HTM": "", "/dev/null": "",
             "-": "the result goes to stdout; give a file name",
             "a.pdf": "'a.pdf': a report is a page; give a name that ends in .html",
             "no/a.html": "no folder 'no'; create it first"},
    "picture": {"a.svg": "", "no/a.svg": "no folder 'no'; create it first"},
    "picture_or_csv": {"a.svg": "", "-": "", "A.CSV": "", "folder/a.csv": "",
                       "no/a.csv": "no folder 'no'; create it first"},
    "picture_or_terminal": {"a.svg": "", "-": "", "no/a.png": "no folder 'no'; create it first"},
    "word": {"a": "", "a b": "'a b' contains blanks, which separate columns",
             "": "'' contains blanks, which separate columns"},
}  # fmt: skip


@pytest.mark.parametrize("name", FILES_TO_WRITE)
def test_names_of_files_to_write(name: str, here: Path) -> None:
    if name in ("page", "picture", "picture_or_csv", "picture_or_terminal"):
        pytest.importorskip("jinja2")
        pytest.importorskip("matplotlib")
    for path, wanted in FILES_TO_WRITE[name].items():
        if not wanted:
            assert getattr(options, name)(path) == path
            continue
        with pytest.raises(click.BadParameter) as caught:
            getattr(options, name)(path)
        assert caught.value.message == wanted


@pytest.mark.parametrize(
    ("name", "endings"),
    [("picture", ".svg, .png or .pdf"), ("picture_or_csv", ".svg, .png, .pdf or .csv"),
     ("picture_or_terminal", ".svg, .png, .pdf or -, for the terminal")],
)  # fmt: skip
def test_pictures_have_a_known_ending(name: str, endings: str) -> None:
    with pytest.raises(HungjuryError) as caught:
        getattr(options, name)("a.txt")
    assert endings in str(caught.value)


# Output


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "most", "width"), [(80, 110, 80), (200, 110, 110),
                                                        (20, 110, 60), (61, 110, 61)])  # fmt: skip
def test_text_is_as_wide_as_the_terminal(
    columns: int, most: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert output.text_width(most) == most
    monkeypatch.setattr(sys, "stdout", Screen())
    assert output.text_width(most) == width


def test_sentences_are_wrapped_on_a_terminal_and_tables_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    words = "  " + " ".join(["word"] * 14)
    row = "a   " + "b" * 60
    output.deliver(f"{words}\n{row}\nshort\x1b", None, for_people=True)
    first = "  " + " ".join(["word"] * 11)
    assert screen.getvalue() == f"{first}\n    word word word\n{row}\nshort\\x1b\n"
    screen.truncate(0)
    screen.seek(0)
    output.deliver(f"{words}\n", "-")
    assert screen.getvalue() == f"{words}\n"
    assert output._wrapped("a" * 60 + "\n", 60) == "a" * 60 + "\n"


def test_text_goes_to_a_stream_or_to_a_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stdout", plain)
    output.deliver("a", None)
    output.deliver("b\n", "-")
    output.deliver("c", "file")
    assert (plain.getvalue(), Path("file").read_text()) == ("a\nb\n", "c\n")
    assert os.listdir() == ["folder", "file"] or sorted(os.listdir()) == ["file", "folder"]
    output.guard_streams()
    output.deliver("\udcff", None)
    assert sys.stdout.write("") == 0
    assert sys.stdout.write("de") == 2
    assert plain.getvalue() == "a\nb\n\udcff\nde"
    assert (sys.stdout._optional, sys.stderr._optional) == (False, True)
    assert sys.stdout.encoding == plain.encoding


class Broken(io.StringIO):
    """A stream that fails."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error, self.left = error, False

    def write(self, _text: str) -> int:
        raise self.error

    def flush(self) -> None:
        raise self.error

    def fileno(self) -> int:
        self.left = True
        return os.open(os.devnull, os.O_WRONLY)


def test_broken_streams() -> None:
    full, pipe = OSError(28, "full"), BrokenPipeError()
    for error, optional, raised in ((full, False, True), (full, True, False),
                                    (pipe, False, False), (pipe, True, False)):  # fmt: skip
        stream = Broken(error)
        tolerant = output._Tolerant(stream, optional)
        for act in (lambda t=tolerant: t.write("a"), lambda t=tolerant: t.write_bytes(b"a")):
            stream.left = False
            if raised:
                with pytest.raises(OSError, match="full"):
                    act()
            else:
                act()
            assert stream.left


def test_stdout_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    output.guard_streams()
    assert sys.stdout.write("") == 0
    for act in (lambda: sys.stdout.write("a"), lambda: sys.stdout.write_bytes(b"a")):
        with pytest.raises(OSError, match="stdout is closed"):
            act()
    assert sys.stderr.write("a") == 1
    assert sys.stderr._optional


def notes(*about: str) -> list[Note]:
    return [Note(f"n{i}", 1, f"{word} {i}", about=word) for i, word in enumerate(about)]


def printed(capsys: pytest.CaptureFixture[str], *about: str, **how: Any) -> list[str]:
    output.print_notes(notes(*about), **{"quiet": False, **how})
    found = capsys.readouterr()
    assert found.out == ""
    return found.err.splitlines()


def test_notes(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "files", quiet=True) == []
    assert printed(capsys, "files", "judges", "result") == [
        "note: result 2", "note: judges 1", "note: files 0"
    ]  # fmt: skip
    six = [f"note: files {i}" for i in range(6)]
    assert printed(capsys, *["files"] * 6) == six
    assert printed(capsys, *["files"] * 7) == [*six, "note: files 6"]
    assert printed(capsys, *["files"] * 8) == [*six, "note: 2 more (see `hungjury audit`)"]
    more = [*six, "note: 3 more (see there)"]
    assert printed(capsys, *["files"] * 9, where="there") == more
    assert len(printed(capsys, *["files"] * 9, every=True)) == 9
    nine = [f"note: result {i}" for i in range(9)]
    assert printed(capsys, *["result"] * 9, *["files"] * 3) == [
        *nine, "note: 3 more (see `hungjury audit`)"
    ]  # fmt: skip


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    for stream, quiet, worthwhile in ((io.StringIO(), False, True), (screen, True, True),
                                      (screen, False, False)):  # fmt: skip
        monkeypatch.setattr(sys, "stderr", stream)
        with output.progress_bar(quiet, worthwhile) as progress:
            assert progress is None
        assert stream.getvalue() == ""
    with output.progress_bar(False) as progress:
        assert progress is not None
        progress(1, 4, "scoring")
        progress(3, 4, "scoring")
        progress(4, 4, "scoring")
    shown = screen.getvalue()
    assert "reading" in shown
    assert "  1/4" in shown.replace("[", " ")
    assert "  3/4" in shown.replace("[", " ")
    assert "4/4" in shown
    assert shown.endswith("\x1b[1A\x1b[2K")


def test_much_to_read(here: Path) -> None:
    Path("run").write_text("x" * 10)

    def much(number: int) -> bool:
        return output.is_much(RunFiles([Source("run", "run")] * number))

    assert (much(19), much(20)) == (False, True)
    os.truncate("run", 99_999_999)  # without taking so much of the disk
    assert not much(1)
    os.truncate("run", 100_000_000)
    assert much(1)
    assert output.is_much(RunFiles([Source("run", "run")] * 2))
    assert not output.is_much(RunFiles([Source("-", None)]))


# Errors


def usage(*words: str) -> str:
    return shell(*words).stderr.rpartition("Error: ")[2].strip()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("evalute", "No such command 'evalute'. Did you mean evaluate?"),
        ("lead", "No such command 'lead'. Did you mean leaderboard?"),
        ("xyzzy", "No such command 'xyzzy'."),
        ("measures AP x", "unexpected argument 'x'. Repeat an option for each of its values, and "
         "quote patterns, or the shell expands them: --runs 'runs/*'"),
        ("measures AP x y", "unexpected argument 'x' (and 1 more). Repeat an option for each of its"
         " values, and quote patterns, or the shell expands them: --runs 'runs/*'"),
    ],
)  # fmt: skip
def test_mistyped_commands(words: str, wanted: str) -> None:
    done = shell(*words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.rpartition("Error: ")[2].strip() == wanted


def test_errors_as_text_and_as_json() -> None:
    error = InputError("bad\x1b", code="a-code", argument="rel", remedy=("use", Argument("rel", 2)))
    surface = failing.command_line({"rel": "--rel"})
    assert failing.written(error, surface, ["x"]) == (
        "\x1b[31m\x1b[1merror: \x1b[0mbad\\x1b\n  remedy: use --rel 2"
    )
    for words in (["--format", "json"], ["a", "--format=json"]):
        assert failing.written(error, surface, words).startswith('{"error": {')
    assert failing.written(InputError("é", code="a", remedy="b"), surface, ["--format=json"]).count(
        "é"
    )
    assert failing.written(error, surface, ["--format", "csv", "json"]).startswith("\x1b[31m")


def test_arguments_as_they_are_typed() -> None:
    write = failing.command_line({"only": "--only"})
    assert write(Argument("only", "a b", "c")) == "--only 'a b' or c"
    assert write(Argument("only")) == "--only"
    assert write(Argument("other", 1)) == "other=1"
    found = failing.typed_options(ALL["rank"])
    assert (found["ranker"], found["tag"]) == ("RANKER", "--tag")
    found = failing.typed_options(ALL["compare"])
    assert (found["baselines"], found["baseline"], found["measures"], found["measure"]) == (
        "--baseline", "--baseline", "--measure", "--measure"
    )  # fmt: skip


def test_the_command_that_words_name() -> None:
    assert failing.invoked(group, ["study", "aware", "x"]).name == "aware"
    assert failing.invoked(group, ["study", "nothing", "aware"]).name == "study"
    assert failing.invoked(group, ["evaluate", "study"]).name == "evaluate"
    assert failing.invoked(group, ["--flag", "evaluate"]).name == "evaluate"
    assert failing.invoked(group, []) is group


class Distributed(Exception):
    __module__ = "distributed.core"


OUTSIDE: dict[str, tuple[Exception, Any]] = {
    "memory": (MemoryError(), ("no-memory", "not enough memory", None)),
    "system": (FileNotFoundError(2, "No such file", "a"), ("system-error", "No such file", "a")),
    "bare": (OSError("odd"), ("system-error", "odd", None)),
    "empty": (OSError(), ("system-error", "OSError", None)),
    "sqlite": (sqlite3.OperationalError("full"),
               ("damaged-store", "the stored results cannot be read or written: full", None)),
    "cluster": (Distributed("gone"),
                ("cluster-failed", "the cluster failed: Distributed: gone", None)),
    "bug": (KeyError("x"), None),
}  # fmt: skip


@pytest.mark.parametrize("case", OUTSIDE)
def test_errors_of_the_system(case: str) -> None:
    error, wanted = OUTSIDE[case]
    found = failing.outside_error(error)
    assert (found and (found.code, found.message, found.file)) == wanted


def test_how_a_command_ends(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    def ends(problem: BaseException | None, code: int = 0) -> tuple[int, str, str]:
        def run(*_: Any, **how: Any) -> int:
            assert how == {"standalone_mode": False}
            if problem is not None:
                raise problem
            return code

        with monkeypatch.context() as patch:
            patch.setattr(group, "main", run)
            done = shell("measures")
        return done.returncode, done.stdout, done.stderr

    assert ends(None) == (0, "", "")
    assert ends(None, 3) == (3, "", "")
    assert ends(KeyboardInterrupt()) == (130, "", "stopped\n")
    assert ends(click.exceptions.Abort()) == (130, "", "stopped\n")
    assert ends(click.UsageError("no")) == (2, "", "Error: no\n")
    told = "error: bad\n  remedy: fix it\n"
    assert ends(InputError("bad", code="a", remedy="fix it")) == (2, "", told)
    code, _, said = ends(OSError(28, "full"))
    assert (code, said.partition("\n")[0]) == (2, "error: full")
    with pytest.raises(KeyError):
        ends(KeyError("a bug"))
    with monkeypatch.context() as patch:
        patch.setattr(main, "_stopped", [143])
        assert ends(OSError("after a signal")) == (143, "", "")


def test_blas_starts_no_threads_where_it_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    seen = []
    monkeypatch.setattr(
        group, "main", lambda **_: seen.append(os.environ.get("OPENBLAS_NUM_THREADS"))
    )
    for words in (["measures"], ["leaderboard"], [], ["study", "measures"]):
        shell(*words)
    assert seen == ["1", None, None, None]
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")  # what a user says holds
    shell("measures")
    assert seen[-1] == "3"
    assert {*main.summaries()} >= main.WITHOUT_BLAS


def test_a_signal_ends_as_an_exception_does(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[int] = []
    monkeypatch.setattr(main, "_stopped", stopped)
    set_to = []
    monkeypatch.setattr(main.signal, "signal", lambda *given: set_to.append(given))
    with pytest.raises(SystemExit) as end:
        main._stop(15, None)
    assert (end.value.code, stopped) == (143, [143])
    assert set_to == [(main.signal.SIGTERM, main.signal.SIG_DFL)]


# Other parts


def test_durations() -> None:
    times = (0, 1.4, 119, 120, 7199, 7200, 90000)
    assert [study._duration(s) for s in times] == [
        "0 s", "1 s", "119 s", "2 min", "120 min", "2 h", "25 h"
    ]  # fmt: skip


def test_lines_of_progress_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(study.time, "monotonic", lambda: now[0])
    with study._progress(quiet=False) as line:
        assert line is not None
        for at, done in ((105, 1), (110, 2), (115, 3), (120, 4), (200, 8)):
            now[0] = at
            line(done, 8, "x")
    assert capsys.readouterr().err.splitlines() == [
        "2 of 8 jobs, about 30 s left", "4 of 8 jobs, about 20 s left"
    ]  # fmt: skip
    with study._progress(quiet=True) as line:
        assert line is None


def test_a_ranking_as_a_run() -> None:
    run = {"1": {"a": 0.5, "c": 0.5, "b": 2.0}, "2": {"d": 1.0}}
    assert train._lines(run, "me", 2) == (
        "1 Q0 b 1 2.0 me\n1 Q0 c 2 0.5 me\n2 Q0 d 1 1.0 me\n"
    )  # fmt: skip
    assert train._lines(run, "me", None).count("\n") == 4


def test_data_sets_by_name(here: Path) -> None:
    for name in ("folder/b", "folder/a", "x=y"):
        Path(name).mkdir()
    assert train._data_sets(("folder/*",)) == {"": ["folder/a", "folder/b"]}
    assert train._data_sets(("n=folder/*", "m=none")) == {
        "n": ["folder/a", "folder/b"], "m": ["none"]
    }  # fmt: skip
    assert train._data_sets(("x=y",)) == {"": ["x=y"]}


def test_version_and_completion() -> None:
    done = shell("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("hungjury ")
    assert done.stdout.count("\n") == 2
    for name, word in (("bash", "complete -o"), ("zsh", "#compdef"), ("fish", "complete --no")):
        assert word in shell("completion", name).stdout


def test_measures_by_rel() -> None:
    found = [str(one) for one in reading._measures(("AP", "P(rel=3)@5", "ERR"), 2)]
    assert found == ["AP(rel=2)", "P(rel=3)@5", "ERR"]
    assert [str(one) for one in reading._measures(("AP",), None)] == ["AP"]
