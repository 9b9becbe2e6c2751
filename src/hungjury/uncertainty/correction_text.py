"""Sentences about how gold labels correct a panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hungjury.collection.notes import plural
from hungjury.uncertainty.panel_error import PEOPLE

if TYPE_CHECKING:
    from hungjury.uncertainty.corrected import Correction, Interval

__all__ = ["corrected_by", "poor_agreement", "sentences"]


def corrected_by(correction: Correction) -> str:
    """Part of a headline: how the panel is corrected."""
    labels = plural(correction.labels, "gold label")
    how = {
        "exact": f"gold labels of the whole pool ({labels})",
        "model": f"corrected by a model of {labels}, chosen in an unknown way",
        "direct": f"by {labels} alone",
        "combined": f"corrected by {labels}",
    }[correction.estimate]
    return f"{how}; {poor_agreement(correction)}" if correction.poor else how


def poor_agreement(correction: Correction) -> str:
    """The headline's warning where the panel agrees poorly with gold labels."""
    middle, low, high = correction.agreement
    rest = (
        "the result rests on gold labels alone"
        if correction.concludes
        else "nothing can be concluded"
    )
    return (
        f"the panel agrees poorly with gold labels (correlation {middle:.2f}, {low:.2f} to "
        f"{high:.2f}): {rest}"
    )


def sentences(correction: Correction, digits: int = 3) -> list[str]:
    """How the panel differs from people, and what more labels would give."""
    level = correction.level
    side = "above" if level[0] > 0 else "below"
    out = [
        f"The panel's level is {abs(level[0]):.{digits}f} {side} people's "
        f"({_range(level, digits, '+')})."
    ]
    out.append(
        f"Correlation of panel and people over systems: {correction.correlation[0]:.2f} "
        f"({_range(correction.correlation, 2)}); of their grades over labelled documents: "
        f"{correction.agreement[0]:.2f} ({_range(correction.agreement, 2)})."
    )
    if correction.slope is not None and correction.panel_error is not None:
        slope, error = correction.slope, correction.panel_error
        out.append(
            f"A difference of 1 by the panel is {slope[0]:.2f} by people ({_range(slope, 2)}); "
            f"beyond that the panel is off by {error[0]:.3f} of the measure's range for a typical "
            f"system ({_range(error, 3)}). One person is off from another by about {PEOPLE:g}."
        )
    if correction.effective_judges is not None:
        out.append(
            f"Errors of the judges are correlated: they count as {correction.effective_judges:.1f} "
            "independent judges."
        )
    if correction.expected:
        now, *more = correction.expected
        out.append(
            f"Smallest detectable difference with {now[0]:,} labels: {now[1]:.{digits}f}."
            + (" With more labels: " if more else "")
            + ", ".join(f"{labels:,}: {size:.{digits}f}" for labels, size in more)
        )
    if correction.looks:
        out.append(
            f"Looks at {', '.join(f'{n:,}' for n in correction.looks)} labels: differences have to "
            f"be {correction.stretch:.2f} times as large as at a single look. What is told apart "
            "now is settled; labelling may stop here."
        )
    return out


def _range(interval: Interval, digits: int, sign: str = "") -> str:
    return f"{interval[1]:{sign}.{digits}f} to {interval[2]:{sign}.{digits}f}"
