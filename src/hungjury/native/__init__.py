"""The small C++ core: parsing, interning, ranking and joining. Arrays and bytes in, arrays out."""

from hungjury.native._core import (
    ActionLog,
    BadLine,
    FeatureTable,
    LabelTable,
    Pool,
    RunStore,
    RunStream,
    draw_grades,
    kernel_sums,
    lambdas,
    pair_sums,
    precision_sums,
    ranking_values,
    score_lists,
    squared_distances,
)

__all__ = [
    "ActionLog",
    "BadLine",
    "FeatureTable",
    "LabelTable",
    "Pool",
    "RunStore",
    "RunStream",
    "draw_grades",
    "kernel_sums",
    "lambdas",
    "pair_sums",
    "precision_sums",
    "ranking_values",
    "score_lists",
    "squared_distances",
]
