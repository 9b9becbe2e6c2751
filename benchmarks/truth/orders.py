"""``python -m benchmarks.truth.orders``: how often do orders by different functionals disagree?

The votes of DL21's judges (relevant: grade 2 and more) are probabilities of relevance. Systems are
ordered by the mean, the median, quantiles and the probability of being better, for several
measures; a pair of systems disagrees if two functionals order it differently.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.truth.public import dl21
from hungjury import evaluate, merge

MEASURES = ("E(nDCG@10)", "E(AP)", "E(P@10)", "E(RR)")
OTHERS = ("median", 0.1, 0.9, "wins")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    public = dl21(parser.parse_args().data)
    for judges in (len(public.judgments.judges), 3):
        panel = public.judgments.only(np.arange(judges))
        scores = evaluate(merge(panel, "binmv", 2), public.runs, MEASURES, distribution=True)
        print(f"{judges} judges, {len(scores.systems)} systems, {len(scores.topics)} topics")
        for m, name in enumerate(scores.measures):
            place = {by: ranks(scores.order(by, m), scores.systems) for by in ("mean", *OTHERS)}
            pairs = np.triu_indices(len(scores.systems), 1)
            told = []
            for by in OTHERS:
                one, other = (np.sign(np.subtract.outer(p, p))[pairs] for p in
                              (place["mean"], place[by]))  # fmt: skip
                first = "" if (place[by].argmin() == place["mean"].argmin()) else ", other leader"
                told.append(f"{by} {(one != other).mean():.2%}{first}")
            print(f"  {name}: pairs ordered otherwise than by the mean: {'; '.join(told)}")


def ranks(order: list[str], systems: list[str]) -> np.ndarray:
    """[system]: places in an order."""
    return np.array([order.index(name) for name in systems])


if __name__ == "__main__":
    main()
