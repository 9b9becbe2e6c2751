"""hungjury gate"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.parameters import MOST_MARGIN
from hungjury.cli.options import (
    Number,
    all_of,
    gold_option,
    measures_option,
    plan_option,
    result_options,
    was_typed,
)
from hungjury.cli.output import Output, print_notes
from hungjury.cli.reading import (
    Reading,
    ScoreTables,
    answers_options,
    binary_option,
    flag,
    judges_gold_and_runs,
    judges_option,
    runs_option,
    scores_options,
)
from hungjury.leaderboard.options import BOARD

LEVERS = {name: option for name, option in BOARD.items() if option.flag}
PLAIN = ("level", "seed")  # of plain qrels too
DRAWN = ("target", "draws")  # of probabilities too


@click.command("gate", no_args_is_help=True)
@click.option("--qrels", metavar="FILE", help="Labels of one source; or use --judges.")
@judges_option()
@runs_option()
@answers_options
@scores_options
@click.option("--baseline", required=True, metavar="NAME", help="The system in use.")
@click.option(
    "--candidate", multiple=True, required=True, metavar="NAME", help="A new system; repeatable."
)
@measures_option("Measure, as listed by `hungjury measures`; repeatable.", "nDCG@10")
@click.option("--margin", type=Number(0, MOST_MARGIN), default=0.0, show_default=True,
              help="Differences up to this size do not matter in practice.")  # fmt: skip
@binary_option
@gold_option("Gold labels of some documents; needs --judges.")
@plan_option
@all_of([flag(option) for option in LEVERS.values()])
@result_options("text", "json")
@judges_gold_and_runs
def gate_command(
    qrels: str | None, judges: tuple[str, ...], runs: tuple[str, ...], baseline: str,
    candidate: tuple[str, ...], measures: tuple[str, ...], margin: float, gold: tuple[str, ...],
    plan: tuple[str, ...], out: Output, reading: Reading, tables: ScoreTables, answered: Any,
    **options: Any,
) -> None:  # fmt: skip
    """Decide whether a candidate may replace a baseline.

    Exit code 0: every candidate passes by every measure (better, the same within the margin, or
    not worse by more than the margin). 1: a candidate is worse. 3: undecided. 2: an error, such as
    a missing run.

    \b
    Examples:
      hungjury gate --qrels qrels.txt --runs 'runs/*' --baseline bm25 --candidate new --margin 0.01
      hungjury gate --judges 'judges/*' --runs 'runs/*' --baseline bm25 --candidate new \\
          --gold labels.qrels --plan plan.csv --margin 0.01
      hungjury gate --answers answers.csv --scale 1-5 --baseline old --candidate new
      hungjury gate --scores scores.csv -m F1 --baseline old --candidate new --margin 0.01
    """
    from hungjury.data.qrels import Judgments
    from hungjury.leaderboard.gate import gate

    given = [bool(qrels), bool(judges), bool(tables.scores), bool(answered)]
    if sum(given) != 1 or bool(runs) == any(given[2:]):
        raise click.UsageError(
            "give --qrels or --judges, with --runs; or --answers or --scores alone"
        )
    typed = [n for n in LEVERS if was_typed(f"--{n.replace('_', '-')}")]
    labels: Any
    lists: Any = None
    allowed: tuple[str, ...] = tuple(LEVERS)
    if tables.scores:
        labels, allowed = tables.read(), (*PLAIN, *DRAWN, "panel_error")
    elif qrels is not None:
        labels = reading.labels(qrels)
        if isinstance(labels, Judgments):
            raise click.UsageError(
                f"{qrels}: these are labels of {len(labels.judges)} judges; give them as --judges"
            )
        allowed = (*PLAIN, *DRAWN) if labels.soft else PLAIN
    elif answered is None:
        labels = reading.judgments(judges)
    if answered:
        found = answered()
        labels, lists = found.judgments, found.runs
    elif not judges:
        if gold or plan or set(typed) - set(allowed) or options["rel"] is not None:
            raise click.UsageError(
                "--gold, --plan and options of a panel such as --families go with --judges; "
                "--target and --draws go with --judges, --scores, or labels that are probabilities"
            )
        options = {n: options[n] for n in allowed if n in (*typed, *PLAIN)}
    if runs:
        lists = reading.runs(runs)
    names = list(measures) if not tables.scores or was_typed("--measure") else None
    decided = gate(
        labels, lists, baseline, list(candidate), names, margin,
        gold=reading.gold_of(gold), plan=plan or None, **options,
    )  # fmt: skip
    print_notes(decided.notes, out.quiet, every=True)
    out.write(decided)
    if not decided.passed:
        raise SystemExit(1 if decided.passed is False else 3)
