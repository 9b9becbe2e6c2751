"""hungjury merge"""

from __future__ import annotations

import click

from hungjury.cli.options import quiet_option
from hungjury.cli.output import tell
from hungjury.cli.reading import JudgeFiles, LabelFlags, judges_needed, label_options


@click.command("merge", no_args_is_help=True)
@judges_needed
@click.option(
    "--method",
    default="em-neu",
    show_default=True,
    help="mv, em-mv, em-neu, binmv or qbinmv; parameters as in 'qbinmv(k=10)'.",
)
@click.option(
    "--rel",
    type=click.IntRange(min=1),
    help="Lowest relevant grade: labels become binary. Default: merge grades.",
)
@click.option(
    "--scope",
    type=click.Choice(["topic", "all"]),
    default="topic",
    show_default=True,
    help="What em learns about assessors: per topic, or over all topics.",
)
@click.option("--soft", is_flag=True, help="Write probabilities, not the likeliest labels.")
@click.option("--seed", default=0, show_default=True, help="Seed of the coins that decide ties.")
@click.option("-o", "--output", required=True, metavar="FILE", help="The merged qrels.")
@label_options
@quiet_option
def merge_command(
    judges: JudgeFiles, method: str, rel: int | None, scope: str, soft: bool, seed: int,
    output: str, label_flags: LabelFlags, quiet: bool,
) -> None:  # fmt: skip
    """Merge the labels of several assessors into one qrels file.

    \b
    Examples:
      hungjury merge --judges 'judges/*' --method em-neu --rel 2 -o merged.qrels
      hungjury merge --judges 'judges/*' --method binmv --rel 2 --soft -o soft.qrels
    """
    from hungjury.assessors.merging import merge

    labels = label_flags.judgments(judges)
    merged = merge(labels, method, rel, scope, seed)
    tell(labels.notes + merged.notes, quiet)
    (merged.plain() if soft else merged.hard()).write(output)
    if not quiet:
        click.echo(
            f"{output}: {len(merged):,} documents for {len(merged.topics):,} topics, "
            f"{len(labels.assessors)} assessors merged by {merged.policies['merge']}",
            err=True,
        )
