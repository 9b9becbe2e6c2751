"""Tables of what redrawn plans gave, for docs/how-to/spend-labels.md."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import put_into_page

__all__ = ["append", "cells_of", "covered", "read", "share", "tables", "update"]

NAMES = ("collection", "measure", "estimate")
FEW = 200  # labels, at which estimates are compared

Floats = NDArray[np.float64]
Key = tuple[str, str, int, str]  # collection, measure, budget, estimate
Cells = dict[Key, dict[str, Floats]]  # figures by name, a value for every redraw
Row = Mapping[str, str]


def read(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def append(path: Path, rows: Sequence[Mapping[str, str | float]]) -> None:
    """Add rows to a CSV file, with a header if it is new."""
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def cells_of(rows: Sequence[Row]) -> Cells:
    """Figures of every redraw, by cell."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        key = (row["collection"], row["measure"], int(row["budget"]), row["estimate"])
        found.setdefault(key, []).append(row)
    names = [name for name in rows[0] if name not in NAMES]
    return {key: {name: np.array([float(row[name]) for row in mine]) for name in names}
            for key, mine in found.items()}  # fmt: skip


def half(values: Floats) -> float:
    """Half of the 95 % interval of a mean over redraws."""
    return float(1.96 * values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def share(above: Floats, below: Floats) -> float:
    """Ratio of two sums over redraws; 0 where there is nothing to count."""
    return float(above.sum() / below.sum()) if below.sum() else 0.0


def covered(cells: Cells) -> dict[str, tuple[float, ...]]:
    """The smaller share of pairs covered on a collection, by measure and budget: as `COVERED` of
    hungjury.leaderboard.correction has it."""
    names, budgets = _values(cells, 0), _values(cells, 2)
    return {
        measure: tuple(
            round(min(float(cells[name, measure, b, "board"]["pairs"].mean()) for name in names), 2)
            for b in budgets
        )
        for measure in _values(cells, 1)
    }


def tables(rows: Sequence[Row]) -> str:
    """Both tables as markdown."""
    cells = cells_of(rows)
    each = [len(mine["pairs"]) for (_, _, _, way), mine in cells.items() if way == "board"]
    return "\n\n".join(
        [
            "Shares of pairs whose 95 % interval, as a board shows it, covers the difference by "
            f"all of NIST's labels ({min(each)} to {max(each)} redraws of every cell; ± is a 95 % "
            "interval over redraws):",
            _coverage(cells),
            "Error of a difference (root mean square, over √2), half the width of its interval and "
            f"what the plan foresaw, in units of the measure's range, and τ_AP with {FEW} labels; "
            "wrong pairs among those with P ≥ 0.99 at any number of labels; pairs, and among the "
            "closest tenth, that a pair's own bounds ever called the wrong way round over four "
            "looks:",
            _errors(cells),
        ]
    )


def _values(cells: Cells, place: int) -> list[object]:
    """Collections, measures or budgets, in the order in which they were made."""
    found = dict.fromkeys(key[place] for key in cells)
    return sorted(found) if place != 1 else list(found)


def _coverage(cells: Cells) -> str:
    names, budgets = _values(cells, 0), _values(cells, 2)
    head = [f"{name}, {budget:,} labels" for name in names for budget in budgets]
    rows = []
    for measure in _values(cells, 1):
        found = [cells[n, measure, b, "board"]["pairs"] for n in names for b in budgets]
        rows.append([f"`{measure}`", *(f"{v.mean():.3f} ± {half(v):.3f}" for v in found)])
    return _markdown(["measure", *head], rows)


def _errors(cells: Cells) -> str:
    budgets = _values(cells, 2)
    rows = []
    for name in _values(cells, 0):
        for measure in _values(cells, 1):
            now, alone = (cells[name, measure, FEW, way] for way in ("board", "direct"))
            looks = [cells[name, measure, budget, "board"] for budget in budgets]
            wrong, sure = (np.concatenate([c[w] for c in looks]) for w in ("wrong", "sure"))
            rows.append(
                [
                    f"{name}, `{measure}`",
                    f"{now['rmse'].mean():.3f}",
                    f"{alone['rmse'].mean():.3f}",
                    f"{np.median(now['width']):.3f}",
                    f"{np.median(now['foreseen']):.3f}",
                    f"{now['tau_ap'].mean():.2f} ({now['panel_tau_ap'].mean():.2f})",
                    f"{100 * share(wrong, sure):.2f} %",
                    f"{100 * looks[-1]['ever_bounds'].mean():.1f} %",
                    f"{100 * looks[-1]['close_bounds'].mean():.1f} %",
                ]
            )
    head = ["collection, measure", "error", "by labels alone", "half width", "foreseen",
            "τ_AP (the panel's)", "wrong", "ever wrong", "closest tenth"]  # fmt: skip
    return _markdown(head, rows)


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]
    return "\n".join(lines)


def update(docs: Path, text: str) -> None:
    """Write the tables between their marks."""
    put_into_page(docs / "how-to" / "spend-labels.md", "gold", text)
