"""``python -m benchmarks.timings.ltr``: a round of nMCG-MART beside one of LightGBM's lambdarank.

200,000 documents of 2,000 queries with 136 features, trees of 64 leaves, both with all cores and
the same data set. Rounds are trained in turn, on the same machine at the same time; the figure is
the ratio of the medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import lightgbm
import numpy as np

from benchmarks.machine import machine_facts, versions
from hungjury.base.files import cores
from hungjury.ltr import NMCGObjective

GOAL = 1.3
WARM = 3  # first rounds, which nobody counts: memory is taken, trees are still flat


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=2_000)
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    data = _data(asked.documents, asked.queries, asked.features)
    mine = NMCGObjective(nav_rel=3)
    spent: dict[str, list[float]] = {"pairs": []}

    def objective(scores: Any, part: Any) -> Any:
        begin = time.perf_counter()
        found = mine.objective(scores, part)
        spent["pairs"].append(time.perf_counter() - begin)
        return found

    rounds: dict[str, Callable[[], Any]] = {
        "lambdarank": _booster(data, objective="lambdarank", lambdarank_truncation_level=10),
        "lambdarank, truncation 30": _booster(data, objective="lambdarank"),
    }
    ours = _booster(data, objective="none").__self__
    rounds["nMCG-MART"] = lambda: ours.update(fobj=objective)
    for number in range(WARM + asked.rounds):
        if number == WARM:
            spent.clear()
            spent["pairs"] = []
        for name, train in rounds.items():
            begin = time.perf_counter()
            train()
            spent.setdefault(name, []).append(time.perf_counter() - begin)
    _report(spent, asked)


def _data(documents: int, queries: int, features: int) -> Any:
    """Simulated: a few features determine the grades, with about MSLR-WEB10K's shares."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(documents, features))
    taste = table[:, :8].sum(axis=1) + 2 * rng.normal(size=documents)
    grades = np.searchsorted(np.quantile(taste, [0.52, 0.84, 0.97, 0.99]), taste)
    sizes = np.full(queries, documents // queries)
    sizes[: documents - int(sizes.sum())] += 1
    settings = {"verbosity": -1, "num_threads": cores(), "force_row_wise": True}
    return lightgbm.Dataset(table, label=grades, group=sizes, params=settings).construct()


def _booster(data: Any, **settings: Any) -> Callable[[], Any]:
    common = {"num_leaves": 64, "learning_rate": 0.05, "verbosity": -1, "metric": "none",
              "num_threads": cores(), "force_row_wise": True}  # fmt: skip
    update: Callable[[], Any] = lightgbm.Booster({**common, **settings}, data).update
    return update


def _report(spent: dict[str, list[float]], asked: argparse.Namespace) -> None:
    facts = {**machine_facts(), **versions(["lightgbm"])}
    print(", ".join(f"{key} {value}" for key, value in facts.items()))
    print(
        f"{asked.documents:,} documents, {asked.queries:,} queries, {asked.features} features, "
        f"{cores()} cores, {asked.rounds} rounds each\n"
    )
    base = statistics.median(spent["lambdarank"])
    print(f"{'':<28}{'median ms':>10}{'least ms':>10}{'ratio':>8}")
    for name, times in sorted(spent.items(), key=lambda one: one[0] == "pairs"):
        middle, least = statistics.median(times), min(times)
        shown = "of it, the pair loops" if name == "pairs" else name
        print(f"{shown:<28}{middle * 1e3:>10.1f}{least * 1e3:>10.1f}{middle / base:>8.2f}")
    ratio = statistics.median(spent["nMCG-MART"]) / base
    verdict = "met" if ratio <= GOAL else "MISSED"
    print(f"\nnMCG-MART over lambdarank: {ratio:.2f}; goal: at most {GOAL} ({verdict})")


if __name__ == "__main__":
    main()
