"""Flags that mean the same in every command."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click
from click.core import ParameterSource

from hungjury.base.choices import PlotWidth
from hungjury.base.errors import check_installed
from hungjury.base.files import PROJECT
from hungjury.base.parameters import MOST_GRADE, MOST_LABELS, MOST_SEED
from hungjury.base.text import decimal_of
from hungjury.cli.output import Output, Plots, input_files

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


at_least_option = option(
    "--at-least", metavar="N", type=count(MOST_LABELS, 0), default=0,
    help="List only judges with at least N labels, those with the most first.",
)  # fmt: skip


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


def picture_or_terminal(path: str) -> str:
    """Check the name of a plot file; "-" is a plot of characters on stdout."""
    return path if path == "-" else picture(path, also="-, for the terminal")


OUTPUTS = (
    new_file,
    second_file,
    page,
    picture,
    picture_or_csv,
    picture_or_terminal,
)  # types of written files


def picture_option(name: str, what: str, *, required: bool = False) -> Callable[[F], F]:
    """Make the option of a plot's file."""
    return click.option(name, type=picture, metavar="FILE", required=required,
                        help=f"{what} (.svg, .png, .pdf).")  # fmt: skip


def plot_options(pictures: object) -> Callable[[F], F]:
    """Add the options of plots; a command gets them as `plots`.

    Parameters
    ----------
    pictures : literal type
        What `plot(what=...)` of the result can draw; the first one is the default.
    """
    options = [
        click.option("--plot", type=picture_or_terminal, metavar="FILE",
                     help="Also draw a plot (.svg, .png, .pdf; - for the terminal)."),
        option("--picture", type=choice(pictures), default=get_args(pictures)[0],
               help="What --plot draws."),
        click.option("--plot-width", type=choice(PlotWidth),
                     help="Make the plot as wide as a column or a page of a paper."),
    ]  # fmt: skip

    def decorate(command: F) -> F:
        @wraps(command)
        def gathered(plot: str | None, picture: str, plot_width: Any, **given: Any) -> Any:
            for name in ("--picture", "--plot-width"):
                refuse_unused(name, "--plot", plot is not None)
            form = click.get_current_context().params.get("form")
            if plot == "-" and form not in (None, "table"):
                raise click.UsageError("--plot - is for the terminal; give a file name")
            return command(plots=Plots(plot, picture, plot_width), **given)

        return all_of(options)(cast(F, gathered))

    return decorate


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
    _context: click.Context, option: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Check that files of texts exist, before any work is done."""
    from hungjury.data.texts import DOCUMENTS, QUERIES, check_texts

    check_texts(value, QUERIES if option.name == "queries" else DOCUMENTS)
    return value


text_options = all_of([
    click.option(
        "--queries", multiple=True, metavar="FILES", callback=texts,
        help="Texts of the queries by id: JSON lines, TSV, a BEIR folder or ir_datasets:ID.",
    ),
    click.option(
        "--documents", multiple=True, metavar="FILES", callback=texts,
        help="Texts of the documents by id: as --queries, such as BEIR's corpus.jsonl.",
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
    "--plan", multiple=True, metavar="FILE",
    help="The plan that chose these documents, by `hungjury plan`; repeatable.",
)  # fmt: skip


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


TAKES_PLUGINS = {"measures", "measure", "merge", "method", "qrels", "labels", "judges", "runs"}


def _plugins(_context: click.Context, _option: click.Parameter, names: tuple[str, ...]) -> None:
    from hungjury.base.plugins import load_module

    for name in names:
        load_module(name)


def finished(command: click.Command) -> click.Command:
    """Give a command its full first sentence in listings, complete names of files, and protect
    its inputs."""
    for parameter in command.params:
        if PATHS & set(re.findall("[A-Z]+", parameter.metavar or "")):
            parameter.shell_complete = _paths  # type: ignore[method-assign, assignment]
    names = {parameter.name for parameter in command.params}
    if names & TAKES_PLUGINS or command.name == "measures":
        command.params.append(
            click.Option(
                ["--plugin"], multiple=True, metavar="MODULE", expose_value=False, is_eager=True,
                callback=_plugins, help="Import a module that adds measures, merges or formats.",
            )
        )  # fmt: skip
    command.short_help = " ".join((command.help or "").split("\n\n")[0].split())
    if command.callback is not None:
        command.callback = _guarded(command.callback, command)
    if command.name in OF_PROJECTS:
        command.params.append(_project_option())
    return command


# Options with which a command does something else than without them.
ONLY_TYPED = {"agreement": ("gold",), "merge": ("gold", "runs", "measures")}
OF_PROJECTS = {"agreement", "compare", "evaluate", "gate", "label", "leaderboard", "merge", "plan"}


def _project_option() -> click.Option:
    """Make the option of a project file, which is read before all others and gives defaults."""
    return click.Option(
        ["--project"], metavar="FILE", is_eager=True, expose_value=False, callback=_take_project,
        help="Project file, whose options are used where none is given; by default "
        "hungjury.toml in this folder.",
    )  # fmt: skip


def _take_project(context: click.Context, _option: click.Parameter, path: str | None) -> None:
    """Let the options of a project file be the defaults of a command, and say which are used."""
    if context.resilient_parsing or (path is None and not os.path.isfile(PROJECT)):
        return
    from hungjury.projects.project import Project

    project = Project(path or PROJECT)
    given = project.options(context.command.name or "")
    if "judges" in given and context.command.name in ("gate", "leaderboard"):
        given.pop("qrels", None)
    taken = {}
    for one in context.command.params:
        flag = max(one.opts, key=len).lstrip("-").replace("-", "_")
        name = "measures" if flag == "measure" else flag
        if name in given and one.name not in ONLY_TYPED.get(context.command.name or "", ()):
            value = given[name]
            if isinstance(one, click.Option) and one.multiple:
                taken[one.name or ""] = value if isinstance(value, list) else (value,)
            else:
                taken[one.name or ""] = value[0] if name == "measures" else value
    context.default_map = {**(context.default_map or {}), **taken}
    context.meta["hungjury.project"] = project


def _say_project(context: click.Context) -> None:
    """Say which options came from the project file, and which were typed instead."""
    project = context.meta.get("hungjury.project")
    if project is None or context.params.get("quiet"):
        return
    source = context.get_parameter_source
    used, typed = [], []
    for name in context.default_map or {}:
        where = source(name)
        flag = max(next(p for p in context.command.params if p.name == name).opts, key=len)
        if where is ParameterSource.DEFAULT_MAP:
            used.append(flag)
        elif where is ParameterSource.COMMANDLINE:
            typed.append(flag)
    told = f"{project.path}: {', '.join(used) or 'nothing'}"
    if typed:
        told += f"; typed instead: {', '.join(typed)}"
    click.echo(click.style("project: ", fg="yellow") + told, err=True)
    for note in project.notes:
        click.echo(click.style("note: ", fg="yellow") + str(note), err=True)


def _guarded(run: F, command: click.Command) -> F:
    """Refuse to write a file that the same command reads, before any work is done."""

    @wraps(run)
    def guarded(*args: Any, **given: Any) -> Any:
        context = click.get_current_context()
        values = [(p.type, context.params.get(p.name or "")) for p in command.params]
        outputs = [v for kind, v in values if _writes(kind) and isinstance(v, str) and v != "-"]
        if outputs:
            from hungjury.base.files import refuse_inputs

            refuse_inputs(outputs, input_files(context))
        _say_project(context)
        return run(*args, **given)

    return cast(F, guarded)


def _writes(kind: object) -> bool:
    return getattr(kind, "func", None) in OUTPUTS
