"""Sampling designs: the order and probability in which units are drawn.

Priority sampling (Duffield, Lund and Thorup 2007) gives every unit one uniform number and draws in
the order of number / weight. After n draws a unit was included with probability
min(1, c * weight), c being the next ratio in the order: samples are nested and their probabilities
are known wherever the drawing stops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["expected_inclusion", "inclusion", "priorities"]

Floats = NDArray[np.float64]


def priorities(weight: Floats, rng: np.random.Generator) -> Floats:
    """The ratios in whose ascending order units are drawn, one uniform number over weight each.

    Every unit gets its number regardless of the weights, so that equal seeds give comparable
    samples.
    """
    return np.asarray((1 - rng.random(len(weight))) / weight)  # numbers in (0, 1]


def inclusion(weight: Floats, threshold: float) -> Floats:
    """Probability of a unit to be among those whose ratio is below the threshold."""
    return np.minimum(1.0, threshold * weight)


def expected_inclusion(weight: Floats, size: int) -> Floats:
    """min(1, c * weight) with the c that makes the probabilities add up to `size`."""
    if size >= len(weight):
        return np.ones(len(weight))
    ordered = np.sort(weight)[::-1]
    rest = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
    # With the k heaviest units certain, c = (size - k) / rest[k]; the first k that fits is right.
    certain = np.arange(size)
    scale = (size - certain) / rest[certain]
    k = int(np.argmax(scale * ordered[certain] <= 1 + 1e-12))
    return inclusion(weight, float(scale[k]))
