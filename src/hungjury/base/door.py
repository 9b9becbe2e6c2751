"""The door: what is given to public functions and methods is checked against their annotations.

Every public name passes through here when it is first used (`lazy.attach`). The functions behind
the door call each other without these checks; they trust the types, and check only what types do
not say, such as ranges.
"""

from __future__ import annotations

import builtins
import math
import operator
import os
import sys
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MappingView,
    Sequence,
)
from fractions import Fraction
from functools import wraps
from itertools import chain
from numbers import Integral, Real
from types import FunctionType, NoneType, UnionType
from typing import IO, Annotated, Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin

from hungjury.base.errors import InputError, check_choice, check_seed, either
from hungjury.base.files import file_error, is_open_file
from hungjury.base.lazy import PUBLIC
from hungjury.base.parameters import MOST_DIGITS, MOST_SEED, check_count, check_share
from hungjury.base.provenance import remember

F = TypeVar("F", bound=Callable[..., Any])
OURS = "hungjury."


class _Unknown:
    """A name that is known to type checkers only: anything fits."""

    def __getattr__(self, name: str) -> _Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _of: object) -> _Unknown:
        return self

    __or__ = __ror__ = __call__ = __getitem__


UNKNOWN = _Unknown()


class _Names(dict[str, Any]):
    """Names in annotations: those of the function's module, and those it imports for types only."""

    def __getitem__(self, name: str) -> Any:
        found = self.get(name, UNKNOWN)
        if found is UNKNOWN:
            loaded = (sys.modules[m] for m in [*sys.modules] if m.startswith(OURS))
            homes = map(vars, chain([builtins], loaded))
            found = next((home[name] for home in homes if name in home), UNKNOWN)
        return self.read(found) if isinstance(found, str) else found  # the text of an alias

    def read(self, text: str) -> Any:
        """Return the type that an annotation's text names."""
        return eval(text, {}, self)  # from Python 3.12 on, types import what they need


def guarded(function: F) -> F:
    """Check the arguments of a function before it is called."""
    if isinstance(function, FunctionType) and not hasattr(function, "_rules"):
        code = function.__code__
        places = code.co_varnames[: code.co_argcount]
        rules: dict[str, Any] = {}

        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            if not rules:
                rules.update(_rules(function))
            try:
                given = (*map(gathered, given, map(rules.get, places)), *given[len(places) :])
                named = {name: gathered(one, rules.get(name)) for name, one in named.items()}
                for name, value in [*zip(places, given, strict=False), *named.items()]:
                    if name in rules:
                        check(name, value, rules[name])
                given = (*map(listed, given, map(rules.get, places)), *given[len(places) :])
                named = {name: listed(one, rules.get(name)) for name, one in named.items()}
                found = opened(function(*given, **named))
            except RecursionError:
                said = "an argument contains itself, or lists in lists in lists without end"
                remedy = "give a list of values, or of lists of values"
                raise InputError(said, code="too-deep", remedy=remedy) from None
            except OverflowError as error:
                said, remedy = f"a number is too large: {error}", "give smaller numbers"
                raise InputError(said, code="out-of-range", remedy=remedy) from None
            except OSError as error:
                if error.filename is None:  # not of a file that was named
                    raise
                raise file_error(os.fsdecode(error.filename), error) from error
            if "." not in function.__qualname__:  # methods pass on what they are of
                remember(found, function.__name__, given, named)
            return found

        call._rules = rules  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]
    return function


def gathered(value: Any, kind: Any) -> Any:
    """Make a list of what can be read only once, or not by position, where lists are accepted."""
    once = isinstance(value, (Iterator, MappingView)) and not is_open_file(value)
    return list(value) if once and any(get_origin(k) in _LISTS for k in _members(kind)) else value


def listed(value: Any, kind: Any) -> Any:
    """Make a list of an array or series of names: unlike a list, it cannot be tested for being
    empty by `if`. Make a Python number of one of numpy, which may be too narrow for sums."""
    if hasattr(value, "dtype") and _is_number(value):
        return int(value) if isinstance(value, Integral) else float(value)
    if not hasattr(value, "dtype") or getattr(value, "ndim", 1) != 1:
        return value
    lists = [get_args(one) for one in _members(kind) if get_origin(one) in _LISTS]
    names = any(str in _members(inside[0]) for inside in lists)
    return (value.to_list() if hasattr(value, "to_list") else value.tolist()) if names else value


def opened(value: Any) -> Any:
    """Guard the methods of public objects, and of what they contain; return the object."""
    for one in (value, *getattr(value, "__dict__", {}).values()):
        if f"{type(one).__module__}.{type(one).__qualname__}" in PUBLIC:
            guard_class(type(one))
    return value


def guard_class(cls: type) -> None:
    """Guard the public methods of one of our classes, once."""
    for kind in cls.__mro__:
        if not kind.__module__.startswith(OURS) or "_guarded" in vars(kind):
            continue
        kind._guarded = True  # type: ignore[attr-defined]
        for name, one in list(vars(kind).items()):
            if isinstance(one, FunctionType) and not name.startswith("_"):
                setattr(kind, name, guarded(one))
            elif isinstance(one, (staticmethod, classmethod)) and not name.startswith("_"):
                setattr(kind, name, type(one)(guarded(one.__func__)))


def _rules(function: FunctionType) -> dict[str, Any]:
    """Return the types of a function's arguments by name, those of **options among them."""
    names = _Names(function.__globals__)
    rules = {"return": UNKNOWN}
    for name, written in function.__annotations__.items():
        if not isinstance(written, str):
            rules[name] = written
        elif written.startswith("Unpack["):
            rules |= names.read(written[len("Unpack[") : -1]).__annotations__
        else:
            rules[name] = names.read(written)
    return rules


def check(name: str, value: object, kind: Any) -> None:
    """Refuse an argument that does not fit its annotation."""
    for one in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(one, (str, os.PathLike)):
            _check_text(name, one)
    if fits(value, kind):
        if name in ("seed", "rng") and _is_integer(value):
            check_seed(value, name)
        low, high = _LIMITS.get(name, (-math.inf, math.inf))
        if _is_integer(value) and not low <= value <= high:  # type: ignore[operator]
            check_count(name, value, 0, int(high))
        return
    plain = value is None or isinstance(value, (str, int, float, bytes))
    simple = plain or (isinstance(value, (list, tuple)) and len(value) < 10)
    if name == "seed" and simple:
        check_seed(value)
    if name in ("level", "alpha", "p") and simple:
        check_share(name, value)
    members = [one for one in _members(kind) if one is not NoneType]
    words = [get_args(one) for one in members if get_origin(one) is Literal]
    if words and simple and (isinstance(value, str) or len(words) == len(members)):
        check_choice(name, value, words[0])
    shown = repr(value) if plain else _word(type(value))
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    said = f"invalid value {shown} for {name}"
    remedy = f"{name} must be {described(kind)}"
    raise InputError(said, code="invalid-type", argument=name, remedy=remedy)


def _check_text(name: str, value: str | os.PathLike[Any]) -> None:
    """Refuse text that neither a file nor its name can have."""
    if isinstance(os.fspath(value), bytes):
        said, remedy = f"{name} is a path of bytes", "give a path of text"
        raise InputError(said, code="invalid-type", argument=name, remedy=remedy)
    try:
        if b"\0" not in os.fsencode(value):
            return
    except UnicodeEncodeError:
        pass
    said = f"{name} has a character that cannot be written: {value!r:.60}"
    remedy = "remove NUL and lone surrogates (U+D800 to U+DFFF)"
    raise InputError(said, code="invalid-text", argument=name, remedy=remedy)


def _members(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union; any other type is its only member."""
    if isinstance(kind, (str, ForwardRef)):
        text = kind if isinstance(kind, str) else kind.__forward_arg__
        kind = _Names().read(text)
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return tuple(part for one in get_args(kind) for part in _members(one))
    return (kind,)


def fits(value: Any, kind: Any) -> bool:
    """Tell whether a value has a type; types that cannot be checked fit everything."""
    return any(_fits(value, one) for one in _members(kind))


def _fits(value: Any, kind: Any) -> bool:
    origin, inside = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return any(type(value) is type(word) and value == word for word in inside)
    if origin in _SIMPLE:
        return _SIMPLE[origin][1](value)
    if origin in (Mapping, dict):
        return isinstance(value, Mapping) and (
            not inside or all(fits(k, inside[0]) and fits(v, inside[1]) for k, v in value.items())
        )
    if _is_tuple(origin, inside):  # so many, of a type each
        whole = _is_list(value, Any, tuple) and len(value) == len(inside)
        return whole and all(map(fits, value, inside))
    if origin in _LISTS:
        return _is_list(value, inside[0] if inside else Any, origin)
    if getattr(origin, "__name__", "") == "ndarray":
        kind = getattr(getattr(value, "dtype", None), "kind", "none")
        return kind in "biuf" and value.ndim > 0
    if isinstance(origin, type) and not _protocol(origin):
        return isinstance(value, origin)
    return True


def _protocol(kind: type) -> bool:
    """Tell whether a type cannot be checked; numpy's for arrays would refuse tuples."""
    if kind.__module__.startswith("numpy._typing"):
        return True
    return getattr(kind, "_is_protocol", False) and not getattr(kind, "_is_runtime_protocol", False)


def _is_tuple(origin: Any, inside: tuple[Any, ...]) -> bool:
    """Tell whether an annotation is a tuple of so many values, each of a plain type."""
    return origin is tuple and bool(inside) and all(isinstance(one, type) for one in inside)


def _is_list(value: Any, kind: Any, origin: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) != 1:
        return False
    table = hasattr(type(value), "columns") or "columns" in getattr(value, "__dict__", {})
    if table or type(value).__name__ == "MaskedArray":
        return False
    if is_open_file(value):  # a file, which would be read line by line
        return False
    of = getattr(value, "dtype", None)
    if of is not None and type(of).__module__.startswith("numpy") and str(of) != "object":
        if of.kind == "V":  # records
            return False
        return all(fits(one, kind) for one in value[:1])  # all elements have one type
    if not isinstance(value, Iterable if origin is Iterable else Collection):
        return False
    return all(fits(one, kind) for one in value)


def _is_integer(value: Any) -> bool:
    if not isinstance(value, Integral) or isinstance(value, bool):  # no arrays of one number
        return False
    try:
        return math.isfinite(float(operator.index(value)))
    except (TypeError, OverflowError):  # a time of numpy; something huge
        return False


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number that arrays can have: no fractions, nothing huge."""
    if not isinstance(value, Real) or isinstance(value, (bool, Fraction)):
        return False
    try:
        return float(value) is not None
    except (TypeError, OverflowError):  # a time of numpy; something huge
        return False


_LIMITS = {  # of integers by name; a negative seed has an error of its own
    "digits": (0, MOST_DIGITS),
    "decimals": (0, MOST_DIGITS),
    "seed": (-math.inf, MOST_SEED),
}
_LISTS = (Sequence, Iterable, Collection, list, tuple, set, frozenset)
_SIMPLE: dict[Any, tuple[str, Callable[[Any], bool]]] = {  # how it is called, and what it is
    Any: ("anything", lambda value: True),
    object: ("anything", lambda value: True),
    None: ("None", lambda value: value is None),
    NoneType: ("None", lambda value: value is None),
    bool: ("True or False", lambda value: type(value).__name__ in ("bool", "bool_")),
    int: ("an integer", _is_integer),
    float: ("a number", _is_number),
    str: ("text", lambda value: isinstance(value, str)),
    os.PathLike: ("a path", lambda value: isinstance(value, os.PathLike)),
    IO: ("an open file", is_open_file),
    Callable: ("a function", callable),
}


def described(kind: Any) -> str:
    """Say in words what fits a type."""
    return either(list(dict.fromkeys(_described(one) for one in _members(kind))))


def _described(kind: Any) -> str:
    origin, inside = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return either([repr(word) for word in inside])
    if origin in _SIMPLE:
        return _SIMPLE[origin][0]
    if origin in (Mapping, dict):
        return "a dictionary"
    if _is_tuple(origin, inside):
        return f"({', '.join(map(described, inside))})"
    if origin in _LISTS:
        return f"a list (of {described(inside[0])} each)" if inside else "a list"
    return "an array of numbers" if _word(origin) == "a ndarray" else _word(origin)


def _word(kind: Any) -> str:
    name = str(getattr(kind, "__name__", "value"))
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
