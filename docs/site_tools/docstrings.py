"""Docstrings and signatures as Sphinx shows them.

The package writes plain docstrings: text with `names` in backticks, then parameters as "name: what
it means". Sphinx reads reStructuredText, where these would run together.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

_LITERAL = re.compile(r"(``.+?``|`.+?`)", re.S)
_PARAMETER = re.compile(r"(?:^|(?<=[.;] ))(\w+(?:, \w+)*): ")


def as_rst(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of a docstring in place."""
    known = _parameters(obj)
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines).strip())
    lines[:] = [line for one in paragraphs for line in [*_paragraph(one, known), ""]]


def as_written(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str
) -> tuple[str, str | None] | None:
    """Signatures with annotations as the source has them; none for classes that users only get."""
    if what == "class":
        return "", None
    if not callable(obj):
        return None
    found = inspect.signature(obj)
    kept = [_unquoted(p) for p in found.parameters.values() if p.name != "self"]
    shown = str(found.replace(parameters=kept, return_annotation=inspect.Signature.empty))
    return shown, _result(obj, found.return_annotation)


class _Written:
    """An annotation that is shown as it stands in the source."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _unquoted(parameter: inspect.Parameter) -> inspect.Parameter:
    if not isinstance(parameter.annotation, str):
        return parameter
    return parameter.replace(annotation=_Written(parameter.annotation))


def _result(function: Any, annotation: Any) -> str | None:
    """What comes out; the package's own classes with their module, since some share a name."""
    if annotation is inspect.Signature.empty:
        return None
    if not isinstance(annotation, str):
        return getattr(annotation, "__name__", "Any")
    found = getattr(sys.modules[function.__module__], annotation, None)
    if inspect.isclass(found) and found.__module__.startswith("hungjury."):
        return f"~{found.__module__}.{found.__qualname__}"
    return annotation


def _parameters(obj: Any) -> set[str]:
    if inspect.isclass(obj):
        return {name for one in obj.__mro__ for name in getattr(one, "__annotations__", {})}
    return set(inspect.signature(obj).parameters) if callable(obj) else set()


def _paragraph(text: str, known: set[str]) -> list[str]:
    """A paragraph as it is, with what it says about parameters as a list of fields."""
    if text.startswith(("    ", ">>>")):
        return ["::", "", *(f"    {line}" for line in text.splitlines())]
    joined = " ".join(text.split())
    starts = [m for m in _PARAMETER.finditer(joined) if set(m[1].split(", ")) <= known]
    if not starts:
        return [_escaped(joined)]
    ends = [m.start() for m in starts[1:]] + [len(joined)]
    before = [_escaped(joined[: starts[0].start()].strip()), ""] if starts[0].start() else []
    fields = [
        f"- **{m[1]}**: {_escaped(joined[m.end() : end].strip())}"
        for m, end in zip(starts, ends, strict=True)
    ]
    return [*before, *fields]


def _escaped(text: str) -> str:
    """`Names` as code, everything else without meaning for reStructuredText."""
    parts = _LITERAL.split(text)
    code = [f"``{part.strip('`')}``" for part in parts[1::2]]
    plain = [re.sub(r"([*|_\\])", r"\\\1", part) for part in parts[::2]]
    return "".join(a + b for a, b in zip(plain, [*code, ""], strict=True))
