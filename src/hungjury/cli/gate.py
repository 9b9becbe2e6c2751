"""hungjury gate"""

from __future__ import annotations

from typing import Any

import click

from hungjury.base.parameters import MOST_MARGIN
from hungjury.cli.options import (
    Number,
    all_of,
    format_option,
    measure_option,
    output_option,
    plan_option,
    quiet_option,
)
from hungjury.cli.output import deliver, print_notes
from hungjury.cli.reading import Reading, flag, judges_and_runs, judges_option, runs_needed
from hungjury.leaderboard.options import BOARD


@click.command("gate", no_args_is_help=True)
@click.option("--qrels", metavar="FILE", help="Labels; or use --judges.")
@judges_option()
@runs_needed
@click.option("--baseline", required=True, metavar="NAME", help="The system in use.")
@click.option(
    "--candidate", multiple=True, required=True, metavar="NAME", help="A new system; repeatable."
)
@measure_option("Measure, as listed by `hungjury measures`.", "nDCG@10")
@click.option("--margin", type=Number(0, MOST_MARGIN), default=0.0, show_default=True,
              help="Differences up to this size do not matter in practice.")  # fmt: skip
@click.option("--gold", multiple=True, metavar="QRELS",
              help="Gold labels of some documents; needs --judges.")  # fmt: skip
@plan_option
@all_of([flag(BOARD[name]) for name in ("target", "level", "seed")])
@format_option("text", "json")
@output_option
@judges_and_runs
@quiet_option
def gate_command(
    qrels: str | None, judges: tuple[str, ...], runs: tuple[str, ...], baseline: str,
    candidate: tuple[str, ...], measure: str, margin: float, gold: tuple[str, ...],
    plan: str | None, target: str, level: float, form: str, seed: int, output: str | None,
    reading: Reading, quiet: bool,
) -> None:  # fmt: skip
    """Decide whether a candidate may replace a baseline.

    Exit code 0: every candidate passes (better, the same within the margin, or not worse by more
    than the margin). 1: a candidate is worse. 3: undecided. 2: an error, such as a missing run.

    \b
    Examples:
      hungjury gate --qrels qrels.txt --runs 'runs/*' --baseline bm25 --candidate new --margin 0.01
      hungjury gate --judges 'judges/*' --runs 'runs/*' --baseline bm25 --candidate new \\
          --gold labels.qrels --plan plan.csv --margin 0.01
    """
    from hungjury.base.text import json_text
    from hungjury.leaderboard.gate import gate
    from hungjury.measures.catalogue import measure as one_measure

    if (qrels is None) == (not judges):
        raise click.UsageError("give either --qrels or --judges")
    if qrels is not None and (gold or plan or target == "topics"):
        raise click.UsageError("--gold, --plan and --target topics go with --judges")
    lists = reading.runs(runs)
    options: dict[str, Any] = {}
    if qrels is None:
        options = {"gold": reading.gold_of(gold), "plan": plan,
                   "target": target, "judges": True}  # fmt: skip
    labels = reading.judgments(judges) if qrels is None else reading.qrels(qrels)
    found = gate(labels, lists, baseline, list(candidate), measure, margin, level=level, seed=seed,
                 **options)  # fmt: skip
    print_notes(labels.notes + one_measure(measure).notes(), quiet)
    if form == "json":
        deliver(json_text([one.to_dict() for one in found]), output)
    else:
        deliver("\n".join(map(str, found)), output)
    passed = [one.passed for one in found]
    if False in passed:
        raise SystemExit(1)
    if None in passed:
        raise SystemExit(3)
