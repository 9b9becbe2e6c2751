"""Every error that the package raises has a code, and no sentence is written for one surface."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import hungjury
from hungjury.base import errors

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


def raised() -> Iterator[tuple[str, ast.Call]]:
    """Where errors are made: file with line, and the call."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node


def errors_made() -> list[tuple[str, ast.Call]]:
    return [(place, call) for place, call in raised() if call.func.id in KINDS]


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
    def call(text: str) -> ast.Call:
        return ast.parse(text, mode="eval").body

    assert uncoded("here", call("InputError('x')")) == "here: no code"
    assert uncoded("here", call("InputError('x', code='No_Kebab')")) == "here: 'No_Kebab'"
    assert uncoded("here", call("InputError('x', code='kebab-case')")) is None
    assert uncoded("here", call("UnknownName('x')")) is None
