"""What is odd about the input: told, never silently mended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Note", "few", "percent", "plural"]


@dataclass(frozen=True)
class Note:
    """One finding: what it is (a short code), how often, and a sentence for people."""

    code: str
    count: int
    text: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text


def few(names: Iterable[str], most: int = 5) -> str:
    """The first names of many: 'a, b, c and 12 more'."""
    listed = list(names)
    shown = ", ".join(listed[:most])
    return shown if len(listed) <= most else f"{shown} and {len(listed) - most} more"


def percent(share: float) -> str:
    """Rounded, but never to 0 or 100 where it is neither."""
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 < share < 1 else f"{share * 100:.0f} %"


def plural(count: int, noun: str) -> str:
    """'1 topic', '3 topics', '2,000 topics'."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
