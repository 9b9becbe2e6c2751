"""hungjury audit"""

from __future__ import annotations

from typing import Any

import click

from hungjury.cli.options import (
    input_options,
    label_options,
    output_option,
    quiet_option,
    run_files,
    run_options,
)
from hungjury.cli.output import deliver, is_much, progress_bar


@click.command("audit", no_args_is_help=True)
@input_options
@click.option(
    "--judges",
    multiple=True,
    metavar="FILES",
    help="Labels of several assessors, a file each, instead of one qrels file.",
)
@output_option
@label_options
@run_options
@quiet_option
def audit_command(
    files: tuple[str, ...], qrels: str | None, runs: tuple[str, ...], judges: tuple[str, ...],
    output: str | None, duplicates: str, grades: Any, outside: str, ties: str,
    score_precision: str, names: str, quiet: bool,
) -> None:  # fmt: skip
    """Look files over before trusting a number: duplicates, ties, missing topics, odd labels.

    \b
    Examples:
      hungjury audit qrels.txt 'runs/*.run'
      hungjury audit --judges 'judges/*' 'runs/*.run' --duplicates first
    """
    from hungjury.collection.audit import audit
    from hungjury.collection.judgments import Judgments, read_judgments
    from hungjury.collection.qrels import Qrels, read_qrels

    rest = [*runs, *files]
    labels: Qrels | Judgments
    if judges:
        labels = read_judgments(list(judges), duplicates, grades, outside)
    else:
        if qrels is None:
            qrels, rest = (files[0] if files else None), [*runs, *files[1:]]
        if qrels is None:
            raise click.UsageError("name a qrels file, or --judges")
        labels = read_qrels(qrels, duplicates, grades, outside)
    found = run_files(rest, ties, score_precision, names) if rest else None
    with progress_bar(quiet, found is not None and is_much(found)) as progress:
        report = audit(labels, found, progress)
    deliver(str(report), output)
