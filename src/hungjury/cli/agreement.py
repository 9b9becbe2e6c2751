"""hungjury agreement"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from hungjury.base.choices import PanelPicture
from hungjury.cli import options
from hungjury.cli.failing import refuse, refuse_unused, was_typed
from hungjury.cli.output import Output, Plots, print_notes
from hungjury.cli.reading import Reading, ScoreTables
from hungjury.leaderboard.options import BOARD


@click.command("agreement", no_args_is_help=True)
@options.judges()
@options.scores
@options.runs("Also compare the system rankings under each judge.")
@options.measures("Measure for these rankings.")
@options.rel
@options.declared(BOARD["families"])
@options.at_least
@options.gold("Compare each judge with gold labels; one file per person.")
@options.plan
@options.plots(PanelPicture)
@options.results("table", "csv", "json")
@options.judges_gold_and_runs
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
    from hungjury.leaderboard.gold_agreement import agreement_with_gold

    if tables.scores:
        from hungjury.studies.measure_comparison import correlate_measures

        refuse(judges or runs or gold, "--scores takes the place of --judges, --runs and --gold")
        scores = tables.read_some(measures)
        rankings = correlate_measures(scores)
        print_notes(scores.notes, out.quiet)
        out.write(rankings)
        picture = plots.picture if was_typed("--picture") else "tau"
        replace(plots, picture=picture).draw(scores if picture == "bump" else rankings)
        return
    refuse(not judges, "give --judges, or --scores")
    refuse_unused(runs, "--runs", "-m", "--families")
    if len(measures) > 1 and was_typed("-m"):
        raise click.UsageError("only one measure can rank the systems; give -m once")
    refuse(plan and not gold, "--plan needs --gold")
    labels = reading.judgments(judges)
    people = reading.gold_of(gold)
    found: Any
    if people is None:
        lists = reading.runs(runs) if runs else None
        found = agreement(labels, lists, measures[0] if measures else "AP", rel, families, at_least)
        print_notes(labels.notes, out.quiet)
    elif was_typed("--runs"):
        raise click.UsageError("--gold compares labels; leave out --runs")
    else:
        found = agreement_with_gold(labels, people, rel, plan or None, at_least=at_least)
        print_notes(labels.notes + found.notes, out.quiet, "--format json")
    out.write(found)
    plots.draw(found)
