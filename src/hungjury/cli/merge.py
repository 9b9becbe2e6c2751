"""hungjury merge"""

from __future__ import annotations

import click

from hungjury.base.choices import MergePicture, Scope
from hungjury.cli.options import (
    choice_option,
    format_option,
    gold_option,
    grade,
    measures_option,
    merge_option,
    option,
    output_option,
    plot_options,
    quiet_option,
    refuse_unused,
    seed_option,
    was_typed,
)
from hungjury.cli.output import Plots, deliver, print_notes
from hungjury.cli.reading import Reading, judges_gold_and_runs, judges_needed, runs_option


@click.command("merge", no_args_is_help=True)
@judges_needed
@merge_option("--method", "em-neu", of_labels=True)
@click.option(
    "--rel",
    type=grade,
    help="Make labels binary; grades from this one up are relevant. Default: merge grades.",
)
@choice_option("--scope", Scope, "Fit em's confusion matrices per topic, or over all topics.")
@gold_option(
    "Gold labels of some documents: without --method, compare all merges with them; else em and "
    "prm learn from them."
)
@click.option("--soft", is_flag=True, help="Write probabilities instead of the most likely labels.")
@runs_option("Runs, to weight the votes of binmv by AWARE's weights; needs -m.")
@measures_option("Measure that these weights are computed with; repeatable.")
@option("--weights", default="sgl_tau_msd", help="AWARE's weights, as in `hungjury aware`.")
@seed_option("Random seed.")
@plot_options(MergePicture)
@format_option("table", "csv", "json", more=" of the comparison with --gold")
@output_option
@judges_gold_and_runs
@quiet_option
def merge_command(
    judges: tuple[str, ...], method: str, rel: int | None, scope: Scope, soft: bool,
    gold: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], weights: str,
    seed: int, plots: Plots, form: str, output: str | None, reading: Reading, quiet: bool,
) -> None:  # fmt: skip
    """Merge the labels of several judges into one qrels file.

    \b
    Examples:
      hungjury merge --judges 'judges/*' --method em-neu --rel 2 -o merged.qrels
      hungjury merge --judges 'judges/*' --rel 2 | hungjury evaluate - 'runs/*' -m AP
      hungjury merge --judges 'judges/*' --method binmv --rel 2 --soft -o soft.qrels
      hungjury merge --judges 'judges/*' --gold gold.qrels
      hungjury merge --judges 'judges/*' --method binmv --rel 2 --runs 'runs/*' -m AP --soft
    """
    from hungjury.base.errors import plural
    from hungjury.judges.merge import compare_merges, merge, merge_method

    if len(gold) > 1:
        raise click.UsageError("give --gold once")
    compare = bool(gold) and not was_typed("--method")
    refuse_unused("--format", "--gold without --method", compare)
    if compare:
        if soft or runs or was_typed("--plot"):
            raise click.UsageError("--gold without --method compares merges; choose a --method")
        labels = reading.judgments(judges)
        found = compare_merges(labels, reading.gold(gold[0]), rel, scope, seed)
        print_notes(labels.notes + found.notes, quiet)
        shown = {"table": found.to_text, "csv": found.to_csv, "json": found.to_json}
        deliver(shown[form](), output, for_people=form == "table")
        return
    if soft and merge_method(method).gives == "labels":
        raise click.UsageError(
            f"--soft needs a merge that gives probabilities; {method} gives labels"
        )
    refuse_unused("--scope", "an em merge", merge_method(method).drawn_from == "model")
    for name in ("--weights", "--ties", "--score-precision", "--names"):
        refuse_unused(name, "--runs", bool(runs))
    labels = reading.judgments(judges)
    lists = reading.runs(runs) if runs else None
    merged = merge(
        labels, method, rel, scope, seed, runs=lists, measure=measures or None, weights=weights,
        gold=reading.gold(gold[0]) if gold else None,
    )  # fmt: skip
    print_notes(labels.notes + merged.notes, quiet)
    deliver((merged.plain() if soft else merged.hard()).to_text(), output)
    plots.draw(merged)
    if not quiet:
        click.echo(
            f"{output or 'merged'}: {plural(len(merged), 'document')} for "
            f"{plural(len(merged.topics), 'topic')}, "
            f"{plural(len(labels.judges), 'judge')} merged by {merged.settings.merge}",
            err=True,
        )
