"""Scores under many draws, summarised block by block to save memory.

A thousand draws of a thousand systems on two hundred topics would take 1.6 GB. All that a
leaderboard needs are the mean over topics of every draw, mean and spread of every cell,
and the covariances between systems, which cost systems² * topics * draws: the only part of a
leaderboard with this cost. It is a matrix product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record

__all__ = ["ScoreDraws", "Summing", "draws_at_once"]

Floats = NDArray[np.float64]
NUMBERS_AT_ONCE = 1 << 23  # scores, or labels, in one block of draws
LANES = 16  # label vectors that the native code scores at once


def draws_at_once(cells: int, documents: int) -> int:
    """Draws in a block whose scores and labels fit into memory."""
    return max(NUMBERS_AT_ONCE // max(cells, documents, 1) // LANES, 1) * LANES


class ScoreDraws(Record, eq=False):
    """Summary of scores [draw, system, topic]."""

    means: Floats  # [draw, system]: over topics
    cells: Floats  # [system, topic]: means over draws
    spread: Floats  # [system, topic]: standard deviations over draws
    products: Floats  # [system, system]: deviations from `cells`, summed over draws and topics

    def __len__(self) -> int:
        return len(self.means)

    @staticmethod
    def of(values: Floats) -> ScoreDraws:
        """values: [draw, system, topic]"""
        made = Summing(len(values), *values.shape[1:])
        made.add(values.copy())
        return made.finish()


class Summing:
    """Builds a `ScoreDraws` from blocks of draws.

    Deviations are taken from the first draw, which is near enough to the mean for sums of squares
    to lose no digits, and makes them 0 where all draws are the same.
    """

    def __init__(self, draws: int, systems: int, topics: int) -> None:
        self.means = np.empty((draws, systems))
        self.sums, self.squares = np.zeros((systems, topics)), np.zeros((systems, topics))
        self.products = np.zeros((systems, systems))
        self.first: Floats | None = None
        self.done = 0

    def add(self, values: Floats) -> None:
        """values: [draw, system, topic], which may be overwritten.

        Fastest where they are laid out as [system, topic, draw].
        """
        block = slice(self.done, self.done + len(values))
        self.means[block] = values.mean(axis=2)
        self.done = block.stop
        if self.first is None:
            self.first = values[0].copy()
        by_system = values.transpose(1, 2, 0)
        by_system -= self.first[:, :, None]
        self.sums += by_system.sum(axis=2)
        self.squares += np.einsum("std,std->st", by_system, by_system)
        rows = by_system.reshape(len(by_system), -1)
        self.products += rows @ rows.T

    def finish(self) -> ScoreDraws:
        assert self.first is not None
        number = len(self.means)
        shift = self.sums / number
        variance = np.maximum(self.squares / number - shift**2, 0)
        return ScoreDraws(
            self.means,
            self.first + shift,
            np.sqrt(variance),
            self.products - number * shift @ shift.T,
        )
