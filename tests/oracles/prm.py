"""Slow loops for predictions of relevance from the disagreement between judges.

None means undefined. Nothing of the package is imported.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

Judgment = tuple[Hashable, Hashable, Hashable, Hashable]  # topic, document, judge, level


def prm_counts(
    judgments: Sequence[Judgment],
    level: Hashable,
    relevant: Collection[Hashable],
    assessors: Collection[Hashable] | None = None,
    users: Collection[Hashable] | None = None,
) -> tuple[int, int]:
    """(n_R, n): over ordered pairs of judges of one document where the first, an assessor, gave
    `level`, how often the second, a user, gave a relevant level, and how many pairs there are."""
    agreed = pairs = 0
    for topic, document, judge, given in judgments:
        for other_topic, other_document, other_judge, other in judgments:
            same = (topic, document) == (other_topic, other_document)
            roles = (assessors is None or judge in assessors) and (
                users is None or other_judge in users
            )
            if same and roles and judge != other_judge and given == level:
                pairs += 1
                agreed += 1 if other in relevant else 0
    return agreed, pairs


def prm(
    judgments: Sequence[Judgment],
    level: Hashable,
    relevant: Collection[Hashable],
    a: float = 0.0,
) -> float | None:
    """p_{R|i} = (n_R + a) / (n + 2a); None for a level without pairs and a = 0."""
    agreed, pairs = prm_counts(judgments, level, relevant)
    return None if pairs + 2 * a == 0 else (agreed + a) / (pairs + 2 * a)


def relevant_count_binary(levels: Sequence[Hashable], relevant: Collection[Hashable]) -> int:
    """N_R^bin: documents whose level counts as relevant."""
    return sum(1 for level in levels if level in relevant)


def relevant_count_prm(levels: Sequence[Hashable], chances: Mapping[Hashable, float]) -> float:
    """N_R^PRM: expected relevant documents for a random user, p_{R|i} given by level."""
    return sum(chances[level] for level in levels)
