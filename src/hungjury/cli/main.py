"""The command `hungjury`; errors are one sentence with a remedy, and exit with code 2."""

from __future__ import annotations

import signal
import sys

import click

from hungjury import __version__
from hungjury.cli.agreement import agreement_command
from hungjury.cli.audit import audit_command
from hungjury.cli.aware import aware_command
from hungjury.cli.clicks import clicks_command
from hungjury.cli.compare import compare_command
from hungjury.cli.compare_rankers import compare_rankers_command
from hungjury.cli.completion import completion_command
from hungjury.cli.curve import curve_command
from hungjury.cli.evaluate import evaluate_command
from hungjury.cli.gate import gate_command
from hungjury.cli.label import label_command
from hungjury.cli.leaderboard import leaderboard_command
from hungjury.cli.measures import measures_command
from hungjury.cli.merge import merge_command
from hungjury.cli.options import finished
from hungjury.cli.output import guard_streams
from hungjury.cli.plan import plan_command
from hungjury.cli.prm import prm_command
from hungjury.cli.rank import rank_command
from hungjury.cli.simulate import simulate_command
from hungjury.cli.study import study_command
from hungjury.cli.theory import theory_command
from hungjury.cli.train import train_command
from hungjury.visible import visible

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=HELP)
@click.version_option(__version__, prog_name="hungjury")
def hungjury() -> None:
    """Retrieval evaluation for when the judges disagree.

    \b
    First steps:
      hungjury evaluate qrels.txt 'runs/*' -m nDCG@10 -m AP
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10
      hungjury audit qrels.txt 'runs/*'
      hungjury measures
    """


for command in (
    evaluate_command,
    leaderboard_command,
    plan_command,
    gate_command,
    label_command,
    compare_command,
    audit_command,
    curve_command,
    agreement_command,
    merge_command,
    aware_command,
    prm_command,
    clicks_command,
    train_command,
    rank_command,
    compare_rankers_command,
    measures_command,
    theory_command,
    study_command,
    simulate_command,
    completion_command,
):
    hungjury.add_command(finished(command))


def main() -> None:
    """Run a command; whatever goes wrong outside of this program is an error with exit code 2."""
    from hungjury.cli.failing import (
        asks_for_json,
        command_line,
        invoked,
        json_error,
        outside_error,
        typed_options,
        usage,
    )
    from hungjury.errors import HungjuryError

    guard_streams()
    signal.signal(signal.SIGTERM, _stop)
    try:
        code = hungjury.main(standalone_mode=False)
        sys.stdout.flush()
        if isinstance(code, int) and code:  # what a command has chosen to exit with
            sys.exit(code)
    except click.UsageError as error:
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
        told = error if isinstance(error, HungjuryError) else outside_error(error)
        if told is None:
            raise
        asked = invoked(hungjury, sys.argv[1:])
        surface = command_line(typed_options(hungjury) | typed_options(asked))
        if asks_for_json(sys.argv):
            click.echo(json_error(told, surface), err=True)
        else:
            start = click.style("error: ", fg="red", bold=True)
            click.echo(start + visible(told.render(surface)), err=True)
        sys.exit(2)


def _stop(_signal: int, _frame: object) -> None:
    """End as after an exception, so that workers are stopped and no half-written file is left."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _stopped.append(128 + signal.SIGTERM)
    sys.exit(_stopped[0])


_stopped: list[int] = []  # the exit code, after a signal
