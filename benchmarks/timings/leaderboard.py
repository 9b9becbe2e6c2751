"""``python -m benchmarks.timings.leaderboard``: leaderboards of 1000 draws, reading included.

DL21 (63 systems, 27 judges, 53 topics; skipped where its files are not given), and a simulated
collection of 129 systems, 50 topics and 1000 documents a list with 5 noisy judges.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from benchmarks.generated import Shape, collection, default_folder
from benchmarks.machine import machine_facts, versions
from benchmarks.timings.aware import noisy
from hungjury import leaderboard, read_judgments, read_qrels

SHAPE = Shape(runs=129, topics=50, depth=1000, judged=1700)
JUDGES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--dl21", type=Path, default=Path("../shared/data/dl21"))
    parser.add_argument("--only", choices=["dl21", "large"])
    asked = parser.parse_args()
    for name, value in {**machine_facts(), **versions()}.items():
        print(f"{name}: {value}")
    if asked.only != "large" and asked.dl21.is_dir():
        report("DL21, 27 judges, nDCG@10", lambda: dl21(asked.dl21))
    if asked.only != "dl21":
        files = collection(SHAPE, asked.folder)
        judgments = noisy(read_qrels(files.qrels)).only(np.arange(JUDGES))
        what = f"129 x 50 x 1000, {JUDGES} judges, {len(judgments.pool):,} documents, nDCG@10"
        report(what, lambda: leaderboard(judgments, files.runs, "nDCG@10"))


def dl21(folder: Path) -> None:
    judgments = read_judgments(
        str(folder / "judges-llama" / "*"), duplicates="first", grades=range(4), outside="clip"
    )
    leaderboard(judgments, str(folder / "runs" / "*"), "nDCG@10")


def report(what: str, work: object) -> None:
    before, began = _processor(), time.perf_counter()
    work()  # type: ignore[operator]
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spent = _processor() - before
    print(f"{what}: {seconds:.1f} s ({spent:.1f} s of processor), peak {peak:.0f} MB")


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
