"""Are leaderboards true on real LLM judges? Reliability of P(A beats B) on TREC DL 2019 and 2021.

python -m benchmarks.truth [--panels 2] [--data ../shared/data] [--docs docs] [-o truth.csv]

Random panels of 1, 2, 3, 5 and 9 judges, of one LLM or several; boards of all systems, of few
random ones and of the best ten, on all topics, on 20 and on 10; graded and binary labels. Every
pair is compared with NIST's ranking. With --docs the tables and the picture of the page on
leaderboards are written anew.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HUNGJURY_THREADS", "1")  # processes are enough

import numpy as np

from benchmarks.truth import page
from benchmarks.truth.boards import BEFORE, DECLARED, DEFAULT, POPULATION, Compared, compare
from benchmarks.truth.people import CommonPairs
from benchmarks.truth.public import (
    BINARY_MEASURES,
    MEASURES,
    MORE_MEASURES,
    Panel,
    Public,
    dl19,
    dl21,
)

COLLECTIONS = {"dl19": dl19, "dl21": dl21}
FEWER = (20, 10)  # topics


@cache
def collection(name: str, folder: Path) -> Public:
    return COLLECTIONS[name](folder)


@cache
def binary(name: str, folder: Path) -> Public:
    return collection(name, folder).made_binary()


@cache
def part(name: str, folder: Path, topics: int, draw: int) -> Public:
    """The collection with some random topics."""
    whole = collection(name, folder)
    rng = np.random.default_rng((topics, draw))
    return whole.on(rng.choice(len(whole.judgments.topics), topics, replace=False), str(topics))


@cache
def half(name: str, folder: Path, which: int) -> Public:
    """One half of the topics, or the other."""
    whole = collection(name, folder)
    order = np.random.default_rng(0).permutation(len(whole.judgments.topics))
    return whole.on(order[which::2], "half")


Job = tuple[str, Path, Panel, int, int, int]


def one_panel(job: Job) -> list[Compared]:
    """All measures, topics and boards of one panel."""
    name, folder, panel, draws, seed, number = job
    whole = collection(name, folder)
    out: list[Compared] = []
    ways = [DEFAULT, BEFORE, DECLARED] if whole.kin.any() else [DEFAULT, BEFORE]
    for m in MEASURES:
        out += compare(whole, panel, m, ways, draws, seed)
        for topics in FEWER:
            out += compare(part(name, folder, topics, number % 4), panel, m, [DEFAULT], draws, seed)
        other = half(name, folder, 1).truth[m]
        out += compare(half(name, folder, 0), panel, m, [POPULATION], draws, seed, other)
    for m in MORE_MEASURES:
        out += compare(whole, panel, m, [DEFAULT], draws, seed)
    for m in BINARY_MEASURES:
        out += compare(binary(name, folder), panel, m, [DEFAULT], draws, seed)
    return out


def kept_panel(job: Job, keep: Path | None) -> list[Compared]:
    """The same, from a file of an earlier run if there is one."""
    name, _, panel, draws, seed, _ = job
    if keep is None:
        return one_panel(job)
    file = keep / f"{name}-{panel.kind}-{'-'.join(map(str, panel.judges))}-{draws}-{seed}.pickle"
    if not file.exists():
        file.write_bytes(pickle.dumps(one_panel(job)))
    found: list[Compared] = pickle.loads(file.read_bytes())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=2, help="of every size and kind")
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--docs", type=Path, help="folder of the pages to update")
    parser.add_argument("-o", "--output", type=Path, help="CSV file, a row for every board")
    parser.add_argument("--keep", type=Path, help="folder of finished panels, to go on from")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    jobs: list[Job] = []
    for name in COLLECTIONS:
        panels = collection(name, given.data).panels(given.panels, given.seed)
        jobs += [(name, given.data, p, given.draws, given.seed + i, i % given.panels)
                 for i, p in enumerate(panels)]  # fmt: skip
    began = time.perf_counter()
    found: list[Compared] = []
    with ProcessPoolExecutor(given.workers) as pool:
        for done, rows in enumerate(pool.map(partial(kept_panel, keep=given.keep), jobs), start=1):
            found += rows
            left = (time.perf_counter() - began) / done * (len(jobs) - done)
            print(f"\r{done} of {len(jobs)}, {left:.0f} s left ", end="", file=sys.stderr)
    people = CommonPairs.of(collection("dl19", given.data), given.data)
    text, picture = page.tables(found, people), page.diagram(found)
    print(f"\n{text}\n{time.perf_counter() - began:.0f} s")
    if given.output:
        given.output.write_text(page.csv_of(found), encoding="utf-8")
    if given.docs:
        page.update(given.docs, text, picture)


if __name__ == "__main__":
    main()
