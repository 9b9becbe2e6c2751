"""Provenance: the version, command and inputs that a result comes from.

What can differ between two runs that give the same result (time, machine, folder) is kept apart, in
`made`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
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
    from hungjury import __version__

    files = sorted({os.path.relpath(path) for path in inputs if os.path.isfile(path)})
    return {
        "hungjury": __version__,
        "command": list(command),
        "inputs": [input_record(path) for path in files],
        "libraries": dict(_libraries()),
    }


@cache
def _libraries() -> dict[str, str]:
    """Return the versions of the libraries that are installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an optional one
            continue
    return found


def input_record(path: str) -> dict[str, Any]:
    """Return path, size and SHA-256 of a file."""
    from hashlib import sha256

    digest, size, head = sha256(), 0, b""
    try:
        with open(path, "rb") as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
                size += len(piece)
                head = head or piece
    except OSError as error:
        raise file_error(path, error) from None
    found = {"path": path.replace(os.sep, "/"), "size": size, "sha256": digest.hexdigest()}
    described = ir_metadata_in(head)
    return found | ({"ir_metadata": described} if described else {})


START, END = "# ir_metadata.start", "# ir_metadata.end"


def ir_metadata_in(head: bytes) -> str:
    """Return how a run describes itself: the YAML of ir_metadata, in comments at its head.

    https://www.ir-metadata.org
    """
    if head.startswith(b"\x1f\x8b"):
        import zlib

        try:
            head = zlib.decompressobj(31).decompress(head, _PIECE)
        except zlib.error:  # the reader says it
            return ""
    if not head.startswith(START.encode()):
        return ""
    lines = head.decode("utf-8", "replace").splitlines()
    inside = lines[1 : lines.index(END)] if END in lines else []
    return "".join(f"{line.removeprefix('#').removeprefix(' ')}\n" for line in inside)


def ir_metadata(record: Mapping[str, Any], measures: Sequence[str]) -> str:
    """Write provenance as ir_metadata: YAML in comments, for the head of a file.

    What runs say of themselves is carried along.
    """
    when = made()
    libraries = [f"{name}=={version}" for name, version in record["libraries"].items()]
    content = {
        "platform": {
            "operating system": {"kernel": when["machine"]},
            "software": {
                "libraries": {"python": [f"python=={when['python']}", *libraries]},
                "evaluation toolkit": f"hungjury=={record['hungjury']}",
            },
        },
        "research goal": {"evaluation": {"reported measures": list(measures)}},
        "implementation": {"executable": {"cmd": " ".join(record["command"])}},
        "data": {"files": record["inputs"]},
        "date": when["time"],
    }
    return "\n".join([START, *(f"# {line}" for line in _yaml(content)), END]) + "\n"


def _yaml(value: Any) -> list[str]:
    """Return lines of YAML, whose texts are those of JSON, or blocks if they have several lines."""
    if isinstance(value, dict):
        pairs = [(f"{key}:", one) for key, one in value.items()]
    elif isinstance(value, list) and value:
        pairs = [("-", one) for one in value]
    else:
        return [json_text(value).strip()]
    lines = []
    for start, one in pairs:
        if isinstance(one, str) and "\n" in one:
            lines += [f"{start} |", *(f"  {line}" for line in one.splitlines())]
        elif isinstance(one, (dict, list)) and one:
            first, *rest = _yaml(one)
            item = start == "-"
            lines += [f"{start} {first}"] if item else [start, f"  {first}"]
            lines += [f"  {line}" for line in rest]
        else:
            lines.append(f"{start} {json_text(one).strip()}")
    return lines


def made() -> dict[str, str]:
    """Return when and where: what may differ although the result is the same."""
    import platform
    from datetime import datetime, timezone

    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        "folder": os.getcwd(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def remember(value: Any, function: str, given: Iterable[Any], named: Mapping[str, Any]) -> None:
    """Let the result of a call, and each of a list of results, know the call and its files."""
    several = [value, *(value if isinstance(value, list) else [])]
    results = [v for v in several if isinstance(v, (Record, list)) and hasattr(v, "__dict__")]
    values = [*given, *named.values()]
    shown = [*map(_shown, given), *(f"{name}={_shown(one)}" for name, one in named.items())]
    files = [file for one in values for file in files_of(one)]
    for one in results:
        if not one.__dict__.get(ORIGIN, ("",))[0]:
            one.__dict__[ORIGIN] = (f"hj.{function}({', '.join(shown)})", tuple(files))


def read_from(value: Record, source: object) -> None:
    """Let what was read know its files."""
    value.__dict__[ORIGIN] = ("", files_of(source))


def origin_of(result: object) -> dict[str, Any]:
    """Return the provenance of a result of a call; empty if that is not known."""
    call, files = vars(result).get(ORIGIN, ("", ()))
    return provenance([call], files) if call else {}


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
    """Add provenance, unless it is empty, to JSON, which is not parsed: results can be large.

    A list becomes the `rows` of an object, which has a place for it. apart: also add when and where
    it was made.
    """
    text = f'{{"rows": {text.strip()}}}\n' if text.startswith("[") else text
    if not record:
        return text
    start = text.strip().removesuffix("}").rstrip()
    comma = "" if start == "{" else ","
    added = json_text({"provenance": record} | ({"made": made()} if apart else {})).strip()
    return f"{start}{comma}{added.removeprefix('{')}\n"
