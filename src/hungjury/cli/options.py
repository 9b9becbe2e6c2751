"""Flags that mean the same in every command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def _measures(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from hungjury.catalogue import CATALOGUE

    return [cls.name for cls in CATALOGUE if cls.name.lower().startswith(incomplete.lower())]


def all_of(options: Sequence[Any]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


quiet_option = click.option("--quiet", is_flag=True, help="No notes and no progress on stderr.")
output_option = click.option("-o", "--output", metavar="FILE", help="Write here, not to stdout.")
measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAME", shell_complete=_measures,
    help='Such as nDCG@10 or "AP(rel=2)"; repeatable; trec_eval\'s names work too.',
)  # fmt: skip
