"""Flags that mean the same in every command."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click
from click.core import ParameterSource

from hungjury.base.errors import check_installed
from hungjury.base.parameters import MOST_GRADE, MOST_SEED
from hungjury.base.text import decimal_of
from hungjury.cli.output import Output

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Number(click.FloatRange):
    """A finite decimal number in a range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, str) and decimal_of(value) is None:
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return super().convert(value, param, ctx)


def count(most: int, least: int = 1) -> click.IntRange:
    """An integer in a range."""
    return click.IntRange(least, most)


grade = click.IntRange(1, MOST_GRADE)
F = TypeVar("F", bound=Callable[..., Any])


def choice(kind: object) -> click.Choice[str]:
    """One of the words of a literal type."""
    return click.Choice(get_args(kind))


def option(*names: str, help: str, **how: Any) -> Callable[[F], F]:
    """Make an option that shows its default, if it has one."""
    return click.option(*names, help=help, show_default="default" in how, **how)


def choice_option(name: str, kind: object, what: str) -> Callable[[F], F]:
    """Make an option of the words of a literal type; its first word is the default."""
    return option(name, type=choice(kind), default=get_args(kind)[0], help=what)


def format_option(*formats: str, more: str = "") -> Callable[[F], F]:
    """Make the option of output formats; the first one is the default."""
    return option("--format", "form", type=click.Choice(formats), default=formats[0],
                  help=f"Output format{more}.")  # fmt: skip


def result_options(*formats: str, more: str = "") -> Callable[[F], F]:
    """Add the options of a result; a command gets them as `out`.

    Parameters
    ----------
    *formats : str
        The formats on offer; the first one is the default.
    more : str
        What the help of --format adds.
    """
    options = [format_option(*formats, more=more), output_option, quiet_option]
    if "csv" in formats:
        options.insert(1, csv_safe_option)

    def decorate(command: F) -> F:
        @wraps(command)
        def gathered(
            form: str, output: str | None, quiet: bool, csv_safe: bool = False, **given: Any
        ) -> Any:
            return command(out=Output(form, output, quiet, csv_safe), **given)

        return all_of(options)(cast(F, gathered))

    return decorate


def _measures(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from hungjury.measures.catalogue import CATALOGUE

    return [cls.name for cls in CATALOGUE if cls.name.lower().startswith(incomplete.lower())]


def new_file(path: str) -> str:
    """Check the name of an output file before any work is done."""
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise click.BadParameter(f"no folder {folder!r}; create it first")
    if os.path.isdir(path):
        raise click.BadParameter(f"{path!r} is a folder; give a file name")
    return path


def second_file(path: str) -> str:
    """Check the name of a second output file; stdout is taken by the result."""
    if path == "-":
        raise click.BadParameter("the result goes to stdout; give a file name")
    return new_file(path)


def picture(path: str, also: str = "") -> str:
    """Check the name of a plot file; `also` is an ending that the caller writes itself."""
    from hungjury.report.pictures import check_ending

    check_ending(path, also)
    check_installed("matplotlib", "report", "drawing a plot")
    return new_file(path)


def page(path: str) -> str:
    """Check the name of a report: a file, unless it is something like /dev/null, is a page."""
    check_installed("jinja2", "report", "a report")
    second_file(path)
    special = os.path.exists(path) and not os.path.isfile(path)
    if not special and not path.lower().endswith((".html", ".htm")):
        raise click.BadParameter(f"{path!r}: a report is a page; give a name that ends in .html")
    return path


def picture_or_csv(path: str) -> str:
    """Check the name of a file for a plot, or its data; "-" is data on stdout."""
    if path == "-" or path.lower().endswith(".csv"):
        return new_file(path)
    return picture(path, also=".csv")


OUTPUTS = (new_file, second_file, page, picture, picture_or_csv)  # types of written files


def picture_option(name: str, what: str, *, required: bool = False) -> Callable[[F], F]:
    """Make the option of a plot's file."""
    return click.option(name, type=picture, metavar="FILE", required=required,
                        help=f"{what} (.svg, .png, .pdf).")  # fmt: skip


def word(text: str) -> str:
    """Text for one column of a file."""
    if len(text.split()) != 1:
        raise click.BadParameter(f"{text!r} contains blanks, which separate columns")
    return text


def seed_option(what: str) -> Callable[[F], F]:
    """Make the option of a random seed."""
    return option("--seed", type=click.IntRange(0, MOST_SEED), default=0, help=what)


class _MergeOption(click.Option):
    """An option whose help lists the merges, loaded lazily because numpy is slow to import."""

    of_labels = False

    @property
    def help(self) -> str:
        from hungjury.judges.merge import merge_names

        names = merge_names(of_labels=self.of_labels)
        return f"{', '.join(names[:-1])} or {names[-1]}; parameters as in 'qbinmv(k=10)'."

    @help.setter
    def help(self, _text: str | None) -> None:
        """Made from the catalogue."""


class _LabelMergeOption(_MergeOption):
    of_labels = True


def merge_option(name: str, default: str, *, of_labels: bool = False) -> Callable[[F], F]:
    """A way to combine judges, by name."""
    kind = _LabelMergeOption if of_labels else _MergeOption
    return click.option(name, cls=kind, default=default, show_default=True, metavar="NAME")


def all_of(options: Sequence[Any]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def texts(
    _context: click.Context, _option: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Check that files of texts exist, before any work is done."""
    from hungjury.data.texts import check_texts

    check_texts(value)
    return value


text_options = all_of([
    click.option(
        "--queries", multiple=True, metavar="FILES", callback=texts,
        help="Texts of the queries by id: JSON lines, tab-separated, or ir_datasets:ID.",
    ),
    click.option(
        "--documents", multiple=True, metavar="FILES", callback=texts,
        help="Texts of the documents by id, such as BEIR's corpus.jsonl or ir_datasets:ID.",
    ),
])  # fmt: skip
quiet_option = click.option(
    "--quiet", is_flag=True, help="Do not print notes and progress to stderr."
)
output_option = click.option(
    "-o", "--output", type=new_file, metavar="FILE", help="Write to this file instead of stdout."
)


class _CsvSafe(click.Option):
    """A flag for CSV; refused where another format is asked for."""

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        form = next((p for p in ctx.command.params if p.name == "form"), None)
        if opts.get(self.name) and form is not None and opts.get("form") != "csv":
            raise click.UsageError("--csv-safe needs --format csv")
        return super().handle_parse_result(ctx, opts, args)


csv_safe_option = click.option(
    "--csv-safe", cls=_CsvSafe, is_flag=True,
    help="In CSV, escape texts that spreadsheets would take for formulas.",
)  # fmt: skip


def measure_option(what: str, default: str | None = None) -> Callable[[F], F]:
    """One measure by name."""
    return click.option(
        "-m", "--measure", default=default, show_default=default is not None, metavar="NAME",
        shell_complete=_measures, help=what,
    )  # fmt: skip


def measures_option(what: str, *default: str) -> Callable[[F], F]:
    """Measures by name; repeatable."""
    return click.option(
        "-m", "--measure", "measures", multiple=True, default=default, show_default=bool(default),
        metavar="NAME", shell_complete=_measures, help=what,
    )  # fmt: skip


plan_option = option(
    "--plan", metavar="FILE", help="The plan that chose these documents, by `hungjury plan`."
)


def gold_option(what: str) -> Callable[[F], F]:
    """Make the option of gold labels, a file for each person."""
    return option("--gold", multiple=True, metavar="QRELS", help=what)


def was_typed(option: str) -> bool:
    """Tell whether an option of this command was given by the user."""
    context = click.get_current_context()
    name = next(p.name for p in context.command.params if option in p.opts)
    return context.get_parameter_source(name or "") is ParameterSource.COMMANDLINE


def refuse_unused(option: str, needed: str, used: bool) -> None:
    """Refuse an option that was typed but does nothing without what is needed."""
    if not used and was_typed(option):
        raise click.UsageError(f"{option} needs {needed}")


PATHS = {"DATA", "DB", "FILE", "FILES", "FOLDER", "LOG", "PLAN", "QRELS", "RANKER", "TRAIN"}


def _paths(_context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Leave the completion of a path to the shell."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def finished(command: click.Command) -> click.Command:
    """Give a command its full first sentence in listings, complete names of files, and protect
    its inputs."""
    for parameter in command.params:
        if PATHS & set(re.findall("[A-Z]+", parameter.metavar or "")):
            parameter.shell_complete = _paths  # type: ignore[method-assign, assignment]
    command.short_help = " ".join((command.help or "").split("\n\n")[0].split())
    if command.callback is not None:
        command.callback = _guarded(command.callback, command)
    return command


def _guarded(run: F, command: click.Command) -> F:
    """Refuse to write a file that the same command reads, before any work is done."""

    @wraps(run)
    def guarded(*args: Any, **given: Any) -> Any:
        context = click.get_current_context()
        values = [(p.type, context.params.get(p.name or "")) for p in command.params]
        outputs = [v for kind, v in values if _writes(kind) and isinstance(v, str) and v != "-"]
        if outputs:
            from hungjury.base.files import refuse_inputs

            texts = [v for kind, v in values if kind is click.STRING and v is not None]
            refuse_inputs(outputs, _files(texts))
        return run(*args, **given)

    return cast(F, guarded)


def _writes(kind: object) -> bool:
    return getattr(kind, "func", None) in OUTPUTS


def _files(values: Sequence[Any]) -> list[str]:
    """The files that texts name, patterns included."""
    from glob import glob

    each = [one for value in values for one in ([value] if isinstance(value, str) else value)]
    return [file for text in each if isinstance(text, str) for file in (text, *glob(text))]
