"""hungjury audit"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hungjury.cli import options
from hungjury.cli.failing import command_line, flag, refuse, typed_options
from hungjury.cli.output import Output, deliver, is_much, progress_bar
from hungjury.cli.reading import InputFiles, Reading
from hungjury.data.reading.options import JUDGES, LABELS, READING, among

if TYPE_CHECKING:
    from hungjury.base.errors import Surface
    from hungjury.data.audit import Audit
    from hungjury.projects.doctor import Diagnosis


@click.command("audit", no_args_is_help=True)
@options.inputs
@options.judges("Labels of several judges instead of one qrels file.")
@options.at_least
@options.results("text", "json")
@options.judges_and_runs
def audit_command(
    inputs: InputFiles, judges: tuple[str, ...], at_least: int, out: Output, reading: Reading
) -> None:
    """Check files for duplicates, ties, missing topics and unusual labels.

    Exit code 0: nothing found. 1: something unusual. 2: files cannot be used as they are.

    \b
    Examples:
      hungjury audit qrels.txt 'runs/*.run'
      hungjury audit --judges 'judges/*' 'runs/*.run' --duplicates first
    """
    from hungjury.data.audit import audit

    qrels, files = inputs.qrels, list(inputs.files)
    taken = JUDGES if judges else LABELS
    refuse(judges and qrels is not None, "give either --judges or a qrels file")
    if judges:
        source: str | list[str] = list(judges)
    elif any(reading.options[name] != JUDGES[name].default for name in JUDGES.keys() - LABELS):
        alone = "--judge-column, --repeats, --wide, --only and --without"
        raise click.UsageError(f"{alone} need --judges")
    else:
        refuse(qrels is None and not files, "give a qrels file or --judges")
        source = files.pop(0) if qrels is None else qrels
    rest = [*inputs.runs, *files]
    found = reading.runs(rest) if rest else None
    with progress_bar(out.quiet, found is not None and is_much(found)) as progress:
        report = audit(source, found, progress, judgments=bool(judges), at_least=at_least,
                       **among(reading.options, taken))  # fmt: skip
    _show(report, command_line(typed_options(click.get_current_context().command)), out)


@click.command("doctor", no_args_is_help=True)
@click.argument("files", nargs=-1, required=True, metavar="FILES")
@options.results("text", "json")
def doctor_command(files: tuple[str, ...], out: Output) -> None:
    """Say what files are, what is odd about them, and which commands they allow.

    Exit code 0: nothing found. 1: something unusual. 2: something cannot be used as it is.

    \b
    Examples:
      hungjury doctor downloads/*
    """
    from hungjury.projects.doctor import doctor

    _show(doctor(list(files)), command_line({name: flag(name) for name in READING}), out)


def _show(report: Audit | Diagnosis, surface: Surface, out: Output) -> None:
    """Write what was found, with remedies as they are typed, and exit with its code."""
    text = out.form == "text"
    deliver(report.render(surface) if text else report.to_json(), out.output, for_people=text)
    if report.exit_code:
        raise click.exceptions.Exit(report.exit_code)
