"""Output: results to stdout or a file, everything else to stderr."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from hungjury.base.choices import PlotWidth
from hungjury.base.files import matching
from hungjury.base.records import Record
from hungjury.base.text import visible
from hungjury.cli.failing import refuse, refuse_unused

if TYPE_CHECKING:
    from hungjury.base.errors import Note
    from hungjury.base.results import Result, Table
    from hungjury.data.runs import Progress, RunFiles

MANY_FILES, LARGE = 20, 100_000_000
MOST_NOTES = 6
REMOVE_LINE = "\x1b[1A\x1b[2K"  # of a terminal, above the cursor
KEPT = {"compare", "evaluate", "gate", "leaderboard"}  # commands whose results a project keeps


class _Tolerant:
    """A stream that ignores broken pipes and, if `optional`, every other failure to write."""

    def __init__(self, stream: TextIO, optional: bool) -> None:
        self._stream, self._optional = stream, optional

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        if text == "":  # click tries streams with it and ignores that they are full
            return 0
        with self._tolerated():
            self._stream.write(text)
        return len(text)

    def write_bytes(self, data: bytes) -> None:
        """Write bytes as they are, after the text written so far."""
        with self._tolerated():
            self._stream.flush()
            if hasattr(self._stream, "buffer"):
                self._stream.buffer.write(data)
            else:  # text in memory
                self._stream.write(data.decode("utf-8", "surrogateescape"))

    def flush(self) -> None:
        with self._tolerated():
            self._stream.flush()

    @contextmanager
    def _tolerated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.leave()
            if not self._optional and not isinstance(error, BrokenPipeError):
                raise

    def leave(self) -> None:
        """Redirect the stream to /dev/null, which makes flushing at exit safe."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


class _Closed(_Tolerant):
    """Replaces stdout that was closed before the program started."""

    def write(self, text: str) -> int:
        if text:
            raise OSError(errno.EBADF, "stdout is closed")
        return 0

    def write_bytes(self, data: bytes) -> None:
        self.write(str(data))


def guard_streams() -> None:
    """Ignore broken pipes; a result is not lost because a note could not be printed."""
    nowhere = open(os.devnull, "w")  # noqa: SIM115
    sys.stdout = _Closed(nowhere, False) if sys.stdout is None else _Tolerant(sys.stdout, False)
    sys.stderr = _Tolerant(sys.stderr or nowhere, True)


def text_width(most: int) -> int:
    """Return the width of text: that of a terminal, between 60 and `most`."""
    if not sys.stdout.isatty():
        return most
    from shutil import get_terminal_size  # imports compression, which costs time

    return max(60, min(most, get_terminal_size().columns))


def deliver(text: str, output: str | None, *, for_people: bool = False) -> None:
    """Print to stdout (also for `-`), or write a whole file.

    A pipe gets the bytes that a file would get. On a terminal control characters are escaped, and
    the sentences of a text for people are wrapped.
    """
    text = text if text.endswith("\n") else text + "\n"
    context = click.get_current_context(silent=True)
    form = context.params.get("form") if context else None
    if form == "json":
        text = with_origin(text)
    if output is not None and output != "-":
        from hungjury.base.files import write_whole

        write_whole(output, text)
        if form in ("csv", "latex", "markdown", "html"):  # tables have no place for it
            write_whole(f"{output}.provenance.json", with_origin("{}"))
    elif sys.stdout.isatty():
        shown = visible(text)
        sys.stdout.write(_wrapped(shown, text_width(len(shown))) if for_people else shown)
    elif isinstance(sys.stdout, _Tolerant):
        sys.stdout.write_bytes(text.encode("utf-8", "surrogateescape"))
    else:  # a stream that replaced stdout
        sys.stdout.write(text)


def origin() -> dict[str, Any]:
    """Return what a result comes from: this command and its inputs."""
    from hungjury.base.provenance import provenance

    context = click.get_current_context()
    project = context.meta.get("hungjury.project")
    inputs = [*input_files(context), *([project.path] if project else [])]
    return provenance(["hungjury", *sys.argv[1:]], inputs)


def with_origin(text: str) -> str:
    """Add to a result in JSON what it comes from."""
    from hungjury.base.provenance import with_provenance

    return with_provenance(text, origin())


def keep_in_project(to_json: Callable[[], str]) -> None:
    """Keep a result in the project's folder, if the command takes its options from a project."""
    context = click.get_current_context()
    project = context.meta.get("hungjury.project")
    wanted = context.find_root().obj != "rerun" and os.environ.get("HUNGJURY_KEEP") != "no"
    if project is not None and context.info_name in KEPT and wanted:
        from hungjury.projects.history import keep

        path = keep(project.results, context.info_name or "", with_origin(to_json()))
        if path is not None:
            say(f"kept as {path}", context.params.get("quiet", False))


def input_files(context: click.Context) -> list[str]:
    """Return the files that the arguments of a command name, patterns included."""
    given = [
        context.params.get(p.name or "") for p in context.command.params if p.type is click.STRING
    ]
    each = [one for v in given if v is not None for one in ([v] if isinstance(v, str) else v)]
    return [file for text in each if isinstance(text, str) for file in (text, *matching(text))]


def _wrapped(text: str, width: int) -> str:
    """Wrap the sentences of a text; rows of tables, whose columns are aligned, stay whole."""
    import textwrap

    out = []
    for line in text.removesuffix("\n").split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        if len(line) <= width or "  " in line.strip():
            out.append(line)
        else:
            out += textwrap.wrap(line, width, subsequent_indent=f"{indent}  ",
                                 break_long_words=False, break_on_hyphens=False)  # fmt: skip
    return "\n".join(out) + "\n"


class Output(Record):
    """Where a command's result goes, and in which format."""

    form: str
    output: str | None
    quiet: bool
    csv_safe: bool = False

    def __post_init__(self) -> None:
        refuse(self.csv_safe and self.form != "csv", "--csv-safe needs --format csv")

    def write(self, result: Result | Table, **how: Any) -> None:
        """Write a result in the format that was asked for; `how`: for formats that people read."""
        if self.form in ("csv", "json"):
            text = result.to_csv(safe=self.csv_safe) if self.form == "csv" else result.to_json()
            deliver(text, self.output)
        elif self.form == "ir_metadata":
            from hungjury.base.provenance import ir_metadata

            named = getattr(result, "measures", None) or [getattr(result, "measure", "")]
            deliver(ir_metadata(origin(), [str(one) for one in named]), self.output)
        else:
            name = self.form if self.form in ("latex", "markdown", "html") else "text"
            deliver(getattr(result, f"to_{name}")(**how), self.output, for_people=name == "text")
        keep_in_project(result.to_json)


class Plots(Record):
    """The plot that a command also draws, if any."""

    plot: str | None
    picture: str
    plot_width: PlotWidth | None

    def __post_init__(self) -> None:
        refuse_unused(self.plot is not None, "--plot", "--picture", "--plot-width")
        form = click.get_current_context().params.get("form")
        if self.plot == "-" and form not in (None, "table"):
            raise click.UsageError("--plot - is for the terminal; give a file name")

    def draw(self, result: Any) -> None:
        """Draw a result that has a method `plot`."""
        if self.plot is None:
            return
        plot = result.plot(what=self.picture)
        if self.plot == "-":
            deliver(f"\n{plot.to_text(text_width(100))}", None)
        else:
            plot.save(self.plot, self.plot_width)


def say(text: str, quiet: bool) -> None:
    """Print a line to stderr."""
    if not quiet:
        click.echo(text, err=True)


def print_notes(
    notes: Iterable[Note], quiet: bool, where: str = "`hungjury audit`", every: bool = False
) -> None:
    """Print a few notes to stderr: all on the result, then those on judges and on files, and
    where to find the rest; or every note."""
    if quiet:
        return
    listed = sorted(notes, key=lambda note: ("result", "judges", "files").index(note.about))
    most = len(listed) if every else MOST_NOTES
    shown = max(most, sum(note.about == "result" for note in listed))
    if len(listed) == shown + 1:  # a line about it would be as long as the note
        shown += 1
    for note in listed[:shown]:
        click.echo(click.style("note: ", fg="yellow") + visible(str(note)), err=True)
    if len(listed) > shown:
        say(f"note: {len(listed) - shown} more (see {where})", quiet)


@contextmanager
def progress_bar(quiet: bool, worthwhile: bool = True) -> Iterator[Progress | None]:
    """Show a progress bar on a terminal."""
    if quiet or not worthwhile or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label="reading", show_pos=True, file=sys.stderr) as bar:

        def advance(done: int, total: int, what: str) -> None:
            bar.length, bar.label = total, what
            bar.update(done - bar.pos)

        yield advance
    click.echo(REMOVE_LINE, err=True, nl=False)


def is_much(runs: RunFiles) -> bool:
    """Tell whether there are many or large files."""
    sizes = [os.path.getsize(s.path) for s in runs.sources if s.path is not None]
    return len(sizes) >= MANY_FILES or sum(sizes) >= LARGE
