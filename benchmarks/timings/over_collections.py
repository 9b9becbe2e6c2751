"""``python -m benchmarks.timings.over_collections``: an overall leaderboard of 30 collections.

Simulated collections of 100 systems, 50 topics and 5 judges with four grades, ranked one by one and
all together. The overall leaderboard may take 30 s, and 1.2 times as long as all others together:
it is made from these, and shows who would lead without any one of the collections.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import hungjury as hj
from benchmarks.machine import machine_facts, versions

MOST_SECONDS, MOST_TIMES = 30.0, 1.2


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.timings.over_collections", description=__doc__
    )
    parser.add_argument("--collections", type=int, default=30)
    parser.add_argument("--systems", type=int, default=100)
    asked = parser.parse_args()
    for name, value in {**machine_facts(), **versions()}.items():
        print(f"{name}: {value}")
    made = {}
    for seed in range(asked.collections):
        sim = hj.simulate(systems=asked.systems, topics=50, depth=100, grades=4, seed=seed)
        made[f"c{seed}"] = sim.judgments, sim.runs
    each = timed(
        f"{asked.collections} leaderboards of {asked.systems} systems",
        lambda: [hj.leaderboard(*one, "nDCG@10", outlook=False) for one in made.values()],
    )
    together = timed("the overall leaderboard", lambda: hj.leaderboards(made, "nDCG@10"))
    times = together[1] / each[1]
    print(f"processor time of the overall leaderboard by that of all others: {times:.2f}")
    met = together[0] <= MOST_SECONDS and times <= MOST_TIMES
    print(f"goal of {MOST_SECONDS:g} s and {MOST_TIMES:g} times: {'met' if met else 'MISSED'}")
    return int(not met)


def timed(what: str, work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    took, used = time.perf_counter() - wall, time.process_time() - processor
    print(f"{what}: {took:.1f} s ({used:.1f} s of processor)")
    return took, used


if __name__ == "__main__":
    sys.exit(main())
