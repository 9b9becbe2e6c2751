"""Judges with known quality for tests of AWARE."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import hungjury as hj
from hungjury.judges.weights import ScoredPanel, as_weights

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


def scored_panel(scores: Any, judged: Any = None) -> ScoredPanel:
    """Numbered judges with scores [judge, system, topic]; by default all judged every topic."""
    everything = np.ones((scores.shape[0], scores.shape[2]), dtype=bool)
    names = [f"judge {k + 1}" for k in range(len(scores))]
    return ScoredPanel(scores, everything if judged is None else judged, names)


def weights_from_scores(
    how: str, given: Any, random: Any = None, gold: Any = None, orientation: Any = "dissimilarity"
) -> Any:
    """a_k(t), [judge, topic], from a panel or from scores alone."""
    panel = given if isinstance(given, ScoredPanel) else scored_panel(given)
    return as_weights(how).of(replace(panel, random=random, gold=gold, orientation=orientation))
