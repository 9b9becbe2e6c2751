"""Docstrings of public names: every parameter is described, every example prints what it shows."""

from __future__ import annotations

import doctest
import inspect
import re
from typing import Any

import pytest

import hungjury as hj

SPACES = {"hj": hj, "hj.ltr": hj.ltr, "hj.stats": hj.stats, "hj.studies": hj.studies,
          "hj.theory": hj.theory, "hj.users": hj.users}  # fmt: skip
PUBLIC = {
    f"{space}.{name}": getattr(module, name)
    for space, module in SPACES.items()
    for name in module.__all__  # type: ignore[attr-defined]
    if not inspect.ismodule(getattr(module, name))
}
FUNCTIONS = [name for name, one in PUBLIC.items() if inspect.isfunction(one)]


def sections(one: Any) -> dict[str, str]:
    """The text of each section of a numpydoc docstring, by its title."""
    text = inspect.getdoc(one) or ""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}\n", text)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_and_result_is_described(name: str) -> None:
    function = PUBLIC[name]
    found = sections(function)
    described = [
        part.strip().lstrip("*")
        for line in found.get("Parameters", "").splitlines()
        if line and not line.startswith(" ")
        for part in line.split(" : ")[0].split(",")
    ]
    assert sorted(described) == sorted(inspect.signature(function).parameters)
    assert found["Returns"].strip()
    assert found[""].splitlines()[0].endswith(".")


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_print_what_they_show(name: str) -> None:
    one = PUBLIC[name]
    for case in doctest.DocTestFinder(recurse=False).find(one, name, globs={}):
        printed: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(case, out=printed.append)
        if any("MissingExtra" in text for text in printed):
            pytest.skip("the example needs an optional package")
        assert printed == []


def test_functions_have_an_example() -> None:
    without = {name for name in FUNCTIONS if "Examples" not in sections(PUBLIC[name])}
    read_files, take_long = {"hj.ltr.read_fold"}, {"hj.ltr.compare_data_sets"}
    assert without == read_files | take_long


def test_types_that_people_meet_have_an_example() -> None:
    types = {name: one for name, one in PUBLIC.items() if inspect.isclass(one)}
    top = [name for name in types if name.count(".") == 1]
    assert len(top) >= 10
    assert [name for name in top if "Examples" not in sections(types[name])] == []
