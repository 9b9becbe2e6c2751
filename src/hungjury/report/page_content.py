"""What stands in the report's page: a leaderboard as plain values for its template."""

from __future__ import annotations

import math
import platform
import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury import __version__
from hungjury.assessors.agreement import Agreement
from hungjury.report.page_figures import border, chart, lowest_shown, runs_by_bin, scale
from hungjury.report.page_words import conclusions, lead, shown
from hungjury.uncertainty.against_gold import AgainstGold
from hungjury.uncertainty.board_text import group_name, headline, percent
from hungjury.uncertainty.leaderboard import Leaderboard

__all__ = ["content"]

DIGITS = 3
MOST_ROWS = 500  # systems or judges in a table
MOST_PAIRS = 200  # systems in the heat map
MOST_JUDGES = 100  # judges in the heat map
MOST_NUMBERS = 14  # rows of a heat map whose cells can hold numbers
MOST_TOPICS = 15
MOST_NAMED = 8  # systems of a group
MOST_LETTERS = 3  # groups of a system that are named one by one
MOST_NOTES = 100
HARDLY = 0.97  # of the difference needed, and more: more judges or topics hardly help
CHANCES = (0.025, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 0.975)  # edges of colours
KAPPAS = (0.0, 0.2, 0.4, 0.6, 0.8)
# What is odd about files; all other notes bear on how far results can be believed.
OF_INPUT = ("conflict", "duplicate", "missing-topic", "nobody-judged", "nothing-relevant",
            "outside", "rank-contradicts", "ties", "two-tags", "unjudged-document",
            "unjudged-topic")  # fmt: skip
CAUSES = {
    "topics": ("Which topics were asked", "other topics like these would give other means"),
    "labels": ("Labels of single documents", "slips that differ from topic to topic"),
    "judges": ("What judges have in common", "errors shared by all topics, such as leniency"),
}

Floats = NDArray[np.float64]


def content(board: Leaderboard, command: Sequence[str] | None) -> dict[str, Any]:
    """All that the template asks for."""
    systems = [shown(name) for name in board.systems]
    may, may_not = conclusions(board, DIGITS)
    seen = [shown(str(note)) for note in board.notes if note.code not in OF_INPUT]
    odd = [shown(str(note)) for note in board.notes if note.code in OF_INPUT]
    return {
        "title": f"{board.measure} leaderboard",
        "about": headline(board),
        "lead": lead(board, DIGITS),
        "may": may,
        "may_not": may_not,
        "warnings": list(dict.fromkeys(seen)),
        "oddities": odd[:MOST_NOTES],
        "oddities_left": max(len(odd) - MOST_NOTES, 0),
        "board": board,
        "level": percent(board.policies["level"]),
        "systems": systems,
        "ranking": _ranking(board, systems),
        "groups": _groups(board, systems),
        "pairs": _pairs(board) if len(systems) > 1 else None,
        "judges": _judges(board),
        "agreement": None if board.agreement is None else _agreement(board.agreement),
        "shares": [(*CAUSES[name], share, percent(share)) for name, share in board.shares.items()],
        "charts": _charts(board),
        "unsure": _unsure(board),
        "gold": None if board.gold is None else _gold(board, board.gold),
        "origin": _origin(board, command),
        "data": _data(board, systems),
    }


def _ranking(board: Leaderboard, systems: list[str]) -> dict[str, Any]:
    most = float(board.high.max())
    axis = scale(lowest_shown(board.low, most), most)
    rows: list[dict[str, Any]] = [
        {
            "rank": s + 1,
            "name": systems[s],
            "mean": float(board.mean[s]),
            "low": float(board.low[s]),
            "high": float(board.high[s]),
            "at": [axis.at(float(v[s])) for v in (board.low, board.mean, board.high)],
            "best": float(board.p_best[s]),
            "best_text": percent(float(board.p_best[s])),
            "ranks": (int(board.rank_low[s]), int(board.rank_high[s])),
            "groups": group,
            "cut": (float(board.low[s]) < axis.low, float(board.mean[s]) < axis.low),
            "beaten": float(board.beats[0, s]),
            "beaten_text": percent(float(board.beats[0, s])),
            "apart": bool(board.apart[0, s]),
        }
        for s, group in enumerate(_group_names(board)[:MOST_ROWS])
    ]
    cut = sum(row["cut"][0] for row in rows)
    return {"rows": rows, "left": len(systems) - len(rows), "axis": axis, "cut": cut}


def _group_names(board: Leaderboard) -> list[tuple[float, str]]:
    """Per system a number to sort by, and the names of all of them: 'ab', or 'c–h'."""
    mine: list[list[int]] = [[] for _ in board.systems]
    for number, (first, last) in enumerate(board.group_ranges):
        for s in range(first, last + 1):
            mine[s].append(number)
    out = []
    for numbers in mine:
        names = [group_name(number) for number in numbers]
        text = "".join(names) if len(names) <= MOST_LETTERS else f"{names[0]}–{names[-1]}"
        out.append((numbers[0] + numbers[-1] / 1e6, text))
    return out


def _groups(board: Leaderboard, systems: list[str]) -> list[dict[str, Any]]:
    """Groups of two and more, as ranges of ranks."""
    return [
        {
            "letter": group_name(number),
            "first": first + 1,
            "last": last + 1,
            "many": last - first + 1,
            "names": systems[first : last + 1][:MOST_NAMED],
            "at": round(100 * first / len(systems), 2),
            "width": round(100 * (last - first + 1) / len(systems), 2),
        }
        for number, (first, last) in enumerate(board.group_ranges)
        if last > first
    ]


def _matrix(
    bins: NDArray[np.int64], number: int, values: Floats, names: list[str]
) -> dict[str, Any]:
    """A heat map: a path for each colour, and numbers where they can be read."""
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
        "type": {1: 0.42, 5: 0.9, 10: 1.6}[step],  # of numbers on the edge, in cells
        "lines": size <= 40,
        "border": "",
    }


def _pairs(board: Leaderboard) -> dict[str, Any]:
    size = min(len(board.systems), MOST_PAIRS)
    beats = board.beats[:size, :size]
    bins = np.searchsorted(CHANCES, beats, side="right")
    np.fill_diagonal(bins, -1)
    names = [shown(name) for name in board.systems[:size]]
    edges = ["0", *(f"{100 * e:g}" for e in CHANCES), "100"]
    return {
        **_matrix(bins, len(CHANCES) + 1, beats, names),
        "border": border(_share_group(board)[:size, :size]),
        "edges": edges,
        "left": len(board.systems) - size,
    }


def _share_group(board: Leaderboard) -> NDArray[np.bool_]:
    """[system, system]: blocks along the diagonal."""
    out = np.zeros(board.apart.shape, dtype=bool)
    for first, last in board.group_ranges:
        out[first : last + 1, first : last + 1] = True
    return out


def _judges(board: Leaderboard) -> dict[str, Any]:
    heaviest = max((j.weight or 0.0 for j in board.judges), default=0.0)
    columns = {"relevant": 1.0, "kappa": 1.0, "accuracy": 1.0, "weight": heaviest}
    rows = [
        {
            "name": shown(judge.name),
            "labels": judge.labels,
            "values": [_bar(getattr(judge, name), most) for name, most in columns.items()],
        }
        for judge in board.judges[:MOST_ROWS]
    ]
    return {"rows": rows, "left": len(board.judges) - len(rows)}


def _bar(value: float | None, most: float) -> tuple[float | None, float]:
    """A value, and the length of its bar in percent."""
    if value is None or math.isnan(value):
        return None, 0.0
    return value, round(100 * max(value, 0.0) / most, 1) if most else 0.0


def _agreement(found: Agreement) -> dict[str, Any]:
    numbers = [
        ("Agreement of two judges", found.agreement),
        ("Fleiss’ kappa", found.fleiss),
        ("Krippendorff’s alpha", found.alpha_nominal),
        ("Krippendorff’s alpha, ordinal", found.alpha_ordinal),
    ]
    binary = len(found.grades) == 2  # two labels can differ in one way only
    numbers = [(k, v) for k, v in numbers[: 3 if binary else 4] if not math.isnan(v)]
    order = _matrix_judges(found)
    if len(order) < 2:
        return {"numbers": numbers, "matrix": None}
    kappa = found.pairs.kappa[np.ix_(order, order)]
    bins = np.where(np.isnan(kappa), len(KAPPAS) + 1, np.searchsorted(KAPPAS, kappa, side="right"))
    np.fill_diagonal(bins, -1)
    names = [shown(found.assessors[k]) for k in order]
    return {
        "numbers": numbers,
        "matrix": _matrix(bins, len(KAPPAS) + 2, kappa, names),
        "left": len(found.assessors) - len(order),
    }


def _matrix_judges(found: Agreement) -> list[int]:
    """Judges who agree side by side; of very many those with most labels."""
    if len(found.assessors) < 2:
        return []
    most = set(np.argsort(-found.labels, kind="stable")[:MOST_JUDGES].tolist())
    return [k for k in found.order() if k in most]


def _charts(board: Leaderboard) -> list[dict[str, Any]]:
    ahead = board.outlook
    if ahead is None:
        return []
    judges, topics = board.policies["assessors"], len(board.topics)
    curves = [("topics", ahead.topics, topics, len(ahead.topics))]
    curves += [("judges", ahead.judges, judges, ahead.measured)]
    return [
        {"of": of, "now": now, "guessed": measured < len(curve),
         "flat": dict(curve)[now] * HARDLY <= curve[-1][1],
         "chart": chart(curve, now, measured, DIGITS)}
        for of, curve, now, measured in curves
        if len(curve) > 1
    ]  # fmt: skip


def _unsure(board: Leaderboard) -> list[dict[str, Any]]:
    most = np.argsort(-board.unsure, kind="stable")[:MOST_TOPICS]
    longest = float(board.unsure.max(initial=0)) or 1.0
    mean = board.cells.mean(axis=0)
    return [
        {
            "name": shown(board.topics[t]),
            "value": float(board.unsure[t]),
            "width": round(100 * float(board.unsure[t]) / longest, 1),
            "mean": float(mean[t]),
        }
        for t in most
        if board.unsure[t] > 0
    ]


def _gold(board: Leaderboard, gold: AgainstGold) -> dict[str, Any]:
    bias = [(s, gold.bias[s]) for s in board.systems[:MOST_ROWS] if s in gold.bias]
    ends = [v for _, three in bias for v in three if math.isfinite(v)]
    axis = scale(min([0.0, *ends]), max([0.0, *ends]))
    rows = [
        {"rank": s + 1, "name": shown(name), "mean": mean, "low": low, "high": high,
         "known": math.isfinite(low), "at": [axis.at(v) for v in (low, mean, high)]}
        for s, (name, (mean, low, high)) in enumerate(bias)
    ]  # fmt: skip
    relevant = None if gold.relevant is None else [percent(v) for v in gold.relevant]
    return {
        "rows": [{"name": shown(r.name), "row": r} for r in gold.rows[:MOST_ROWS]],
        "topics": len(gold.topics),
        "overall": gold.overall,
        "relevant": relevant,
        "bias": rows,
        "axis": axis,
        "zero": axis.at(0.0),
    }


def _origin(board: Leaderboard, command: Sequence[str] | None) -> dict[str, Any]:
    """How to make this page again."""
    if command is not None:
        call = shlex.join(command)
    else:
        named = ("rel", "draws", "seed", "scope", "prior", "level")
        given = [f"{k}={board.policies[k]!r}" for k in named]
        words = [repr(board.measure), repr(board.merge), f"target={board.target!r}", *given]
        call = f"hungjury.leaderboard(judgments, runs, {', '.join(words)})"
    return {
        "command": shown(call),
        "versions": [
            ("hungjury", __version__),
            ("numpy", np.__version__),
            ("Python", platform.python_version()),
            ("seed", board.policies["seed"]),
            ("draws", board.policies["draws"]),
        ],
        "policies": [
            (k, "none" if v is None else v)
            for k, v in board.policies.items()
            if k not in ("seed", "draws")
        ],
    }


def _data(board: Leaderboard, systems: list[str]) -> dict[str, Any]:
    """What the page's script shows on demand; matrices as their upper triangles."""
    size = min(len(systems), MOST_PAIRS)
    upper = np.triu_indices(size, 1)
    beats = board.beats[upper]
    # Whole thousandths, but 0 and 1 for these alone.
    thousandths = np.where((beats > 0) & (beats < 1), np.clip(np.rint(1000 * beats), 1, 999),
                           1000 * beats)  # fmt: skip
    data: dict[str, Any] = {
        "systems": systems[:size],
        "beats": thousandths.astype(int).tolist(),
        "apart": "".join("01"[int(v)] for v in board.apart[upper]),
    }
    if board.agreement is not None:
        order = _matrix_judges(board.agreement)
        pairs, upper = board.agreement.pairs, np.triu_indices(len(order), 1)
        at = np.ix_(order, order)
        data |= {
            "judges": [shown(board.agreement.assessors[k]) for k in order],
            "kappa": [_rounded(v) for v in pairs.kappa[at][upper].tolist()],
            "agreement": [_rounded(v) for v in pairs.agreement[at][upper].tolist()],
            "common": pairs.common[at][upper].tolist(),
        }
    return data


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, DIGITS)
