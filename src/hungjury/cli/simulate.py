"""hungjury simulate"""

from __future__ import annotations

import click

from hungjury.cli.options import quiet_option, seed_option


@click.command("simulate")
@click.option(
    "-o",
    "--output",
    default="demo",
    show_default=True,
    metavar="FOLDER",
    help="Folder for gold.qrels, judges/ and runs/; replaces an earlier simulation.",
)
@click.option("--systems", default=8, show_default=True, help="Number of systems.")
@click.option("--topics", default=20, show_default=True, help="Topics.")
@click.option("--documents", default=300, show_default=True, help="Documents per topic.")
@click.option("--depth", default=50, show_default=True, help="Length of a ranked list.")
@click.option("--grades", default=2, show_default=True, help="Number of grades, 0 included.")
@click.option(
    "--accuracies",
    default="0.9,0.8,0.7,0.6,0.45",
    show_default=True,
    help="Probability that each judge gives the true grade.",
)
@click.option(
    "--odd",
    multiple=True,
    type=click.Choice(["copycat", "constant", "lazy"]),
    help="Add a careless judge; repeatable.",
)
@seed_option("Random seed.")
@quiet_option
def simulate_command(
    output: str, systems: int, topics: int, documents: int, depth: int, grades: int,
    accuracies: str, odd: tuple[str, ...], seed: int, quiet: bool,
) -> None:  # fmt: skip
    """Simulate a collection with known truth: systems, topics, judges and gold labels.

    \b
    Examples:
      hungjury simulate -o demo --systems 5 --seed 7
      hungjury evaluate demo/gold.qrels 'demo/runs/*'
    """
    from hungjury.collection.simulate import simulate

    try:
        numbers = [float(a) for a in accuracies.split(",")]
    except ValueError:
        raise click.BadParameter(f"{accuracies!r} is not a list of numbers") from None
    made = simulate(systems, topics, documents, depth, numbers, grades, seed, odd=odd)
    made.write(output)
    if quiet:
        return
    click.echo(
        f"{output}: gold.qrels, {len(made.judgments.judges)} judges in judges/, "
        f"{len(made.quality)} systems in runs/",
        err=True,
    )
