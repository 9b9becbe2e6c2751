"""hungjury prm"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hungjury.base.parameters import MOST_DRAWS, MOST_SMOOTHING
from hungjury.cli.options import (
    Number,
    count,
    grade,
    option,
    picture,
    result_options,
    second_file,
    seed_option,
)
from hungjury.cli.output import Output, deliver
from hungjury.cli.reading import Reading, judges_needed, reading_options
from hungjury.data.reading.options import JUDGES

if TYPE_CHECKING:
    from hungjury.data.qrels import Qrels
    from hungjury.judges.prm import PRM


@click.command("prm", no_args_is_help=True)
@judges_needed
@click.option("--rel", type=grade, help="Lowest relevant grade; default: each grade in turn.")
@click.option(
    "--relevant",
    metavar="LEVELS",
    help="Levels that count as relevant, instead of --rel, such as 1,2,5.",
)
@option("--smoothing", type=Number(0, MOST_SMOOTHING), default=0.0,
        help="Smoothing a in (n_R + a) / (n + 2a).")  # fmt: skip
@option("--draws", type=count(MOST_DRAWS), default=1000,
        help="Number of bootstrap samples for the intervals.")  # fmt: skip
@seed_option("Random seed.")
@click.option("--qrels", metavar="FILE", help="Labels of one judge, to apply the model to.")
@click.option(
    "--soft",
    type=second_file,
    metavar="FILE",
    help="Write --qrels as probabilities to this file (needs --rel or --relevant).",
)
@click.option("--plot", type=picture, metavar="FILE", help="Write a plot (.svg, .png, .pdf).")
@result_options("table", "csv", "json")
@reading_options(JUDGES)
def prm_command(
    judges: tuple[str, ...], rel: int | None, relevant: str | None, smoothing: float, draws: int,
    seed: int, qrels: str | None, soft: str | None, plot: str | None, out: Output,
    reading: Reading,
) -> None:  # fmt: skip
    """Estimate how likely another judge is to find documents of each level relevant.

    \b
    Examples:
      hungjury prm --judges 'judges/*' --rel 2
      hungjury prm --judges 'judges/*' --plot prm.svg
      hungjury prm --judges 'judges/*' --relevant 1,3
      hungjury prm --judges 'judges/*' --rel 2 --qrels qrels.txt --soft soft.qrels
    """
    from hungjury.base.tables import Table
    from hungjury.judges.prm import prm

    if rel is not None and relevant is not None:
        raise click.UsageError("give --rel or --relevant, not both")
    if soft is not None and (qrels is None or (rel is None and relevant is None)):
        raise click.UsageError("--soft needs --qrels and --rel or --relevant")
    levels = None if relevant is None else _levels(relevant)
    labels = reading.judgments(judges)
    model = prm(labels, rel or 1, levels, smoothing, draws, seed)
    models = [model] if rel or levels else model.scenarios()
    out.notes(labels.notes + models[0].notes)
    chosen = None if qrels is None else reading.qrels(qrels)
    if out.form == "table":
        deliver("\n\n".join(_page(one, chosen) for one in models), out.path)
    else:
        out.write(Table.of([{**_relevant(one), **row} for one in models for row in one.rows()]))
    if plot is not None:
        from hungjury.report.judge_plots import draw_prm
        from hungjury.report.pictures import save_picture

        save_picture(draw_prm(models), plot)
    if soft is not None and chosen is not None:
        models[0].soft_qrels(chosen).write(soft)


def _levels(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--relevant takes integers such as 1,2,5, got {text}") from None


def _relevant(model: PRM) -> dict[str, int | str]:
    """Name the lowest relevant grade, or the levels that count as relevant."""
    if model.rel is not None:
        return {"rel": model.rel}
    return {"relevant": ",".join(map(str, model.relevant))}


def _page(model: PRM, qrels: Qrels | None) -> str:
    page = f"relevant: {model.notion}\n{model}"
    if qrels is None:
        return page
    binary, expected = model.relevant_counts(qrels)
    return (
        f"{page}\nthe qrels label {binary:,} documents relevant; another judge would "
        f"label about {expected:,.0f} relevant"
    )
