"""``python -m benchmarks.timings.studies``: building blocks of studies, at the size of real ones.

TREC 2021 Deep Learning where its data is at hand (63 systems, 53 topics, 27 LLM judges), else a
simulated collection of that size. The k-tuple study runs its jobs in as many processes as there are
cores; discriminative power and down-sampling run in one process.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import hungjury as hj
from benchmarks.machine import machine_facts, versions
from hungjury.studies.combining import APPROACHES, TupleScores, join_parts, tuple_parts
from hungjury.studies.measure_comparison import METHODS, discriminative_power, robustness

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "dl21"
MERGED = ("AP", "nDCG@20", "ERR@20")
SAMPLED = (
    "AP", "nDCG", "RBP", "ERR", "Bpref", "infAP", "gRBP", "GAP(g=[0.2, 0.4, 0.4])",
    "eRAP(prob=[0.05, 0.2, 0.6, 0.95])", "eRRBP(prob=[0.05, 0.2, 0.6, 0.95])",
)  # fmt: skip
_SCORES: list[TupleScores] = []


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.timings.studies", description=__doc__
    )
    parser.add_argument("--tuples", type=int, default=100)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--sizes", type=int, nargs="*", help="default: 2 to all but one")
    parser.add_argument("--data", type=Path, default=DATA)
    asked = parser.parse_args()
    for name, value in {**machine_facts(), **versions()}.items():
        print(f"{name}: {value}")
    judgments, runs, gold = collection(asked.data)
    print()
    power(gold, runs)
    downsampling(gold, runs)
    tuples(judgments, runs, gold, asked)


def collection(data: Path) -> tuple[Any, Any, Any]:
    if not data.is_dir():
        made = hj.simulate(63, 53, 400, 100, [0.9 - 0.01 * k for k in range(27)], grades=4)
        return made.judgments, made.runs, made.gold
    judges = sorted(map(str, (data / "judges-llama").glob("*.qrels.gz")))
    return (
        hj.read_judgments(judges, duplicates="first", grades=range(4), outside="clip"),
        hj.read_runs(sorted(map(str, (data / "runs").glob("*.run.gz"))), score_precision="single"),
        hj.read_qrels(str(data / "qrels.nist.txt")),
    )


def power(gold: Any, runs: Any) -> None:
    scores = hj.evaluate(gold, runs, SAMPLED)
    pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    for method, samples in METHODS.items():
        begin = time.perf_counter()
        discriminative_power(scores, method)
        each = (time.perf_counter() - begin) / len(SAMPLED)
        print(f"discriminative power, {method}, {samples} samples, {pairs} pairs: "
              f"{each:.2f} s a measure")  # fmt: skip


def downsampling(gold: Any, runs: Any) -> None:
    begin = time.perf_counter()
    found = robustness(gold, runs, SAMPLED)
    shape = " x ".join(map(str, found.tau.shape))
    print(f"down-sampling, measures x rates x repetitions {shape}: "
          f"{time.perf_counter() - begin:.1f} s")  # fmt: skip


def tuples(judgments: Any, runs: Any, gold: Any, asked: argparse.Namespace) -> None:
    begin = time.perf_counter()
    scores = TupleScores(judgments, runs, MERGED, gold, 2)
    parts = tuple_parts(scores, APPROACHES, asked.sizes, asked.tuples, asked.replicates)
    sizes = scores.sizes(asked.sizes)
    workers = os.cpu_count() or 1
    # A process a core: more threads inside them would only get in each other's way.
    os.environ |= {"HUNGJURY_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with ProcessPoolExecutor(workers, get_context("spawn"), _keep, (scores,)) as pool:
        study = join_parts(scores, APPROACHES, pool.map(_run, parts.values()))
    seconds, used = time.perf_counter() - begin, _processor()
    print(f"k-tuples: k = {sizes[0]}..{sizes[-1]}, up to {asked.tuples} "
          f"tuples, {len(APPROACHES)} approaches, {len(MERGED)} measures, "
          f"{asked.replicates} random judges: {seconds:.0f} s in {workers} processes "
          f"({used:.0f} s of processor time), {len(parts)} jobs, "
          f"{len(study.rows)} rows")  # fmt: skip


def _processor() -> float:
    """Seconds of processor time of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _keep(scores: TupleScores) -> None:
    _SCORES.append(scores)


def _run(part: dict[str, Any]) -> Any:
    return _SCORES[0].run(**part)


if __name__ == "__main__":
    main()
