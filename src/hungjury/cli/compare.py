"""hungjury compare"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.choices import (
    ComparisonPicture,
    ComparisonTable,
    Marks,
    Multiplicity,
    SignificanceTest,
)
from hungjury.base.errors import either
from hungjury.base.parameters import MOST_MARGIN, MOST_SAMPLES
from hungjury.cli.options import (
    Number,
    choice,
    choice_option,
    count,
    option,
    plot_options,
    refuse_unused,
    result_options,
    seed_option,
)
from hungjury.cli.output import Output, Plots
from hungjury.cli.reading import DEFAULT, labels_and_runs, score_files, scoring_options


@click.command("compare", no_args_is_help=True)
@scoring_options
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="SYSTEM",
    help="Compare every system with this one; repeatable; default: all pairs.",
)
@click.option(
    "--margin",
    type=Number(0, MOST_MARGIN, min_open=True),
    help="Also test whether systems are equivalent: differ by less than this.",
)
@choice_option(
    "--test", SignificanceTest, "Significance test; all are two-sided and paired by topic."
)
@click.option(
    "--correction",
    type=choice(Multiplicity),
    help="Correction of p-values over all comparisons by one measure. [default: holm; "
    "Tukey's tests have their own]",
)
@choice_option("--table", ComparisonTable, "All comparisons, or systems by measures as in papers.")
@click.option(
    "--systems",
    multiple=True,
    metavar="NAME",
    help="Show only these and the baselines; repeatable. Tests stay corrected for all.",
)
@click.option(
    "--top",
    type=count(MOST_SAMPLES),
    metavar="N",
    help="Show only the N best by the first measure, and the baselines.",
)
@click.option("--decimals", type=count(10, 0), help="Decimals. [default: 4; 3 if compact]")
@click.option(
    "--marks",
    type=choice(Marks),
    help="With --table compact: superscripts of significance. [default: dagger for up "
    "to five baselines, else letters]",
)
@click.option(
    "--caption",
    metavar="TEXT",
    default="",
    help="With --table compact: begins the caption, which states test and level.",
)
@option("--alpha", type=Number(0, 1, min_open=True, max_open=True), default=0.05,
        help="Significance level; intervals have level 1 - alpha.")  # fmt: skip
@option("--samples", type=count(MOST_SAMPLES), default=10000,
        help="Number of samples of randomisation and bootstrap.")  # fmt: skip
@seed_option("Random seed of randomisation and bootstrap.")
@plot_options(ComparisonPicture)
@result_options("table", "csv", "json", "latex", "markdown", "html")
@labels_and_runs
def compare_command(
    baselines: tuple[str, ...], margin: float | None, test: SignificanceTest,
    correction: Multiplicity | None, table: ComparisonTable, systems: tuple[str, ...],
    top: int | None, decimals: int | None, marks: Marks | None, caption: str, alpha: float,
    samples: int, seed: int, plots: Plots, out: Output, **scoring: Any,
) -> None:  # fmt: skip
    """Test whether systems differ significantly over topics.

    \b
    Examples:
      hungjury compare qrels.txt 'runs/*' -m nDCG@10 -m AP --baseline bm25
      hungjury compare qrels.txt 'runs/*' -m nDCG@10 --test randomisation --correction bonferroni
      hungjury compare qrels.txt 'runs/*' -m AP --baseline bm25 --baseline dense --margin 0.01
      hungjury compare qrels.txt 'runs/*' -m AP --baseline bm25 --table compact --format latex
      hungjury compare qrels.txt 'runs/*' -m AP --test tukey --top 10 --plot pairs.pdf
    """
    from hungjury.comparison.compare import compare

    draws = ["randomisation", "bootstrap", "randomised-tukey"]
    refuse_unused("--samples", f"--test {either(draws)}", test in draws)
    for name in ("--marks", "--caption"):
        refuse_unused(name, "--table compact", table == "compact")
    scores, _ = score_files(out, DEFAULT, **scoring, distribution=True)
    found = compare(
        scores, baselines or None, test, correction, alpha=alpha, margin=margin, samples=samples,
        seed=seed,
    )  # fmt: skip
    out.notes(found.notes)
    found = found.select(systems or None, top)
    if table == "compact":
        out.write(found.compact(3 if decimals is None else decimals, marks, caption))
    else:
        out.write(found, **({} if decimals is None else {"digits": decimals}))
    plots.draw(found)
