"""How many systems boards and plans may have, and the best of more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.errors import Argument, InputError, Note
from hungjury.base.parameters import MOST_SYSTEMS, check_count
from hungjury.data.alignment import Alignment
from hungjury.judges.panel import Panel
from hungjury.judges.votes import BinomialVote
from hungjury.leaderboard.effects import scores_under
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure


def check_best(best: int | None) -> None:
    """Refuse impossible numbers of systems before files are read."""
    if best is not None:
        check_count("best", best, 2, MOST_SYSTEMS)


def best_systems(
    alignment: Alignment, panel: Panel, measures: Sequence[Measure], best: int | None
) -> tuple[Alignment, tuple[Note, ...]]:
    """The lists of the best systems by the most probable labels, with a note; all lists, if no
    number is asked for and they are not too many.

    With several measures the mean of a system's ranks counts.
    """
    systems = len(alignment.systems)
    if best is None and systems > MOST_SYSTEMS:
        raise InputError(
            f"{systems:,} systems are too many: all pairs are compared",
            code="too-many-systems",
            remedy=(f"give at most {MOST_SYSTEMS:,}, or compare the best of them with",
                    Argument("best", 1000)),
        )  # fmt: skip
    if best is None or best >= systems:
        return alignment, ()
    labels = panel.merged(BinomialVote()).hard_labels[None]
    ranks = np.zeros(systems)
    for one in measures:
        mean = scores_under(Scorer(one, alignment, panel.grades[-1]), labels)[0].mean(axis=1)
        ranks += _rank(mean if one.smaller_is_better else -mean)
    chosen = np.sort(np.argsort(ranks, kind="stable")[:best])
    text = (
        f"the best {best:,} of {systems:,} systems by the judges' votes are compared: ranks and "
        "chances leave out all others"
    )
    return alignment.only(chosen), (Note("best-only", systems - best, text, about="result"),)


def _rank(values: Floats) -> Ints:
    """The number of smaller values; equal values have the same."""
    return np.searchsorted(np.sort(values), values)
