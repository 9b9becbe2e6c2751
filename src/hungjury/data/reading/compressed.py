"""Compressed files: known by their first bytes, decompressed piece by piece."""

from __future__ import annotations

import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, cast

from hungjury.base.errors import InputError, MissingExtra
from hungjury.base.files import file_error

_MAGIC = {"gz": b"\x1f\x8b", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd", "bz2": b"BZh"}
MAGIC_BYTES = max(map(len, _MAGIC.values()))
PIECE = 1 << 12  # bytes of zstd data decompressed at once; their output has no bound


def compression_of(head: bytes) -> str | None:
    """Return how a file that begins like this is compressed: "gz", "xz", "zstd", "bz2" or None."""
    return next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), None)


def unpacked(raw: BinaryIO, kind: str, name: str) -> BinaryIO:
    """Open compressed bytes; decompressors are imported on demand."""
    stream: Any
    if kind == "gz":
        from isal.igzip import IGzipFile

        stream = IGzipFile(fileobj=raw)  # type: ignore[no-untyped-call]
    elif kind == "zstd":
        stream = _Zstandard(raw, name)
    else:
        stream = import_module("lzma" if kind == "xz" else "bz2").open(raw)
    return cast(BinaryIO, stream)


class _Zstandard(io.RawIOBase):
    """Frames of zstd data. The package's own reader takes a truncated frame for a whole one."""

    def __init__(self, raw: BinaryIO, name: str) -> None:
        try:
            import zstandard
        except ImportError:
            raise MissingExtra("zstandard", "tables", f"reading {name}") from None
        self._raw, self._ready, self._frame = raw, b"", None
        self._new: Any = zstandard.ZstdDecompressor().decompressobj
        self._error: type[Exception] = zstandard.ZstdError

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        while not self._ready:
            data = self._raw.read(PIECE)
            if not data:
                if self._frame is not None:
                    raise EOFError("the last frame is not complete")
                return 0
            self._ready = self._decompress(data)
        count = min(len(into), len(self._ready))
        into[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _decompress(self, data: bytes) -> bytes:
        out = []
        try:
            while data:
                frame: Any = self._frame or self._new()
                out.append(frame.decompress(data))
                self._frame, data = (None, frame.unused_data) if frame.eof else (frame, b"")
        except self._error as error:
            raise EOFError(str(error)) from None
        return b"".join(out)


@contextmanager
def damage_reported(name: str) -> Iterator[None]:
    """Turn errors of a decompressor or the system into errors that name the file."""
    try:
        yield
    except (EOFError, zlib.error):
        raise _damaged(name) from None
    except OSError as error:
        if error.errno is None:  # from the decompressor, not from the system
            raise _damaged(name) from None
        remedy = "check the file and the disk it is on"
        raise file_error(name, error, remedy=remedy) from None
    except Exception as error:
        if type(error).__name__ not in ("LZMAError", "IsalError"):
            raise
        raise _damaged(name) from None


def _damaged(name: str) -> InputError:
    said, remedy = "the compressed file is truncated or damaged", "download or compress it again"
    return InputError(said, code="damaged-file", file=name, remedy=remedy)


def ahead(pieces: Iterator[memoryview], waiting: int) -> Generator[memoryview, None, None]:
    """Yield the same pieces, made by a thread of their own while earlier ones are used.

    `waiting` pieces at most are ready; with the one being made and the one in use, `pieces` has to
    hand out `waiting` + 2 different buffers before it uses one again.
    """
    from queue import Empty, Queue  # imported only for large compressed files
    from threading import Thread

    ready: Queue[memoryview | BaseException | None] = Queue(waiting)
    stopped = False

    def make() -> None:
        try:
            for piece in pieces:
                ready.put(piece)
                if stopped:
                    return
            ready.put(None)
        except BaseException as error:  # raised again where the pieces are read
            ready.put(error)

    thread = Thread(target=make, daemon=True)
    thread.start()
    try:
        while (piece := ready.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
    finally:
        stopped = True
        while thread.is_alive():
            try:  # room for what it may be about to put
                ready.get(timeout=0.01)
            except Empty:
                continue
        thread.join()
