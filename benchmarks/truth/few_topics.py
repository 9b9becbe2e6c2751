"""How often tests over few topics reject a true null hypothesis, by measure.

The differences of two real systems on TREC DL 2021, shifted to mean 0, are the population of
topics. Samples of topics are drawn from it for many pairs of systems; a test at 0.05 should reject
in 5 % of them.

    python -m benchmarks.truth.few_topics [../shared/data]
"""

import sys
from pathlib import Path

import numpy as np

import hungjury as hj
from hungjury.comparison.paired import TESTS

MEASURES = ("RR", "RR(rel=2)", "P@10", "nDCG@10", "AP")
TOPICS = (10, 25, 50)
COMPARED = ("t", "randomisation", "bootstrap")


def rates(values, topics, pairs=300, trials=20, seed=0, samples=2000):
    """Return the share of samples in which each test rejects, from values [system, topic]."""
    rng = np.random.default_rng(seed)
    drawn = []
    while len(drawn) < pairs * trials:
        one, other = rng.choice(len(values), 2, replace=False)
        all_topics = values[one] - values[other]
        if np.ptp(all_topics) > 0:
            centred = all_topics - all_topics.mean()
            drawn += list(centred[rng.integers(0, len(centred), (trials, topics))])
    return {
        name: float((np.asarray(TESTS[name].p(np.array(drawn), samples, 0)) < 0.05).mean())
        for name in COMPARED
    }


def main():
    home = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data") / "dl21"
    scores = hj.evaluate(str(home / "qrels.nist.txt"), str(home / "runs" / "*"), list(MEASURES))
    print("measure", "topics", *COMPARED, sep="\t")
    for m, measure in enumerate(MEASURES):
        for topics in TOPICS:
            found = rates(scores.values[m], topics)
            print(measure, topics, *(f"{r:.3f}" for r in found.values()), sep="\t", flush=True)


if __name__ == "__main__":
    main()
