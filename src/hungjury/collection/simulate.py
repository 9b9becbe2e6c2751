"""Made-up collections where the truth is known: systems and assessors of given quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.collection.judgments import Judgments
from hungjury.collection.pool import Pool
from hungjury.collection.qrels import Qrels
from hungjury.collection.runs import Runs
from hungjury.errors import InputError
from hungjury.files import write_whole

__all__ = ["Simulation", "simulate"]

ACCURACIES = (0.9, 0.8, 0.7, 0.6, 0.45)


@dataclass(frozen=True, eq=False)
class Simulation:
    """A collection with its truth: gold labels, each system's quality, each assessor's accuracy."""

    gold: Qrels
    judgments: Judgments
    runs: Runs
    quality: dict[str, float]
    accuracy: dict[str, float]

    def write(self, folder: str | Path) -> None:
        """Write ``gold.qrels``, ``judges/*.qrels`` and ``runs/*.run`` into a folder."""
        folder = Path(folder)
        for name in ("judges", "runs"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.gold.write(str(folder / "gold.qrels"))
        for assessor in self.judgments.assessors:
            self.judgments.by(assessor).write(str(folder / "judges" / f"{assessor}.qrels"))
        for system in self.runs.systems:
            lines = [
                f"{topic} Q0 {document} {rank} {score:.4f} {system}\n"
                for topic in self.runs.topics
                for rank, (document, score) in enumerate(self.runs.ranked(system, topic), 1)
            ]
            write_whole(folder / "runs" / f"{system}.run", "".join(lines))


def simulate(
    systems: int = 8,
    topics: int = 20,
    documents: int = 300,
    depth: int = 50,
    accuracies: Sequence[float] = ACCURACIES,
    grades: int = 2,
    seed: int = 0,
) -> Simulation:
    """Make up a collection.

    Every topic has `documents` documents, about one in eight of them relevant with a grade from 1
    to `grades` - 1. A system scores a document by its quality times the true grade plus noise and
    retrieves the best `depth`; the pool holds the first 20 of every system. An assessor gives the
    true grade with the probability in `accuracies`, else another grade at random.
    """
    for name, value, least in (
        ("systems", systems, 1),
        ("topics", topics, 1),
        ("documents", documents, 10),
        ("depth", depth, 1),
        ("grades", grades, 2),
    ):
        if value < least:
            raise InputError(f"{name} is {value}", remedy=f"{name} is at least {least}")
    if depth > documents:
        raise InputError(f"the depth {depth} is more than {documents} documents", remedy="lower it")
    if not accuracies or min(accuracies) < 0 or max(accuracies) > 1:
        raise InputError("an accuracy is outside [0, 1]", remedy="accuracies are probabilities")
    rng = np.random.default_rng(seed)
    quality = {f"system{i + 1}": float(q) for i, q in enumerate(np.linspace(1.6, 0.4, systems))}
    stores = [native.RunStore() for _ in quality]
    ids: list[str] = []
    labels: list[NDArray[np.int16]] = []
    for topic in range(1, topics + 1):
        truth = _true_grades(documents, grades, rng)
        pooled = _retrieve(topic, truth, list(quality.values()), depth, stores, rng)
        ids += [f"doc{topic}-{d}" for d in pooled]
        labels.append(truth[pooled])
    for store in stores:
        store.finish()
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in labels])]).astype(np.int64)
    pool = Pool([str(t) for t in range(1, topics + 1)], ids, offsets)
    gold = Qrels(pool, np.concatenate(labels), tuple(range(grades)))
    return Simulation(
        gold,
        _judged_by(gold, accuracies, rng),
        Runs(list(quality), stores),
        quality,
        {_judge_name(i): float(a) for i, a in enumerate(accuracies)},
    )


def _judge_name(index: int) -> str:
    return f"judge{index + 1}"


def _true_grades(documents: int, grades: int, rng: np.random.Generator) -> NDArray[np.int16]:
    relevant = rng.random(documents) < 1 / 8
    relevant[0] = True  # no topic without a relevant document
    return np.where(relevant, rng.integers(1, grades, documents), 0).astype(np.int16)


def _retrieve(
    topic: int,
    truth: NDArray[np.int16],
    qualities: list[float],
    depth: int,
    stores: list[native.RunStore],
    rng: np.random.Generator,
) -> list[int]:
    """Let every system retrieve; the documents that are pooled, in order of their number."""
    hardness = rng.normal(0, 0.3)  # the same for all systems: topics differ
    pooled = {0}
    for quality, store in zip(qualities, stores, strict=True):
        score = max(quality + hardness, 0) * truth + rng.normal(size=len(truth))
        best = np.argsort(-score)[:depth]
        names = [f"doc{topic}-{d}" for d in best]
        store.add([str(topic)] * depth, names, np.round(score[best], 4), np.arange(depth))
        pooled.update(best[:20].tolist())
    return sorted(pooled)


def _judged_by(gold: Qrels, accuracies: Sequence[float], rng: np.random.Generator) -> Judgments:
    assert gold.labels is not None
    size, grades = len(gold.pool), len(gold.grades)
    right = rng.random((len(accuracies), size)) < np.asarray(accuracies)[:, None]
    other = (gold.labels + rng.integers(1, grades, right.shape)) % grades
    given = np.where(right, gold.labels, other)
    return Judgments(
        gold.pool,
        [_judge_name(i) for i in range(len(accuracies))],
        np.tile(np.arange(size, dtype=np.int32), len(accuracies)),
        np.repeat(np.arange(len(accuracies), dtype=np.int32), size),
        given.ravel().astype(float),
        gold.grades,
    )
