"""Compressed files: known by their first bytes, decompressed block by block."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from hungjury.base.errors import InputError, MissingExtra
from hungjury.base.files import file_error


class _Kind(NamedTuple):
    magic: bytes  # how such files begin
    module: str  # imported on demand
    # From the module, a decompressor of one member or frame; for gz, of a whole open file, which
    # fills a buffer that is used again.
    new: Callable[..., Any]


PIECE = 1 << 12  # compressed bytes taken at once; the output of bombs has no other bound
GZ_PIECE = 1 << 17
_KINDS = {
    "gz": _Kind(b"\x1f\x8b", "isal.isal_zlib", lambda m, raw: m._GzipReader(raw, GZ_PIECE)),
    "xz": _Kind(b"\xfd7zXZ\x00", "lzma", lambda m: m.LZMADecompressor()),
    "zstd": _Kind(b"(\xb5/\xfd", "zstandard", lambda m: m.ZstdDecompressor().decompressobj()),
    "lz4": _Kind(b'\x04"M\x18', "lz4.frame", lambda m: m.LZ4FrameDecompressor()),
    "bz2": _Kind(b"BZh", "bz2", lambda m: m.BZ2Decompressor()),
}
MAGIC_BYTES = max(len(kind.magic) for kind in _KINDS.values())


def compression_of(head: bytes) -> str | None:
    """Return how a file that begins like this is compressed: "gz", "zstd", ... or None."""
    return next((name for name, kind in _KINDS.items() if head.startswith(kind.magic)), None)


class Unpacked(io.RawIOBase):
    """The bytes of an open file, decompressed; `seen` are those at its beginning that were read to
    see its first line."""

    def __init__(self, opener: Callable[[], BinaryIO], name: str, begin: int = 0) -> None:
        self.seen, self._name, self._left, self._frame = b"", name, b"", None
        self._raw = opener()  # after this object was made: it is closed by it when both are lost
        self._stream: Any = self._raw
        with _reported(name):
            packing = compression_of(self._raw.read(MAGIC_BYTES))
            self._raw.seek(begin)
        self.packed = packing is not None
        if packing is not None:
            kind = _KINDS[packing]
            try:
                module = import_module(kind.module)
            except ImportError:
                package = kind.module.split(".")[0]
                raise MissingExtra(package, "tables", f"reading {name}") from None
            self._stream = kind.new(module, self._raw) if packing == "gz" else None
            self._new: Callable[[], Any] = lambda: kind.new(module)

    def readable(self) -> bool:
        return True

    @property
    def in_blocks(self) -> bool:
        """True where `block` gives the bytes as the decompressor makes them."""
        return self._stream is None

    def readinto(self, into: Any) -> int:
        if not self.in_blocks:
            with _reported(self._name, self.packed):
                return self._stream.readinto(into)  # type: ignore[no-any-return]
        block = self.block()
        count = min(len(into), len(block))
        into[:count] = block[:count]
        self._left = block[count:]
        return count

    def block(self) -> bytes:
        """Return the next bytes of a compressed file that is not gz, none at its end."""
        block, self._left = self._left, b""
        while not block:
            with _reported(self._name):
                data = self._raw.read(PIECE)
            if not data:
                break
            block = self._decompressed(data)
        if not block and self._frame is not None:
            raise _damaged(self._name)
        return block

    def _decompressed(self, data: bytes) -> bytes:
        """Return what members hold of which this is the next part. Zeros may fill the end."""
        out = b""
        while data := data if self._frame else data.lstrip(b"\0"):
            frame = self._frame or self._new()
            with _reported(self._name, packed=True):
                out += frame.decompress(data)
            self._frame, data = frame, b""
            if frame.eof:
                self._frame, data = None, frame.unused_data or b""
        return out

    def close(self) -> None:
        if hasattr(self, "_raw"):
            self._raw.close()
        super().close()


@contextmanager
def _reported(name: str, packed: bool = False) -> Iterator[None]:
    """Turn errors of the system, and of decompression, into errors that name the file."""
    try:
        yield
    except Exception as error:
        of_system = isinstance(error, OSError) and error.errno is not None
        if packed and not of_system:  # each decompressor has its own
            raise _damaged(name) from None
        if not isinstance(error, OSError):
            raise
        raise file_error(name, error, remedy="check the file and the disk it is on") from None


def _damaged(name: str) -> InputError:
    said, remedy = "the compressed file is truncated or damaged", "download or compress it again"
    return InputError(said, code="damaged-file", file=name, remedy=remedy)


def ahead(pieces: Iterator[memoryview], waiting: int) -> Generator[memoryview, None, None]:
    """Yield the same pieces, made by a thread of their own while earlier ones are used; `waiting`
    of them are made before they are asked for."""
    from collections import deque  # imported only for large compressed files
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        due = deque(thread.submit(next, pieces, None) for _ in range(waiting))
        try:
            while (piece := due.popleft().result()) is not None:
                due.append(thread.submit(next, pieces, None))
                yield piece
        finally:
            for one in due:
                one.cancel()
