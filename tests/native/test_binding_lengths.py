"""Bindings refuse arrays that do not fit together before they touch memory.

Calls run in a process of their own: a crash there fails a test instead of ending pytest.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

from builders import binding_calls
from builders.binding_calls import ALONE, BINDINGS, ODD, changes, outcome
from hungjury.native import _core


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, str]]:
    """What came of every call. After a crash the next process goes on with the call behind it."""
    out: dict[str, dict[str, str]] = {}
    left = [*BINDINGS, *ODD]
    while left:
        done = subprocess.run(
            [sys.executable, binding_calls.__file__, *left], capture_output=True, text=True
        )
        lines = done.stdout.splitlines()
        out.update(zip(left, map(json.loads, lines), strict=False))
        left = left[len(lines) :]
        if left:
            out[left.pop(0)] = {f"exit code {done.returncode}": done.stderr}
    return out


def test_every_binding_is_called():
    """A new binding has to be added to the calls."""
    classes = {name.partition(".")[0] for name in BINDINGS}
    called = {name for name, thing in vars(_core).items() if callable(thing)}
    public = {name for name in called if not name.startswith("_")}
    assert public == classes | ALONE


@pytest.mark.parametrize("name", BINDINGS)
def test_arrays_that_do_not_fit_are_refused(name, found):
    binding = BINDINGS[name]
    assert outcome(binding.call, binding.arguments) == "accepted"
    assert found[name].keys() == {change for change, _ in changes(binding)}
    accepted = {change for change, how in found[name].items() if how == "accepted"}
    assert accepted == set(binding.accepted)


@pytest.mark.parametrize("what", ODD)
def test_odd_calls_do_not_crash(what, found):
    assert found[what][what].startswith("refused: ")


def test_nothing_is_above_nan():
    """However many items there are: few are compared, many are sorted."""
    rng = np.random.default_rng(5)
    for items in (20, 128, 129, 3000):
        values = rng.integers(0, 50, size=items).astype(np.float64)
        values[rng.random(items) < 0.3] = np.nan
        expected = sum(int((values > value).sum()) for value in values)
        assert _core.untied_pairs(values[None]).tolist() == [expected]
