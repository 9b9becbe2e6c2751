"""hungjury compare-rankers"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import Objective
from hungjury.cli.options import choice, count, option, picture_option, result_options
from hungjury.cli.output import Output
from hungjury.cli.train import training_options

if TYPE_CHECKING:
    from hungjury.ltr.letor import Fold


def _sizes(_context: click.Context, _option: click.Parameter, value: str) -> list[int]:
    try:
        sizes = [int(v) for v in value.split(",")]
        if min(sizes) < 1:
            raise ValueError
        return sizes
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not a list of tree counts such as 100,500"
        ) from None


@click.command("compare-rankers", no_args_is_help=True)
@click.argument("folders", nargs=-1, required=True, metavar="[NAME=]FOLDER...")
@click.option(
    "--folds",
    type=count(1000, 3),
    help="Join the data of one FOLDER (of each data set) and split it into this many folds, in the "
    "order of queries.",
)
@option(
    "--sizes",
    default="100,500",
    callback=_sizes,
    help='Tree counts to evaluate besides "all", the one best on the validation data.',
)
@option(
    "--objective",
    "objectives",
    type=choice(Objective),
    multiple=True,
    default=["lambdarank", "nmcg"],
    help="Objectives to train; the first is the baseline.",
)
@click.option(
    "--without",
    metavar="NUMBERS",
    help="Train each objective also without these features, such as 134-136.",
)
@training_options
@picture_option("--plot", "Plot learning curves")
@result_options("table", "csv", "json", "latex")
def compare_rankers_command(
    folders: tuple[str, ...], folds: int | None, sizes: list[int],
    objectives: tuple[Objective, ...], without: str | None, training: dict[str, Any],
    plot: str | None, out: Output,
) -> None:  # fmt: skip
    """Compare λ-MART with nMCG-MART over folds, by nDCG and nMCG at several tree counts.

    Each FOLDER is a fold with train.txt, vali.txt and test.txt (LETOR text, optionally .gz), or
    train_feature.npy, train_label.npy, train_group.npy and so on. To compare on several data sets,
    give NAME=FOLDER; FOLDER may then be a pattern, as in 'WEB30K=MSLR-WEB30K/Fold*'.

    \b
    Examples:
      hungjury compare-rankers MSLR/Fold* --user users.json --plot curves.svg
      hungjury compare-rankers MQ2008/Fold1 --folds 5 --nav-rel 2
      hungjury compare-rankers MSLR-WEB10K/Fold* --objective lambdarank --without 134-136
      hungjury compare-rankers 'WEB30K=MSLR/Fold*' Istella=istella-s --format latex
    """
    from hungjury.base.tables import Table
    from hungjury.ltr import compare_data_sets

    sets = {name: _parts(mine, folds) for name, mine in _data_sets(folders).items()}
    with out.progress() as progress:
        several = compare_data_sets(
            sets, sizes=sizes, objectives=objectives, without=without, progress=progress, **training
        )
    found = several if len(sets) > 1 else next(iter(several.found.values()))
    out.notes(found.notes)
    out.write(Table.of(found.rows()) if out.form in ("csv", "json") else found)
    if plot is not None:
        several.plot().save(plot)


def _data_sets(folders: tuple[str, ...]) -> dict[str, list[str]]:
    """The folders of each data set by its name; those without a name are one set."""
    from glob import glob
    from pathlib import Path

    sets: dict[str, list[str]] = {}
    for given in folders:
        name, equals, pattern = given.partition("=")
        if not equals or Path(given).exists():
            name, pattern = "", given
        sets.setdefault(name, []).extend(sorted(glob(pattern)) or [pattern])
    if "" in sets and len(sets) > 1:
        unnamed = sets[""][0]
        raise click.UsageError(f"name every data set: NAME={unnamed} instead of {unnamed}")
    return sets


def _parts(folders: list[str], folds: int | None) -> list[Fold]:
    """The folds of one data set."""
    from hungjury.ltr import join_data, make_folds, read_fold

    if folds is not None and len(folders) > 1:
        raise click.UsageError("--folds splits the data of one FOLDER; give one per data set")
    parts = [read_fold(folder) for folder in folders]
    return parts if folds is None else make_folds(join_data(parts[0]), folds)
