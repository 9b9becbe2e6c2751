"""The small C++ core: parsing, interning, ranking and joining. Arrays and bytes in, arrays out."""

from hungjury.native._core import (
    BadLine,
    LabelTable,
    Pool,
    RunStore,
    RunStream,
    draw_grades,
    pair_sums,
    precision_sums,
    score_lists,
)

__all__ = [
    "BadLine",
    "LabelTable",
    "Pool",
    "RunStore",
    "RunStream",
    "draw_grades",
    "pair_sums",
    "precision_sums",
    "score_lists",
]
