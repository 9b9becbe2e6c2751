"""Values of reading options as people write them: scales, maps of labels, columns, patterns.

Each function checks what was given, and returns what a policy keeps.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from hungjury.base.errors import Argument, InputError, few
from hungjury.base.parameters import MOST_GRADE
from hungjury.base.records import Record
from hungjury.base.text import decimal_of, integer_of

if TYPE_CHECKING:
    from hungjury.data.open_scales import JudgeScaling, Scaling

ROLES = ("topic", "document", "label", "judge", "iteration", "score", "rank", "tag")
Pairs = tuple[tuple[str | float, float | None], ...]  # label -> new label, None: missing
Relabelling = Pairs | Callable[[Any], Any]
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?!\w|\.[0-9])")


def grades_of(given: str | Iterable[int] | None) -> tuple[int, ...] | None:
    """Return a scale: integers, or text such as '0-3' and '0,1,2'."""
    if given is None:
        return None
    try:
        numbers = _integers(given) if isinstance(given, str) else given
        scale = tuple(sorted({operator.index(g) for g in numbers}))
    except TypeError:
        problem = f"{given!r} is not a scale"
    else:
        if sum(g >= 0 for g in scale) > 1 and scale[0] >= -MOST_GRADE and scale[-1] <= MOST_GRADE:
            return scale
        problem = f"the declared grades are {few(map(str, scale), 20) or 'none'}"
    remedy = (
        f"declare at least two integers from 0 to {MOST_GRADE}, such as",
        Argument("grades", range(4)),
    )
    raise InputError(problem, code="invalid-grades", remedy=remedy)


def _integers(text: str) -> Iterable[Any]:
    ends = re.fullmatch(r"(-?[0-9]{1,5})-(-?[0-9]{1,5})", text)
    if ends:
        return range(int(ends[1]), int(ends[2]) + 1)
    return [integer_of(part.strip()) for part in text.split(",")]


def relabelling(given: object) -> Relabelling:
    """Pair old and new labels: {"yes": 1, "no": 0, -2: None} or "yes:1,no:0,-2:missing"; or return
    a function of labels."""
    if callable(given):
        return given
    found: dict[str | float, float | None] = {}
    for old, new in _pairs(given, lambda part: part.rpartition(":"), _bad_map):
        key = label_key(old)
        if key in found:
            raise _bad_map(f"map names the label {old!r} twice")
        if key == "":
            raise _bad_map(f"invalid map {given!r}")
        found[key] = new_label(new)
    return tuple(found.items())


def _pairs(
    given: object, split: Callable[[str], tuple[str, str, str]], bad: Callable[[str], InputError]
) -> Iterable[tuple[Any, Any]]:
    """Return the pairs of a dictionary, or of text with commas between them."""
    if given is None or given == "":
        return ()
    if isinstance(given, str):
        return [split(part)[::2] for part in given.split(",")]
    if isinstance(given, Mapping):
        return given.items()
    raise bad(f"expected text or a dictionary, got {given!r}")


def label_key(label: object) -> str | float:
    """Return the lookup key of a label: numbers as numbers, words case-insensitively."""
    number = decimal_of(label.strip()) if isinstance(label, str) else label
    if isinstance(number, Real) and math.isfinite(number):
        return float(number)
    return " ".join(str(label).split()).casefold()


def new_label(new: Any) -> float | None:
    """Return a label that a map gives: a number, or None for a label that is left out."""
    if new is None or (isinstance(new, str) and new.strip().lower() == "missing"):
        return None
    try:
        number = float(new)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise _bad_map(f"map has the new label {new!r}, which is not a number")
    return number


def _bad_map(problem: str) -> InputError:
    return InputError(
        problem,
        code="invalid-map",
        remedy=("write old and new labels, for example",
                Argument("map", "yes:1,no:0,unsure:missing")),
    )  # fmt: skip


def map_text(pairs: Relabelling) -> str | None:
    """Return a map as the command line takes it, or the name of a function."""
    if callable(pairs):
        return f"{getattr(pairs, '__name__', type(pairs).__name__)}()"

    def text(label: str | float | None) -> str:
        return "missing" if label is None else label if isinstance(label, str) else f"{label:g}"

    return ",".join(f"{text(old)}:{text(new)}" for old, new in pairs) or None


def columns_by_role(
    given: object,
    roles: Collection[str] = ROLES,
    example: str = "topic=query,document=passage,label=rating,judge=model",
) -> tuple[tuple[str, str], ...]:
    """Pair roles and columns: {"topic": "query"} or "topic=query,document=passage"."""

    def bad(problem: str) -> InputError:
        says = "name columns by their role, for example"
        remedy = (says, Argument("columns", example), "; roles are " + ", ".join(roles))
        return InputError(problem, code="invalid-columns", remedy=remedy)

    found: dict[str, str] = {}
    for role, column in _pairs(given, lambda part: part.partition("="), bad):
        role, column = str(role).strip(), str(column).strip()
        if role in found:
            raise bad(f"columns names the {role} twice")
        if role not in roles or not column:
            raise bad(f"invalid columns: {role}={column}")
        found[role] = column
    return tuple(found.items())


class Extraction(Record):
    """Finds the label in a text: its only number, its last number, a value of the JSON object in
    it, or what a regular expression matches (its first group, if it has one)."""

    text: str

    def __call__(self, label: str) -> str | None:
        """Return the label in a text, None where there is none or more than one."""
        if self.text in ("number", "last-number"):
            found = [one[0] for one in _NUMBER.finditer(label)]
            several = self.text == "number" and len({float(one) for one in found}) > 1
            return None if several or not found else found[-1]
        if self.text.startswith("json:"):
            return self._of_json(label[label.find("{") : label.rfind("}") + 1])
        match = re.search(self.text, label)
        return None if match is None else match[1 if match.re.groups else 0]

    def _of_json(self, text: str) -> str | None:
        import json  # few labels are in JSON

        from hungjury.base.files import once

        try:
            value = json.loads(text, object_pairs_hook=once)
            for key in self.text.removeprefix("json:").split("."):
                value = value[key]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        return None if value is None else str(int(value) if isinstance(value, bool) else value)


def extraction(given: object) -> Extraction | None:
    """Return how labels are found in texts: number, last-number, json:KEY or an expression."""
    if given is None:
        return None
    problem = "" if isinstance(given, str) and given not in ("", "json:") else "not a text"
    try:
        re.compile(str(given))
    except re.error as error:
        problem = f"not a regular expression, {error}"
    if problem:
        said = f"invalid value {given!r} for extract: {problem}"
        remedy = (
            "use",
            Argument("extract", "number", "last-number", "json:KEY", r"Score: (\d)"),
        )
        raise InputError(said, code="invalid-extract", remedy=remedy)
    return Extraction(str(given))


def scaling_given(given: object) -> Scaling | JudgeScaling | None:
    if given is None:
        return None
    from hungjury.data.open_scales import scaling_of  # few labels are on open scales

    return scaling_of(given)


def patterns(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())
