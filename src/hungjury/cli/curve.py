"""hungjury curve"""

from __future__ import annotations

import click

from hungjury.cli.options import csv_safe_option, grade, picture_or_csv, quiet_option
from hungjury.cli.output import deliver, is_much, progress_bar, tell
from hungjury.cli.reading import (
    InputFiles,
    LabelFlags,
    RunFlags,
    input_options,
    label_options,
    run_options,
)


@click.command("curve", no_args_is_help=True)
@input_options
@click.option("--rel", type=grade, default=1, help="Lowest relevant grade.")
@click.option(
    "-o",
    "--output",
    type=picture_or_csv,
    metavar="FILE",
    help="Write a plot (.svg, .png, .pdf) or data (.csv); default: data on stdout.",
)
@csv_safe_option
@label_options
@run_options
@quiet_option
def curve_command(
    inputs: InputFiles, rel: int, output: str | None, csv_safe: bool, label_flags: LabelFlags,
    run_flags: RunFlags, quiet: bool,
) -> None:  # fmt: skip
    """Compute interpolated precision at recall 0, 0.1, ..., 1, as data or as a plot.

    \b
    Examples:
      hungjury curve qrels.txt bm25.run dense.run -o curve.svg
      hungjury curve qrels.txt 'runs/*' > curve.csv
    """
    from hungjury.evaluation import evaluate
    from hungjury.m import IPrec

    as_data = output in (None, "-") or str(output).endswith(".csv")
    if csv_safe and not as_data:
        raise click.UsageError("--csv-safe is for data; a plot has no formulas")
    labels_file, run_paths = inputs.sorted_out()
    found = run_flags.files(run_paths, label_flags.columns)
    with progress_bar(quiet, is_much(found)) as progress:
        labels = label_flags.qrels(labels_file)
        levels = [IPrec(rel=rel, recall=i / 10) for i in range(11)]
        scores = evaluate(labels, found, levels, progress=progress)
    tell(scores.notes, quiet)
    if as_data or output is None:
        deliver(scores.to_csv(safe=csv_safe), output)
    else:
        scores.curve().save(output)
