"""From files to scores: options and reading shared by commands on labels and runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from hungjury.choices import ScorePrecision, Undefined, Unjudged
from hungjury.cli.options import (
    F,
    all_of,
    choice_option,
    count,
    grade,
    measures_option,
    quiet_option,
)
from hungjury.cli.output import is_much, progress_bar
from hungjury.cli.reading import (
    InputFiles,
    LabelFlags,
    RunFlags,
    input_options,
    label_options,
    run_options,
)
from hungjury.limits import MOST_RANKS

if TYPE_CHECKING:
    from hungjury.catalogue import Measure
    from hungjury.scores import Scores

DEFAULT = ("nDCG@10", "AP", "P@10", "RR")
_SCORING = [
    input_options,
    measures_option(
        'Measure such as nDCG@10 or "AP(rel=2)", or a trec_eval name; repeatable. '
        f"Default: {', '.join(DEFAULT[:-1])} and {DEFAULT[-1]}."
    ),
    click.option("-c", "--complete", is_flag=True, help="Same as --topics judged."),
    click.option("-M", "--depth", type=count(MOST_RANKS), help="Use only the first ranks."),
    click.option("-l", "--rel", type=grade,
                 help="Lowest relevant grade, for all measures."),
    click.option("-J", "--judged-only", is_flag=True,
                 help="Remove unjudged documents from lists."),
    click.option("--topics", metavar="WHICH",
                 help="judged (default), retrieved, or topic ids such as 301,302."),
    choice_option("--undefined", Undefined, "Value where nothing is relevant."),
]  # fmt: skip
_READING = [label_options, run_options, quiet_option]


def scoring_options(command: F) -> F:
    """The flags that say what is scored; `score_files` takes them."""
    return all_of(_SCORING)(command)


def reading_options(command: F) -> F:
    """The flags that say how files are read; `score_files` takes them."""
    return all_of(_READING)(command)


def score_files(
    default: tuple[str, ...], default_topics: str = "judged",
    precision: ScorePrecision = "double", *,
    inputs: InputFiles, measures: tuple[str, ...], complete: bool, depth: int | None,
    rel: int | None, judged_only: bool, topics: str | None, undefined: Undefined,
    label_flags: LabelFlags, run_flags: RunFlags, quiet: bool,
) -> tuple[Scores, list[Measure]]:  # fmt: skip
    """Read the files and score them."""
    from hungjury.evaluation import evaluate

    labels_file, run_paths = inputs.sorted_out()
    _no_measure_among(run_paths)
    wanted = _measures(measures or default, rel)
    if complete and topics not in (None, "judged"):
        raise click.UsageError("-c means --topics judged; give only one of them")
    which = "judged" if complete else topics or default_topics
    chosen = which if which in ("judged", "retrieved") else which.split(",")
    labels = label_flags.qrels(labels_file)
    found = run_flags.files(run_paths, label_flags.columns, precision)
    unjudged: Unjudged = "condensed" if judged_only else "nonrelevant"
    with progress_bar(quiet, is_much(found)) as progress:
        scores = evaluate(
            labels, found, wanted, chosen, undefined, unjudged, depth=depth, progress=progress
        )
    return scores, wanted


def _no_measure_among(runs: list[str]) -> None:
    """ir_measures takes measures after the run; here they would be read as files."""
    from hungjury.catalogue import measure_list
    from hungjury.errors import HungjuryError

    for name in runs:
        if not os.path.exists(name):
            try:
                measure_list(name)
            except HungjuryError:
                continue
            raise click.UsageError(f"{name} is a measure, not a file; use -m {name}")


def _measures(names: tuple[str, ...], rel: int | None) -> list[Measure]:
    """Measures by name; --rel sets the threshold of those that have one and do not name it."""
    from hungjury.catalogue import measure_list

    found = measure_list(names)
    if rel is None:
        return found
    return [m.but(rel=rel) if getattr(m, "rel", rel) == 1 else m for m in found]
