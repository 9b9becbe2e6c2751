"""Errors and notes: what is wrong or worth knowing, where, and how to fix it, as data.

An error knows its code, the argument it is about and the values that would work. Python, the
command line and JSON each render it in their own way.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Literal

from hungjury.base.records import Record

if TYPE_CHECKING:
    from typing_extensions import Self


class Argument:
    """An argument and values that would work, inside a remedy.

    ``Argument("outside", "clip", "missing")`` reads ``outside="clip" or "missing"`` in Python and
    ``--outside clip or missing`` on the command line. Without values, the argument itself is meant.
    """

    def __init__(self, name: str, *values: object) -> None:
        self.name, self.values = name, values

    def __str__(self) -> str:
        return in_python(self)


Remedy = str | Argument | tuple[str | Argument, ...]
Surface = Callable[[Argument], str]  # writes an argument as its reader has to type it


def in_python(argument: Argument) -> str:
    """Write an argument as Python code."""
    if not argument.values:
        return f"{argument.name}="
    return f"{argument.name}={either([_literal(value) for value in argument.values])}"


def either(words: list[str]) -> str:
    """Join words: '', 'a', 'a or b', 'a, b or c'."""
    return " or ".join([", ".join(words[:-1]), *words[-1:]] if len(words) > 1 else words)


def _literal(value: object) -> str:
    if isinstance(value, range) and value.start == 0 and value.step == 1:
        return f"range({value.stop})"
    if not isinstance(value, str):
        return repr(value)
    import json  # imported only for errors

    return json.dumps(value, ensure_ascii=False)


def shell_word(value: object) -> str:
    """Write a value as it is typed in a shell."""
    import shlex

    if isinstance(value, range):
        value = f"{value.start}-{value.stop - 1}"
    elif isinstance(value, Mapping):
        value = ",".join(f"{key}:{one}" for key, one in value.items())
    elif isinstance(value, list):
        value = ",".join(map(str, value))
    return shlex.quote(str(value))


# An id or value that nobody reads to its end.
MOST_OF_A_LINE = 2500  # characters; longer ones list what was given, thousands of values
_LONG_WORD = re.compile(r"(?<!\S)(\S{200})[^\s']{800,}")


def _cut(text: str) -> str:
    lines = _LONG_WORD.sub(r"\1…", text).split("\n")
    return "\n".join(one if len(one) <= MOST_OF_A_LINE else f"{one[:500]}…" for one in lines)


class HungjuryError(ValueError):
    """Base of all errors that a user can fix.

    Parameters
    ----------
    message : str
        What is wrong, in words that fit Python and the command line.
    code : str, optional
        A short name for programs, such as ``"outside-grades"``.
    file, line : optional
        Where the input is wrong.
    remedy : str, Argument or tuple of these, optional
        What to do. The parts of a tuple are joined by blanks; an `Argument` among them is written
        as the reader types it.
    argument, values : optional
        The argument that is wrong and the values that would work; by default those of the first
        `Argument` in the remedy.

    Examples
    --------
    >>> import hungjury as hj
    >>> try:
    ...     hj.measure("nDGC@10")
    ... except hj.HungjuryError as error:
    ...     print(error.code)
    unknown-name
    """

    code: str = "error"
    count: int = 1  # how often it was found

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        file: str | None = None,
        line: int | None = None,
        remedy: Remedy | None = None,
        argument: str | None = None,
        values: tuple[object, ...] = (),
    ) -> None:
        message = _cut(message)
        super().__init__(message)
        self.message, self.file, self.line = message, file, line
        if code is not None:
            self.code = code
        parts = remedy if isinstance(remedy, tuple) else () if remedy is None else (remedy,)
        named = next((part for part in parts if isinstance(part, Argument)), None)
        if named is not None and argument is None:
            argument, values = named.name, named.values
        self._parts, self.argument, self.values = parts, argument, values

    @property
    def remedy(self) -> str | None:
        """The remedy, as Python code is written."""
        return self.advice() if self._parts else None

    @property
    def ways_out(self) -> list[dict[str, Any]]:
        """The arguments that the remedy offers; those of one dictionary are given together."""
        ways: list[dict[str, Any]] = [{}]
        for part in self._parts:
            if isinstance(part, Argument) and part.values:
                ways[-1][part.name] = part.values[0]
            elif ways[-1]:
                ways.append({})
        return [way for way in ways if way]

    def advice(self, surface: Surface = in_python) -> str:
        """Return the remedy as a surface writes it."""
        parts = (surface(part) if isinstance(part, Argument) else part for part in self._parts)
        return _cut(re.sub(r" +(?=[,;)]|$)", "", " ".join(parts)))

    def render(self, surface: Surface = in_python) -> str:
        """Return place, message and remedy as a surface writes them."""
        file = None if self.file is None else _cut(str(self.file))
        place = [str(part) or "''" for part in (file, self.line) if part is not None]
        where = ":".join(place) + ": " if place else ""
        advice = f"\n  remedy: {self.advice(surface)}" if self._parts else ""
        return f"{where}{self.message}{advice}"

    def __str__(self) -> str:
        return self.render()

    def saying(self, message: str) -> Self:
        """Return a copy of the error with another message."""
        other = copy(self)
        other.message = message
        return other

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return a copy of the error with other names of arguments, where a caller has others."""
        other = copy(self)
        other.argument = names.get(self.argument or "", self.argument)
        other._parts = tuple(
            Argument(names.get(one.name, one.name), *one.values)
            if isinstance(one, Argument)
            else one
            for one in self._parts
        )
        return other

    def to_dict(self, surface: Surface = in_python) -> dict[str, Any]:
        """Return all fields, for JSON."""
        return {
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "argument": self.argument,
            "values": [v if isinstance(v, (str, int, float)) else str(v) for v in self.values],
            "remedy": self.advice(surface) or None,
        }


class InputError(HungjuryError):
    """Input that cannot be used."""

    code = "input"


class MeasureError(HungjuryError):
    """A measure, merge or model that cannot be computed as asked."""

    code = "measure"


class StudyFailed(HungjuryError):
    """A study that could not finish, or jobs of it that failed."""

    code = "study-failed"


class UnknownName(HungjuryError):
    """A name that is in no catalogue."""

    code = "unknown-name"


class MissingExtra(HungjuryError, ImportError):
    """An optional package is needed and not installed."""

    code = "missing-extra"

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        name = {"ibis": "ibis-framework[duckdb]"}.get(package, package)
        word = f"'{name}'" if "[" in name else name
        others = f", or 'hungjury[{extra}]' for all of its kind" if extra else ""
        super().__init__(
            f"{purpose} needs the package {package}", remedy=f"pip install {word}{others}"
        )
        self.args = package, extra, purpose  # with which it is made again, by pickle and copy


def check_installed(package: str, extra: str, purpose: str) -> None:
    """Raise if an optional package is missing, without importing it."""
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingExtra(package, extra, purpose)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Check an argument that is one of a few words."""
    if value not in choices:
        said = f"invalid value {value!r} for {name}"
        raise InputError(said, code="invalid-choice", remedy=("use", Argument(name, *choices)))


def check_known(kind: str, name: object, known: Sequence[str]) -> None:
    """Check the name of a system, a measure or a judge that a result should have."""
    if name not in known:
        close = closest(str(name), known, cutoff=0.5)
        raise UnknownName(
            f"no {kind} '{name}' in this result",
            remedy=f"did you mean '{close}'?" if close else f"the {kind}s are {few(known, 20)}",
        )


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that was most likely meant, if any is like it."""
    from difflib import get_close_matches  # imported only for errors

    return next(iter(get_close_matches(name, list(known), 1, cutoff)), None)


def rel_range(top: int, least: int = 1, name: str = "rel") -> str:
    """Return the values that a threshold on grades can take, as a remedy."""
    if least == top:
        return f"labels are binary; {name} must be {top}"
    return f"{name} must be between {least} and {top}"


def check_seed(seed: Any, name: str = "seed") -> Any:
    """Check an argument that is a random seed, and return it."""
    try:
        if operator.index(seed) >= 0:
            return seed
    except TypeError:
        pass
    remedy = f"{name} must be a non-negative integer"
    raise InputError(f"{name} is {seed!r}", code="invalid-seed", argument=name, remedy=remedy)


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


def noted(kind: str, count: int, text: str, **more: Any) -> tuple[Note, ...]:
    """A note on what was found, if anything was."""
    return (Note(kind, count, text, **more),) if count else ()


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
