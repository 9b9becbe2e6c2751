"""hungjury leaderboard"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hungjury.base.choices import Contrary, GoldDesign, GoldEstimate, Prior, Scope, Target
from hungjury.base.parameters import MOST_DRAWS
from hungjury.base.records import TYPICAL_PANEL_ERROR
from hungjury.cli.options import (
    Number,
    choice,
    choice_option,
    count,
    csv_safe_option,
    format_option,
    measures_option,
    merge_option,
    output_option,
    page,
    plan_option,
    quiet_option,
    refuse_unused,
    seed_option,
    text_options,
)
from hungjury.cli.output import deliver, print_notes, progress_bar
from hungjury.cli.reading import (
    Reading,
    binary_option,
    judges_and_runs,
    judges_needed,
    runs_needed,
)

if TYPE_CHECKING:
    from hungjury.leaderboard.board import Leaderboard


def _numbers(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> list[int] | None:
    """'100,200' as a list of integers."""
    try:
        return None if value is None else [int(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r}: write integers as 100,200,500") from None


@click.command("leaderboard", no_args_is_help=True)
@judges_needed
@runs_needed
@measures_option("Measure, as listed by `hungjury measures`.", "nDCG@10")
@merge_option("--merge", "binmv")
@binary_option
@choice_option("--target", Target, "population: topics like these; topics: exactly these topics.")
@click.option(
    "--panel-error",
    type=Number(0, 1),
    default=TYPICAL_PANEL_ERROR,
    show_default=True,
    help="Typical error of the panel about a system, as a share of the measure's range; "
    "0 for the panel's own view.",
)
@choice_option(
    "--contrary",
    Contrary,
    "Drop or keep judges whose labels contradict those of all others.",
)
@click.option(
    "--families",
    metavar="PATTERN|FILE",
    help="Judges who share one vote: a regular expression on names (its match is the family), or "
    "a file with a judge and its family on each line.",
)
@click.option(
    "--gold",
    multiple=True,
    metavar="QRELS",
    help="Gold labels of some documents, to correct the leaderboard; one file per person.",
)
@plan_option
@click.option(
    "--gold-design",
    type=choice(GoldDesign),
    help="How these documents were chosen: by a plan, at random, or as whole random topics.",
)
@choice_option("--estimate", GoldEstimate, "Use gold labels together with the panel, or alone.")
@click.option(
    "--looks",
    metavar="100,200,500",
    callback=_numbers,
    help="Numbers of gold labels at which you check the result, the largest last; labelling "
    "may stop at any of them.",
)
@click.option(
    "--draws",
    type=count(MOST_DRAWS, 0),
    default=1000,
    show_default=True,
    help="Number of draws of labels and topics.",
)
@seed_option("Random seed.")
@choice_option("--scope", Scope, "Fit em's confusion matrices per topic, or over all topics.")
@choice_option(
    "--prior",
    Prior,
    "Prior of em. ranks: varies with the ranks of documents; flat: the same for all.",
)
@click.option(
    "--report",
    type=page,
    metavar="FILE",
    help="Also write an HTML report.",
)
@text_options
@format_option("table", "csv", "json", "latex")
@csv_safe_option
@output_option
@judges_and_runs
@quiet_option
def leaderboard_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], merge: str,
    rel: int | None, target: Target, panel_error: float, contrary: Contrary,
    families: str | None, gold: tuple[str, ...], plan: str | None,
    gold_design: GoldDesign | None, estimate: GoldEstimate, looks: list[int] | None,
    draws: int, seed: int, scope: Scope, prior: Prior, report: str | None,
    queries: tuple[str, ...], documents: tuple[str, ...], form: str,
    csv_safe: bool, output: str | None, reading: Reading, quiet: bool,
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
    labels = reading.judgments(judges)
    truth = reading.gold_of(gold)
    lists = reading.runs(runs)
    with progress_bar(quiet, True) as progress:
        board = leaderboard(
            labels, lists, measures[0], merge, rel, target, draws, seed, truth,
            plan=plan, gold_design=gold_design, estimate=estimate, looks=looks,
            panel_error=panel_error,
            scope=scope, prior=prior, contrary=contrary, families=families, progress=progress,
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
