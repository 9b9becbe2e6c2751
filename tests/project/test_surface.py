"""The public surface: every type that people get is exported, and names in the docs exist."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import hungjury as hj

ROOT = Path(__file__).parents[2]
SPACES = ["", "stats", "theory", "studies", "ltr", "users"]
CLASS = re.compile(r"\b[A-Z]\w+")


def spaces():
    for name in SPACES:
        yield name, hj if not name else getattr(hj, name)


def exported():
    """Everything exported, and what only authors of measures meet."""
    own = {id(kind) for _, f in functions("", hj.Measure) for kind in returned(f)}
    return own | {id(getattr(space, name)) for _, space in spaces() for name in space.__all__}


def functions(name, one):
    """The public functions and methods of an exported thing, with what each is called."""
    if inspect.isfunction(one):
        yield name, one
    if inspect.isclass(one):
        for inside in dir(one):
            member = inspect.getattr_static(one, inside)
            found = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if inspect.isfunction(found) and not inside.startswith("_"):
                yield f"{name}.{inside}", found


def returned(function):
    """The classes of this package that a function says it returns."""
    module = importlib.import_module(function.__module__)
    for word in CLASS.findall(str(function.__annotations__.get("return", ""))):
        kind = getattr(module, word, None)
        if inspect.isclass(kind) and kind.__module__.startswith("hungjury"):
            yield kind


def test_every_type_that_a_public_function_returns_is_exported():
    known = exported()
    hidden = {
        f"{place}.{name} returns {kind.__module__}.{kind.__name__}"
        for place, space in spaces()
        for exported_name in space.__all__
        for name, function in functions(exported_name, getattr(space, exported_name))
        for kind in returned(function)
        if id(kind) not in known
    }
    assert not hidden, "\n".join(sorted(hidden))


def pages():
    built = {"_build", "_extra"}
    for path in [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]:
        if not built & set(path.parts):
            yield path
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md") if (ROOT / name).exists())


def resolves(dotted):
    """Whether a chain of names exists, and goes through public names only."""
    found = hj
    for part in dotted.split("."):
        if inspect.isfunction(found) or part not in getattr(found, "__all__", dir(found)):
            return False
        found = getattr(found, part)
    return True


def test_names_in_the_docs_exist():
    missing = [
        f"{path.relative_to(ROOT)}: hj.{name}"
        for path in pages()
        for name in re.findall(r"(?<![\w.`/])hj\.(\w+(?:\.\w+)*)", path.read_text(encoding="utf-8"))
        if not resolves(name)
    ]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize(
    ("name", "exists"),
    [("evaluate", True), ("m.nDCG", True), ("Qrels.write", True), ("judges.prm.PRM", False),
     ("leaderboard.board", False), ("nothing", False)],
)  # fmt: skip
def test_a_name_that_does_not_exist_is_seen(name, exists):
    assert resolves(name) == exists
