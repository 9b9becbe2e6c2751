"""Output: results to stdout or a file, everything else to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

if TYPE_CHECKING:
    from hungjury.collection.notes import Note
    from hungjury.collection.runs import Progress, RunFiles

MANY_FILES, LARGE = 20, 100_000_000
MOST_NOTES = 6


class _Leavable:
    """A stream that ignores broken pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._leave()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._leave()

    def _leave(self) -> None:
        """Redirect the stream to /dev/null, so that flushing at exit does not fail."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


def readers_may_leave() -> None:
    """Ignore broken pipes on stdout and stderr; files are still written."""
    sys.stdout = cast(TextIO, _Leavable(sys.stdout))
    sys.stderr = cast(TextIO, _Leavable(sys.stderr))


def deliver(text: str, output: str | None) -> None:
    """Print to stdout (also for `-`), or write a whole file."""
    if output is None or output == "-":
        click.echo(text, nl=not text.endswith("\n"))
        return
    from hungjury.files import write_whole

    write_whole(output, text if text.endswith("\n") else text + "\n")


def rows_as(rows: list[dict[str, Any]], form: str) -> str:
    """Rows with the same keys as 'csv' or 'json'."""
    from hungjury.tables import Table

    table = Table.of(rows)
    return table.to_json() if form == "json" else table.to_csv()


def tell(notes: Iterable[Note], quiet: bool, where: str = "`hungjury audit`") -> None:
    """Print the first few notes to stderr, and where to find the rest."""
    if quiet:
        return
    listed = list(notes)
    for note in listed[:MOST_NOTES]:
        click.echo(click.style("note: ", fg="yellow") + str(note), err=True)
    if len(listed) > MOST_NOTES:
        more = len(listed) - MOST_NOTES
        click.echo(f"note: {more} more (see {where})", err=True)


@contextmanager
def progress_bar(quiet: bool, worthwhile: bool) -> Iterator[Progress | None]:
    """A progress bar on a terminal, or None."""
    if quiet or not worthwhile or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading")

        def advance(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield advance


def is_much(runs: RunFiles) -> bool:
    """Many or large files."""
    sizes = [os.path.getsize(s.path) for s in runs.sources if s.path is not None]
    return len(sizes) >= MANY_FILES or sum(sizes) >= LARGE
