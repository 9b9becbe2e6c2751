"""Generated collections, panels and crowds, made once from a seed and kept in a folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Collection", "Crowd", "Shape", "click_log", "collection", "crowd", "default_folder",
    "feature_file", "panel", "ranker",
]  # fmt: skip

ROWS_AT_ONCE = 1_000_000
LABELS = "labels.csv"
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
    return Collection(shape, _kept(folder / shape.name, _write, shape))


def _kept(home: Path, write: Callable[..., None], *given: object) -> Path:
    """The folder `home`, filled by ``write(folder, *given)`` unless it is there."""
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        # In a process of its own: the runner has to stay small (see process.py).
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            other.submit(_make, home, write, *given).result()
    return home


def _run_file(system: int) -> str:
    return f"sys{system:03d}.run"


def _make(home: Path, write: Callable[..., None], *given: object) -> None:
    """Write files beside their place, then move them there all at once."""
    part = Path(tempfile.mkdtemp(prefix="part-", dir=home.parent))
    try:
        write(part, *given)
        os.rename(part, home)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write(folder: Path, shape: Shape) -> None:
    """Systems score documents by relevance, their own quality and chance.

    The lines of a topic are adjacent but unordered; scores have four
    decimals, and a few of them are equal.
    """
    import numpy as np

    rng = np.random.default_rng(shape.seed)
    quality = rng.uniform(0.5, 2.5, shape.runs)
    width = max(4 * shape.depth, 2 * shape.judged)  # documents among which systems choose
    with (folder / "qrels").open("w", encoding="ascii") as qrels:
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
            for system in range(shape.runs):
                score = rng.normal(size=width) + 0.8 * pooled + quality[system] * label
                found = np.argpartition(-score, shape.depth)[: shape.depth]
                best = np.round(score[found], 4)
                rank = np.empty(shape.depth, dtype=int)
                rank[np.argsort(-best, kind="stable")] = np.arange(1, shape.depth + 1)
                rows = zip(found.tolist(), rank.tolist(), best.tolist(), strict=True)
                with (folder / _run_file(system)).open("a", encoding="ascii") as run:
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


def panel(files: Collection, judges: int, seed: int = 1) -> list[str]:
    """The qrels of so many judges, from good to poor, who label all of a collection's pool."""
    home = files.folder.with_name(f"{files.folder.name}-judges{judges}-seed{seed}")
    _kept(home, _write_panel, files.qrels, judges, seed)
    return [str(home / _judge_file(judge)) for judge in range(judges)]


def _judge_file(judge: int) -> str:
    return f"judge{judge:02d}.qrels"


def _write_panel(folder: Path, qrels: str, judges: int, seed: int) -> None:
    import numpy as np

    rows = [line.split() for line in Path(qrels).read_text(encoding="ascii").splitlines()]
    relevant = np.array([row[3] != "0" for row in rows])
    rng = np.random.default_rng(seed)
    for judge, right in enumerate(np.linspace(0.9, 0.6, judges)):
        hit = rng.random(len(rows)) < right
        label = np.where(relevant, hit, rng.random(len(rows)) < 0.1).astype(int)
        text = (f"{row[0]} 0 {row[2]} {one}\n" for row, one in zip(rows, label, strict=True))
        (folder / _judge_file(judge)).write_text("".join(text), encoding="ascii")


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
        return f"crowd-{sizes}-seed{self.seed}"


def crowd(shape: Crowd, folder: Path) -> str:
    """The file of a crowd's labels, from the folder or newly made."""
    return str(_kept(folder / shape.name, _write_crowd, shape) / LABELS)


def _write_crowd(folder: Path, shape: Crowd) -> None:
    """Documents are relevant with probability 0.3; judges are right in 60 to 95 of 100 cases."""
    import numpy as np

    rng = np.random.default_rng(shape.seed)
    relevant = rng.random(shape.documents) < 0.3
    topic = np.sort(rng.integers(0, shape.topics, shape.documents))
    right = rng.uniform(0.6, 0.95, shape.judges)
    with (folder / LABELS).open("w", encoding="ascii") as file:
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


def click_log(pages: int, folder: Path) -> str:
    """A table of clicks: most pages have one, and further ones are mostly lower on the page."""
    return str(_kept(folder / f"clicks-{pages}", _write_clicks, pages) / "log.csv")


def _write_clicks(folder: Path, pages: int) -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    with (folder / "log.csv").open("w", encoding="ascii") as file:
        file.write("session,query,rank,time\n")
        for page in range(pages):
            clicks = 1 + rng.geometric(0.6, 3)[: rng.geometric(0.7)].cumsum() % 10
            file.writelines(
                f"{page},q{page % 500},{rank},{10 * n}\n" for n, rank in enumerate(clicks.tolist())
            )


def feature_file(queries: int, folder: Path) -> str:
    """LETOR lines: 50 documents of each query, 20 features, of which the first ones say more."""
    return str(_kept(folder / f"features-{queries}", _write_features, queries) / "train.txt")


def _write_features(folder: Path, queries: int) -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    says = 1 / np.arange(1, 21)
    with (folder / "train.txt").open("w", encoding="ascii") as file:
        for query in range(queries):
            values = rng.normal(size=(50, 20))
            noisy = values @ says + rng.normal(size=50)
            for label, row in zip(np.digitize(noisy, (0.5, 1.5)), values.tolist(), strict=True):
                features = " ".join(f"{n}:{value:.4f}" for n, value in enumerate(row, 1))
                file.write(f"{label} qid:{query} {features}\n")


def ranker(features: str, trees: int) -> str:
    """A ranker trained on a feature file."""
    home = Path(features).parent
    kept = home.with_name(f"{home.name}-ranker{trees}")
    return str(_kept(kept, _train, features, trees) / "ranker.json")


def _train(folder: Path, features: str, trees: int) -> None:
    import hungjury as hj

    hj.train_ranker(features, num_iterations=trees).save(folder / "ranker.json")
