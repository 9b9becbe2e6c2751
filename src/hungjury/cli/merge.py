"""hungjury merge"""

from __future__ import annotations

import click

from hungjury.choices import Scope
from hungjury.cli.options import (
    choice_option,
    grade,
    merge_option,
    output_option,
    quiet_option,
    seed_option,
)
from hungjury.cli.output import deliver, print_notes
from hungjury.cli.reading import JudgeFiles, LabelFlags, judges_needed, label_options


@click.command("merge", no_args_is_help=True)
@judges_needed
@merge_option("--method", "em-neu", of_labels=True)
@click.option(
    "--rel",
    type=grade,
    help="Make labels binary; grades from this one up are relevant. Default: merge grades.",
)
@choice_option("--scope", Scope, "Fit em's confusion matrices per topic, or over all topics.")
@click.option("--soft", is_flag=True, help="Write probabilities instead of the most likely labels.")
@seed_option("Random seed for ties.")
@output_option
@label_options
@quiet_option
def merge_command(
    judges: JudgeFiles, method: str, rel: int | None, scope: Scope, soft: bool, seed: int,
    output: str | None, label_flags: LabelFlags, quiet: bool,
) -> None:  # fmt: skip
    """Merge the labels of several judges into one qrels file.

    \b
    Examples:
      hungjury merge --judges 'judges/*' --method em-neu --rel 2 -o merged.qrels
      hungjury merge --judges 'judges/*' --rel 2 | hungjury evaluate - 'runs/*' -m AP
      hungjury merge --judges 'judges/*' --method binmv --rel 2 --soft -o soft.qrels
    """
    from hungjury.collection.notes import plural
    from hungjury.judges.merging import merge, merge_method

    if soft and merge_method(method).gives == "labels":
        raise click.UsageError(
            f"--soft needs a merge that gives probabilities; {method} gives labels"
        )
    labels = label_flags.judgments(judges)
    merged = merge(labels, method, rel, scope, seed)
    print_notes(labels.notes + merged.notes, quiet)
    deliver((merged.plain() if soft else merged.hard()).to_text(), output)
    if not quiet:
        click.echo(
            f"{output or 'merged'}: {plural(len(merged), 'document')} for "
            f"{plural(len(merged.topics), 'topic')}, {len(labels.judges)} judges merged by "
            f"{merged.settings.merge}",
            err=True,
        )
