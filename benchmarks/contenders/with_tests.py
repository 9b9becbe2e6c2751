"""hungjury|ranx|scipy randomisation|bootstrap QRELS RUN...: test all pairs of runs by nDCG@10.

Per-topic values are in memory, and what is compiled has been compiled, before the clock starts.
"""

import json
import sys
import time
from itertools import combinations

import numpy as np

import hungjury as hj

SAMPLES = 1000

who, test, qrels, *paths = sys.argv[1:]
scores = hj.evaluate(qrels, paths, "nDCG@10")
table = scores.values[0]  # [system, topic]


def with_hungjury():
    found = hj.compare(scores, test=test, correction="none", samples=SAMPLES)
    return found.rows


def with_ranx():
    from ranx.statistical_tests import fisher_randomization_test

    # Each pair once; `ranx.compare` itself tests both orders of a pair.
    pairs = combinations(np.ascontiguousarray(table), 2)
    return [fisher_randomization_test(a, b, SAMPLES, 0.05, 42)[0] for a, b in pairs]


def with_scipy():
    from scipy.stats import bootstrap, permutation_test

    found = []
    for a, b in combinations(table, 2):
        if test == "bootstrap":
            ends = bootstrap((a - b,), np.mean, n_resamples=SAMPLES, vectorized=True)
            found.append(float(ends.standard_error))
        else:
            tested = permutation_test(
                (a, b), lambda x, y, axis: (x - y).mean(axis=axis),
                permutation_type="samples", n_resamples=SAMPLES, vectorized=True,
            )  # fmt: skip
            found.append(float(tested.pvalue))
    return found


run = {"hungjury": with_hungjury, "ranx": with_ranx, "scipy": with_scipy}[who]
run()
began = time.perf_counter()
found = run()
print(json.dumps({"values": {"pairs": len(found)}, "seconds": time.perf_counter() - began}))
