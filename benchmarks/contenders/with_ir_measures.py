"""QRELS RUN...: per-topic values of all runs with ir_measures."""

import json
import sys
import time

import ir_measures
from ir_measures import AP, Bpref, P, nDCG

MEASURES = [AP, nDCG @ 10, P @ 10, Bpref]

began = time.perf_counter()
# An evaluator converts the labels once for all runs; plain iter_calc would do it for each.
qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
evaluator = ir_measures.evaluator(MEASURES, qrels)
table = {path: list(evaluator.iter_calc(ir_measures.read_trec_run(path))) for path in sys.argv[2:]}
seconds = time.perf_counter() - began

sums = dict.fromkeys(map(str, MEASURES), 0.0)
count = 0
for metrics in table.values():
    for metric in metrics:
        sums[str(metric.measure)] += metric.value
    count += len({metric.query_id for metric in metrics})
values = {name: total / count for name, total in sums.items()}
print(json.dumps({"values": values, "seconds": seconds}))
