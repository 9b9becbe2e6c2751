"""Do gold labels correct leaderboards as they say? Coverage over redrawn plans on TREC DL.

python -m benchmarks.truth.gold [--redraws 100] [--budgets 100,200,400,1000] [--data ../shared/data]

Panels of five random judges; for every measure and budget, plans are redrawn, NIST's labels of the
planned documents taken as gold, and estimates compared with the scores by all of NIST's labels.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HUNGJURY_THREADS", "1")  # processes are enough

import numpy as np
from numpy.typing import NDArray

from benchmarks.truth.public import Public, dl19, dl21
from hungjury.batch import Scorer
from hungjury.catalogue import measure
from hungjury.collection.align import align
from hungjury.collection.judgments import Judgments
from hungjury.judges.merging import merge
from hungjury.judges.panel import Panel
from hungjury.stats import tau_ap
from hungjury.stats.designs import inclusion, priorities
from hungjury.uncertainty.correction import combine
from hungjury.uncertainty.direct import direct
from hungjury.uncertainty.effects import scores_under
from hungjury.uncertainty.panel_error import exposure_kernel, range_of
from hungjury.uncertainty.plan import influence
from hungjury.uncertainty.predict import features, predict
from hungjury.uncertainty.sample import Sample

COLLECTIONS = {"dl19": dl19, "dl21": dl21}
MEASURES = ("RBP(p=0.8, rel=2)", "P(rel=2)@10", "DCG@10", "nDCG@10", "AP(rel=2)")
PANELS, JUDGES = 20, 5
COLUMNS = ("systems", "pairs", "bias", "rmse", "tau_ap", "panel", "wrong", "sure")
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pooled:
    """A collection with judgments and gold labels of one pool."""

    judgments: Judgments
    families: list[str]
    gold: NDArray[np.int16]
    alignment: Any

    @staticmethod
    def of(public: Public) -> Pooled:
        pool, given = public.gold.pool, public.judgments
        topic, names = given.pool.topic_of, given.pool.documents
        place = np.array(
            [pool.find(given.pool.topics[topic[d]], names[d]) for d in range(len(names))]
        )
        keep = place[given.document] >= 0
        mine = place[given.document[keep]].astype(np.int32)
        judgments = Judgments(
            pool, given.judges, mine, given.judge[keep], given.label[keep], given.grades
        )
        gold = np.maximum(public.gold.labels, 0).astype(np.int16)
        return Pooled(judgments, public.families, gold, align(public.runs, pool))

    def panel(self, rng: np.random.Generator) -> Judgments:
        """Five random judges, of families that are drawn first."""
        chosen: set[int] = set()
        while len(chosen) < JUDGES:
            family = rng.choice(sorted(set(self.families)))
            chosen.add(int(rng.choice([k for k, f in enumerate(self.families) if f == family])))
        return self.judgments.only(np.array(sorted(chosen)))


@cache
def pooled(name: str, folder: Path) -> Pooled:
    return Pooled.of(COLLECTIONS[name](folder))


def cell(job: tuple[str, Path, str, int, int, int]) -> dict[str, list[list[float]]]:
    """Redraws of one measure with one panel: figures by "budget way"."""
    name, folder, text, number, redraws, seed = job
    rng = np.random.default_rng([seed, number])
    data = pooled(name, folder)
    chosen, aligned = measure(text), data.alignment
    scorer = Scorer(chosen, aligned, 3)
    truth = scores_under(scorer, data.gold[None])[0].mean(axis=1)
    judgments = data.panel(rng)
    merged = merge(judgments, "binmv", scope="all")
    weight = influence(chosen, aligned, merged)
    given = features(Panel.of(judgments), aligned)
    means = scores_under(scorer, merged.sample(rng, 40)).mean(axis=(0, 2))
    kernel = exposure_kernel(aligned)
    voted = merged.hard().labels
    unit = range_of(chosen, aligned.pool, voted, 3)
    topic = aligned.pool.topic_of.astype(np.int64)
    out: dict[str, list[list[float]]] = {}
    for _ in range(redraws):
        priority = priorities(weight, rng)
        order = np.argsort(priority)
        for budget in cell.budgets:
            mine = np.sort(order[:budget])
            probability = inclusion(weight, float(priority[order[budget]]))
            shares = np.eye(4)[data.gold[mine]]
            sample = Sample(mine, shares, np.ones(budget, int), (0, 1, 2, 3), probability)
            inverse = 1 / probability[mine]
            predicted = predict(given, topic, mine, sample.at_least, inverse, 60, rng)
            found = direct(scorer, sample, predicted, rng)
            both = combine(found.mean, found.covariance, means, kernel, unit, 2, rng)
            ranked = float(tau_ap(means, truth))
            for way, mean, cover in (
                ("direct", found.mean, found.covariance),
                ("combined", both.mean, both.covariance),
            ):
                row = figures(mean, cover, truth, unit, ranked)
                out.setdefault(f"{budget} {way}", []).append(row)
    return out


cell.budgets = ()  # type: ignore[attr-defined]


def figures(
    mean: Floats, covariance: Floats, truth: Floats, unit: float, panel: float
) -> list[float]:
    """See COLUMNS: shares covered, bias, error of differences, ranking, wrong among sure pairs."""
    off = mean - truth
    first, second = np.triu_indices(len(mean), 1)
    variance = np.diag(covariance)
    sd = np.sqrt(np.maximum(variance[first] + variance[second] - 2 * covariance[first, second], 0))
    told = sd > 1e-9 * unit
    gap, real = (v[first] - v[second] for v in (mean, truth))
    sure = told & (np.abs(gap) > 2.326 * sd)
    wrong = sure & (np.sign(gap) != np.sign(real)) & (real != 0)
    return [
        float((np.abs(off) < 1.96 * np.sqrt(variance)).mean()),
        float((np.abs(gap - real) < 1.96 * sd)[told].mean()),
        float(off.mean()) / unit,
        float(np.sqrt(((gap - real) ** 2).mean() / 2)) / unit,
        float(tau_ap(mean, truth)),
        panel,
        float(wrong.sum()),
        float(sure.sum()),
    ]


def start(budgets: tuple[int, ...]) -> None:
    cell.budgets = budgets  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--redraws", type=int, default=100, help="of every cell, over 20 panels")
    parser.add_argument("--budgets", default="100,200,400,1000")
    parser.add_argument("--measures", default="; ".join(MEASURES), help="separated by ;")
    parser.add_argument("--collections", default=",".join(COLLECTIONS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    budgets = tuple(int(b) for b in given.budgets.split(","))
    each = -(-given.redraws // PANELS)
    heads = ("collection, measure", "labels", "estimate", "redraws", *COLUMNS[:-1])
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    with ProcessPoolExecutor(given.workers, initializer=start, initargs=(budgets,)) as pool:
        for name in given.collections.split(","):
            for text in given.measures.split("; "):
                jobs = [(name, given.data, text, p, each, given.seed) for p in range(PANELS)]
                rows: dict[str, list[list[float]]] = {}
                for part in pool.map(cell, jobs):
                    for key, values in part.items():
                        rows.setdefault(key, []).extend(values)
                for key, values in rows.items():
                    print(line(f"{name}, {text}", key, np.array(values)), flush=True)


def line(what: str, key: str, values: Floats) -> str:
    """A row of the table; the interval over redraws is that of a mean."""
    budget, way = key.split()
    mean = values.mean(axis=0)
    half = 1.96 * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    wrong = values[:, 6].sum() / max(values[:, 7].sum(), 1)
    cells = [f"{mean[i]:.3f} ± {half[i]:.3f}" for i in range(3)]
    cells += [f"{mean[3]:.4f}", f"{mean[4]:.3f}", f"{mean[5]:.3f}", f"{wrong:.4f}"]
    return f"| {what} | {budget} | {way} | {len(values)} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
