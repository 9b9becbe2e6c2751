"""Paired differences to p-values, intervals and effect sizes: one table per test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import Multiplicity, SignificanceTest
from hungjury.stats.multiple import benjamini_hochberg, bonferroni, holm
from hungjury.stats.paired_sizes import (
    bootstrap_interval,
    cohens_d,
    randomisation_interval,
    rank_biserial,
    t_interval,
)
from hungjury.stats.paired_tests import (
    bootstrap_test,
    equivalence_test,
    randomisation_test,
    t_test,
    wilcoxon,
)

__all__ = ["TESTS", "Paired", "PairedTest", "out_of_reach", "paired"]

Array = NDArray[np.float64]


class PairedTest(NamedTuple):
    """A test: its name, effect size and interval."""

    name: str
    draws: bool
    interval: str  # how the interval of the mean difference is made
    effect: str


TESTS: dict[SignificanceTest, PairedTest] = {
    "t": PairedTest("Student's t", False, "Student's", "d_z"),
    # Signed ranks say nothing about the mean; its interval is Student's here too.
    "wilcoxon": PairedTest("Wilcoxon's signed ranks", False, "Student's", "rank-biserial"),
    "randomisation": PairedTest("Fisher's randomisation", True, "of the same test", "d_z"),
    "bootstrap": PairedTest("Sakai's bootstrap", True, "of the same test", "d_z"),
}


class Paired(NamedTuple):
    """Results of a test; every array is [pair]."""

    difference: Array
    low: Array
    high: Array
    p: Array
    corrected: Array
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    losses: NDArray[np.int64]
    effect: Array
    equivalent: Array | None  # p-values of differences beyond the margin, where there is one
    within_family: Array | None  # the same, corrected


def paired(
    differences: Array,
    test: SignificanceTest,
    correction: Multiplicity,
    alpha: float,
    samples: int,
    seed: int,
    margin: float | None = None,
) -> Paired:
    """Tests and intervals of differences [pair, topic]. All p-values are one family; those of
    equivalence are another."""
    p, (low, high) = _tested(differences, test, alpha, samples, seed)
    effect = rank_biserial if test == "wilcoxon" else cohens_d
    correct: dict[str, Callable[[Array], Array]] = {
        "holm": holm,
        "bonferroni": bonferroni,
        "bh": benjamini_hochberg,
        "none": np.asarray,
    }
    within = None if margin is None else np.asarray(equivalence_test(differences, margin))
    return Paired(
        difference=differences.mean(axis=-1),
        low=low,
        high=high,
        p=p,
        corrected=correct[correction](p),
        wins=(differences > 0).sum(axis=-1),
        ties=(differences == 0).sum(axis=-1),
        losses=(differences < 0).sum(axis=-1),
        effect=effect(differences),
        equivalent=within,
        within_family=None if within is None else correct[correction](within),
    )


def _tested(
    differences: Array, test: SignificanceTest, alpha: float, samples: int, seed: int
) -> tuple[Array, tuple[Array, Array]]:
    """p-values, and the ends of the intervals of the mean."""
    if test == "randomisation":
        return (
            randomisation_test(differences, samples, seed),
            randomisation_interval(differences, alpha, samples, seed),
        )
    if test == "bootstrap":
        return (
            bootstrap_test(differences, samples, seed),
            bootstrap_interval(differences, alpha, samples, seed),
        )
    p = t_test(differences) if test == "t" else wilcoxon(differences)
    return p, t_interval(differences, alpha)


def out_of_reach(
    test: SignificanceTest,
    correction: Multiplicity,
    alpha: float,
    samples: int,
    comparisons: int,
    topics: int,
) -> str:
    """The reason why no comparison could be significant, if there is one.

    Tests that count sign patterns have a smallest p-value, that of all topics on one side; tests
    that draw samples have 1 / (samples + 1).
    """
    family = comparisons if correction in ("holm", "bonferroni") else 1
    corrected = f" corrected by {correction} for {comparisons:,} comparisons" * (family > 1)
    if test in ("randomisation", "wilcoxon") and family * 2.0 ** (1 - topics) >= alpha:
        return (
            f"{topics} topics are too few for p-values below {alpha:g} by {test}{corrected}; "
            "nothing can be significant"
        )
    if test in ("randomisation", "bootstrap") and family / (samples + 1) >= alpha:
        return (
            f"{samples:,} samples are too few for p-values below {alpha:g}{corrected}; "
            f"nothing can be significant with less than {math.floor(family / alpha):,}"
        )
    return ""
