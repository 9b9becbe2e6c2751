"""hungjury aware"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.choices import Orientation
from hungjury.base.parameters import MOST_DRAWS
from hungjury.cli import options
from hungjury.cli.failing import refuse, refuse_unused, was_typed
from hungjury.cli.options import count, option
from hungjury.cli.output import Output, print_notes, progress_bar
from hungjury.cli.reading import Reading, ScoreTables


@click.command("aware", no_args_is_help=True)
@options.judges()
@options.runs()
@options.scores
@options.measures("Measure; repeatable, except with --all.", "AP")
@option(
    "--weights",
    "uni, supervised, or {sgl|tpc}_{fro|rmse|kld|tau|apc}_{md|msd|med}.",
    default="uni",
)
@options.rel
@option(
    "--gold QRELS",
    "Gold labels, for --weights supervised and --all; with --scores, the judge whom the others "
    "are compared with.",
)
@option("--all", "Compare all weights and merges with --gold.", bool, name="compare")
@option("--replicates", "Number of random judges of each kind.", count(MOST_DRAWS), 1000)
@options.seed()
@option(
    "--orientation",
    "Weight by distance from random judges, or as the paper's equations are printed.",
    Orientation,
)
@option("--drop-empty", "Drop judges with no relevant document on some topic.", bool)
@options.results("table", "csv", "json")
@options.judges_gold_and_runs
def aware_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], weights: str,
    gold: str | None, compare: bool, out: Output, reading: Reading, tables: ScoreTables, **how: Any,
) -> None:  # fmt: skip
    """Merge scores instead of labels, weighting judges by their distance from random ones.

    \b
    Examples:
      hungjury aware --judges 'judges/*' --runs 'runs/*' -m AP --weights sgl_tau_msd --rel 2
      hungjury aware --judges 'judges/*' --runs 'runs/*' -m AP --rel 2 --all --gold qrels.txt
      hungjury aware --scores answers.csv --scale 1-5 --weights sgl_tau_msd
    """
    from hungjury.judges.aware import aware, aware_of_scores
    from hungjury.judges.judge_scores import compare_approaches
    from hungjury.judges.merge import merge_names

    refuse(compare and gold is None, "--all needs --gold")
    refuse(compare and len(measures) > 1, "--all takes one measure; give -m once")
    refuse(compare and was_typed("--weights"), "--all compares all weights; leave out --weights")
    random = compare or weights not in ("uni", "supervised")
    refuse_unused(
        random, "--all, or other --weights than uni and supervised", "--replicates", "--orientation"
    )
    found: Any
    if tables.scores:
        rel, drop_empty = how.pop("rel"), how.pop("drop_empty")
        if judges or runs or compare or rel is not None or drop_empty:
            raise click.UsageError("--scores takes the place of labels and runs and their options")
        found = aware_of_scores(tables.read(), weights, gold=gold, **how)
        notes = found.notes
    else:
        refuse(not (judges and runs), "give --judges and --runs, or --scores")
        labels, lists = reading.judgments(judges), reading.runs(runs)
        how["gold"] = None if gold is None else reading.gold(gold)
        with progress_bar(out.quiet) as how["progress"]:
            if compare:
                merges = merge_names(of_judges=True)
                found = compare_approaches(labels, lists, measures[0], merges=merges, **how)
            else:
                found = aware(labels, lists, measures, weights, **how)
        notes = labels.notes + found.notes if compare else found.notes
    print_notes(notes, out.quiet)
    out.write(found)
