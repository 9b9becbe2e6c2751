"""QRELS RUN...: per-topic values of all runs with pytrec_eval."""

import gzip
import json
import sys
import time

import pytrec_eval

MEASURES = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "Bpref": "bpref"}


def opened(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


began = time.perf_counter()
with opened(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10", "P.10", "bpref"})
table = {}
for path in sys.argv[2:]:
    with opened(path) as file:
        table[path] = evaluator.evaluate(pytrec_eval.parse_run(file))
seconds = time.perf_counter() - began

values = {}
for name, theirs in MEASURES.items():
    every = [topic[theirs] for run in table.values() for topic in run.values()]
    values[name] = sum(every) / len(every)
print(json.dumps({"values": values, "seconds": seconds}))
