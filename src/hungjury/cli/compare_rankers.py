"""hungjury compare-rankers"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hungjury.cli.options import count, csv_safe_option, output_option, picture, quiet_option
from hungjury.cli.output import deliver, progress_bar, rows_as, tell
from hungjury.cli.ranking import lightgbm_settings, training_options

if TYPE_CHECKING:
    from hungjury.ltr.objective import Objective


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
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@click.option(
    "--folds",
    type=count(1000, 3),
    help="Join the data of one FOLDER and split it into this many folds, in the order of queries.",
)
@click.option(
    "--sizes",
    default="100,500",
    show_default=True,
    callback=_sizes,
    help="Tree counts to evaluate besides all trees.",
)
@click.option(
    "--objective",
    "objectives",
    type=click.Choice(["lambdarank", "nmcg", "ndcg"]),
    multiple=True,
    default=["lambdarank", "nmcg"],
    show_default=True,
    help="Objectives to train; the first is the baseline.",
)
@training_options
@click.option(
    "--plot", type=picture, metavar="FILE", help="Plot learning curves (.svg, .png, .pdf)."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@csv_safe_option
@output_option
@quiet_option
def compare_rankers_command(
    folders: tuple[str, ...], folds: int | None, sizes: list[int],
    objectives: tuple[Objective, ...], user: str, nav_rel: int, cutoff: int, trees: int,
    leaves: int, learning_rate: float, settings: dict[str, Any], seed: int,
    plot: str | None, form: str, csv_safe: bool, output: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Compare λ-MART with nMCG-MART over folds, by nDCG and nMCG at several tree counts.

    Each FOLDER is a fold with train.txt, vali.txt and test.txt (LETOR text, optionally .gz), or
    train_feature.npy, train_label.npy, train_group.npy and so on.

    \b
    Examples:
      hungjury compare-rankers MSLR/Fold* --user users.json --plot curves.svg
      hungjury compare-rankers MQ2008/Fold1 --folds 5 --nav-rel 2
    """
    from hungjury.ltr import compare_rankers, join_data, make_folds, read_fold

    if folds is not None and len(folders) > 1:
        raise click.UsageError("--folds splits the data of one FOLDER; give one")
    parts = [read_fold(folder) for folder in folders]
    if folds is not None:
        parts = make_folds(join_data(parts[0]), folds)
    with progress_bar(quiet, worthwhile=True) as progress:
        found = compare_rankers(
            parts, user, nav_rel, cutoff=cutoff, sizes=sizes, objectives=objectives, seed=seed,
            progress=progress, **lightgbm_settings(trees, leaves, learning_rate, settings),
        )  # fmt: skip
    tell(found.notes, quiet)
    deliver(str(found) if form == "table" else rows_as(found.rows(), form, csv_safe), output)
    if plot is not None:
        from hungjury.report.pictures import save_picture
        from hungjury.report.ranker_plots import draw_comparison

        save_picture(draw_comparison(found), plot)
