"""Simulated collections with known truth: systems and judges of given quality."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, Int16s
from hungjury.base.choices import OddJudge
from hungjury.base.errors import InputError
from hungjury.base.files import file_error, write_whole
from hungjury.base.parameters import MOST_GRADE, check_count
from hungjury.base.records import Record
from hungjury.data.pool import Pool
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.sources import Source
from hungjury.data.runs import Runs

ACCURACIES = (0.9, 0.8, 0.7, 0.6, 0.45)
MOST_HARDNESS = 100
SLIP = 0.01  # share of labels that a copycat does not copy
_LIST = "simulation.sha256"  # of the files that a simulation wrote, as sha256sum lists them
CODE, UNREAD = 999, 0.1  # a coder's code for an unreadable answer, and its frequency
READ, GUESSED = 1 / 3, 0.5  # shares that a lazy judge labels, and of these by guessing


class Simulation(Record, eq=False):
    """A simulated collection with its truth.

    Attributes
    ----------
    gold, judgments, runs
        True labels, the judges' labels, and the systems' lists.
    quality
        Of each system: how strongly its scores follow the true grades.
    accuracy
        Of each judge who has one: the probability of giving the true grade.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> sim.judgments
    Judgments(5 judges, 5 topics, 263 documents, 1,315 labels)
    >>> sim.quality["system1"]
    1.6
    """

    gold: Qrels
    judgments: Judgments
    runs: Runs
    quality: dict[str, float]
    accuracy: dict[str, float]

    def write(self, folder: str | Path) -> None:
        """Write ``gold.qrels``, ``judges/*.qrels`` and ``runs/*.run`` into a folder.

        The list ``simulation.sha256`` of these files says that they may be replaced by another
        simulation, as long as nobody changes them. Files that it does not name are never replaced.
        """
        folder = Path(folder)
        files = {"gold.qrels": self.gold.to_text()}
        for judge in self.judgments.judges:
            files[f"judges/{judge}.qrels"] = self._labels_of(judge)
        for system in self.runs.systems:
            lines = [
                f"{topic} Q0 {document} {rank} {score:.4f} {system}\n"
                for topic in self.runs.topics
                for rank, (document, score) in enumerate(self.runs.ranked(system, topic), 1)
            ]
            files[f"runs/{system}.run"] = "".join(lines)
        _make_room(folder, files)
        for name, text in files.items():
            write_whole(folder / name, text)
        listed = [f"{_digest(text.encode())}  {name}\n" for name, text in files.items()]
        write_whole(folder / _LIST, "".join(listed))

    def _labels_of(self, judge: str) -> str:
        """Return a judge's file; a coder writes a code where it has no label."""
        text = self.judgments.qrels_of(judge).to_text()
        if not judge.startswith("coder"):
            return text
        known = {(line.split()[0], line.split()[2]) for line in text.splitlines()}
        pool = self.gold.pool
        named = zip((pool.topics[t] for t in pool.topic_of), pool.documents, strict=True)
        codes = [f"{t} 0 {d} {CODE}\n" for t, d in named if (t, d) not in known]
        return text + "".join(codes)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _make_room(folder: Path, names: Collection[str]) -> None:
    """Make the folders, and remove an earlier simulation: a pattern such as ``judges/*`` would take
    its judges for part of this one."""
    try:
        listed = folder / _LIST
        lines = listed.read_text().splitlines() if listed.exists() else []
        earlier = {folder / name: digest for digest, _, name in (x.partition("  ") for x in lines)}
        ours = ("judges/*", "runs/*", "gold.qrels")
        files = [path for pattern in ours for path in folder.glob(pattern)]
        for path in files:
            if path not in earlier and earlier and str(path.relative_to(folder)) not in names:
                continue  # added by a user, and in nobody's way
            if path not in earlier or _digest(path.read_bytes()) != earlier[path]:
                said = "this file is not from an earlier simulation, or was changed since"
                remedy = "choose another folder, or move the file away"
                raise Source(str(path)).error(said, "own-file", remedy)
        for path in earlier:
            if str(path.relative_to(folder)) not in names:
                path.unlink(missing_ok=True)
        for name in ("judges", "runs"):
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "give a folder that exists or can be created"
        raise file_error(folder, error, "written", remedy) from None


def simulate(
    systems: int = 8,
    topics: int = 20,
    documents: int = 300,
    depth: int = 50,
    accuracies: Sequence[float] = ACCURACIES,
    grades: int = 2,
    seed: int = 0,
    *,
    odd: Sequence[OddJudge] = (),
    hardness: float = 0.3,
    fooled: float = 0.0,
    reach: float = 1.0,
) -> Simulation:
    """Simulate a collection whose true labels are known.

    Parameters
    ----------
    systems, topics, documents : int
        Number of systems and topics, and documents per topic.
    depth : int
        Length of the ranked lists.
    accuracies : sequence of float
        One judge for each: the probability of giving the true grade.
    grades : int
        Number of grades, 0 included.
    seed : int
        Random seed.
    odd : sequence of {"copycat", "constant", "lazy", "reversed", "coder"}
        More judges: one who copies the first, one who gives a constant label, one who labels a
        third of the documents, half of them at random, one who reverses the scale,
        and one whose files say 999 for every tenth document.
    hardness : float
        How much topics differ in difficulty for all systems (a standard deviation).
    fooled : float
        Share of documents that mislead all judges in the same way.
    reach : float
        Each system can retrieve a share of the documents, from this share up to all of them.

    Returns
    -------
    Simulation
        `runs`, `judgments` and the true labels `gold`.

    Notes
    -----
    About one document in eight is relevant, with a grade from 1 to `grades` - 1. A system scores a
    document by its quality times the true grade plus noise and retrieves the best `depth`; the pool
    has the first 20 documents of every system.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=3)
    >>> made.runs.systems, len(made.gold.topics)
    (['system1', 'system2'], 3)
    """
    check_count("systems", systems, 1, 10_000)
    check_count("topics", topics, 1, 1_000_000)
    check_count("documents", documents, 10, 10_000_000)
    check_count("depth", depth, 1, documents)
    check_count("grades", grades, 2, MOST_GRADE + 1)
    deviation = f"a standard deviation up to {MOST_HARDNESS:g}"
    each = len(accuracies) > 0 and all(0 <= a <= 1 for a in accuracies)
    for name, value, right, meant in (
        ("reach", reach, 0 < reach <= 1, "a share above 0, at most 1"),
        ("fooled", fooled, 0 <= fooled <= 1, "a share from 0 to 1"),
        ("hardness", hardness, 0 <= hardness <= MOST_HARDNESS, deviation),
        ("accuracies", list(accuracies), each, "a probability from 0 to 1 for each judge"),
    ):
        if not right:
            remedy = f"give {meant}"
            raise InputError(
                f"{name} is {value}", code="out-of-range", argument=name, remedy=remedy
            )
    rng = np.random.default_rng(seed)
    quality = {f"system{i + 1}": float(q) for i, q in enumerate(np.linspace(1.6, 0.4, systems))}
    stores = [native.RunStore() for _ in quality]
    reached = np.linspace(reach, 1, systems)
    if reach < 1:  # who finds much is not who ranks well
        reached = rng.permutation(reached)
    ids: list[str] = []
    labels: list[Int16s] = []
    for topic in range(1, topics + 1):
        truth = _true_grades(documents, grades, rng)
        harder = rng.normal(0, abs(hardness))  # -0.0 is 0
        strengths = list(zip(quality.values(), reached.tolist(), strict=True))
        pooled = _retrieve(topic, truth, strengths, harder, depth, stores, rng)
        ids += [f"doc{topic}-{d}" for d in pooled]
        labels.append(truth[pooled])
    for store in stores:
        store.finish()
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in labels])]).astype(np.int64)
    pool = Pool([str(t) for t in range(1, topics + 1)], ids, offsets)
    gold = Qrels(pool, np.concatenate(labels), tuple(range(grades)))
    return Simulation(
        gold,
        _judged_by(gold, accuracies, odd, fooled, rng),
        Runs(list(quality), stores),
        quality,
        {f"judge{i}": float(a) for i, a in enumerate(accuracies, 1)},
    )


def _odd_names(odd: Sequence[OddJudge]) -> list[str]:
    """Name them 'lazy', and 'lazy2' for a second one."""
    before = [list(odd[:i]).count(kind) for i, kind in enumerate(odd)]
    return [kind if n == 0 else f"{kind}{n + 1}" for kind, n in zip(odd, before, strict=True)]


def _true_grades(documents: int, grades: int, rng: np.random.Generator) -> Int16s:
    relevant = rng.random(documents) < 1 / 8
    relevant[0] = True  # no topic without a relevant document
    return np.where(relevant, rng.integers(1, grades, documents), 0).astype(np.int16)


def _retrieve(
    topic: int,
    truth: Int16s,
    strengths: list[tuple[float, float]],
    harder: float,
    depth: int,
    stores: list[native.RunStore],
    rng: np.random.Generator,
) -> list[int]:
    """Let every system retrieve; returns the pooled documents in the order of their numbers."""
    pooled = {0}
    for (quality, reach), store in zip(strengths, stores, strict=True):
        score = max(quality + harder, 0) * truth + rng.normal(size=len(truth))
        best = np.argsort(-score)[:depth]
        if reach < 1:  # what is not found is missing, not replaced: the list gets shorter
            found = rng.random(len(truth)) < reach
            found[best[0]] |= not found[best].any()
            best = best[found[best]]
        names = [f"doc{topic}-{d}" for d in best]
        size = len(best)
        store.add([str(topic)] * size, names, np.round(score[best], 4), np.arange(size))
        pooled.update(best[:20].tolist())
    return sorted(pooled)


def _judged_by(
    gold: Qrels,
    accuracies: Sequence[float],
    odd: Sequence[OddJudge],
    fooled: float,
    rng: np.random.Generator,
) -> Judgments:
    assert gold.labels is not None
    size, grades = len(gold.pool), len(gold.grades)
    seen = gold.labels
    if fooled > 0:
        other = (seen + rng.integers(1, grades, size)) % grades
        seen = np.where(rng.random(size) < fooled, other, seen)
    right = rng.random((len(accuracies), size)) < np.asarray(accuracies)[:, None]
    other = (seen + rng.integers(1, grades, right.shape)) % grades
    given = [*np.where(right, seen, other)]
    given += [_odd_labels(kind, given[0], seen, grades, rng) for kind in odd]
    judge, document = np.nonzero(np.stack(given) >= 0)
    return Judgments(
        gold.pool,
        [*(f"judge{i + 1}" for i in range(len(accuracies))), *_odd_names(odd)],
        document.astype(np.int32),
        judge.astype(np.int32),
        np.stack(given)[judge, document].astype(float),
        gold.grades,
    )


def _odd_labels(
    kind: str, first: Array, seen: Array, grades: int, rng: np.random.Generator
) -> Array:
    """Return the labels [document] of a careless judge; -1 for none."""
    size = len(seen)
    if kind == "constant":
        return np.full(size, grades - 1)
    guess = rng.integers(0, grades, size)
    if kind == "reversed":
        return np.where(rng.random(size) < GUESSED / 2, guess, grades - 1 - seen)
    if kind == "coder":
        return np.where(rng.random(size) < UNREAD, -1, np.where(guess == seen, guess, first))
    if kind == "copycat":
        return np.where(rng.random(size) < SLIP, guess, first)
    looked = np.where(rng.random(size) < GUESSED, guess, seen)
    return np.where(rng.random(size) < READ, looked, -1)
