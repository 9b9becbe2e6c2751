"""hungjury leaderboard"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import BoardPicture
from hungjury.cli import options
from hungjury.cli.failing import flag, refuse, refuse_unused, was_typed
from hungjury.cli.options import option, page
from hungjury.cli.output import Output, Plots, origin, print_notes, progress_bar, say
from hungjury.cli.reading import Reading, ScoreTables
from hungjury.leaderboard.options import BOARD

if TYPE_CHECKING:
    from hungjury.data.qrels import Judgments, Qrels
    from hungjury.data.runs import RunFiles, Runs
    from hungjury.leaderboard.board import Leaderboard
    from hungjury.leaderboard.leaderboard import Boards
    from hungjury.leaderboard.score_board import ScoreBoard


@click.command("leaderboard", no_args_is_help=True)
@options.judges()
@option(
    "--qrels FILE",
    "Labels of one source instead of judges; probabilities are taken as true, without an error of "
    "judges.",
)
@options.runs()
@option(
    "--collection NAME=FOLDER ...",
    "A collection of several: a folder with judges/ and runs/; repeatable. --gold then names a "
    "file in each folder.",
    name="collections",
)
@option("--common", "Rank the systems that all collections have.", bool)
@option(
    "--seed-pattern PATTERN",
    "Runs whose names are equal without what this regular expression matches are repeats of one "
    "system, such as '-seed[0-9]+$'.",
)
@options.scores_or_answers
@options.measures(
    "Measure, as listed by `hungjury measures`; the first one decides, further ones are shown "
    "beside it.",
    "nDCG@10",
)
@options.merge("--merge", "binmv")
@options.rel
@options.gold("Gold labels of some documents, to correct the leaderboard; one file per person.")
@options.plan
@options.best
@options.all_of(*(options.declared(one) for one in BOARD.values() if one.flag))
@option("--slices FILE", "Also rank on groups of topics: a table of topic and group.")
@option("--report FILE", "Also write an HTML report.", page)
@options.bundle(
    "shown",
    dict,
    option("--title TEXT", "Title on the report.", default=""),
    option("--author TEXT", "Author on the report.", default=""),
    option("--dataset TEXT", "Name of the data on the report.", default=""),
    options.texts,
)
@options.plots(BoardPicture)
@options.results("table", "csv", "json", "latex", "markdown", "html", "ir_metadata")
@options.judges_gold_and_runs
def leaderboard_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...],
    gold: tuple[str, ...], plan: tuple[str, ...], report: str | None, shown: dict[str, Any],
    plots: Plots, out: Output, reading: Reading, tables: ScoreTables, common: bool,
    collections: tuple[str, ...], qrels: str | None, seed_pattern: str | None,
    slices: str | None, best: int | None, **how: Any,
) -> None:  # fmt: skip
    """Rank systems by the labels of several judges, with the uncertainty of the ranking.

    \b
    Examples:
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10 \\
          --gold labels.qrels --plan plan.csv --report report.html --title "Week 12"
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10 -m P@10 \\
          --slices topics.csv --report report.html
      hungjury leaderboard --collection web=web --collection news=news -m nDCG@10
      hungjury leaderboard --qrels probabilities.qrels --runs 'runs/*' -m nDCG@10
      hungjury leaderboard --scores scores.csv -m F1
      hungjury leaderboard --answers answers.csv --scale 1-5
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' --seed-pattern '-seed[0-9]+$'
    """
    from hungjury.base.provenance import made, read_from
    from hungjury.judges.merge import merge_method
    from hungjury.leaderboard.leaderboard import Boards, leaderboard, read_slices
    from hungjury.leaderboard.score_board import leaderboards
    from hungjury.projects.history import timeline

    refuse(judges and qrels, "give either --judges or --qrels")
    kinds = {"--judges and --runs": judges or qrels or runs, "--scores": tables.scores,
             "--collection": collections, "--answers": tables.answers}  # fmt: skip
    given = [name for name, files in kinds.items() if files]
    refuse(len(given) > 1, f"{' and '.join(given)} exclude each other")
    refuse_unused(report is not None, "--report FILE", *map(flag, shown))
    project: Any = click.get_current_context().meta.get("hungjury.project")
    several = bool(project) and len(project.collections) > 1 and not given
    beside = slices or len(measures) > 1
    if tables.scores or collections or several:
        if report is not None or plan or (beside and not several):
            raise click.UsageError(
                "--report, --plan, --slices and a second -m need --judges and --runs"
            )
        refuse(best, "--best needs --judges and --runs")
        if tables.scores:
            of_scores = _of_tables(tables, measures[0], seed_pattern, how)
        else:
            more = {"common": common, "seed_pattern": seed_pattern, **how}
            of_scores = (
                project.leaderboard(measures=[measures[0]], **more)
                if several
                else _of_collections(collections, gold, measures[0], reading, more)
            )
        _write(of_scores, out, plots)
        return
    if not tables.answers and not ((judges or qrels) and runs):
        raise click.UsageError("give --judges and --runs, --collection, --answers or --scores")
    refuse_unused(gold, "--gold", "--estimate")
    models_judges = merge_method(how["merge"]).drawn_from == "model"
    refuse_unused(models_judges or gold, "an em merge or --gold", "--scope")
    refuse_unused(models_judges, "an em merge", "--prior")
    labels: Judgments | Qrels
    lists: Runs | RunFiles
    if qrels:
        labels, lists = reading.labels(qrels), reading.runs(runs)
    else:
        labels, lists = tables.panel(reading, judges, runs)
    measures = tables.measures(measures)
    refuse(best and beside, "--best excludes --slices and a second -m")
    if seed_pattern:
        if report is not None or plan or gold or beside or best:
            raise click.UsageError(
                "--seed-pattern excludes --report, --plan, --gold, --slices, --best and a second -m"
            )
        one = {"all": (labels, lists)}
        repeats = leaderboards(one, measures[0], seed_pattern=seed_pattern, **how)
        _write(repeats, out, plots)
        return
    people = reading.gold_of(gold)
    with progress_bar(out.quiet) as progress:

        def rank(measure: str, topics: Sequence[str] | None) -> Leaderboard:
            here, known = labels, people
            if topics is not None:
                here, known = labels.select(topics), people and people.select(topics)
                if known is not None:
                    read_from(known, people)  # whose plans are its own
            return leaderboard(
                here, lists, measure, gold=known, plan=plan or None, best=best,
                progress=progress, **how,
            )  # fmt: skip

        found = Boards.of(measures, read_slices(slices) if slices else {}, rank)
    boards = found if beside else found.board
    _write(boards, out, plots)
    if report is not None:
        history = timeline(project.results, found.board) if project else ()
        boards.write_page(report, origin=origin() | {"made": made()}, history=history, **shown)
        say(f"wrote {report}", out.quiet)


def _write(board: Leaderboard | Boards | ScoreBoard, out: Output, plots: Plots) -> None:
    print_notes(board.notes, out.quiet, "--format json")
    out.write(board)
    plots.draw(getattr(board, "board", board))


def _of_tables(
    tables: ScoreTables, measure: str, seed_pattern: str | None, how: dict[str, Any]
) -> ScoreBoard:
    from hungjury.leaderboard.score_board import leaderboard_of_scores

    names = ("draws", "seed", "level", "target", "panel_error", "together", "order")
    own = {name: how[name] for name in names}
    wanted = measure if was_typed("--measure") else None
    return leaderboard_of_scores(tables.read(), wanted, seed_pattern=seed_pattern, **own)


def _of_collections(
    folders: tuple[str, ...], gold: tuple[str, ...], measure: str, reading: Reading,
    how: dict[str, Any],
) -> ScoreBoard:  # fmt: skip
    """The leaderboard over collections, each in a folder."""
    from hungjury.leaderboard.score_board import leaderboards

    read, people = {}, {}
    for text in folders:
        name, mark, folder = text.partition("=")
        if not mark or not os.path.isdir(folder):
            raise click.UsageError(f"--collection {text}: write NAME=FOLDER, of an existing folder")
        refuse(name in read, f"--collection {text}: '{name}' is given twice")
        judges, runs = (os.path.join(folder, part, "*") for part in ("judges", "runs"))
        read[name] = reading.judgments([judges]), reading.runs([runs])
        files = tuple(os.path.join(folder, one) for one in gold)
        if gold and all(map(os.path.exists, files)):
            people[name] = reading.gold_of(files)
    return leaderboards(read, measure, gold=people if gold else None, **how)
