"""hungjury diff"""

from __future__ import annotations

import click

from hungjury.cli.options import result_options
from hungjury.cli.output import Output


@click.command("diff", no_args_is_help=True)
@click.argument("old", metavar="FILE")
@click.argument("new", metavar="FILE")
@result_options("text", "json")
def diff_command(old: str, new: str, out: Output) -> None:
    """Say in words what changed between two leaderboards.

    Exit code 0: nothing that was decided has changed. 1: something has. 2: an error, such as
    leaderboards by different measures.

    \b
    Examples:
      hungjury diff results/20260105T090000-leaderboard-1f2e3d4c.json new.json
    """
    from hungjury.projects.history import diff

    found = diff(old, new)
    out.write(found)
    if found.decided:
        raise SystemExit(1)
