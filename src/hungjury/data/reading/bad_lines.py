"""Lines and rows that cannot be read: reading stops at the first, an audit lists all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from hungjury import native
from hungjury.base.errors import HungjuryError, InputError, plural
from hungjury.data.reading.sources import MARK, Source

Stop = Callable[[InputError], None]  # what is done with an error: raise it, or list it
EXAMPLES = 10  # lines named for errors of one kind
_REMEDIES = {  # by the codes of native.BadLine
    "many-columns": "qrels have four columns; is this a run?",
    "few-columns": "fix this line; a table needs a header line with the names of its columns",
    "carriage-return": "save the file with newlines as line ends, or remove the carriage return",
    "not-an-integer": "fix this line; ids contain no blanks, and the fourth column is the rank",
    "too-sparse": "number the features without gaps, or give a sparse matrix in Python",
    "not-utf8": "save the file as UTF-8",
    "byte-order-mark": "files were joined: remove the mark, or give the files one by one",
    "blank-in-score": "write scores without blanks, as 3000",
    "duplicate-document": "keep one line per document and topic",
}


def raise_error(error: InputError) -> None:
    """Stop reading at the first error; an audit lists errors instead and continues."""
    raise error


def line_error(source: Source, line: int, code: str, message: str) -> InputError:
    """Return the error of a native parser about a line."""
    message = message.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    remedy = _REMEDIES.get(code, "fix or remove this line")
    return InputError(message, code=code, file=source.name, line=line, remedy=remedy)


class Parser(Protocol):
    """A native parser of lines."""

    def feed(self, piece: memoryview, /) -> None: ...

    def finish(self) -> None: ...


class _Kind:
    """Errors of one kind in one file: the first of them, and where the others are."""

    def __init__(self, first: HungjuryError) -> None:
        self.first, self.count = first, 0
        self.lines: list[str] = []
        self.last: int | None = None

    def error(self) -> HungjuryError:
        if self.count == 1 or not self.lines:
            return self.first
        more = self.count - len(self.lines)
        lines = ", ".join(self.lines) + (f" and {more:,} more" if more else "")
        return self.first.saying(
            f"{self.first.message} ({plural(self.count, 'such line')}: {lines})"
        )


class Listing:
    """The errors that an audit found; those of one kind in one file are reported together."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str | None, str, str], _Kind] = {}

    def __call__(self, error: HungjuryError) -> None:
        nothing = error.code in ("no-labels", "no-rows")
        if nothing and any(error.file in (None, file) for file, _, _ in self._kinds):
            return  # explained by earlier errors
        alike = error.line is not None and error.code != type(error).code
        key = (error.file, error.code, "" if alike else error.message)
        kind = self._kinds.setdefault(key, _Kind(error))
        if alike and kind.last == error.line:
            return  # several rows of one line
        kind.count, kind.last = kind.count + 1, error.line
        if error.line is not None and len(kind.lines) < EXAMPLES:
            kind.lines.append(str(error.line))

    def __len__(self) -> int:
        """Count the lines, rows and files in error."""
        return sum(kind.count for kind in self._kinds.values())

    @property
    def errors(self) -> tuple[HungjuryError, ...]:
        return tuple(kind.error() for kind in self._kinds.values())


def readable(
    source: Source,
    new: Callable[[], Parser],
    parse: Callable[[Source, Parser], None],
    stop: Stop,
    *,
    once: bool = False,
) -> Source:
    """Return the source with its bad lines blanked: the others keep their numbers.

    new: an empty parser. parse: pushes a source through it. stop: called with every bad line.
    once: a document occurs once in the list of a topic, as in runs.
    """
    if stop is raise_error:  # reading will find the first one itself
        return source
    try:
        parse(source, new())
    except InputError as error:
        if error.line is None or error.code in ("unknown-columns", "not-a-run"):
            raise  # about the whole file
    else:
        return source
    good: list[bytes] = []
    for line, bad in _checked(source, new, once):
        if bad is not None:
            stop(bad)
        good.append(b"\n" if bad is not None else line)
    return replace(source, path=None, held=b"".join(good))


def _checked(
    source: Source, new: Callable[[], Parser], once: bool
) -> Iterator[tuple[bytes, InputError | None]]:
    """Yield every line with its error, parsed alone by the parser that reads whole files."""
    seen: set[tuple[bytes, bytes]] = set()
    with source.open() as stream:
        for number, line in enumerate(stream, start=1):
            one, bad = new(), None
            try:
                one.feed(memoryview(line.removeprefix(MARK) if number == 1 else line))
                one.finish()
            except native.BadLine as error:
                bad = line_error(source, number, *error.args[1:])
            else:
                words = line.split(maxsplit=3)
                if once and len(words) > 2 and not line.startswith(b"#"):
                    pair = words[0], words[2]
                    if pair in seen:
                        bad = _repeated(source, number, *pair)
                    seen.add(pair)
            yield line, bad


def _repeated(source: Source, number: int, topic: bytes, document: bytes) -> InputError:
    names = (name.decode("utf-8", "backslashreplace") for name in (document, topic))
    message = "document '{}' appears twice in the list of topic '{}'".format(*names)
    return line_error(source, number, "duplicate-document", message)
