"""The geometry of the report's figures and heat maps: numbers in, places and SVG paths out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.records import Record
from hungjury.judges.agreement import Agreement
from hungjury.leaderboard.board import Leaderboard
from hungjury.report.board import shown

STEPS = (1, 2, 2.5, 5, 10)  # of round numbers on an axis
FAR, WORTH = 3.0, 0.25  # quartile distances to an outlier; share of the axis gained by cutting it
LONG = 8  # characters that names have in common before they are left out
BESIDE = 38  # units between two texts on a chart


class Scale(Record):
    """An axis: from low to high, in percent of its length."""

    low: float
    high: float
    ticks: list[float]
    digits: int  # that tell the ticks apart

    def at(self, value: float) -> float:
        """Percent of the way; values beyond an end are drawn there."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def cut(self, low: float, mean: float, high: float) -> tuple[str, bool]:
        """Return a sign if an interval reaches beyond an end, and whether its mean does."""
        beyond = mean < self.low or mean > self.high
        return ("◂" if low < self.low else "▸" if high > self.high else ""), beyond

    def text(self, tick: float) -> str:
        return f"{tick:.{self.digits}f}".replace("-", "−")


def scale(low: float, high: float, most: int = 5) -> Scale:
    """Make an axis with round ticks from low to high, and a little room at both ends."""
    if not high > low:
        half = max(abs(low) * 0.1, 0.05)
        low, high = low - half, high + half
    rough = (high - low) / (most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s for s in STEPS if s * power >= rough * (1 - 1e-9)) * power
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if round(step, digits) != round(step, digits + 2):
        digits += 1  # steps of 2.5
    room = 0.03 * (high - low)
    low, high = low - room, high + room
    first, last = math.ceil(low / step), math.floor(high / step)
    return Scale(low, high, [k * step for k in range(first, last + 1)], digits)


def shown_ends(low: Floats, high: Floats, first_minus_last: float) -> tuple[float, float]:
    """Return the ends of an axis for intervals: the outermost, unless a few hopeless systems
    would squeeze all others into a corner. They are at the lower end if the first system has a
    larger mean than the last, at the upper end where smaller is better."""
    if first_minus_last < 0:
        begin, end = shown_ends(-high, -low, -first_minus_last)
        return -end, -begin
    least, most = float(low.min()), float(high.max())
    first, third = np.quantile(low, [0.25, 0.75])
    usual = float(low[low >= first - FAR * (third - first)].min())
    return (usual if usual - least > WORTH * (most - least) else least), most


def common_prefix(names: Sequence[str]) -> str:
    """Return the common prefix of all names, up to a separator; empty if it is short."""
    ends = zip(min(names, default=""), max(names, default=""), strict=False)
    same = "".join(a for a, _ in takewhile(lambda two: two[0] == two[1], ends))
    same = re.sub(r"[^\W_]*$", "", same)
    return same if len(names) > 1 and len(same) >= LONG and same not in names else ""


Interval = tuple[float, float, float]  # low, mean, high
MOST_LINES = 15


def history_lines(
    moments: Sequence[tuple[str, Mapping[str, Interval]]], systems: Sequence[str]
) -> dict[str, Any]:
    """Return a line over time for every system that several moments have, as SVG paths."""
    several = [s for s in systems if sum(s in found for _, found in moments) > 1]
    every = [found[s] for s in several for _, found in moments if s in found]
    if not every:
        return {"rows": []}
    least, most = min(low for low, _, _ in every), max(high for _, _, high in every)
    axis = scale(least, most)
    rows = []
    for system in several[:MOST_LINES]:
        points = [
            (round(100 * i / (len(moments) - 1), 2), time, found[system])
            for i, (time, found) in enumerate(moments)
            if system in found
        ]
        up = [f"{x} {100 - axis.at(high):.2f}" for x, _, (_, _, high) in points]
        down = [f"{x} {100 - axis.at(low):.2f}" for x, _, (low, _, _) in points]
        middle = [f"{x} {100 - axis.at(mean):.2f}" for x, _, (_, mean, _) in points]
        rows.append({
            "name": shown(system),
            "first": points[0][2][1],
            "last": points[-1][2][1],
            "line": "M" + "L".join(middle),
            "band": "M" + "L".join([*up, *reversed(down)]) + "Z",
            "words": "; ".join(f"{time}: {mean:.3f}" for _, time, (_, mean, _) in points),
        })  # fmt: skip
    times = [time for time, _ in moments]
    left = len(several) - len(rows)
    return {"rows": rows, "times": times, "low": least, "high": most, "left": left}


def runs_by_bin(bins: NDArray[np.int64], number: int) -> list[str]:
    """Return a path for each bin: strokes, one unit high, over its cells; not for negative bins.

    A rectangle for each cell would be forty times as long.
    """
    paths: list[list[str]] = [[] for _ in range(number)]
    for y, row in enumerate(bins):
        edges = [0, *(np.flatnonzero(np.diff(row)) + 1).tolist(), len(row)]
        for first, last in pairwise(edges):
            if row[first] >= 0:
                paths[row[first]].append(f"M{first} {y}.5h{last - first}")
    return ["".join(path) for path in paths]


def border(inside: NDArray[np.bool_]) -> str:
    """Return a path along the edges where cells inside meet cells outside."""
    parts = []
    for y, x in zip(*np.nonzero(inside[:, 1:] != inside[:, :-1]), strict=True):
        parts.append(f"M{x + 1} {y}v1")
    for y, x in zip(*np.nonzero(inside[1:] != inside[:-1]), strict=True):
        parts.append(f"M{x} {y + 1}h1")
    return "".join(parts)


class Point(TypedDict):
    """A point of a chart, with the text of its number and value."""

    x: float
    y: float
    number: str
    value: str
    kind: str
    labelled: bool


class Chart(Record):
    """A small line chart: places in its own units, texts beside them."""

    width: int
    height: int
    points: list[Point]
    solid: str  # the measured part
    dashed: str  # the extrapolated part
    base: float  # y of zero


def chart(curve: Sequence[tuple[int, float]], now: int, measured: int, digits: int) -> Chart:
    """now: the present x; measured: number of points before the extrapolated ones."""
    width, height, left, right, top, bottom = 320, 170, 30, 30, 34, 30
    most = max(v for _, v in curve) or 1.0
    first, last = math.log(curve[0][0]), math.log(curve[-1][0])  # doubling is a step of its own

    def place(n: int, value: float) -> tuple[float, float]:
        along = (math.log(n) - first) / (last - first) if last > first else 0.5
        x = left + along * (width - left - right)
        return round(x, 1), round(height - bottom - value / most * (height - top - bottom), 1)

    points: list[Point] = []
    for i, (n, value) in enumerate(curve):
        kind = "now" if n == now else "measured" if i < measured else "guessed"
        x, y = place(n, value)
        points.append({"x": x, "y": y, "number": f"{n:,}", "value": f"{value:.{digits}f}",
                       "kind": kind, "labelled": False})  # fmt: skip
    _choose_labels(points)
    places = [f"{p['x']} {p['y']}" for p in points]
    turn = max(measured, 1)
    return Chart(
        width,
        height,
        points,
        "M" + "L".join(places[:turn]),
        "M" + "L".join(places[turn - 1 :]) if turn < len(places) else "",
        height - bottom,
    )


def _choose_labels(points: list[Point]) -> None:
    """Choose the points to label without overlap: the present one first, the ends, then others."""
    order = sorted(points, key=lambda p: (p["kind"] != "now", p not in (points[0], points[-1])))
    for point in order:
        taken = [other["x"] for other in points if other["labelled"]]
        point["labelled"] = all(abs(point["x"] - x) >= BESIDE for x in taken)


MOST_PAIRS = 150  # systems in the heat map
MOST_JUDGES = 60  # judges in the heat map
MOST_NUMBERS = 14  # rows of a heat map whose cells have room for numbers
CHANCES = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)  # edges of colours, between those of told apart
KAPPAS = (0.0, 0.2, 0.4, 0.6, 0.8)


def pairs_map(board: Leaderboard) -> dict[str, Any]:
    size = min(len(board.systems), MOST_PAIRS)
    beats = board.beats[:size, :size]
    tail = min((1 - board.settings.level) / 2, CHANCES[0] / 2)
    chances = (tail, *CHANCES, 1 - tail)
    bins = np.searchsorted(chances, beats, side="right")
    np.fill_diagonal(bins, -1)
    names = [shown(name) for name in board.systems[:size]]
    edges = ["0", *(f"{100 * e:g}" for e in chances), "100"]
    return {
        **_matrix(bins, len(chances) + 1, beats, names),
        "border": border(~board.apart[:size, :size]),
        "edges": edges,
        "left": len(board.systems) - size,
    }


def judges_map(found: Agreement) -> dict[str, Any]:
    numbers = [
        ("Agreement of two judges", found.agreement),
        ("Fleiss’ kappa", found.fleiss),
        ("Krippendorff’s alpha", found.alpha_nominal),
        ("Krippendorff’s alpha, ordinal", found.alpha_ordinal),
    ]
    binary = len(found.grades) == 2  # two labels can differ in one way only
    numbers = [(k, v) for k, v in numbers[: 3 if binary else 4] if not math.isnan(v)]
    order = matrix_judges(found)
    if len(order) < 2:
        return {"numbers": numbers, "matrix": None}
    kappa = found.pairs.kappa[np.ix_(order, order)]
    shares = np.round(kappa, 2) + 0.0  # as shown: -0.001 is not worse than chance
    bins = np.where(np.isnan(kappa), len(KAPPAS) + 1, np.searchsorted(KAPPAS, shares, side="right"))
    np.fill_diagonal(bins, -1)
    names = [shown(found.judges[k]) for k in order]
    return {
        "numbers": numbers,
        "matrix": _matrix(bins, len(KAPPAS) + 2, kappa, names),
        "left": len(found.judges) - len(order),
    }


def matrix_judges(found: Agreement) -> list[int]:
    """Return judges who agree side by side; of very many those with most labels."""
    if len(found.judges) < 2:
        return []
    most = set(np.argsort(-found.labels, kind="stable")[:MOST_JUDGES].tolist())
    return [k for k in found.order() if k in most]


def _matrix(
    bins: NDArray[np.int64], number: int, values: Floats, names: list[str]
) -> dict[str, Any]:
    """Return a heat map: a path for each colour, and numbers where they can be read."""
    size = len(bins)
    numbers = []
    if size <= MOST_NUMBERS:
        numbers = [
            (x, y, int(bins[y, x]), round(100 * float(values[y, x])))
            for y in range(size)
            for x in range(size)
            if bins[y, x] >= 0 and not np.isnan(values[y, x])
        ]
    step = 1 if size <= 30 else 5 if size <= 70 else 10
    return {
        "size": size,
        "paths": runs_by_bin(bins, number),
        "numbers": numbers,
        "names": names,
        "step": step,
        "type": {1: 0.46, 5: 0.9, 10: 1.6}[step],  # of numbers on the edge, in cells
        "lines": size <= 40,
        "border": "",
    }
