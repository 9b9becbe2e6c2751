"""hungjury audit"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hungjury.cli.options import output_option, quiet_option, text_or_json
from hungjury.cli.output import deliver, is_much, progress_bar
from hungjury.cli.reading import (
    InputFiles,
    JudgeFiles,
    LabelFlags,
    RunFlags,
    input_options,
    judge_options,
    label_options,
    run_options,
)

if TYPE_CHECKING:
    from hungjury.collection.judgments import Judgments
    from hungjury.collection.qrels import Qrels


@click.command("audit", no_args_is_help=True)
@input_options
@judge_options("Labels of several judges instead of one qrels file.")
@text_or_json
@output_option
@label_options
@run_options
@quiet_option
def audit_command(
    inputs: InputFiles, judges: JudgeFiles, form: str, output: str | None, label_flags: LabelFlags,
    run_flags: RunFlags, quiet: bool,
) -> None:  # fmt: skip
    """Check files for duplicates, ties, missing topics and unusual labels.

    \b
    Examples:
      hungjury audit qrels.txt 'runs/*.run'
      hungjury audit --judges 'judges/*' 'runs/*.run' --duplicates first
    """
    from hungjury.collection.audit import audit

    qrels, files = inputs.qrels, list(inputs.files)
    if judges.judges and qrels is not None:
        raise click.UsageError("give either --judges or a qrels file")
    labels: Qrels | Judgments
    if judges.judges:
        labels = label_flags.judgments(judges)
    elif any(judges.options().values()):
        raise click.UsageError("--judge-column, --wide, --only and --without need --judges")
    else:
        if qrels is None and not files:
            raise click.UsageError("give a qrels file or --judges")
        labels = label_flags.qrels(files.pop(0) if qrels is None else qrels)
    rest = [*inputs.runs, *files]
    found = run_flags.files(rest, label_flags.columns) if rest else None
    with progress_bar(quiet, found is not None and is_much(found)) as progress:
        report = audit(labels, found, progress)
    deliver(str(report) if form == "text" else report.to_json(), output)
