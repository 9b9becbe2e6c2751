"""hungjury train"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import LabelKind, Objective
from hungjury.base.parameters import MOST_TREES
from hungjury.cli.options import (
    choice_option,
    count,
    new_file,
    option,
    picture_option,
    quiet_option,
    refuse_unused,
)
from hungjury.cli.output import deliver, print_notes, progress_bar
from hungjury.cli.ranking import lightgbm_settings, training_options, without_warnings

if TYPE_CHECKING:
    from hungjury.ltr import Ranker, RankingData


@click.command("train", no_args_is_help=True)
@click.argument("train", metavar="TRAIN")
@click.option("--valid", metavar="FILE", help="Validation data for early stopping.")
@choice_option(
    "--objective",
    Objective,
    "The users' nMCG, nDCG by the same code, or LightGBM's own lambdarank.",
)
@choice_option("--labels", LabelKind, "Kind of labels in the first column of the files.")
@option("--qrels", metavar="FILE", help="Labels that replace those in the files.")
@click.option(
    "--stop-after",
    type=count(MOST_TREES),
    default=100,
    help="Stop after this many trees without improvement on --valid.",
)
@training_options
@click.option(
    "-o",
    "--output",
    type=new_file,
    required=True,
    metavar="FILE",
    help="Write the ranker to this file (JSON).",
)
@picture_option("--plot", "Plot the measure by number of trees")
@quiet_option
def train_command(
    train: str, valid: str | None, objective: Objective, labels: LabelKind, qrels: str | None,
    stop_after: int, user: str, nav_rel: int, cutoff: int, trees: int, leaves: int,
    learning_rate: float, settings: dict[str, Any], seed: int, output: str,
    plot: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Train a ranker for users: nMCG-MART, on LightGBM.

    TRAIN is a LETOR file (label qid:QUERY 1:VALUE 2:VALUE ... # DOCUMENT), plain or gz, or
    NAME_feature.npy beside NAME_label.npy and NAME_group.npy.

    \b
    Examples:
      hungjury train train.txt --valid vali.txt --user users.json -o ranker.json
      hungjury train train.txt --qrels merged.qrels --nav-rel 1 -o ranker.json
      hungjury rank ranker.json test.txt -o test.run
    """
    from hungjury.ltr.letor import read_letor
    from hungjury.ltr.train import train_ranker

    if plot is not None and valid is None:
        raise click.UsageError("--plot needs --valid")
    refuse_unused("--stop-after", "--valid", valid is not None)
    data = _labelled(read_letor(train, labels), qrels)
    seen = None
    if valid is not None:
        seen = _labelled(read_letor(valid, labels, data.features.shape[1]), qrels)
    with progress_bar(quiet, worthwhile=True) as progress, without_warnings():
        ranker = train_ranker(
            data, seen, objective, user, nav_rel, cutoff=cutoff, labels=labels, progress=progress,
            seed=seed, early_stopping_round=stop_after,
            **lightgbm_settings(trees, leaves, learning_rate, settings),
        )  # fmt: skip
    print_notes(ranker.notes, quiet)
    deliver(ranker.to_json(), output)
    if plot is not None:
        ranker.plot().save(plot)
    if not quiet:
        click.echo(_summary(output, ranker, data, seen), err=True)


def _labelled(data: RankingData, qrels: str | None) -> RankingData:
    return data if qrels is None else data.judged_by(qrels)


def _summary(output: str, ranker: Ranker, data: RankingData, seen: RankingData | None) -> str:
    text = (
        f"{output}: {ranker.trees} trees for {ranker.goal.short} of {ranker.user}, from "
        f"{len(data):,} documents of {len(data.queries):,} queries"
    )
    if seen is None:
        return text
    start, now = (float(ranker.score(seen, trees).mean()) for trees in (0, None))
    return f"{text}; {ranker.goal.short} on the validation data: {now:.4f} (unranked {start:.4f})"
