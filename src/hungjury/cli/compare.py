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
from hungjury.cli import options
from hungjury.cli.failing import refuse_unused
from hungjury.cli.options import Number, count, option
from hungjury.cli.output import Output, Plots, print_notes
from hungjury.cli.reading import DEFAULT, score_files


@click.command("compare", no_args_is_help=True)
@options.scoring
@option(
    "--baseline SYSTEM ...",
    "Compare every system with this one; repeatable; default: all pairs.",
    name="baselines",
)
@option(
    "--margin",
    "Also test whether systems are equivalent: differ by less than this.",
    Number(0, MOST_MARGIN, min_open=True),
)
@option("--test", "Significance test; all are two-sided and paired by topic.", SignificanceTest)
@option(
    "--correction",
    "Correction of p-values over all comparisons by one measure. [default: holm; "
    "Tukey's tests have their own]",
    Multiplicity | None,
)
@option("--table", "All comparisons, or systems by measures as in papers.", ComparisonTable)
@option(
    "--systems NAME ...",
    "Show only these and the baselines; repeatable. Tests stay corrected for all.",
)
@option(
    "--top N",
    "Show only the N best by the first measure, and the baselines.",
    count(MOST_SAMPLES),
)
@option("--decimals", "Decimals. [default: 4; 3 if compact]", count(10, 0))
@option(
    "--marks",
    "With --table compact: superscripts of significance. [default: dagger for up to five "
    "baselines, else letters]",
    Marks | None,
)
@option(
    "--caption TEXT",
    "With --table compact: begins the caption, which states test and level.",
    default="",
)
@option(
    "--alpha",
    "Significance level; intervals have level 1 - alpha.",
    options.inner_share,
    0.05,
)
@option(
    "--samples", "Number of samples of randomisation and bootstrap.", count(MOST_SAMPLES), 10000
)
@options.seed("Random seed of randomisation and bootstrap.")
@options.plots(ComparisonPicture)
@options.results("table", "csv", "json", "latex", "markdown", "html")
@options.labels_and_runs
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
    refuse_unused(test in draws, f"--test {either(draws)}", "--samples")
    refuse_unused(table == "compact", "--table compact", "--marks", "--caption")
    scores, _ = score_files(out, DEFAULT, **scoring, distribution=True)
    found = compare(
        scores, baselines or None, test, correction, alpha=alpha, margin=margin, samples=samples,
        seed=seed,
    )  # fmt: skip
    print_notes(found.notes, out.quiet)
    found = found.select(systems or None, top)
    if table == "compact":
        out.write(found.compact(3 if decimals is None else decimals, marks, caption))
    else:
        out.write(found, **({} if decimals is None else {"digits": decimals}))
    plots.draw(found)
