"""Errors on the command line: options that do nothing, and how errors are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

import click
from click.core import ParameterSource

from hungjury.base.errors import Argument, HungjuryError, Surface, either, in_python, shell_word
from hungjury.base.text import visible


def flag(name: str) -> str:
    """Write the name of an argument as it is typed."""
    return f"--{name.replace('_', '-')}"


def was_typed(option: str) -> bool:
    """Tell whether an option of this command was given by the user."""
    context = click.get_current_context()
    name = next(p.name for p in context.command.params if option in p.opts)
    return context.get_parameter_source(name or "") is ParameterSource.COMMANDLINE


def refuse(wrong: object, why: str) -> None:
    """Refuse what was typed if something is wrong with it."""
    if wrong:
        raise click.UsageError(why)


def refuse_unused(used: object, needed: str, *options: str) -> None:
    """Refuse options that were typed but do nothing without what is needed."""
    for one in options:
        refuse(not used and was_typed(one), f"{one} needs {needed}")


def command_line(options: Mapping[str, str]) -> Surface:
    """Write arguments as they are typed in a shell, which `options` says."""

    def write(argument: Argument) -> str:
        if argument.name not in options:
            return in_python(argument)
        words = either([shell_word(value) for value in argument.values])
        return f"{options[argument.name]} {words}".rstrip()

    return write


def typed_options(command: click.Command) -> dict[str, str]:
    """Map the arguments of a command to how they are typed."""
    found: dict[str, str] = {}
    for parameter in command.params:
        name = parameter.name or ""
        if isinstance(parameter, click.Option):
            option = max(parameter.opts, key=len)
            found |= {option.lstrip("-").replace("-", "_"): option, name: option}
        else:
            found[name] = parameter.human_readable_name
    return found


def invoked(command: click.Command, words: list[str]) -> click.Command:
    """Find the command that the words of a command line name."""
    for word in words:
        if not isinstance(command, click.Group):
            break
        try:
            command = command.get_command(click.Context(command), word) or command
        except HungjuryError:  # no such study
            break
    return command


def written(error: HungjuryError, surface: Surface, words: list[str]) -> str:
    """Write an error for people, or with all its fields if a command line has --format json."""
    if "--format=json" in words or ("--format", "json") in pairwise(words):
        import json

        return json.dumps({"error": error.to_dict(surface)}, ensure_ascii=False)
    return click.style("error: ", fg="red", bold=True) + visible(error.render(surface))


def usage(error: click.ClickException) -> click.ClickException:
    """Suggest commands, and explain extra arguments, mostly a pattern expanded by the shell."""
    context = getattr(error, "ctx", None)
    missing = re.fullmatch(r"No such command '(.*)'\.", error.message, re.S)
    if missing is not None and context is not None:
        from difflib import get_close_matches

        word, names = missing[1], context.command.list_commands(context)
        near = get_close_matches(word, names, 3) or [n for n in names if n.startswith(word)]
        meant = f" Did you mean {either(near)}?" if near else ""
        return click.UsageError(error.message + meant, context)
    found = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", error.message, re.S)
    if found is None:
        return error
    words = found[1].split(" ")
    more = f" (and {len(words) - 1} more)" if len(words) > 1 else ""
    return click.UsageError(
        f"unexpected argument '{words[0]}'{more}. Repeat an option for each of its values, and "
        "quote patterns, or the shell expands them: --runs 'runs/*'",
        context,
    )


def outside_error(error: Exception) -> HungjuryError | None:
    """Turn errors of the system, memory, SQLite or a cluster into our own; None for a bug."""
    origin = type(error).__module__.partition(".")[0].lstrip("_")
    file = None
    if isinstance(error, MemoryError):
        code, message = "no-memory", "not enough memory"
        remedy = "read fewer files, draw less, or use a machine with more memory"
    elif isinstance(error, OSError):
        code, message = "system-error", error.strerror or str(error) or type(error).__name__
        remedy = "check the disk, the permissions and where the output goes"
        file = None if error.filename is None else str(error.filename)
    elif origin == "sqlite3":
        code, message = "damaged-store", f"the stored results cannot be read or written: {error}"
        remedy = "free some disk space, or move the file away and start again"
    elif origin in ("distributed", "dask"):
        code, message = "cluster-failed", f"the cluster failed: {type(error).__name__}: {error}"
        remedy = "finished jobs are stored: start the cluster again and repeat the command"
    else:
        return None
    return HungjuryError(message, code=code, file=file, remedy=remedy)
