"""Provenance: the version, command and inputs that a result comes from.

What can differ between two runs that give the same result (time, machine, folder) is kept apart, in
`made`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from hungjury.base.files import file_error
from hungjury.base.text import json_text

LIBRARIES = ("numpy", "scipy", "narwhals")  # those that numbers depend on
_PIECE = 1 << 20


def provenance(command: Sequence[str], inputs: Iterable[str]) -> dict[str, Any]:
    """Describe a result: the version, the command, and every input with its size and digest.

    Parameters
    ----------
    command : sequence of str
        The words of the command, or one line of Python.
    inputs : iterable of str
        The files that were read; what is not a file is left out.
    """
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    from hungjury import __version__

    libraries = {}
    for name in LIBRARIES:
        try:
            libraries[name] = version(name)
        except PackageNotFoundError:  # an optional one
            continue
    files = sorted({os.path.relpath(path) for path in inputs if os.path.isfile(path)})
    return {
        "hungjury": __version__,
        "command": list(command),
        "inputs": [input_record(path) for path in files],
        "libraries": libraries,
    }


def input_record(path: str) -> dict[str, Any]:
    """Return path, size and SHA-256 of a file."""
    from hashlib import sha256

    digest, size = sha256(), 0
    try:
        with open(path, "rb") as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
                size += len(piece)
    except OSError as error:
        raise file_error(path, error) from None
    return {"path": path.replace(os.sep, "/"), "size": size, "sha256": digest.hexdigest()}


def made() -> dict[str, str]:
    """Return when and where: what may differ although the result is the same."""
    import platform
    from datetime import datetime, timezone

    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "folder": os.getcwd(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def with_provenance(text: str, record: dict[str, Any]) -> str:
    """Add provenance to an object in JSON, which is not parsed: results can be large."""
    start = text.strip().removesuffix("}").rstrip()
    comma = "" if start == "{" else ","
    added = json_text({"provenance": record, "made": made()}).strip()
    return f"{start}{comma}{added.removeprefix('{')}\n"
