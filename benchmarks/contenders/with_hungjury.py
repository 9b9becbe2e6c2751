"""[-same] QRELS RUN...: per-topic values of all runs with hungjury; -same: by the four measures
that all contenders have."""

import json
import sys
import time

import hungjury as hj
import hungjury.measures.evaluate  # names are looked up lazily: import what the others import

same = sys.argv[1] == "-same"
qrels, *runs = sys.argv[2:] if same else sys.argv[1:]
MEASURES = {"AP": "AP", "nDCG@10": "nDCG@10", "P@10": "P@10", "Bpref": "Bpref"}
if not same:
    MEASURES |= {"RBP": "RBP(p=0.8)", "ERR": "ERR"}

began = time.perf_counter()
scores = hj.evaluate(qrels, runs, MEASURES.values())
seconds = time.perf_counter() - began
means = scores.mean().mean(axis=1).tolist()
print(json.dumps({"values": dict(zip(MEASURES, means, strict=True)), "seconds": seconds}))
