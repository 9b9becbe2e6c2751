"""Where text comes from: paths, globs, addresses, lists of them, open files, standard input,
ir_datasets."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import field, replace
from itertools import cycle
from typing import Any, BinaryIO, cast

from hungjury.base.errors import InputError, MissingExtra, Remedy, check_installed
from hungjury.base.files import file_error, has_no_end, is_open_file
from hungjury.base.records import Record, fields_of
from hungjury.data.reading.compressed import MAGIC_BYTES, Unpacked, ahead, compression_of

CHUNK = 1 << 18  # bytes read at once
HEAD = 1 << 12
LONGEST_HEAD = 1 << 20
MOST_HELD = 1 << 33  # bytes read through a pipe and kept in memory
LARGE = 1 << 25  # bytes: a part of a file worth a core of its own
CHECK_COMMAND = "check the command that produced it"  # a remedy
SMALL = 1 << 17  # bytes of a compressed file not worth a thread of its own
WAITING = 2  # pieces decompressed before they are asked for
PREFIX = "ir_datasets:"  # of the id of a dataset
MARK = b"\xef\xbb\xbf"  # the byte-order mark of UTF-8
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f]")
MARKS_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_STEM_ENDINGS = {
    ".gz", ".xz", ".zst", ".bz2", ".lz4",
    ".qrels", ".qrel", ".run", ".txt", ".trec", ".res", ".csv", ".tsv", ".jsonl", ".ndjson",
    ".parquet", ".json",
}  # fmt: skip


Stop = Callable[[InputError], None]  # what is done with an error: raise it, or list it


def raise_error(error: InputError) -> None:
    """Stop reading at the first error; an audit lists errors instead and continues."""
    raise error


class Source(Record):
    """One file, readable repeatedly; what cannot be read twice is kept in memory."""

    name: str
    path: str | None = None
    held: bytes = field(default=b"", repr=False)
    begin: int = 0  # a part of a file: the bytes from here
    end: int | None = None  # to here
    group: str = ""  # the judge it belongs to, where that is not said by the file's name
    url: str = ""  # of a remote file, which is fetched whole whenever it is opened

    @property
    def stem(self) -> str:
        """The group, or the file's name without endings such as .qrels, .txt or .gz."""
        if self.group:
            return self.group
        name = os.path.basename(self.name)
        while (ending := os.path.splitext(name))[1].lower() in _STEM_ENDINGS and ending[0]:
            name = ending[0]
        return name

    def error(self, message: str, code: str, remedy: Remedy, line: int | None = None) -> InputError:
        """Make an error about the file."""
        return InputError(message, code=code, file=self.name, line=line, remedy=remedy)

    def open(self) -> BinaryIO:
        """Open the bytes, decompressed; compression is detected from the content, not the name."""
        return io.BufferedReader(self._unpacked(), CHUNK)

    def _unpacked(self) -> Unpacked:
        return Unpacked(self.raw, self.name, self.begin)

    def raw(self) -> BinaryIO:
        """Open the file's bytes without decompression."""
        if self.url:
            return io.BytesIO(_at(self.url, lambda files, path: files.cat_file(path)))
        if self.path is None:
            return io.BytesIO(self.held)
        if os.path.isdir(self.path):
            said = "expected a file, got a directory"
            remedy = f"name its files: '{self.name.rstrip('/')}/*'"
            raise self.error(said, "directory", remedy)
        try:
            return cast(BinaryIO, open(self.path, "rb", buffering=0))
        except OSError as error:
            raise file_error(self.name, error) from None

    @property
    def packed(self) -> bool:
        """True where the file is compressed."""
        with self.raw() as raw:
            return compression_of(raw.read(MAGIC_BYTES)) is not None

    def pieces(self, size: int | None = None, read_ahead: bool = False) -> Iterator[memoryview]:
        """Yield the content piece by piece, without a byte-order mark. A piece is valid until the
        next one is requested: the buffer of a plain file is reused, which keeps it in the cache.

        read_ahead: a large compressed file is decompressed by a thread of its own.
        """
        first = not self.begin
        with closing(self.__dict__.pop("_looked_into", None) or self._unpacked()) as opened:
            apart = read_ahead and opened.packed and self.size > SMALL
            pieces = self._blocks(opened, size or CHUNK, WAITING + 1 if apart else 1)
            with closing(ahead(pieces, WAITING) if apart else pieces) as made:
                for piece in made:
                    yield self._without_mark(piece) if first else piece
                    first = False
        if first:
            raise self._empty()

    def _blocks(
        self, opened: Unpacked, size: int, buffers: int
    ) -> Generator[memoryview, None, None]:
        if opened.seen:
            yield memoryview(opened.seen)
        while opened.in_blocks and (block := opened.block()):
            yield memoryview(block)
        at = self.begin + len(opened.seen)
        for buffer in cycle([memoryview(bytearray(size)) for _ in range(buffers)]):
            count = opened.readinto(buffer if self.end is None else buffer[: self.end - at])
            if not count:
                break
            yield buffer[:count]
            at += count

    def _empty(self) -> InputError:
        return self.error("the file is empty", "empty-file", CHECK_COMMAND)

    def _without_mark(self, piece: memoryview) -> memoryview:
        head = bytes(piece[: len(MARK)])
        if head.startswith(MARKS_UTF16):
            raise self.error("the file is in UTF-16", "not-utf8", "save the file as UTF-8")
        return piece[len(MARK) :] if head == MARK else piece

    def parts(self, number: int) -> list[Source]:
        """Split a large file into this many parts, one per reader, where the first word
        of a line changes. Compressed and small files, and those without such a line, stay whole."""
        size = self.size if self.path is not None else 0
        if size < number * LARGE or number < 2 or self.packed:
            return [self]
        self.__dict__.pop("_looked_into", None)  # which closes it
        with self.raw() as raw:
            cuts = [_change(raw, size * i // number) for i in range(1, number)]
        ends = zip([0, *cuts], [*cuts, None], strict=True)
        parts = [replace(self, begin=begin, end=end) for begin, end in ends]
        return parts if all(cuts) else [self]

    @property
    def lines_before(self) -> int:
        """The number of lines of the file before this part of it."""
        if not self.begin:
            return 0
        found, left = 0, self.begin
        with self.raw() as raw:
            while left and (piece := raw.read(min(left, CHUNK))):
                found += piece.count(b"\n")
                left -= len(piece)
        return found

    @property
    def size(self) -> int:
        """Size in bytes, if known; that of a compressed file is its compressed size."""
        return len(self.held) if self.path is None else os.stat(self.path).st_size

    def content(self) -> bytes:
        """Return the whole content."""
        return b"".join(map(bytes, self.pieces()))

    def head(self, then_read: bool = False) -> bytes:
        """Return the first line, to detect the format.

        then_read: the file stays open for the reader that comes next.
        """
        if "_head" not in self.__dict__:
            whole = replace(self, begin=0, end=None) if self.begin else self
            opened = whole._unpacked()
            while b"\n" not in opened.seen and len(opened.seen) <= LONGEST_HEAD:
                if not (more := opened.read(HEAD)):
                    break
                opened.seen += more
            if not opened.seen:
                raise self._empty()
            line = self._without_mark(memoryview(opened.seen))
            self.__dict__["_head"] = bytes(line).split(b"\n", 1)[0]
            if then_read and whole is self:
                self.__dict__["_looked_into"] = opened
            else:
                opened.close()
        return cast(bytes, self.__dict__["_head"])

    def __getstate__(self) -> dict[str, Any]:
        return fields_of(self)

    def binary_error(self) -> InputError | None:
        """Return an error if the first line is not text."""
        head = self.head()
        text = "\ufffd" not in head.decode("utf-8", "replace") or not _CONTROL.search(head)
        if b"\0" not in head and text:
            return None
        return self.error(
            "this is a binary file, not text", "binary-file", "check that this is the right file"
        )


def _change(raw: BinaryIO, near: int) -> int:
    """Return the next position after `place` where the first word of a line changes, or 0."""
    raw.seek(near)
    window = raw.read(LONGEST_HEAD)
    at = window.find(b"\n") + 1
    word: list[bytes] = []
    while at and (stop := window.find(b"\n", at) + 1):
        before, word = word, window[at:stop].split(None, 1)[:1]
        if before and word and before != word:
            return near + at
        at = stop
    return 0


def expand(source: object, part: str = "qrels", *, folders: bool = False) -> list[Source]:
    """Return all files meant by a path, a glob, `-`, an open file or a list of these.

    part: what is meant by the id of a dataset, its "qrels", "scoreddocs", "queries" or "docs"; the
    first and the last two also by a folder in BEIR's form. folders: any other folder means all its
    files, which form one group.
    """
    if isinstance(source, Source):
        return [source]
    if is_open_file(source):
        return [_held(source)]
    if isinstance(source, (str, os.PathLike)):
        return _from_path(os.fspath(source), part, folders)
    listed = getattr(source, "ndim", 1) > 0  # not an array without dimensions
    if listed and isinstance(source, Iterable) and not isinstance(source, (bytes, dict)):
        if hasattr(source, "columns"):  # iterated over, its columns would be taken for files
            said = "a frame is mixed with other sources"
            remedy = "give one frame, with a column `system` (runs) or `judge` (labels)"
            raise InputError(said, code="mixed-sources", remedy=remedy)
        found = [one for item in source for one in expand(item, part, folders=folders)]
        if not found:
            raise InputError("no files were given", code="no-file", remedy="give at least one file")
        return found
    if type(source).__module__.startswith("hungjury."):
        raise InputError(
            f"unexpected {type(source).__name__}",
            code="unexpected-source",
            remedy="give labels first, then runs; read_qrels reads one label per document, "
            "read_judgments the labels of several judges, read_runs ranked lists",
        )
    said = f"cannot read from {type(source).__name__}"
    remedy = "give a path, a glob, an open file, a list of these, a frame or a dict of dicts"
    raise InputError(said, code="unsupported-source", remedy=remedy)


def _held(stream: Any) -> Source:
    name = str(getattr(stream, "name", "<stream>"))
    try:
        content = stream.read()
    except Exception as error:
        if not isinstance(error, UnicodeDecodeError):  # closed, opened for writing, or damaged
            said = f"cannot be read: {str(error).rstrip('.')}"
            right = isinstance(error, (OSError, ValueError))
            remedy = "open it for reading" if right else "check that it is whole"
            raise Source(name).error(said, "unreadable-file", remedy) from None
        remedy = "open it with its own encoding, or save it as UTF-8"
        said = f"not {error.encoding.upper()} text"
        raise Source(name).error(said, "not-utf8", remedy) from None
    if isinstance(content, str):
        # A lone surrogate is not text; it is passed on to where its line is known.
        content = content.encode("utf-8", "surrogatepass")
    return Source(name, held=content)


def _from_path(text: str, part: str, folders: bool) -> list[Source]:
    if text == "-":
        if sys.stdin is None:
            raise Source("<stdin>").error("stdin is closed", "unreadable-file", "give a file")
        return [_read_once("<stdin>", sys.stdin.buffer)]
    if text.startswith(PREFIX):
        return [Source(text, held=dataset_text(text, part))]
    if "://" in text:
        return _remote(text)
    text = os.path.expanduser(text)
    if os.path.exists(text):
        if os.path.isdir(text) and (inside := _of_beir(text, part)):
            return [_file(inside)]
        return _in_folder(text) if folders and os.path.isdir(text) else [_file(text)]
    if any(c in text for c in "*?["):
        from glob import glob  # imported only for patterns

        paths = sorted(glob(text, recursive=True))
        if not folders or "**" in text:
            paths = [p for p in paths if not os.path.isdir(p)]
        if not paths:
            raise _unmatched(text)
        return [one for p in paths for one in (_in_folder(p) if os.path.isdir(p) else [_file(p)])]
    raise Source(text).error("no such file", "no-file", "check the path")


# The package with which fsspec reads an address, by protocol; it has those of others itself.
_PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hf": "huggingface_hub",
             "http": "aiohttp", "https": "aiohttp"}  # fmt: skip


def _remote(url: str) -> list[Source]:
    """Return the file at an address, or those that a pattern with `*` means."""
    if "*" not in url:
        return [Source(url, url=url)]
    paths = _at(url, lambda files, path: map(files.unstrip_protocol, sorted(files.glob(path))))
    found = [Source(one, url=one) for one in paths]
    if not found:
        raise _unmatched(url)
    return found


def _unmatched(pattern: str) -> InputError:
    said = f"no file matches '{pattern}'"
    return InputError(said, code="no-file", remedy="check the pattern")


def _at(url: str, asked: Callable[[Any, str], Any]) -> Any:
    """Ask the file system of an address for something about the path in it."""
    protocol, source = url.partition("://")[0], Source(url)
    try:
        from fsspec.core import url_to_fs  # imported, like what it needs, for addresses only

        return asked(*url_to_fs(url))
    except ImportError:
        package = _PACKAGES.get(protocol, "fsspec")
        raise MissingExtra(package, "remote", f"reading {url}") from None
    except FileNotFoundError:
        raise source.error("no such file", "no-file", "check the address") from None
    except Exception as error:  # each file system has its own
        remedy = "check the address, the network and your credentials"
        said = f"cannot be read: {str(error) or type(error).__name__}"
        raise source.error(said, "unreadable-file", remedy) from None


def _of_beir(folder: str, part: str) -> str | None:
    """Return the file that has this part of a dataset in BEIR's form; None for other folders."""
    names = {"queries": "queries.jsonl", "docs": "corpus.jsonl"}
    if not all(os.path.isfile(os.path.join(folder, name)) for name in names.values()):
        return None
    if part in names:
        return os.path.join(folder, names[part])
    labels = os.path.join(folder, "qrels")
    splits = sorted(os.listdir(labels)) if part == "qrels" and os.path.isdir(labels) else []
    if len(splits) > 1:
        said = f"a dataset with several sets of labels: {', '.join(splits)}"
        remedy = f"name one of them: {os.path.join(labels, splits[-1])}"
        raise Source(folder).error(said, "several-splits", remedy)
    return os.path.join(labels, splits[0]) if splits else None


def _in_folder(folder: str) -> list[Source]:
    """Return the files of a folder as one group; folders in it are groups of their own."""
    from pathlib import Path  # slow to import

    inside = sorted(p for p in Path(folder).iterdir() if p.name[0] != ".")
    deeper = [p for p in inside if p.is_dir()]
    if deeper:
        if len(deeper) < len(inside):
            said = "this directory contains both files and directories"
            remedy = f"name what is to be read: '{folder.rstrip('/')}/*.qrels'"
            raise Source(folder).error(said, "mixed-directory", remedy)
        return [one for p in deeper for one in _in_folder(str(p))]
    if not inside:
        raise Source(folder).error("this directory is empty", "empty-directory", "check the path")
    group = Path(folder).absolute().name
    return [replace(_file(str(p)), group=group) for p in inside]


def _file(name: str) -> Source:
    found = Source(name, name)
    if os.path.isfile(name) or os.path.isdir(name):
        return found
    with found.raw() as pipe:  # such as the shell's <(zcat qrels.gz): it can be read only once
        return _read_once(name, pipe)


def _read_once(name: str, stream: BinaryIO) -> Source:
    """Read a pipe to its end. A device such as /dev/zero has none: refuse it by its first block."""
    blocks, size = [stream.read(HEAD)], 0
    if blocks[0] and has_no_end(stream):
        said = "this is a device, not a file"
        raise Source(name).error(said, "unreadable-file", "give a file of text")
    while blocks[-1]:
        size += len(blocks[-1])
        if size > MOST_HELD:
            said = f"more than {MOST_HELD >> 30} GiB, which cannot be read through a pipe"
            raise Source(name).error(said, "too-large", "save it as a file, and name that file")
        blocks.append(stream.read(CHUNK))
    return Source(name, held=b"".join(blocks))


def dataset_text(name: str, part: str) -> bytes:
    """Return the part "qrels" or "scoreddocs" of the dataset ``ir_datasets:ID``, as a TREC file."""
    dataset, identifier = _load(name, part), name.removeprefix(PREFIX)
    lines = []
    for row in dataset.qrels_iter() if part == "qrels" else dataset.scoreddocs_iter():
        if part == "qrels":
            group = getattr(row, "iteration", None) or getattr(row, "subtopic_id", None) or "0"
            lines.append(f"{row.query_id} {group} {row.doc_id} {row.relevance}\n")
        else:
            lines.append(f"{row.query_id} Q0 {row.doc_id} 0 {row.score!r} {identifier}\n")
    return "".join(lines).encode("utf-8")


def dataset_rows(name: str, part: str, wanted: Collection[str]) -> Iterator[dict[str, Any]]:
    """Return the wanted "queries" or "docs" of the dataset ``ir_datasets:ID``."""
    dataset = _load(name, part)
    if part == "docs":
        rows = dataset.docs_store().get_many_iter(wanted)
    else:
        rows = (row for row in dataset.queries_iter() if row.query_id in wanted)
    return (row._asdict() for row in rows)


def _load(name: str, part: str) -> Any:
    """Load the dataset, and check that it has this part."""
    check_installed("ir_datasets", "ecosystem", f"reading {name}")
    import ir_datasets

    identifier = name.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(identifier)
    except KeyError:
        said, remedy = f"ir_datasets has no dataset '{identifier}'", "see https://ir-datasets.com"
        raise Source(name).error(said, "unknown-dataset", f"{remedy} for the ids") from None
    if not getattr(dataset, f"has_{part}")():
        said = f"the dataset has no {part}"
        raise Source(name).error(said, "missing-part", "use a subset that has them")
    return dataset
