"""Agreement of judges as text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hungjury.base.notes import plural
from hungjury.base.text import number_text
from hungjury.judges.agreement import Agreement, Rankings, alpha_text

LINES = 40  # judges listed


def agreement_text(found: Agreement) -> str:
    """Return the overall numbers, the warnings, and a line per judge."""
    head, *numbers = agreement_summary(found)
    lines = [head, "", *numbers]
    if found.warnings:
        lines += ["", "warnings", *(f"- {w}" for w in found.warnings)]
    return "\n".join([*lines, "", _table(found), ""])


def agreement_summary(found: Agreement) -> list[str]:
    """Return sentences on how much was judged, and the overall numbers."""
    panel = found.panel
    lines = [
        f"{plural(len(found.judges), 'judge')}, {plural(len(panel.pool.topics), 'topic')}, "
        f"{plural(len(panel.pool), 'document')}, {plural(int(found.labels.sum()), 'label')}, "
        f"grades {found.grades[0]}-{found.grades[-1]}",
        f"agreement of two judges   {number_text(found.agreement)}",
        f"Fleiss' kappa             {number_text(found.fleiss)}",
        f"Krippendorff's alpha      {alpha_text(found)}",
    ]
    return lines if found.rankings is None else lines + _ranking_lines(found.rankings)


def _ranking_lines(rankings: Rankings) -> list[str]:
    upper = np.triu_indices(len(rankings.tau), 1)
    both = (rankings.tau_ap + rankings.tau_ap.T) / 2
    tau, tau_ap = rankings.tau[upper], both[upper]
    return [
        f"{len(rankings.systems)} systems ranked by {rankings.measure}: mean tau_b "
        f"{number_text(_mean(tau))}, mean tau_ap {number_text(_mean(tau_ap))} between two judges",
    ]


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _table(found: Agreement) -> str:
    """Return a line per judge; of very many judges only those with the most labels."""
    table = found.table()
    left = len(found.judges) - LINES
    if left <= 0:
        return table.to_text()
    most = sorted(np.argsort(-found.labels, kind="stable")[:LINES].tolist())
    shown = replace(table, rows=[table.rows[i] for i in most])
    return f"{shown}\nand {plural(left, 'judge')} with fewer labels"
