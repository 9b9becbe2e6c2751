"""QRELS MEASURE RUN...: per-topic values of one measure with hungjury, on four grades."""

import json
import sys
import time

import hungjury as hj
from hungjury.measures.evaluate import evaluate

began = time.perf_counter()
qrels = hj.read_qrels(sys.argv[1], grades=range(4))
scores = evaluate(qrels, sys.argv[3:], sys.argv[2])
print(json.dumps({"seconds": time.perf_counter() - began, "mean": float(scores.mean().mean())}))
