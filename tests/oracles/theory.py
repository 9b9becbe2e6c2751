"""Slow, obvious loops for the theory of measures, written from the definitions.

A list is a tuple of grades in rank order. Nothing of the package is imported.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence

Grades = tuple[int, ...]
Score = Callable[[Grades], "float | None"]


def lists(length: int, grades: int) -> list[Grades]:
    """All lists of a length."""
    return list(itertools.product(range(grades), repeat=length))


def at_least(labels: Sequence[int], grade: int, rank: int) -> int:
    """Documents of that grade and above in the first `rank` ranks."""
    return sum(1 for label in labels[:rank] if label >= grade)


def below(a: Grades, b: Grades, kind: str, top: int) -> bool:
    """a <= b: no count of a exceeds that of b."""
    ranks = range(1, len(a) + 1) if kind == "rank" else [len(a)]
    return all(
        at_least(a, grade, rank) <= at_least(b, grade, rank)
        for rank in ranks
        for grade in range(top + 1)
    )


def relation(a: Grades, b: Grades, kind: str) -> str:
    top = max(a + b)
    names = {
        (True, True): "equal",
        (True, False): "less",
        (False, True): "greater",
        (False, False): "incomparable",
    }
    return names[below(a, b, kind, top), below(b, a, kind, top)]


def replacements(labels: Grades, grades: int) -> Iterator[Grades]:
    """All lists with one document replaced by a better one."""
    for i, label in enumerate(labels):
        for better in range(label + 1, grades):
            yield (*labels[:i], better, *labels[i + 1 :])


def swaps(labels: Grades) -> Iterator[Grades]:
    """All lists with a better document moved up into the place of a worse one."""
    for i, j in itertools.combinations(range(len(labels)), 2):
        if labels[i] < labels[j]:
            moved = list(labels)
            moved[i], moved[j] = moved[j], moved[i]
            yield tuple(moved)


def reachable(start: Grades, grades: int) -> set[Grades]:
    """All lists that replacements and swaps lead to."""
    seen, waiting = {start}, [start]
    while waiting:
        now = waiting.pop()
        for up in (*replacements(now, grades), *swaps(now)):
            if up not in seen:
                seen.add(up)
                waiting.append(up)
    return seen


def can_be_drawn(labels: Grades, pool: Sequence[int]) -> bool:
    """pool: documents of each grade."""
    return all(labels.count(grade) <= number for grade, number in enumerate(pool))


def broken(
    score: Score, length: int, pool: Sequence[int], tolerance: float = 1e-12
) -> dict[str, set[tuple[Grades, Grades]]]:
    """All pairs of lists on which a score breaks each axiom."""
    grades = len(pool)
    found: dict[str, set[tuple[Grades, Grades]]] = {"replacement": set(), "swap": set()}
    for labels in lists(length, grades):
        if not can_be_drawn(labels, pool):
            continue
        moves = {"replacement": replacements(labels, grades), "swap": swaps(labels)}
        for axiom, ups in moves.items():
            for up in ups:
                if not can_be_drawn(up, pool):
                    continue
                low, high = score(labels), score(up)
                if low is not None and high is not None and high < low - tolerance:
                    found[axiom].add((labels, up))
    return found


def balancing_index(
    score: Callable[[Grades], object], length: int, q_min: int = 1, q_max: int = 1
) -> float:
    """Every rank tried; scores may be exact (fractions), and are compared as they are."""
    single = score((q_max, *[0] * (length - 1)))
    ranks = [
        b
        for b in range(1, length + 1)
        if single <= score((*[0] * (b - 1), *[q_min] * (length - b + 1)))  # type: ignore[operator]
    ]
    return max(ranks, default=-math.inf)


def rbp_of_simulated_run(
    rnk: int, middle: float, tail: float, p: float, length: int, rng: random.Random
) -> float:
    """One list of the simulation: 20 % relevant down to rnk, then `middle` to 20, then `tail`."""
    total = 0.0
    for rank in range(1, length + 1):
        chance = 0.2 if rank <= rnk else middle if rank <= 20 else tail
        if rng.random() < chance:
            total += (1 - p) * p ** (rank - 1)
    return total


def rbp_of_fixed_run(
    rnk: int, middle: float, tail: float, p: float, length: int, rng: random.Random
) -> float:
    """The same with exactly these shares, rounded, in each segment, in random order."""
    labels: list[int] = []
    for share, size in ((0.2, rnk), (middle, 20 - rnk), (tail, length - 20)):
        segment = [1] * round(share * size) + [0] * (size - round(share * size))
        rng.shuffle(segment)
        labels += segment
    return sum((1 - p) * p**n * label for n, label in enumerate(labels))


def share_significant(
    rnk: int, p: float, length: int, topics: int, trials: int, critical: float, seed: int,
    run=rbp_of_simulated_run,
) -> float:  # fmt: skip
    """Share of trials where |t| of the paired differences exceeds its critical value."""
    rng = random.Random(seed)
    rejected = 0
    for _ in range(trials):
        differences = [
            run(rnk, 0.7, 0.1, p, length, rng) - run(rnk, 0.3, 0.7, p, length, rng)
            for _ in range(topics)
        ]
        mean = sum(differences) / topics
        variance = sum((d - mean) ** 2 for d in differences) / (topics - 1)
        rejected += abs(mean) > critical * math.sqrt(variance / topics)
    return rejected / trials
