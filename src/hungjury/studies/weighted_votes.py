"""Majority votes weighted by AWARE's weights, for tuples of judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.errors import Argument, InputError
from hungjury.judges.panel import NOT_JUDGED
from hungjury.judges.weights import ESTIMATORS

__all__ = ["check_votes", "votes_among", "weighted_majority"]

Array = NDArray[np.float64]
BEGINNING = "votes("
ROUNDING = 1e-12  # keeps ties independent of the order of summation


def votes_among(approaches: list[str]) -> dict[str, str]:
    """Approaches such as "votes(sgl_tau_msd)", with their weights."""
    return {a: a[len(BEGINNING) : -1] for a in approaches if a.startswith(BEGINNING)}


def weighted_majority(
    labels: NDArray[np.int16], weights: Array, topic_of: NDArray[np.integer[Any]]
) -> NDArray[np.int16]:
    """Binary labels [judge, document] and weights [tuple, judge, topic] to labels
    [tuple, document]: 1 where more than half of the weight of those who judged it says so."""
    out = np.empty((len(weights), labels.shape[1]), dtype=np.int16)
    for topic in range(weights.shape[2]):
        mine = topic_of == topic
        yes, judged = (labels[:, mine] == 1).astype(float), (labels[:, mine] >= 0).astype(float)
        in_favour, total = (weights[:, :, topic] @ votes for votes in (yes, judged))
        out[:, mine] = np.where(total > 0, in_favour > (0.5 + ROUNDING) * total, NOT_JUDGED)
    return out


def check_votes(votes: Mapping[str, str], top: int) -> None:
    for name, weights in votes.items():
        if top > 1:
            raise InputError(
                f"{name} is for binary labels, but grades go up to {top}",
                code="not-binary",
                remedy=("name the lowest relevant grade with", Argument("rel")),
            )
        if weights != "uni" and weights not in ESTIMATORS:
            raise InputError(
                f"unknown weights '{weights}' for votes", code="unknown-weights",
                remedy="use AWARE's weights, such as sgl_tau_msd",
            )  # fmt: skip
