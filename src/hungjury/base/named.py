"""Things with a name and parameters, ``RBP(p=0.9)@10``: declared once, printed and parsed.

Measures, merges, weights and user models are classes whose fields are made by `param`. A
`Catalogue` turns text such as ``RBP(p=0.9)@10`` into such a value and back.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypedDict, TypeVar

from hungjury.base.errors import HungjuryError, MeasureError, UnknownName, closest, either
from hungjury.base.parameters import Declared, required
from hungjury.base.records import Signature, dataclass_transform

if TYPE_CHECKING:
    from typing_extensions import Self

_SHAPE = re.compile(
    r"(?P<name>[A-Za-z][\w-]*)\s*(?P<args>\(.*\))?\s*"
    r"(?:@\s*(?P<at>[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?|\.[0-9]+))?",
    re.S,
)
_NUMBER = re.compile(r"[0-9.]+(?:[eE][+-]?[0-9]+)?")  # Python also reads 1_0 and 0x1F


def _read_arguments(args: str) -> tuple[list[object], list[tuple[str, object]]]:
    """Return the values without a name, and (name, value) of the others, or raise ValueError."""
    source = "f" + re.sub("[\r\n]", " ", args)
    line = source.encode()  # places in it are counted in bytes
    try:
        call = ast.parse(source, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError(args)
        for one in ast.walk(call):
            if isinstance(one, ast.Constant) and type(one.value) in (int, float):
                written = line[one.col_offset : one.end_col_offset].decode()
                if not _NUMBER.fullmatch(written):
                    raise ValueError(args)
        unnamed = [_value(one, source) for one in call.args]
        return unnamed, [(str(one.arg), _value(one.value, source)) for one in call.keywords]
    except (SyntaxError, TypeError, RecursionError, MemoryError):
        raise ValueError(args) from None


def _value(node: ast.expr, source: str) -> object:
    """Return a literal; a bare word is a string; a call stays text, for a parser of its own."""
    if isinstance(node, ast.Name):
        return node.id
    try:
        return ast.literal_eval(node)
    except ValueError:
        if isinstance(node, (ast.Call, ast.BinOp)):
            return ast.get_source_segment(source, node)
        raise


def _plain(value: object) -> str:
    """Return a value as `Catalogue.parse` reads it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return "{" + ", ".join(f"{_plain(k)}: {_plain(v)}" for k, v in value) + "}"
        return "[" + ", ".join(_plain(v) for v in value) + "]"
    return str(getattr(value, "written", value))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(required,))
class Named:
    """Base of everything in a catalogue; equal, hashable, printable and parsed back.

    Works like a frozen dataclass whose fields are made by `param`. It is not one, because making
    sixty of those costs a command line more time than all its work.
    """

    name: ClassVar[str] = ""
    catalogue: ClassVar[Catalogue[Any]]  # of its base
    at: ClassVar[str | None] = None  # the parameter that is written after @
    positional: ClassVar[str | None] = None  # the one that is written without its name
    _params: ClassVar[dict[str, Declared]] = {}
    __signature__: ClassVar[Any] = Signature()

    def __init_subclass__(cls, *, called: str = "") -> None:
        """Take note of parameters; a class that is `called` something is in the catalogue."""
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Declared)}
        cls._params = {**cls._params, **own}
        if called:
            cls.name = called
            cls.catalogue.add(cls)

    def __init__(self, *unnamed: Any, **values: Any) -> None:
        if unnamed:
            raise TypeError(self._to_be_named(unnamed[0]))
        for name, declared in self._params.items():
            if declared.required and name not in values:
                raise TypeError(f"{type(self).__name__} needs {name}")
            value = values.pop(name, declared.default)
            if not (value is None and declared.default is None):
                value = self._checked(declared, value)
            object.__setattr__(self, name, value)
        if values:
            raise TypeError(f"{type(self).__name__} has no parameter {next(iter(values))}")
        self.__post_init__()

    def _to_be_named(self, value: Any) -> str:
        """Say how a parameter without its name has to be given."""
        ours = type(self).__name__
        if not self._params:
            return f"{ours} has no parameters"
        first = self.at or next(iter(self._params))
        return f"parameters of {ours} are named, as in {ours}({first}={value!r})"

    def __post_init__(self) -> None:
        """For classes that check parameters against each other."""

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
        """Return a copy with other parameters."""
        return type(self)(**{**{name: getattr(self, name) for name in self._params}, **changes})

    @classmethod
    def meaning(cls) -> str:
        """Return what the docstring says, on one line."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def params(cls) -> list[Declared]:
        """Return the parameters, in the order of their declaration."""
        return list(cls._params.values())

    @classmethod
    def _parameters(cls) -> list[tuple[str, bool, Any, Any]]:
        kinds: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            kinds |= vars(base).get("__annotations__", {})
        return [(f.name, True, f.default, kinds.get(f.name, MISSING)) for f in cls.params()]

    def _checked(self, declared: Declared, value: Any) -> Any:
        if hasattr(value, "dtype") and not hasattr(value, "__len__"):
            value = value.item()  # a numpy scalar
        try:
            value = declared.kind(value)
        except HungjuryError:  # a name inside a name: its own complaint says more
            raise
        except (ValueError, TypeError) as error:
            raise self._refused(declared, value, str(error), "invalid-value") from None
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, (int, float)) and not declared.holds(one):
                where = declared.values
                where = f"in {where}" if where[0] in "([" else where
                raise self._refused(declared, one, where, "out-of-range")
        return value

    def _refused(self, declared: Declared, value: object, must: str, code: str) -> MeasureError:
        said = f"{self.name}: {declared.name} is {value!r}, but must be {must}"
        remedy = f"change {declared.name} ({declared.doc})"
        return MeasureError(said, code=code, argument=declared.name, remedy=remedy)

    def __str__(self) -> str:
        shown: list[str] = []
        for f in self.params():
            value = getattr(self, f.name)
            if f.name == self.positional:
                shown.insert(0, str(value))
            elif f.name != self.at and value != f.default:
                shown.append(f"{f.name}={_plain(value)}")
        at = getattr(self, self.at) if self.at else None
        inside = f"({', '.join(shown)})" if shown else ""
        return self.name + inside + (f"@{_plain(at)}" if at is not None else "")


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


D = TypeVar("D", bound=Mapping[str, Any])


class Listing(list[D]):
    """Descriptions of a catalogue's things, which prints a line for each."""

    def text(self, width: int = 100) -> str:
        """Return how each is written beside the first sentence of its meaning."""
        from textwrap import fill  # rarely needed

        names = max((len(one["write"]) for one in self), default=0)
        found = []
        for one in self:
            first = re.split(r";|(?<!\beq)\. ", one["meaning"])[0].rstrip(".")
            beside = f"{one['write']:<{names}}  "
            below = " " * len(beside)
            found.append(fill(first, width, initial_indent=beside, subsequent_indent=below))
        return "\n".join(found)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from hungjury.base.results import Table

        rows = [[one["write"], one["meaning"]] for one in self]
        return Table(["name", "meaning"], rows).to_html()


T = TypeVar("T", bound=Named)


class Catalogue(Generic[T]):
    """All things of one kind, by name in any case: ``class AP(Measure, called="AP")``.

    base: their base class. hints: remedies, and for which names of other tools, in lower case with
    hyphens and with blanks between them.
    """

    def __init__(self, kind: str, base: type[T], hints: Mapping[str, str] | None = None) -> None:
        self.kind = kind
        self.hints = {one: hint for hint, names in (hints or {}).items() for one in names.split()}
        self._classes: dict[str, type[T]] = {}  # by name in lower case
        base.catalogue = self

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._classes.values())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._classes

    def __getitem__(self, name: str) -> type[T]:
        if name not in self:
            self.unknown(name)
        return self._classes[name.lower()]

    def add(self, cls: type[T]) -> None:
        """Enter a class under its name."""
        self._classes[cls.name.lower()] = cls

    def entries(self) -> list[Described]:
        """Return a description of each: name, syntax, meaning, parameters."""
        return [
            {
                "name": cls.name,
                "write": self.example(cls),
                "meaning": cls.meaning(),
                "parameters": [
                    {
                        "name": f.name,
                        "default": None if f.required else f.default,
                        "required": f.required,
                        "range": f.values,
                        "meaning": f.doc,
                    }
                    for f in cls.params()
                ],
            }
            for cls in self
        ]

    def unknown(self, name: str, more: tuple[str, ...] = ()) -> NoReturn:
        """Raise an error that suggests similar names."""
        from difflib import get_close_matches  # imported only for errors

        names = [*(cls.name for cls in self), *more]
        lower = {n.lower(): n for n in names}
        close = get_close_matches(name.lower(), lower, n=3, cutoff=0.5)
        guess = either([lower[c] for c in close])
        hint = self.hints.get(name.lower().replace("_", "-"))
        remedy = f"did you mean {guess}?" if guess else f"choose from {', '.join(names)}"
        raise UnknownName(f"unknown {self.kind} '{name}'", remedy=hint or remedy)

    def parse(self, text: str) -> T:
        """``Name(param=value, ...)@k`` as a value; nothing is evaluated."""
        written = _SHAPE.fullmatch(text.strip())
        if written is None:
            raise UnknownName(
                f"'{text}' cannot be read as a {self.kind}",
                remedy="write Name, Name@k or Name(param=value, ...)@k",
            )
        cls = self[written["name"]]
        values = {} if written["args"] is None else _arguments(cls, written["args"], text)
        if written["at"] is not None:
            if cls.at is None:
                message = f"{cls.name} does not take a number after @"
                raise _wrong(
                    text, message, "no-cutoff", f"write {cls.name} without @{written['at']}"
                )
            if cls.at in values:
                message = f"{cls.at} is given twice"
                raise _wrong(text, message, "repeated-parameter", "write it after @ only", cls.at)
            values[cls.at] = float(written["at"])
        for one in cls.params():
            if one.required and one.name not in values:
                message, remedy = f"{cls.name} needs {one.name}", f"write {self.example(cls)}"
                raise _wrong(text, message, "missing-parameter", remedy, one.name)
        return cls(**values)

    def example(self, cls: type[T]) -> str:
        """Show how a name with its required parameters is written."""
        needed = [f.name for f in cls.params() if f.required]
        inside = ", ".join(
            "X" if n == cls.positional else f"{n}=..." for n in needed if n != cls.at
        )
        at = f"@{cls.at}" if cls.at in needed else ""
        return f"{cls.name}{f'({inside})' if inside else ''}{at}"


def _wrong(
    text: str, message: str, code: str, remedy: str, argument: str | None = None
) -> MeasureError:
    """Return the error of a name that cannot be read."""
    return MeasureError(f"'{text}': {message}", code=code, argument=argument, remedy=remedy)


def _arguments(cls: type[Named], args: str, text: str) -> dict[str, object]:
    """Return the parameters between the parentheses of a name; they exist and are given once."""
    known = [f.name for f in cls.params()]
    takes = f"{cls.name} takes {', '.join(known) or 'no parameters'}"
    try:
        unnamed, named = _read_arguments(args)
    except ValueError:
        remedy = f"{takes}, each as name=value" if known else takes
        message = "the parameters cannot be read"
        raise _wrong(text, message, "unreadable-parameters", remedy) from None
    if len(unnamed) > 1 or (unnamed and cls.positional is None):
        raise _wrong(text, "parameters must be named", "unnamed-parameter", takes)
    given = [*zip([cls.positional or ""], unnamed, strict=False), *named]
    values = dict(given)
    if len(values) < len(given):
        message = f"a parameter is given twice: {', '.join(values)}"
        raise _wrong(text, message, "repeated-parameter", "give each parameter once")
    for key in values:
        if key not in known:
            close = closest(key, known)
            message = f"{cls.name} has no parameter {key}"
            remedy = f"did you mean {close}?" if close else takes
            raise _wrong(text, message, "unknown-parameter", remedy, key)
    return values
