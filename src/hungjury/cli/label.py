"""hungjury label"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from getpass import getuser
from itertools import accumulate

import click

from hungjury.base.errors import Note, plural
from hungjury.cli import options
from hungjury.cli.failing import flag, refuse, was_typed
from hungjury.cli.options import count, new_file, option, second_file, share
from hungjury.cli.output import deliver, print_notes, say
from hungjury.cli.reading import Reading, ScoreTables
from hungjury.data.labels import read_qrels
from hungjury.data.reading.formats import is_database
from hungjury.data.reading.options import JUDGES, LabelPolicy
from hungjury.data.reading.sources import expand
from hungjury.data.texts import DOCUMENTS, QUERIES, Texts, find_texts
from hungjury.labelling.desk import CONTEXT, AnswerTexts, Desk, Display
from hungjury.labelling.exchange import all_labels, labels_given, progress_sentence, stored_items
from hungjury.labelling.items import DocumentList, Grade, Item, parse_grades, read_items
from hungjury.labelling.results import Results
from hungjury.labelling.store import LabelStore
from hungjury.leaderboard.plan_file import Plan, as_plans

PORT = 8710
MOST_RATERS = 100


@click.command("label", no_args_is_help=True)
@click.argument("source", metavar="PLAN")
@options.texts
@option(
    "--person NAME ...",
    "A person who labels; repeatable. Default: all in the database, or your login name.",
    name="names",
)
@option("-o, --output DB", "The database of labels.", second_file)
@option(
    "--grades TEXT",
    'Grades and their meaning. Default: "0 not relevant, 1 related, 2 relevant, '
    '3 perfectly relevant".',
)
@option(
    "--share",
    "Part of the documents that several people label, to see how far they agree.",
    share,
    0.0,
)
@option(
    "--raters",
    "How many people label each of these; no document is shown to more.",
    count(MOST_RATERS),
    2,
)
@options.answers
@option(
    "--context FILES ...",
    "What answers were made from, by the id of a topic or an answer: as --documents.",
)
@option("--rubric FILE", "A text that says how to label, shown with every document.")
@option("--link TEMPLATE", "URL of a document, such as https://example.org/{document}.")
@option("--port", "Port on 127.0.0.1; 0 picks a free one.", count(65535, 0), PORT)
@click.option("--browser/--no-browser", default=True, help="Open the first address in a browser.")
@options.judges(
    "Labels of other judges; with --runs and -m, the page shows what is settled so far.",
    name="panel",
)
@options.runs("Runs, for results on the page.")
@options.measure("Measure, for results on the page.")
@option(
    "--export FILE",
    "Write the labels of a database as qrels (- for stdout), and exit.",
    new_file,
)
@option(
    "--all",
    "With --export: every person's labels, as CSV with judge, time, note and plan.",
    bool,
    name="everything",
)
@option(
    "--import FILES ...",
    "Store labels that were given elsewhere, and exit; --person for files without a judge.",
    name="brought",
)
@options.csv_safe
@options.quiet
@options.reading({n: o for n, o in JUDGES.items() if n != "grades"})
def label_command(
    source: str, queries: tuple[str, ...], documents: tuple[str, ...], names: tuple[str, ...],
    output: str | None, grades: str | None, share: float, raters: int, link: str | None,
    port: int, browser: bool, panel: tuple[str, ...], runs: tuple[str, ...], measure: str | None,
    export: str | None, everything: bool, brought: tuple[str, ...], csv_safe: bool, quiet: bool,
    reading: Reading, tables: ScoreTables, context: tuple[str, ...], rubric: str | None,
) -> None:  # fmt: skip
    """Label documents in the browser, by keyboard.

    PLAN is a table of topics and documents, or a database of labels to go on with. The page is
    served on this machine only, until Ctrl-C; every label is stored at once, and the same command
    resumes where it stopped. A further plan is added to the database. People on other machines
    connect through an ssh tunnel and open the address printed for them.

    \b
    Examples:
      hungjury label plan.csv --queries queries.tsv --documents corpus.jsonl \\
          --person anna --person ben --share 0.1 -o labels.db
      hungjury label plan.csv --answers answers.csv --scale 1-5 --queries questions.tsv \\
          --context passages.jsonl --rubric rubric.txt -o labels.db
      ssh -L 8710:127.0.0.1:8710 HOST    # on another machine, before opening its address
      hungjury label --export labels.qrels labels.db
      hungjury label --import export.json --layout labelstudio labels.db
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' --gold labels.db
    """
    if csv_safe and not (everything and export is not None):
        raise click.UsageError("--csv-safe needs --export and --all")
    if export is not None:
        others = ("queries", "documents", "person", "output", "grades", "link", "judges", "runs",
                  "measure", "import", "answers", "context", "rubric")  # fmt: skip
        if any(was_typed(f"--{name}") for name in others):
            raise click.UsageError("--export takes a database of labels and --all, nothing else")
        done = progress_sentence(source)
        text = all_labels(source, csv_safe) if everything else read_qrels(source).to_text(export)
        deliver(text, export)
        say(done, quiet)
        return
    refuse(everything, "--all needs --export")
    given, output = _documents(source, output, bool(brought))
    if brought:
        _import(given, output, brought, names, grades, reading, quiet)
        return
    from hungjury.labelling.app import address, listen, make_app, open_browser, serve

    typed = any(map(was_typed, ("--judges", "--runs", "--measure")))
    if typed and not (panel and runs and measure):
        raise click.UsageError("results on the page need --judges, --runs and -m")
    asked = _names(names)
    refuse(tables.answers and documents, "--answers takes the place of --documents")
    scale = None if grades is None else parse_grades(grades)
    if scale is None and tables.scale is not None and given is not None:
        scale = tuple(Grade(one.grade, "") for one in parse_grades(tables.scale))
    items = stored_items(output) if given is None else given.items
    shown, notes = _texts(items, queries, documents, link, tables)
    if context:
        wanted = [name for item in items for name in (item.topic, item.document)]
        shown = replace(shown, context=find_texts(context, wanted, CONTEXT))
    if rubric is not None:
        shown = replace(shown, rubric=_only_text(rubric))
    print_notes(notes, quiet)
    with listen(port) as at, closing(LabelStore(output, given, scale)) as store:
        known = [one.name for one in store.people()]
        people = store.register(asked or known or [getuser()])
        desk = Desk(store, shown, people, share, raters)
        wanted = _leaderboard(desk, panel, runs, measure, reading)
        addresses = {one.name: address(at.getsockname()[1], one) for one in people}
        for name, place in addresses.items():
            click.echo(f"{name:<{max(map(len, addresses))}}  {place}")
        say("Ctrl-C stops the server; every label is stored at once.", quiet)
        if browser:
            open_browser(next(iter(addresses.values())))
        with closing(Results(wanted)) as results:
            serve(make_app(desk, results.after), at)
    if store.lost is not None:
        raise store.lost
    again = shlex.join(["hungjury", *sys.argv[1:]])
    leave = shlex.join(["hungjury", "label", "--export", "labels.qrels", output])
    done = progress_sentence(output)
    say(f"\n{output}: {done}\n  go on:   {again}\n  export:  {leave}", quiet)


def _documents(source: str, output: str | None, brought: bool) -> tuple[DocumentList | None, str]:
    """Return the plan, None for those of a database, and the database."""
    stored = is_database(source) or (brought and output is None)
    refuse(output is None and not stored, "name the database of labels: -o labels.db")
    refuse(stored and output is not None, "give a plan and -o labels.db, or a database alone")
    if stored:
        return None, source
    found = read_items(source)
    if found.text:
        Plan.read(source)  # its digest is checked
    return found, str(output)


def _import(
    given: DocumentList | None, output: str, files: tuple[str, ...], names: tuple[str, ...],
    grades: str | None, reading: Reading, quiet: bool,
) -> None:  # fmt: skip
    """Store labels of files in a database."""
    refuse(len(names) > 1, "give --person once, for files that do not name a judge")
    typed = {n: v for n, v in reading.options.items() if was_typed(flag(n))}
    policy = LabelPolicy.of({**typed, "grades": range(10)})
    labels = labels_given(files, policy, *_names(names))
    scale = None if grades is None else parse_grades(grades)
    with closing(LabelStore(output, given, scale)) as store:
        new = store.bring_in(labels)
    if store.lost is not None:
        raise store.lost
    read = f"{plural(len(labels), 'label')} read, {new:,} new"
    say(f"{read}; {output}: {progress_sentence(output)}", quiet)


def _leaderboard(
    desk: Desk, panel: tuple[str, ...], runs: tuple[str, ...], measure: str | None, reading: Reading
) -> list[str]:
    """Return the command whose results the page shows, or nothing if none are asked for."""
    if not (panel and runs and measure):
        return []
    labels = desk.store.path
    words = ["leaderboard", "--gold", labels, "-m", measure, "--format", "json", "--quiet"]
    words += ["--grades", f"0-{desk.store.grades[-1].grade}"]
    for name in ("duplicates", "outside"):
        words += [f"--{name}", reading.options[name]]
    if as_plans(labels):
        looks = accumulate(len(batch) for batch in desk.dealing.batches)
        words += ["--looks", ",".join(map(str, looks))]
    words += [word for files in panel for word in ("--judges", files)]
    return words + [word for files in runs for word in ("--runs", files)]


def _only_text(path: str) -> str:
    """Return the text of one file."""
    found = expand(path)
    refuse(len(found) != 1, "give one file as --rubric")
    return found[0].content().decode("utf-8", "replace").strip()


def _names(names: tuple[str, ...]) -> list[str]:
    cleaned = [" ".join(name.split()) for name in names]
    if any(not name or len(name) > 60 or not name.isprintable() for name in cleaned):
        raise click.BadParameter("a person's name has 1 to 60 printable characters")
    if len(set(cleaned)) < len(cleaned):
        raise click.BadParameter("give every --person a different name")
    return cleaned


def _texts(
    items: Sequence[Item], queries: tuple[str, ...], documents: tuple[str, ...],
    link: str | None, tables: ScoreTables,
) -> tuple[Display, list[Note]]:  # fmt: skip
    """Find the texts of the plan; note those that are missing."""
    if link is not None and "{document}" not in link:
        raise click.BadParameter("--link needs {document} where the id goes")
    topics = dict.fromkeys(item.topic for item in items)
    asked = find_texts(queries, topics, QUERIES) if queries else None
    wanted = dict.fromkeys(item.document for item in items)
    found: Texts | AnswerTexts | None = None
    if documents:
        found = find_texts(documents, wanted, DOCUMENTS)
    elif tables.answers:
        texts_of = tables.read_answers().texts
        found = AnswerTexts(texts_of, {name for name in wanted if name not in texts_of})
    notes = []
    for texts, ids, noun in ((asked, topics, "query"), (found, wanted, "document")):
        without = [] if texts is None else [name for name in ids if name in texts.missing]
        if without:
            counted = plural(len(without), noun).replace("querys", "queries")
            by_link = noun == "document" and link is not None
            done = "shown by link only" if by_link else "not shown"
            text = f"{counted} without text, {done}"
            notes.append(Note("no-text", len(without), text, subjects=tuple(without)))
    return Display(asked, found, link), notes
