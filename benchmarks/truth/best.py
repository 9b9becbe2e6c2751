"""``python -m benchmarks.truth.best``: are chances right on leaderboards of the best systems alone?

Random panels choose the best systems of TREC Deep Learning 2019 and 2021, LLM re-rankers declared
as kin. The pairs of these systems are compared with NIST's labels, once with the chances of their
own leaderboard, once with those on the leaderboard of all systems.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import hungjury as hj
from benchmarks.truth.public import KIN, MEASURES, Panel, Public, dl19, dl21

DRAWS = 400
BINS = (0.7, 0.9, 0.95, 1.0)
HEAD = ("collection", "best", "leaderboard", "0.7–0.9", "0.9–0.95", "0.95–1", "told apart", "wrong",
        "ranks covered", "best by people is in it")  # fmt: skip


class Counted:
    """Pairs of the best systems by the chance they were given, and what people say of them."""

    def __init__(self) -> None:
        self.pairs, self.right = np.zeros((2, len(BINS) - 1))
        self.all = self.apart = self.wrong = 0

    def add(self, board: hj.Leaderboard, systems: list[str], truth: NDArray[np.float64]) -> None:
        """truth: [system], of these systems."""
        at = [board.systems.index(name) for name in systems]
        beats, apart = (one[np.ix_(at, at)] for one in (board.beats, board.apart))
        decided = truth[:, None] != truth
        for row in range(len(self.pairs)):
            # Certainty is in the last bin.
            upto = np.inf if row == len(self.pairs) - 1 else BINS[row + 1]
            mine = (beats >= BINS[row]) & (beats < upto) & decided
            self.pairs[row] += mine.sum()
            self.right[row] += (truth[:, None] > truth)[mine].sum()
        self.all += len(at) * (len(at) - 1) // 2
        self.apart += int((apart & (beats > 0.5)).sum())
        self.wrong += int((apart & (beats > 0.5) & (truth[:, None] < truth)).sum())

    def cells(self) -> list[str]:
        shares = self.right / np.maximum(self.pairs, 1)
        bins = [f"{s:.3f} ({n:.0f})" for s, n in zip(shares, self.pairs, strict=True)]
        return [*bins, f"{self.apart / self.all:.0%}", f"{self.wrong / max(self.apart, 1):.2%}"]


def board_of(public: Public, panel: Panel, name: str, best: int | None) -> hj.Leaderboard:
    """A leaderboard for these topics."""
    families = None
    if "families" in panel.kind:
        families = {public.judgments.judges[k]: public.families[k] for k in panel.judges}
    return hj.leaderboard(
        public.of(panel), public.runs, name, draws=DRAWS, target="topics", best=best,
        families=families, kin=KIN if public.kin.any() else None, outlook=False,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=1, help="of every kind and size")
    parser.add_argument("--best", type=int, nargs="+", default=[10, 20, 30])
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(f"| {' | '.join(HEAD)} |\n" + "|---" * len(HEAD) + "|")
    for public in (dl19(given.data), dl21(given.data)):
        panels = public.panels(given.panels, given.seed)
        whole = {(p, m): board_of(public, p, m, None) for p in panels for m in MEASURES}
        for best in given.best:
            own, all_systems = Counted(), Counted()
            covered, leader = [], []
            for panel, name in whole:
                board = board_of(public, panel, name, best)
                true = dict(zip(public.runs.systems, public.truth[name].tolist(), strict=True))
                truth = np.array([true[one] for one in board.systems])
                own.add(board, board.systems, truth)
                all_systems.add(whole[panel, name], board.systems, truth)
                rank = 1 + (truth > truth[:, None]).sum(axis=1)
                within = [r.rank_low <= k <= r.rank_high
                          for r, k in zip(board.rows(), rank, strict=True)]  # fmt: skip
                covered.append(np.mean(within))
                leader.append(truth.max() == max(true.values()))
            shares = [f"{np.mean(covered):.3f}", f"{np.mean(leader):.0%}"]
            for kind, found, more in (("own", own, shares), ("all", all_systems, ["", ""])):
                cells = [public.name, str(best), kind, *found.cells(), *more]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
