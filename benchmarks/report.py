"""Results as text on the screen, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.suite import Measured, Setting, Suite, Table, Verdict

__all__ = [
    "as_text", "differences", "put_into_page", "ratio_table", "rows_as_markdown",
    "verdict_table", "write",
]  # fmt: skip


def ratio_table(suite: Suite, measured: Sequence[Measured]) -> Table:
    """Every contender's median time, also in units of the suite's base, and peak memory."""
    base = next((m.time for m in measured if m.name == suite.base and m.seconds), None)
    apart = differences(measured)
    rows = []
    for one in measured:
        if one.problem or not one.seconds:
            rows.append([one.name, "-", "-", "-", "-", "-", one.problem or "not run"])
            continue
        notes = [one.contender.note]
        if apart.get(one.name, 0.0) > suite.tolerance:
            notes.append(f"VALUES DIFFER by {apart[one.name]:.4f}")
        rows.append(
            [
                one.name,
                _seconds(one.time),
                f"{_seconds(min(one.seconds))}-{_seconds(max(one.seconds))} ({len(one.seconds)})",
                "-" if base is None else f"{one.time / base:.2f}",
                _seconds(one.processor),
                f"{one.memory:.0f}",
                "; ".join(n for n in notes if n),
            ]
        )
    head = ["contender", "seconds", "range (times)", f"x {suite.base}", "CPU s", "peak MB", "notes"]
    return Table("Medians", head, rows)


def differences(measured: Sequence[Measured]) -> dict[str, float]:
    """How far each contender's values lie from the first contender that has the same ones."""
    reference: dict[str, float] = {}
    out: dict[str, float] = {}
    for one in measured:
        shared = [abs(v - reference[k]) for k, v in one.values.items() if k in reference]
        out[one.name] = max(shared, default=0.0)
        reference = {**one.values, **reference}
    return out


def verdict_table(verdicts: Sequence[Verdict], setting: Setting) -> Table:
    """Whether goals are met can be said at full size only."""

    def met(verdict: Verdict) -> str:
        return "-" if not setting.full else "yes" if verdict.met else "NO"

    title = "Goals" if setting.full else f"Goals (meant for scale 1, this is {setting.scale:g})"
    rows = [[v.goal, v.measured, met(v)] for v in verdicts]
    return Table(title, ["goal", "measured", "met"], rows)


def as_text(table: Table) -> str:
    cells = [list(table.head), *map(list, table.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.head))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells
    ]
    return "\n".join([table.title, *("  " + line for line in lines)])


def as_markdown(table: Table) -> str:
    return f"## {table.title}\n\n{rows_as_markdown(table)}\n"


def rows_as_markdown(table: Table) -> str:
    rows = [table.head, ["---"] * len(table.head), *table.rows]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows)


def write(
    folder: Path,
    name: str,
    about: str,
    tables: Sequence[Table],
    measured: Sequence[Measured],
    verdicts: Sequence[Verdict],
    facts: Mapping[str, str],
    versions: Mapping[str, str],
) -> None:
    """`name`.md for people and `name`.json with every single measurement."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = Table("Machine", ["what", "value"], [*facts.items(), *versions.items()])
    parts = [f"# {name}\n\n{about}\n", *map(as_markdown, [*tables, machine])]
    (folder / f"{name}.md").write_text("\n".join(parts), encoding="utf-8")
    data: dict[str, Any] = {
        "suite": name,
        "machine": dict(facts),
        "versions": dict(versions),
        "contenders": [_as_data(one) for one in measured],
        "goals": [vars(v) for v in verdicts],
    }
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")


def put_into_page(path: Path, name: str, text: str) -> None:
    """Replace what is between the marks of this name in a page of the docs."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{path} has no marks {begin} and {end}")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def _as_data(one: Measured) -> dict[str, Any]:
    return {
        "name": one.name,
        "note": one.contender.note,
        "lines": one.contender.lines,
        "problem": one.problem,
        "seconds": [round(s, 5) for s in one.seconds],
        "cpu": [round(s, 5) for s in one.cpu],
        "peak_mb": [round(m, 1) for m in one.peak_mb],
        "values": one.values,
    }


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"
