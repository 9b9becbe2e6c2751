"""The grades a person can give: what each key means."""

from __future__ import annotations

import re

from hungjury.errors import InputError
from hungjury.records import Record

__all__ = ["DEFAULT", "Grade", "parse_grades"]

DEFAULT = "0 not relevant, 1 related, 2 relevant, 3 perfectly relevant"
_REMEDY = f'write each as a digit and its meaning, such as "{DEFAULT}"'
_LONGEST = 60


class Grade(Record):
    """One button of the page; its grade is also its key."""

    grade: int
    meaning: str


def parse_grades(text: str) -> tuple[Grade, ...]:
    """Read a scale such as ``"0 not relevant, 1 related, 2 relevant"``.

    Parameters
    ----------
    text : str
        Grades from 0 to 9 in increasing order, each followed by its meaning. A comma inside a
        meaning is fine unless a digit follows it.

    Returns
    -------
    tuple of Grade

    Examples
    --------
    >>> parse_grades("0 no, 1 yes, in part, 2 yes")[1]
    Grade(grade=1, meaning='yes, in part')
    """
    found = []
    for part in re.split(r",\s*(?=\d)", text.strip()):
        match = re.fullmatch(r"(\d)(?:[\s:=]+(.*\S))?\s*", part, re.S)
        if match is None:
            raise InputError(f"grades: cannot read {part!r}", code="bad-scale", remedy=_REMEDY)
        meaning = " ".join((match[2] or "").split())
        if len(meaning) > _LONGEST:
            raise InputError(
                f"grades: the meaning of {match[1]} is longer than {_LONGEST} characters",
                code="bad-scale",
                remedy="shorten it; it has to fit on a button",
            )
        found.append(Grade(int(match[1]), meaning))
    numbers = [one.grade for one in found]
    if numbers != sorted(set(numbers)):
        raise InputError(
            f"grades: expected increasing grades, got {', '.join(map(str, numbers))}",
            code="bad-scale",
            remedy=_REMEDY,
        )
    if len(found) < 2:
        raise InputError("grades: expected at least two grades", code="bad-scale", remedy=_REMEDY)
    return tuple(found)
