"""hungjury evaluate"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hungjury.cli.options import (
    input_options,
    label_options,
    measure_option,
    output_option,
    quiet_option,
    run_files,
    run_options,
    sort_out,
)
from hungjury.cli.output import deliver, is_much, progress_bar, tell

if TYPE_CHECKING:
    from hungjury.catalogue import Measure
    from hungjury.scores import Scores

DEFAULT = ("nDCG@10", "AP", "P@10", "RR")


@click.command("evaluate", no_args_is_help=True)
@input_options
@measure_option
@click.option("-q", "--per-topic", is_flag=True, help="Every topic too.")
@click.option("-n", "--no-summary", is_flag=True, help="With -q: topics only.")
@click.option("-c", "--complete", is_flag=True, help="Same as --topics judged.")
@click.option("-M", "--depth", type=click.IntRange(min=1), help="Look at the first ranks only.")
@click.option("--rel", type=click.IntRange(min=1), help="Lowest relevant grade, for all measures.")
@click.option("-J", "--judged-only", is_flag=True, help="Leave unjudged documents out of lists.")
@click.option(
    "--topics",
    metavar="WHICH",
    help="judged, retrieved, or ids: 301,302. Default: judged (retrieved for trec).",
)
@click.option(
    "--undefined",
    type=click.Choice(["zero", "nan", "drop"]),
    default="zero",
    show_default=True,
    help="Topics with nothing relevant.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "trec", "csv", "json", "latex"]),
    default="table",
    show_default=True,
    help="How results are printed.",
)
@output_option
@label_options
@run_options
@quiet_option
def evaluate_command(
    files: tuple[str, ...], qrels: str | None, runs: tuple[str, ...], measures: tuple[str, ...],
    per_topic: bool, no_summary: bool, complete: bool, depth: int | None, rel: int | None,
    judged_only: bool, topics: str | None, undefined: str, form: str, output: str | None,
    duplicates: str, grades: Any, outside: str, ties: str, score_precision: str, names: str,
    quiet: bool,
) -> None:  # fmt: skip
    """Score runs against labels.

    \b
    Examples:
      hungjury evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
      hungjury evaluate qrels.txt 'runs/*.gz' -q --format csv -o scores.csv
      hungjury evaluate -m map -m ndcg_cut.10 --format trec qrels.txt bm25.run
    """
    from hungjury.collection.qrels import read_qrels
    from hungjury.evaluation import evaluate

    labels_file, run_paths = sort_out(files, qrels, runs)
    default = ("official",) if form == "trec" else DEFAULT
    wanted = _measures(measures or default, rel)
    if complete and topics not in (None, "judged"):
        raise click.UsageError("-c means --topics judged; choose one")
    which = "judged" if complete else topics or ("retrieved" if form == "trec" else "judged")
    chosen = which if which in ("judged", "retrieved") else which.split(",")
    labels = read_qrels(labels_file, duplicates, grades, outside)
    found = run_files(run_paths, ties, score_precision, names)
    with progress_bar(quiet, is_much(found)) as progress:
        scores = evaluate(
            labels,
            found,
            wanted,
            chosen,
            undefined,
            "condensed" if judged_only else "nonrelevant",
            depth=depth,
            progress=progress,
        )
    tell(scores.notes, quiet)
    deliver(_formatted(scores, wanted, form, per_topic, not no_summary), output)


def _measures(names: tuple[str, ...], rel: int | None) -> list[Measure]:
    """Measures by name; --rel sets the threshold of those that have one and do not name it."""
    from hungjury.catalogue import measure_list

    found = measure_list(names)
    if rel is None:
        return found
    return [m.but(rel=rel) if getattr(m, "rel", rel) == 1 else m for m in found]


def _formatted(
    scores: Scores, measures: list[Measure], form: str, per_topic: bool, summary: bool
) -> str:
    if form == "trec":
        from hungjury.report.trec import trec_lines

        return trec_lines(scores, measures, per_topic, summary)
    if form == "csv":
        return scores.to_csv(per_topic)
    if form == "json":
        return scores.to_json(per_topic)
    if form == "latex":
        return scores.to_latex()
    if not per_topic:
        return scores.to_text()
    from hungjury.report.text import topic_table

    return topic_table(scores) + ("\n\n" + scores.to_text() if summary else "")
