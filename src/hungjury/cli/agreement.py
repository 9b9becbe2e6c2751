"""hungjury agreement"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hungjury.cli.options import (
    csv_safe_option,
    format_option,
    measures_option,
    output_option,
    picture,
    plan_option,
    quiet_option,
)
from hungjury.cli.output import deliver, print_notes
from hungjury.cli.reading import (
    Reading,
    binary_option,
    judges_and_runs,
    judges_needed,
    runs_option,
)

if TYPE_CHECKING:
    from hungjury.data.judgments import Judgments
    from hungjury.data.qrels import Qrels


@click.command("agreement", no_args_is_help=True)
@judges_needed
@runs_option("Also compare the system rankings under each judge.")
@measures_option("Measure for these rankings.")
@binary_option
@click.option(
    "--gold",
    multiple=True,
    metavar="QRELS",
    help="Compare each judge with gold labels; one file per person.",
)
@plan_option
@click.option(
    "--heat-map",
    type=picture,
    metavar="FILE",
    help="Plot pairwise kappa, or with --gold the correlation of errors (.svg, .png, .pdf).",
)
@click.option(
    "--rankings",
    type=picture,
    metavar="FILE",
    help="Plot the ranking under each judge (with --runs).",
)
@format_option("table", "csv", "json")
@csv_safe_option
@output_option
@judges_and_runs
@quiet_option
def agreement_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], rel: int | None,
    gold: tuple[str, ...], plan: str | None, heat_map: str | None, rankings: str | None,
    form: str, csv_safe: bool, output: str | None,
    reading: Reading, quiet: bool,
) -> None:  # fmt: skip
    """Measure agreement between judges, and find copies and constant judges.

    \b
    Examples:
      hungjury agreement --judges 'judges/*'
      hungjury agreement --judges 'judges/*' --runs 'runs/*' --rel 2 --rankings ranks.svg
      hungjury agreement --judges 'judges/*' --gold labels.qrels --plan plan.csv
    """
    from hungjury.judges.agreement import agreement

    for name, value in (("--rankings", rankings), ("-m", measures)):
        if value and not runs:
            raise click.UsageError(f"{name} needs --runs")
    if len(measures) > 1:
        raise click.UsageError("only one measure can rank the systems; give -m once")
    labels = reading.judgments(judges)
    people = reading.gold_of(gold)
    if people is not None:
        if runs:
            raise click.UsageError("--gold compares labels; leave out --runs")
        _with_gold(labels, people, rel, plan, form, csv_safe, output, heat_map, quiet)
        return
    if plan or form == "csv":
        raise click.UsageError(f"{'--plan' if plan else '--format csv'} needs --gold")
    lists = reading.runs(runs) if runs else None
    found = agreement(labels, lists, measures[0] if measures else "AP", rel)
    print_notes(labels.notes, quiet)
    table = form == "table"
    deliver(found.to_text() if table else found.to_json(), output, for_people=table)
    if heat_map is not None:
        found.plot("kappa").save(heat_map)
    if rankings is not None:
        found.plot("rankings").save(rankings)


def _with_gold(
    labels: Judgments, gold: Qrels | Judgments, rel: int | None, plan: str | None, form: str,
    csv_safe: bool, output: str | None, heat_map: str | None, quiet: bool,
) -> None:  # fmt: skip
    from hungjury.leaderboard.against_gold import agreement_with_gold

    found = agreement_with_gold(labels, gold, rel, plan)
    print_notes(labels.notes + found.notes, quiet, "--format json")
    if form == "csv":
        text = found.to_csv(csv_safe)
    else:
        text = found.to_json() if form == "json" else found.to_text()
    deliver(text, output)
    if heat_map is not None:
        found.plot("errors").save(heat_map)
