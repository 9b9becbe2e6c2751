"""hungjury plan"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.parameters import MOST_LABELS
from hungjury.cli.options import (
    all_of,
    count,
    measures_option,
    output_option,
    quiet_option,
)
from hungjury.cli.output import deliver, print_notes, progress_bar
from hungjury.cli.reading import (
    Reading,
    answers_options,
    binary_option,
    flag,
    judges_gold_and_runs,
    judges_option,
    runs_option,
)
from hungjury.leaderboard.options import PLAN


@click.command("plan", no_args_is_help=True)
@judges_option()
@runs_option()
@answers_options
@measures_option("Measure by which systems will be compared; repeatable.", "nDCG@10")
@click.option("--budget", type=count(MOST_LABELS), required=True,
              help="Number of labels in total, those at hand included.")  # fmt: skip
@click.option(
    "--have", multiple=True, metavar="QRELS",
    help="Gold labels at hand, of an earlier plan: list only documents without one.",
)  # fmt: skip
@binary_option
@all_of([flag(option) for option in PLAN.values() if option.flag])
@output_option
@judges_gold_and_runs
@quiet_option
def plan_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], budget: int,
    have: tuple[str, ...], output: str | None, reading: Reading, quiet: bool, answered: Any,
    **options: Any,
) -> None:  # fmt: skip
    """Choose the documents that people should label.

    Writes a CSV file with the documents in the order to label them, their inclusion probabilities
    and the judges' labels. Pass it and the labels to `hungjury leaderboard` as --plan and --gold.

    \b
    Examples:
      hungjury plan --judges 'judges/*' --runs 'runs/*' -m nDCG@10 --budget 200 -o plan.csv
      hungjury plan --judges 'judges/*' --runs 'runs/*' -m nDCG@10 --have labels.db \\
          --budget 300 -o plan2.csv
      hungjury plan --answers answers.csv --scale 1-5 --budget 100 -o plan.csv
    """
    from hungjury.leaderboard.plan import plan

    if answered:
        found = answered()
        labels, lists = found.judgments, found.runs
    elif judges and runs:
        labels, lists = reading.judgments(judges), reading.runs(runs)
    else:
        raise click.UsageError("give --judges and --runs, or --answers")
    with progress_bar(quiet, True) as progress:
        chosen = plan(labels, lists, list(measures), budget, have=reading.gold_of(have),
                     progress=progress, **options)  # fmt: skip
    print_notes(labels.notes, quiet)
    deliver(chosen.to_csv(), output)
    if not quiet:
        click.echo(chosen.to_text(), err=True, nl=False)
