"""Tables of what redrawn plans gave, beside what is asked for, for docs/how-to/spend-labels.md."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["append", "asked", "read", "tables", "update"]

BEGIN, END = "<!-- gold: begin -->", "<!-- gold: end -->"
ADDITIVE = ("RBP(p=0.8, rel=2)", "P(rel=2)@10", "DCG@10")
NDCG, AP = "nDCG@10", "AP(rel=2)"
NAMES = ("collection", "measure", "estimate")

Floats = NDArray[np.float64]
Key = tuple[str, str, int, str]  # collection, measure, budget, estimate
Cells = dict[Key, dict[str, Floats]]  # figures by name, a value for every redraw


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


def cells_of(rows: Sequence[Mapping[str, str]]) -> Cells:
    """Figures of every redraw, by cell."""
    found: dict[Key, list[Mapping[str, str]]] = {}
    for row in rows:
        key = (row["collection"], row["measure"], int(row["budget"]), row["estimate"])
        found.setdefault(key, []).append(row)
    names = [name for name in rows[0] if name not in NAMES]
    return {key: {name: np.array([float(row[name]) for row in mine]) for name in names}
            for key, mine in found.items()}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A figure that is asked for. It is reached if its interval over redraws reaches it."""

    what: str
    estimate: str
    measures: Sequence[str]
    budgets: Sequence[int]
    figure: str
    low: float = -np.inf
    high: float = np.inf

    def reached(self, mean: float, half: float) -> bool:
        return mean + half >= self.low and mean - half <= self.high

    @property
    def bounds(self) -> str:
        if np.isfinite(self.low) and np.isfinite(self.high):
            return f"{self.low:g} to {self.high:g}"
        return f"≥ {self.low:g}" if np.isfinite(self.low) else f"≤ {self.high:g}"


LARGER = (200, 400, 1000)
ASKED = (
    Asked("pairs covered", "direct", ADDITIVE, LARGER, "pairs", 0.93, 0.97),
    Asked("systems covered", "direct", ADDITIVE, LARGER, "systems", 0.90, 0.98),
    Asked("pairs covered", "direct", (AP,), LARGER, "pairs", 0.84),
    Asked("pairs covered", "combined", ADDITIVE, LARGER, "pairs", 0.92),
    Asked("pairs covered", "combined", (NDCG,), LARGER, "pairs", 0.88),
    Asked("systems covered", "combined", (*ADDITIVE, NDCG), LARGER, "systems", 0.87),
    Asked("error of pairs, of the direct one's", "combined", (*ADDITIVE, NDCG), (200,), "ratio",
          high=0.85),
    Asked("τ_AP minus the panel's", "combined", (*ADDITIVE, NDCG), (200,), "lost", -0.04),
    Asked("wrong among P ≥ 0.99", "combined", (*ADDITIVE, NDCG), LARGER, "share_wrong",
          high=0.002),
    Asked("bias of the level", "combined", (NDCG,), (400, 1000), "bias", -0.02, 0.02),
    Asked("pairs ever called wrong, over four looks", "combined", (*ADDITIVE, NDCG), (1000,),
          "ever_bounds", high=0.05),
    Asked("the same, the closest tenth of pairs", "combined", (*ADDITIVE, NDCG), (1000,),
          "close_bounds", high=0.05),
    Asked("any pair ever told apart wrongly by a board", "combined", (*ADDITIVE, NDCG), (1000,),
          "any_board", high=0.05),
    Asked("any pair ever told apart wrongly by a board", "direct", (AP,), (1000,),
          "any_board", high=0.05),
)  # fmt: skip


def estimate_of(cells: Cells, key: Key, figure: str) -> tuple[float, float]:
    """A figure and half its 95 % interval over redraws."""
    mine = cells[key]
    if figure == "ratio":
        other = cells[(*key[:3], "direct")]
        return _ratio(mine["rmse"], other["rmse"])
    if figure == "share_wrong":
        return _ratio(mine["wrong"], mine["sure"])
    values = mine["tau_ap"] - mine["panel_tau_ap"] if figure == "lost" else mine[figure]
    return float(values.mean()), _half(values)


def _half(values: Floats) -> float:
    return float(1.96 * values.std(ddof=1) / np.sqrt(len(values)))


def _ratio(above: Floats, below: Floats) -> tuple[float, float]:
    """Of sums, with the linearised interval."""
    if not below.sum():
        return 0.0, 0.0
    ratio = float(above.sum() / below.sum())
    return ratio, _half(above - ratio * below) / float(below.mean())


def asked(cells: Cells) -> list[tuple[Asked, Key, float, float]]:
    """Every figure asked for: what was asked, the cell, what was found, half its interval."""
    out = []
    for one in ASKED:
        for name in sorted({key[0] for key in cells}):
            for measure in one.measures:
                for budget in one.budgets:
                    key = (name, measure, budget, one.estimate)
                    if key in cells:
                        out.append((one, key, *estimate_of(cells, key, one.figure)))
    return out


def tables(rows: Sequence[Mapping[str, str]]) -> str:
    """All tables as markdown."""
    cells = cells_of(rows)
    found = asked(cells)
    good = sum(one.reached(mean, half) for one, _, mean, half in found)
    redraws = min(len(mine["pairs"]) for mine in cells.values())
    return "\n\n".join(
        [
            f"{good} of {len(found)} figures are reached; at least {redraws} redraws for every "
            "cell, ± is a 95 % interval over redraws.",
            _asked(found),
            "All of it: systems and pairs whose 95 % interval covers the score by all of NIST's "
            "labels, bias of the level, error (root mean square, over √2) and half width of "
            "differences in units of the measure's range, the width that the plan foresaw, and "
            "τ_AP with the panel's in brackets.",
            _everything(cells),
        ]
    )


def _asked(found: Sequence[tuple[Asked, Key, float, float]]) -> str:
    """A line for every figure and measure, budgets beside each other."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for one, (name, measure, budget, estimate), mean, half in found:
        label = (one.what, estimate, one.bounds, f"{name}, `{measure}`")
        mark = "" if one.reached(mean, half) else " **no**"
        digits = 4 if one.high <= 0.01 else 3
        text = f"{budget}: {mean:.{digits}f} ± {half:.{digits}f}{mark}"
        lines.setdefault(label, []).append(text)
    rows = [[*label, ", ".join(texts)] for label, texts in lines.items()]
    return _markdown(["asked for", "estimate", "", "where", "labels: found"], rows)


def _everything(cells: Cells) -> str:
    shown: list[tuple[str, Callable[[dict[str, Floats]], str]]] = [
        ("systems", lambda c: f"{c['systems'].mean():.3f} ± {_half(c['systems']):.3f}"),
        ("pairs", lambda c: f"{c['pairs'].mean():.3f} ± {_half(c['pairs']):.3f}"),
        ("bias", lambda c: f"{c['bias'].mean():+.3f} ± {_half(c['bias']):.3f}"),
        ("error", lambda c: f"{c['rmse'].mean():.4f}"),
        ("width", lambda c: f"{np.median(c['width']):.3f}"),
        ("foreseen", lambda c: f"{np.median(c['foreseen']):.3f}"),
        ("τ_AP", lambda c: f"{c['tau_ap'].mean():.3f} ({c['panel_tau_ap'].mean():.3f})"),
    ]
    rows = []
    for (name, measure, budget, estimate), mine in sorted(cells.items(), key=_order):
        if measure == AP and estimate == "combined":
            continue  # never reported
        row = [f"{name}, `{measure}`", f"{budget:,}", estimate, *(get(mine) for _, get in shown)]
        if estimate == "direct" and measure != AP:
            row[3 + [what for what, _ in shown].index("foreseen")] = ""
        rows.append(row)
    return _markdown(["collection, measure", "labels", "estimate", *(w for w, _ in shown)], rows)


def _order(item: tuple[Key, object]) -> tuple[str, str, int, bool]:
    (name, measure, budget, estimate), _ = item
    return name, measure, budget, estimate == "combined"


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]
    return "\n".join(lines)


def update(docs: Path, text: str) -> None:
    """Write the tables between their marks."""
    path = docs / "how-to" / "spend-labels.md"
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
