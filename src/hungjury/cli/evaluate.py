"""hungjury evaluate"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.choices import ScoresPicture
from hungjury.cli import options
from hungjury.cli.failing import refuse
from hungjury.cli.options import count, inner_share, option
from hungjury.cli.output import Output, Plots, deliver, keep_in_project, print_notes
from hungjury.cli.reading import DEFAULT, score_files


@click.command("evaluate", no_args_is_help=True)
@options.scoring
@option("-q, --per-topic", "Also show every topic.", bool)
@option("-n, --no-summary", "With -q: show topics only.", bool)
@option("--std", "Show standard deviations due to uncertain labels.", bool)
@option(
    "--interval LEVEL",
    "Show intervals of this level, such as 0.95, due to uncertain labels, for E(X).",
    inner_share,
    name="level",
)
@option(
    "--quantile Q ...",
    "Show a quantile, such as 0.5, of the distribution due to uncertain labels, for E(X); "
    "may be given several times.",
    inner_share,
    name="quantiles",
)
@option(
    "--residual",
    "Also show how much each score could grow if what was not judged were relevant; "
    "for rank-weighted measures such as RBP and INST.",
    bool,
)
@option("--decimals", "Decimals of means. [default: 4]", count(10, 0))
@options.plots(ScoresPicture)
@options.results(
    *("table", "trec", "csv", "json", "latex", "markdown", "html", "ir_metadata"),
    more="; trec defaults to --topics retrieved, --score-precision single and the official "
    "measures of trec_eval",
)
@options.labels_and_runs
def evaluate_command(
    per_topic: bool, no_summary: bool, std: bool, level: float | None,
    quantiles: tuple[float, ...], residual: bool, decimals: int | None, plots: Plots, out: Output,
    **scoring: Any,
) -> None:  # fmt: skip
    """Score runs against labels.

    \b
    Examples:
      hungjury evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
      hungjury evaluate qrels.txt 'runs/*.gz' -q -o scores.csv
      hungjury evaluate qrels.txt 'runs/*' -m AP -m RR --plot means.pdf --picture ranking
      hungjury evaluate -m map -m ndcg_cut.10 --format trec qrels.txt bm25.run
      hungjury evaluate soft.qrels 'runs/*' -m "E(nDCG@10)" --std --interval 0.95
    """
    from hungjury.measures.catalogue import measure_list

    distribution = level is not None or bool(quantiles)
    refuse(no_summary and not per_topic, "-n needs -q")
    if per_topic and out.form in ("latex", "markdown", "html"):
        raise click.UsageError(f"--format {out.form} does not support -q")
    if residual:
        wanted = measure_list(scoring["measures"] or DEFAULT)
        scoring["measures"] = tuple(one for m in wanted for one in (str(m), f"Residual({m})"))
    if out.form == "trec":
        if std or distribution:
            raise click.UsageError("--format trec has no place for --std, --interval or --quantile")
        scores, measures = score_files(out, ("official",), "retrieved", "single", **scoring)
    else:
        scores, measures = score_files(out, DEFAULT, distribution=distribution, **scoring)
    if std or distribution:
        scores = scores.with_spread(std, level, quantiles)
    print_notes(scores.notes, out.quiet)
    if per_topic or out.form == "trec":
        from hungjury.report.comparison import topic_table, trec_lines

        if out.form == "trec":
            text = trec_lines(scores, measures, per_topic, not no_summary)
        elif out.form == "csv":
            text = scores.to_csv(per_topic, not no_summary, out.csv_safe)
        elif out.form == "json":
            text = scores.to_json(per_topic)
        else:
            text = topic_table(scores) + ("" if no_summary else f"\n\n{scores.to_text()}")
        deliver(text, out.output)
        keep_in_project(scores.to_json)
    else:
        out.write(scores, **({} if decimals is None else {"digits": decimals}))
    plots.draw(scores)
