"""Do gold labels correct leaderboards as they say? Coverage over redrawn plans on TREC DL.

python -m benchmarks.truth.gold [--redraws 100] [--data ../shared/data] [--docs docs] [-o gold.csv]

Panels of five random judges; for every measure and budget, plans are redrawn, NIST's labels of the
planned documents taken as gold, and estimates compared with the scores by all of NIST's labels. The
budgets are looks at one path, too: is a pair ever called the wrong way round? "matched" combines
with labels that follow the order of mean votes, as many of each grade as gold labels let expect,
in place of the panel's: it was tried, and boards do not use it. The CSV file has a
row for every estimate and grows as they are made; a run that was stopped goes on from it. With
--docs the tables of the page on labels are written anew.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HUNGJURY_THREADS", "1")  # processes are enough

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchmarks.truth import gold_page
from benchmarks.truth.public import Public, dl19, dl21
from hungjury.data.alignment import align
from hungjury.data.qrels import Judgments
from hungjury.judges.merge import merge
from hungjury.judges.panel import Panel
from hungjury.judges.votes import vote_shares
from hungjury.leaderboard.board import standing
from hungjury.leaderboard.correction import combines, worthwhile
from hungjury.leaderboard.direct import direct, features, predict
from hungjury.leaderboard.effects import scores_under
from hungjury.leaderboard.gold import GoldLabels
from hungjury.leaderboard.panel_error import (
    combine_estimates,
    exposure_kernel,
    normal_draws,
    range_of,
)
from hungjury.leaderboard.plan import expected_differences, influence
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import measure
from hungjury.stats import tau_ap
from hungjury.stats.multiple import nominal_levels, of_differences
from hungjury.stats.resampling import inclusion

COLLECTIONS = {"dl19": dl19, "dl21": dl21}
MEASURES = (
    "nDCG@10", "DCG@10", "RBP(p=0.8, rel=2)", "P(rel=2)@10", "ERR@10", "nDCG@20", "nDCG@100",
    "nDCG", "P(rel=2)@100", "R(rel=2)@10", "R(rel=2)@100", "AP(rel=2)", "RR(rel=2)@10", "Q",
    "Bpref(rel=2)",
)  # fmt: skip
BUDGETS = (100, 200, 400, 1000)
PANELS, JUDGES, DRAWS, TIES = 20, 5, 400, 8
CLOSEST = 0.1  # of the pairs, by the truth, are looked at by themselves
Floats = NDArray[np.float64]
Row = dict[str, str | float]


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


def cell(job: tuple[str, Path, str, int, int, int]) -> list[Row]:
    """Redraws of one measure with one panel: a row for every budget and estimate."""
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
    said = vote_shares(Panel.of(judgments)) @ np.arange(4.0)
    unit = range_of(chosen, aligned.pool, voted, 3)
    topic = aligned.pool.topic_of.astype(np.int64)
    foreseen = {budget: width for budget in BUDGETS
                for n, width in expected_differences(chosen, aligned, merged, weight, budget)
                if n == budget}  # fmt: skip
    out: list[Row] = []
    for redraw in range(redraws):
        priority = (1 - rng.random(len(weight))) / weight
        order = np.argsort(priority)
        paths = {way: LabelPath(truth) for way in ("direct", "combined", "board", "matched")}
        for budget in BUDGETS:
            mine = np.sort(order[:budget])
            probability = inclusion(weight, float(priority[order[budget]]))
            shares = np.eye(4)[data.gold[mine]]
            sample = GoldLabels(mine, shares, np.ones(budget, int), (0, 1, 2, 3), probability)
            predicted = predict(given, topic, sample, 60, rng)
            found = direct(scorer, sample, predicted, rng)
            both = combine_estimates(found.mean, found.covariance, means, kernel, unit, DRAWS, rng)
            ways = {"direct": (found.mean, found.covariance),
                    "combined": (both.mean, both.covariance)}  # fmt: skip
            own = np.random.default_rng([seed, number, redraw, budget])
            others = scores_under(scorer, matched(said, sample, own)).mean(axis=(0, 2))
            also = combine_estimates(*ways["direct"], others, kernel, unit, DRAWS, own)
            shallow = combines(chosen, aligned.longest, 3)
            takes = shallow and worthwhile(both.covariance, found.covariance)
            ways["board"] = ways["combined" if takes else "direct"]
            ways["matched"] = also.mean, also.covariance
            for way, (mean, cover) in ways.items():
                row: Row = {"collection": name, "measure": text, "panel": number, "redraw": redraw,
                            "budget": budget, "estimate": way}  # fmt: skip
                row |= figures(mean, cover, truth, unit)
                drawn = normal_draws(cover, DRAWS, own if way == "matched" else rng)
                row |= paths[way].look(mean, drawn, budget)
                row["panel_tau_ap"] = float(tau_ap(means, truth))
                row["foreseen"] = foreseen[budget] / unit
                out.append(row)
    return out


def matched(said: Floats, gold: GoldLabels, rng: np.random.Generator) -> NDArray[np.int16]:
    """[set, document]: the documents with the largest mean votes get the highest grades, as many as
    gold labels let expect; ties are broken at random."""
    share = gold.weights @ gold.at_least / gold.weights.sum()
    out = np.zeros((TIES, len(said)), dtype=np.int16)
    for labels in out:
        place = np.argsort(np.lexsort((rng.random(len(said)), said))) / len(said)
        labels += (place[:, None] >= 1 - share).sum(axis=1).astype(np.int16)
    return out


def figures(mean: Floats, covariance: Floats, truth: Floats, unit: float) -> Row:
    """Shares covered, bias, error and width of differences, ranking, wrong among sure pairs."""
    off = mean - truth
    first, second = np.triu_indices(len(mean), 1)
    variance = np.diag(covariance)
    sd = np.sqrt(np.maximum(variance[first] + variance[second] - 2 * covariance[first, second], 0))
    told = sd > 1e-9 * unit
    gap, real = (v[first] - v[second] for v in (mean, truth))
    sure = told & (np.abs(gap) > 2.326 * sd)
    wrong = sure & (np.sign(gap) != np.sign(real)) & (real != 0)
    return {
        "systems": float((np.abs(off) < 1.96 * np.sqrt(variance)).mean()),
        "pairs": float((np.abs(gap - real) < 1.96 * sd)[told].mean()),
        "bias": float(off.mean()) / unit,
        "rmse": float(np.sqrt(((gap - real) ** 2).mean() / 2)) / unit,
        "tau_ap": float(tau_ap(mean, truth)),
        "wrong": float(wrong.sum()),
        "sure": float(sure.sum()),
        "width": float(1.96 * np.median(sd)) / unit,
    }


@cache
def stretch_at(budget: int) -> float:
    """By how much more a difference has to be at this look, as `leaderboard` has it."""
    shares = [b / BUDGETS[-1] for b in BUDGETS if b <= budget]
    return float(ndtri(nominal_levels(shares)[-1] / 2) / ndtri(0.025))


class LabelPath:
    """Looks at one path of labels: which pairs were ever called the wrong way round?"""

    def __init__(self, truth: Floats) -> None:
        first, second = np.triu_indices(len(truth), 1)
        self.pairs = first, second
        self.real = truth[first] - truth[second]
        gap = np.abs(self.real)
        self.close = (gap > 0) & (gap <= np.quantile(gap[gap > 0], CLOSEST))
        self.ever = {name: np.zeros(len(gap), dtype=bool) for name in ("naive", "bounds", "board")}

    def look(self, mean: Floats, draws: Floats, budget: int) -> Row:
        """naive: pair by pair, as if there were no other look; bounds: with those of this look;
        board: as a board tells systems apart, all pairs together."""
        stretch = stretch_at(budget)
        first, second = self.pairs
        sd = np.sqrt(of_differences(np.atleast_2d(np.cov(draws, rowvar=False))))[first, second]
        gap = mean[first] - mean[second]
        apart = standing(mean, draws, 0.95, True, stretch).apart[first, second]
        wrong = (np.sign(gap) != np.sign(self.real)) & (self.real != 0)
        called = {"naive": 1.96 * sd, "bounds": 1.96 * stretch * sd}
        out: Row = {}
        for name, ever in self.ever.items():
            ever |= wrong & (apart if name == "board" else np.abs(gap) > called[name])
            out[f"ever_{name}"] = float(ever.mean())
            out[f"close_{name}"] = float(ever[self.close].mean())
        out["any_board"] = float(self.ever["board"].any())
        out["apart"] = float(apart.mean())
        return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--redraws", type=int, default=100, help="of every cell, over 20 panels")
    parser.add_argument("--measures", default="; ".join(MEASURES), help="separated by ;")
    parser.add_argument("--collections", default=",".join(COLLECTIONS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--docs", type=Path, help="folder of the pages to update")
    parser.add_argument("-o", "--output", type=Path, default=Path("gold.csv"))
    given = parser.parse_args()
    each = -(-given.redraws // PANELS)
    done = gold_page.read(given.output) if given.output.exists() else []
    known = {(r["collection"], r["measure"], int(r["panel"])) for r in done}
    jobs = [(name, given.data, text, panel, each, given.seed)
            for panel in range(PANELS)
            for name in given.collections.split(",")
            for text in map(str.strip, given.measures.split(";"))
            if (name, text, panel) not in known]  # fmt: skip
    with ProcessPoolExecutor(given.workers) as pool:
        for number, rows in enumerate(pool.map(cell, jobs), start=1):
            gold_page.append(given.output, rows)
            print(f"\r{number} of {len(jobs)} ", end="", file=sys.stderr)
    text = gold_page.tables(gold_page.read(given.output))
    print(text)
    if given.docs:
        gold_page.update(given.docs, text)


if __name__ == "__main__":
    main()
