"""hungjury agreement"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from hungjury.base.choices import PanelPicture
from hungjury.cli.options import (
    at_least_option,
    gold_option,
    measures_option,
    plan_option,
    plot_options,
    refuse_unused,
    result_options,
    was_typed,
)
from hungjury.cli.output import Output, Plots
from hungjury.cli.reading import (
    Reading,
    ScoreTables,
    binary_option,
    flag,
    judges_gold_and_runs,
    judges_option,
    runs_option,
    scores_options,
)
from hungjury.leaderboard.options import BOARD

if TYPE_CHECKING:
    from hungjury.data.qrels import Judgments, Qrels


@click.command("agreement", no_args_is_help=True)
@judges_option()
@scores_options
@runs_option("Also compare the system rankings under each judge.")
@measures_option("Measure for these rankings.")
@binary_option
@flag(BOARD["families"])
@at_least_option
@gold_option("Compare each judge with gold labels; one file per person.")
@plan_option
@plot_options(PanelPicture)
@result_options("table", "csv", "json")
@judges_gold_and_runs
def agreement_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], rel: int | None,
    families: str | None, at_least: int, gold: tuple[str, ...], plan: tuple[str, ...], plots: Plots,
    out: Output, reading: Reading, tables: ScoreTables,
) -> None:  # fmt: skip
    """Measure agreement between judges, and find copies and constant judges.

    With --scores, correlate the rankings of systems by judges, or by measures.

    \b
    Examples:
      hungjury agreement --judges 'judges/*'
      hungjury agreement --judges 'judges/*' --runs 'runs/*' --rel 2 --plot ranks.svg \\
          --picture rankings
      hungjury agreement --judges 'judges/*' --runs 'runs/*' --families '^[^_]+'
      hungjury agreement --judges crowd.csv --at-least 100
      hungjury agreement --judges 'judges/*' --gold labels.qrels --plan plan.csv
      hungjury agreement --scores answers.csv --scale 1-5
    """
    from hungjury.judges.agreement import agreement

    if tables.scores:
        if judges or runs or gold:
            raise click.UsageError("--scores takes the place of --judges, --runs and --gold")
        _rankings(tables, measures, out, plots)
        return
    if not judges:
        raise click.UsageError("give --judges, or --scores")
    for name in ("-m", "--families"):
        refuse_unused(name, "--runs", bool(runs))
    if len(measures) > 1 and was_typed("-m"):
        raise click.UsageError("only one measure can rank the systems; give -m once")
    labels = reading.judgments(judges)
    people = reading.gold_of(gold)
    if people is not None:
        if was_typed("--runs"):
            raise click.UsageError("--gold compares labels; leave out --runs")
        _with_gold(labels, people, rel, plan, at_least, out, plots)
        return
    if plan:
        raise click.UsageError("--plan needs --gold")
    lists = reading.runs(runs) if runs else None
    found = agreement(labels, lists, measures[0] if measures else "AP", rel, families, at_least)
    out.notes(labels.notes)
    out.write(found)
    plots.draw(found)


def _rankings(tables: ScoreTables, measures: tuple[str, ...], out: Output, plots: Plots) -> None:
    from hungjury.studies.measure_comparison import correlate_measures

    scores = tables.read_some(measures)
    found = correlate_measures(scores)
    out.notes(scores.notes)
    out.write(found)
    picture = plots.picture if was_typed("--picture") else "tau"
    plots = replace(plots, picture=picture)
    plots.draw(scores if picture == "bump" else found)


def _with_gold(
    labels: Judgments, gold: Qrels | Judgments, rel: int | None, plan: tuple[str, ...],
    at_least: int, out: Output, plots: Plots,
) -> None:  # fmt: skip
    from hungjury.leaderboard.gold_agreement import agreement_with_gold

    found = agreement_with_gold(labels, gold, rel, plan or None, at_least=at_least)
    out.notes(labels.notes + found.notes, "--format json")
    out.write(found)
    plots.draw(found)
