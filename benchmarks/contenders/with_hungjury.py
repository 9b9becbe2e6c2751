"""QRELS RUN...: per-topic values of all runs with hungjury."""

import json
import sys
import time

import hungjury as hj
import hungjury.evaluation  # names are looked up lazily: import what the others import

MEASURES = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)", "ERR", "Bpref"]
NAMES = ["AP", "nDCG@10", "P@10", "RBP", "ERR", "Bpref"]

began = time.perf_counter()
scores = hj.evaluate(sys.argv[1], sys.argv[2:], MEASURES)
seconds = time.perf_counter() - began
means = scores.mean().mean(axis=1).tolist()
print(json.dumps({"values": dict(zip(NAMES, means, strict=True)), "seconds": seconds}))
