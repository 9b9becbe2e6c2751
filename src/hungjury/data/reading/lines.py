"""Text pushed through native parsers line by line, and lines that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hungjury import native
from hungjury.base.errors import Argument, InputError
from hungjury.base.text import decimal_of
from hungjury.data.reading.columns import SYNONYMS
from hungjury.data.reading.sources import MARK, Source, Stop, raise_error

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
MARKS = (",", ";", "\t")
PLAN_HEAD = "# hungjury plan"  # the first line of a file of `hungjury plan`


def another_kind(source: Source, roles: Sequence[str]) -> InputError | None:
    """Return an error about a file that cannot be read because it is something else."""
    head = source.head()
    if head.strip() == PLAN_HEAD.encode():
        said = "this is a plan, which has no labels"
        remedy = "let people label its documents with `hungjury label`, and give their labels"
        return source.error(said, "plan-without-labels", remedy)
    words = head.decode("utf-8", "replace").split()
    labelled = len(words) == 4 and words[1] != "Q0" and decimal_of(words[3]) is not None
    if "score" in roles and labelled and not source.begin:
        said = "expected 6 columns (topic Q0 document rank score tag), found 4"
        remedy = "runs have six columns; are these qrels?"
        return source.error(said, "not-a-run", remedy, 1)
    return None


def unknown_header(source: Source, roles: Sequence[str]) -> InputError | None:
    """Return an error about a first line that looks like a header, but has unknown columns."""
    head = source.head()
    words = head.decode("utf-8", "replace").replace(",", " ").replace(";", " ").split()
    if any(decimal_of(word) is not None for word in words):
        return None
    for mark in MARKS:
        names = header_names(head, mark)
        if len(names) > 1 and all(names):
            names_understood = "; ".join(f"{role}: {', '.join(SYNONYMS[role])}" for role in roles)
            said = f"unknown columns: {', '.join(names)}"
            remedy = (
                Argument("columns", ",".join(f"{role}=NAME" for role in roles)),
                f"or rename the columns ({names_understood})",
            )
            return source.error(said, "unknown-columns", remedy, 1)
    return None


def parse_text(
    source: Source,
    feed: Callable[[memoryview], None],
    finish: Callable[[], None],
    free: int = 1,
    roles: Sequence[str] = (),
) -> None:
    """Push a text source through a native parser; its errors get the file name.

    free: cores that may be used; a compressed file is decompressed beside the parser by a second.
    roles: the columns that a table would need; a header of others is an error of its own.
    """
    pieces = source.pieces(read_ahead=free > 1)
    try:
        for piece in pieces:
            feed(piece)
        finish()
    except native.BadLine as bad:
        line, code, message = bad.args
        for _ in pieces if code != "too-long" else ():  # a damaged gz file explains the line better
            pass
        error = line_error(source, line + source.lines_before, code, message)
        wrong = source.binary_error() or another_kind(source, roles)
        if wrong is None and roles and error.line == 1:
            wrong = unknown_header(source, roles)
        raise wrong or error from None


def header_names(head: bytes, mark: str) -> list[str]:
    text = head.decode("utf-8", "replace").strip("\r\n")
    return [n.strip().strip('"').strip() for n in text.split(mark)]


def line_error(source: Source, line: int, code: str, message: str) -> InputError:
    """Return the error of a native parser about a line."""
    message = message.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    remedy = _REMEDIES.get(code, "fix or remove this line")
    return InputError(message, code=code, file=source.name, line=line, remedy=remedy)


Parser = native.LabelTable | native.RunStore | native.RunStream  # of lines


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
        if error.line is None or error.code in ("unknown-columns", "not-a-run", "too-long"):
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
                        topic, document = (w.decode("utf-8", "backslashreplace") for w in pair)
                        said = f"document '{document}' appears twice in the list of topic '{topic}'"
                        bad = line_error(source, number, "duplicate-document", said)
                    seen.add(pair)
            yield line, bad
