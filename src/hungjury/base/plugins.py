"""Plugins: modules of other packages that add measures, merges, formats and studies.

A package names such modules as entry points of one of the groups. They are imported with the
catalogue that they add to, and register themselves in it when they are imported.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Literal

from hungjury.base.errors import InputError

Group = Literal["hungjury.measures", "hungjury.merges", "hungjury.formats", "hungjury.studies"]


def load_plugins(group: Group) -> None:
    """Import the modules that installed packages name for a group; broken ones give a warning."""
    if not _named(f"[{group}]".encode()):
        return
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        try:
            entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist is not None else entry.value
            warnings.warn(
                f"the plugin '{entry.name}' of {package} could not be loaded: {error}", stacklevel=2
            )


def _named(heading: bytes) -> bool:
    """Say whether an installed package names plugins of a group; faster than reading them all."""
    for folder in sys.path:
        try:
            names = [name for name in os.listdir(folder or ".") if name.endswith(".dist-info")]
        except OSError:
            continue
        for name in names:
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                    if heading in file.read():
                        return True
            except OSError:
                continue
    return False


def load_module(name: str) -> None:
    """Import a module by its name; also one in the present folder."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        import_module(name)
    except Exception as error:  # also of the module itself
        said = f"the plugin '{name}' cannot be imported: {error}"
        remedy = "name a module that is installed, or in this folder, without .py"
        raise InputError(said, code="plugin", remedy=remedy) from None
    finally:
        sys.path.remove(here)
