"""Labels of a crowd as a table, made once from a seed and kept in a folder."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

__all__ = ["Crowd", "crowd"]

ROWS_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class Crowd:
    """How many there are of each; every document has `votes` labels."""

    documents: int
    topics: int
    judges: int
    votes: int = 10
    seed: int = 1

    @property
    def labels(self) -> int:
        return self.documents * self.votes

    @property
    def name(self) -> str:
        sizes = f"{self.documents}x{self.votes}-topics{self.topics}-judges{self.judges}"
        return f"crowd-{sizes}-seed{self.seed}.csv"


def crowd(shape: Crowd, folder: Path) -> str:
    """The file of a crowd, from the folder or newly made."""
    path = folder / shape.name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # In a process of its own: the runner has to stay small (see process.py).
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            other.submit(_make, shape, path).result()
    return str(path)


def _make(shape: Crowd, path: Path) -> None:
    """Documents are relevant with probability 0.3; judges are right in 60 to 95 of 100 cases."""
    import numpy as np

    rng = np.random.default_rng(shape.seed)
    relevant = rng.random(shape.documents) < 0.3
    topic = np.sort(rng.integers(0, shape.topics, shape.documents))
    right = rng.uniform(0.6, 0.95, shape.judges)
    part = path.with_name(f"part-{path.name}")
    with part.open("w", encoding="ascii") as file:
        file.write("topic,document,judge,label\n")
        step = max(ROWS_AT_ONCE // shape.votes, 1)
        for start in range(0, shape.documents, step):
            documents = np.arange(start, min(start + step, shape.documents))
            first = rng.integers(0, shape.judges, len(documents))
            judge = (first[:, None] + np.arange(shape.votes)) % shape.judges
            wrong = rng.random(judge.shape) >= right[judge]
            label = (relevant[documents, None] ^ wrong).astype(int)
            document = np.repeat(documents, shape.votes)
            columns = (topic[document], document, judge.ravel(), label.ravel())
            rows = zip(*(column.tolist() for column in columns), strict=True)
            file.write("".join(f"q{t},d{d},w{j},{x}\n" for t, d, j, x in rows))
    os.rename(part, path)
