"""Is the smallest detectable difference the one that boards detect? On TREC DL, cut in half.

python -m benchmarks.truth.halves [--panels 2] [--measure nDCG@10] [--data ../shared/data]

Boards of random panels on half of the topics and on all of them. Stated is the smallest detectable
difference of a board, found the difference that best divides its pairs into those told apart and
the others; foreseen is what the board of one half states for twice as many topics, which the board
of all topics then finds.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import hungjury as hj
from benchmarks.truth.public import Panel, Public, dl19, dl21

DRAWS = 400
TARGETS = ("topics", "population")


def detected(board: hj.Leaderboard) -> float:
    """The difference of means that best divides the pairs of a board into told apart and not."""
    first, second = np.triu_indices(len(board.systems), 1)
    gap = np.abs(board.mean[first] - board.mean[second])
    order = np.argsort(gap)
    told = board.apart[first, second][order]
    wrong = np.cumsum(told) - np.cumsum(~told)  # of pairs up to a gap, were it the border
    return float(gap[order][np.argmin(wrong)])


def figures(public: Public, panel: Panel, name: str, target: str, seed: int) -> list[float]:
    """Stated and found on one half, foreseen for all topics, and found there."""
    families = None
    if "families" in panel.kind:
        families = {public.judgments.judges[k]: public.families[k] for k in panel.judges}
    topics = np.random.default_rng(seed).permutation(len(public.judgments.topics))
    half, whole = (
        hj.leaderboard(part.of(panel), public.runs, name, draws=DRAWS, target=target, seed=seed,
                       families=families)
        for part in (public.on(topics[::2], "half"), public)
    )  # fmt: skip
    assert half.outlook is not None
    foreseen = dict(half.outlook.topics)
    twice = min(foreseen, key=lambda n: abs(n - 2 * len(half.topics)))
    return [half.outlook.difference, detected(half), foreseen[twice], detected(whole)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=2, help="of every kind")
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("| collection, judges, target | stated, half | found | foreseen, all topics | found |")
    print("|---" * 5 + "|")
    for public in (dl19(given.data), dl21(given.data)):
        panels = public.panels(1, given.seed)
        for kind in dict.fromkeys(p.kind for p in panels):
            mine = [p for p in panels if p.kind == kind][: given.panels]
            for target in TARGETS:
                rows = [figures(public, p, given.measure, target, i) for i, p in enumerate(mine)]
                cells = " | ".join(f"{v:.3f}" for v in np.mean(rows, axis=0))
                print(f"| {public.name}, {kind}, {target} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
