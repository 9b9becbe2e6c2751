"""hungjury init"""

from __future__ import annotations

import os
import sys
from copy import copy
from typing import Any

import click

from hungjury.base.files import PROJECT
from hungjury.cli.leaderboard import leaderboard_command
from hungjury.cli.options import option

ASKED = {
    "judges": ("Files with the labels of judges", "judges/*"),
    "runs": ("Files with the runs of systems", "runs/*"),
    "measures": ("Measure", "nDCG@10"),
}
LEFT_OUT = {"form", "csv_safe", "output", "quiet", "report", "plot", "picture", "plot_width"}


class _Typed(click.Command):
    """A command that knows the words that were typed: a project file has them as they are."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["hungjury.typed"] = self.make_parser(ctx).parse_args(list(args))[0]
        return super().parse_args(ctx, args)


def _options() -> list[click.Parameter]:
    """The options of a leaderboard, none of them required."""
    found = [copy(one) for one in leaderboard_command.params if one.name not in LEFT_OUT]
    for one in found:
        one.required = False
    return found


@click.command("init", cls=_Typed, params=_options())
@option("--baseline NAME", "The system in use, for `hungjury gate`.")
@option("--force", f"Replace an existing {PROJECT}.", bool)
@click.pass_context
def init_command(context: click.Context, /, force: bool, **_given: Any) -> None:
    """Write a project file, which gives all commands in this folder their options.

    Takes the options of `hungjury leaderboard`, and asks for judges, runs and measure if they are
    not given.

    \b
    Examples:
      hungjury init --judges 'judges/*' --runs 'runs/*' -m nDCG@10 --grades 0-3
      hungjury leaderboard
    """
    from hungjury.base.files import write_whole
    from hungjury.projects.project import Project, project_text

    if os.path.exists(PROJECT) and not force:
        raise click.UsageError(f"{PROJECT} exists; edit it, or replace it with --force")
    typed = {k: v for k, v in context.meta["hungjury.typed"].items() if k != "force"}
    for name, (question, default) in ASKED.items():
        if name in typed:
            continue
        if sys.stdin is not None and sys.stdin.isatty():
            typed[name] = [click.prompt(question, default=default)]
        elif name != "measures":
            raise click.UsageError(f"give --{name}: there is no terminal to ask on")
        else:
            typed[name] = [default]
    write_whole(PROJECT, project_text(typed))
    Project(PROJECT)  # what was written can be read
    click.echo(f"wrote {PROJECT}; now run `hungjury leaderboard`", err=True)
