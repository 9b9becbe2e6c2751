"""A name with parameters as text, ``RBP(p=0.9)@10``, taken apart; nothing is evaluated."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

__all__ = ["NameText", "read_arguments", "read_name"]

_SHAPE = re.compile(
    r"(?P<name>[A-Za-z][\w-]*)\s*(?P<args>\(.*\))?\s*"
    r"(?:@\s*(?P<at>[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?|\.[0-9]+))?",
    re.S,
)


class NameText(NamedTuple):
    """The parts of a name: ``(p=0.9)`` with its parentheses, and the number after @."""

    name: str
    args: str | None
    at: str | None


def read_name(text: str) -> NameText | None:
    """The parts of a name, or None where it does not have that shape."""
    match = _SHAPE.fullmatch(text.strip())
    return None if match is None else NameText(match["name"], match["args"], match["at"])


def read_arguments(args: str) -> tuple[list[object], list[tuple[str, object]]]:
    """The values without a name, and (name, value) of the others; ValueError if it has neither."""
    source = "f" + args
    try:
        call = ast.parse(source, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError(args)
        unnamed = [_value(one, source) for one in call.args]
        return unnamed, [(str(one.arg), _value(one.value, source)) for one in call.keywords]
    except (SyntaxError, TypeError, RecursionError, MemoryError):
        raise ValueError(args) from None


def _value(node: ast.expr, source: str) -> object:
    """A literal; a bare word is a string; a call stays text, for a parser of its own."""
    if isinstance(node, ast.Name):
        return node.id
    try:
        return ast.literal_eval(node)
    except ValueError:
        if isinstance(node, (ast.Call, ast.BinOp)):
            return ast.get_source_segment(source, node)
        raise
