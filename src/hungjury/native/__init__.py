"""The small C++ core: parsing, interning, ranking and joining. Arrays and bytes in, arrays out."""

from hungjury.native._core import (
    ActionLog,
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
    "ActionLog",
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
