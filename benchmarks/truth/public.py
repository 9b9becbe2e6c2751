"""Public collections: runs, panels of LLM judges, and the labels of people to compare with."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hungjury import evaluate, read_judgments, read_qrels, read_runs
from hungjury.data.alignment import Alignment, align
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.runs import Runs

MEASURES = ("nDCG@10", "RBP(p=0.8, rel=2)", "AP(rel=2)", "P(rel=2)@10")
MORE_MEASURES = (
    "nDCG@20", "nDCG@100", "nDCG", "P(rel=2)@100", "R(rel=2)@10", "R(rel=2)@100", "RR(rel=2)@10",
    "ERR@10", "Q", "Bpref(rel=2)", "AP",
)  # fmt: skip
DEEP_MEASURES = (
    "AP", "AP(rel=2)", "nDCG", "nDCG@100", "R(rel=2)@100", "Q", "Bpref(rel=2)", "Rprec(rel=2)",
    "infAP(rel=2)", "GAP(g=[0.2, 0.4, 0.4])",
)  # fmt: skip
BINARY_MEASURES = ("nDCG@10", "RBP(p=0.8)", "AP", "P@10")
KIN = "rankgpt|rank-?zephyr"
SCALE = range(4)
BINARY = 2  # the lowest relevant grade
COVERED = 0.8  # of the pool, by a judge who is taken
SIZES = (1, 2, 3, 5, 9)
PEOPLE = ("human2_setA", "human2_setB")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """Some judges of a collection."""

    kind: str  # "one judge", "one family", "two families" or "three families or more"
    judges: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Public:
    """A collection whose documents NIST judged, too."""

    name: str
    judgments: Judgments  # of LLM judges, on the grades 0 to 3
    families: list[str]  # of the judges
    runs: Runs
    gold: Qrels
    asked: str = "all"  # topics
    binary: bool = False

    @cached_property
    def alignment(self) -> Alignment:
        return align(self.runs, self.judgments.pool)

    @cached_property
    def truth(self) -> dict[str, Floats]:
        """[system]: the mean of each measure by NIST's labels."""
        graded = dict.fromkeys(MEASURES + MORE_MEASURES + DEEP_MEASURES)
        names = BINARY_MEASURES if self.binary else tuple(graded)
        scores = evaluate(self.gold, self.runs, names)
        mine = np.isin(scores.topics, self.judgments.topics)
        return dict(zip(names, np.nan_to_num(scores.values)[:, :, mine].mean(axis=2), strict=True))

    @cached_property
    def kin(self) -> NDArray[np.bool_]:
        """[system]: re-rankers built on LLMs."""
        return np.array([bool(re.search(KIN, name)) for name in self.runs.systems])

    def on(self, topics: Sequence[int], asked: str) -> Public:
        """The same with some of its topics."""
        keep = np.isin(self.judgments.pool.topic_of, topics)
        return replace(self, judgments=restricted(self.judgments, keep), asked=asked)

    def made_binary(self) -> Public:
        """The same with labels of 2 and more as relevant, those of judges and of people."""
        assert self.gold.labels is not None
        labels = (self.judgments.label >= BINARY).astype(float)
        gold = replace(self.gold, labels=(self.gold.labels >= BINARY).astype(np.int16),
                       grades=(0, 1))  # fmt: skip
        judgments = replace(self.judgments, label=labels, grades=(0, 1))
        return replace(self, judgments=judgments, gold=gold, binary=True)

    @property
    def later(self) -> NDArray[np.bool_]:
        """[system]: runs that were made after the track."""
        return np.array([name.startswith("x_") for name in self.runs.systems])

    def of(self, panel: Panel) -> Judgments:
        return self.judgments.only(np.array(panel.judges))

    def panels(self, each: int, seed: int) -> list[Panel]:
        """Random panels: `each` of every size and kind there is; single judges as many as panels of
        one family."""
        rng = np.random.default_rng(seed)
        names, out = sorted(set(self.families)), []
        for size in SIZES:
            homes = [f for f in names if self.families.count(f) >= size]
            for _ in range(each * (len(SIZES) - 1 if size == 1 else 1)):
                home = [homes[rng.integers(len(homes))]]
                out.append(self._panel("one judge" if size == 1 else "one family", home, size, rng))
                if len(names) > 1 and size > 1:
                    two = rng.choice(names[: len(names)], 2, replace=False).tolist()
                    if sum(self.families.count(f) for f in two) >= size:
                        out.append(self._panel("two families", two, size, rng))
                if len(names) > 2 and size > 2:
                    more = rng.permutation(names)[:size].tolist()
                    if sum(self.families.count(f) for f in more) >= size:
                        out.append(self._panel("three families or more", more, size, rng))
        return out

    def _panel(self, kind: str, homes: list[str], size: int, rng: np.random.Generator) -> Panel:
        """Judges of these families, one of each first."""
        order = rng.permutation(len(self.families))
        first = [next(k for k in order if self.families[k] == home) for home in homes]
        rest = [k for k in order if self.families[k] in homes and k not in first]
        return Panel(kind, tuple(int(k) for k in sorted([*first, *rest][:size])))


def dl21(folder: Path) -> Public:
    """TREC 2021 Deep Learning: prompts of one LLM."""
    files = sorted((folder / "dl21" / "judges-llama").iterdir())
    gold, runs = _gold_and_runs(folder / "dl21")
    judgments = _within(_judgments(files), gold)
    return Public("dl21", judgments, ["llama32"] * len(judgments.judges), runs, gold)


def dl19(folder: Path) -> Public:
    """TREC 2019 Deep Learning: many LLMs and prompts, those with the grades 0 to 3."""
    home = folder / "dl19"
    with (home / "judges.tsv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    gold, runs = _gold_and_runs(home)
    graded = {row["judge"] for row in rows if _is_graded(row, len(gold))}
    files = [file for file in sorted((home / "judges").iterdir()) if _stem(file) in graded]
    judgments = _within(_judgments(files), gold)
    families = ["_".join(name.split("_")[:2]) for name in judgments.judges]
    return Public("dl19", judgments, families, runs, gold)


def people_of_dl19(folder: Path) -> Judgments:
    """The second human judges."""
    files = [f for f in sorted((folder / "dl19" / "judges").iterdir()) if _stem(f) in PEOPLE]
    return _judgments(files)


def _is_graded(row: dict[str, str], pool: int) -> bool:
    """Whole grades above 1 and not above 3, but for codes such as 999, on most of the pool."""
    if row["judge"] in PEOPLE or int(row["pairs_in_gold"]) < COVERED * pool:
        return False
    labels = {}
    for part in row["labels"].split():
        label, colon, count = part.partition(":")
        if not colon:  # a range of real numbers
            return False
        labels[float(label)] = int(count)
    inside = sum(count for label, count in labels.items() if label in SCALE)
    top = max((label for label in labels if label in SCALE), default=0)
    return top >= 2 and inside >= 0.99 * sum(labels.values()) and inside >= COVERED * pool


def _judgments(files: list[Path]) -> Judgments:
    found = read_judgments(
        [str(file) for file in files], duplicates="first", grades=SCALE, outside="missing"
    )
    return replace(found, judges=[name.split(".")[0] for name in found.judges])


def _within(judgments: Judgments, gold: Qrels) -> Judgments:
    """Labels of the documents that people labelled."""
    pool = judgments.pool
    topics = [pool.topics[t] for t in pool.topic_of]
    named = zip(topics, pool.documents, strict=True)
    keep = np.array([gold.pool.find(topic, document) >= 0 for topic, document in named])
    return restricted(judgments, keep)


def restricted(judgments: Judgments, keep: NDArray[np.bool_]) -> Judgments:
    """Labels of some documents of the pool."""
    return judgments._restricted(keep)


def _gold_and_runs(home: Path) -> tuple[Qrels, Runs]:
    gold = read_qrels(str(home / "qrels.nist.txt"), grades=SCALE)
    return gold, read_runs(str(home / "runs" / "*"), names="stem")


def _stem(file: Path) -> str:
    return file.name.split(".")[0]
