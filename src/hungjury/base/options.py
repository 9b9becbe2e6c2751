"""Options of functions and commands, each declared once.

An option is one entry of a typed dictionary: its name, the type that callers see, and an `Option`
with everything else. From it follow the keyword of functions, the flag of commands, the check of
its value, the policy that steps follow, and what the settings of results record.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args, get_origin

from hungjury.base.errors import check_choice, closest
from hungjury.base.records import Record

if TYPE_CHECKING:
    from typing_extensions import Self

F = TypeVar("F", bound=Callable[..., Any])


class Option(Record):
    """What every surface needs to know about an option."""

    default: Any
    help: str  # for the command line, and the first sentences of the docstring
    more: str = ""  # what only Python can be given
    kind: str = ""  # for docstrings; default: the names of the types that are accepted
    metavar: str | None = None  # on the command line
    read: Callable[[Any], Any] = lambda given: given  # checks what was given, returns what is kept
    show: Callable[[Any], Any] = lambda kept: kept  # what settings record
    recorded: bool = True  # in the settings of results
    flag: bool = True  # on the command line
    parse: Callable[[str], Any] = str  # from the text of a flag to what functions take
    low: float = 0  # of numbers, on the command line
    high: float | None = None
    open_high: bool = False
    name: str = ""
    choices: tuple[str, ...] = ()  # the words of its type

    def value(self, given: Any) -> Any:
        """Check what was given, and return what a policy keeps."""
        if self.choices and not (given is None and self.default is None):
            check_choice(self.name, given, self.choices)
        return self.read(given)


def declared(arguments: Any) -> dict[str, Option]:
    """Return the options of a declaration by name."""
    found = {}
    for name, annotation in arguments.__annotations__.items():
        accepted, option = get_args(annotation)
        types = (one for one in get_args(accepted) or (accepted,) if isinstance(one, type))
        kind = option.kind or " or ".join(one.__name__ for one in types if one is not type(None))
        found[name] = replace(option, name=name, choices=words_of(accepted), kind=kind)
    return found


def words_of(accepted: Any) -> tuple[str, ...]:
    """Return the words of a literal type, alone or in a union with None."""
    kinds = (accepted, *get_args(accepted))
    return next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())


class Chosen(Record):
    """Base of records with a field for each of some options."""

    def __init_subclass__(cls, *, values: Mapping[str, Any] | None = None, **how: bool) -> None:
        if values:
            cls.__annotations__ = {**dict.fromkeys(values, "Any"), **cls.__annotations__}
            for name, default in values.items():
                setattr(cls, name, default)
        super().__init_subclass__(**how)

    def but(self, **values: Any) -> "Self":
        """Return a copy with some other values."""
        return replace(self, **values)

    if TYPE_CHECKING:

        def __init__(self, **values: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...


class Policy(Chosen):
    """Checked values of options, which readers follow."""

    options: ClassVar[Mapping[str, Option]]

    def __init_subclass__(cls, *, options: Mapping[str, Option]) -> None:
        cls.options = options
        values = {name: one.value(one.default) for name, one in options.items()}
        super().__init_subclass__(values=values)

    @classmethod
    def of(cls, options: Mapping[str, Any], taken: Mapping[str, Option] | None = None) -> "Self":
        """Check options in any form that readers accept; `taken` are those of the caller."""
        check_known(options, taken or cls.options)
        return cls(**{name: cls.options[name].value(one) for name, one in options.items()})

    @property
    def recorded(self) -> dict[str, Any]:
        """The values that the settings of results record."""
        return {n: one.show(getattr(self, n)) for n, one in self.options.items() if one.recorded}


def check_known(options: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse names that are not options, as Python refuses unknown keywords."""
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        near = closest(unknown, known)
        meant = f"; did you mean '{near}'?" if near else ""
        raise TypeError(f"got an unexpected keyword argument '{unknown}'{meant}")


def takes(options: Mapping[str, Option], rest: str | None = None) -> Callable[[F], F]:
    """Decorator: show options in the signature and the docstring of a function.

    The docstring says where: ``{options}`` among its parameters. rest: the name under which it
    describes further keywords.
    """

    def decorate(function: F) -> F:
        written = inspect.signature(function)
        kept = [one for one in written.parameters.values() if one.kind is not one.VAR_KEYWORD]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=one.default)
            for name, one in options.items()
        ]
        if rest is not None:
            named.append(inspect.Parameter(rest, inspect.Parameter.VAR_KEYWORD))
        function.__signature__ = written.replace(parameters=[*kept, *named])  # type: ignore[attr-defined]
        entries = "\n".join(map(_entry, options.values()))
        text = (function.__doc__ or "").replace("{options}", indent(entries, "    ").strip())
        function.__doc__ = text
        return function

    return decorate


def _entry(option: Option) -> str:
    """Return the entry of an option in the parameters of a docstring."""
    words = ", ".join(f'"{word}"' for word in option.choices)
    kind = f"{{{words}}}" if words else option.kind
    optional = ", optional" if option.default is None else ""
    said = fill(f"{option.help} {option.more}", 92, break_long_words=False)
    return f"{option.name} : {kind}{optional}\n{indent(said, '    ')}"
