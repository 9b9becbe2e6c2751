"""How often the intervals of leaderboards contain the truth, on simulated collections.

python -m benchmarks.coverage [--repetitions 2000] [--workers 2] [-o coverage.csv]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HUNGJURY_THREADS", "1")  # processes are enough


def main() -> None:
    from hungjury.studies.coverage import SCENARIOS, coverage

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", help="part of a collection's name")
    parser.add_argument("--measures", default="nDCG@10")
    parser.add_argument("-o", "--output", help="CSV file")
    given = parser.parse_args()
    chosen = [one for one in SCENARIOS if given.only is None or given.only in one.name]
    began = time.perf_counter()
    experiment = coverage(chosen, given.measures.split(","), given.repetitions)
    jobs, found = experiment.parts(), {}
    with ProcessPoolExecutor(given.workers) as pool:
        for job, result in zip(jobs, pool.map(experiment.run, jobs), strict=True):
            found[job] = result
            left = (time.perf_counter() - began) / len(found) * (len(jobs) - len(found))
            print(f"\r{len(found)} of {len(jobs)}, {left:.0f} s left ", end="", file=sys.stderr)
    table = experiment.gather(found)
    print(f"\n{table}\n{time.perf_counter() - began:.0f} s")
    if given.output:
        Path(given.output).write_text(table.to_csv(), encoding="utf-8")


if __name__ == "__main__":
    main()
