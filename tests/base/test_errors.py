"""Errors and notes are data with a code; Python, the command line and JSON write them their way."""

import ast
import json
import pickle
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

import hungjury
import hungjury as hj
from hungjury.base import errors
from hungjury.base.errors import Argument, InputError, MissingExtra, Note, check_choice, check_seed
from hungjury.cli.failing import command_line, invoked, typed_options

SHELL = command_line({"outside": "--outside", "grades": "--grades", "gold": "--gold"})


def outside() -> InputError:
    with pytest.raises(InputError) as caught:
        hj.read_qrels({"1": {"a": 7}}, grades=range(4))
    return caught.value


def test_an_error_knows_what_it_is_about():
    error = outside()
    assert (error.code, error.argument, error.values) == (
        "outside-grades", "outside", ("clip", "missing"),
    )  # fmt: skip
    assert (error.file, error.line) == ("<dict>", 1)


def test_each_surface_writes_arguments_its_own_way():
    error = outside()
    assert error.remedy == 'use outside="clip" or "missing", or declare other grades'
    assert str(error) == f"<dict>:1: {error.message}\n  remedy: {error.remedy}"
    assert error.advice(SHELL) == "use --outside clip or missing, or declare other grades"
    assert error.render(SHELL).endswith(error.advice(SHELL))


def test_json_gets_the_fields():
    found = json.loads(json.dumps(outside().to_dict()))
    assert found["code"] == "outside-grades"
    assert found["values"] == ["clip", "missing"]
    assert (found["file"], found["line"]) == ("<dict>", 1)
    assert set(found) == {"code", "message", "file", "line", "argument", "values", "remedy"}


@pytest.mark.parametrize(
    ("argument", "python", "shell"),
    [
        (Argument("grades", range(4)), "grades=range(4)", "--grades 0-3"),
        (Argument("gold"), "gold=", "--gold"),
        (Argument("outside", "a b"), 'outside="a b"', "--outside 'a b'"),
        (Argument("top", 3), "top=3", "top=3"),  # the command has no such option
        (Argument("outside", "a", "b", "c"), 'outside="a", "b" or "c"', "--outside a, b or c"),
    ],
)
def test_arguments(argument, python, shell):
    assert str(argument) == python
    assert SHELL(argument) == shell


def test_free_text_is_a_remedy_too():
    error = InputError("no", remedy="do this")
    assert (error.remedy, error.argument, error.values) == ("do this", None, ())
    assert error.code == "input"
    assert InputError("no").remedy is None


def test_choices_and_seeds():
    with pytest.raises(InputError) as caught:
        check_choice("outside", "x", ("clip", "missing"))
    assert (caught.value.argument, caught.value.values) == ("outside", ("clip", "missing"))
    check_choice("outside", "clip", ("clip", "missing"))
    with pytest.raises(InputError, match="must be a non-negative integer"):
        check_seed(-1)


@pytest.mark.parametrize("error", [outside(), MissingExtra("x", "all", "this")])
def test_errors_survive_the_way_to_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert again.to_dict() == error.to_dict()
    assert str(again) == str(error)


def test_a_note_lists_its_subjects():
    note = Note("missing-topic", 7, "no list for 7 topics", "bm25", tuple("abcdefg"))
    assert str(note) == "bm25: no list for 7 topics: a, b, c, d, e and 2 more"
    assert note.to_dict()["subjects"] == list("abcdefg")
    assert note.to_dict()["text"] == str(note)


def test_commands_that_print_json_print_errors_as_json(tmp_path, monkeypatch, capsys):
    (tmp_path / "qrels").write_text("1 0 a 7\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 s\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    options = ["-m", "AP", "--grades", "0-3", "--format", "json"]
    monkeypatch.setattr("sys.argv", ["hungjury", "evaluate", *files, *options])
    from hungjury.cli import main

    with pytest.raises(SystemExit) as caught:
        main.main()
    assert caught.value.code == 2
    found = json.loads(capsys.readouterr().err)["error"]
    assert (found["code"], found["argument"]) == ("outside-grades", "outside")
    assert "--outside clip or missing" in found["remedy"]


def test_arguments_are_written_as_the_command_that_ran_spells_them():
    from hungjury.cli.main import hungjury

    compare = typed_options(invoked(hungjury, ["study", "graded-ap", "--runs", "r"]))
    assert compare["workers"] == compare["jobs"] == "--jobs"
    assert typed_options(invoked(hungjury, ["evaluate", "x"]))["measure"] == "--measure"
    assert command_line(compare)(Argument("workers", 2)) == "--jobs 2"
    assert invoked(hungjury, ["study", "nonsense"]).name == "study"


# Every error that the package raises has a code, and no sentence is written for one surface.


SOURCE = Path(hungjury.__file__).parent
# Their class says what is wrong; the others are raised for many reasons.
OWN_CODE = {"MissingExtra", "StudyFailed", "UnknownName"}
KINDS = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.HungjuryError)
}
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# `--flag`, `name="value"` and a bare `name=`; the parameters in Name(a=1, b=2) are written so
# everywhere.
FOR_ONE_SURFACE = re.compile(r"(?<![\w-])--[a-z]|(?<![(\w])(?<!, )[a-z_]+=(\"|'|\[|$)")


MADE = re.compile(rf"(?<!class )\b(?:{'|'.join(KINDS)})\(")


@cache
def errors_made() -> list[tuple[str, ast.Call]]:
    """Where errors are made: file with line, and the call."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for made in MADE.finditer(text):
            line = text.count("\n", 0, made.start()) + 1
            found.append((f"{path.relative_to(SOURCE)}:{line}", call_in(text[made.start() :])))
    return found


def call_in(text: str) -> ast.Call:
    """The call with which a text begins: it ends with the first bracket after which it parses."""
    for end in re.finditer(r"\)", text):
        with suppress(SyntaxError):
            return ast.parse(text[: end.end()], mode="eval").body
    raise AssertionError(text)


def uncoded(place: str, call: ast.Call) -> str | None:
    code = next((word.value for word in call.keywords if word.arg == "code"), None)
    if code is None:
        return None if call.func.id in OWN_CODE else f"{place}: no code"
    if isinstance(code, ast.Constant) and not KEBAB.fullmatch(str(code.value)):
        return f"{place}: {code.value!r}"
    return None


def texts(call: ast.Call) -> Iterator[str]:
    """The sentences of a call; what an `Argument` holds is written by the surface."""
    inside = [call]
    while inside:
        node = inside.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        name = getattr(getattr(node, "func", None), "id", "")
        if name != "Argument":
            inside += ast.iter_child_nodes(node)


def test_every_error_has_a_code():
    made = errors_made()
    assert len(made) > 300
    assert not [found for place, call in made if (found := uncoded(place, call))]


def test_no_sentence_is_written_for_one_surface():
    wrong = [
        f"{place}: {text}"
        for place, call in errors_made()
        if call.func.id != "MissingExtra"  # these name what was called
        for text in texts(call)
        if FOR_ONE_SURFACE.search(text)
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("use --outside clip", True),
        ('use outside="clip"', True),
        ("give gold=", True),
        ("give rates=[...]", True),
        ("write linear(low=0, high=100)", False),
        ("well-known", False),
    ],
)
def test_the_pattern_finds_what_it_should(text, wrong):
    assert bool(FOR_ONE_SURFACE.search(text)) is wrong


def test_calls_without_a_code_are_found():
    assert uncoded("here", call_in("InputError('x')")) == "here: no code"
    assert uncoded("here", call_in("InputError('x', code='No_Kebab')")) == "here: 'No_Kebab'"
    assert uncoded("here", call_in("InputError('x', code='kebab-case')")) is None
    assert uncoded("here", call_in("UnknownName('x')")) is None
