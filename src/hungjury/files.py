"""Files are written whole or not at all, and keep what their owners gave them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from hungjury.errors import InputError

__all__ = ["refuse_inputs", "write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that nobody ever sees half of it.

    The content is written beside the file, which is then replaced. Symbolic links are followed,
    and a file that is replaced keeps its mode and owner. What is not a regular file (a device, a
    FIFO) is never replaced: the content goes straight into it.
    """
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    try:
        old = _status(path)
        if old is not None and not _replaceable(path, old):
            _append(path, data)
        else:
            _replace(os.path.realpath(path), old, data)
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}",
            code="unwritable-file",
            file=str(path),
            remedy="check the folder",
        ) from None


def refuse_inputs(
    outputs: Iterable[str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]]
) -> None:
    """Raise if an output is also an input, lies in a folder that is one, or is named twice."""
    read = [(path, there) for path in inputs if (there := _status(path)) is not None]
    written: list[tuple[str | os.PathLike[str], os.stat_result]] = []
    for output in outputs:
        there = _status(output)
        if there is None or not stat.S_ISREG(there.st_mode):
            continue
        folder = os.stat(os.path.dirname(os.path.realpath(output)))
        for path, known in read:
            if os.path.samestat(known, there) or os.path.samestat(known, folder):
                raise InputError(
                    f"this file would be overwritten, but it is an input ('{os.fspath(path)}')",
                    code="input-as-output",
                    file=os.fspath(output),
                    remedy="choose another file for the output",
                )
        for path, known in written:
            if os.path.samestat(known, there):
                raise InputError(
                    f"two outputs go to this file ('{os.fspath(path)}')",
                    code="same-output",
                    file=os.fspath(output),
                    remedy="choose a file for each output",
                )
        written.append((output, there))


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _replaceable(path: str | os.PathLike[str], status: os.stat_result) -> bool:
    """A regular file; /dev/stdout stays what it is even where the shell redirects it to one."""
    special = os.path.abspath(path).startswith(("/dev/", "/proc/"))
    return stat.S_ISREG(status.st_mode) and not special


def _append(path: str | os.PathLike[str], data: bytes) -> None:
    """Write into what is there. O_APPEND: a redirected /dev/stdout may hold text already."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as file:
        file.write(data)


def _replace(target: str, old: os.stat_result | None, data: bytes) -> None:
    import tempfile  # not cheap, and only for those who write

    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied")
    folder, name = os.path.split(target)
    handle, beside = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if old is None or _give(beside, old):
            if old is None:
                os.chmod(beside, 0o666 & ~_umask())
            os.replace(beside, target)
        else:  # somebody else's file, writable for us: it stays theirs
            with open(target, "wb") as file:
                file.write(data)
            os.unlink(beside)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _give(path: str, old: os.stat_result) -> bool:
    """Give a new file the owner and the mode of the one it replaces, if that is allowed."""
    new = os.stat(path)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(path, old.st_uid, old.st_gid)
        except PermissionError:
            return False
    os.chmod(path, stat.S_IMODE(old.st_mode))
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
