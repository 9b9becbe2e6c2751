"""hungjury curve"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from hungjury.base.choices import CurveBy
from hungjury.cli import options
from hungjury.cli.failing import refuse, refuse_unused
from hungjury.cli.options import count, grade, option, picture_or_csv
from hungjury.cli.output import deliver, is_much, print_notes, progress_bar
from hungjury.cli.reading import InputFiles, Reading

if TYPE_CHECKING:
    from hungjury.measures.catalogue import Measure

MOST_RANKS = 1000  # twice as many measures are scored


@click.command("curve", no_args_is_help=True)
@options.inputs
@option("--rel", "Lowest relevant grade.", grade, 1)
@option(
    "--by",
    "Interpolated precision at 11 levels of recall, or precision and recall at every rank.",
    CurveBy,
)
@option("--depth", "Number of ranks for --by rank or --topic.", count(MOST_RANKS), 100)
@option("--topic TOPIC", "Use only this topic.")
@option(
    "-o, --output FILE",
    "Write a plot (.svg, .png, .pdf) or data (.csv); default: data on stdout.",
    picture_or_csv,
)
@options.csv_safe
@options.labels_and_runs
@options.quiet
def curve_command(
    inputs: InputFiles, rel: int, by: CurveBy, depth: int, topic: str | None, output: str | None,
    csv_safe: bool, reading: Reading, quiet: bool,
) -> None:  # fmt: skip
    """Compute precision-recall curves, as data or as a plot.

    Interpolated precision at recall 0, 0.1, ..., 1, with 95 % intervals over topics for few runs;
    for one --topic, above the saw-tooth curve of precision and recall after every rank. With --by
    rank, that curve itself.

    \b
    Examples:
      hungjury curve qrels.txt bm25.run dense.run -o curve.svg
      hungjury curve qrels.txt 'runs/*' > curve.csv
      hungjury curve qrels.txt bm25.run --by rank --topic 7 -o sawtooth.svg
    """
    from hungjury.m import IPrec, NumRet, P, R
    from hungjury.measures.evaluate import evaluate

    as_data = output in (None, "-") or str(output).lower().endswith(".csv")
    refuse(csv_safe and not as_data, "--csv-safe is for data; a plot has no formulas")
    refuse_unused(by == "rank" or topic is not None, "--by rank or --topic", "--depth")
    labels_file, run_paths = inputs.sorted_out()
    found = reading.runs(run_paths)
    with progress_bar(quiet, is_much(found)) as progress:
        labels = reading.qrels(labels_file)
        saw_tooth = by == "recall" and topic is not None and not as_data
        measures: list[Measure] = []
        if by == "recall":
            measures += [IPrec(rel=rel, recall=i / 10) for i in range(11)]
        if by == "rank" or saw_tooth:
            each = range(1, depth + 1)
            measures += [NumRet(), *(kind(rel=rel, cutoff=n) for n in each for kind in (P, R))]
        topics = "judged" if topic is None else [topic]
        scores = evaluate(labels, found, measures, topics, progress=progress)
    print_notes(scores.notes, quiet)
    curve = scores.curve(rel, by)
    if saw_tooth:
        curve = replace(curve, under=scores.curve(rel, "rank"))
    if as_data:
        table = curve.table() if by == "rank" else scores
        deliver(table.to_csv(safe=csv_safe), output)
    else:
        curve.save(str(output))
