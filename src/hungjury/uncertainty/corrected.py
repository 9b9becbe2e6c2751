"""How gold labels corrected a panel: the result type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record

__all__ = ["Correction", "Interval"]

Floats = NDArray[np.float64]
Interval = tuple[float, float, float]  # middle, low, high
POOR = 0.2  # correlation of the panel's grades with gold grades below which it is poor


class Correction(Record, eq=False):
    """How gold labels correct the panel. Arrays are in the order of the leaderboard's systems.

    Attributes
    ----------
    estimate
        "exact" (the whole pool is labelled), "combined" (with the panel), "direct" (gold labels
        alone) or "model" (it is not known how documents were chosen).
    design
        How documents were chosen: "plan", "random", "topics", "whole", or None if unknown.
    labels, skipped
        Documents with a gold label that is used, and documents that were due but have none.
    level
        The panel's mean over systems minus that of people, with a 95 % interval.
    slope
        People's differences between systems per difference of the panel.
    correlation
        Of the panel's and people's means over systems.
    agreement
        Correlation of the panel's mean grades with gold grades, over labelled documents.
    panel_error
        Standard deviation of the panel's error about systems, in units of the measure's
        range. None unless "combined", as is `slope`.
    effective_judges
        How many independent judges would err as little as these do together.
    direct_mean, direct_covariance
        Estimates from gold labels without the panel.
    expected
        (labels, difference between two systems that can just be told apart) for other numbers of
        labels; typical over pairs.
    looks, stretch
        Numbers of labels at which the result is checked, and the factor by which a difference has
        to be larger than at a single look.
    """

    estimate: str
    design: str | None
    labels: int
    skipped: int
    level: Interval
    slope: Interval | None
    correlation: Interval
    agreement: Interval
    panel_error: Interval | None
    effective_judges: float | None
    direct_mean: Floats
    direct_covariance: Floats
    expected: list[tuple[int, float]]
    looks: tuple[int, ...] = ()
    stretch: float = 1.0

    @property
    def poor(self) -> bool:
        """Whether the panel's agreement with gold labels is poor."""
        return self.agreement[0] < POOR or self.agreement[1] <= 0

    @property
    def concludes(self) -> bool:
        """Whether systems may be told apart: not if that rests on a panel that agrees poorly."""
        return not self.poor or self.estimate in ("exact", "direct")

    def ordered(self, order: NDArray[np.int64]) -> Correction:
        """With systems in another order."""
        return replace(
            self,
            direct_mean=self.direct_mean[order],
            direct_covariance=self.direct_covariance[np.ix_(order, order)],
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain numbers and lists."""
        out: dict[str, Any] = {}
        for name, value in vars(self).items():
            out[name] = value.tolist() if isinstance(value, np.ndarray) else value
        return out | {"poor_agreement": self.poor, "concludes": self.concludes}
