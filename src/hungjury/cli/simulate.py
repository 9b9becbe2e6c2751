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
    help="Where gold.qrels, judges/ and runs/ go, in place of an earlier simulation.",
)
@click.option("--systems", default=8, show_default=True, help="Systems, best first.")
@click.option("--topics", default=20, show_default=True, help="Topics.")
@click.option("--documents", default=300, show_default=True, help="Documents of a topic.")
@click.option("--depth", default=50, show_default=True, help="Length of a ranked list.")
@click.option("--grades", default=2, show_default=True, help="Number of grades, 0 included.")
@click.option(
    "--accuracies",
    default="0.9,0.8,0.7,0.6,0.45",
    show_default=True,
    help="How often each judge gives the true grade.",
)
@click.option(
    "--odd",
    multiple=True,
    type=click.Choice(["copycat", "constant", "lazy"]),
    help="One more judge, who does not do the work; repeatable.",
)
@seed_option("Same seed, same collection.")
@quiet_option
def simulate_command(
    output: str, systems: int, topics: int, documents: int, depth: int, grades: int,
    accuracies: str, odd: tuple[str, ...], seed: int, quiet: bool,
) -> None:  # fmt: skip
    """Make up a collection where the truth is known: systems, topics, judges, gold labels.

    \b
    Examples:
      hungjury simulate -o demo --systems 5 --seed 7
      hungjury evaluate demo/gold.qrels 'demo/runs/*'
    """
    from hungjury.collection.simulate import simulate

    try:
        numbers = [float(a) for a in accuracies.split(",")]
    except ValueError:
        raise click.BadParameter(f"{accuracies!r} is no list of numbers") from None
    made = simulate(systems, topics, documents, depth, numbers, grades, seed, odd=odd)
    made.write(output)
    if quiet:
        return
    click.echo(
        f"{output}: gold.qrels, {len(made.judgments.judges)} judges in judges/, "
        f"{len(made.quality)} systems in runs/",
        err=True,
    )
