"""Control characters, made visible where people read."""

from __future__ import annotations

import re

__all__ = ["visible", "visible_line"]

# C0 and C1 controls, and bytes that are not UTF-8.
_CONTROL = "[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff]"
_INSIDE_TEXT = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff]"


def visible(text: str) -> str:
    """Text whose control characters, except newlines and tabs, are escaped: an id cannot move the
    cursor of a terminal."""
    return re.sub(_INSIDE_TEXT, _escaped, text)


def visible_line(text: str) -> str:
    """Text in which newlines and tabs are escaped too, for a cell or a label."""
    return re.sub(_CONTROL, _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]
