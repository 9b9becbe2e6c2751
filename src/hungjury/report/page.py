"""The report: a leaderboard as one self-contained HTML page.

Styles and a small script are inlined, figures are SVG, nothing is fetched. Ids and texts are not
trusted: the template escapes them, the script writes them as text, and a content policy allows only
our own script.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import platform
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury import __version__
from hungjury.base.errors import MissingExtra, percent
from hungjury.base.provenance import origin_of
from hungjury.base.text import letter, neighbours, visible_line
from hungjury.data.texts import TextFiles
from hungjury.judges.families import favour_text
from hungjury.leaderboard.board import Leaderboard
from hungjury.leaderboard.correction import Correction
from hungjury.leaderboard.gold_agreement import AgainstGold
from hungjury.leaderboard.leaderboard import Boards
from hungjury.report import board as words
from hungjury.report import page_data

if TYPE_CHECKING:
    from jinja2 import Template

DIGITS = 3
MOST_SYSTEMS = 1000  # in the ranking
MOST_ROWS = 250  # of other tables
MOST_TOPICS = 15
MOST_NAMED = 4  # systems of a group
MOST_GROUPS = 12  # that are shown at once
MOST_NOTES = 100
HARDLY = 0.97  # ratio of detectable differences above which more judges or topics hardly help


def content(board: Leaderboard, origin: Mapping[str, Any], systems: list[str]) -> dict[str, Any]:
    """Return all values that the template needs; systems by the names that are shown."""
    may, may_not = words.conclusions(board, DIGITS)
    seen = [words.shown(str(note)) for note in board.notes if note.about != "files"]
    odd = [words.shown(str(note)) for note in board.notes if note.about == "files"]
    return {
        "about": words.headline(board),
        "lead": words.lead(board, DIGITS),
        "next": words.next_step(board),
        "favours": favour_text(board.favours),
        "may": may,
        "may_not": may_not,
        "warnings": list(dict.fromkeys(seen)),
        "oddities": odd[:MOST_NOTES],
        "oddities_left": max(len(odd) - MOST_NOTES, 0),
        "board": board,
        "level": percent(board.settings.level),
        "systems": systems,
        "prefix": len(page_data.common_prefix(systems)),
        "judges_prefix": len(
            page_data.common_prefix([words.shown(judge.name) for judge in board.judges])
        ),
        "ranking": _ranking(board, systems),
        "groups": _groups(board, systems),
        "most_groups": MOST_GROUPS,
        "steps": [systems[place] for place in _steps(board)],
        "pairs": page_data.pairs_map(board) if len(systems) > 1 else None,
        "most_rows": MOST_ROWS,
        "heaviest": max((judge.weight or 0.0 for judge in board.judges), default=0.0),
        "coverage": words.coverage(board),
        "agreement": None if board.agreement is None else page_data.judges_map(board.agreement),
        "shares": [(*words.CAUSES[name], share) for name, share in board.shares.items()],
        "charts": _charts(board),
        "unsure": [
            t for t in np.argsort(-board.unsure, kind="stable")[:MOST_TOPICS] if board.unsure[t] > 0
        ],
        "topic_mean": board.cells.mean(axis=0),
        "bias": board.gold and _bias(board, board.gold),
        "correction": board.correction and _correction(board.correction),
        "origin": _origin(board, origin),
    }


def _ranking(board: Leaderboard, systems: list[str]) -> dict[str, Any]:
    axis = page_data.scale(
        *page_data.shown_ends(board.low, board.high, float(board.mean[0] - board.mean[-1]))
    )
    rows = board.rows()[:MOST_SYSTEMS]
    cut = next(filter(None, (axis.cut(row.low, row.mean, row.high)[0] for row in rows)), "")
    return {"rows": rows, "left": len(systems) - len(rows), "axis": axis, "cut": cut}


def _groups(board: Leaderboard, systems: list[str]) -> list[dict[str, Any]]:
    """Return groups of two or more systems: their members and their places on the board."""
    return [
        {
            "letter": letter(number),
            "first": group[0] + 1,
            "last": group[-1] + 1,
            "many": len(group),
            "names": [systems[s] for s in group[:MOST_NAMED]],
            "runs": [
                (
                    round(100 * first / len(systems), 2),
                    round(100 * (last + 1 - first) / len(systems), 2),
                )
                for first, last in neighbours(group)
            ],
        }
        for number, group in enumerate(board.group_places)
        if len(group) > 1
    ]


def _steps(board: Leaderboard) -> list[int]:
    """Return places of which each is told apart from the one before, with all that follow it."""
    found, systems = [0], len(board.systems)
    for place in range(1, systems):
        if board.apart[found[-1], place:].all():
            found.append(place)
    return found


def _by_measure(beside: Boards) -> list[dict[str, Any]]:
    """Return the rows of every system by every measure, in the order of the first."""
    boards = [beside.board, *beside.measures]
    places = [{row.system: row for row in board.rows()} for board in boards]
    named = beside.board.systems[:MOST_ROWS]
    return [{"name": words.shown(one), "cells": [place[one] for place in places]} for one in named]


def _charts(board: Leaderboard) -> list[dict[str, Any]]:
    ahead = board.outlook
    if ahead is None:
        return []
    judges, topics = board.settings.judges, len(board.topics)
    curves = [("topics", ahead.topics, topics, len(ahead.topics))]
    curves += [("judges", ahead.judges, judges, ahead.measured)]
    return [
        {"of": of, "now": now, "guessed": measured < len(curve),
         "flat": dict(curve)[now] * HARDLY <= curve[-1][1],
         "chart": page_data.chart(curve, now, measured, DIGITS)}
        for of, curve, now, measured in curves
        if len(curve) > 1
    ]  # fmt: skip


def _correction(correction: Correction) -> dict[str, Any]:
    curve = correction.expected
    drawn = page_data.chart(curve, curve[0][0], 1, DIGITS) if len(curve) > 1 else None
    return {"sentences": words.sentences(correction, DIGITS), "chart": drawn}


def _bias(board: Leaderboard, gold: AgainstGold) -> dict[str, Any]:
    """Return names, biases with their ends, and the axis that they are drawn on."""
    rows = [(s, *gold.bias[s]) for s in board.systems[:MOST_ROWS] if s in gold.bias]
    ends = [v for _, *three in rows for v in three if math.isfinite(v)]
    axis = page_data.scale(min([0.0, *ends]), max([0.0, *ends]))
    return {"rows": rows, "left": len(gold.bias) - len(rows), "axis": axis}


def _origin(board: Leaderboard, origin: Mapping[str, Any]) -> dict[str, Any]:
    """Say what the page comes from, and how to reproduce it."""
    settings = board.settings.to_dict()
    when = origin.get("made", {})
    command = origin.get("command", [])
    return {
        "command": visible_line(command[0] if len(command) == 1 else shlex.join(command)),
        "inputs": [
            {"ir_metadata": "", **one, "path": words.shown(one["path"])}
            for one in origin.get("inputs", [])
        ],
        "date": when.get("time", "")[:10],
        "versions": [
            ("hungjury", __version__),
            *origin.get("libraries", {"numpy": np.__version__}).items(),
            ("Python", platform.python_version()),
            ("seed", board.settings.seed),
            ("draws", board.settings.draws),
        ],
        "settings": [
            (k, "none" if v is None else v)
            for k, v in (settings | settings.pop("labels")).items()
            if k not in ("seed", "draws")
        ],
        "json": json.dumps({"provenance": origin} if origin else {}).replace("<", "\\u003c"),
    }


SCRIPTS = ("tables.js", "data.js", "figures.js", "pair.js")  # in this order, as one script


def page(
    board: Leaderboard,
    origin: Mapping[str, Any] | None = None,
    queries: TextFiles = (),
    documents: TextFiles = (),
    *,
    title: str = "",
    author: str = "",
    dataset: str = "",
    beside: Boards | None = None,
    history: Sequence[tuple[str, Mapping[str, page_data.Interval]]] = (),
) -> str:
    """Return the HTML of the page; deterministic.

    origin: provenance, with `made` for the date. beside: leaderboards by other measures and on
    groups of topics. history: means and intervals of systems in the results of earlier times.
    """
    try:
        template = _template()
    except ImportError:
        raise MissingExtra("jinja2", "report", "a report") from None
    script = '"use strict";\n(async () => {\n' + "".join(map(part, SCRIPTS)) + "})();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    systems = [words.shown(name) for name in board.systems]
    data = page_data.script_data(board, systems, queries, documents)
    return template.render(
        **content(board, origin_of(board) if origin is None else origin, systems),
        title=title and words.shown(title),
        facts=[words.shown(text) for text in (dataset, author) if text],
        beside=beside,
        by_measure=[] if beside is None else _by_measure(beside),
        history=page_data.history_lines(history, board.systems),
        data=page_data.packed(data),
        lists=data.get("lists", 0),
        style=part("page.css") + part("pair.css"),
        script=script,
        script_hash=digest,
    )


@cache
def _template() -> Template:
    """Return the page's template, compiled once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": _number,
        "percent": percent,
        "letters": words.letters,
        "shown": words.shown,
        "known": math.isfinite,
        "count": lambda value: f"{value:,}",
    }
    return environment.get_template("page.html")


def _number(value: float, sign: str = "") -> str:
    """Three digits, with a typographic minus."""
    return f"{value:{sign}.3f}".replace("-", "−")


def part(name: str) -> str:
    """Return the text of a template, style or script."""
    return files("hungjury.report").joinpath("templates", name).read_text(encoding="utf-8")
