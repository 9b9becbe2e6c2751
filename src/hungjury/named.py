"""Things with a name and parameters: declared once, checked, printed and parsed back.

Measures, merges, weights and user models are frozen dataclasses whose fields are made by
`param`. A `Catalogue` turns text such as ``RBP(p=0.9)@10`` into such a value and back.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypedDict, TypeVar

from hungjury.errors import HungjuryError, MeasureError, UnknownName, either
from hungjury.numbers import decimal_of

if TYPE_CHECKING:
    import inspect

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        """What Python 3.11 has: a word to type checkers, nothing at run time."""
        return lambda cls: cls


__all__ = [
    "Catalogue",
    "Described",
    "Named",
    "Parameter",
    "flag",
    "mapping",
    "number",
    "numbers",
    "one_of",
    "param",
    "range_text",
    "required",
    "whole",
]

Convert = Callable[[Any], Any]


LARGEST = 1e100  # sums of many such numbers, and their squares, are finite
LARGEST_WHOLE = 2**53


def whole(value: Any) -> int:
    """A whole number."""
    if isinstance(value, bool) or not (
        isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    ):
        raise ValueError("a whole number")
    if abs(value) > LARGEST_WHOLE:
        raise ValueError(f"a whole number of at most {LARGEST_WHOLE:,}")
    return int(value)


def number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("a number")
    if abs(value) > LARGEST:
        raise ValueError(f"a number of at most {LARGEST:g} in size")
    return float(value)


def flag(value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError("True or False")
    return value


def numbers(value: Any) -> tuple[float, ...]:
    """A list of numbers; or text with commas, for parsers that have no lists."""
    if isinstance(value, str):
        value = [decimal_of(part.strip()) for part in value.split(",")]
    if isinstance(value, (bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise ValueError("a list of numbers such as [0.1, 0.9]")
    return tuple(number(float(v) if hasattr(v, "dtype") else v) for v in value)


def mapping(value: Any) -> tuple[tuple[int, float], ...]:
    """A map from grades to numbers, kept as sorted pairs so that it can be hashed."""
    pairs = value.items() if isinstance(value, Mapping) else value
    try:
        return tuple(sorted((whole(k), number(v)) for k, v in pairs))
    except (TypeError, ValueError):
        raise ValueError("a map such as {1: 3, 2: 9}") from None


def one_of(*choices: str) -> Convert:
    """One of a few words."""

    def convert(value: Any) -> str:
        if value not in choices:
            raise ValueError("one of " + ", ".join(repr(c) for c in choices))
        return str(value)

    convert.choices = choices  # type: ignore[attr-defined]
    return convert


def param(
    default: Any = MISSING,
    *,
    kind: Convert,
    doc: str,
    low: float | None = None,
    high: float | None = None,
    open_low: bool = False,
    open_high: bool = False,
) -> Any:
    """Declare a parameter: its default, kind, range (ends included unless open) and meaning."""
    details = {
        "kind": kind,
        "doc": doc,
        "low": low,
        "high": high,
        "open_low": open_low,
        "open_high": open_high,
    }
    return field(default=default, kw_only=True, metadata=details)


def required(
    *,
    kind: Convert,
    doc: str,
    low: float | None = None,
    high: float | None = None,
    open_low: bool = False,
    open_high: bool = False,
) -> Any:
    """Declare a parameter without a default."""
    return param(
        kind=kind, doc=doc, low=low, high=high, open_low=open_low, open_high=open_high
    )  # fmt: skip


def range_text(details: Mapping[str, Any]) -> str:
    """The values that a parameter's metadata allow; empty where its kind alone decides."""
    low, high = details["low"], details["high"]
    if low is None and high is None:
        return " or ".join(map(repr, getattr(details["kind"], "choices", ())))
    if low is not None and high is not None:
        left = "(" if details["open_low"] else "["
        right = ")" if details["open_high"] else "]"
        return f"{left}{low}, {high}{right}"
    if low is not None:
        return f"{'> ' if details['open_low'] else '>= '}{low}"
    return f"{'< ' if details['open_high'] else '<= '}{high}"


def _where(details: Mapping[str, Any]) -> str:
    """'in [0, 1)' or '>= 1'."""
    text = range_text(details)
    return f"in {text}" if text[0] in "([" else text


def _outside(value: float, details: Mapping[str, Any]) -> bool:
    low, high = details["low"], details["high"]
    if low is not None and (value < low or (details["open_low"] and value == low)):
        return True
    return high is not None and (value > high or (details["open_high"] and value == high))


def _plain(value: Any) -> str:
    """A value as `Catalogue.parse` reads it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return "{" + ", ".join(f"{k}: {_plain(v)}" for k, v in value) + "}"
        return "[" + ", ".join(_plain(v) for v in value) + "]"
    return str(value)


class _Signature:
    """The signature of a class, for `inspect.signature` and what shows it."""

    def __get__(self, one: Named | None, cls: type[Named]) -> inspect.Signature:
        import inspect  # imported only when a signature is shown

        if one is not None:
            raise AttributeError("__signature__")  # that of __call__ is meant
        kinds = {n: k for base in reversed(cls.__mro__) for n, k in _annotations(base).items()}
        return inspect.Signature(
            [
                inspect.Parameter(
                    f.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=inspect.Parameter.empty if f.default is MISSING else f.default,
                    annotation=kinds.get(f.name, inspect.Parameter.empty),
                )
                for f in cls.params()
            ]
        )


def _annotations(cls: type) -> dict[str, Any]:
    return dict(vars(cls).get("__annotations__", {}))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(required,))
class Named:
    """Base of everything in a catalogue; equal, hashable, printable and parsed back.

    Works like a frozen dataclass whose fields are made by `param`. It is not one, because making
    sixty of those costs a command line more time than all its work.
    """

    name: ClassVar[str] = ""
    at: ClassVar[str | None] = None  # the parameter that is written after @
    positional: ClassVar[str | None] = None  # the one that is written without its name
    _params: ClassVar[dict[str, Field[Any]]] = {}
    __signature__: ClassVar[Any] = _Signature()

    def __init_subclass__(cls) -> None:
        own = {n: f for n, f in vars(cls).items() if isinstance(f, Field) and "kind" in f.metadata}
        for name, declared in own.items():
            declared.name = name
        cls._params = {**cls._params, **own}

    def __init__(self, **values: Any) -> None:
        for name, declared in self._params.items():
            value = values.pop(name, declared.default)
            if value is MISSING:
                raise TypeError(f"{type(self).__name__} needs {name}")
            if not (value is None and declared.default is None):
                value = self._checked(declared, value)
            object.__setattr__(self, name, value)
        if values:
            raise TypeError(f"{type(self).__name__} has no parameter {next(iter(values))}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """For classes with something to settle between their parameters."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self} cannot be changed; but({name}=...) makes another one")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (type(self), *(getattr(self, name) for name in self._params))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._params)
        return f"{type(self).__name__}({inside})"

    def but(self, **changes: Any) -> Self:
        """The same with other parameters."""
        return type(self)(**{**{name: getattr(self, name) for name in self._params}, **changes})

    @classmethod
    def params(cls) -> list[Field[Any]]:
        return list(cls._params.values())

    def _checked(self, f: Field[Any], value: Any) -> Any:
        if hasattr(value, "dtype") and not hasattr(value, "__len__"):
            value = value.item()  # a numpy scalar
        try:
            value = f.metadata["kind"](value)
        except HungjuryError:  # a name inside a name: its own complaint says more
            raise
        except (ValueError, TypeError) as error:
            raise MeasureError(
                f"{self.name}: {f.name} is {value!r}, but must be {error}",
                code="invalid-value",
                argument=f.name,
                remedy=f"{f.name}: {f.metadata['doc']}",
            ) from None
        each = value if isinstance(value, tuple) else (value,)
        for v in each:
            if isinstance(v, (int, float)) and _outside(v, f.metadata):
                raise MeasureError(
                    f"{self.name}: {f.name} is {v}, but must be {_where(f.metadata)}",
                    code="out-of-range",
                    argument=f.name,
                    remedy=f"{f.name}: {f.metadata['doc']}",
                )
        return value

    def __str__(self) -> str:
        shown: list[str] = []
        for f in self.params():
            value = getattr(self, f.name)
            if f.name == self.positional:
                shown.insert(0, str(value))
            elif f.name != self.at and value != f.default:
                shown.append(f"{f.name}={_plain(value)}")
        at = getattr(self, self.at) if self.at else None
        return (
            self.name
            + (f"({', '.join(shown)})" if shown else "")
            + (f"@{_plain(at)}" if at is not None else "")
        )


class Parameter(TypedDict):
    """A parameter, as listings describe it."""

    name: str
    default: Any
    required: bool
    range: str
    meaning: str


class Described(TypedDict):
    """A thing of a catalogue, as listings describe it."""

    name: str
    write: str
    meaning: str
    parameters: list[Parameter]


T = TypeVar("T", bound=Named)
_SHAPE = re.compile(
    r"(?P<name>[A-Za-z][\w-]*)\s*(?P<args>\(.*\))?\s*"
    r"(?:@\s*(?P<at>[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?|\.[0-9]+))?",
    re.S,
)


class Catalogue(Generic[T]):
    """All things of one kind, by name in any case.

    hints: remedies for names that other tools use, in lower case with hyphens.
    """

    def __init__(self, kind: str, hints: Mapping[str, str] | None = None) -> None:
        self.kind, self.hints = kind, hints or {}
        self._classes: dict[str, type[T]] = {}  # by name in lower case

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._classes.values())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._classes

    def __getitem__(self, name: str) -> type[T]:
        if name not in self:
            self.unknown(name)
        return self._classes[name.lower()]

    def add(self, name: str) -> Callable[[type[T]], type[T]]:
        """Class decorator: enter a dataclass under its name."""

        def enter(cls: type[T]) -> type[T]:
            cls.name = name
            self._classes[name.lower()] = cls
            return cls

        return enter

    def entries(self) -> list[Described]:
        """What a listing says about each of them: name, how it is written, meaning, parameters."""
        return [
            {
                "name": cls.name,
                "write": self.example(cls),
                "meaning": " ".join((cls.__doc__ or "").split()),
                "parameters": [
                    {
                        "name": f.name,
                        "default": None if f.default is MISSING else f.default,
                        "required": f.default is MISSING,
                        "range": range_text(f.metadata),
                        "meaning": f.metadata["doc"],
                    }
                    for f in cls.params()
                ],
            }
            for cls in self
        ]

    def unknown(self, name: str, more: tuple[str, ...] = ()) -> None:
        """Raise, with the names that look alike."""
        names = [*(cls.name for cls in self), *more]
        lower = {n.lower(): n for n in names}
        from difflib import get_close_matches

        close = get_close_matches(name.lower(), lower, n=3, cutoff=0.5)
        guess = either([lower[c] for c in close])
        hint = self.hints.get(name.lower().replace("_", "-"))
        remedy = f"did you mean {guess}?" if guess else f"choose from {', '.join(names)}"
        raise UnknownName(f"unknown {self.kind} '{name}'", remedy=hint or remedy)

    def parse(self, text: str) -> T:
        """``Name(param=value, ...)@k`` as a value; nothing is evaluated."""
        match = _SHAPE.fullmatch(text.strip())
        if match is None:
            raise UnknownName(
                f"'{text}' cannot be read as a {self.kind}",
                remedy="write Name, Name@k or Name(param=value, ...)@k",
            )
        cls = self[match["name"]]
        values = self._arguments(cls, match["args"], text)
        if match["at"] is not None:
            if cls.at is None:
                raise MeasureError(
                    f"'{text}': {cls.name} does not take a number after @",
                    code="no-cutoff",
                    remedy=f"write {cls.name} without @{match['at']}",
                )
            if cls.at in values:
                raise MeasureError(
                    f"'{text}': {cls.at} is given twice",
                    code="repeated-parameter",
                    argument=cls.at,
                    remedy="write it after @ only",
                )
            values[cls.at] = float(match["at"])
        missing = [f.name for f in cls.params() if f.default is MISSING and f.name not in values]
        if missing:
            raise MeasureError(
                f"'{text}': {cls.name} needs {missing[0]}",
                code="missing-parameter",
                argument=missing[0],
                remedy=f"write {self.example(cls)}",
            )
        return cls(**values)

    def example(self, cls: type[T]) -> str:
        """How a name with its required parameters is written."""
        required = [f.name for f in cls.params() if f.default is MISSING]
        inside = ", ".join(
            "X" if n == cls.positional else f"{n}=..." for n in required if n != cls.at
        )
        at = f"@{cls.at}" if cls.at in required else ""
        return f"{cls.name}{f'({inside})' if inside else ''}{at}"

    def _arguments(self, cls: type[T], args: str | None, text: str) -> dict[str, Any]:
        if args is None:
            return {}
        known = [f.name for f in cls.params()]
        try:
            source = "f" + args
            call = ast.parse(source, mode="eval").body
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                raise ValueError
            values = {k.arg: self._value(k.value, source) for k in call.keywords}
            positional = [self._value(a, source) for a in call.args]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise MeasureError(
                f"'{text}': the parameters cannot be read",
                code="unreadable-parameters",
                remedy=f"{cls.name} takes {', '.join(known) or 'none'}, each as name=value",
            ) from None
        if positional and cls.positional and len(positional) == 1:
            values[cls.positional] = positional[0]
        elif positional:
            raise MeasureError(
                f"'{text}': parameters must be named",
                code="unnamed-parameter",
                remedy=f"{cls.name} takes {', '.join(known) or 'no parameters'}",
            )
        if len(values) < len(call.keywords) + len(positional):
            raise MeasureError(
                f"'{text}': a parameter is given twice: {', '.join(map(str, values))}",
                code="repeated-parameter",
                remedy="give each parameter once",
            )
        for key in values:
            if key not in known:
                from difflib import get_close_matches

                close = get_close_matches(str(key), known, n=1)
                raise MeasureError(
                    f"'{text}': {cls.name} has no parameter {key}",
                    code="unknown-parameter",
                    argument=str(key),
                    remedy=f"did you mean {close[0]}?"
                    if close
                    else f"{cls.name} takes {', '.join(known) or 'no parameters'}",
                )
        return {str(k): v for k, v in values.items()}

    @staticmethod
    def _value(node: ast.expr, source: str) -> Any:
        """A literal; a bare word is a string; anything else stays text for its own parser."""
        if isinstance(node, ast.Name):
            return node.id
        try:
            return ast.literal_eval(node)
        except ValueError:
            if isinstance(node, (ast.Call, ast.BinOp)):
                return ast.get_source_segment(source, node)
            raise
