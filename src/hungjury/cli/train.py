"""hungjury train"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

import click

from hungjury.base.choices import LabelKind, Objective
from hungjury.cli.options import (
    F,
    all_of,
    choice_option,
    new_file,
    option,
    picture_option,
    quiet_option,
    refuse_unused,
)
from hungjury.cli.output import deliver, print_notes, progress_bar
from hungjury.cli.reading import flag
from hungjury.ltr.options import FEATURES, GOAL, TREES

if TYPE_CHECKING:
    from hungjury.ltr import Ranker, RankingData

FLAGS = {
    "num_iterations": "trees", "num_leaves": "leaves", "early_stopping_round": "stop_after",
}  # fmt: skip


def training_options(command: F) -> F:
    """Add the options of training; a command gets them as `training`, named as functions do."""
    options = {FLAGS.get(name, name): name for name in (GOAL | FEATURES | TREES) if name != EARLY}

    @wraps(command)
    def gathered(settings: dict[str, Any], **given: Any) -> Any:
        own = {name: given.pop(shown) for shown, name in options.items()}
        return command(training=own | settings, **given)

    flags = [training_flag(name) for name in options.values()]
    return cast(F, all_of([*flags, _set])(gathered))


def training_flag(name: str) -> Callable[[F], F]:
    """Make the flag of an option of training."""
    return flag(replace((GOAL | FEATURES | TREES)[name], name=FLAGS.get(name, name)))


def _settings(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any]:
    """'name=value' pairs; values are numbers or true/false where they look so."""
    found: dict[str, Any] = {}
    for text in values:
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise click.BadParameter(f"{text!r} is not a setting; use NAME=VALUE")
        if name in _names_of_options():
            raise click.BadParameter(f"{name} has its own option; see --help")
        found[name] = _value(value)
    return found


def _names_of_options() -> set[str]:
    """LightGBM's names of what our options set, and the arguments of the functions they go to."""
    from inspect import signature

    from hungjury.ltr.compare import compare_rankers
    from hungjury.ltr.train import ALIASES, train_ranker

    names = {"objective", "metric", *TREES, *(alias for name in TREES for alias in ALIASES[name])}
    return names.union(*(signature(call).parameters for call in (train_ranker, compare_rankers)))


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


_set = click.option(
    "--set", "settings", multiple=True, callback=_settings, metavar="NAME=VALUE",
    help="Any other LightGBM parameter; repeatable.",
)  # fmt: skip
EARLY = "early_stopping_round"


@click.command("train", no_args_is_help=True)
@click.argument("train", metavar="TRAIN")
@click.option("--valid", metavar="FILE", help="Validation data for early stopping.")
@choice_option(
    "--objective",
    Objective,
    "The users' nMCG, nDCG by the same code, LightGBM's own lambdarank, xGAP or eGAP.",
)
@choice_option("--labels", LabelKind, "Kind of labels in the first column of the files.")
@option("--qrels", metavar="FILE", help="Labels that replace those in the files.")
@training_flag(EARLY)
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
    stop_after: int, training: dict[str, Any], output: str, plot: str | None, quiet: bool,
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
    with progress_bar(quiet, worthwhile=True) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they are printed as notes
        ranker = train_ranker(
            data, seen, objective, labels=labels, progress=progress,
            early_stopping_round=stop_after, **training,
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
        f"{output}: {ranker.trees} trees for {ranker.goal}, from "
        f"{len(data):,} documents of {len(data.queries):,} queries"
    )
    if seen is None:
        return text
    start, now = (float(ranker.score(seen, trees).mean()) for trees in (0, None))
    return f"{text}; {ranker.goal} on the validation data: {now:.4f} (unranked {start:.4f})"
