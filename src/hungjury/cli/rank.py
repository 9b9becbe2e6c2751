"""hungjury rank"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hungjury.base.choices import LabelKind
from hungjury.base.parameters import MOST_RANKS, MOST_TREES
from hungjury.cli.options import (
    choice_option,
    count,
    option,
    output_option,
    quiet_option,
    second_file,
    word,
)
from hungjury.cli.output import deliver, print_notes

if TYPE_CHECKING:
    from hungjury.base.errors import Note
    from hungjury.ltr import RankingData


@click.command("rank", no_args_is_help=True)
@click.argument("ranker", metavar="RANKER")
@click.argument("data", metavar="DATA")
@option("--tag", type=word, default="hungjury", metavar="TEXT",
              help="System name in the run.")  # fmt: skip
@click.option(
    "--trees", type=count(MOST_TREES), help="Use only the first trees; default: all kept trees."
)
@click.option("--depth", type=count(MOST_RANKS), help="Documents per query; default: all.")
@choice_option("--labels", LabelKind, "Kind of labels in the first column of DATA.")
@click.option(
    "--qrels",
    type=second_file,
    metavar="FILE",
    help="Write the labels of DATA to this file, for evaluation.",
)
@output_option
@quiet_option
def rank_command(
    ranker: str, data: str, tag: str, trees: int | None, depth: int | None, labels: LabelKind,
    qrels: str | None, output: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Rank documents with a trained ranker, as a TREC run.

    \b
    Examples:
      hungjury rank ranker.json test.txt -o test.run --qrels test.qrels
      hungjury evaluate test.qrels test.run -m 'nDCG(dcg="exp-log2")@10' -m 'nMCG(nav_rel=2)@10'
    """
    from hungjury.ltr import Ranker, read_letor

    model = Ranker.load(ranker)
    read = read_letor(data, labels, model.features)
    deliver(_lines(model.rank(read, trees), tag, depth), output)
    if qrels is not None:
        _write_labels(read, qrels)
    print_notes(_notes(read, data), quiet)
    if not quiet and output is not None:
        click.echo(f"{output}: {len(read):,} documents of {len(read.queries):,} queries", err=True)


def _notes(data: RankingData, name: str) -> list[Note]:
    """Note features that the ranker knows and the data lack, maybe a sign of other data."""
    from hungjury.base.errors import Note

    features = data.features.shape[1]
    found = int((data.features != 0).any(axis=0).sum())
    if 2 * found >= features:
        return []
    text = f"only {found:,} of the ranker's {features:,} features are other than 0 in {name}"
    return [Note("other-features", found, text, about="result")]


def _lines(run: dict[str, dict[str, float]], tag: str, depth: int | None) -> str:
    """Write TREC columns, equal scores in trec_eval's order: ranks are those that it uses."""
    lines = []
    for query, scores in run.items():
        order = sorted(scores, key=lambda d: (scores[d], d.encode("utf-8", "surrogateescape")))
        for rank, document in enumerate(order[::-1][:depth], 1):
            lines.append(f"{query} Q0 {document} {rank} {scores[document]!r} {tag}\n")
    return "".join(lines)


def _write_labels(data: RankingData, path: str) -> None:
    from hungjury.data.labels import read_qrels

    read_qrels(data.qrels()).write(path)
