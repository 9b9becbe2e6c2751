"""warm|cold QRELS RUN...: per-topic values of all runs with ranx.

warm: everything has been compiled and used once before the clock starts.
"""

import json
import sys
import time

from ranx import Qrels, Run, evaluate

MEASURES = {"AP": "map", "nDCG@10": "ndcg@10", "P@10": "precision@10", "RBP": "rbp.8",
            "Bpref": "bpref"}  # fmt: skip


def scored(qrels, path):
    run = Run.from_file(path, kind="trec")
    # return_mean=False gives the values of every topic
    return evaluate(qrels, run, list(MEASURES.values()), return_mean=False)


mode, qrels_path, *paths = sys.argv[1:]
if mode == "warm":
    scored(Qrels.from_file(qrels_path, kind="trec"), paths[0])
began = time.perf_counter()
qrels = Qrels.from_file(qrels_path, kind="trec")
table = {path: scored(qrels, path) for path in paths}
seconds = time.perf_counter() - began

values = {
    name: float(sum(run[theirs].mean() for run in table.values()) / len(table))
    for name, theirs in MEASURES.items()
}
print(json.dumps({"values": values, **({"seconds": seconds} if mode == "warm" else {})}))
