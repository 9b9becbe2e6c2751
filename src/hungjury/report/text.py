"""Plain tables for terminals and pipes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hungjury.scores import Scores

__all__ = ["columns", "topic_table"]


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows of cells as aligned text: the first `left` columns to the left, numbers right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


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
