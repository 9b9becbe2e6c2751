"""Pieces that several reference pages share, as Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from hungjury.base.named import Named


def sentences(thing: Any) -> str:
    """A docstring as paragraphs; what Markdown could misread is escaped."""
    text = inspect.getdoc(thing) or ""
    return "\n\n".join(escaped(" ".join(one.split())) for one in text.split("\n\n"))


def escaped(text: str) -> str:
    for sign in "\\*|<":
        text = text.replace(sign, "\\" + sign)
    return text


def parameter_table(cls: type[Named]) -> list[str]:
    """Rows of name, meaning, range and default; nothing for a class without parameters."""
    if not cls.params():
        return []
    rows = ["| parameter | meaning | values | default |", "|---|---|---|---|"]
    for f in cls.params():
        default = "required" if f.required else f"`{f.default}`"
        if f.default is None:
            default = "none"
        values = f.values
        rows.append(
            f"| `{f.name}` | {escaped(f.doc)} | {f'`{values}`' if values else ''} | {default} |"
        )
    return rows


def raw(html: str) -> list[str]:
    """A block of HTML as it is."""
    return ["```{raw} html", html, "```"]


def toctree(pages: Iterable[str], *, depth: int = 1) -> list[str]:
    """A list of links to pages."""
    return ["```{toctree}", f":maxdepth: {depth}", "", *pages, "```", ""]
