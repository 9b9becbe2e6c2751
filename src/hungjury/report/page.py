"""The report: a leaderboard as one self-contained HTML page.

Styles and a small script are inlined, figures are SVG, nothing is fetched. Ids and texts are not
trusted: the template escapes them, the script writes them as text, and a content policy allows only
our own script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from hungjury.errors import MissingExtra
from hungjury.report.page_content import content
from hungjury.report.page_data import packed, script_data
from hungjury.report.page_lists import PageLists
from hungjury.report.page_texts import PageTexts, TextFiles, page_texts
from hungjury.report.page_words import shown
from hungjury.uncertainty.board import Leaderboard

__all__ = ["page"]

SCRIPTS = ("tables.js", "data.js", "figures.js", "pair.js")  # in this order, as one script


def page(
    board: Leaderboard,
    command: Sequence[str] | None = None,
    queries: TextFiles = (),
    documents: TextFiles = (),
) -> str:
    """The HTML of the page; deterministic."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise MissingExtra("jinja2", "report", "a report") from None
    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    environment.filters["count"] = lambda value: f"{value:,}"
    script = '"use strict";\n(async () => {\n' + "".join(map(_part, SCRIPTS)) + "})();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    systems = [shown(name) for name in board.systems]
    lists = None if board.evidence is None else PageLists.of(board.evidence)
    texts = PageTexts()
    if lists is not None:
        texts = page_texts(queries, documents, board.topics, lists.ids())
    data = script_data(board, systems, lists, texts)
    return environment.get_template("page.html").render(
        **content(board, command, systems),
        data=packed(data),
        lists=data.head.get("lists", 0),
        style=_part("page.css") + _part("pair.css"),
        script=script,
        script_hash=digest,
    )


def _number(value: float, sign: str = "") -> str:
    """Three digits, with a typographic minus."""
    return f"{value:{sign}.3f}".replace("-", "−")


def _part(name: str) -> str:
    return files("hungjury.report").joinpath("templates", name).read_text(encoding="utf-8")
