"""hungjury plan"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.parameters import MOST_LABELS
from hungjury.cli import options
from hungjury.cli.failing import refuse
from hungjury.cli.options import count, option
from hungjury.cli.output import deliver, print_notes, progress_bar
from hungjury.cli.reading import Reading, ScoreTables
from hungjury.leaderboard.options import PLAN


@click.command("plan", no_args_is_help=True)
@options.judges()
@options.runs()
@options.answers
@options.measures("Measure by which systems will be compared; repeatable.", "nDCG@10")
@option(
    "--budget",
    "Number of labels in total, those at hand included.",
    count(MOST_LABELS),
    required=True,
)
@option(
    "--have QRELS ...",
    "Gold labels at hand, of an earlier plan: list only documents without one.",
)
@options.rel
@options.best
@options.all_of(*(options.declared(one) for one in PLAN.values() if one.flag))
@options.output
@options.judges_gold_and_runs
@options.quiet
def plan_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], budget: int,
    have: tuple[str, ...], output: str | None, reading: Reading, quiet: bool, tables: ScoreTables,
    **how: Any,
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

    refuse(not tables.answers and not (judges and runs), "give --judges and --runs, or --answers")
    labels, lists = tables.panel(reading, judges, runs)
    with progress_bar(quiet) as progress:
        chosen = plan(
            labels, lists, list(tables.measures(measures)), budget, have=reading.gold_of(have),
            progress=progress, **how,
        )  # fmt: skip
    print_notes(labels.notes, quiet)
    deliver(chosen.to_csv(), output)
    if not quiet:
        click.echo(chosen.to_text(), err=True, nl=False)
