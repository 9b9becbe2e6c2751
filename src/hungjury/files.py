"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from hungjury.errors import InputError

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write beside the target, then rename: nobody ever sees half a file."""
    target = Path(path)
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    import tempfile  # not cheap, and only for those who write

    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", file=str(path), remedy="check the folder"
        ) from None
