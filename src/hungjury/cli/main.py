"""The command `hungjury`; errors are one sentence with a remedy, and exit with code 2."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module

import click

from hungjury import __version__
from hungjury.base.errors import HungjuryError
from hungjury.base.text import visible
from hungjury.cli.options import finished
from hungjury.cli.output import guard_streams

# The first sentence of each command's help; its module is imported when it is used.
COMMANDS = {
    "agreement": "Measure agreement between judges, and find copies and constant judges.",
    "audit": "Check files for duplicates, ties, missing topics and unusual labels.",
    "aware": "Merge scores instead of labels, weighting judges by their distance from random ones.",
    "clicks": "Estimate from a click log how users move over result pages.",
    "compare": "Test whether systems differ significantly over topics.",
    "compare-rankers": "Compare λ-MART with nMCG-MART over folds, by nDCG and nMCG at several tree "
    "counts.",
    "completion": "Print shell code for tab completion of commands, options, measures and files.",
    "curve": "Compute precision-recall curves, as data or as a plot.",
    "evaluate": "Score runs against labels.",
    "gate": "Decide whether a candidate may replace a baseline.",
    "label": "Label documents in the browser, by keyboard.",
    "leaderboard": "Rank systems by the labels of several judges, with the uncertainty of the "
    "ranking.",
    "measures": "List the measures, or describe one.",
    "merge": "Merge the labels of several judges into one qrels file.",
    "plan": "Choose the documents that people should label.",
    "prm": "Estimate how likely another judge is to find documents of each level relevant.",
    "rank": "Rank documents with a trained ranker, as a TREC run.",
    "simulate": "Simulate a collection with known truth: systems, topics, judges and gold labels.",
    "study": "Run a paper's experiments on your data; a study can be stopped and resumed at "
    "any time.",
    "theory": "Study measures: partial order of lists, axioms, balancing index.",
    "train": "Train a ranker for users: nMCG-MART, on LightGBM.",
}
# They do no linear algebra; the threads that numpy's BLAS starts, one per core, would cost time.
WITHOUT_BLAS = {"audit", "evaluate", "measures"}
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Commands(click.Group):
    """Commands by name: `compare-rankers` is `compare_rankers_command` in `compare_rankers.py`."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name in COMMANDS and name not in self.commands:
            module = name.replace("-", "_")
            found = getattr(import_module(f"hungjury.cli.{module}"), f"{module}_command")
            self.add_command(finished(found))
        return self.commands.get(name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(context)])


@click.group(cls=_Commands, context_settings=HELP)
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
