"""All lines of a text file that cannot be read, for the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hungjury import native
from hungjury.collection.notes import few, plural
from hungjury.collection.reading import line_error
from hungjury.collection.sources import Source
from hungjury.errors import HungjuryError, InputError

__all__ = ["listed"]

Parser = native.LabelTable | native.RunStore


def listed(
    error: HungjuryError, sources: list[Source], parser: Callable[[], Parser]
) -> list[HungjuryError]:
    """An error of reading as it is; or, if it is about one line, an error for every kind of bad
    line in every file, with their numbers."""
    if error.line is None:
        return [error]
    found: list[HungjuryError] = []
    for source in sources:
        by_code: dict[str, list[InputError]] = {}
        for bad in _bad_lines(source, parser):
            by_code.setdefault(bad.code, []).append(bad)
        found += [_together(same) for same in by_code.values()]
    return found or [error]


def _bad_lines(source: Source, parser: Callable[[], Parser]) -> Iterator[InputError]:
    """Every line alone through the parser that reads whole files."""
    with source.open() as stream:
        for number, line in enumerate(stream, start=1):
            one = parser()
            try:
                one.feed(memoryview(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line))
                one.finish()
            except native.BadLine as bad:
                _, code, message = bad.args
                yield line_error(source, number, code, message)


def _together(same: list[InputError]) -> InputError:
    """The first of some errors, which tells where the others are."""
    first = same[0]
    if len(same) == 1:
        return first
    lines = few([str(bad.line) for bad in same], 10)
    return InputError(
        f"{first.message} ({plural(len(same), 'such line')}: {lines})",
        code=first.code,
        file=first.file,
        line=first.line,
        remedy=first.remedy,
    )
