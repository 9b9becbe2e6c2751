"""The report: a leaderboard as one page of HTML that needs nothing else.

Styles and a small script are inlined, figures are SVG, nothing is fetched. Ids are untrusted text:
the template escapes them, and a content policy allows only our own script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from hungjury.errors import MissingExtra
from hungjury.report.page_content import content
from hungjury.uncertainty.board import Leaderboard

__all__ = ["page"]


def page(board: Leaderboard, command: Sequence[str] | None = None) -> str:
    """The page's text; the same leaderboard gives the same page."""
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
    script = _part("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("page.html").render(
        **content(board, command), style=_part("page.css"), script=script, script_hash=digest
    )


def _number(value: float, sign: str = "") -> str:
    """Three digits, with a true minus."""
    return f"{value:{sign}.3f}".replace("-", "−")


def _part(name: str) -> str:
    return files("hungjury.report").joinpath("templates", name).read_text(encoding="utf-8")
