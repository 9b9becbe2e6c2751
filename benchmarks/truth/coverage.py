"""Do the intervals of a leaderboard cover the truth as often as they claim?

python -m benchmarks.truth.coverage [--repetitions 2000] [--workers 2] [-o coverage.csv]

Collections are simulated, so the true labels and the systems' true means are known. A
leaderboard is made from the labels of judges of known accuracy, and its intervals are compared with
the truth: the means over these topics (target "topics"), and those over all possible topics
("population").
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HUNGJURY_THREADS", "1")  # processes are enough

import numpy as np

from hungjury.base.choices import Prior, Target
from hungjury.base.results import Table
from hungjury.data.alignment import align
from hungjury.data.simulation import Simulation, simulate
from hungjury.judges.merge import merge_method
from hungjury.judges.panel import Panel
from hungjury.leaderboard.draws import draw_scores, mean_draws
from hungjury.leaderboard.options import BoardOptions
from hungjury.measures.catalogue import measure
from hungjury.measures.evaluate import evaluate
from hungjury.stats.resampling import interval
from hungjury.studies.jobs import seed_for

TARGETS: tuple[Target, ...] = ("topics", "population")
REPETITIONS_A_JOB = 20
Part = tuple[str, int]  # a scenario, and its first repetition


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", help="part of a collection's name")
    parser.add_argument("--measures", default="nDCG@10")
    parser.add_argument("-o", "--output", help="CSV file")
    given = parser.parse_args()
    chosen = [one for one in SCENARIOS if given.only is None or given.only in one.name]
    began = time.perf_counter()
    coverage = Coverage(chosen, given.measures.split(","), given.repetitions)
    parts, found = coverage.parts(), {}
    with ProcessPoolExecutor(given.workers) as pool:
        for part, rows in zip(parts, pool.map(coverage.run, parts), strict=True):
            found[part] = rows
            left = (time.perf_counter() - began) / len(found) * (len(parts) - len(found))
            print(f"\r{len(found)} of {len(parts)}, {left:.0f} s left ", end="", file=sys.stderr)
    table = coverage.table(found)
    print(f"\n{table}\n{time.perf_counter() - began:.0f} s")
    if given.output:
        Path(given.output).write_text(table.to_csv(), encoding="utf-8")


@dataclass(frozen=True)
class Scenario:
    """A kind of simulated collection, and how its leaderboard is made."""

    name: str
    accuracies: tuple[float, ...] = (0.9, 0.85, 0.8, 0.75, 0.7)
    topics: int = 50
    hardness: float = 0.0
    fooled: float = 0.0
    prior: Prior = "ranks"
    holds: bool = True  # whether the leaderboard's model is correct for it

    def make(self, seed: int, topics: int | None = None) -> Simulation:
        return simulate(
            6, topics or self.topics, 100, 50, self.accuracies, 2, seed,
            hardness=self.hardness, fooled=self.fooled,
        )  # fmt: skip


SCENARIOS = (
    Scenario("good judges", (0.95, 0.9, 0.9, 0.85, 0.85)),
    Scenario("mixed judges"),
    Scenario("mixed judges, 25 topics", topics=25, holds=False),
    Scenario("topics of different hardness", hardness=0.3, holds=False),
    Scenario("poor judges", (0.75, 0.7, 0.7, 0.65, 0.65), holds=False),
    Scenario("a prior that ignores ranks", prior="flat", holds=False),
    Scenario("judges fooled alike on 1 document in 20", fooled=0.05, holds=False),
)


class Coverage:
    """The share of 95 % intervals that cover the truth, six systems each, in simulated collections.

    Repetitions of every scenario come in independent parts; those of scenarios for which the model
    does not hold are a fifth as many. many: topics from which the means of the population are
    known.
    """

    def __init__(
        self,
        scenarios: Sequence[Scenario] = SCENARIOS,
        measures: Sequence[str] = ("nDCG@10",),
        repetitions: int = 2000,
        draws: int = 400,
        seed: int = 0,
        many: int = 20_000,
    ) -> None:
        self.scenarios, self.names = {one.name: one for one in scenarios}, list(measures)
        self.repetitions, self.draws, self.seed = repetitions, draws, seed
        self.many = many
        self.population = {name: self._population(one) for name, one in self.scenarios.items()}

    def _population(self, scenario: Scenario) -> list[list[float]]:
        """[measure][system]: means over very many topics."""
        many = scenario.make(_number(self.seed, "population"), self.many)
        means: list[list[float]] = evaluate(many.gold, many.runs, self.names).mean().tolist()
        return means

    def parts(self) -> list[Part]:
        return [
            (name, start)
            for name, one in self.scenarios.items()
            for start in range(0, self._repetitions(one), REPETITIONS_A_JOB)
        ]

    def _repetitions(self, scenario: Scenario) -> int:
        """The number of repetitions; fewer if the leaderboard's model is wrong by design."""
        return self.repetitions if scenario.holds else -(-self.repetitions // 5)

    def run(self, part: Part) -> list[list[object]]:
        scenario, start = self.scenarios[part[0]], part[1]
        stop = min(start + REPETITIONS_A_JOB, self._repetitions(scenario))
        return [row for r in range(start, stop) for row in self._repeat(scenario, r)]

    def _repeat(self, scenario: Scenario, repetition: int) -> list[list[object]]:
        """[measure, target, covered, error, width], means over systems."""
        made = scenario.make(_number(self.seed, scenario.name, repetition))
        truth = evaluate(made.gold, made.runs, self.names).mean()
        aligned = align(made.runs, made.judgments.pool)
        out: list[list[object]] = []
        for m, name in enumerate(self.names):
            options = BoardOptions(
                measure=measure(name), merge=merge_method("em-neu"), scope="all",
                prior=scenario.prior, draws=self.draws,
            )  # fmt: skip
            seed = seed_for(self.seed, (scenario.name, repetition, name))
            drawn = draw_scores(Panel.of(made.judgments), aligned, options, seed)
            for target in TARGETS:
                goal = truth[m] if target == "topics" else self.population[scenario.name][m]
                samples, _, _ = mean_draws(drawn.cells, drawn.draws, target, seed)
                low, high = interval(samples)
                covered = (np.asarray(low) <= goal) & (goal <= np.asarray(high))
                error = drawn.cells.mean(axis=1) - goal
                width = np.asarray(high) - np.asarray(low)
                out.append([name, target, *(float(v.mean()) for v in (covered, error, width))])
        return out

    def table(self, found: Mapping[Part, list[list[object]]]) -> Table:
        rows = []
        for name in self.scenarios:
            mine = [row for part in found if part[0] == name for row in found[part]]
            for measured in self.names:
                for target in TARGETS:
                    values = np.array([r[2:] for r in mine if r[:2] == [measured, target]])
                    share, bias, width = values.mean(axis=0).tolist()
                    error = float(values[:, 0].std() / np.sqrt(len(values)))
                    rows.append((name, measured, target, len(values), share, error, bias, width))
        heads = ("collection", "measure", "target", "times", "covered", "±", "bias", "width")
        return Table(heads, rows, digits=3)

    def run_all(self) -> Table:
        """Run all parts; the column ± is the standard error of `covered`."""
        return self.table({part: self.run(part) for part in self.parts()})


def _number(seed: int, *key: str | int) -> int:
    return int(seed_for(seed, key).generate_state(1)[0])


if __name__ == "__main__":
    main()
