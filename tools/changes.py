"""Small changes of Python code, each of which a test should notice."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

PAIRS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn,
    ast.And: ast.Or, ast.Add: ast.Sub, ast.Mult: ast.Div, ast.BitAnd: ast.BitOr,
}  # fmt: skip
OPERATORS = PAIRS | {new: old for old, new in PAIRS.items()}
OPERATORS |= {ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult}
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "minimum": "maximum",
    "maximum": "minimum",
}
# Text, types and tools of the language: no change there is one of behaviour.
SILENT_FIELDS = {"annotation", "returns", "decorator_list", "type_comment", "type_params"}
SILENT_KEYWORDS = {"strict", "dtype", "code", "remedy"}
DROPPED = (ast.AugAssign, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Change:
    """One change: `key` names it whatever is added or removed elsewhere in the file."""

    line: int
    statement: int  # the line where its statement begins
    key: str
    number: int


def changes(source: str) -> list[Change]:
    """All changes of a file's source, in its order."""
    found, seen = [], Counter[str]()
    for number, (_, _, old, new, function, line) in enumerate(_places(ast.parse(source))):
        key = f"{function}: {_text(old)}  =>  {_text(new)}"
        seen[key] += 1
        key += f" ({seen[key]})" * (seen[key] > 1)
        found.append(Change(old.lineno, line, key, number))
    return found


def changed(source: str, number: int) -> ast.Module:
    """The syntax tree of the source with one of its changes made."""
    tree = ast.parse(source)
    for at, (parent, field, old, new, *_) in enumerate(_places(tree)):
        if at == number:
            siblings = getattr(parent, field)
            if isinstance(siblings, list):
                siblings[siblings.index(old)] = new
            else:
                setattr(parent, field, new)
            return ast.fix_missing_locations(tree)
    raise IndexError(number)


def _places(
    parent: ast.AST, function: str = "", line: int = 0
) -> Iterator[tuple[ast.AST, str, ast.AST, ast.AST, str, int]]:
    """Parent, field, old node, new node, function and line of the statement of every change."""
    for field, value in ast.iter_fields(parent):
        if field in SILENT_FIELDS:
            continue
        for old in value if isinstance(value, list) else [value]:
            if not isinstance(old, ast.AST) or _silent(old):
                continue
            begins = old.lineno if isinstance(old, ast.stmt) else line
            for new in _variants(old):
                yield parent, field, old, ast.copy_location(new, old), function, begins
            if isinstance(old, ast.Raise):  # dropped or kept, but its message is text
                continue
            named = isinstance(old, ast.FunctionDef | ast.ClassDef)
            inside = f"{function}.{old.name}".lstrip(".") if named else function
            yield from _places(old, inside, begins)


def _silent(node: ast.AST) -> bool:
    """Whether a node is text, a docstring or about types."""
    if isinstance(node, ast.keyword):
        return node.arg in SILENT_KEYWORDS
    return isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Global) or (
        isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    )


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op]):
            yield ast.Compare(node.left, [OPERATORS[type(op)]()], node.comparators)
        case ast.BinOp() if type(node.op) in OPERATORS:
            yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
        case ast.BoolOp():
            yield ast.BoolOp(OPERATORS[type(node.op)](), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield node.operand
        case ast.IfExp() if not isinstance(node.body, ast.Constant | ast.JoinedStr):
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield ast.Constant(node.value + 1)
        case ast.Constant(value=float()):
            yield ast.Constant(node.value * 1.25 if node.value else 0.25)
        case ast.Name(ctx=ast.Load()) if node.id in NAMES:
            yield ast.Name(NAMES[node.id], ast.Load())
        case ast.Attribute(ctx=ast.Load()) if node.attr in NAMES:
            yield ast.Attribute(node.value, NAMES[node.attr], ast.Load())
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]) | ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case _ if isinstance(node, DROPPED):
            yield ast.Pass()


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 80 else text[:77] + "..."
