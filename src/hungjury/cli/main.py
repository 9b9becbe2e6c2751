"""The command `hungjury`; errors are one sentence with a remedy, and exit with code 2."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from hungjury import __version__
from hungjury.base.errors import HungjuryError
from hungjury.base.files import OF_PROJECTS, PROJECT, refuse_inputs
from hungjury.cli import failing
from hungjury.cli.front import ABOUT, OPTIONS, WIDEST, front_page, summaries
from hungjury.cli.output import deliver, guard_streams, input_files, print_notes

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Commands in the file of another one.
MODULES = {
    "compare-rankers": "train",
    "diff": "status",
    "doctor": "audit",
    "rank": "train",
    "rerun": "status",
}

# They do no linear algebra; the threads that numpy's BLAS starts, one per core, would cost time.
WITHOUT_BLAS = {"audit", "evaluate", "measures"}
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": WIDEST}
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
    for one in getattr(command, "commands", {}).values():
        finished(one)
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
        command.callback = _guarded(command.callback)
    if command.name in OF_PROJECTS:  # read before all other options, whose defaults it gives
        command.params.append(
            click.Option(
                ["--project"], metavar="FILE", expose_value=False, is_eager=True,
                callback=_take_project, help="Project file, whose options are used where none is "
                "given; by default hungjury.toml in this folder.",
            )
        )  # fmt: skip
    return command


# Options with which a command does something else than without them.
ONLY_TYPED = {"agreement": ("gold",), "merge": ("gold", "runs", "measures")}


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
    flags = {one.name: max(one.opts, key=len) for one in context.command.params}
    used, typed = (
        [flags[n] for n in context.default_map or {} if context.get_parameter_source(n) is source]
        for source in (ParameterSource.DEFAULT_MAP, ParameterSource.COMMANDLINE)
    )
    told = f"{project.path}: {', '.join(used) or 'nothing'}"
    if typed:
        told += f"; typed instead: {', '.join(typed)}"
    click.echo(click.style("project: ", fg="yellow") + told, err=True)
    print_notes(project.notes, quiet=False, every=True)


def _guarded(run: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse to write a file that the same command reads, before any work is done."""

    @wraps(run)
    def guarded(*args: Any, **given: Any) -> Any:
        context = click.get_current_context()
        values = [context.params.get(p.name or "") for p in context.command.params if writes(p)]
        outputs = [path for path in values if isinstance(path, str) and path != "-"]
        if outputs:
            refuse_inputs(outputs, input_files(context))
        _say_project(context)
        return run(*args, **given)

    return guarded


def writes(parameter: click.Parameter) -> bool:
    """Tell whether a parameter names a file that is written."""
    from hungjury.cli.options import OUTPUTS  # loaded with any command that has one

    return getattr(parameter.type, "func", None) in OUTPUTS


class _Commands(click.Group):
    """Commands by name: `merge` is `merge_command` in `merge.py`, unless `MODULES` says."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(summaries())

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        module = MODULES.get(name, name)
        if name not in self.commands and f"{module}.py" in os.listdir(os.path.dirname(__file__)):
            function = f"{name.replace('-', '_')}_command"
            found = getattr(import_module(f"hungjury.cli.{module}"), function, None)
            if found is not None:
                self.add_command(finished(found))
        command = self.commands.get(name)
        if command is not None and name in OF_PROJECTS:
            command.no_args_is_help = not os.path.isfile(PROJECT)
        return command

    def get_help(self, context: click.Context) -> str:
        return front_page(context.command_path)


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the version and what a bug report needs beside it."""
    if not wanted or context.resilient_parsing:
        return
    import platform

    from hungjury.native import COMPILER, STABLE_ABI

    abi = "stable ABI" if STABLE_ABI else "ABI of this Python version"
    deliver(
        f"hungjury {__version__}\n"
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; "
        f"native code by {COMPILER}, {abi}",
        None,
    )
    context.exit()


@click.group(cls=_Commands, context_settings=HELP, help=ABOUT)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help=OPTIONS["--version"],
)
def hungjury() -> None:
    """All commands."""


@hungjury.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print shell code for tab completion of commands, options, measures and files.

    \b
    Examples:
      eval "$(hungjury completion bash)"
      hungjury completion fish > ~/.config/fish/completions/hungjury.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    deliver(kind(hungjury, {}, "hungjury", "_HUNGJURY_COMPLETE").source(), None)


finished(completion_command)


def main() -> None:
    """Run a command; whatever goes wrong outside of this program is an error with exit code 2."""
    if sys.argv[1:] and sys.argv[1] in WITHOUT_BLAS:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    guard_streams()
    signal.signal(signal.SIGTERM, _stop)
    try:
        code = hungjury.main(standalone_mode=False)
        sys.stdout.flush()
        if isinstance(code, int) and code:  # what a command has chosen to exit with
            sys.exit(code)
    except click.ClickException as error:
        failing.usage(error).show()
        sys.exit(2)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except Exception as error:
        if _stopped:  # what followed from the signal
            sys.exit(_stopped[0])
        known = error if isinstance(error, HungjuryError) else failing.outside_error(error)
        if known is None:
            raise
        asked = failing.invoked(hungjury, sys.argv[1:])
        surface = failing.command_line(failing.typed_options(asked))
        click.echo(failing.written(known, surface, sys.argv), err=True)
        sys.exit(2)


def _stop(_signal: int, _frame: object) -> None:
    """End as after an exception: workers are stopped and no half-written file is left."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _stopped.append(128 + signal.SIGTERM)
    sys.exit(_stopped[0])


_stopped: list[int] = []  # the exit code, after a signal
