"""QRELS RUN...: per-topic values of all runs with hungjury."""

import json
import sys

import hungjury as hj

MEASURES = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)", "ERR", "Bpref"]
NAMES = ["AP", "nDCG@10", "P@10", "RBP", "ERR", "Bpref"]

scores = hj.evaluate(sys.argv[1], sys.argv[2:], MEASURES)
means = scores.mean().mean(axis=1).tolist()
print(json.dumps({"values": dict(zip(NAMES, means, strict=True))}))
