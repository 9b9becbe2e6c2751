"""The page of public Python names, and of the results that they give."""

from __future__ import annotations

import inspect
import re
import sys
from operator import attrgetter
from typing import Any

import hungjury as hj

ROOMS = {
    "collection": "Reading and making collections",
    "evaluation": "Scoring",
    "catalogue": "Scoring",
    "scores": "Scoring",
    "judges": "Many judges",
    "uncertainty": "How sure one can be",
    "report": "How sure one can be",
    "stats": "Correlation of rankings",
    "users": "Users",
    "ltr": "Rankers",
    "theory": "Theory",
    "studies": "Studies",
    "errors": "Errors",
}

TOP = """\
# Python

`import hungjury as hj` gives these names. Sources are paths, globs, lists of them, open files,
pandas, polars or pyarrow frames, or `{topic: {document: value}}`. Below each group stand the
results that its functions give.
"""


def names_page() -> str:
    """All of `hungjury.__all__`, grouped by where names live."""
    groups: dict[str, list[str]] = {title: [] for title in ROOMS.values()}
    public = [name for name in hj.__all__ if not inspect.ismodule(getattr(hj, name))]
    for space in ("ltr", "stats", "studies", "theory", "users"):
        public += [f"{space}.{name}" for name in getattr(hj, space).__all__]
    for name in public:
        room = _named(name).__module__.split(".")[1]
        groups.setdefault(ROOMS.get(room, room), []).append(name)
    shown: set[Any] = {_named(name) for name in public}
    lines = [TOP]
    for title, listed in groups.items():
        if listed:
            lines += [f"## {title}", "", "```{eval-rst}", *_group(listed, shown), "```", ""]
    return "\n".join(lines)


def _named(name: str) -> Any:
    return attrgetter(name)(hj)


def _group(listed: list[str], shown: set[Any]) -> list[str]:
    lines: list[str] = []
    results = []
    for name in sorted(listed, key=lambda n: (inspect.isclass(_named(n)), n)):
        one = _named(name)
        lines += _class(f"hungjury.{name}") if inspect.isclass(one) else [
            f".. autofunction:: hungjury.{name}", ""
        ]  # fmt: skip
        result = None if inspect.isclass(one) else _result(one)
        if result is not None and result not in shown:
            shown.add(result)
            results.append(result)
    for one in results:
        lines += _class(f"{one.__module__}.{one.__qualname__}")
    return lines


def _class(path: str) -> list[str]:
    return [f".. autoclass:: {path}", "   :members:", "   :undoc-members:", ""]


def _result(function: Any) -> Any:
    """The package's own class that a function gives, alone or in a list."""
    annotation = str(inspect.signature(function).return_annotation)
    names = re.findall(r"\w+", annotation)
    found = [getattr(sys.modules[function.__module__], name, None) for name in names]
    own = [one for one in found if inspect.isclass(one) and one.__module__.startswith("hungjury.")]
    return own[0] if own else None
