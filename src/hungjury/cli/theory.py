"""hungjury theory"""

from __future__ import annotations

import click

from hungjury.base.choices import ListOrder, OrderOf, OrderScale, SimulatedLabels
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS_OF_A_PAGE, MOST_SAMPLES
from hungjury.cli import options
from hungjury.cli.failing import refuse_unused
from hungjury.cli.options import count, grade, listed, option, picture
from hungjury.cli.output import deliver


@click.group("theory")
def theory_command() -> None:
    """Study measures: partial order of lists, axioms, balancing index.

    \b
    Examples:
      hungjury theory order 0,1,1,0 1,0,1,0
      hungjury theory axioms nDCG@3 Bpref --grades 3
      hungjury theory scale AP "RBP(p=0.5)" --order top
      hungjury theory balancing AP "RBP(p=0.8)" --length 100
      hungjury theory figure balancing -o figure.svg
    """


_grades = listed(count(MOST_GRADE, 0), "grades such as 0,2,1")


@theory_command.command("order")
@click.argument("a", type=_grades)
@click.argument("b", type=_grades)
@option("--kind", "Compare ranked lists or sets.", OrderOf)
@option("--scale", "On a ratio scale grades are units that add up (sets only).", OrderScale)
def order(a: list[int], b: list[int], kind: OrderOf, scale: OrderScale) -> None:
    """Compare two judged lists, grades in rank order: less, equal, greater or incomparable.

    Below the verdict come the steps that lead from the lower list to the upper one, and the
    counts that decide: documents of each grade and above, down to every rank.

    \b
    Example:
      hungjury theory order 0,1,1,0 1,0,1,0
    """
    from hungjury.theory.ordering import compare_lists

    found = compare_lists(a, b, kind, scale=scale)
    deliver(f"{found}\n\n{found.table()}", None)


@theory_command.command("axioms")
@click.argument("measures", nargs=-1)
@option("--length", "Length of the lists.", count(MOST_RANKS_OF_A_PAGE), 5)
@option("--grades", "Number of grades, 0 included.", count(MOST_GRADE + 1, 2), 3)
@option("--user MODEL", "Also check nMCG and MP with these users, a file.")
def axioms(measures: tuple[str, ...], length: int, grades: int, user: str | None) -> None:
    """Check that measures rise with better documents (Replacement) and better order (Swap).

    Without a measure: the table of the whole catalogue.

    \b
    Example:
      hungjury theory axioms nDCG@3 Bpref --grades 3
    """
    from hungjury.theory.axioms import axiom_markdown, check_axioms

    refuse_unused(not measures, "the table of all measures", "--user")
    if measures:
        deliver("\n\n".join(str(check_axioms(m, length, grades)) for m in measures), None)
    else:
        deliver(axiom_markdown(length, grades, user=user), None)


@theory_command.command("scale")
@click.argument("measures", nargs=-1, required=True)
@option("--length", "Length of the lists.", count(10), 5)
@option("--grades", "Number of grades, 0 included.", count(32, 2), 2)
@option(
    "--order", "Order of the lists: as rankings, as sets, or by the first rank first.", ListOrder
)
def scale(measures: tuple[str, ...], length: int, grades: int, order: ListOrder) -> None:
    """Check whether measures are on an interval scale: equal steps, equal differences.

    A step leads from a list to another with none between them in the order. Means and differences
    of means assume that all steps count alike.

    \b
    Example:
      hungjury theory scale AP "RBP(p=0.5)" --order top
    """
    from hungjury.theory.ordering import interval_scale

    deliver("\n\n".join(str(interval_scale(m, length, grades, order)) for m in measures), None)


@theory_command.command("balancing")
@click.argument("measures", nargs=-1, required=True)
@option(
    "--length ...",
    "Length of the lists; repeatable.",
    count(1_000_000),
    [10, 100, 1000],
    name="lengths",
)
@option("--q-min", "Smallest relevant grade.", grade, 1)
@option("--q-max", "Largest grade.", grade, 1)
def balancing(measures: tuple[str, ...], lengths: tuple[int, ...], q_min: int, q_max: int) -> None:
    """Compute the balancing index of measures.

    It is the largest rank b from which a list can make up for its first rank: documents of the
    smallest relevant grade at all ranks from b to N score at least as much as one document of the
    largest grade at rank 1.

    \b
    Example:
      hungjury theory balancing AP "RBP(p=0.8)" --length 100
    """
    from hungjury.base.text import columns
    from hungjury.theory.balancing import balancing_index

    rows = [["measure", *(f"N={n}" for n in lengths)]]
    for name in measures:
        found = [balancing_index(name, n, q_min, q_max) for n in lengths]
        rows.append([name, *(f"{b:g}" for b in found)])
    deliver(columns(rows), None)


@theory_command.command("figure")
@click.argument("which", type=click.Choice(["balancing", "measures", "significance"]))
@option("-o, --output FILE", ".svg, .png or .pdf", picture, required=True)
@option("--trials", "For significance.", count(MOST_SAMPLES), 10_000)
@option(
    "--labels",
    "For significance: fixed shares of relevant documents, or independent ones.",
    SimulatedLabels,
)
@options.seed("For significance.")
def figure(which: str, output: str, trials: int, labels: SimulatedLabels, seed: int) -> None:
    """Plot the growth of balancing indices, those of all measures, or the power of RBP.

    \b
    Example:
      hungjury theory figure balancing -o figure.svg
    """
    from hungjury.theory import balancing as figures

    refuse_unused(which == "significance", "the figure 'significance'", "--trials", "--labels")
    if which == "balancing":
        figures.balancing_curves().plot().save(output)
    elif which == "measures":
        figures.balancing_of_all().plot().save(output)
    else:
        figures.significance_curve(trials=trials, labels=labels, seed=seed).plot().save(output)
