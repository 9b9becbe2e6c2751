"""``python -m benchmarks.timings.measures``: leaderboards by measures with and without a kernel.

DL21 (63 systems, 53 topics) with five judges, 1000 draws, labels and runs read before: processor
seconds by measure, and how many times those of nDCG@10 they are; 3 are asked for. Skipped where
the files are not given.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.machine import machine_facts, versions
from hungjury import leaderboard, read_judgments, read_runs
from hungjury.users.chain import MODELS

JUDGES = 5
BASE = "nDCG@10"
MEASURES = (
    "AP", "eRAP", "Q", "Bpref", "Rprec", "infAP", "GAP(g=[0.2, 0.3, 0.5])",
    "xGAP(g=[0.2, 0.3, 0.5])", "eGAP(g=[0.2, 0.3, 0.5])", "nMCG",
    *(f"MP(model={model})" for model in MODELS), "MP(model=published-shape)",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dl21", type=Path, default=Path("../shared/data/dl21"))
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    for name, value in {**machine_facts(), **versions()}.items():
        print(f"{name}: {value}")
    if not asked.dl21.is_dir():
        print(f"skipped: no folder {asked.dl21}")
        return
    runs = read_runs(str(asked.dl21 / "runs" / "*"))
    files = sorted((asked.dl21 / "judges-llama").glob("*"))[:JUDGES]
    judgments = read_judgments(
        {file.name.split(".")[0]: str(file) for file in files},
        duplicates="first", grades=range(4), outside="clip",
    )  # fmt: skip

    def seconds(measure: str) -> float:
        began = time.process_time()
        leaderboard(judgments, runs, measure)
        return time.process_time() - began

    seconds(BASE)  # imports
    base = min(seconds(BASE) for _ in range(asked.repeats))
    print(f"{BASE:<28} {base:6.2f} s")
    for measure in MEASURES:
        found = min(seconds(measure) for _ in range(asked.repeats))
        print(f"{measure:<28} {found:6.2f} s {found / base:6.1f} times")


if __name__ == "__main__":
    main()
