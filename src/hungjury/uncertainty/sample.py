"""Gold labels as a sample of a pool: which documents, with which probability, labelled how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sample"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Gold labels of some documents of a pool."""

    documents: Ints  # positions in the pool, ascending
    shares: Floats  # [labelled document, grade]: share of the people who gave it
    people: Ints  # [labelled document]: how many labelled it
    grades: tuple[int, ...]
    probability: Floats  # [document of the pool]: inclusion probabilities

    @property
    def at_least(self) -> Floats:
        """[labelled document, grade above the lowest]: share of people who gave at least it."""
        return np.asarray(self.shares[:, :0:-1].cumsum(axis=1)[:, ::-1])

    @property
    def disagreement(self) -> Floats:
        """[labelled document]: what turns the spread of people's labels into the variance of their
        mean.

        A document that one person labelled has no spread to go by; those that several labelled
        speak for it. If no document has several labels, that one person's view is estimated.
        """
        several = self.people > 1
        if not several.any():
            return np.zeros(len(self.people))
        each = 1 / self.people
        speaks_for = each.sum() / each[several].sum()
        return np.where(several, speaks_for / np.maximum(self.people - 1, 1), 0.0)
