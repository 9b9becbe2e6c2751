"""Import the names of a package on first use.

The names of such a package are written once, as imports in its stub ``__init__.pyi``. Type checkers
and editors read the stub as always; at run time `attach` reads the same lines, and importing the
package costs nothing. A public name wins over a module of the same name: ``hungjury.leaderboard``
is the function, although its room is ``hungjury/leaderboard``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

PUBLIC: set[str] = set()  # where public names are defined, such as hungjury.data.qrels.Qrels


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package from its stub.

    Parameters
    ----------
    package : str
        The package's ``__name__``.

    Returns
    -------
    tuple
        The two functions, to be assigned to ``__getattr__`` and ``__dir__`` of the package.
    """
    homes: dict[str, tuple[str, str]] = {}  # filled on first use

    def known() -> dict[str, tuple[str, str]]:
        if not homes:
            homes.update(_homes(package))
            PUBLIC.update(".".join(home) for home in homes.values())
        return homes

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            """Importing a module sets its name in its package: not where a public name is."""
            home = f"{package}.{name}"
            if isinstance(value, ModuleType) and value.__name__ == home and name in known():
                module, original = homes[name]
                if f"{module}.{original}" != home:
                    return
            super().__setattr__(name, value)

        def __reduce__(self) -> tuple[Any, ...]:
            """Pickle by name: functions that use the package are sent to worker processes."""
            return import_module, (package,)

    sys.modules[package].__class__ = Package

    def look_up(name: str) -> Any:
        if name == "__all__":
            return sorted(known())
        if name.startswith("__") or name not in known():
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        module, original = homes[name]
        if module == package:  # a module of the package itself: from . import name
            value: Any = import_module(f"{package}.{original}")
        else:
            value = _at_the_door(getattr(import_module(module), original), package)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        special = (n for n in vars(sys.modules[package]) if n.startswith("__"))
        return sorted({*known(), *special})

    return look_up, names


def _at_the_door(value: Any, package: str) -> Any:
    """Return a public function, or class, that checks its arguments."""
    from hungjury.base.door import guard_class, guarded  # imported with the first public name

    if isinstance(value, type):
        guard_class(value)
    elif isinstance(value, FunctionType):
        value = guarded(value)
        value.__module__ = package  # where it is found again, by pickle too
    return value


def _homes(package: str) -> dict[str, tuple[str, str]]:
    """Return every name that the package's stub imports: (module, name there).

    Lines of the stub are ``from MODULE import NAME as NAME``; parsing it would take longer than
    all else at the start of a command.
    """
    found: dict[str, tuple[str, str]] = {}
    with open(f"{sys.modules[package].__file__}i", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["from"]:
                _, module, _, original, _, name = words
                found[name] = (module, original)
    return found
