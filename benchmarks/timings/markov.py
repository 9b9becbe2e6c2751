"""``python -m benchmarks.timings.markov``: Markov precision in closed form beside a solve per list.

129 runs of 50 topics with 1000 documents; all eight models on every list, and for comparison the
transition matrix of a few lists, watched on the relevant ranks, solved as the definition says.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import hungjury as hj
from benchmarks.generated import Shape, collection, default_folder
from hungjury.data.alignment import align
from hungjury.data.judged import Judged, judge_lists
from hungjury.data.runs import as_runs
from hungjury.measures.catalogue.user_models import MP
from hungjury.users.chain import MODELS

SOLVED = 3  # lists that are solved: one takes as long as thousands in closed form


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.timings.markov", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=129)
    parser.add_argument("--folder", type=Path, default=default_folder())
    asked = parser.parse_args()
    files = collection(Shape(runs=asked.runs), asked.folder)
    qrels = hj.read_qrels(files.qrels)
    begin = time.perf_counter()
    aligned = align(as_runs(files.runs), qrels.pool)
    print(f"reading and aligning {files.lines:,} lines: {time.perf_counter() - begin:.2f} s")
    assert qrels.labels is not None
    blocks = [judged for _, judged in judge_lists(aligned, qrels.labels, qrels.max_grade)]
    lists = asked.runs * len(qrels.topics)
    print("\nmodel      all lists, s  processor, s  one solve, s      ratio")
    whole = processor = 0.0
    for model in (m for m in MODELS if m != "constant"):
        measure = MP(model=model)
        wall, cpu = time.perf_counter(), time.process_time()
        for judged in blocks:
            measure(judged)
        took, used = time.perf_counter() - wall, time.process_time() - cpu
        whole, processor = whole + took, processor + used
        solve = _one_solve(model, blocks, measure)
        ratio = solve * lists / took
        print(f"{model:<10} {took:>12.3f} {used:>13.3f} {solve:>13.3f} {ratio:>10,.0f}")
    print(f"{'all eight':<10} {whole:>12.3f} {processor:>13.3f}   ({lists:,} lists)")


def _one_solve(model: str, blocks: list[Judged], measure: MP) -> float:
    """Mean seconds of the definition on one list; its value must be the same."""
    largest = blocks[0]  # the lists with most relevant documents come first
    values = measure(largest)
    seconds = 0.0
    for number in range(min(SOLVED, len(largest.labels))):
        hits = largest.ranks[number][largest.labels[number] > 0]
        begin = time.perf_counter()
        distribution = _solved(model, hits, int(largest.length[number]))
        seconds += time.perf_counter() - begin
        value = float(distribution @ (np.arange(1, len(hits) + 1) / hits))
        if abs(value - float(values[number])) > 1e-8:
            raise SystemExit(f"{model}: {values[number]} in closed form, {value} by the solve")
    return seconds / SOLVED


def _solved(model: str, hits: np.ndarray, length: int) -> np.ndarray:
    states = hits if "_OR_" in model else np.arange(1, length + 1)
    matrix = _transitions(model, states)
    kept = np.isin(states, hits)
    inside, away = matrix[np.ix_(kept, kept)], matrix[np.ix_(kept, ~kept)]
    back, among = matrix[np.ix_(~kept, kept)], matrix[np.ix_(~kept, ~kept)]
    watched = inside + away @ np.linalg.solve(np.eye(len(among)) - among, back)
    equations = watched.T - np.eye(len(watched))
    equations[-1] = 1
    right = np.zeros(len(watched))
    right[-1] = 1
    return np.linalg.solve(equations, right)


def _transitions(model: str, states: np.ndarray) -> np.ndarray:
    """The transition matrix of a model on a set of ranks in ascending order (TH 5.8)."""
    connected, _, kind = model.split("_")
    distance = np.abs(states[:, None] - states[None, :])
    pull = 1 / (distance + 1) if kind == "ID" else 1 / np.log10(distance + 2)
    place = np.arange(len(states))
    apart = np.abs(place[:, None] - place[None, :])
    pull[(apart != 1) if connected == "LO" else (apart == 0)] = 0
    return np.asarray(pull / pull.sum(axis=1, keepdims=True))


if __name__ == "__main__":
    main()
