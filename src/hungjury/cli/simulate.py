"""hungjury simulate"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.choices import OddJudge
from hungjury.base.parameters import MOST_GRADE
from hungjury.cli import options
from hungjury.cli.options import Number, count, listed, option
from hungjury.cli.output import say


@click.command("simulate")
@option(
    "-o, --output FOLDER",
    "Folder for gold.qrels, judges/ and runs/; replaces an earlier simulation.",
    default="demo",
)
@option("--systems", "Number of systems.", count(10_000), 8)
@option("--topics", "Number of topics.", count(1_000_000), 20)
@option("--documents", "Documents per topic.", count(10_000_000, 10), 300)
@option("--depth", "Length of a ranked list.", count(10_000_000), 50)
@option("--grades", "Number of grades, 0 included.", count(MOST_GRADE + 1, 2), 2)
@option(
    "--accuracies TEXT",
    "Probability that each judge gives the true grade.",
    listed(Number(), "numbers such as 0.9,0.8"),
    "0.9,0.8,0.7,0.6,0.45",
)
@option("--odd ...", "Add a careless judge; repeatable.", OddJudge)
@option(
    "--fooled", "Share of documents that mislead all judges in the same way.", options.share, 0.0
)
@option(
    "--reach",
    "Smallest share of the documents that any system can retrieve.",
    Number(0, 1, min_open=True),
    1.0,
)
@options.seed()
@options.quiet
def simulate_command(output: str, quiet: bool, **how: Any) -> None:
    """Simulate a collection with known truth: systems, topics, judges and gold labels.

    \b
    Examples:
      hungjury simulate -o demo --systems 5 --seed 7
      hungjury evaluate demo/gold.qrels 'demo/runs/*'
    """
    from hungjury.base.errors import plural
    from hungjury.data.simulation import simulate

    made = simulate(**how)
    made.write(output)
    say(
        f"{output}: gold.qrels, {plural(len(made.judgments.judges), 'judge')} in judges/, "
        f"{plural(len(made.quality), 'system')} in runs/",
        quiet,
    )
