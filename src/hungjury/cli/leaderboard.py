"""hungjury leaderboard"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from hungjury.cli.options import (
    all_of,
    csv_safe_option,
    format_option,
    measures_option,
    merge_option,
    output_option,
    page,
    plan_option,
    quiet_option,
    refuse_unused,
    text_options,
)
from hungjury.cli.output import deliver, print_notes, progress_bar
from hungjury.cli.reading import (
    Reading,
    binary_option,
    flag,
    judges_and_runs,
    judges_needed,
    runs_needed,
)
from hungjury.leaderboard.options import BOARD

if TYPE_CHECKING:
    from hungjury.leaderboard.board import Leaderboard


@click.command("leaderboard", no_args_is_help=True)
@judges_needed
@runs_needed
@measures_option("Measure, as listed by `hungjury measures`.", "nDCG@10")
@merge_option("--merge", "binmv")
@binary_option
@click.option(
    "--gold",
    multiple=True,
    metavar="QRELS",
    help="Gold labels of some documents, to correct the leaderboard; one file per person.",
)
@plan_option
@all_of([flag(option) for option in BOARD.values() if option.flag])
@click.option("--report", type=page, metavar="FILE", help="Also write an HTML report.")
@text_options
@format_option("table", "csv", "json", "latex")
@csv_safe_option
@output_option
@judges_and_runs
@quiet_option
def leaderboard_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], merge: str,
    gold: tuple[str, ...], plan: str | None, report: str | None, queries: tuple[str, ...],
    documents: tuple[str, ...], form: str, csv_safe: bool, output: str | None, reading: Reading,
    quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Rank systems by the labels of several judges, with the uncertainty of the ranking.

    \b
    Examples:
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10 \\
          --gold labels.qrels --plan plan.csv --report report.html
    """
    from hungjury.judges.merge import merge_method
    from hungjury.leaderboard.leaderboard import leaderboard

    if len(measures) > 1:
        raise click.UsageError("a leaderboard has one measure; give -m once")
    if report is None and (queries or documents):
        raise click.UsageError("--queries and --documents need --report FILE")
    refuse_unused("--estimate", "--gold", bool(gold))
    models_judges = merge_method(merge).drawn_from == "model"
    refuse_unused("--scope", "an em merge or --gold", models_judges or bool(gold))
    refuse_unused("--prior", "an em merge", models_judges)
    with progress_bar(quiet, True) as progress:
        board = leaderboard(
            reading.judgments(judges), reading.runs(runs), measures[0], merge,
            gold=reading.gold_of(gold), plan=plan, progress=progress, **options,
        )  # fmt: skip
    print_notes(board.notes, quiet, "--format json")
    deliver(_formatted(board, form, csv_safe), output, for_people=form == "table")
    if report is not None:
        words = ["hungjury", *sys.argv[1:]]
        board.write_page(report, words, queries=queries, documents=documents)
        if not quiet:
            click.echo(f"wrote {report}", err=True)


def _formatted(board: Leaderboard, form: str, safe: bool) -> str:
    if form == "csv":
        return board.to_csv(safe)
    if form == "json":
        return board.to_json()
    return board.to_latex() if form == "latex" else board.to_text()
