"""hungjury compare"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.choices import Multiplicity, SignificanceTest
from hungjury.base.parameters import MOST_MARGIN, MOST_SAMPLES
from hungjury.cli.options import (
    Number,
    choice_option,
    count,
    option,
    refuse_unused,
    result_options,
    seed_option,
)
from hungjury.cli.output import Output
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
@choice_option(
    "--correction", Multiplicity, "Correction of p-values over all comparisons by one measure."
)
@option("--alpha", type=Number(0, 1, min_open=True, max_open=True), default=0.05,
        help="Significance level; intervals have level 1 - alpha.")  # fmt: skip
@option("--samples", type=count(MOST_SAMPLES), default=10000,
        help="Number of samples of randomisation and bootstrap.")  # fmt: skip
@seed_option("Random seed of randomisation and bootstrap.")
@result_options("table", "csv", "json", "latex")
@labels_and_runs
def compare_command(
    baselines: tuple[str, ...], margin: float | None, test: SignificanceTest,
    correction: Multiplicity, alpha: float, samples: int, seed: int, out: Output, **scoring: Any,
) -> None:  # fmt: skip
    """Test whether systems differ significantly over topics.

    \b
    Examples:
      hungjury compare qrels.txt 'runs/*' -m nDCG@10 -m AP --baseline bm25
      hungjury compare qrels.txt 'runs/*' -m nDCG@10 --test randomisation --correction bonferroni
      hungjury compare qrels.txt 'runs/*' -m AP --baseline bm25 --baseline dense --margin 0.01
      hungjury compare qrels.txt 'runs/*' -m AP --format latex -o table.tex
    """
    from hungjury.comparison.compare import compare

    refuse_unused("--samples", "--test randomisation or bootstrap", test not in ("t", "wilcoxon"))
    scores, _ = score_files(out, DEFAULT, **scoring)
    found = compare(
        scores, baselines or None, test, correction, alpha=alpha, margin=margin, samples=samples,
        seed=seed,
    )  # fmt: skip
    out.notes(found.notes)
    out.write(found)
