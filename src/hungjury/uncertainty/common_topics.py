"""The topics on which systems can be compared: those that all of them have a value on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.notes import Note, few, plural
from hungjury.errors import Argument, InputError
from hungjury.scores import Scores

__all__ = ["averages", "common_values"]

Array = NDArray[np.float64]


def averages(scores: Scores) -> list[str]:
    """How each measure is summarised over topics."""
    return scores.averages or ["mean"] * len(scores.measures)


def common_values(scores: Scores) -> tuple[list[Array], list[int], tuple[Note, ...]]:
    """By measure: [system, topic] values of the topics that count for all systems, how many
    these are, and notes on topics left out.

    Values of counts are multiplied by the number of topics, so that means over topics are sums.
    """
    values, numbers, notes = [], [], []
    counted = scores.counted()
    for m, measure in enumerate(scores.measures):
        use = counted[m].all(axis=0)
        kept = scores.values[m][:, use]
        _check_topics(scores, m, use)
        dropped = int((counted[m].any(axis=0) & ~use).sum())
        if dropped:
            notes.append(_left_out(measure, dropped, int(use.sum())))
        if scores.variance is not None and np.nansum(scores.variance[m]) > 0:
            notes.append(_uncertain(measure))
        number = kept.shape[1]
        values.append(kept * number if averages(scores)[m] == "sum" else kept)
        numbers.append(number)
    return values, numbers, tuple(notes)


def _left_out(measure: str, dropped: int, left: int) -> Note:
    what = f"{measure} is compared on the {left} topics that all systems have, {dropped} left out"
    return Note("compared-topics", dropped, what, about="result")


def _uncertain(measure: str) -> Note:
    what = (
        f"the labels behind {measure} are uncertain, which tests over topics ignore; "
        "use a leaderboard to include it"
    )
    return Note("uncertain-labels", 1, what, about="result")


def _check_topics(scores: Scores, m: int, use: NDArray[np.bool_]) -> None:
    """At least two topics, with a value for every system."""
    measure, number = scores.measures[m], int(use.sum())
    if number < 2:
        fewest = scores.counted()[m].sum(axis=1)
        least = scores.systems[int(np.argmin(fewest))]
        raise InputError(
            f"{measure} has {plural(number, 'topic')} in common; a paired test needs at least 2",
            code="few-topics",
            remedy="score more topics"
            if fewest.max() < 2
            else (
                "score with",
                Argument("topics", "judged"),
                "and",
                Argument("undefined", "zero"),
                f", or leave out '{least}'",
            ),
        )
    odd = use & ~np.isfinite(scores.values[m]).all(axis=0)
    if odd.any():
        names = few([scores.topics[t] for t in np.flatnonzero(odd)])
        raise InputError(
            f"{measure} has no value on {plural(int(odd.sum()), 'topic')}: {names}",
            code="undefined-values",
            remedy=(
                "score with",
                Argument("undefined", "drop"),
                "to leave such topics out, or with",
                Argument("undefined", "zero"),
                "to count them",
            ),
        )
