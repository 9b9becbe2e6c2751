"""People as judges of each other: the second human judges of DL19."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.truth.boards import DEFAULT, against, estimates
from benchmarks.truth.public import Public, people_of_dl19, restricted
from hungjury.data.alignment import Alignment, align
from hungjury.data.qrels import Judgments
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import measure

Floats = NDArray[np.float64]


def condensed(alignment: Alignment) -> Alignment:
    """Lists of the pool's documents alone, as if nothing else had been retrieved."""
    size = alignment.stop - alignment.start
    order = np.argsort(alignment.start, kind="stable")
    first = np.repeat(alignment.start[order], size[order])
    rank = np.arange(len(alignment.rank)) - first + 1
    length = np.where(alignment.length < 0, -1, size).astype(np.int32)
    return replace(alignment, rank=rank.astype(np.int32), length=length)


@dataclass(frozen=True, eq=False)
class CommonPairs:
    """DL19's documents that NIST and both second judges labelled, with lists condensed to these."""

    llms: Judgments
    people: Judgments
    nist: NDArray[np.int16]
    alignment: Alignment
    families: list[str]

    @staticmethod
    def of(public: Public, folder: Path) -> CommonPairs:
        given = people_of_dl19(folder)
        pool = public.judgments.pool
        labels = np.full((len(given.judges), len(pool)), -1, dtype=np.int16)
        place = np.array(
            [
                pool.find(given.pool.topics[t], d)
                for t, d in zip(given.pool.topic_of, given.pool.documents, strict=True)
            ]
        )
        at = place[given.document]
        labels[given.judge[at >= 0], at[at >= 0]] = given.label[at >= 0]
        keep = (labels >= 0).all(axis=0)
        llms = restricted(public.judgments, keep)
        judge, document = np.nonzero(labels[:, keep] >= 0)
        people = replace(
            given, pool=llms.pool, document=document.astype(np.int32),
            judge=judge.astype(np.int32), label=labels[:, keep][judge, document].astype(float),
        )  # fmt: skip
        names = zip((llms.pool.topics[t] for t in llms.pool.topic_of), llms.pool.documents,
                    strict=True)  # fmt: skip
        assert public.gold.labels is not None
        gold = np.array([public.gold.labels[public.gold.pool.find(t, d)] for t, d in names])
        aligned = condensed(align(public.runs, llms.pool))
        return CommonPairs(llms, people, gold, aligned, public.families)

    def mean(self, labels: NDArray[np.int16], name: str) -> Floats:
        """[system] by one set of labels."""
        values = Scorer(measure(name), self.alignment, 3)(labels[None])[0]
        return np.asarray(np.nan_to_num(values).mean(axis=1))

    def family(self, name: str) -> Judgments:
        return self.llms.only(np.flatnonzero([f == name for f in self.families]))

    def by(self, judgments: Judgments, name: str) -> Floats:
        """[system]: the board's means by some judges."""
        return estimates(judgments, self.alignment, name, [DEFAULT], 300, 0)[0].mean

    def reliable(
        self, judgments: Judgments, truth: Floats, name: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
        """Pairs by bin, right ones, told apart, wrong ones of these."""
        (found,) = estimates(judgments, self.alignment, name, [DEFAULT], 1000, 0)
        return against(found, truth, np.arange(len(truth)))
