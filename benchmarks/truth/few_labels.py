"""Do labels ever make a board worse? Boards with 0 to 500 gold labels on TREC DL 2019 and 2021.

python -m benchmarks.truth.few_labels [--panels 2] [--measure nDCG@10] [--design influence]
    [--labels 0,20,50,100,200,500] [--systems 15]

Panels of five judges, each with a plan of its own seed; NIST's labels of its first documents are
the gold labels. For every number of labels: pairs that the board tells apart, wrong ones among
them, the error of differences (root mean square, over the square root of 2) of the means it shows,
and the share of pairs whose 95 % interval covers the difference by all of NIST's labels. Without
labels, or where these do not decide yet, means and chances are the panel's own, without intervals
of differences. With --systems each panel compares that many random systems: labels by depth then
reach further.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import hungjury as hj
from benchmarks.truth.public import Panel, Public, dl19, dl21
from hungjury.data.runs import Runs

LABELS = "0,20,50,100,200,500"
JUDGES, DRAWS = 5, 400


@dataclass(frozen=True)
class Asked:
    """Which boards are made."""

    measure: str
    design: str
    labels: list[int]
    systems: int | None

    def lists(self, runs: Runs, seed: int) -> Runs:
        """All lists, or those of some random systems."""
        if self.systems is None:
            return runs
        some = np.random.default_rng(seed).choice(runs.systems, self.systems, replace=False)
        every = runs.to_dict()
        return hj.read_runs({name: every[name] for name in sorted(some.tolist())})


def boards(public: Public, panel: Panel, asked: Asked, seed: int) -> list[list[float]]:
    """Pairs told apart, wrong ones, the error of differences, and the share of pairs covered, for
    each number of labels."""
    name, runs = asked.measure, asked.lists(public.runs, seed)
    judgments, people = public.of(panel), public.gold.to_dict()
    truth = dict(zip(public.runs.systems, public.truth[name], strict=True))
    most = max(asked.labels)
    plan = hj.plan(judgments, runs, name, budget=most, seed=seed, design=asked.design)
    planned = list(zip(plan.topics, plan.documents, strict=True))
    out = []
    for number in asked.labels:
        gold: dict[str, dict[str, int]] = {}
        for topic, document in planned[:number]:
            gold.setdefault(topic, {})[document] = max(int(people[topic][document]), 0)
        labels = {"gold": gold, "plan": plan} if number else {}
        board = hj.leaderboard(
            judgments, runs, name, draws=DRAWS, target="topics", outlook=False, **labels
        )
        real = np.array([truth[system] for system in board.systems])
        first, second = np.triu_indices(len(real), 1)
        apart = board.apart[first, second]
        wrong = int((apart & (real[first] < real[second])).sum())
        covered = np.nan
        if board.correction is not None and board.correction.decides == "gold":
            gap = board.samples[:, first] - board.samples[:, second]
            low, high = np.quantile(gap, (0.025, 0.975), axis=0)
            covered = (
                (low <= real[first] - real[second]) & (real[first] - real[second] <= high)
            ).mean()
        out.append([apart.sum(), wrong, (board.mean - real).std(ddof=1), covered])
    return out


def table(collections: list[Public], panels: int, asked: Asked, seed: int) -> str:
    """A row for every panel, as markdown."""
    lines = [
        f"| collection, panel of {JUDGES} | {' | '.join(f'{n} labels' for n in asked.labels)} |",
        "|---" * (len(asked.labels) + 1) + "|",
    ]
    for public in collections:
        found = []
        for draw in range(seed, seed + panels):
            mine = next(p for p in public.panels(1, draw) if len(p.judges) == JUDGES)
            found.append(boards(public, mine, asked, draw))
            lines.append(f"| {public.name}, {mine.kind} | {_cells([found[-1]])} |")
            print(lines[-1], file=sys.stderr)
        lines.append(f"| {public.name}, mean | {_cells(found)} |")
    return "\n".join(lines)


def _cells(found: list[list[list[float]]]) -> str:
    """Means over panels, for each number of labels; wrong pairs as a share."""
    apart, wrong, error, covered = np.moveaxis(np.array(found, dtype=float), 2, 0)
    share = wrong.sum(axis=0) / np.maximum(apart.sum(axis=0), 1)
    known = ~np.isnan(covered)
    out = []
    for n in range(apart.shape[1]):
        text = f"{apart[:, n].mean():,.0f} ({share[n]:.1%}), {error[:, n].mean():.3f}"
        mine = covered[known[:, n], n]
        out.append(f"{text}, {mine.mean():.2f}" if len(mine) else text)
    return " | ".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=2, help="of each collection")
    parser.add_argument("--measure", default="nDCG@10", help="one of benchmarks.truth.public")
    parser.add_argument("--design", default="influence", help="of plans")
    parser.add_argument("--labels", default=LABELS, help="numbers of them, separated by commas")
    parser.add_argument("--systems", type=int, help="random ones for each panel; default: all")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    labels = [int(number) for number in given.labels.split(",")]
    asked = Asked(given.measure, given.design, labels, given.systems)
    both = [dl19(given.data), dl21(given.data)]
    print(table(both, given.panels, asked, given.seed))


if __name__ == "__main__":
    main()
