"""Generated test collections, made once from a seed and kept in a folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Collection", "Shape", "collection", "default_folder"]

VERSION = 1  # counts up when the same shape and seed begin to give other files


@dataclass(frozen=True)
class Shape:
    """How large a collection is; the defaults are like TREC-8's ad hoc task."""

    runs: int = 129
    topics: int = 50
    depth: int = 1000  # documents of a ranked list
    judged: int = 1860  # documents judged per topic
    relevant: float = 96.0  # of them relevant, on average
    seed: int = 1

    @property
    def name(self) -> str:
        return (
            f"runs{self.runs}-topics{self.topics}-depth{self.depth}-judged{self.judged}"
            f"-relevant{self.relevant:g}-seed{self.seed}-v{VERSION}"
        )


@dataclass(frozen=True)
class Collection:
    """The files of a collection."""

    shape: Shape
    folder: Path

    @property
    def qrels(self) -> str:
        return str(self.folder / "qrels")

    @property
    def runs(self) -> list[str]:
        return [str(self.folder / _run_file(s)) for s in range(self.shape.runs)]

    @property
    def lines(self) -> int:
        """Lines of all runs."""
        return self.shape.runs * self.shape.topics * self.shape.depth


def default_folder() -> Path:
    return Path(tempfile.gettempdir()) / "hungjury-benchmarks"


def collection(shape: Shape, folder: Path) -> Collection:
    """The collection of a shape, from the folder or newly made."""
    home = folder / shape.name
    if not home.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        # In a process of its own: the runner has to stay small (see process.py).
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            other.submit(_make, shape, home).result()
    return Collection(shape, home)


def _run_file(system: int) -> str:
    return f"sys{system:03d}.run"


def _make(shape: Shape, home: Path) -> None:
    """Write a collection beside its place, then move it there whole."""
    part = Path(tempfile.mkdtemp(prefix="part-", dir=home.parent))
    try:
        _write(shape, part)
        os.rename(part, home)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write(shape: Shape, folder: Path) -> None:
    """Systems score documents by relevance, their own quality and chance.

    The lines of a topic are adjacent but unordered; scores have four
    decimals, so that a few of them are equal.
    """
    import numpy as np

    rng = np.random.default_rng(shape.seed)
    quality = rng.uniform(0.5, 2.5, shape.runs)
    width = max(4 * shape.depth, 2 * shape.judged)  # documents among which systems choose
    with ExitStack() as stack:

        def opened(name: str) -> TextIO:
            return stack.enter_context((folder / name).open("w", encoding="ascii"))

        qrels = opened("qrels")
        runs = [opened(_run_file(s)) for s in range(shape.runs)]
        for topic in range(401, 401 + shape.topics):
            numbers = rng.choice(max(900_000, width), width, replace=False)
            documents = [f"FBIS{n % 4 + 1}-{n:06d}" for n in numbers.tolist()]
            label = np.zeros(width)
            label[: shape.judged] = _labels(shape, rng)
            pooled = np.arange(width) < shape.judged
            qrels.write(
                "".join(
                    f"{topic} 0 {document} {grade:.0f}\n"
                    for document, grade in zip(documents[: shape.judged], label, strict=False)
                )
            )
            for system, run in enumerate(runs):
                score = rng.normal(size=width) + 0.8 * pooled + quality[system] * label
                found = np.argpartition(-score, shape.depth)[: shape.depth]
                best = np.round(score[found], 4)
                rank = np.empty(shape.depth, dtype=int)
                rank[np.argsort(-best, kind="stable")] = np.arange(1, shape.depth + 1)
                rows = zip(found.tolist(), rank.tolist(), best.tolist(), strict=True)
                run.write(
                    "".join(
                        f"{topic}\tQ0\t{documents[d]}\t{r}\t{s:.4f}\tsys{system:03d}\n"
                        for d, r, s in rows
                    )
                )


def _labels(shape: Shape, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Binary labels of the judged documents; few topics have many relevant ones."""
    import numpy as np

    number = int(np.clip(rng.gamma(1.2, shape.relevant / 1.2), 1, shape.judged))
    return np.asarray(rng.permutation(np.arange(shape.judged) < number))
