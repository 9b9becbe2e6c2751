"""Plain tables for terminals and pipes."""

from __future__ import annotations

import numpy as np

from hungjury.scores import Scores
from hungjury.text_formats import columns

__all__ = ["topic_table"]


def topic_table(scores: Scores, digits: int = 4) -> str:
    """A line per system and topic, a column per measure; '-' where nothing is counted."""
    counted = scores.counted()
    rows = [["system", "topic", *scores.measures]]
    for s, system in enumerate(scores.systems):
        for t, topic in enumerate(scores.topics):
            if not counted[:, s, t].any():
                continue
            cells = []
            for m in range(len(scores.measures)):
                value = scores.values[m, s, t]
                shown = "undefined" if np.isnan(value) else f"{value:.{digits}f}"
                cells.append(shown if counted[m, s, t] else "-")
            rows.append([system, topic, *cells])
    return columns(rows, left=2)
