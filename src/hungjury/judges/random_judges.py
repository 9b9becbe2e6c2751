"""Random judges: scores of systems under labels drawn without regard to the documents.

Three classes (TH 4.3.2): underestimating (few relevant), uniform, overestimating (most relevant).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.runs import Progress
from hungjury.errors import MeasureError, check_seed
from hungjury.limits import MOST_DRAWS, check_count
from hungjury.machine import cores

__all__ = ["CLASSES", "Score", "class_probabilities", "draw_random_labels", "random_scores"]

Array = NDArray[np.float64]
Score = Callable[[NDArray[np.uint8]], Array]
"""From label vectors [n, document] to values [n, system, topic]; NaN where undefined."""

CLASSES = ("und", "uni", "ovr")
RARE = 0.05  # share of relevant documents for `und`, of not relevant ones for `ovr`
LABELS_AT_ONCE = 1 << 24


def class_probabilities(name: str, grades: int) -> Array:
    """P(grade) of a class: all equal for `uni`, else grade 0 set apart and the others equal."""
    if name == "uni":
        return np.full(grades, 1 / grades)
    lowest = {"und": 1 - RARE, "ovr": RARE}[name]
    return np.array([lowest] + [(1 - lowest) / (grades - 1)] * (grades - 1))


def draw_random_labels(
    chances: Array, grades: Sequence[int], documents: int, seeds: Sequence[np.random.SeedSequence]
) -> NDArray[np.uint8]:
    """[seed, document]: a random judge for every seed."""
    upto = np.cumsum(chances)[:-1]
    values = np.array(grades, dtype=np.uint8)
    out = np.empty((len(seeds), documents), dtype=np.uint8)

    def one(row: int) -> None:
        chance = np.random.default_rng(seeds[row]).random(documents)
        position = (chance >= upto[0]).view(np.uint8)
        for limit in upto[1:]:
            position += chance >= limit
        out[row] = values[position]

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(one, range(len(seeds)), chunksize=16))
    return out


def random_scores(
    scores: Sequence[Score],
    documents: int,
    grades: Sequence[int] = (0, 1),
    replicates: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Array]:
    """Scores of random judges, [class, replicate, system, topic] for each of `scores`.

    Every replicate has its own seed, made from `seed`, its class and its number: it does not
    depend on how many others there are. Where a measure is undefined it scores 0.
    """
    _check(grades, replicates)
    check_seed(seed)
    step = max(1, LABELS_AT_ONCE // max(documents, 1))
    total, done = len(CLASSES) * replicates, 0
    out: list[Array] = []
    for c, root in enumerate(np.random.SeedSequence(seed).spawn(len(CLASSES))):
        chances, seeds = class_probabilities(CLASSES[c], len(grades)), root.spawn(replicates)
        for begin in range(0, replicates, step):
            some = seeds[begin : begin + step]
            labels = draw_random_labels(chances, grades, documents, some)
            for m, score in enumerate(scores):
                found = np.nan_to_num(score(labels), copy=False)
                if m == len(out):
                    out.append(np.empty((len(CLASSES), replicates, *found.shape[1:])))
                out[m][c, begin : begin + step] = found
            done += len(some)
            if progress is not None:
                progress(done, total, "scoring random judges")
    return out


def _check(grades: Sequence[int], replicates: int) -> None:
    check_count("replicates", replicates, 1, MOST_DRAWS)
    if len(grades) < 2 or min(grades) < 0 or max(grades) > 255:
        raise MeasureError(
            f"random judges are not defined for the grades {list(grades)}",
            code="invalid-grades",
            remedy="declare at least two grades from 0 to 255",
        )
