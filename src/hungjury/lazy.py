"""Import the names of a package on first use.

The names of such a package are written once, as imports in its stub ``__init__.pyi``. Type checkers
and editors read the stub as always; at run time `attach` reads the same lines, so that importing
the package costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["attach"]


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
        return homes

    def look_up(name: str) -> Any:
        if name == "__all__":
            return sorted(known())
        if name.startswith("__") or name not in known():
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        module, original = homes[name]
        if module == package:  # a module of the package itself: from . import name
            value: Any = import_module(f"{package}.{original}")
        else:
            value = getattr(import_module(module), original)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        special = (n for n in vars(sys.modules[package]) if n.startswith("__"))
        return sorted({*known(), *special})

    return look_up, names


def _homes(package: str) -> dict[str, tuple[str, str]]:
    """Every name that the package's stub imports: (module, name there)."""
    import ast

    path = f"{sys.modules[package].__file__}i"
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    found: dict[str, tuple[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                module = f"{package}.{module}".rstrip(".")
            found |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}
    return found
