"""Notes: findings about the input or the reliability of a result, as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from hungjury.base.records import Record

About = Literal["files", "judges", "result"]


class Note(Record):
    """One finding.

    Parameters
    ----------
    kind : str
        A short name for programs, such as ``"missing-topic"``.
    count : int
        How often it was found.
    text : str
        A sentence without the subjects, which are listed after it.
    where : str
        The file or system that the note is about, if there is only one.
    subjects : tuple of str
        The topics, judges or documents that the note is about.
    about : {"files", "judges", "result"}
        Whether the note is about the files read, about judges, or about how far a result can be
        trusted.

    Examples
    --------
    >>> import hungjury as hj
    >>> print(hj.Note("missing-topic", 2, "2 topics without a list", subjects=("7", "9")))
    2 topics without a list: 7, 9
    """

    kind: str
    count: int
    text: str
    where: str = ""
    subjects: tuple[str, ...] = ()
    about: About = "files"

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        subjects = f": {few(self.subjects)}" if self.subjects else ""
        return f"{where}{self.text}{subjects}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields and the whole sentence, for JSON."""
        return {
            "kind": self.kind,
            "count": self.count,
            "about": self.about,
            "where": self.where or None,
            "subjects": list(self.subjects),
            "text": str(self),
        }


def few(names: Iterable[str], most: int = 5) -> str:
    """Return the first of many names: 'a, b, c and 12 more'."""
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
