"""``python -m benchmarks.timings.aware``: AWARE's random judges and estimators, and pytrec_eval.

3 x 1000 random judges score 129 systems on 10 topics by three measures; then all 30 estimators
weigh 31 judges. pytrec_eval scores a sample of the same random judges, two of the measures
(it has no ERR), with runs and labels in its dictionaries already; its time for all of them is
extrapolated. The measures' values are compared on the sample.

With ``--data ../shared/data/dl21``: 63 systems, 53 topics and the 27 judges of TREC 2021 Deep
Learning, without the peer.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.generated import Shape, collection, default_folder
from benchmarks.machine import machine_facts, versions
from benchmarks.timings.studies import collection as real_collection
from hungjury import read_qrels, read_runs
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.runs import Runs
from hungjury.judges.judge_scores import JudgedRuns, score_judges
from hungjury.judges.weights import (
    CLASSES,
    ESTIMATORS,
    class_probabilities,
    draw_random_labels,
    normalised,
)
from hungjury.measures.batch import Scorer

Array = NDArray[np.float64]
SHAPE = Shape(runs=129, topics=10, depth=1000, judged=1700)
MEASURES = ("AP", "nDCG@20", "ERR@20")
IN_PYTREC = {"AP": "map", "nDCG@20": "ndcg_cut_20"}
JUDGES = 31


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--data", type=Path, help="a collection with runs, gold labels and judges")
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--sample", type=int, default=3, help="random judges for pytrec_eval")
    asked = parser.parse_args()
    for name, value in {**machine_facts(), **versions()}.items():
        print(f"{name}: {value}")
    if asked.data is None:
        files = collection(SHAPE, asked.folder)
        qrels, runs = read_qrels(files.qrels), read_runs(files.runs)
        scored = score_judges(noisy(qrels), runs, MEASURES)
    else:
        judgments, runs, _ = real_collection(asked.data)
        scored = score_judges(judgments, runs, MEASURES, rel=2)
    print(f"\nbefore: {memory():.0f} MB")
    spent = time.process_time()
    mine, random = timed(lambda: scored.random(asked.replicates))
    labels = len(CLASSES) * asked.replicates
    print(f"hungjury: {labels} random judges, {len(MEASURES)} measures: {mine:.2f} s")
    print(f"peak: {memory():.0f} MB")
    total = mine + estimators(scored, random)
    spent = time.process_time() - spent
    print(f"random judges and estimators: {total:.1f} s ({spent:.1f} s of processor time)")
    if asked.data is not None:
        return
    theirs = pytrec_eval_seconds(scored, runs, asked.sample)
    if theirs is not None:
        whole = theirs * labels
        print(f"pytrec_eval: {theirs:.2f} s a random judge, {len(IN_PYTREC)} measures;")
        print(f"  extrapolated to all: {whole:.0f} s, {whole / mine:.0f} times hungjury's")


def noisy(qrels: Qrels) -> Judgments:
    """Judges who see what is relevant as such with a probability from 0.95 down to 0.05."""
    assert qrels.labels is not None
    rng = np.random.default_rng(0)
    size = len(qrels)
    right = rng.random((JUDGES, size)) < np.linspace(0.95, 0.05, JUDGES)[:, None]
    label = np.where(qrels.labels > 0, right, rng.random((JUDGES, size)) < 0.05)
    return Judgments(
        qrels.pool,
        [f"judge{k}" for k in range(JUDGES)],
        np.tile(np.arange(size, dtype=np.int32), JUDGES),
        np.repeat(np.arange(JUDGES, dtype=np.int32), size),
        label.ravel().astype(float),
        (0, 1),
    )


def estimators(scored: JudgedRuns, random: list[Array]) -> float:
    """Seconds for all 30, for every measure; those that differ in the last step only share the
    others."""
    total = 0.0
    for m, (name, others) in enumerate(zip(MEASURES, random, strict=True)):
        panel = replace(scored.panel(m), random=others)
        parts = []
        for kind in dict.fromkeys((e.granularity, e.gap) for e in ESTIMATORS.values()):
            seconds, _ = timed(partial(panel.closeness_to_random, *kind))
            parts.append(f"{'_'.join(kind)} {seconds:.2f}")
            total += seconds
            for one in ESTIMATORS.values():
                if (one.granularity, one.gap) == kind:
                    normalised(one.raw(panel), panel.judged)
        print(f"  {name}: {', '.join(parts)}")
    judges = len(scored.judges)
    print(f"hungjury: 30 estimators, {judges} judges, {len(MEASURES)} measures: {total:.1f} s")
    print(f"peak: {memory():.0f} MB")
    return total


def pytrec_eval_seconds(scored: JudgedRuns, runs: Runs, sample: int) -> float | None:
    """Seconds for one random judge, the mean of a few of each class."""
    try:
        import pytrec_eval
    except ImportError:
        print("pytrec_eval is not installed")
        return None
    pool, lists, seconds = scored.alignment.pool, runs.to_dict(), []

    def score(qrels: dict[str, dict[str, int]]) -> Any:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(IN_PYTREC.values()))
        return {system: evaluator.evaluate(run) for system, run in lists.items()}

    for name in CLASSES:
        seeds = np.random.SeedSequence(1).spawn(sample)
        for labels in draw_random_labels(class_probabilities(name, 2), (0, 1), len(pool), seeds):
            qrels = Qrels(pool, labels.astype(np.int16), (0, 1)).to_dict()
            spent, values = timed(partial(score, qrels))
            seconds.append(spent)
            compare(scored, labels, values)
    return float(np.mean(seconds))


def compare(scored: JudgedRuns, labels: NDArray[np.uint8], theirs: Any) -> None:
    for mine, name in IN_PYTREC.items():
        values = Scorer(mine, scored.alignment, 1)(labels[None])[0]
        for s, system in enumerate(scored.alignment.systems):
            for t, topic in enumerate(scored.alignment.pool.topics):
                if abs(values[s, t] - theirs[system][topic][name]) > 1e-9:
                    sys.exit(f"{mine} of {system} on {topic} differs from pytrec_eval's")


def timed(work: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def memory() -> float:
    """Largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
