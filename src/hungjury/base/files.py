"""Files: written whole or not at all, JSON read strictly; the cores of this machine."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Literal, NoReturn

from hungjury.base.errors import InputError

PROJECT = "hungjury.toml"
OF_PROJECTS = ("leaderboard", "gate", "plan", "compare", "evaluate", "agreement", "merge", "label")


def cores() -> int:
    """Return the number of cores this process may use; HUNGJURY_THREADS overrides it."""
    asked = os.environ.get("HUNGJURY_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file atomically: readers see the old content or the new, never part of it.

    Anything but a regular file (a device, a FIFO) is never replaced: the content is written
    straight into it.
    """
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    if _replaceable(path):
        with whole_file(path) as made, open(made, "wb") as file:
            file.write(data)
        return
    try:
        # Append: a redirected /dev/stdout may contain text.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as file:
            file.write(data)
    except OSError as error:
        raise file_error(path, error, "written", "check the folder") from None


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a path beside a file, which what is written there replaces in the end.

    Symbolic links are followed, and a file that is replaced keeps its mode and owner.
    """
    import shutil  # slow to import
    import tempfile

    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    try:
        old = _status(path)
        if old is not None and not (_replaceable(path) and os.access(target, os.W_OK)):
            raise PermissionError(13, "Permission denied")
        with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder) as aside:
            made = os.path.join(aside, name)
            yield made
            if old is None or _copy_owner_and_mode(made, old):
                os.replace(made, target)
            else:  # another user's file, which we may write to but not recreate under their name
                shutil.copyfile(made, target)
    except OSError as error:
        raise file_error(path, error, "written", "check the folder") from None


def matching(pattern: str) -> list[str]:
    """Return the paths that a pattern means, which may be the path of one file."""
    if not any(c in pattern for c in "*?["):
        return [pattern] if os.path.lexists(pattern) else []
    from glob import glob  # imported only for patterns

    return glob(pattern)


def file_error(
    path: str | os.PathLike[str],
    error: OSError,
    action: Literal["read", "written"] = "read",
    remedy: str = "check the path",
) -> InputError:
    """Return the error of a file that the system does not let us read or write."""
    code = "unreadable-file" if action == "read" else "unwritable-file"
    message = f"cannot be {action}: {error.strerror}"
    return InputError(message, code=code, file=os.fspath(path), remedy=remedy)


def refuse_inputs(
    outputs: Iterable[str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]]
) -> None:
    """Raise if an output is also an input, lies in a folder that is one, or is named twice."""
    read = [(path, there) for path in inputs if (there := _status(path)) is not None]
    written: dict[object, str | os.PathLike[str]] = {}
    for output in outputs:
        there = _status(output)
        if there is None:
            file: object = os.path.realpath(output)  # a new file
        elif stat.S_ISREG(there.st_mode):
            file = (there.st_dev, there.st_ino)
            folder = os.stat(os.path.dirname(os.path.realpath(output)))
            for path, known in read:
                if os.path.samestat(known, there) or os.path.samestat(known, folder):
                    raise InputError(
                        f"this file would be overwritten, but it is an input ('{os.fspath(path)}')",
                        code="input-as-output",
                        file=os.fspath(output),
                        remedy="choose another file for the output",
                    )
        else:
            continue
        if file in written:
            said = f"two outputs go to this file ('{os.fspath(written[file])}')"
            remedy = "choose a file for each output"
            raise InputError(said, code="same-output", file=os.fspath(output), remedy=remedy)
        written[file] = output


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _replaceable(path: str | os.PathLike[str]) -> bool:
    """Tell regular and new files from devices; /dev/stdout is one even where it is redirected."""
    special = os.path.abspath(path).startswith(("/dev/", "/proc/"))
    old = _status(path)
    return old is None or (stat.S_ISREG(old.st_mode) and not special)


def _copy_owner_and_mode(path: str, old: os.stat_result) -> bool:
    """Give a new file the owner and mode of the one it replaces; False if that is not allowed."""
    new = os.stat(path)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(path, old.st_uid, old.st_gid)
        except PermissionError:
            return False
    os.chmod(path, stat.S_IMODE(old.st_mode))
    return True


def is_open_file(value: object) -> bool:
    """Tell whether a value is a file to read from; some of our own classes have `read`, too."""
    ours = type(value).__module__.startswith("hungjury.")
    return hasattr(value, "read") and not ours and not isinstance(value, type)


def has_no_end(stream: IO[Any]) -> bool:
    """Tell whether a stream that gives something is a device such as /dev/zero."""
    try:
        return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty()
    except OSError:  # a stream in memory
        return False


def read_text(
    path: str | os.PathLike[str], remedy: str, errors: str = "strict", what: str = "text in UTF-8"
) -> str:
    """Read a small text file; remedy: how such a file is made; what: what it should be."""
    try:
        with open(path, encoding="utf-8-sig", errors=errors, newline="") as file:
            first = file.read(1)
            problem = "this is a device, not a file" if first and has_no_end(file) else ""
            if not problem:
                return first + file.read()
    except OSError as error:
        raise file_error(path, error, remedy=remedy) from None
    except UnicodeDecodeError as error:
        problem = f"not {what}: {error.reason}"
    raise InputError(problem, code="unreadable-file", file=os.fspath(path), remedy=remedy)


def read_lines(path: str | os.PathLike[str], remedy: str, errors: str = "strict") -> list[str]:
    """Read a small text file as lines, with their ends; remedy: how such a file is made."""
    import io

    return io.StringIO(read_text(path, remedy, errors), newline="").readlines()


def read_json(path: str, what: str, remedy: str) -> Any:
    """Read a JSON file whose numbers are finite and whose keys differ.

    Parameters
    ----------
    path : str
        The file.
    what : str
        What it should be, such as "a user model".
    remedy : str
        How such a file is made.
    """
    import json

    text = read_text(path, remedy, what=what)
    try:
        return json.loads(text, parse_constant=_not_finite, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:  # also text that is nested deeply
        reason = getattr(error, "msg", None) or str(error)
        raise InputError(
            f"not {what}: {reason}", code="invalid-file", file=path, remedy=remedy
        ) from None


def toml(text: str) -> dict[str, Any]:
    """Return the tables of a text in TOML; a ValueError says what is wrong with it."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _not_finite(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys differ: of two values under one key, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} appears twice")
    return found
