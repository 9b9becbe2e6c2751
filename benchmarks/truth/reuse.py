"""How many labels does a later plan use again? Plans of one seed on TREC DL.

python -m benchmarks.truth.reuse [--data ../shared/data] [--seeds 5]

A plan for half of the runs, five judges and 30 of 43 topics (in proportion on other collections);
then two systems, two judges or all other topics are added, and a plan is made with the same seed
and a budget that grows in proportion to the topics. The share of the documents of the first plan
that are in the second, over seeds; beside it, for a second plan of another seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import hungjury as hj
from benchmarks.truth.public import Public, dl19, dl21, restricted
from hungjury.data.qrels import Judgments

MEASURE, BUDGET, JUDGES, TOPICS = "nDCG@10", 200, 5, 30 / 43


def drawn(
    judgments: Judgments, runs: dict[str, object], budget: int, seed: int
) -> set[tuple[str, str]]:
    plan = hj.plan(judgments, runs, MEASURE, budget, seed=seed)
    return set(zip(plan.topics, plan.documents, strict=True))


def shares(public: Public, seed: int) -> dict[str, float]:
    """The share of labels that are used again, by what was added."""
    rng = np.random.default_rng(seed)
    lists = public.runs.to_dict()
    names = rng.permutation(public.runs.systems).tolist()
    judges = rng.permutation(len(public.judgments.judges))
    topics = np.sort(
        rng.permutation(len(public.judgments.topics))[
            : round(TOPICS * len(public.judgments.topics))
        ]
    )
    half = names[: len(names) // 2]
    few = public.judgments.only(np.sort(judges[:JUDGES]))
    more = public.judgments.only(np.sort(judges[: JUDGES + 2]))

    def some(which: Iterable[str]) -> dict[str, object]:
        return {name: lists[name] for name in which}

    def on(given: Judgments) -> Judgments:
        return restricted(given, np.isin(given.pool.topic_of, topics))

    before = drawn(on(few), some(half), BUDGET, seed)
    grown = round(BUDGET * len(few.topics) / len(topics))
    after = {
        "two systems": drawn(on(few), some(names[: len(half) + 2]), BUDGET, seed),
        "two judges": drawn(on(more), some(half), BUDGET, seed),
        "all other topics": drawn(few, some(half), grown, seed),
        "all three": drawn(more, some(names[: len(half) + 2]), grown, seed),
        "nothing, another seed": drawn(on(few), some(half), BUDGET, seed + 1000),
    }
    return {what: len(before & found) / len(before) for what, found in after.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    print("| added | " + " | ".join(("dl19", "dl21")) + " |\n|---|---|---|")
    found = [
        [shares(public, seed) for seed in range(given.seeds)]
        for public in (dl19(given.data), dl21(given.data))
    ]
    for what in found[0][0]:
        cells = (np.array([one[what] for one in seeds]) for seeds in found)
        texts = [f"{c.mean():.0%} ({c.min():.0%} to {c.max():.0%})" for c in cells]
        print(f"| {what} | {' | '.join(texts)} |")


if __name__ == "__main__":
    main()
