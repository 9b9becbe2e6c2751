"""Flags that mean the same in every command."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def _measures(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from hungjury.catalogue import CATALOGUE

    return [cls.name for cls in CATALOGUE if cls.name.lower().startswith(incomplete.lower())]


def new_file(path: str) -> str:
    """A file to be written: what is wrong with its name is told before the work, not after it."""
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise click.BadParameter(f"there is no folder {folder!r}; make it first")
    if os.path.isdir(path):
        raise click.BadParameter(f"{path!r} is a folder; name a file in it")
    return path


def picture(path: str) -> str:
    """A picture to be drawn, in one of the formats there are."""
    from hungjury.report.pictures import check_ending

    check_ending(path)
    return new_file(path)


def seed_option(what: str) -> Callable[[F], F]:
    return click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help=what
    )


def all_of(options: Sequence[Any]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


quiet_option = click.option("--quiet", is_flag=True, help="No notes and no progress on stderr.")
output_option = click.option(
    "-o", "--output", type=new_file, metavar="FILE", help="Write here, not to stdout."
)
text_or_json = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="How results are printed.",
)  # fmt: skip
measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAME", shell_complete=_measures,
    help='Such as nDCG@10 or "AP(rel=2)"; repeatable; trec_eval\'s names work too. '
    "Default: nDCG@10, AP, P@10 and RR.",
)  # fmt: skip


def in_full(command: click.Command) -> click.Command:
    """Lists of commands show what a command does in a whole sentence, not the start of one."""
    command.short_help = (command.help or "").split("\n\n")[0].replace("\n", " ")
    return command
