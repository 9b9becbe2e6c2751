"""hungjury clicks"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import ClickEngine, Pages, RatesBy
from hungjury.base.errors import Note
from hungjury.base.parameters import MOST_LABELS, MOST_RANKS_OF_A_PAGE
from hungjury.cli import options
from hungjury.cli.failing import refuse_unused
from hungjury.cli.options import count, grade, new_file, option
from hungjury.cli.output import deliver, print_notes

if TYPE_CHECKING:
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
@option("--qrels FILE", "Labels by query, to tell navigational from informational queries.")
@option(
    "--nav-rel",
    "A query with exactly one document of at least this grade is navigational.",
    grade,
    1,
)
@option("--ranks", "Results per page.", count(MOST_RANKS_OF_A_PAGE, 3), 10)
@option(
    "--min-sessions",
    "Use only queries with this many sessions for holding times.",
    count(MOST_LABELS),
    1,
)
@option(
    "--pages",
    "Count all pages with a click, or only moves between two clicks (as the thesis does).",
    Pages,
)
@option("--rates-by", "Holding times per class of queries, or per query too.", RatesBy)
@option("--engine", "Engine that counts clicks.", ClickEngine)
@option(
    "--memory SIZE",
    "Memory limit of DuckDB; beyond it, DuckDB uses the disk.",
    default="1500MB",
)
@option("--columns ROLE=NAME", "Columns of a table by role, such as session=visit,rank=place.")
@option("-o, --output FILE", "Save the user model (JSON).", new_file)
@options.plot("Plot the user model")
@options.quiet
def clicks_command(
    log: tuple[str, ...], qrels: str | None, nav_rel: int, output: str | None, plot: str | None,
    quiet: bool, **how: Any,
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

    refuse_unused(qrels is not None, "--qrels", "--nav-rel")
    model = calibrate(list(log), qrels, nav_rel, **how)
    if output is not None:
        deliver(model.to_json(), output)
    if plot is not None:
        model.plot().save(plot)
    print_notes(_notes(model), quiet, every=True)
    if output != "-":
        deliver(model.to_text(), None)


def _notes(model: UserModel) -> list[Note]:
    counts = {} if model.log is None else asdict(model.log)
    notes = [Note(k, n, f"{n:,} {ODD[k]}") for k, n in counts.items() if k in ODD and n]
    for one in model.classes:
        if one.never_left:
            moves = counts.get("counted_pages") == "moves"
            what = "that users never leave" if moves else "without a click"
            text = f"ranks {what} in class '{one.name}'"
            ranks = tuple(str(rank) for rank in one.never_left)
            notes.append(Note("never-left", len(ranks), text, subjects=ranks))
    return [*notes, *model.notes()]
