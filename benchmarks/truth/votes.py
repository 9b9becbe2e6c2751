"""What people say about a document, given the votes of a panel: the table of the panel error.

python -m benchmarks.truth.votes [--panels 15] [--data ../shared/data]

Random panels of LLM judges on TREC DL 2019 and 2021; documents by their mean vote, and the share of
them that NIST gives at least grade 1, 2 and 3. The table that boards use is shown beside; it rests
on more collections.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.truth.public import BINARY, Public, dl19, dl21
from hungjury.leaderboard.panel_error import GRADES_OF_PEOPLE, RELEVANT_TO_PEOPLE

Floats = NDArray[np.float64]
GRADED_SIZES, BINARY_SIZES = ((1,), (2, 3, 5, 9)), (1, 3, 5)


def means_and_gold(
    public: Public, sizes: tuple[int, ...], panels: int, rng: np.random.Generator, binary: bool
) -> Iterator[tuple[Floats, NDArray[np.int16]]]:
    """Mean votes of random panels on the documents that all their judges labelled, and gold."""
    labels = public.judgments.matrix().astype(float)
    pool = public.judgments.pool
    names = zip((pool.topics[t] for t in pool.topic_of), pool.documents, strict=True)
    assert public.gold.labels is not None
    gold = np.array([public.gold.labels[public.gold.pool.find(t, d)] for t, d in names])
    if binary:
        labels, gold = np.where(labels < 0, labels, labels >= BINARY), (gold >= BINARY).astype(int)
    families = np.array(public.families)
    for size in sizes:
        homes = [f for f in sorted(set(families)) if (families == f).sum() >= size]
        for number in range(panels):
            among = np.arange(len(labels))
            if number % 2:
                among = np.flatnonzero(families == homes[rng.integers(len(homes))])
            chosen = labels[rng.choice(among, size, replace=False)]
            known = (chosen >= 0).all(axis=0)
            yield chosen[:, known].mean(axis=0), gold[known]


def shares(found: list[tuple[Floats, NDArray[np.int16]]], knots: Floats, grade: int) -> Floats:
    """[knot]: the share of documents near a knot that people give at least a grade."""
    mean, gold = (np.concatenate(part) for part in zip(*found, strict=True))
    near = np.abs(mean[:, None] - knots).argmin(axis=1)
    number = np.bincount(near, minlength=len(knots))
    hits = np.bincount(near, gold >= grade, len(knots))
    return np.asarray(np.divide(hits, number, out=np.full(len(knots), np.nan), where=number > 0))


def table(collections: list[Public], panels: int, seed: int) -> str:
    """Both tables as markdown: found on each collection, and used."""
    lines = [
        "| votes | P(person ≥) | from | at equal steps of the mean vote |",
        "|---|---|---|---|",
    ]

    def add(votes: str, grade: int, source: str, row: object) -> None:
        cells = " ".join("–" if np.isnan(v) else f"{v:.2f}" for v in np.asarray(row))
        lines.append(f"| {votes} | {grade} | {source} | {cells} |")

    for sizes, used in zip(GRADED_SIZES, GRADES_OF_PEOPLE, strict=True):
        knots = np.linspace(0, 3, len(used[0]))
        votes = "one" if sizes == (1,) else "two or more"
        each = {
            public.name: [
                *means_and_gold(public, sizes, panels, np.random.default_rng(seed), False)
            ]
            for public in collections
        }
        for grade, row in enumerate(used, start=1):
            for name, found in each.items():
                add(votes, grade, name, shares(found, knots, grade))
            add(votes, grade, "used", row)
    for size in BINARY_SIZES:
        knots = np.linspace(0, 1, size + 1)
        for public in collections:
            rng = np.random.default_rng(seed)
            found = [*means_and_gold(public, (size,), panels, rng, True)]
            add(f"{size}, binary", 1, public.name, shares(found, knots, 1))
        add(f"{size}, binary", 1, "used", RELEVANT_TO_PEOPLE[size])
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=15, help="of every size")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(table([dl19(given.data), dl21(given.data)], given.panels, given.seed))


if __name__ == "__main__":
    main()
