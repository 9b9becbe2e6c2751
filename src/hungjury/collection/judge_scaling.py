"""A scaling for every judge: patterns for names of judges, and the scaling of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from hungjury.collection.notes import few, plural
from hungjury.collection.scaling import SCALINGS, Scaling
from hungjury.errors import Argument, InputError, Remedy
from hungjury.records import Record

__all__ = ["JudgeScaling", "ScalingLike", "patterns_of", "scaling_of"]

ScalingLike = str | Scaling | Mapping[str, Any]
EXAMPLE = Argument("scaling", "crowd=linear(low=0, high=1),gpt*=linear(low=0, high=3)")

LETTERS = 3  # common characters that names need for a pattern


class JudgeScaling(Record):
    """Rules (pattern, scaling); the first one that matches a judge's name counts."""

    rules: tuple[tuple[str, Scaling], ...]

    def __str__(self) -> str:
        return ",".join(f"{pattern}={scaling}" for pattern, scaling in self.rules)

    def shares(self, judges: Sequence[str]) -> list[tuple[Scaling, list[int]]]:
        """Each scaling and the places of the judges that it is for."""
        if list(judges) == [""]:
            raise _refused("scaling names judges, but these labels have no judges",
                           ("name one scaling:", Argument("scaling", "linear")))  # fmt: skip
        taken = [
            next((r for r, (pattern, _) in enumerate(self.rules) if fnmatchcase(name, pattern)), -1)
            for name in judges
        ]
        left = [name for name, rule in zip(judges, taken, strict=True) if rule < 0]
        if left:
            raise _refused(
                f"no scaling for {plural(len(left), 'judge')}: {few(left)}",
                ("'*=linear' at the end is for all judges left, as in", EXAMPLE),
            )
        out = []
        for r, (pattern, scaling) in enumerate(self.rules):
            mine = [j for j, rule in enumerate(taken) if rule == r]
            if not mine:
                raise _refused(
                    f"the scaling of '{pattern}' applies to no judge",
                    f"the judges are {few(judges, 10)}; the first pattern that matches one counts",
                )
            out.append((scaling, mine))
        return out


def scaling_of(given: object) -> Scaling | JudgeScaling | None:
    """A scaling or rules for judges, from an object or text; None for none."""
    if given is None or isinstance(given, (Scaling, JudgeScaling)):
        return given
    if isinstance(given, str):
        parts = re.split(r",(?![^(]*\))", given)  # not inside parentheses
        rules = [part.split("(")[0].partition("=")[0].strip() for part in parts]
        named = ["=" in part.split("(")[0] for part in parts]
        if not any(named):
            return SCALINGS.parse(given)
        if not all(named) or not all(rules):
            raise _refused(f"invalid scaling {given!r}", ("give every scaling a judge:", EXAMPLE))
        pairs = [(rule, part.partition("=")[2].strip())
                 for rule, part in zip(rules, parts, strict=True)]  # fmt: skip
    elif isinstance(given, Mapping) and given:
        pairs = [(str(pattern), one) for pattern, one in given.items()]
    else:
        raise _refused(
            f"invalid value {given!r} for scaling",
            ("use", Argument("scaling", *(cls.name for cls in SCALINGS)), ", or one per judge:",
             EXAMPLE),
        )  # fmt: skip
    return JudgeScaling(tuple((pattern, _one(scaling)) for pattern, scaling in pairs))


def _one(given: object) -> Scaling:
    found = scaling_of(given)
    if not isinstance(found, Scaling):
        raise _refused(f"invalid value {given!r} for scaling", ("name one scaling:", EXAMPLE))
    return found


def _refused(message: str, remedy: Remedy) -> InputError:
    return InputError(message, code="invalid-scaling", argument="scaling", remedy=remedy)


def patterns_of(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Patterns that match some judges and none of the others."""
    if len(names) > 1:
        start = _shared_start(names)
        if len(start) >= LETTERS and not any(name.startswith(start) for name in others):
            return [f"{_plain(start)}*"]
        end = _shared_start([name[::-1] for name in names])[::-1]
        if len(end) >= LETTERS and not any(name.endswith(end) for name in others):
            return [f"*{_plain(end)}"]
    return [_plain(name) for name in names]


def _shared_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    differ = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(differ, len(first))]


def _plain(name: str) -> str:
    """Escape a name for use as a pattern."""
    return re.sub(r"[][*,=()]", "?", name)
