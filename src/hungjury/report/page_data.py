"""What the report's page shows: the geometry of its figures and heat maps as places and SVG paths,
and what its script shows on demand, packed into one block.

The block has lists, texts and pairs: a header in JSON and columns of integers, compressed and
written in base64. The script unpacks it; nothing of it is markup, whatever ids and texts contain.
"""

from __future__ import annotations

import base64
import json
import math
import os
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

import numpy as np

from hungjury.base.arrays import Array, Bools, Floats, Int16s, Int32s, Ints
from hungjury.base.records import Record
from hungjury.data.texts import DOCUMENTS, QUERIES, Kind, TextFiles, find_texts
from hungjury.judges.agreement import Agreement
from hungjury.leaderboard.board import Leaderboard
from hungjury.leaderboard.evidence import Evidence
from hungjury.report.board import shown

ROUND = (1, 2, 2.5, 5, 10)  # of round numbers on an axis
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
    step = next(s for s in ROUND if s * power >= rough * (1 - 1e-9)) * power
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
        down, middle, up = (
            [f"{x} {100 - axis.at(three[end]):.2f}" for x, _, three in points] for end in range(3)
        )
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


def runs_by_bin(bins: Ints, number: int) -> list[str]:
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


def border(inside: Bools) -> str:
    """Return a path along the edges where cells inside meet cells outside."""
    parts = []
    for y, x in zip(*np.nonzero(inside[:, 1:] != inside[:, :-1]), strict=True):
        parts.append(f"M{x + 1} {y}v1")
    for y, x in zip(*np.nonzero(inside[1:] != inside[:-1]), strict=True):
        parts.append(f"M{x} {y + 1}h1")
    return "".join(parts)


def chart(
    curve: Sequence[tuple[int, float]], now: int, measured: int, digits: int
) -> dict[str, Any]:
    """Return a small line chart: places in its own units, texts beside them.

    now: the present x; measured: number of points before the extrapolated ones, which are dashed.
    """
    width, height, left, right, top, bottom = 320, 170, 30, 30, 34, 30
    most = max(v for _, v in curve) or 1.0
    first, last = math.log(curve[0][0]), math.log(curve[-1][0])  # doubling is a step of its own

    points: list[dict[str, Any]] = []
    for i, (n, value) in enumerate(curve):
        along = (math.log(n) - first) / (last - first) if last > first else 0.5
        points.append({
            "x": round(left + along * (width - left - right), 1),
            "y": round(height - bottom - value / most * (height - top - bottom), 1),
            "number": f"{n:,}",
            "value": f"{value:.{digits}f}",
            "kind": "now" if n == now else "measured" if i < measured else "guessed",
            "labelled": False,
        })  # fmt: skip
    # Label points without overlap: the present one first, the ends, then others.
    order = sorted(points, key=lambda p: (p["kind"] != "now", p not in (points[0], points[-1])))
    for point in order:
        taken = [other["x"] for other in points if other["labelled"]]
        point["labelled"] = all(abs(point["x"] - x) >= BESIDE for x in taken)
    places = [f"{p['x']} {p['y']}" for p in points]
    turn = max(measured, 1)
    return {
        "width": width,
        "height": height,
        "points": points,
        "solid": "M" + "L".join(places[:turn]),
        "dashed": "M" + "L".join(places[turn - 1 :]) if turn < len(places) else "",
        "base": height - bottom,  # y of zero
    }


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


def _matrix(bins: Ints, number: int, values: Floats, names: list[str]) -> dict[str, Any]:
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


# What the script shows on demand

MOST = 1500  # characters of one text; a page of whole documents would be too large to mail


def page_texts(
    sources: TextFiles, wanted: Iterable[str], kind: Kind
) -> dict[str, tuple[str, str]] | None:
    """Find texts by id: head and body as they are shown; None if no files were given."""
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    paths = [os.fspath(source) for source in sources]
    if not paths:
        return None
    ids = list(dict.fromkeys(wanted))
    texts = find_texts(paths, ids, kind)
    every = ((name, texts.get(name)) for name in ids if name not in texts.missing)
    return {shown(name): (_short(text.head), _short(text.body)) for name, text in every}


def _short(text: str) -> str:
    return text if len(text) <= MOST else text[:MOST].rstrip() + " […]"


MOST_SYSTEMS = 1000  # systems that can be compared in pairs
MOST_PLACES = 600_000  # ranks of all lists together: about 2 MB of the page
MOST_UNJUDGED = 30_000  # documents that no judge labelled and whose ids are shown


STEPS = 1000  # steps that the largest contribution is divided into
NOT_KNOWN = -32768  # in place of a share or a gold label
LEVEL = 9  # of compression


def packed(data: Mapping[str, Any]) -> str:
    """Return text for the page: length of the header, header of plain values, arrays."""
    arrays = {k: v for k, v in data.items() if isinstance(v, np.ndarray)}
    columns = {k: v.astype(v.dtype.newbyteorder("<")) for k, v in arrays.items()}  # the script's
    kinds = {k: [f"{v.dtype.kind}{v.dtype.itemsize}", v.size] for k, v in columns.items()}
    plain = {k: v for k, v in data.items() if k not in columns} | {"columns": kinds}
    head = json.dumps(plain, separators=(",", ":")).encode()
    body = b"".join(array.tobytes() for array in columns.values())
    block = len(head).to_bytes(4, "little") + head + body
    return base64.b64encode(zlib.compress(block, LEVEL)).decode()


def script_data(
    board: Leaderboard, systems: list[str], queries: TextFiles, documents: TextFiles
) -> dict[str, Any]:
    """Return plain values and arrays by name: chances of pairs, agreement of judges, and the lists
    of every system."""
    size = min(len(systems), MOST_SYSTEMS)
    upper = np.triu_indices(size, 1)
    beats = board.beats[upper]
    # Whole thousandths, but 0 and 1 for these alone.
    thousandths = np.where((beats > 0) & (beats < 1), np.clip(np.rint(1000 * beats), 1, 999),
                           1000 * beats)  # fmt: skip
    data: dict[str, Any] = {
        "systems": systems[:size],
        "prefix": common_prefix(systems[:size]),
        "beats": thousandths.astype(np.uint16),
        "apart": board.apart[upper].astype(np.uint8),
    }
    if board.agreement is not None:
        data |= _agreement(board.agreement)
    if board.evidence is not None:
        lists = _lists(board, board.evidence, queries, documents)
        data |= lists if size > 1 else {}
    return data


def _agreement(found: Agreement) -> dict[str, Any]:
    order = matrix_judges(found)
    pairs, upper = found.pairs, np.triu_indices(len(order), 1)
    at = np.ix_(order, order)
    return {
        "panel": [shown(found.judges[k]) for k in order],
        "kappa": _thousandths(pairs.kappa[at][upper]),
        "agreement": _thousandths(pairs.agreement[at][upper]),
        "common": pairs.common[at][upper].astype(np.uint32),
    }


def _thousandths(values: Floats) -> Int16s:
    return np.where(np.isnan(values), NOT_KNOWN, np.rint(1000 * values)).astype(np.int16)


def _lists(
    board: Leaderboard, found: Evidence, queries: TextFiles, documents: TextFiles
) -> dict[str, Any]:
    """Return as many lists of the best systems as fit on a page, and what is known about the
    documents in them."""
    pool = found.alignment.pool
    size = min(MOST_SYSTEMS, max(MOST_PLACES // (len(pool.topics) * found.depth), 2))
    places = found.lists[:size]
    listed = np.unique(places[places >= 0])  # places in the pool of all documents in the lists
    unjudged, unjudged_at = _unjudged(found, found.unjudged[:size])
    ends = np.searchsorted(listed, pool.offsets)
    # 0 after the end of a list, 1 not judged, else 2 plus the place among the topic's documents.
    place = np.searchsorted(listed, places) - ends[:-1][None, :, None]
    place = np.where(places >= 0, place + 2, places + 2)
    added = found.contributions[:size]
    most = float(np.abs(added).max(initial=0.0)) or 1.0
    soft = found.panel.judgments.soft
    labels, none = _labels(found, listed)
    gold = np.zeros(0) if found.gold is None else found.gold[listed]
    ids = [pool.documents[d] for d in listed]
    names = list(map(shown, ids))
    scores = board.cells[:size]
    if found.measure.average == "gmean":
        scores = np.exp(scores)
    judges = [shown(j) for j in found.panel.judgments.judges]
    return {
        "depth": found.depth,
        "lists": len(places),
        "topics": [shown(t) for t in board.topics],
        "judges": judges,
        "judgesPrefix": common_prefix(judges),
        "documents": names,
        "documentsPrefix": common_prefix(names),
        "unjudged": list(map(shown, unjudged)),
        "threshold": min(found.measure.threshold, found.probability.shape[1]),
        "top": 1 if soft else max(found.panel.judgments.grades),
        "none": none,
        "soft": soft,
        "unit": most / STEPS,
        "smaller": found.measure.smaller_is_better,
        "queries": page_texts(queries, board.topics, QUERIES),
        "texts": page_texts(documents, [*ids, *unjudged], DOCUMENTS),
        "scores": scores.astype(np.float32),
        "ranked": _smallest(place),
        "unjudgedAt": _smallest(unjudged_at),
        "added": np.rint(added * (STEPS / most)).astype(np.int16),
        "ends": ends.astype(np.uint32),
        "labels": _smallest(labels.T),  # judge after judge
        "chances": np.rint(100 * found.probability[listed].T).astype(np.uint8),
        "gold": np.where(np.isnan(gold), NOT_KNOWN, np.rint(100 * gold)).astype(np.int16),
    }


def _unjudged(found: Evidence, rows: Int32s) -> tuple[list[str], Ints]:
    """Return ids of documents that no judge labelled, as they are met in the lists, and for each
    place of such a document, list after list, which of these ids it has: 1 and up, or 0 where they
    are too many."""
    others = found.alignment.others
    assert others is not None
    met = rows[rows >= 0]
    _, first, which = np.unique(others.hash[met], return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(1, len(order) + 1)
    at = number[which.ravel()]
    ids = [others.id(int(k)) for k in met[first[order[:MOST_UNJUDGED]]]]
    return ids, np.where(at > MOST_UNJUDGED, 0, at)


def _labels(found: Evidence, documents: Array) -> tuple[Ints, int]:
    """[document, judge]: labels, probabilities in percent; and the number that says: no label."""
    given = found.panel.judgments
    row = np.full(len(given.pool), -1)
    row[documents] = np.arange(len(documents))
    mine = row[given.document] >= 0
    values = np.rint(given.label * 100) if given.soft else given.label
    none = math.floor(min(values.min(initial=0), 0)) - 1
    out = np.full((len(documents), len(given.judges)), none, dtype=np.int64)
    out[row[given.document[mine]], given.judge[mine]] = values[mine].astype(np.int64)
    return out, none


def _smallest(values: Array) -> Array:
    """Convert to the smallest integers that fit."""
    low, high = values.min(initial=0), values.max(initial=0)
    kinds = (np.uint8, np.int8, np.uint16, np.int16, np.int32)
    fitting = (k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    return values.astype(next(fitting))
