"""hungjury leaderboard"""

from __future__ import annotations

import sys
from typing import Any

import click

from hungjury.base.choices import BoardPicture
from hungjury.cli.options import (
    all_of,
    gold_option,
    measures_option,
    merge_option,
    page,
    plan_option,
    plot_options,
    refuse_unused,
    result_options,
    text_options,
)
from hungjury.cli.output import Output, Plots
from hungjury.cli.reading import (
    Reading,
    binary_option,
    flag,
    judges_and_runs,
    judges_needed,
    runs_needed,
)
from hungjury.leaderboard.options import BOARD


@click.command("leaderboard", no_args_is_help=True)
@judges_needed
@runs_needed
@measures_option("Measure, as listed by `hungjury measures`.", "nDCG@10")
@merge_option("--merge", "binmv")
@binary_option
@gold_option("Gold labels of some documents, to correct the leaderboard; one file per person.")
@plan_option
@all_of([flag(option) for option in BOARD.values() if option.flag])
@click.option("--report", type=page, metavar="FILE", help="Also write an HTML report.")
@text_options
@plot_options(BoardPicture)
@result_options("table", "csv", "json", "latex", "markdown", "html")
@judges_and_runs
def leaderboard_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], merge: str,
    gold: tuple[str, ...], plan: tuple[str, ...], report: str | None, queries: tuple[str, ...],
    documents: tuple[str, ...], plots: Plots, out: Output, reading: Reading, **options: Any,
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
    with out.progress() as progress:
        board = leaderboard(
            reading.judgments(judges), reading.runs(runs), measures[0], merge,
            gold=reading.gold_of(gold), plan=plan or None, progress=progress, **options,
        )  # fmt: skip
    out.notes(board.notes, "--format json")
    out.write(board)
    plots.draw(board)
    if report is not None:
        words = ["hungjury", *sys.argv[1:]]
        board.write_page(report, words, queries=queries, documents=documents)
        if not out.quiet:
            click.echo(f"wrote {report}", err=True)
