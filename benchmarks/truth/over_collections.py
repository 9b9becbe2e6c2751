"""``python -m benchmarks.truth.over_collections``: is P(A beats B) true over several collections?

The topics of DL19 and of DL21 are split at random into pseudo-collections with the same systems and
judges. The leaderboard over them, by random panels, is compared pair by pair with the mean over
these collections by NIST's labels.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.truth.boards import BINS
from benchmarks.truth.public import MEASURES, Public, dl19, dl21
from hungjury import leaderboards

PARTS = 3  # pseudo-collections of each


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=1, help="of every size and kind")
    given = parser.parse_args()
    for make in (dl19, dl21):
        public = make(given.data)
        counts = np.zeros((2, len(BINS) - 1), dtype=int)
        apart = np.zeros(2, dtype=int)
        boards = 0
        for number, panel in enumerate(public.panels(given.panels, seed=1)):
            one, other = board(public, panel, MEASURES[number % len(MEASURES)], number)
            counts, apart, boards = counts + one, apart + other, boards + 1
        pairs, right = counts
        print(f"{public.name}: {boards} boards over {PARTS} collections")
        for bin_, (low, high) in enumerate(pairwise(BINS)):
            share = right[bin_] / max(pairs[bin_], 1)
            print(f"  {low:.2f}-{high:.2f}: {pairs[bin_]:6} pairs, right in {share:.3f}")
        print(f"  told apart: {apart[0]}, {apart[1]} of them wrong")


def board(public: Public, panel, measure: str, seed: int):  # type: ignore[no-untyped-def]
    """Count pairs by bin, and right ones; pairs told apart, and wrong ones."""
    order = np.random.default_rng(seed).permutation(len(public.judgments.topics))
    parts = {f"part{i}": public.on(order[i::PARTS], f"part{i}") for i in range(PARTS)}
    known = [public.families[k] for k in panel.judges] if "families" in panel.kind else None
    names = public.of(panel).judges
    families = None if known is None else dict(zip(names, known, strict=True))
    found = leaderboards(
        {name: (part.of(panel), public.runs) for name, part in parts.items()}, measure,
        families=families, target="topics", seed=seed,
    )  # fmt: skip
    truth = np.mean([part.truth[measure] for part in parts.values()], axis=0)
    truth = truth[[public.runs.systems.index(name) for name in found.systems]]
    one, other = np.triu_indices(len(truth), 1)
    differ = truth[one] != truth[other]
    one, other = one[differ], other[differ]
    chance, better = found.beats[one, other], truth[one] > truth[other]
    stated = np.maximum(chance, 1 - chance)
    right = np.where(chance >= 0.5, better, ~better)
    bins = np.clip(np.digitize(stated, BINS) - 1, 0, len(BINS) - 2)
    told = found.apart[one, other]
    size = len(BINS) - 1
    counted = np.stack([np.bincount(bins, minlength=size), np.bincount(bins, right, size)])
    return counted.astype(int), np.array([told.sum(), (told & ~right).sum()])


if __name__ == "__main__":
    main()
