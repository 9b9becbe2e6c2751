"""hungjury train, rank and compare-rankers"""

from __future__ import annotations

import os
import warnings
from glob import glob
from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import LabelKind, Objective
from hungjury.base.errors import Note
from hungjury.base.parameters import MOST_RANKS, MOST_TREES
from hungjury.cli import options
from hungjury.cli.failing import refuse, refuse_unused
from hungjury.cli.options import count, listed, new_file, option, second_file
from hungjury.cli.output import Output, deliver, print_notes, progress_bar, say
from hungjury.ltr.options import FEATURES, GOAL, TREES

if TYPE_CHECKING:
    from hungjury.ltr import Ranker, RankingData
    from hungjury.ltr.letor import Fold

EARLY = "early_stopping_round"
FLAGS = {"num_iterations": "trees", "num_leaves": "leaves", EARLY: "stop_after"}  # as typed
OPTIONS = GOAL | FEATURES | TREES


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
        found[name] = options.plain_value(value)
    return found


def _names_of_options() -> set[str]:
    """LightGBM's names of what our options set, and the arguments of the functions they go to."""
    from inspect import signature

    from hungjury.ltr.compare import compare_rankers
    from hungjury.ltr.train import lightgbm_names, train_ranker

    ours = {"objective", "metric", *TREES}
    names = {alias for alias, name in lightgbm_names().items() if name in ours}
    return names.union(*(signature(call).parameters for call in (train_ranker, compare_rankers)))


# The options of training, which a command gets as `training`.
training = options.bundle(
    "training",
    lambda settings, **given: given | settings,
    *(options.declared(one, FLAGS.get(n, "")) for n, one in OPTIONS.items() if n != EARLY),
    option(
        "--set NAME=VALUE ...",
        "Any other LightGBM parameter; repeatable.",
        name="settings",
        callback=_settings,
    ),
)


@click.command("train", no_args_is_help=True)
@click.argument("train", metavar="TRAIN")
@option("--valid FILE", "Validation data for early stopping.")
@option(
    "--objective",
    "The users' nMCG, nDCG by the same code, LightGBM's own lambdarank, xGAP or eGAP.",
    Objective,
)
@option("--labels", "Kind of labels in the first column of the files.", LabelKind)
@option("--qrels FILE", "Labels that replace those in the files.")
@options.declared(OPTIONS[EARLY], FLAGS[EARLY])
@training
@option("-o, --output FILE", "Write the ranker to this file (JSON).", new_file, required=True)
@options.plot("Plot the measure by number of trees")
@options.quiet
def train_command(
    train: str, valid: str | None, objective: Objective, labels: LabelKind, qrels: str | None,
    early_stopping_round: int, training: dict[str, Any], output: str, plot: str | None, quiet: bool,
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

    refuse(plot is not None and valid is None, "--plot needs --valid")
    refuse_unused(valid is not None, "--valid", "--stop-after")
    data = _labelled(read_letor(train, labels), qrels)
    seen = None
    if valid is not None:
        seen = _labelled(read_letor(valid, labels, data.features.shape[1]), qrels)
    with progress_bar(quiet) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they are printed as notes
        ranker = train_ranker(
            data, seen, objective, labels=labels, progress=progress,
            early_stopping_round=early_stopping_round, **training,
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


@click.command("rank", no_args_is_help=True)
@click.argument("ranker", metavar="RANKER")
@click.argument("data", metavar="DATA")
@option("--tag TEXT", "System name in the run.", options.word, "hungjury")
@option("--trees", "Use only the first trees; default: all kept trees.", count(MOST_TREES))
@option("--depth", "Documents per query; default: all.", count(MOST_RANKS))
@option("--labels", "Kind of labels in the first column of DATA.", LabelKind)
@option("--qrels FILE", "Write the labels of DATA to this file, for evaluation.", second_file)
@options.output
@options.quiet
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
    from hungjury.data.labels import read_qrels
    from hungjury.ltr import Ranker, read_letor

    model = Ranker.load(ranker)
    read = read_letor(data, labels, model.features)
    deliver(_lines(model.rank(read, trees), tag, depth), output)
    if qrels is not None:
        read_qrels(read.qrels()).write(qrels)
    print_notes(_notes(read, data), quiet)
    if output is not None:
        say(f"{output}: {len(read):,} documents of {len(read.queries):,} queries", quiet)


def _notes(data: RankingData, name: str) -> list[Note]:
    """Note features that the ranker knows and the data lack, maybe a sign of other data."""
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


@click.command("compare-rankers", no_args_is_help=True)
@click.argument("folders", nargs=-1, required=True, metavar="[NAME=]FOLDER...")
@option(
    "--folds",
    "Join the data of one FOLDER (of each data set) and split it into this many folds, in the "
    "order of queries.",
    count(1000, 3),
)
@option(
    "--sizes TEXT",
    'Tree counts to evaluate besides "all", the one best on the validation data.',
    listed(count(MOST_TREES), "tree counts such as 100,500"),
    "100,500",
)
@option(
    "--objective ...",
    "Objectives to train; the first is the baseline.",
    Objective,
    ["lambdarank", "nmcg"],
    name="objectives",
)
@option("--without NUMBERS", "Train each objective also without these features, such as 134-136.")
@training
@options.plot("Plot learning curves")
@options.results("table", "csv", "json", "latex")
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
    from hungjury.base.results import Table
    from hungjury.ltr import compare_data_sets

    sets = {name: _parts(mine, folds) for name, mine in _data_sets(folders).items()}
    with progress_bar(out.quiet) as progress:
        several = compare_data_sets(
            sets, sizes=sizes, objectives=objectives, without=without, progress=progress, **training
        )
    found = several if len(sets) > 1 else next(iter(several.found.values()))
    print_notes(found.notes, out.quiet)
    out.write(Table.of(found.rows()) if out.form in ("csv", "json") else found)
    if plot is not None:
        several.plot().save(plot)


def _data_sets(folders: tuple[str, ...]) -> dict[str, list[str]]:
    """The folders of each data set by its name; those without a name are one set."""
    sets: dict[str, list[str]] = {}
    for given in folders:
        name, equals, pattern = given.partition("=")
        if not equals or os.path.exists(given):
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
