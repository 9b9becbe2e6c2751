"""One family of errors: every message says what is wrong, where, and what to do about it."""

from __future__ import annotations

import operator
from typing import Any

__all__ = [
    "HungjuryError",
    "InputError",
    "MeasureError",
    "MissingExtra",
    "StudyFailed",
    "UnknownName",
    "check_choice",
    "check_seed",
]


class HungjuryError(ValueError):
    """Base of all errors a user can mend: `message`, `file`, `line` and `remedy`."""

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.message, self.file, self.line, self.remedy = message, file, line, remedy
        where = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        advice = "" if remedy is None else f"\n  remedy: {remedy}"
        super().__init__(f"{where}{message}{advice}")


class InputError(HungjuryError):
    """Data that cannot be used as it is."""


class MeasureError(HungjuryError):
    """A measure, merge or model that cannot be computed as asked."""


class StudyFailed(HungjuryError):
    """A study that could not be ended, or jobs of it that failed."""


class UnknownName(HungjuryError):
    """A name that is in no catalogue."""


class MissingExtra(HungjuryError, ImportError):
    """An optional package is needed and absent."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}",
            remedy=f"pip install 'hungjury[{extra}]'",
        )


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """An argument that is one of a few words."""
    if value not in choices:
        raise InputError(
            f"{name} is {value!r}", remedy=f"{name} is one of {', '.join(map(repr, choices))}"
        )


def check_seed(seed: Any, name: str = "seed") -> None:
    """An argument that random numbers are made from."""
    try:
        if operator.index(seed) >= 0:
            return
    except TypeError:
        pass
    raise InputError(f"{name} is {seed!r}", remedy=f"{name} is a whole number of 0 or more")
