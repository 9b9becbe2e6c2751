"""hungjury prm"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import Pooling
from hungjury.base.parameters import MOST_DRAWS, MOST_SMOOTHING
from hungjury.base.results import Table
from hungjury.cli import options
from hungjury.cli.failing import refuse, refuse_unused
from hungjury.cli.options import Number, count, grade, option, plain_value, second_file
from hungjury.cli.output import Output, deliver, print_notes
from hungjury.cli.reading import Reading

if TYPE_CHECKING:
    from hungjury.data.qrels import Qrels
    from hungjury.judges.disagreement import PRM


@click.command("prm", no_args_is_help=True)
@options.judges(required=True)
@option(
    "--users PATTERN ...",
    "Judges whose labels are predicted; default: all, or all but the assessors.",
)
@option(
    "--assessors PATTERN ...",
    "Judges from whose labels they are predicted; default: all but the users.",
)
@option("--rel", "Lowest relevant grade; default: each grade in turn.", grade)
@option(
    "--relevant LEVELS",
    "Levels that count as relevant, instead of --rel, such as 1,2,5 or Nav,Key.",
)
@option(
    "--categories NAME:LEVEL,...",
    "Names of the levels, such as Nav:4,Key:3,HRel:2,Rel:1,Non:0,Junk:-2.",
)
@option(
    "--kinds PATTERN|FILE",
    "Kinds of documents, each with probabilities of its own: a regular expression on ids, or a "
    "file with a document and its kind on each line.",
)
@option("--pooling", "Let kinds borrow from each other, or fit each alone.", Pooling)
@option("--smoothing", "Smoothing a in (n_R + a) / (n + 2a).", Number(0, MOST_SMOOTHING), 0.0)
@option("--draws", "Number of bootstrap samples for the intervals.", count(MOST_DRAWS), 1000)
@options.seed()
@option("--qrels FILE", "Labels of one judge, to apply the model to.")
@option(
    "--soft FILE",
    "Write --qrels as probabilities to this file (needs --rel or --relevant).",
    second_file,
)
@options.runs("Score these runs by --qrels, with P(relevant) as gain or probability.")
@options.measures("Measure for --runs; repeatable.", "AP", "nDCG@10")
@options.plot("Write a plot")
@options.results("table", "csv", "json")
@options.judges_and_runs
def prm_command(
    judges: tuple[str, ...], users: tuple[str, ...], assessors: tuple[str, ...], rel: int | None,
    relevant: str | None, categories: str | None, kinds: str | None, seed: int, qrels: str | None,
    soft: str | None, runs: tuple[str, ...], measures: tuple[str, ...], plot: str | None,
    out: Output, reading: Reading, **how: Any,
) -> None:  # fmt: skip
    """Estimate how likely a user is to find documents of each level relevant.

    \b
    Examples:
      hungjury prm --judges 'judges/*' --rel 2
      hungjury prm --judges 'judges/*' --users 'human*' --rel 2
      hungjury prm --judges labels.csv --categories Nav:3,Key:2,Rel:1,Non:0 --relevant Nav,Key
      hungjury prm --judges 'judges/*' --rel 2 --qrels qrels.txt --soft soft.qrels
      hungjury prm --judges 'judges/*' --rel 2 --qrels qrels.txt --runs 'runs/*' -m nDCG@10
    """
    from hungjury.judges.prm import category_names, prm

    refuse(rel is not None and relevant is not None, "give --rel or --relevant, not both")
    for name, given in (("--soft", soft), ("--runs", runs)):
        if given and (qrels is None or (rel is None and relevant is None)):
            raise click.UsageError(f"{name} needs --qrels and --rel or --relevant")
    refuse_unused(runs, "--runs", "-m", "--ties", "--score-precision", "--names")
    refuse_unused(kinds is not None, "--kinds", "--pooling")
    if categories is not None:
        refuse(reading.options["map"], "give --categories or --map, not both")
        known = category_names(categories)
        grades = reading.options["grades"] or range(min(known), max(known) + 1)
        reading = Reading({**reading.options, "map": categories, "grades": grades})
    levels = None if relevant is None else _levels(relevant, categories is not None)
    labels = reading.judgments(judges)
    model = prm(
        labels, rel or 1, levels, seed=seed, users=users or None, assessors=assessors or None,
        categories=categories, kinds=kinds, **how,
    )  # fmt: skip
    models = [model] if rel or levels else model.scenarios()
    print_notes(labels.notes + model.notes, out.quiet)
    chosen = None if qrels is None else reading.qrels(qrels)
    if chosen is not None and runs:
        out.write(model.score(chosen, reading.runs(runs), measures, seed=seed))
    elif out.form == "table":
        deliver("\n\n".join(_page(one, chosen) for one in models), out.output)
    else:
        out.write(Table.of([row for one in models for row in _rows(one, chosen)]))
    if plot is not None:
        from hungjury.report.judge_plots import draw_prm
        from hungjury.report.pictures import save_picture

        save_picture(draw_prm(models), plot)
    if soft is not None and chosen is not None:
        model.soft_qrels(chosen).write(soft)


def _levels(text: str, names: bool) -> list[int | str]:
    parts = [plain_value(part.strip()) for part in text.split(",")]
    if not all(isinstance(part, int) or (names and isinstance(part, str)) for part in parts):
        raise click.UsageError(f"--relevant takes integers such as 1,2,5, got {text}")
    return parts


def _rows(model: PRM, qrels: Qrels | None) -> list[dict[str, Any]]:
    """Return the rows of a model, with the lowest relevant grade or the levels that count as
    relevant; with qrels also how many of these are relevant, by both."""
    names = ",".join(str(model.names.get(v, v)) for v in model.relevant)
    known = {"relevant": names} if model.rel is None else {"rel": model.rel}
    more: dict[str, Any] = {}
    if qrels is not None:
        more["qrels_relevant"], more["qrels_expected"] = model.relevant_counts(qrels)
    return [{**known, **row, **more} for row in model.table().to_dicts()]


def _page(model: PRM, qrels: Qrels | None) -> str:
    page = f"relevant: {model.notion}\n{model}"
    if qrels is None:
        return page
    binary, expected = model.relevant_counts(qrels)
    return (
        f"{page}\nthe qrels label {binary:,} documents relevant; another judge would "
        f"label about {expected:,.0f} relevant"
    )
