"""The benchmarks run, compare what they measure, and write what they found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from builders.paths import ROOT


@pytest.fixture(autouse=True)
def _from_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def _prints(name: str, text: str, **more: Any) -> Any:
    """A contender that prints a text."""
    from benchmarks.suite import Contender

    return Contender(name, [sys.executable, "-c", f"print({text!r})"], **more)


def _suite(*contenders: Any, **more: Any) -> Any:
    from benchmarks.suite import Suite

    return Suite("toy", "A toy.", contenders[0].name, lambda _setting: contenders, **more)


def _run(
    suite: Any, folder: Path, repeats: int = 1, whole: bool = False
) -> tuple[bool, str, dict[str, Any]]:
    from benchmarks import run
    from benchmarks.suite import Setting

    good = run._run(suite, Setting(folder), repeats, [], folder, whole)
    name = "toy-whole" if whole else "toy"
    page = (folder / f"{name}.md").read_text(encoding="utf-8")
    return good, page, json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.long
def test_quick_evaluate(tmp_path: Path) -> None:
    pytest.importorskip("pytrec_eval")
    command = [sys.executable, "-m", "benchmarks.run", "--suite", "evaluate", "--quick"]
    command += ["--repeats", "1", "--only", "1 core", "--only", "pytrec_eval"]
    command += ["--folder", str(tmp_path / "made"), "--results", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "evaluate-quick.md").read_text(encoding="utf-8")
    found = json.loads((tmp_path / "evaluate-quick.json").read_text(encoding="utf-8"))
    mine, other = found["contenders"]
    assert [mine["name"], other["name"]] == ["hungjury (1 core)", "pytrec_eval"]
    assert other["values"] == pytest.approx({k: mine["values"][k] for k in other["values"]})
    assert mine["seconds"][0] > 0
    assert mine["peak_mb"][0] > 10
    ratio = other["seconds"][0] / mine["seconds"][0]
    row = next(line for line in page.splitlines() if line.startswith("| pytrec_eval |"))
    assert float(row.split("|")[4]) == pytest.approx(ratio, rel=0.01)
    assert "at least 8 times faster than pytrec_eval" in done.stdout
    assert str(ROOT) not in page + json.dumps(found)
    assert str(tmp_path) not in page + json.dumps(found)


def test_other_values_are_noticed(tmp_path: Path) -> None:
    mine = _prints("mine", '{"values": {"AP": 0.30, "RBP": 0.2}}')
    peer = _prints("peer", '{"values": {"AP": 0.31}}')
    good, page, _ = _run(_suite(mine, peer), tmp_path)
    assert not good
    assert "VALUES DIFFER by 0.0100" in page
    good, page, _ = _run(_suite(mine, peer, tolerance=0.02), tmp_path)
    assert good
    assert "DIFFER" not in page


def test_failures_and_absent_packages(tmp_path: Path) -> None:
    from benchmarks.suite import Contender

    broken = Contender("broken", [sys.executable, "-c", "raise SystemExit('no such luck')"])
    absent = _prints("absent", "", package="no_such_package_at_all")
    good, page, found = _run(_suite(_prints("mine", "1"), broken, absent), tmp_path, 2)
    assert not good
    assert "exit 1: no such luck" in page
    assert "no_such_package_at_all is not installed" in page
    assert [len(one["seconds"]) for one in found["contenders"]] == [2, 0, 0]
    good, _, _ = _run(_suite(_prints("mine", "1"), absent), tmp_path)
    assert good


def test_seconds_of_a_part(tmp_path: Path) -> None:
    """A contender may tell the time of the part that is meant; `most` limits its repetitions."""
    told = _prints("told", '{"seconds": 12.5}', most=1)
    _, page, found = _run(_suite(_prints("mine", "1"), told), tmp_path, 3)
    assert found["contenders"][1]["seconds"] == [12.5]
    assert "12.50-12.50 (1)" in page


def test_seconds_of_whole_processes(tmp_path: Path) -> None:
    told = _prints("told", '{"seconds": 1000}')
    _, page, found = _run(_suite(told), tmp_path, whole=True)
    assert 0 < found["contenders"][0]["seconds"][0] < 1000
    assert "whole processes" in page


def test_goals() -> None:
    from benchmarks.suite import Faster, Measured, Memory, Within

    def measured(name: str, seconds: list[float], peak: float) -> Measured:
        return Measured(_prints(name, ""), seconds, seconds, [peak])

    results = {
        "mine": measured("mine", [9.0, 1.0, 2.0], 250),
        "peer": measured("peer", [16.0], 900),
    }
    for goal, said, met in (
        (Faster("mine", "peer", 8), "8.0 times", True),
        (Faster("mine", "peer", 8.5), "8.0 times", False),
        (Within("peer", "mine", 8), "8.00 times", True),
        (Within("peer", "mine", 7), "8.00 times", False),
        (Memory("mine", 300), "250 MB", True),
        (Memory("mine", 250), "250 MB", False),
    ):
        verdict = goal.judge(results)
        assert verdict is not None
        assert (verdict.measured, verdict.met) == (said, met)
        assert goal.judge({}) is None


def test_growth_tells_linear_from_quadratic() -> None:
    from benchmarks.suite import Contender, Measured
    from benchmarks.suites.growth import AXES, STEPS, Linear, tables

    for power, met in ((1, True), (2, False)):
        results = {}
        for step in STEPS:
            one = Contender(f"{AXES[0].name} x {step}", [], lines=1000 * step)
            results[one.name] = Measured(one, [9.0], [0.2 + 0.1 * step**power], [50.0])
        verdict = Linear(AXES[0]).judge(results)
        assert verdict is not None
        assert verdict.met == met
    assert len(tables(results)[0].rows) == len(STEPS)


def test_collections_are_made_once_and_alike(tmp_path: Path) -> None:
    from benchmarks.collections import Shape, collection

    shape = Shape(runs=2, topics=3, depth=20, judged=8, relevant=2)
    first = collection(shape, tmp_path / "a")
    texts = [Path(p).read_bytes() for p in (first.qrels, *first.runs)]
    assert texts[0].count(b"\n") == 24
    assert sum(t.count(b"\n") for t in texts[1:]) == first.lines == 120
    made = Path(first.qrels).stat().st_mtime_ns
    assert Path(collection(shape, tmp_path / "a").qrels).stat().st_mtime_ns == made
    again = collection(shape, tmp_path / "b")
    assert [Path(p).read_bytes() for p in (again.qrels, *again.runs)] == texts


def test_goals_speak_of_contenders_that_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks.collections import Collection
    from benchmarks.run import all_suites
    from benchmarks.suite import Setting

    known = all_suites()
    assert {"evaluate", "single", "growth", "startup"} <= known.keys()
    for suite in known.values():
        module = sys.modules[suite.contenders.__module__]
        monkeypatch.setattr(module, "collection", Collection, raising=False)  # nothing is made
        monkeypatch.setattr(module, "panel", lambda *_: ["judges/a"], raising=False)
        monkeypatch.setattr(module, "crowd", lambda *_: "labels.csv", raising=False)
        names = {one.name for one in suite.contenders(Setting(tmp_path))}
        spoken = {vars(g)[k] for g in suite.goals for k in ("mine", "other") if k in vars(g)}
        assert spoken | {suite.base} <= names
