"""``python -m benchmarks.timings.expectations``: expected measures of 63 runs on DL21.

E(AP), E(nDCG@10), E(RR) and E(ERR@20) from soft labels (the mean vote of 27 judges) and with
P(relevant) of NIST's grades, and with a recall base over a whole collection; labels and runs read
before. Skipped where the files are not given.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.machine import machine_facts, versions
from benchmarks.timings.leaderboard import report
from hungjury import evaluate, merge, read_judgments, read_qrels, read_runs

MEASURES = ("AP", "nDCG@10", "RR", "ERR@20")
DRAWN = ("Rprec", "Bpref", "Q")  # they have no exact expectation
PROB = "prob=[0.1, 0.3, 0.7, 0.95]"
COLLECTION = "unjudged=0.0001, collection=1000000"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dl21", type=Path, default=Path("../shared/data/dl21"))
    folder = parser.parse_args().dl21
    for name, value in {**machine_facts(), **versions()}.items():
        print(f"{name}: {value}")
    if not folder.is_dir():
        print(f"skipped: no folder {folder}")
        return
    runs = read_runs(str(folder / "runs" / "*"))
    judgments = read_judgments(
        str(folder / "judges-llama" / "*"), duplicates="first", grades=range(4), outside="clip"
    )
    soft = merge(judgments, "binmv", rel=2)
    graded = merge(judgments, "binmv")
    nist = read_qrels(folder / "qrels.nist.txt")
    plain, mapped = ([f"E({m}{more})" for m in MEASURES] for more in ("", f", {PROB}"))
    report("soft labels, four measures", lambda: evaluate(soft, runs, plain))
    report("P(relevant) of NIST's grades, four measures", lambda: evaluate(nist, runs, mapped))
    report("probabilities of four grades, four measures", lambda: evaluate(graded, runs, plain))
    for names in (MEASURES, *((one,) for one in DRAWN)):
        whole = [f"E({m}, {COLLECTION})" for m in names]
        report(
            f"a whole collection, {' '.join(names)}",
            lambda whole=whole: evaluate(soft, runs, whole),
        )
    report("soft labels, with distribution", lambda: evaluate(soft, runs, plain, distribution=True))


if __name__ == "__main__":
    main()
