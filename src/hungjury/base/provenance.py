"""Provenance: the version, command and inputs that a result comes from.

What can differ between two runs that give the same result (time, machine, folder) is kept apart, in
`made`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hungjury.base.files import file_error, matching
from hungjury.base.records import Record
from hungjury.base.text import json_text

ORIGIN = "_origin"  # the attribute of a result that says which call made it
LIBRARIES = ("numpy", "scipy", "narwhals")  # those that numbers depend on
_PIECE = 1 << 20
MOST_SHOWN = 60  # characters of an argument


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


def remember(value: Any, function: str, given: Iterable[Any], named: Mapping[str, Any]) -> None:
    """Let the result of a call, or each of a list of results, know the call and its files."""
    results = value if isinstance(value, list) else [value]
    if not results or not all(isinstance(one, Record) for one in results):
        return
    values = [*given, *named.values()]
    shown = [*map(_shown, given), *(f"{name}={_shown(one)}" for name, one in named.items())]
    files = [file for one in values for file in files_of(one)]
    for one in results:
        if not one.__dict__.get(ORIGIN, ("",))[0]:
            one.__dict__[ORIGIN] = (f"hj.{function}({', '.join(shown)})", tuple(files))


def read_from(value: Record, source: object) -> None:
    """Let what was read know its files."""
    value.__dict__[ORIGIN] = ("", files_of(source))


def origin_added(text: str, result: object) -> str:
    """Add the call that made a result, and its files, to the result's JSON."""
    call, files = result.__dict__.get(ORIGIN, ("", ()))
    if not call or not text.startswith("{"):
        return text
    return with_provenance(text, provenance([call], files), apart=False)


def _shown(value: object) -> str:
    """Write an argument; long ones and objects by their type."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN and not text.startswith("<") else type(value).__name__


def files_of(value: object) -> tuple[str, ...]:
    """Return the files that an argument names, or that were read to make it."""
    if isinstance(value, Record):
        return tuple(value.__dict__.get(ORIGIN, ("", ()))[1])
    if isinstance(value, (list, tuple)):
        return tuple(file for one in value for file in files_of(one))
    if not isinstance(value, (str, os.PathLike)):
        return ()
    return tuple(path for path in matching(os.fspath(value)) if os.path.isfile(path))


def with_provenance(text: str, record: dict[str, Any], *, apart: bool = True) -> str:
    """Add provenance to an object in JSON, which is not parsed: results can be large.

    apart: also add when and where it was made.
    """
    start = text.strip().removesuffix("}").rstrip()
    comma = "" if start == "{" else ","
    added = json_text({"provenance": record} | ({"made": made()} if apart else {})).strip()
    return f"{start}{comma}{added.removeprefix('{')}\n"
