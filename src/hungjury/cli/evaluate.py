"""hungjury evaluate"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hungjury.cli.options import csv_safe_option, format_option, output_option, quiet_option
from hungjury.cli.output import deliver, print_notes
from hungjury.cli.reading import (
    DEFAULT,
    labels_and_runs,
    score_files,
    scoring_options,
)

if TYPE_CHECKING:
    from hungjury.measures.catalogue import Measure
    from hungjury.measures.scores import Scores


@click.command("evaluate", no_args_is_help=True)
@scoring_options
@click.option("-q", "--per-topic", is_flag=True, help="Also show every topic.")
@click.option("-n", "--no-summary", is_flag=True, help="With -q: show topics only.")
@format_option(
    "table",
    "trec",
    "csv",
    "json",
    "latex",
    more="; trec defaults to --topics retrieved, --score-precision single and the official "
    "measures of trec_eval",
)
@csv_safe_option
@output_option
@labels_and_runs
@quiet_option
def evaluate_command(
    per_topic: bool, no_summary: bool, form: str, csv_safe: bool, output: str | None, **scoring: Any
) -> None:
    """Score runs against labels.

    \b
    Examples:
      hungjury evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
      hungjury evaluate qrels.txt 'runs/*.gz' -q --format csv -o scores.csv
      hungjury evaluate -m map -m ndcg_cut.10 --format trec qrels.txt bm25.run
    """
    if no_summary and not per_topic:
        raise click.UsageError("-n needs -q")
    if per_topic and form == "latex":
        raise click.UsageError("--format latex does not support -q")
    if form == "trec":
        scores, measures = score_files(("official",), "retrieved", "single", **scoring)
    else:
        scores, measures = score_files(DEFAULT, **scoring)
    print_notes(scores.notes, scoring["quiet"])
    deliver(_formatted(scores, measures, form, per_topic, not no_summary, csv_safe), output)


def _formatted(
    scores: Scores, measures: list[Measure], form: str, per_topic: bool, summary: bool,
    safe: bool,
) -> str:  # fmt: skip
    if form == "trec":
        from hungjury.report.scores import trec_lines

        return trec_lines(scores, measures, per_topic, summary)
    if form == "csv":
        return scores.to_csv(per_topic, summary, safe)
    if form == "json":
        return scores.to_json(per_topic)
    if form == "latex":
        return scores.to_latex()
    if not per_topic:
        return scores.to_text()
    from hungjury.report.scores import topic_table

    return topic_table(scores) + ("\n\n" + scores.to_text() if summary else "")
