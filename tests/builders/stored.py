"""Outcomes of small cases, stored beside the tests: numbers, texts, notes and errors, as a whole.

Loops in `oracles` say what is right; stored outcomes show that a change is meant. After such a
change, `EXPECTED=write pytest tests/measures/test_stored.py` writes them anew.
"""

from __future__ import annotations

import json
import math
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from builders.expected import WRITE
from hungjury.base.errors import HungjuryError
from hungjury.base.records import Record

FEW = 12  # numbers of an array that are stored one by one
Cases = Mapping[str, Callable[[], Any]]


def plain(found: Any) -> Any:
    """Return numbers, texts, lists and dictionaries; a large array as a weighted sum."""
    if isinstance(found, HungjuryError):
        return [str(found), found.code, found.argument, plain(found.values)]
    if isinstance(found, BaseException):
        return f"{type(found).__name__}: {found}"
    if is_dataclass(found) and not isinstance(found, type):
        return {f.name: plain(getattr(found, f.name)) for f in fields(found)}
    if isinstance(found, Mapping):
        return {str(key): plain(one) for key, one in found.items()}
    if isinstance(found, np.ndarray) and found.size > FEW:
        values = np.where(np.isfinite(found), found, -0.7).ravel()
        return float(f"{values @ np.cos(np.arange(1, len(values) + 1)):.10g}")
    if isinstance(found, np.ndarray):
        return plain(found.tolist())
    if isinstance(found, (list, tuple, set, frozenset)):
        return [
            plain(one) for one in (sorted(found) if isinstance(found, (set, frozenset)) else found)
        ]
    if isinstance(found, float):
        return float(f"{found:.10g}") if math.isfinite(found) else str(found)
    return found if found is None or isinstance(found, (str, int)) else str(found)


def outcome(case: Callable[[], Any]) -> Any:
    """What a case gives, or the error that it raises."""
    try:
        return plain(case())
    except (ValueError, TypeError, KeyError) as error:
        return plain(error)


def different(found: Any, expected: Any) -> bool:
    """Tell whether two outcomes differ by more than rounding."""
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return not math.isclose(found, expected, rel_tol=1e-7, abs_tol=1e-9)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) != len(expected) or any(map(different, found, expected))
    if isinstance(expected, dict) and isinstance(found, dict):
        return found.keys() != expected.keys() or any(
            different(found[key], expected[key]) for key in expected
        )
    return bool(found != expected)


def check(file: str, group: str, cases: Cases) -> None:
    """Compare the outcomes of cases with those stored for a group of them."""
    place = Path(file).parent / "expected" / f"{group}.json"
    found = {name: json.loads(json.dumps(outcome(case))) for name, case in cases.items()}
    if WRITE:
        lines = [f"{json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}"
                 for name, one in found.items()]  # fmt: skip
        place.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    expected = json.loads(place.read_text(encoding="utf-8"))
    wrong = [name for name in found if different(found[name], expected.get(name, "nothing"))]
    assert {name: found[name] for name in wrong} == {name: expected.get(name) for name in wrong}
    assert found.keys() == expected.keys()


def compared_by_identity(room: str) -> list[str]:
    """Return the records of a room that equal only themselves, as those with arrays should."""
    found = []
    package = import_module(room)
    for module in pkgutil.walk_packages(package.__path__, f"{room}."):
        for one in vars(import_module(module.name)).values():
            mine = isinstance(one, type) and one.__module__ == module.name
            if mine and issubclass(one, Record) and one.__eq__ is object.__eq__:
                found.append(one.__name__)
    return sorted(found)
