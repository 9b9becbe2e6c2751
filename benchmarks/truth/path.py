"""Is a pair of systems ever called the wrong way round, over all looks at a path of labels?

python -m benchmarks.truth.path [--times 200] [--workers 2]

Simulated collections with systems of nearly the same quality and judges who are fooled alike. Every
time a plan is made, labels are bought in batches, and the leaderboard is looked at after each of
them, by `leaderboard(..., plan=, looks=)` as anybody would.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HUNGJURY_THREADS", "1")  # processes are enough

import numpy as np
from numpy.typing import NDArray

import hungjury as hj
from hungjury.leaderboard.board import standing
from hungjury.stats.multiple import of_differences

LOOKS = (60, 120, 240)
MEASURE = "nDCG@10"
SYSTEMS = range(18, 24)  # of forty: neighbours in quality
WAYS = ("pair by pair, one look's bounds", "pair by pair, bounds of all looks",
        "as the board tells apart, one look's bounds",
        "as the board tells apart, bounds of all looks")  # fmt: skip

Floats = NDArray[np.float64]


def path(seed: int) -> tuple[Floats, int]:
    """Pairs that were ever called wrong by each of `WAYS`, and the number of pairs."""
    made = hj.simulate(systems=40, topics=20, documents=80, depth=30, grades=3, fooled=0.2,
                       seed=seed)  # fmt: skip
    runs = hj.read_runs({f"system{i}": {t: dict(made.runs.ranked(f"system{i}", t))
                                        for t in made.runs.topics} for i in SYSTEMS})  # fmt: skip
    scores = hj.evaluate(made.gold, runs, MEASURE)
    plan = hj.plan(made.judgments, runs, MEASURE, LOOKS[-1], seed=seed)
    labels = made.gold.to_dict()
    first, second = np.triu_indices(len(scores.systems), 1)
    names = scores.systems
    means = scores.mean()[0]
    real = means[first] - means[second]
    ever = np.zeros((len(WAYS), len(first)), dtype=bool)
    for look in LOOKS:
        gold: dict[str, dict[str, int]] = {}
        for topic, document in zip(plan.topics[:look], plan.documents[:look], strict=True):
            gold.setdefault(topic, {})[document] = labels[topic][document]
        board = hj.leaderboard(made.judgments, runs, MEASURE, gold=gold, plan=plan, looks=LOOKS,
                               target="topics", draws=400, seed=seed, outlook=False)  # fmt: skip
        assert board.correction is not None
        order = [board.systems.index(name) for name in names]
        mean, draws = board.mean[order], board.samples[:, order]
        gap = mean[first] - mean[second]
        sd = np.sqrt(of_differences(np.cov(draws, rowvar=False)))[first, second]
        once = standing(mean, draws, 0.95).apart[first, second]
        wrong = (np.sign(gap) != np.sign(real)) & (real != 0)
        stretch = board.correction.stretch
        called = (np.abs(gap) > 1.96 * sd, np.abs(gap) > 1.96 * stretch * sd, once,
                  board.apart[np.ix_(order, order)][first, second])  # fmt: skip
        ever |= np.array([wrong & one for one in called])
    return ever.sum(axis=1).astype(float), len(first)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.workers) as pool:
        found = list(pool.map(path, range(given.seed, given.seed + given.times)))
    wrong = np.array([one for one, _ in found])
    pairs = found[0][1]
    print("| calls | a pair ever called wrong | any pair ever called wrong |")
    print("| --- | --- | --- |")
    for k, way in enumerate(WAYS):
        share, anything = wrong[:, k] / pairs, wrong[:, k] > 0
        half = 1.96 / np.sqrt(len(wrong)) * np.array([share.std(), anything.std()])
        print(f"| {way} | {share.mean():.3f} ± {half[0]:.3f} | {anything.mean():.3f} ± "
              f"{half[1]:.3f} |")  # fmt: skip


if __name__ == "__main__":
    main()
