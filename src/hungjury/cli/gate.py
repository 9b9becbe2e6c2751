"""hungjury gate"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.parameters import MOST_MARGIN
from hungjury.cli import options
from hungjury.cli.failing import flag, was_typed
from hungjury.cli.options import Number, option
from hungjury.cli.output import Output, print_notes
from hungjury.cli.reading import Reading, ScoreTables
from hungjury.leaderboard.options import BOARD

LEVERS = {name: option for name, option in BOARD.items() if option.flag}
PLAIN = ("level", "seed")  # of plain qrels too
DRAWN = ("target", "draws")  # of probabilities too


@click.command("gate", no_args_is_help=True)
@option("--qrels FILE", "Labels of one source; or use --judges.")
@options.judges()
@options.runs()
@options.scores_or_answers
@option("--baseline NAME", "The system in use.", required=True)
@option("--candidate NAME ...", "A new system; repeatable.", required=True)
@options.measures("Measure, as listed by `hungjury measures`; repeatable.", "nDCG@10")
@option(
    "--margin",
    "Differences up to this size do not matter in practice.",
    Number(0, MOST_MARGIN),
    0.0,
)
@options.rel
@options.gold("Gold labels of some documents; needs --judges.")
@options.plan
@options.all_of(*(options.declared(one) for one in LEVERS.values()))
@options.results("text", "json")
@options.judges_gold_and_runs
def gate_command(
    qrels: str | None, judges: tuple[str, ...], runs: tuple[str, ...], baseline: str,
    candidate: tuple[str, ...], measures: tuple[str, ...], margin: float, gold: tuple[str, ...],
    plan: tuple[str, ...], out: Output, reading: Reading, tables: ScoreTables, **how: Any,
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

    given = [bool(qrels), bool(judges), bool(tables.scores), bool(tables.answers)]
    if sum(given) != 1 or bool(runs) == any(given[2:]):
        raise click.UsageError(
            "give --qrels or --judges, with --runs; or --answers or --scores alone"
        )
    typed = [n for n in LEVERS if was_typed(flag(n))]
    labels: Any
    lists: Any = None
    allowed: tuple[str, ...] = tuple(LEVERS)
    if judges or tables.answers:
        labels, lists = tables.panel(reading, judges, runs)
    elif tables.scores:
        labels, allowed = tables.read(), (*PLAIN, *DRAWN, "panel_error")
    else:
        labels = reading.labels(qrels or "")
        if isinstance(labels, Judgments):
            raise click.UsageError(
                f"{qrels}: these are labels of {len(labels.judges)} judges; give them as --judges"
            )
        allowed = (*PLAIN, *DRAWN) if labels.soft else PLAIN
    if qrels or tables.scores:
        if gold or plan or set(typed) - set(allowed) or how["rel"] is not None:
            raise click.UsageError(
                "--gold, --plan and options of a panel such as --families go with --judges; "
                "--target and --draws go with --judges, --scores, or labels that are probabilities"
            )
        how = {n: how[n] for n in allowed if n in (*typed, *PLAIN)}
    if qrels:
        lists = reading.runs(runs)
    named = not tables.scores or was_typed("--measure")
    wanted = list(tables.measures(measures)) if named else None
    decided = gate(
        labels, lists, baseline, list(candidate), wanted, margin,
        gold=reading.gold_of(gold), plan=plan or None, **how,
    )  # fmt: skip
    print_notes(decided.notes, out.quiet, every=True)
    out.write(decided)
    if not decided.passed:
        raise SystemExit(1 if decided.passed is False else 3)
