"""hungjury label"""

from __future__ import annotations

import getpass
import shlex
import sys
from typing import TYPE_CHECKING

import click

from hungjury.cli.options import new_file, quiet_option
from hungjury.cli.output import deliver, tell

if TYPE_CHECKING:
    from hungjury.collection.notes import Note
    from hungjury.labelling.desk import Shown
    from hungjury.labelling.items import Item

PORT = 8710


@click.command("label", no_args_is_help=True)
@click.argument("source", metavar="PLAN")
@click.option(
    "--queries", multiple=True, metavar="FILES",
    help="Texts of the queries: JSON lines or tab-separated, by id.",
)  # fmt: skip
@click.option(
    "--documents", multiple=True, metavar="FILES",
    help="Texts of the documents, such as BEIR's corpus.jsonl; read once, line by line.",
)  # fmt: skip
@click.option(
    "--judge", "names", multiple=True, metavar="NAME",
    help="A person who labels; repeatable. Default: everybody in the database, or your login name.",
)  # fmt: skip
@click.option("-o", "--output", type=new_file, metavar="DB", help="The database of labels.")
@click.option(
    "--grades", metavar="TEXT",
    help='Grades and their meaning. Default: "0 not relevant, 1 related, 2 relevant, '
    '3 perfectly relevant".',
)  # fmt: skip
@click.option(
    "--share", type=click.FloatRange(0, 1), default=0.0, show_default=True,
    help="Part of the documents that two people label, to see how far they agree.",
)  # fmt: skip
@click.option(
    "--show", type=click.Choice(["judges"]),
    help="Adjudicate: only documents with conflicting labels, and who gave them.",
)  # fmt: skip
@click.option(
    "--link", metavar="TEMPLATE",
    help="Where a document can be read, such as https://example.org/{document}.",
)  # fmt: skip
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
    help="Port on 127.0.0.1; 0: any free one.",
)  # fmt: skip
@click.option("--browser/--no-browser", default=True, help="Open the first address.")
@click.option(
    "--export", type=new_file, metavar="FILE",
    help="Write the labels of a database as qrels (- for stdout), and stop.",
)  # fmt: skip
@click.option(
    "--all", "everything", is_flag=True,
    help="With --export: every person's labels, as CSV with judge, time and note.",
)  # fmt: skip
@quiet_option
def label_command(
    source: str, queries: tuple[str, ...], documents: tuple[str, ...], names: tuple[str, ...],
    output: str | None, grades: str | None, share: float, show: str | None, link: str | None,
    port: int, browser: bool, export: str | None, everything: bool, quiet: bool,
) -> None:  # fmt: skip
    """Label documents in the browser, by keyboard.

    PLAN is a table of topics and documents. The page is served on this machine only, until Ctrl-C;
    every label is stored at once, and the same command goes on where it stopped. People on other
    machines come through ssh and then open the address printed for them.

    \b
    Examples:
      hungjury label plan.csv --queries queries.tsv --documents corpus.jsonl \\
          --judge anna --judge ben --share 0.1 -o labels.db
      ssh -L 8710:127.0.0.1:8710 HOST    # on another machine, before opening its address
      hungjury label --export labels.qrels labels.db
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' --gold labels.db
    """
    if export is not None:
        _export(source, export, everything, quiet)
        return
    if everything:
        raise click.UsageError("--all needs --export")
    if output is None:
        raise click.UsageError("name the database of labels: -o labels.db")
    from hungjury.labelling.app import address, make_app
    from hungjury.labelling.desk import Desk
    from hungjury.labelling.export import summary
    from hungjury.labelling.grades import parse_grades
    from hungjury.labelling.items import read_items
    from hungjury.labelling.server import listen, open_browser, serve
    from hungjury.labelling.store import Store

    people = _names(names)
    scale = None if grades is None else parse_grades(grades)
    items = read_items(source)
    shown, notes = _texts(items, queries, documents, link)
    tell(notes, quiet)
    at = listen(port)
    store = Store(output, items, scale)
    try:
        known = [one.name for one in store.judges()]
        judges = store.register(people or known or [getpass.getuser()])
        desk = Desk(store, items, shown, judges, share, adjudicate=show == "judges")
        app = make_app(desk)
        bound = at.getsockname()[1]
        width = max(len(one.name) for one in judges)
        for one in judges:
            click.echo(f"{one.name:<{width}}  {address(bound, one)}")
        sys.stdout.flush()
        if not quiet:
            click.echo("Ctrl-C stops the server; every label is stored at once.", err=True)
        if browser:
            open_browser(address(bound, judges[0]))
        serve(app, at)
    finally:
        at.close()
        store.close()
    if not quiet:
        click.echo(f"\n{output}: {summary(output)}", err=True)
        click.echo(f"  go on:   {shlex.join(['hungjury', *sys.argv[1:]])}", err=True)
        click.echo(
            f"  export:  hungjury label --export labels.qrels {shlex.quote(output)}", err=True
        )


def _export(path: str, export: str, everything: bool, quiet: bool) -> None:
    from hungjury.collection.qrels import read_qrels
    from hungjury.labelling.export import all_labels, summary

    done = summary(path)
    text = all_labels(path) if everything else read_qrels(path).to_text(export)
    deliver(text, export)
    if not quiet:
        click.echo(done, err=True)


def _names(names: tuple[str, ...]) -> list[str]:
    cleaned = [" ".join(name.split()) for name in names]
    if any(not name or len(name) > 60 or not name.isprintable() for name in cleaned):
        raise click.BadParameter("a judge's name has 1 to 60 printable characters")
    if len(set(cleaned)) < len(cleaned):
        raise click.BadParameter("every --judge needs a name of their own")
    return cleaned


def _texts(
    items: list[Item], queries: tuple[str, ...], documents: tuple[str, ...], link: str | None
) -> tuple[Shown, list[Note]]:
    """The texts of the plan, and notes about those that are missing."""
    from hungjury.collection.notes import Note, few, plural
    from hungjury.labelling.desk import Shown
    from hungjury.labelling.texts import DOCUMENTS, QUERIES, find_texts

    if link is not None and "{document}" not in link:
        raise click.BadParameter("--link needs {document} where the id goes")
    topics = dict.fromkeys(item.topic for item in items)
    asked = find_texts(queries, topics, QUERIES) if queries else None
    wanted = dict.fromkeys(item.document for item in items)
    found = find_texts(documents, wanted, DOCUMENTS) if documents else None
    notes = []
    for texts, ids, noun in ((asked, topics, "query"), (found, wanted, "document")):
        without = [] if texts is None else [name for name in ids if name in texts.missing]
        if without:
            counted = plural(len(without), noun).replace("querys", "queries")
            by_link = noun == "document" and link is not None
            done = "shown by link only" if by_link else "not shown"
            notes.append(
                Note("no-text", len(without), f"{counted} without text, {done}: {few(without)}")
            )
    return Shown(asked, found, link), notes
