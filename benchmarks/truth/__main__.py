"""Are leaderboards true on real LLM judges? Reliability of P(A beats B) on TREC DL 2019 and 2021.

python -m benchmarks.truth [--panels 20] [--data ../shared/data] [--docs docs] [-o truth.csv]

Random panels of 1, 3, 5 and 9 judges; boards of all systems, of few random ones and of the best
ten; every pair is compared with NIST's ranking. With --docs the tables and the picture of the page
on leaderboards are written anew.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HUNGJURY_THREADS", "1")  # processes are enough

from benchmarks.truth import page
from benchmarks.truth.boards import BEFORE, DEFAULT, Compared, Way, compare
from benchmarks.truth.people import CommonPairs
from benchmarks.truth.public import MEASURES, Panel, Public, dl19, dl21

COLLECTIONS = {"dl19": dl19, "dl21": dl21}
BEFORE_SIZE, BEFORE_PANELS = 5, 6  # panels of this size, of each kind, are also done as before


@cache
def collection(name: str, folder: Path) -> Public:
    return COLLECTIONS[name](folder)


def one_panel(job: tuple[str, Path, Panel, Way, int, int]) -> list[Compared]:
    """All measures and boards of one panel."""
    name, folder, panel, way, draws, seed = job
    public = collection(name, folder)
    return [c for m in MEASURES for c in compare(public, panel, m, way, draws, seed)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=20, help="of every size and kind")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--docs", type=Path, help="folder of the pages to update")
    parser.add_argument("-o", "--output", type=Path, help="CSV file, a row for every board")
    given = parser.parse_args()
    jobs = []
    for name in COLLECTIONS:
        panels = collection(name, given.data).panels(given.panels, given.seed)
        jobs += [(name, given.data, p, DEFAULT, given.draws, given.seed + i)
                 for i, p in enumerate(panels)]  # fmt: skip
        for kind in ("one family", "mixed"):
            some = [p for p in panels if len(p.judges) == BEFORE_SIZE and p.kind == kind]
            jobs += [(name, given.data, p, BEFORE, given.draws, given.seed + i)
                     for i, p in enumerate(some[:BEFORE_PANELS])]  # fmt: skip
    began = time.perf_counter()
    found: list[Compared] = []
    with ProcessPoolExecutor(given.workers) as pool:
        for done, rows in enumerate(pool.map(one_panel, jobs), start=1):
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
