"""The command `hungjury`; errors are one sentence with a remedy, and exit with code 2."""

from __future__ import annotations

import os
import re
import signal
import sys
from importlib import import_module

import click

from hungjury import __version__
from hungjury.base.errors import HungjuryError
from hungjury.base.files import PROJECT
from hungjury.base.text import visible
from hungjury.cli.options import OF_PROJECTS, finished
from hungjury.cli.output import deliver, guard_streams

# They do no linear algebra; the threads that numpy's BLAS starts, one per core, would cost time.
WITHOUT_BLAS = {"audit", "evaluate", "measures"}
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


_SUMMARY = re.compile(r'^def (\w+)_command\(.*?\n    """(.*?)(?:\n\n|""")', re.M | re.S)


def summaries() -> dict[str, str]:
    """Return the first sentence of every command's help; importing them all would take long."""
    found: dict[str, str] = {}
    for file in sorted(os.listdir(os.path.dirname(__file__))):
        if file.endswith(".py"):
            with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as source:
                for name, text in _SUMMARY.findall(source.read()):
                    found[name.replace("_", "-")] = " ".join(text.split())
    return dict(sorted(found.items()))


class _Commands(click.Group):
    """Commands by name: `compare-rankers` is `compare_rankers_command` in `compare_rankers.py`."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(summaries())

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        module = "audit" if name == "doctor" else name.replace("-", "_")  # both look at files
        if name not in self.commands and f"{module}.py" in os.listdir(os.path.dirname(__file__)):
            function = f"{name.replace('-', '_')}_command"
            found = getattr(import_module(f"hungjury.cli.{module}"), function, None)
            if found is not None:
                self.add_command(finished(found))
        command = self.commands.get(name)
        if command is not None and name in OF_PROJECTS:
            command.no_args_is_help = not os.path.isfile(PROJECT)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(summaries().items()))


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


@click.group(cls=_Commands, context_settings=HELP)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and how it was built, and exit.",
)
def hungjury() -> None:
    """Retrieval evaluation for when the judges disagree.

    \b
    First steps:
      hungjury evaluate qrels.txt 'runs/*' -m nDCG@10 -m AP
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10
      hungjury audit qrels.txt 'runs/*'
      hungjury measures
    """


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
    except click.UsageError as error:
        from hungjury.cli.failing import usage  # imported only for errors

        usage(error).show()
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)
    except Exception as error:
        if _stopped:  # what followed from the signal
            sys.exit(_stopped[0])
        from hungjury.cli import failing

        known = error if isinstance(error, HungjuryError) else failing.outside_error(error)
        if known is None:
            raise
        asked = failing.invoked(hungjury, sys.argv[1:])
        surface = failing.command_line(failing.typed_options(asked))
        if failing.asks_for_json(sys.argv):
            click.echo(failing.json_error(known, surface), err=True)
        else:
            start = click.style("error: ", fg="red", bold=True)
            click.echo(start + visible(known.render(surface)), err=True)
        sys.exit(2)


def _stop(_signal: int, _frame: object) -> None:
    """End as after an exception: workers are stopped and no half-written file is left."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _stopped.append(128 + signal.SIGTERM)
    sys.exit(_stopped[0])


_stopped: list[int] = []  # the exit code, after a signal
