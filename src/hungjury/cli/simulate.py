"""hungjury simulate"""

from __future__ import annotations

import click

from hungjury.base.choices import OddJudge
from hungjury.base.parameters import MOST_GRADE
from hungjury.base.text import decimal_of
from hungjury.cli.options import Number, choice, count, option, quiet_option, seed_option


@click.command("simulate")
@option(
    "-o",
    "--output",
    default="demo",
    metavar="FOLDER",
    help="Folder for gold.qrels, judges/ and runs/; replaces an earlier simulation.",
)
@option("--systems", type=count(10_000), default=8, help="Number of systems.")
@option("--topics", type=count(1_000_000), default=20, help="Number of topics.")
@option("--documents", type=count(10_000_000, 10), default=300, help="Documents per topic.")
@option("--depth", type=count(10_000_000), default=50, help="Length of a ranked list.")
@option("--grades", type=count(MOST_GRADE + 1, 2), default=2, help="Number of grades, 0 included.")
@option(
    "--accuracies",
    default="0.9,0.8,0.7,0.6,0.45",
    help="Probability that each judge gives the true grade.",
)
@option("--odd", multiple=True, type=choice(OddJudge), help="Add a careless judge; repeatable.")
@option(
    "--fooled",
    type=Number(0, 1),
    default=0.0,
    help="Share of documents that mislead all judges in the same way.",
)
@option(
    "--reach",
    type=Number(0, 1, min_open=True),
    default=1.0,
    help="Smallest share of the documents that any system can retrieve.",
)
@seed_option("Random seed.")
@quiet_option
def simulate_command(
    output: str, systems: int, topics: int, documents: int, depth: int, grades: int,
    accuracies: str, odd: tuple[OddJudge, ...], fooled: float, reach: float, seed: int, quiet: bool,
) -> None:  # fmt: skip
    """Simulate a collection with known truth: systems, topics, judges and gold labels.

    \b
    Examples:
      hungjury simulate -o demo --systems 5 --seed 7
      hungjury evaluate demo/gold.qrels 'demo/runs/*'
    """
    from hungjury.base.errors import plural
    from hungjury.data.simulation import simulate

    numbers = [decimal_of(text.strip()) for text in accuracies.split(",")]
    given = [number for number in numbers if number is not None]
    if len(given) < len(numbers):
        raise click.BadParameter(f"{accuracies!r} is not a list of numbers such as 0.9,0.8")
    made = simulate(
        systems, topics, documents, depth, given, grades, seed, odd=odd, fooled=fooled, reach=reach
    )
    made.write(output)
    if quiet:
        return
    click.echo(
        f"{output}: gold.qrels, {plural(len(made.judgments.judges), 'judge')} in judges/, "
        f"{plural(len(made.quality), 'system')} in runs/",
        err=True,
    )
