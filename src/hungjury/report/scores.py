"""Scores as plain tables, and in trec_eval's format."""

from __future__ import annotations

import numpy as np

from hungjury.base.text import columns
from hungjury.measures.catalogue import Measure, trec_name
from hungjury.measures.scores import Scores


def topic_table(scores: Scores, digits: int = 4) -> str:
    """Return a line per system and topic, a column per measure; '-' where nothing is counted."""
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


def trec_lines(scores: Scores, measures: list[Measure], per_topic: bool, summary: bool) -> str:
    """``name<TAB>topic<TAB>value``, name padded to 22 columns, topics in byte order."""
    names = [trec_name(m) for m in measures]
    counted, mean = scores.counted(), scores.mean()
    lines: list[str] = []
    if per_topic and summary:
        scores.check_summary()
    order = sorted(range(len(scores.topics)), key=lambda t: scores.topics[t].encode())
    for s, system in enumerate(scores.systems):
        if per_topic:
            for t in order:
                for m, measure in enumerate(measures):
                    if counted[m, s, t] and names[m] != "num_q" and measure.average != "gmean":
                        value = _shown(scores.values[m, s, t], measure)
                        lines.append(f"{names[m]:<22}\t{scores.topics[t]}\t{value}")
        if summary:
            lines.append(f"{'runid':<22}\tall\t{system}")
            for m, measure in enumerate(measures):
                lines.append(f"{names[m]:<22}\tall\t{_shown(mean[m, s], measure)}")
    return "\n".join(lines) + "\n"


def _shown(value: float, measure: Measure) -> str:
    return (
        f"{value:.0f}" if measure.average == "sum" and value == np.rint(value) else f"{value:.4f}"
    )
