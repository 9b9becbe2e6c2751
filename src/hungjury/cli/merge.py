"""hungjury merge"""

from __future__ import annotations

import click

from hungjury.base.choices import MergePicture, Scope
from hungjury.cli import options
from hungjury.cli.failing import refuse, refuse_unused, was_typed
from hungjury.cli.options import grade, option
from hungjury.cli.output import Output, Plots, deliver, print_notes, say
from hungjury.cli.reading import Reading


@click.command("merge", no_args_is_help=True)
@options.judges(required=True)
@options.merge("--method", "em-neu")
@option(
    "--rel",
    "Make labels binary; grades from this one up are relevant. Default: merge grades.",
    grade,
)
@option("--scope", "Fit em's confusion matrices per topic, or over all topics.", Scope)
@options.gold(
    "Gold labels of some documents: without --method, compare all merges with them; else em and "
    "prm learn from them."
)
@option("--soft", "Write probabilities instead of the most likely labels.", bool)
@options.runs("Runs, to weight the votes of binmv by AWARE's weights; needs -m.")
@options.measures("Measure that these weights are computed with; repeatable.")
@option("--weights", "AWARE's weights, as in `hungjury aware`.", default="sgl_tau_msd")
@options.seed()
@options.plots(MergePicture)
@options.formats("table", "csv", "json", more=" of the comparison with --gold")
@options.output
@options.judges_gold_and_runs
@options.quiet
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

    refuse(len(gold) > 1, "give --gold once")
    compare = bool(gold) and not was_typed("--method")
    refuse_unused(compare, "--gold without --method", "--format")
    if compare:
        if soft or runs or was_typed("--plot"):
            raise click.UsageError("--gold without --method compares merges; choose a --method")
        labels = reading.judgments(judges)
        found = compare_merges(labels, reading.gold(gold[0]), rel, scope, seed)
        print_notes(labels.notes + found.notes, quiet)
        Output(form, output, quiet).write(found)
        return
    if soft and merge_method(method).gives == "labels":
        raise click.UsageError(
            f"--soft needs a merge that gives probabilities; {method} gives labels"
        )
    refuse_unused(merge_method(method).drawn_from == "model", "an em merge", "--scope")
    refuse_unused(runs, "--runs", "--weights", "--ties", "--score-precision", "--names")
    labels = reading.judgments(judges)
    lists = reading.runs(runs) if runs else None
    merged = merge(
        labels, method, rel, scope, seed, runs=lists, measure=measures or None, weights=weights,
        gold=reading.gold(gold[0]) if gold else None,
    )  # fmt: skip
    print_notes(labels.notes + merged.notes, quiet)
    deliver((merged.plain() if soft else merged.hard()).to_text(), output)
    plots.draw(merged)
    say(
        f"{output or 'merged'}: {plural(len(merged), 'document')} for "
        f"{plural(len(merged.topics), 'topic')}, "
        f"{plural(len(labels.judges), 'judge')} merged by {merged.settings.merge}",
        quiet,
    )
