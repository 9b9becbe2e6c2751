"""The expectation of a measure over uncertain labels, by drawing them through an alignment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.catalogue.expectation import E
from hungjury.collection.align import Alignment
from hungjury.collection.judged import judge_lists
from hungjury.collection.qrels import Qrels

__all__ = ["Expectation", "expected_scores"]

BLOCK = 100  # label sets scored at once; draws do not depend on it
LEVEL = 0.95
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Expectation:
    """Mean, variance and interval of every cell [system * topic]."""

    mean: Array
    variance: Array
    low: Array
    high: Array


def expected_scores(aligned: Alignment, qrels: Qrels, measure: E, condensed: bool) -> Expectation:
    """Score `draws` label sets; where a drawn set leaves the measure undefined it scores 0."""
    if qrels.labels is not None:
        return _certain(aligned, qrels, measure, condensed)
    rng = np.random.default_rng(measure.seed)
    cells = len(aligned.length)
    values = np.empty((measure.draws, cells), dtype=np.float32)
    mean, square = np.zeros(cells), np.zeros(cells)
    scorer = None if condensed else Scorer(measure.of, aligned, qrels.max_grade)
    for start in range(0, measure.draws, BLOCK):
        stop = min(start + BLOCK, measure.draws)
        labels = qrels.draw(rng, stop - start)
        if scorer is None:
            block = _condensed(aligned, qrels, measure, labels)
        else:
            block = scorer(labels).reshape(stop - start, cells)
        block = np.nan_to_num(block)
        values[start:stop] = block
        mean += block.sum(axis=0)
        square += (block**2).sum(axis=0)
    mean /= measure.draws
    variance = np.maximum(square / measure.draws - mean**2, 0) * measure.draws / (measure.draws - 1)
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    exact = None
    if aligned.tie_first is None:
        exact = measure.of.exact_expectation(aligned, qrels, condensed)
    return Expectation(mean if exact is None else exact, variance, low, high)


def _condensed(aligned: Alignment, qrels: Qrels, measure: E, labels: NDArray[np.int16]) -> Array:
    """[label set, cell]: scores of condensed lists, which differ between label sets."""
    block = np.empty((len(labels), len(aligned.length)))
    for where, judged in judge_lists(
        aligned, labels, qrels.max_grade, condensed=True, every=measure.of.every
    ):
        block[:, where] = measure.of(judged)
    return block


def _certain(aligned: Alignment, qrels: Qrels, measure: E, condensed: bool) -> Expectation:
    """Labels that are certain leave nothing to draw: the measure itself."""
    assert qrels.labels is not None
    value = np.empty(len(aligned.length))
    every = measure.of.every
    for cells, judged in judge_lists(
        aligned, qrels.labels, qrels.max_grade, condensed=condensed, every=every
    ):
        value[cells] = measure.of(judged)
    return Expectation(value, np.where(np.isnan(value), np.nan, 0.0), value, value)
