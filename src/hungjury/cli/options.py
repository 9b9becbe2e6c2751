"""Flags that mean the same in every command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hungjury.collection.runs import RunFiles

F = TypeVar("F", bound=Callable[..., Any])


def _grades(_context: click.Context, _option: click.Parameter, value: str | None) -> Any:
    """'0-3' or '0,1,2' as a list of grades."""
    if value is None:
        return None
    try:
        if "-" in value:
            low, high = value.split("-")
            return list(range(int(low), int(high) + 1))
        return [int(v) for v in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is no scale; write 0-3 or 0,1,2") from None


def _measures(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from hungjury.catalogue import CATALOGUE

    return [cls.name for cls in CATALOGUE if cls.name.lower().startswith(incomplete.lower())]


_LABELS = [
    click.option("--duplicates", type=click.Choice(["error", "first", "last", "max"]),
                 default="error", show_default=True,
                 help="A document labelled twice, differently."),
    click.option("--grades", callback=_grades, metavar="0-3",
                 help="The scale of the labels; default: 0 to the largest label."),
    click.option("--outside", type=click.Choice(["error", "clip", "missing"]), default="error",
                 show_default=True, help="Labels outside --grades."),
]  # fmt: skip
_RUNS = [
    click.option("--ties", type=click.Choice(["trec", "input", "expected"]), default="trec",
                 show_default=True, help="Order of documents with equal scores."),
    click.option("--score-precision", type=click.Choice(["double", "single"]), default="double",
                 show_default=True, help="Precision in which scores are compared."),
    click.option("--names", type=click.Choice(["tag", "stem"]), default="tag", show_default=True,
                 help="Systems are named by run tag, or by file name."),
]  # fmt: skip
_JUDGES = [
    click.option("--judges", multiple=True, required=True, metavar="FILES",
                 help="Labels of several assessors: a file each, or a table with their names."),
    click.option("--assessor-column", type=click.Choice(["iteration"]),
                 help="The second column of a qrels file names the assessor."),
]  # fmt: skip
_INPUT = [
    click.argument("files", nargs=-1, metavar="QRELS RUN..."),
    click.option("--qrels", metavar="FILE", help="Labels; instead of the first argument."),
    click.option("--runs", multiple=True, metavar="FILES", help="Runs (repeat, or a glob)."),
]


def all_of(options: list[Any]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


judge_options = all_of(_JUDGES)
label_options = all_of(_LABELS)
run_options = all_of(_RUNS)
input_options = all_of(_INPUT)
quiet_option = click.option("--quiet", is_flag=True, help="No notes and no progress on stderr.")
output_option = click.option("-o", "--output", metavar="FILE", help="Write here, not to stdout.")
measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAME", shell_complete=_measures,
    help='Such as nDCG@10 or "AP(rel=2)"; repeatable; trec_eval\'s names work too.',
)  # fmt: skip


def sort_out(
    files: tuple[str, ...], qrels: str | None, runs: tuple[str, ...]
) -> tuple[str, list[str]]:
    """The labels' file and the runs' files, from arguments and long options."""
    rest = list(files)
    if qrels is None:
        if not rest:
            raise click.UsageError("name a qrels file and at least one run")
        qrels = rest.pop(0)
    everything = [*runs, *rest]
    if not everything:
        raise click.UsageError("name at least one run after the qrels file")
    return qrels, everything


def run_files(runs: list[str], ties: str, score_precision: str, names: str) -> RunFiles:
    from hungjury.collection.runs import RunFiles, RunPolicy
    from hungjury.collection.sources import expand

    return RunFiles(expand(runs, "scoreddocs"), RunPolicy(ties, score_precision, names))
