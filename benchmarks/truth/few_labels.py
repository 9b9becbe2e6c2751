"""Do labels ever make a board worse? Boards with 0 to 500 gold labels on TREC DL 2019 and 2021.

python -m benchmarks.truth.few_labels [--panels 2] [--measure nDCG@10] [--data ../shared/data]

Panels of five judges, each with a plan of its own seed; NIST's labels of its first documents are
the gold labels. For every number of labels: pairs that the board tells apart, wrong ones among
them, and the error of differences (root mean square, over the square root of 2) of the means it
shows. Without labels these are the panel's own.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import hungjury as hj
from benchmarks.truth.public import Panel, Public, dl19, dl21

LABELS = (0, 20, 50, 100, 200, 500)
JUDGES, DRAWS = 5, 400


def boards(public: Public, panel: Panel, name: str, seed: int) -> list[tuple[int, int, float]]:
    """Pairs told apart, wrong ones, and the error of differences, for each number of labels."""
    judgments, people = public.of(panel), public.gold.to_dict()
    truth = dict(zip(public.runs.systems, public.truth[name], strict=True))
    plan = hj.plan(judgments, public.runs, name, budget=max(LABELS), seed=seed)
    planned = list(zip(plan.topics, plan.documents, strict=True))
    out = []
    for number in LABELS:
        gold: dict[str, dict[str, int]] = {}
        for topic, document in planned[:number]:
            gold.setdefault(topic, {})[document] = max(int(people[topic][document]), 0)
        labels = {"gold": gold, "plan": plan} if number else {}
        board = hj.leaderboard(
            judgments, public.runs, name, draws=DRAWS, target="topics", outlook=False, **labels
        )
        real = np.array([truth[system] for system in board.systems])
        first, second = np.triu_indices(len(real), 1)
        apart = board.apart[first, second]
        wrong = int((apart & (real[first] < real[second])).sum())
        off = board.mean - real
        out.append((int(apart.sum()), wrong, float(off.std(ddof=1))))
    return out


def table(collections: list[Public], panels: int, name: str, seed: int) -> str:
    """A row for every panel, as markdown."""
    lines = [
        f"| collection, panel of {JUDGES} | {' | '.join(f'{n} labels' for n in LABELS)} |",
        "|---" * (len(LABELS) + 1) + "|",
    ]
    for public in collections:
        found = []
        for draw in range(seed, seed + panels):
            mine = next(p for p in public.panels(1, draw) if len(p.judges) == JUDGES)
            found.append(boards(public, mine, name, draw))
            cells = [f"{a:,} ({w}), {e:.3f}" for a, w, e in found[-1]]
            lines.append(f"| {public.name}, {mine.kind} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr)
        apart, wrong, error = np.moveaxis(np.array(found), 2, 0)
        share = wrong.sum(axis=0) / np.maximum(apart.sum(axis=0), 1)
        means = zip(apart.mean(axis=0), share, error.mean(axis=0), strict=True)
        cells = [f"{a:,.0f} ({w:.1%}), {e:.3f}" for a, w, e in means]
        lines.append(f"| {public.name}, mean | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=2, help="of each collection")
    parser.add_argument("--measure", default="nDCG@10", help="one of benchmarks.truth.public")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(table([dl19(given.data), dl21(given.data)], given.panels, given.measure, given.seed))


if __name__ == "__main__":
    main()
