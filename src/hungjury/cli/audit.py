"""hungjury audit"""

from __future__ import annotations

from dataclasses import asdict

import click

from hungjury.cli.failing import command_line, typed_options
from hungjury.cli.options import format_option, output_option, quiet_option
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


@click.command("audit", no_args_is_help=True)
@input_options
@judge_options("Labels of several judges instead of one qrels file.")
@format_option("text", "json")
@output_option
@label_options
@run_options
@quiet_option
def audit_command(
    inputs: InputFiles, judges: JudgeFiles, form: str, output: str | None, label_flags: LabelFlags,
    run_flags: RunFlags, quiet: bool,
) -> None:  # fmt: skip
    """Check files for duplicates, ties, missing topics and unusual labels.

    Exit code 0: nothing found. 1: something unusual. 2: files cannot be used as they are.

    \b
    Examples:
      hungjury audit qrels.txt 'runs/*.run'
      hungjury audit --judges 'judges/*' 'runs/*.run' --duplicates first
    """
    from hungjury.data.audit import audit

    qrels, files = inputs.qrels, list(inputs.files)
    if judges.judges and qrels is not None:
        raise click.UsageError("give either --judges or a qrels file")
    if judges.judges:
        source: str | list[str] = list(judges.judges)
    elif any(judges.options().values()):
        raise click.UsageError("--judge-column, --wide, --only and --without need --judges")
    else:
        if qrels is None and not files:
            raise click.UsageError("give a qrels file or --judges")
        source = files.pop(0) if qrels is None else qrels
    rest = [*inputs.runs, *files]
    found = run_flags.files(rest, label_flags.columns) if rest else None
    reading = {**asdict(label_flags), **(judges.options() if judges.judges else {})}
    with progress_bar(quiet, found is not None and is_much(found)) as progress:
        report = audit(source, found, progress, judgments=bool(judges.judges), **reading)
    surface = command_line(typed_options(click.get_current_context().command))
    text = form == "text"
    deliver(report.render(surface) if text else report.to_json(), output, for_people=text)
    if report.exit_code:
        raise click.exceptions.Exit(report.exit_code)
