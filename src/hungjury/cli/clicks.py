"""hungjury clicks"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hungjury.base.choices import ClickEngine, Pages, RatesBy
from hungjury.base.parameters import MOST_LABELS, MOST_RANKS_OF_A_PAGE
from hungjury.cli.options import (
    choice_option,
    count,
    grade,
    new_file,
    option,
    picture_option,
    quiet_option,
    refuse_unused,
)
from hungjury.cli.output import deliver

if TYPE_CHECKING:
    from hungjury.base.errors import Note
    from hungjury.users.model import UserModel

ODD = {
    "off_page": "clicks outside the ranks of the page, left out",
    "without_session": "clicks without a session, left out",
    "without_time": "clicks without a readable time, left out",
    "unlabelled": "clicks on pages of queries without labels, left out",
    "unreadable": "records that cannot be read, left out",
    "ends_early": "visits end before they begin; their holding times are left out",
    "out_of_order": "clicks are out of order in time; paths follow the times",
    "repeated": "moves repeat a click on the same rank",
}


@click.command("clicks", no_args_is_help=True)
@click.argument("log", nargs=-1, required=True, metavar="LOG...")
@click.option(
    "--qrels",
    metavar="FILE",
    help="Labels by query, to tell navigational from informational queries.",
)
@option(
    "--nav-rel",
    type=grade,
    default=1,
    help="A query with exactly one document of at least this grade is navigational.",
)
@option("--ranks", type=count(MOST_RANKS_OF_A_PAGE, 3), default=10, help="Results per page.")
@option(
    "--min-sessions",
    type=count(MOST_LABELS),
    default=1,
    help="Use only queries with this many sessions for holding times.",
)
@choice_option(
    "--pages",
    Pages,
    "Count all pages with a click, or only moves between two clicks (as the thesis does).",
)
@choice_option("--rates-by", RatesBy, "Holding times per class of queries, or per query too.")
@choice_option("--engine", ClickEngine, "Engine that counts clicks.")
@option(
    "--memory",
    default="1500MB",
    metavar="SIZE",
    help="Memory limit of DuckDB; beyond it, DuckDB uses the disk.",
)
@option(
    "--columns",
    metavar="ROLE=NAME",
    help="Columns of a table by role, such as session=visit,rank=place.",
)
@click.option("-o", "--output", type=new_file, metavar="FILE", help="Save the user model (JSON).")
@picture_option("--plot", "Plot the user model")
@quiet_option
def clicks_command(
    log: tuple[str, ...], qrels: str | None, nav_rel: int, ranks: int, min_sessions: int,
    pages: Pages, rates_by: RatesBy, engine: ClickEngine, memory: str, columns: str | None,
    output: str | None, plot: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Estimate from a click log how users move over result pages.

    LOG is a Yandex log, TREC Session XML, or a table (CSV, Parquet; files or a folder) with
    the columns session, rank and, if known, query, page, time, until.

    \b
    Examples:
      hungjury clicks log.parquet --qrels labels.txt -o users.json --plot users.svg
      hungjury evaluate qrels.txt run.txt -m 'nMCG(user="users.json")@10'
    """
    from hungjury.users.clicks import calibrate

    refuse_unused("--nav-rel", "--qrels", qrels is not None)
    model = calibrate(
        list(log),
        qrels,
        nav_rel,
        ranks=ranks,
        min_sessions=min_sessions,
        pages=pages,
        rates_by=rates_by,
        engine=engine,
        memory=memory,
        columns=columns,
    )
    if output is not None:
        deliver(model.to_json(), output)
    if plot is not None:
        model.plot().save(plot)
    for note in [] if quiet else _notes(model):
        click.echo(click.style("note: ", fg="yellow") + str(note), err=True)
    if output != "-":
        deliver(model.to_text(), None)


def _notes(model: UserModel) -> list[Note]:
    from hungjury.base.errors import Note

    found = [] if model.log is None else asdict(model.log).items()
    notes = [Note(k, n, f"{n:,} {ODD[k]}") for k, n in found if k in ODD and n]
    for one in model.classes:
        if one.never_left:
            moves = model.log is not None and model.log.counted_pages == "moves"
            what = "that users never leave" if moves else "without a click"
            text = f"ranks {what} in class '{one.name}'"
            ranks = tuple(str(rank) for rank in one.never_left)
            notes.append(Note("never-left", len(ranks), text, subjects=ranks))
    return [*notes, *model.notes()]
