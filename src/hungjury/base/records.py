"""Records: frozen dataclasses that are quick to define, and the settings that results carry.

For every class `dataclasses.dataclass` writes six methods as text and compiles them, which takes
half a millisecond. A command defines dozens of classes before it does any work, so records share
methods that look up the fields. `fields`, `asdict` and `replace` work as on any dataclass.

The settings themselves are beside the results that carry them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

__all__ = ["Record", "Settings", "Signature", "dataclass_transform", "fields_of"]

if TYPE_CHECKING:
    import inspect

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        """Tell type checkers what Python 3.11 would; does nothing at run time."""
        return lambda cls: cls


class Signature:
    """The signature of a class that lists its parameters, for `inspect.signature` and editors.

    The class method `_parameters` gives their names, whether they are given by name only, their
    defaults and annotations; `MISSING` for what a parameter does not have.
    """

    def __get__(self, one: object, cls: Any) -> inspect.Signature:
        from inspect import Parameter, Signature  # imported only when a signature is shown

        if one is not None:
            raise AttributeError("__signature__")  # that of __call__ is meant
        places = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        found = [
            Parameter(
                name,
                places[named],
                default=Parameter.empty if default is MISSING else default,
                annotation=Parameter.empty if annotation is MISSING else annotation,
            )
            for name, named, default, annotation in cls._parameters()
        ]
        return Signature(sorted(found, key=lambda one: one.kind))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """Base of records: ``class Note(Record)``.

    Parameters
    ----------
    eq : bool
        Records of the same class with equal fields are equal, and hashed by their fields. False: a
        record equals only itself, as it should where fields are arrays.
    kw_only : bool
        Fields are given by name only.

    Examples
    --------
    >>> class Point(Record):
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(x=1, y=0)
    (Point(x=1, y=0), True)
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __signature__: ClassVar[Any] = Signature()
    __known: ClassVar[dict[str, Field[Any]]] = {}
    __places: ClassVar[tuple[str, ...]] = ()  # the fields that need not be given by name

    def __init_subclass__(cls, *, eq: bool = True, kw_only: bool = False) -> None:
        dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
        cls.__known = {f.name: f for f in fields(cls)}
        cls.__places = tuple(f.name for f in cls.__known.values() if not f.kw_only)
        if not eq:
            cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__  # type: ignore[method-assign]

    def __init__(self, *given: Any, **named: Any) -> None:
        known, values = self.__known, self.__dict__
        if len(given) > len(self.__places):
            most, came = len(self.__places), len(given)
            raise TypeError(f"{_name(self)} takes at most {most} positional arguments, got {came}")
        values.update(zip(self.__places, given, strict=False))
        for name, value in named.items():
            if name not in known:
                raise TypeError(f"{_name(self)} got an unexpected keyword argument {name!r}")
            if name in values:
                raise TypeError(f"{_name(self)} got multiple values for argument {name!r}")
            values[name] = value
        if len(values) < len(known):
            for name, one in known.items():
                if name not in values:
                    values[name] = _default_of(one, self)
        self.__post_init__()

    @classmethod
    def _parameters(cls) -> list[tuple[str, bool, Any, Any]]:
        made = {f.name: ... for f in fields(cls) if f.default is MISSING and not _required(f)}
        return [
            (f.name, f.kw_only is True, made.get(f.name, f.default), f.type) for f in fields(cls)
        ]

    def __post_init__(self) -> None:
        """For classes with something to check or to settle between their fields."""

    def __repr__(self) -> str:
        shown = (f for f in fields(self) if f.repr)
        return f"{_name(self)}({', '.join(f'{f.name}={self.__dict__[f.name]!r}' for f in shown)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or type(self) is not type(other):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


def _required(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _default_of(one: Field[Any], owner: Record) -> Any:
    if _required(one):
        raise TypeError(f"{_name(owner)} missing required argument: {one.name!r}")
    return one.default if one.default_factory is MISSING else one.default_factory()


def _name(owner: Record) -> str:
    return type(owner).__qualname__


def _values(owner: Record) -> tuple[Any, ...]:
    """Return the values of the fields that are compared."""
    return tuple(owner.__dict__[f.name] for f in fields(owner) if f.compare)


def fields_of(owner: Record) -> dict[str, Any]:
    """Return the values of all fields by name."""
    return {f.name: getattr(owner, f.name) for f in fields(owner)}


S = TypeVar("S", bound="Settings")


class Settings(Record, kw_only=True):
    """Base of all settings."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields; settings inside settings become dictionaries."""
        return asdict(self)

    def extend(self, kind: type[S], **more: Any) -> S:
        """Settings of a kind that has these fields and more."""
        return kind(**fields_of(self) | more)
