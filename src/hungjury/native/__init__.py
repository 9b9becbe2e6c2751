"""The small C++ core: parsing, interning, ranking and joining. Arrays and bytes in, arrays out."""

from typing import TYPE_CHECKING

from hungjury.native._core import (
    ActionLog,
    BadLine,
    FeatureTable,
    LabelTable,
    PlainTable,
    Pool,
    RunStore,
    RunStream,
    count_votes,
    dawid_skene,
    draw_grades,
    judge_pairs,
    kernel_sums,
    lambdas,
    largest_gaps,
    moments_with_rest,
    pair_sums,
    precision_sums,
    ranking_values,
    row_products,
    score_lists,
    shares_larger,
    squared_distances,
    untied_pairs,
    votes_repeat,
)

if TYPE_CHECKING:
    from hungjury.native._core import AlignedRun as AlignedRun

__all__ = [
    "ActionLog",
    "BadLine",
    "FeatureTable",
    "LabelTable",
    "PlainTable",
    "Pool",
    "RunStore",
    "RunStream",
    "count_votes",
    "dawid_skene",
    "draw_grades",
    "judge_pairs",
    "kernel_sums",
    "lambdas",
    "largest_gaps",
    "moments_with_rest",
    "pair_sums",
    "precision_sums",
    "ranking_values",
    "row_products",
    "score_lists",
    "shares_larger",
    "squared_distances",
    "untied_pairs",
    "votes_repeat",
]
