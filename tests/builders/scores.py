"""Scores made by hand for tests of comparisons."""

import numpy as np

from hungjury.data.reading.options import ScoreSettings
from hungjury.measures.scores import SCORED, Scores

TESTS = ["t", "wilcoxon", "randomisation", "bootstrap"]


def scores_of(values, averages=(), status=None, **settings):
    """Scores by hand from values [measure, system, topic]: measures m0.., systems s0.."""
    table = np.asarray(values, dtype=float)
    m, s, t = table.shape
    return Scores(
        [f"m{i}" for i in range(m)],
        [f"s{i}" for i in range(s)],
        [f"q{i}" for i in range(t)],
        table,
        np.full(table.shape, SCORED, dtype=np.uint8) if status is None else status,
        ScoreSettings(**settings),
        list(averages),
    )


def some_scores(measures=2, systems=4, topics=9, seed=1):
    """Systems of growing quality; the last two are the same."""
    rng = np.random.default_rng(seed)
    quality = np.arange(systems)[None, :, None] * 0.07
    table = np.clip(quality + rng.normal(0.4, 0.15, (measures, systems, topics)), 0, 1)
    table[:, -1] = table[:, -2]
    return scores_of(table)
