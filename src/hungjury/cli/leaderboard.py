"""hungjury leaderboard"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import BoardPicture
from hungjury.cli.options import (
    all_of,
    gold_option,
    measures_option,
    merge_option,
    page,
    plan_option,
    plot_options,
    refuse_unused,
    result_options,
    text_options,
    was_typed,
)
from hungjury.cli.output import Output, Plots
from hungjury.cli.reading import (
    Reading,
    ScoreTables,
    binary_option,
    flag,
    judges_gold_and_runs,
    judges_option,
    runs_option,
    scores_options,
)
from hungjury.leaderboard.options import BOARD

if TYPE_CHECKING:
    from hungjury.data.qrels import Judgments, Qrels
    from hungjury.data.runs import RunFiles, Runs
    from hungjury.leaderboard.score_board import ScoreBoard


@click.command("leaderboard", no_args_is_help=True)
@judges_option()
@click.option("--qrels", metavar="FILE", help="Labels of one source instead of judges; "
              "probabilities are taken as true, without an error of judges.")  # fmt: skip
@runs_option()
@click.option(
    "--collection",
    "collections",
    multiple=True,
    metavar="NAME=FOLDER",
    help="A collection of several: a folder with judges/ and runs/; repeatable. --gold "
    "then names a file in each folder.",
)
@click.option("--common", is_flag=True, help="Rank the systems that all collections have.")
@click.option(
    "--answers",
    multiple=True,
    metavar="FILES",
    help="Answers that judges scored, instead of judges and runs: a table of system, "
    "topic, judge and score; needs --scale.",
)
@scores_options
@measures_option("Measure, as listed by `hungjury measures`.", "nDCG@10")
@merge_option("--merge", "binmv")
@binary_option
@gold_option("Gold labels of some documents, to correct the leaderboard; one file per person.")
@plan_option
@all_of([flag(option) for option in BOARD.values() if option.flag])
@click.option("--report", type=page, metavar="FILE", help="Also write an HTML report.")
@text_options
@plot_options(BoardPicture)
@result_options("table", "csv", "json", "latex", "markdown", "html")
@judges_gold_and_runs
def leaderboard_command(
    judges: tuple[str, ...], runs: tuple[str, ...], measures: tuple[str, ...], merge: str,
    gold: tuple[str, ...], plan: tuple[str, ...], report: str | None, queries: tuple[str, ...],
    documents: tuple[str, ...], plots: Plots, out: Output, reading: Reading,
    collections: tuple[str, ...], common: bool, answers: tuple[str, ...], tables: ScoreTables,
    qrels: str | None, **options: Any,
) -> None:  # fmt: skip
    """Rank systems by the labels of several judges, with the uncertainty of the ranking.

    \b
    Examples:
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10 \\
          --gold labels.qrels --plan plan.csv --report report.html
      hungjury leaderboard --collection web=web --collection news=news -m nDCG@10
      hungjury leaderboard --qrels probabilities.qrels --runs 'runs/*' -m nDCG@10
      hungjury leaderboard --scores scores.csv -m F1
      hungjury leaderboard --answers answers.csv --scale 1-5
    """
    from hungjury.judges.merge import merge_method
    from hungjury.leaderboard.leaderboard import leaderboard

    if len(measures) > 1:
        raise click.UsageError("a leaderboard has one measure; give -m once")
    of_scores = _of_collections(collections, common, gold, measures[0], merge, reading, options)
    if tables.scores:
        of_scores = _of_tables(tables, measures[0], options)
    if judges and qrels:
        raise click.UsageError("give either --judges or --qrels")
    kinds = {"--judges and --runs": judges or qrels or runs, "--scores": tables.scores,
             "--collection": collections, "--answers": answers}  # fmt: skip
    given = [name for name, files in kinds.items() if files]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other")
    if of_scores is not None:
        if report is not None or plan:
            raise click.UsageError("--report and --plan need --judges and --runs")
        out.notes(of_scores.notes, "--format json")
        out.write(of_scores)
        plots.draw(of_scores)
        return
    if not answers and not ((judges or qrels) and runs):
        raise click.UsageError("give --judges and --runs, --collection, --answers or --scores")
    if report is None and (queries or documents):
        raise click.UsageError("--queries and --documents need --report FILE")
    refuse_unused("--estimate", "--gold", bool(gold))
    models_judges = merge_method(merge).drawn_from == "model"
    refuse_unused("--scope", "an em merge or --gold", models_judges or bool(gold))
    refuse_unused("--prior", "an em merge", models_judges)
    lists: Runs | RunFiles
    labels: Judgments | Qrels
    if answers:
        labels, lists, measures = _answers(answers, tables, measures)
    else:
        labels = reading.labels(qrels) if qrels else reading.judgments(judges)
        lists = reading.runs(runs)
    with out.progress() as progress:
        board = leaderboard(
            labels, lists, measures[0], merge,
            gold=reading.gold_of(gold), plan=plan or None, progress=progress, **options,
        )  # fmt: skip
    out.notes(board.notes, "--format json")
    out.write(board)
    plots.draw(board)
    if report is not None:
        words = ["hungjury", *sys.argv[1:]]
        board.write_page(report, words, queries=queries, documents=documents)
        if not out.quiet:
            click.echo(f"wrote {report}", err=True)


def _answers(
    files: tuple[str, ...], tables: ScoreTables, measures: tuple[str, ...]
) -> tuple[Judgments, Runs, tuple[str, ...]]:
    """Labels and runs of answers, and the measure of their mean score unless one was given."""
    from hungjury.measures.answers import read_answers

    if tables.scale is None:
        raise click.UsageError("--answers needs --scale, such as --scale 1-5")
    found = read_answers(list(files), scale=tables.scale, columns=tables.score_columns)
    chosen = measures if was_typed("--measure") else ("Mean@1",)
    return found.judgments, found.runs, chosen


def _of_tables(tables: ScoreTables, measure: str, options: dict[str, Any]) -> ScoreBoard:
    from hungjury.leaderboard.score_board import leaderboard_of_scores

    names = ("draws", "seed", "level", "target", "panel_error", "together", "order")
    own = {name: options[name] for name in names}
    return leaderboard_of_scores(tables.read(), measure if was_typed("--measure") else None, **own)


def _of_collections(
    folders: tuple[str, ...], common: bool, gold: tuple[str, ...], measure: str, merge: str,
    reading: Reading, options: dict[str, Any],
) -> ScoreBoard | None:  # fmt: skip
    """The leaderboard over several collections, if there are: typed, or of the project."""
    places = {}
    for text in folders:
        name, mark, folder = text.partition("=")
        if not mark or not os.path.isdir(folder):
            raise click.UsageError(f"--collection {text}: write NAME=FOLDER, of an existing folder")
        places[name] = [os.path.join(folder, part, "*") for part in ("judges", "runs")]
    project = click.get_current_context().meta.get("hungjury.project")
    if not places and project is not None and len(project.collections) > 1:
        return project.leaderboard(measures=[measure], merge=merge, common=common, **options)  # type: ignore[no-any-return]
    if not places:
        return None
    from hungjury.leaderboard.score_board import leaderboards

    people = None
    if gold:
        files = {name: [os.path.join(os.path.dirname(os.path.dirname(judges)), one) for one in gold]
                 for name, (judges, _) in places.items()}  # fmt: skip
        people = {
            name: reading.gold_of(tuple(each))
            for name, each in files.items()
            if all(map(os.path.exists, each))
        }
    read = {n: (reading.judgments([j]), reading.runs([r])) for n, (j, r) in places.items()}
    return leaderboards(read, measure, gold=people, common=common, merge=merge, **options)
