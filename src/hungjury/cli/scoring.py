"""From files to scores: flags and reading that commands on labels and runs share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hungjury.cli.options import (
    F,
    input_options,
    label_options,
    measure_option,
    quiet_option,
    run_files,
    run_options,
    sort_out,
)
from hungjury.cli.output import is_much, progress_bar, tell

if TYPE_CHECKING:
    from hungjury.catalogue import Measure
    from hungjury.scores import Scores

DEFAULT = ("nDCG@10", "AP", "P@10", "RR")
_SCORING = [
    input_options,
    measure_option,
    click.option("-c", "--complete", is_flag=True, help="Same as --topics judged."),
    click.option("-M", "--depth", type=click.IntRange(min=1), help="Look at the first ranks only."),
    click.option("--rel", type=click.IntRange(min=1),
                 help="Lowest relevant grade, for all measures."),
    click.option("-J", "--judged-only", is_flag=True,
                 help="Leave unjudged documents out of lists."),
    click.option("--topics", metavar="WHICH",
                 help="judged (default), retrieved, or ids: 301,302."),
    click.option("--undefined", type=click.Choice(["zero", "nan", "drop"]), default="zero",
                 show_default=True, help="Topics with nothing relevant."),
]  # fmt: skip
_READING = [label_options, run_options, quiet_option]


def scoring_options(command: F) -> F:
    """The flags that say what is scored; `score_files` takes them."""
    for option in reversed(_SCORING):
        command = option(command)
    return command


def reading_options(command: F) -> F:
    """The flags that say how files are read; `score_files` takes them."""
    for option in reversed(_READING):
        command = option(command)
    return command


def score_files(
    default: tuple[str, ...], default_topics: str = "judged", *,
    files: tuple[str, ...], qrels: str | None, runs: tuple[str, ...], measures: tuple[str, ...],
    complete: bool, depth: int | None, rel: int | None, judged_only: bool, topics: str | None,
    undefined: str, duplicates: str, grades: Any, outside: str, ties: str, score_precision: str,
    names: str, quiet: bool,
) -> tuple[Scores, list[Measure]]:  # fmt: skip
    """Read, score, and tell what is odd."""
    from hungjury.collection.qrels import read_qrels
    from hungjury.evaluation import evaluate

    labels_file, run_paths = sort_out(files, qrels, runs)
    wanted = _measures(measures or default, rel)
    if complete and topics not in (None, "judged"):
        raise click.UsageError("-c means --topics judged; choose one")
    which = "judged" if complete else topics or default_topics
    chosen = which if which in ("judged", "retrieved") else which.split(",")
    labels = read_qrels(labels_file, duplicates, grades, outside)
    found = run_files(run_paths, ties, score_precision, names)
    unjudged = "condensed" if judged_only else "nonrelevant"
    with progress_bar(quiet, is_much(found)) as progress:
        scores = evaluate(
            labels, found, wanted, chosen, undefined, unjudged, depth=depth, progress=progress
        )
    tell(scores.notes, quiet)
    return scores, wanted


def _measures(names: tuple[str, ...], rel: int | None) -> list[Measure]:
    """Measures by name; --rel sets the threshold of those that have one and do not name it."""
    from hungjury.catalogue import measure_list

    found = measure_list(names)
    if rel is None:
        return found
    return [m.but(rel=rel) if getattr(m, "rel", rel) == 1 else m for m in found]
