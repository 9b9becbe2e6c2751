"""``python -m benchmarks.run``: start contenders side by side, print and write the ratios."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from benchmarks import suites
from benchmarks.generated import default_folder
from benchmarks.machine import machine_facts, versions
from benchmarks.process import measure
from benchmarks.report import (
    as_text,
    differences,
    put_into_page,
    ratio_table,
    rows_as_markdown,
    verdict_table,
    write,
)
from benchmarks.suite import Measured, Setting, Suite

QUICK_SCALE, QUICK_REPEATS = 0.01, 2
RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"


def all_suites() -> dict[str, Suite]:
    """Every file of ``benchmarks/suites`` with a `SUITE`."""
    modules = [import_module(f"{suites.__name__}.{m.name}") for m in iter_modules(suites.__path__)]
    return {m.SUITE.name: m.SUITE for m in modules if hasattr(m, "SUITE")}


def main(arguments: Sequence[str] | None = None) -> int:
    known = all_suites()
    asked = _parser(known).parse_args(arguments)
    scale = QUICK_SCALE if asked.quick else asked.scale
    setting = Setting(asked.folder, scale, asked.quick)
    good = True
    for name in asked.suite or known:
        suite = known[name]
        usual = QUICK_REPEATS if asked.quick else suite.repeats
        repeats = asked.repeats or usual
        good = _run(suite, setting, repeats, asked.only, asked.results, asked.whole) and good
    return 0 if good else 1


def _parser(known: dict[str, Suite]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument(
        "--suite", action="append", choices=sorted(known), help="repeatable; default: all"
    )
    parser.add_argument("--quick", action="store_true", help="tiny collections, a few seconds")
    parser.add_argument("--scale", type=float, default=1.0, help="size of collections; default: 1")
    parser.add_argument("--repeats", type=int, help="rounds; default: what the suite says")
    parser.add_argument(
        "--only", action="append", default=[], metavar="TEXT",
        help="contenders whose name contains this; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--whole", action="store_true", help="count whole processes, start and imports included"
    )
    parser.add_argument(
        "--folder", type=Path, default=default_folder(),
        help="where generated collections are kept; default: in the system's temporary folder",
    )  # fmt: skip
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="where results go; default: with the code"
    )
    return parser


def _run(
    suite: Suite, setting: Setting, repeats: int, only: Sequence[str], results: Path, whole: bool
) -> bool:
    """Run one suite; False where a contender failed or gave other values."""
    _say(f"== {suite.name}: preparing")
    facts = machine_facts()
    chosen = [
        replace(one, whole=whole or one.whole)
        for one in suite.contenders(setting)
        if (one.quick or not setting.quick) and _wanted(one.name, only)
    ]
    measured = measure(chosen, repeats, _say)
    ran = {one.name: one for one in measured if one.seconds and not one.problem}
    verdicts = [v for goal in suite.goals if (v := goal.judge(ran)) is not None]
    tables = [ratio_table(suite, measured), *suite.tables(ran)]
    if verdicts:
        tables.append(verdict_table(verdicts, setting))
    name = suite.name + _size_of(setting) + ("-whole" if whole else "")
    about = suite.about
    if whole:
        about += " Here all times are of whole processes."
    if not setting.full:
        about += f" Here on a collection of {setting.scale:g} times that size."
    print(f"\n# {name}: {about}\n")
    print("\n\n".join(map(as_text, tables)) + "\n", flush=True)
    write(results, name, about, tables, measured, verdicts, facts, versions())
    if suite.page and results == RESULTS and name == suite.name and len(ran) == len(chosen):
        text = "\n\n".join(rows_as_markdown(table) for table in suite.tables(ran))
        put_into_page(DOCS / suite.page, suite.name, text)
    return _sound(suite, measured)


def _wanted(name: str, only: Sequence[str]) -> bool:
    return not only or any(text in name for text in only)


def _size_of(setting: Setting) -> str:
    """Results of a reduced size are stored next to the real ones and do not replace them."""
    if setting.quick:
        return "-quick"
    return "" if setting.full else f"-scale{setting.scale:g}"


def _sound(suite: Suite, measured: Sequence[Measured]) -> bool:
    failed = [m for m in measured if m.problem.startswith("exit")]
    apart = [name for name, d in differences(measured).items() if d > suite.tolerance]
    for one in failed:
        _say(f"{one.name} failed: {one.problem}")
    for name in apart:
        _say(f"{name} gives other values than the contenders before it")
    return not failed and not apart


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
