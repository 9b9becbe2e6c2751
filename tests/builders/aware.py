"""Judges with known quality for tests of AWARE."""

from __future__ import annotations

from typing import Any

import numpy as np

import hungjury as hj

Nested = dict[str, dict[str, dict[str, Any]]]
TRUTH = (0.95, 0.75, 0.5)


def planted(seed: int, systems: int = 20, topics: int = 15, pool: int = 120) -> tuple[Any, ...]:
    """Judgments, runs and truth. A judge is right with the probability in TRUTH.

    Systems differ in how well they rank, and, independently, in how many of the pooled documents
    they find: that is what rankings by random judges show.
    """
    rng = np.random.default_rng(seed)
    quality = np.linspace(2.5, 0.2, systems)
    coverage = rng.permutation(np.linspace(0.3, 1, systems))
    runs: Nested = {f"s{s}": {} for s in range(systems)}
    gold: dict[str, dict[str, int]] = {}
    for t in range(topics):
        truth = rng.random(pool) < 0.25
        gold[f"q{t}"] = {f"d{d}": int(x) for d, x in enumerate(truth)}
        for s in range(systems):
            score = quality[s] * truth + rng.normal(size=pool)
            found = np.flatnonzero(rng.random(pool) < coverage[s])
            lines = {f"d{d}": float(score[d]) for d in found}
            lines |= {f"u{i}": float(rng.normal()) for i in range(pool - len(found))}
            runs[f"s{s}"][f"q{t}"] = lines
    given: Nested = {
        f"{place}-right{share}": {
            q: {d: x if rng.random() < share else 1 - x for d, x in labels.items()}
            for q, labels in gold.items()
        }
        for place, share in enumerate(TRUTH)
    }
    return hj.read_judgments(given), hj.read_runs(runs), hj.read_qrels(gold)
